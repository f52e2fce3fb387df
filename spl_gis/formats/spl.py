"""Spline graphs of the engine: a strict reader of `.spl`, and a writer that lays text out as the engine does.

A `.spl` is JSON: ``points``, a list of ``[x, y, z]``, and ``segments``, a list of objects with two point
indices, two tangents and two up vectors (UNIGINE documentation, "Spline File Format").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileAccessError, FormatError
from ..files import whole_file
from ..model import Floats, SplineGraph
from ..report import Progress, Report, silent
from . import _spl_parse
from ._json import encode_numbers
from ._spl_parse import SEGMENT_KEYS, BrokenError, Tables, check_index, parse
from ._spl_plain import parse_plain

_WHOLE = 1e16
"""From here on the encoders write exponents."""
_ROWS = 2000  # written at a time: the text of so many segments stays in the processor's cache


def read(
    path: str | PathLike[str], *, report: Report | None = None, progress: Progress = silent
) -> SplineGraph:
    """Read a `.spl` file.

    Parameters
    ----------
    path : path-like
        The file: UTF-8, with or without a byte order mark, any line ends.
    report : Report, optional
        Told of keys that a `.spl` does not have; they are left out of the graph.
    progress : callable
        Told the fraction done.

    Returns
    -------
    SplineGraph
        Points and segments in the order of the file, in scene metres, with the file's own doubles. It has no
        source lines, no features and no CRS: the file knows none.

    Raises
    ------
    FormatError
        When the file does not hold a spline graph, with the JSON path (or line and column) of a fault.
    FileAccessError
        When the file cannot be read.
    """
    progress(0.0, f"reading {Path(path).name}")
    graph = decode(read_bytes(path), path=path, report=report)
    progress(1.0, f"reading {Path(path).name}")
    return graph


def read_bytes(path: str | PathLike[str]) -> bytes:
    """Read the bytes of a file; raises `FileAccessError` when they cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise FileAccessError(f"cannot read {path}: {error.strerror}") from error


def decode(
    data: bytes, *, path: str | PathLike[str] | None = None, report: Report | None = None
) -> SplineGraph:
    """Read a spline graph from the bytes of a `.spl`; `path` is only named in messages. See `read`.

    JSON has one kind of number: an index may be written ``1`` or ``1.0``. ``-0`` is plain 0, as Python's own
    decoder says; only ``-0.0`` keeps its sign.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        tables = _parse_fast(data) or parse_plain(data) or parse(data)
        _check_indices(tables)
    except BrokenError as broken:
        raise FormatError(broken.message, path=path, location=broken.location) from None
    if report is not None and tables.unknown:
        report.warn(_about_unknown(tables.unknown, path))
    ends, tangents, ups = (np.ascontiguousarray(part) for part in np.split(tables.ends, [1, 4], axis=2))
    return SplineGraph(tables.points, ends[:, :, 0].astype(np.int64), tangents, ups, np.full(len(ends), -1))


def faults(data: bytes, *, path: str | PathLike[str] | None = None) -> list[BrokenError]:
    """List all that `decode` would refuse: broken values, numbers that are not finite, indices out of range.

    Parameters
    ----------
    data : bytes
        The bytes of a `.spl`.
    path : path-like, optional
        Named in the message of an error.

    Returns
    -------
    list of BrokenError
        With ``location``, a JSON path, ``message`` and ``code``; empty when the file is sound.

    Raises
    ------
    FormatError
        When the bytes are no JSON, or nothing like a spline graph.
    """
    try:
        return _spl_parse.faults(data.removeprefix(b"\xef\xbb\xbf"))
    except BrokenError as broken:
        raise FormatError(broken.message, path=path, location=broken.location) from None


def write(
    graph: SplineGraph,
    path: str | PathLike[str],
    *,
    overwrite: bool = False,
    progress: Progress = silent,
) -> None:
    """Write a `.spl` file: points and segments as they are, in their order.

    Parameters
    ----------
    graph : SplineGraph
        What to write; lines, features and CRS have no place in a `.spl`.
    path : path-like
        The file, which appears whole or not at all.
    overwrite : bool
        Replace an existing file.
    progress : callable
        Told the fraction done.

    Raises
    ------
    FileAccessError
        When the file exists and `overwrite` is false, or cannot be written.
    """
    rows = len(graph.points) + len(graph) + 1
    with whole_file(Path(path), overwrite=overwrite) as scratch, scratch.open("wb") as file:
        for number, piece in enumerate(encode(graph)):
            progress(min(number * _ROWS / rows, 1.0), f"writing {Path(path).name}")
            file.write(piece)
    progress(1.0, f"writing {Path(path).name}")


def encode(graph: SplineGraph) -> Iterator[bytes]:
    r"""Give the text of a `.spl` piece by piece, laid out like the engine's: tabs, ``\n``, no last line end.

    Each number has the fewest digits that read back to the same double: ``0``, ``1``, ``0.1``, ``-0.0``.
    Exponents look as the encoder at hand writes them, ``1e22`` (msgspec) or ``1e+22``.
    """
    yield b'{\n\t"points": ['
    yield from _records(_POINT, (graph.points[rows] for rows in _slices(len(graph.points))))
    yield b'],\n\t"segments": ['
    yield from _records(_SEGMENT, (_numbers(graph, rows) for rows in _slices(len(graph))))
    yield b"]\n}"


def _parse_fast(data: bytes) -> Tables | None:
    """Read a faultless `.spl` without unknown keys; None when it is not one, or when msgspec is missing."""
    try:
        import msgspec
    except ImportError:
        return None
    vector = tuple[float, float, float]
    fields = [(key, float if key.endswith("index") else vector) for key in SEGMENT_KEYS]
    segment = msgspec.defstruct("Segment", fields, gc=False, forbid_unknown_fields=True)
    lists = [("points", list[vector]), ("segments", list[segment])]  # type: ignore[valid-type]
    whole = msgspec.defstruct("Graph", lists, forbid_unknown_fields=True)
    try:
        graph: Any = msgspec.json.decode(data, type=whole)
    except (msgspec.DecodeError, UnicodeDecodeError):  # the second comes from msgspec 0.19
        return None
    keys = len(lists) + len(fields) * len(graph.segments)
    if data.count(b'"') != 2 * keys:  # a key is written twice: the decoder would take the last
        return None
    return Tables(_vectors(graph.points, len(graph.points)), _ends(graph.segments), Counter())


def _ends(segments: list[Any]) -> Floats:
    """Give the 7 numbers of both ends of decoded segments, shape (M, 2, 7)."""
    table = np.empty((len(segments), 14))
    for key, column in zip(SEGMENT_KEYS, (0, 1, 4, 7, 8, 11)):
        values = map(attrgetter(key), segments)
        if key.endswith("index"):
            table[:, column] = np.fromiter(values, np.float64, len(segments))
        else:
            table[:, column : column + 3] = _vectors(values, len(segments))
    return table.reshape(-1, 2, 7)


def _vectors(vectors: Iterable[Any], number: int) -> Floats:
    return np.fromiter(chain.from_iterable(vectors), np.float64, 3 * number).reshape(-1, 3)


def _check_indices(tables: Tables) -> None:
    index, size = tables.ends[:, :, 0], len(tables.points)
    wrong = (index < 0) | (index >= size) | (index != np.floor(index))
    if wrong.any():
        row, end = (int(axis[0]) for axis in np.nonzero(wrong))
        check_index(float(index[row, end]), size, row, ("start_index", "end_index")[end])


def _about_unknown(unknown: Counter[str], path: str | PathLike[str] | None) -> str:
    named = [f"{key[:40]!r} ({number} x)" for key, number in unknown.most_common(5)]
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    return f"{path or 'the .spl'}: keys that a .spl does not have were left out: {', '.join(named)}{more}"


def _slices(size: int) -> Iterator[slice]:
    return (slice(start, start + _ROWS) for start in range(0, size, _ROWS))


def _vector_text(indent: bytes) -> bytes:
    return b"[" + b",".join([b"\n" + indent + b"\t%s"] * 3) + b"\n" + indent + b"]"


def _segment_text() -> bytes:
    """Give the layout of a segment, with a gap for each number."""
    values = {key: b"%s" if key.endswith("index") else _vector_text(b"\t\t\t") for key in SEGMENT_KEYS}
    lines = [b'\t\t\t"%s": %s' % (key.encode(), value) for key, value in values.items()]
    return b"\t\t{\n" + b",\n".join(lines) + b"\n\t\t}"


_POINT = b"\t\t" + _vector_text(b"\t\t")
_SEGMENT = _segment_text()


def _numbers(graph: SplineGraph, rows: slice) -> Floats:
    """Give the numbers of the segments `rows` as `_SEGMENT` lays them out, one row a segment."""
    ends = graph.ends[rows, :, None].astype(np.float64)
    return np.concatenate([ends, graph.tangents[rows], graph.ups[rows]], axis=2).reshape(len(ends), -1)


def _records(layout: bytes, blocks: Iterable[Floats]) -> Iterator[bytes]:
    """Fill the layout, repeated once a row, with the texts of each block's numbers.

    What is the same in all rows of a block, as most up vectors and heights are, is written into the layout.
    """
    before = b"\n"
    for numbers in blocks:
        bits = np.ascontiguousarray(numbers).view(np.int64)
        same = (bits == bits[0]).all(axis=0)
        gaps = np.full(len(same), b"%s", object)
        gaps[same] = _texts(numbers[:1, same])
        row = layout % tuple(gaps)
        yield before + b",\n".join([row] * len(numbers)) % tuple(_texts(numbers[:, ~same]))
        before = b",\n"
    if before == b",\n":
        yield b"\n\t"


def _texts(numbers: Floats) -> list[bytes]:
    """Give the texts of numbers (K, D), row by row; whole ones are written without a point."""
    if not numbers.size:
        return []
    whole = (np.rint(numbers) == numbers) & (np.abs(numbers) < _WHOLE)
    whole &= (numbers != 0) | ~np.signbit(numbers)
    values = numbers.astype(object)
    values[whole] = numbers[whole].astype(np.int64)
    return encode_numbers(values.ravel().tolist())[1:-1].split(b",")
