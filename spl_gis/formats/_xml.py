"""XML from strangers: no document types, no entities, nothing from elsewhere, and limits on all else."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder  # nosec B405  # expat below refuses entities
from xml.parsers import expat

from ..errors import FileAccessError, FormatError

MAX_SIZE = 256 * 1024 * 1024
"""Largest file [bytes]; the worlds that are known have 0.1 to 1 MB."""

MAX_DEPTH = 256
"""Deepest nesting of elements; the worlds that are known have some ten levels."""

_CHUNK = 1024 * 1024


def read_xml(path: Path) -> Element:
    """Read an XML file into a tree.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    FileAccessError
        When it cannot be read.
    FormatError
        When it is not well-formed XML, declares a document type or entities (which could grow without
        bounds, or fetch other files), or is too large or too deeply nested.
    """
    builder, depth = TreeBuilder(), 0
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            refuse(f"elements are nested more than {MAX_DEPTH} deep")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(what: str) -> NoReturn:
        raise FormatError(what, path=path, location=f"line {parser.CurrentLineNumber}")

    def declared(*_: object) -> NoReturn:
        refuse("it declares a document type or entities, which no UNIGINE file needs: remove the declaration")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = declared
    parser.ExternalEntityRefHandler = declared
    parser.buffer_text = True
    _feed(parser, path)
    return builder.close()


def _feed(parser: expat.XMLParserType, path: Path) -> None:
    try:
        with path.open("rb") as file:
            read = 0
            for chunk in iter(lambda: file.read(_CHUNK), b""):
                read += len(chunk)
                if read > MAX_SIZE:
                    raise FormatError(
                        f"larger than {MAX_SIZE // 1024**2} MB: is it a UNIGINE file?", path=path
                    )
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except OSError as error:
        raise FileAccessError(f"cannot read {path}: {error.strerror}") from error
    except FormatError:
        raise
    except (
        expat.ExpatError,
        ValueError,
        LookupError,
    ) as error:  # the latter for what it says its encoding is
        raise FormatError(f"not well-formed XML ({error})", path=path) from error
