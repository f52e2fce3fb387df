"""Lines from and to every GIS format that GDAL knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
from pyproj import CRS

from .. import doubts
from ..errors import FormatError, GeoreferenceError, MissingDependencyError, OptionError
from ..model import Bools, Features, LineStrings, Points
from ..report import Progress, Report, silent
from . import _fiona, _pyogrio
from ._faults import Look, look
from ._geometry import KINDS, Shapes, check, points_from_wkb
from ._layer import LayerInfo, Query, RawLayer
from ._osm import own_columns
from ._source import PathLike, gdal_path, text_encoding
from ._write import write_layers

ENGINES: dict[str, ModuleType] = {"pyogrio": _pyogrio, "fiona": _fiona}
"""What reads and writes: pyogrio (fast, complete) or fiona."""

OSM_LAYERS = ["points", "lines", "multilinestrings", "multipolygons", "other_relations"]
"""Layers that GDAL makes of OpenStreetMap data."""

NO_PLACE = "none"
"""`source_crs` of coordinates that are nowhere on Earth."""


def layers(path: PathLike, *, engine: str = "pyogrio") -> list[LayerInfo]:
    """List the layers of a file as (name, geometry type, number of features or -1)."""
    machine, source = machine_of(engine), gdal_path(path)
    return [
        info._replace(features=machine.count(source, info.name, slow=False))
        for info in machine.layers(source)
    ]


def read(
    path: PathLike,
    *,
    layer: str | None = None,
    where: str | None = None,
    bbox: Sequence[float] | None = None,
    encoding: str | None = None,
    source_crs: str | None = None,
    engine: str = "pyogrio",
    report: Report | None = None,
    progress: Progress = silent,
) -> LineStrings:
    """Read the lines of one layer.

    Parameters
    ----------
    path : path-like
        A file that GDAL reads; also inside .zip or .gz.
    layer : str, optional
        Name of the layer; needed when several could hold lines (of OpenStreetMap, `lines` is read).
    where : str, optional
        Condition on attributes in GDAL's SQL.
    bbox : four floats, optional
        Only features that touch x0, y0, x1, y1, in the layer's CRS.
    encoding : str, optional
        Encoding of the text of a shapefile that does not say it, or says it wrong.
    source_crs : str, optional
        CRS of the coordinates, instead of what the file says; "none" = nowhere on Earth.
    engine : str
        A key of `ENGINES`.
    report : Report, optional
        Told what was chosen, assumed, refused and repaired, and when coordinates do not fit their CRS.
    progress : callable, optional
        Told how far it is.

    Returns
    -------
    LineStrings
        x east, y north (longitude, latitude), whatever the axis order of the CRS; M values are dropped.

    Raises
    ------
    FileAccessError, FormatError, OptionError, GeoreferenceError, MissingDependencyError
        As sentences that say what to do.
    """
    said = Report()
    progress(0.0, f"reading {Path(path).name}")
    query, raw, crs = raw_layer(
        path, layer, said, where=where, bbox=bbox, encoding=encoding, source_crs=source_crs, engine=engine
    )
    progress(0.7, "sorting out lines")
    lines = _lines(raw, look(path, query, raw, said), query.layer, crs, said)
    doubts.about_lines(lines, said)
    if report is not None:
        report.add(said, query.layer)
    progress(1.0, f"{len(lines)} lines read")
    return lines


def raw_layer(
    path: PathLike,
    layer: str | None,
    report: Report,
    *,
    where: str | None = None,
    bbox: Sequence[float] | None = None,
    encoding: str | None = None,
    source_crs: str | None = None,
    engine: str = "pyogrio",
) -> tuple[Query, RawLayer, CRS | None]:
    """Give what `read` was asked for, the layer as GDAL has it, with nothing left out yet, and its CRS."""
    machine = machine_of(engine)
    source = gdal_path(path)
    _check_readable(machine, source)
    name, osm = _layer_name(machine, source, layer, report)
    text = text_encoding(path, source, encoding, report)
    query = Query(source, name, where, _box(bbox), text, placed=source_crs is not None)
    raw = machine.read(query, report)
    columns = own_columns(dict(raw.columns)) if osm else raw.columns
    return query, replace(raw, columns=columns), _crs(raw.crs, source_crs, path, report)


def extent(
    path: PathLike, *, layer: str | None = None, source_crs: str | None = None, engine: str = "pyogrio"
) -> tuple[CRS | None, tuple[float, float, float, float]]:
    """Give the CRS of a layer, and least x and y, greatest x and y of its features, without reading these.

    Raises
    ------
    FileAccessError, FormatError, OptionError, GeoreferenceError, MissingDependencyError
        As sentences that say what to do.
    """
    machine, source = machine_of(engine), gdal_path(path)
    _check_readable(machine, source)
    name, _ = _layer_name(machine, source, layer, Report())
    text, box = machine.extent(source, name)
    if not np.isfinite(box).all():
        raise FormatError("the layer does not say where it lies: it has no features with a place", path=path)
    return _crs(text or "", source_crs, path, Report()), box


def read_points(
    path: PathLike,
    layer: str,
    *,
    source_crs: str | None = None,
    engine: str = "pyogrio",
    report: Report | None = None,
) -> Points:
    """Read the points of one layer, as `read` reads lines; what is no finite point is refused.

    Raises
    ------
    FileAccessError, FormatError, GeoreferenceError, MissingDependencyError
        As sentences that say what to do.
    """
    said = Report()
    query, raw, crs = raw_layer(path, layer, said, source_crs=source_crs, engine=engine)
    coords = points_from_wkb(raw.geometries(np.arange(len(raw.fid))))
    good = np.isfinite(coords[:, :2]).all(axis=1) & ~np.isinf(coords[:, 2])
    said.refuse(raw.fid[~good], "not a point with finite coordinates")
    if report is not None:
        report.add(said, query.layer)
    features = Features(raw.fid, raw.columns, query.layer).take(np.flatnonzero(good))
    return Points(coords[good], features, crs)


def write(
    data: LineStrings | Points | Sequence[LineStrings | Points],
    path: PathLike,
    *,
    layer: str | None = None,
    engine: str = "pyogrio",
    overwrite: bool = False,
    report: Report | None = None,
) -> None:
    """Write lines; all lines of one feature become one geometry, in the order of the features.

    Parameters
    ----------
    data : LineStrings, Points, or several of them
        What to write, in its own CRS; several become layers of one file. Features without lines are left out.
    path : path-like
        File whose suffix says the format; it appears whole or not at all.
    layer : str, optional
        Name of the (first) layer; default: that of the features, else of the file.
    engine : str
        A key of `ENGINES`.
    overwrite : bool
        Replace an existing file.
    report : Report, optional
        Told what the format cannot hold.

    Raises
    ------
    FileAccessError, FormatError, MissingDependencyError, OptionError
        As sentences that say what to do.
    """
    report = Report() if report is None else report
    layers_ = [data] if isinstance(data, (LineStrings, Points)) else list(data)
    names = [layer, *[None] * (len(layers_) - 1)]
    write_layers(layers_, Path(path), names, machine_of(engine), overwrite=overwrite, report=report)


def machine_of(name: str) -> ModuleType:
    """Give the module of an engine, when it is installed."""
    if name not in ENGINES:
        raise OptionError(f"there is no engine {name!r}: use one of {', '.join(ENGINES)}")
    try:
        __import__(name)
    except ImportError as error:
        other = ", ".join(sorted(set(ENGINES) - {name}))
        message = f"the engine {name} is not installed ({error}): pip install {name}, or use --engine {other}"
        raise MissingDependencyError(message) from error
    return ENGINES[name]


def _box(bbox: Sequence[float] | None) -> tuple[float, float, float, float] | None:
    if bbox is None:
        return None
    box = np.array(bbox, float) if len(bbox) == 4 else np.full(4, np.nan)
    if not np.isfinite(box).all() or box[0] > box[2] or box[1] > box[3]:
        raise OptionError(f"a bbox is four numbers x0,y0,x1,y1 with x0 <= x1 and y0 <= y1, not {tuple(bbox)}")
    return (float(box[0]), float(box[1]), float(box[2]), float(box[3]))


def _check_readable(machine: ModuleType, source: str) -> None:
    """Refuse a GeoParquet file that GDAL has no driver for, where it would fail strangely."""
    if source.lower().endswith(("parquet", "parquet.gz")) and "Parquet" not in machine.drivers():
        raise FormatError(
            "this build of GDAL has no Parquet driver: install pyogrio and libgdal-arrow-parquet "
            "from conda-forge, or turn the file into a GeoPackage with QGIS",
            path=source,
        )


def _layer_name(machine: ModuleType, source: str, asked: str | None, report: Report) -> tuple[str, bool]:
    """Choose the layer to read, and tell whether it is one of OpenStreetMap's."""
    found = machine.layers(source)
    osm = [info.name for info in found] == OSM_LAYERS
    if asked is not None:
        if asked not in [info.name for info in found]:
            raise FormatError(f"there is no layer {asked!r}; there is {_listed(found)}", path=source)
        return asked, osm
    return ("lines" if osm else _only_layer(machine, source, found, report)), osm


def _only_layer(machine: ModuleType, source: str, found: list[LayerInfo], report: Report) -> str:
    """Give the only layer that can hold lines; empty ones do not count."""
    fit = [info for info in found if may_hold_lines(info)]
    if len(fit) > 1:  # only now is it worth counting, which is slow in some formats
        counted = [info._replace(features=machine.count(source, info.name, slow=True)) for info in fit]
        fit = [info for info in counted if info.features] or fit[:1]
    if not fit:
        raise FormatError(f"no layer holds lines; there is {_listed(found)}", path=source)
    if len(fit) > 1:
        raise FormatError(
            f"several layers may hold lines, choose one with --layer: {_listed(fit)}", path=source
        )
    if len(found) > 1:
        report.note(f"layer {fit[0].name!r} was read, the only one of {len(found)} that may hold lines")
    return fit[0].name


def may_hold_lines(info: LayerInfo) -> bool:
    """Tell whether lines can be in a layer, by its geometry type."""
    plain = info.geometry.replace("2.5D ", "").replace("3D ", "").split(" ")[0]
    surely_not = set(KINDS) - {"Geometry", "Curve", "CircularString", "CompoundCurve", "MultiCurve"}
    surely_not -= {"LineString", "MultiLineString", "GeometryCollection"}
    return bool(plain) and plain not in surely_not


def _listed(found: Sequence[LayerInfo]) -> str:
    def shown(info: LayerInfo) -> str:
        number = f", {info.features} features" if info.features >= 0 else ""
        return f"{info.name!r} ({info.geometry or 'no geometry'}{number})"

    return ", ".join(map(shown, found))


def _crs(text: str, asked: str | None, path: PathLike, report: Report) -> CRS | None:
    """Decide on the CRS: the asked one, else the file's."""
    from ..frames import parse_crs

    own = parse_crs(text) if text else None
    if own is not None and own.name.startswith("Undefined "):  # what GeoPackage says instead of nothing
        own = None
    if asked is None:
        if own is None:
            raise GeoreferenceError(
                f"{path} does not say in which coordinate reference system it is: pass --source-crs, "
                "such as --source-crs EPSG:25832, or --source-crs none when it is nowhere on Earth"
            )
        return own
    crs = None if asked.lower() == NO_PLACE else parse_crs(asked)
    if own is not None and crs == own:
        report.note(f"--source-crs {asked} is what the file says as well")
    elif own is not None:
        report.warn(f"--source-crs {asked} is used instead of the file's own {own.name}")
    else:
        report.note(f"the file has no CRS; --source-crs {asked} is used")
    return crs


def _lines(raw: RawLayer, found: Look, layer: str, crs: CRS | None, report: Report) -> LineStrings:
    """Check the shapes of a layer and make lines of them."""
    report.count("features read", len(found.hidden))
    return lines_of(found.shapes, Features(raw.fid, raw.columns, layer), crs, report, found.named)


def lines_of(
    shapes: Shapes, table: Features, crs: CRS | None, report: Report, named: Bools | None = None
) -> LineStrings:
    """Make lines of what any program gives of a layer: the lines in its geometries, and all its rows.

    What is no line is refused or mended, except where `named` says that the report already tells it.
    """
    report.count("features read", len(table))
    report.count("features refused", 0)
    good, part = check(shapes, table.fid, report, named)
    rows, feature = np.unique(good.row, return_inverse=True)
    report.count("lines read", len(part))
    if len(part) == 0:
        report.warn(f"no lines were read from layer {table.layer!r}")
    return LineStrings(good.coords, good.offsets, feature, part, table.take(rows), crs)
