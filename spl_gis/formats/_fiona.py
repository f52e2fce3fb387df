"""The second engine: GDAL through fiona, one feature at a time. see docs/vector-formats.md for its gaps."""

from __future__ import annotations

import contextlib
import json
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, OptionError
from ..model import Column
from ..report import Report
from ._arrow import NUMBERS, iso
from ._geometry import from_mappings
from ._layer import READ_OPTIONS, LayerInfo, Output, Query, RawLayer

WRITES_IDS = False

TYPES = {
    "int32": ("Integer", "None"),
    "bool": ("Integer", "Boolean"),
    "int16": ("Integer", "Int16"),
    "int": ("Integer64", "None"),
    "int64": ("Integer64", "None"),
    "float": ("Real", "None"),
    "str": ("String", "None"),
    "json": ("String", "JSON"),
    "date": ("Date", "None"),
    "time": ("Time", "None"),
    "datetime": ("DateTime", "None"),
    "bytes": ("Binary", "None"),
    "List[str]": ("StringList", "None"),
}
"""OGR types and subtypes of fiona's field types; it knows no other ones."""


def drivers() -> dict[str, str]:
    """Give the drivers that fiona is known to work with, and whether each reads (r) and writes (w)."""
    import fiona

    return dict(fiona.supported_drivers)


def layers(path: str) -> list[LayerInfo]:
    """List the layers of a file, without counting their features."""
    import fiona

    with _translated(path), _gdal(Report()):
        names = fiona.listlayers(path)
    found = []
    for name in names:
        with _opened(path, name, None, Report()) as source:
            kind = source.schema["geometry"]
            kind = f"{kind[3:]} Z" if kind.startswith("3D ") else kind
            found.append(LayerInfo(str(name), "" if kind == "None" else kind, -1))
    return found


def count(path: str, layer: str, *, slow: bool) -> int:
    """Count the features of a layer; -1 when that would be slow and `slow` is false."""
    with _opened(path, layer, None, Report()) as source:
        if source.driver in ("GPKG", "ESRI Shapefile", "FlatGeobuf") or slow:
            return sum(1 for _ in source)
        return -1


def extent(path: str, layer: str) -> tuple[str | None, tuple[float, float, float, float]]:
    """Give the CRS of a layer and where it lies: least x and y, greatest x and y."""
    with _opened(path, layer, None, Report()) as source:
        x0, y0, x1, y1 = source.bounds
        return source.crs_wkt or None, (x0, y0, x1, y1)


def read(query: Query, report: Report) -> RawLayer:
    """Read one layer."""
    said = Report()
    with _opened(query.path, query.layer, query.encoding, said) as source:
        with _translated(query.path, query.where):
            # without a condition fiona stops at the number of features that a GeoPackage says it has
            where = query.where or ("1 = 1" if source.driver == "GPKG" else None)
            rows = list(source.filter(where=where, bbox=query.bbox))
        _check_text(query, said, report)
        fid = np.array([int(row["id"]) for row in rows], np.int64)
        columns = {}
        for name, kind in source.schema["properties"].items():
            values = [row["properties"].get(name) for row in rows]
            columns[name] = _column(values, kind)
        shapes = from_mappings([row["geometry"] for row in rows])
        crs = _crs(source.crs)
    return RawLayer(
        fid, columns, shapes, crs, lambda some: _wkb([rows[i]["geometry"] for i in some.tolist()])
    )


def _wkb(geometries: Sequence[Any]) -> NDArray[Any]:
    """Make WKB of GeoJSON-like geometries; None of those that shapely cannot hold."""
    import shapely

    blobs = np.empty(len(geometries), object)
    for row, geometry in enumerate(geometries):
        text = "null" if geometry is None else json.dumps(geometry.__geo_interface__)
        blobs[row] = shapely.to_wkb(shapely.from_geojson(text, on_invalid="ignore"))
    return blobs


def _check_text(query: Query, said: Report, report: Report) -> None:
    """Pass on what GDAL and fiona said, but stop at text that cannot be decoded."""
    for sentence in said.warnings:
        if "Failed to decode" in sentence:
            raise FormatError(
                f"{sentence}: pass --encoding, such as --encoding ISO-8859-1 or CP1251", path=query.path
            )
        report.warn(sentence)


def _crs(crs: Any) -> str:
    """Give a CRS as authority code, else WKT2, "" for none."""
    from pyproj import CRS

    text = str(crs.to_wkt(version="WKT2_2019")) if crs else ""
    identity = CRS(text).to_json_dict().get("id") if text else None
    return f"{identity['authority']}:{identity['code']}" if identity else text


def _column(values: list[Any], kind: str) -> Column:
    base, _, size = kind.partition(":")
    type_, subtype = TYPES[base]
    width = int(size.split(".")[0]) if size and type_ == "String" else 0
    null = np.array([value is None for value in values], bool)
    dtype = NUMBERS.get((type_, subtype))
    if dtype is not None:
        return Column(
            np.array([0 if value is None else value for value in values], dtype), null, type_, subtype
        )
    blank: Any = b"" if type_ == "Binary" else () if type_ == "StringList" else ""
    texts = np.empty(len(values), object)
    texts[:] = [blank if value is None else _plain(value, subtype) for value in values]
    if type_ in ("Time", "DateTime"):
        texts = iso(texts)
    return Column(texts, null, type_, subtype, width)


def _plain(value: Any, subtype: str) -> Any:
    if subtype == "JSON" or isinstance(value, (dict, Mapping)):
        return json.dumps(value, ensure_ascii=False)
    return value


def write(output: Output, report: Report) -> None:
    """Write one layer to a new file."""
    import fiona
    import shapely

    known = {name: _kind(column, output.driver) for name, column in output.columns.items()}
    lost = [name for name, kind in known.items() if kind is None]
    if lost:
        report.warn(f"fiona cannot write the types of {', '.join(lost)}: they are written as text")
    kinds = {name: kind or "str" for name, kind in known.items()}
    values = [_values(column, kinds[name]) for name, column in output.columns.items()]
    shapes = shapely.from_wkb(output.wkb, on_invalid="ignore")
    rows = (
        {
            "type": "Feature",
            "geometry": getattr(shape, "__geo_interface__", None),
            "properties": dict(zip(kinds, row)),
        }
        for shape, row in zip(shapes, zip(*values) if values else [()] * len(shapes))
    )
    with (
        _translated(output.path),
        _gdal(report),
        fiona.open(
            output.path,
            "w",
            driver=output.driver,
            layer=None if output.driver == "ESRI Shapefile" else output.layer,
            schema={"geometry": _geometry_name(output.geometry), "properties": list(kinds.items())},
            crs_wkt=_wkt(output.crs),
            encoding="UTF-8",
            **output.dataset_options,
            **output.layer_options,
        ) as target,
    ):
        target.writerecords(rows)


def _geometry_name(geometry: str) -> str:
    return f"3D {geometry[:-2]}" if geometry.endswith(" Z") else geometry


def _wkt(crs: str) -> str | None:
    from pyproj import CRS

    return CRS(crs).to_wkt("WKT2_2019") if crs else None


def _kind(column: Column, driver: str) -> str | None:
    """Give fiona's name of a type that it can write; the text of JSON would come out wrapped in JSON."""
    names = {pair: name for name, pair in TYPES.items() if name not in ("int64", "json")}
    if driver == "ESRI Shapefile":
        names = {
            pair: name
            for pair, name in names.items()
            if pair[0] not in ("Time", "DateTime", "Binary", "StringList")
        }
    name = names.get((column.type, column.subtype))
    return f"{name}:{column.width}" if name == "str" and column.width else name


def _values(column: Column, kind: str) -> list[Any]:
    items = column.values.tolist()
    if kind == "str" and column.type == "Binary":
        items = [value.hex() for value in items]
    elif kind == "str" and column.type.endswith("List"):
        items = [json.dumps(list(value)) for value in items]
    return [None if null else item for item, null in zip(items, column.null)]


def schema(path: str, layer: str) -> dict[str, tuple[str, str]]:
    """Give the OGR type and subtype of each field of a layer."""
    with _opened(path, layer, None, Report()) as source:
        return {name: TYPES[kind.partition(":")[0]] for name, kind in source.schema["properties"].items()}


def reserved(driver: str) -> tuple[str, ...]:
    """Give the column names that mean something else to GDAL."""
    return ("fid", "geom") if driver == "GPKG" else ()


@contextlib.contextmanager
def _opened(path: str, layer: str | None, encoding: str | None, report: Report) -> Iterator[Any]:
    import fiona

    options = {"layer": layer, "encoding": encoding, "allow_unsupported_drivers": True}
    with _gdal(report), _translated(path), fiona.open(path, **options) as source:
        yield source


@contextlib.contextmanager
def _gdal(report: Report) -> Iterator[None]:
    """Set GDAL's options for the time of the block, and hand its warnings to the report."""
    import fiona

    class _Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            report.warn(f"GDAL: {record.getMessage()}")

    log, listener = logging.getLogger("fiona"), _Listener(logging.WARNING)
    spread = log.propagate
    log.addHandler(listener)
    log.propagate = False
    try:
        with fiona.Env(**READ_OPTIONS), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield
    finally:
        for warning in said:
            report.warn(f"fiona: {warning.message}")
        log.propagate = spread
        log.removeHandler(listener)


@contextlib.contextmanager
def _translated(path: str, where: str | None = None) -> Iterator[None]:
    """Turn what fiona raises into errors of spl-gis."""
    from fiona._err import CPLE_BaseError
    from fiona.errors import AttributeFilterError, DriverIOError, FionaError, UnsupportedGeometryTypeError

    try:
        yield
    except (FormatError, OptionError):
        raise
    except OverflowError as error:  # a column of 64-bit integers after one of 32 bits is written as 32 bits
        raise FormatError(
            "fiona cannot write these large integers: use --engine pyogrio", path=path
        ) from error
    except (FionaError, CPLE_BaseError, DriverIOError, UnsupportedGeometryTypeError, ValueError) as error:
        if where is not None or isinstance(error, AttributeFilterError):
            raise OptionError(
                f"--where {where!r} is not a condition that GDAL understands: {error}"
            ) from error
        raise FormatError(f"fiona cannot do this (--engine pyogrio may): {error}", path=path) from error
