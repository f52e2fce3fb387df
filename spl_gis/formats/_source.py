"""Where GDAL finds a file, and in which encoding a shapefile has its text."""

from __future__ import annotations

import codecs
import gzip
import os
import zipfile
from pathlib import Path, PurePosixPath
from typing import Union

from ..errors import FileAccessError, FormatError, OptionError
from ..report import Report

PathLike = Union[str, "os.PathLike[str]"]

MAIN = (
    *(".shp", ".gpkg", ".geojson", ".json", ".geojsonl", ".geojsons", ".fgb", ".gml", ".kml", ".gpx", ".dxf"),
    *(".osm", ".pbf", ".parquet", ".tab", ".mif", ".sqlite", ".csv", ".dgn"),
)
"""Suffixes of what is looked for in a zip file."""

ANSI = 0x57
"""Language id of a .dbf that says no more than "some encoding of Windows"."""


def gdal_path(path: PathLike) -> str:
    """Give the name by which GDAL finds a file: itself, or through /vsizip/ or /vsigzip/.

    Raises
    ------
    FileAccessError
        When it is missing, a folder, or cannot be opened.
    FormatError
        When a zip file is none, or holds nothing or more than one thing to read.
    """
    file = Path(path)
    if file.is_dir():
        if file.suffix.lower() == ".gdb":
            return str(file)
        raise FileAccessError(f"{file} is a folder, not a file")
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise FileAccessError(f"cannot read {file}: {error.strerror}") from error
    if file.suffix.lower() == ".zip":
        inside = _inside_zip(file)
        return f"/vsizip/{file.absolute()}/{inside}".rstrip("/")
    if file.suffix.lower() == ".gz":
        return f"/vsigzip/{file.absolute()}"
    return str(file)


def _inside_zip(file: Path) -> str:
    """Give the file or, for several shapefiles, the folder to read in a zip file."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = [PurePosixPath(name) for name in archive.namelist() if not name.startswith("__MACOSX/")]
    except (zipfile.BadZipFile, OSError) as error:
        raise FormatError(f"this is not a zip file that can be read: {error}", path=file) from error
    found = [name for name in names if name.suffix.lower() in MAIN]
    if len(found) == 1:
        return str(found[0])
    folders = {name.parent for name in found}
    if len(folders) == 1 and all(name.suffix.lower() == ".shp" for name in found):
        return str(folders.pop()).strip(".")
    listed = ", ".join(str(name) for name in found) or "nothing that GDAL reads"
    raise FormatError(f"the zip file holds {listed}: unpack it and name one file", path=file)


def text_encoding(path: PathLike, gdal: str, asked: str | None, report: Report) -> str | None:
    """Decide in which encoding GDAL shall read the text; None = it knows.

    Raises
    ------
    OptionError
        When `asked` is no encoding, or the format has one of its own.
    FormatError
        When the text is not in that encoding.
    """
    table, has_cpg = _text_table(Path(path), gdal)
    if table is None:
        if asked is not None and _same(asked) != "utf-8":
            raise OptionError(
                "--encoding is for shapefiles; other formats say themselves how their text is encoded"
            )
        return None
    if asked is not None:
        _same(asked)
        return asked
    if has_cpg or table[29] not in (0, ANSI) or table[32:].isascii():
        return None
    return _guess(table, report)


def _same(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise OptionError(
            f"--encoding {name!r} is not known; try UTF-8, ISO-8859-1, CP1251 or CP932"
        ) from None


def _guess(table: bytes, report: Report) -> str:
    start = int.from_bytes(table[8:10], "little")
    try:
        table[start:].decode("utf-8")
    except UnicodeDecodeError:
        report.warn(
            "the shapefile does not say how its text is encoded (no .cpg file): ISO-8859-1 is assumed; "
            "pass --encoding if names look wrong"
        )
        return "ISO-8859-1"
    report.note(
        "the shapefile does not say how its text is encoded (no .cpg file): "
        "it could be UTF-8, so that is assumed"
    )
    return "UTF-8"


def _text_table(file: Path, gdal: str) -> tuple[bytes | None, bool]:
    """Give the bytes of the .dbf of a shapefile, and whether a .cpg lies beside it."""
    if gdal.startswith("/vsizip/"):
        with zipfile.ZipFile(file) as archive:
            names = {name.lower(): name for name in archive.namelist()}
            inside = gdal[len(f"/vsizip/{file.absolute()}/") :].lower()
            stem = inside[:-4] if inside.endswith(".shp") else ""
            table = names.get(f"{stem}.dbf")
            return archive.read(table) if table else None, f"{stem}.cpg" in names
    if file.suffix.lower() not in (".shp", ".dbf"):
        return None, False
    beside = {other.name.lower(): other for other in file.parent.iterdir()}
    stem = file.stem.lower()
    found = beside.get(f"{stem}.dbf")
    return found.read_bytes() if found else None, f"{stem}.cpg" in beside


def whole_text(path: PathLike, gdal: str, limit: int) -> bytes | None:
    """Give the bytes that GDAL reads by the name `gdal_path` gave; None when there are more than `limit`.

    Raises
    ------
    OSError, zipfile.BadZipFile, zlib.error
        When they cannot be unpacked.
    """
    if gdal.startswith("/vsizip/"):
        with zipfile.ZipFile(path) as archive:
            inside = gdal[len(f"/vsizip/{Path(path).absolute()}/") :]
            small = archive.getinfo(inside).file_size <= limit
            return archive.read(inside) if small else None
    unpacked = gzip.open if gdal.startswith("/vsigzip/") else open
    with unpacked(path, "rb") as file:
        data: bytes = file.read(limit + 1)
    return data if len(data) <= limit else None
