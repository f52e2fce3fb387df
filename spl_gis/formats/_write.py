"""Lines to features of a format: geometries, names, ids and what the format cannot hold."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS
from pyproj.exceptions import CRSError

from ..errors import FileAccessError, FormatError, GeoreferenceError
from ..files import whole_file
from ..model import Bools, Column, Features, Ints, LineStrings, Points
from ..report import Report
from ._drivers import Driver, driver_for
from ._geometry import points_to_wkb, to_wkb
from ._layer import Output, Query


def write_layers(
    layers: Sequence[LineStrings | Points],
    path: Path,
    names: Sequence[str | None],
    machine: ModuleType,
    *,
    overwrite: bool,
    report: Report,
) -> None:
    """Write layers to the format that the suffix of `path` says; see `vector.write`."""
    driver = driver_for(path)
    if "w" not in machine.drivers().get(driver.name, ""):
        raise FormatError(
            f"this build of GDAL cannot write {driver.name}: choose another suffix or --engine", path=path
        )
    if len(layers) > 1 and not driver.layers:
        raise FormatError(f"{driver.name} holds one layer: write several to a .gpkg", path=path)
    outputs = [
        _output(layer, path, name, driver, machine=machine, report=report)
        for layer, name in zip(layers, names)
    ]
    if driver.sorts:
        report.note(f"{driver.name} sorts features for its spatial index: their order and ids are its own")
    with whole_file(path, overwrite=overwrite) as scratch:
        for number, output in enumerate(outputs):
            write_output(output, scratch, driver, machine, _rows(layers[number], driver), report)
            if driver.types is None:
                name = _written_layer(machine, scratch, number)
                _compare(output.columns, machine.schema(str(scratch), name), driver, report)
    for index in _OLD_INDICES if driver.name == "ESRI Shapefile" else ():
        path.with_suffix(index).unlink(missing_ok=True)
    report.count("features written", sum(len(output.wkb) for output in outputs))


def write_output(
    output: Output, scratch: Path, driver: Driver, machine: ModuleType, rows: int, report: Report
) -> None:
    """Write a layer of so many rows to `scratch`, and make sure that all of it is there."""
    path = Path(output.path)
    try:
        machine.write(replace(output, path=str(scratch)), report)
    except FormatError as error:
        reason = str(error).replace(f"{scratch}: ", "")
        raise FormatError(f"cannot write this: {reason[:300]}", path=path) from error
    if not scratch.exists():
        raise FormatError("GDAL wrote nothing", path=path)
    if not driver.tells:
        _read_again(machine, scratch, path, rows)


def _output(
    data: LineStrings | Points,
    path: Path,
    name: str | None,
    driver: Driver,
    *,
    machine: ModuleType,
    report: Report,
) -> Output:
    """Make of a layer what an engine writes."""
    if isinstance(data, Points):
        deep = not np.isnan(data.coords[:, 2]).all()
        features, wkb, geometry = (
            data.features,
            points_to_wkb(data.coords, deep),
            "Point Z" if deep else "Point",
        )
    else:
        features, wkb, geometry = _geometries(data, driver, report)
    named = replace(features, layer=name or features.layer or path.stem)
    return make_output(named, wkb, geometry, data.crs, path, machine=machine, report=report)


def make_output(
    features: Features,
    wkb: NDArray[Any],
    geometry: str,
    crs: CRS | None,
    path: Path,
    *,
    machine: ModuleType,
    report: Report,
) -> Output:
    """Make what an engine writes of rows with geometries; the layer is called as that of the features."""
    driver = driver_for(path)
    output = Output(
        path=str(path),
        layer=driver.layer or features.layer,
        driver=driver.name,
        geometry=geometry,
        wkb=wkb,
        columns=_columns(features.columns, driver, machine, report),
        fid=_ids(features, driver, machine, report),
        crs=crs_text(crs),
        dataset_options=driver.options,
        layer_options={**driver.layer_options, **_precision(driver, crs)},
    )
    _check_place(output.crs, driver, path, report)
    return output


def _geometries(lines: LineStrings, driver: Driver, report: Report) -> tuple[Features, NDArray[Any], str]:
    """Give the features that have lines, their geometries, and the geometry type of the layer."""
    order = np.lexsort([lines.part, lines.feature])
    rows, row = np.unique(lines.feature[order], return_inverse=True)
    single = _single(lines, order, row, driver, report)
    deep = not lines.planar
    wkb = to_wkb(_without_blanks(lines, driver, report), order, row, single, deep)
    return lines.features.take(rows), wkb, _layer_type(single, deep, driver)


_OLD_INDICES = (".qix", ".sbn", ".sbx")
"""Indices of the shapefile that was replaced: readers would look for the new lines in the old places."""


def _rows(data: LineStrings | Points, driver: Driver) -> int:
    """Give how many rows a layer has in a file."""
    if isinstance(data, Points) or driver.name == "DXF":
        return len(data)
    return len(np.unique(data.feature))


def _read_again(machine: ModuleType, scratch: Path, path: Path, wanted: int) -> None:
    """Make sure that all features are in a file, because GDAL keeps the disk's errors to itself."""
    try:
        query = Query(str(scratch), _written_layer(machine, scratch, 0))
        found = len(machine.read(query, Report()).fid)
    except FormatError:
        found = 0
    if found != wanted:
        raise FileAccessError(f"cannot write {path}: {found} of {wanted} features arrived; is the disk full?")


def _written_layer(machine: ModuleType, path: Path, number: int) -> str:
    return str(machine.layers(str(path))[number].name)


def _check_place(crs: str, driver: Driver, path: Path, report: Report) -> None:
    """Say what a format cannot tell about the CRS; a wrong place is an error."""
    if driver.place in ("code", "name") and ":" not in crs[:12] and crs:
        raise GeoreferenceError(
            f"{path.name}: {driver.name} names a CRS by its code, and this one has none: "
            "write another format, such as .gpkg, or transform to a CRS with a code"
        )
    if driver.place == "wkt1" and crs and not _in_wkt1(crs):
        raise GeoreferenceError(
            f"{path.name}: {driver.name} cannot hold the CRS of a scene: write another format, such as "
            ".gpkg, or transform to an ordinary CRS (--to-crs EPSG:...)"
        )
    if crs and not driver.place:
        report.warn(f"{driver.name} files cannot say in which CRS they are: keep in mind {crs[:60]}")
    if not crs and driver.place in ("code", "wgs84"):
        report.warn(f"the lines have no CRS, but every reader will take {path.name} for WGS 84")
    elif not crs:
        report.note(f"{path.name} does not say where it is: the lines have no CRS")


def _single(lines: LineStrings, order: Ints, row: Ints, driver: Driver, report: Report) -> Bools:
    """Tell which features become a LineString: those with one line that was one, if the format mixes."""
    alone = np.bincount(row) == 1
    single = alone & (np.bincount(row, weights=lines.part[order] < 0) == 1)
    if not driver.mixed and not single.all() and single.any():
        report.note(
            f"{driver.name} has one geometry type per layer: all lines are written as MultiLineString"
        )
        return np.zeros(len(single), bool)
    return np.asarray(single)


def _layer_type(single: Bools, deep: bool, driver: Driver) -> str:
    if single.all() or driver.name == "ESRI Shapefile":
        kind = "LineString"
    else:
        kind = "Unknown" if single.any() else "MultiLineString"
    return f"{kind} Z" if deep and kind != "Unknown" else kind


def _without_blanks(lines: LineStrings, driver: Driver, report: Report) -> LineStrings:
    """Give missing heights among others the value 0, and say so, where the format has none."""
    blank = np.isnan(lines.coords[:, 2])
    if lines.planar or driver.blank_heights or not blank.any():
        return lines
    report.warn(f"{blank.sum()} vertices have no height, which {driver.name} cannot say: height 0 is written")
    return replace(lines, coords=np.nan_to_num(lines.coords))


def _columns(
    columns: Mapping[str, Column], driver: Driver, machine: ModuleType, report: Report
) -> dict[str, Column]:
    """Rename columns whose names mean something else to the format, and leave out what cannot be there."""
    if driver.types == ():
        if columns:
            report.warn(f"{driver.name} files hold no attributes: {', '.join(columns)} are left out")
        return {}
    taken = {name.casefold() for name in machine.reserved(driver.name)}
    names = {name.casefold() for name in columns}
    renamed = {}
    for name, column in columns.items():
        new, number = name, 0
        while new.casefold() in taken or (number and new.casefold() in names):
            number += 1
            new = f"{name}_{number}"
        if new != name:
            report.warn(f"column {name!r} is written as {new!r}: its name is taken in {driver.name}")
        taken.add(new.casefold())
        renamed[new] = column
    changed = [
        name for name, column in renamed.items() if driver.types and _label(column) not in driver.types
    ]
    if changed:
        report.warn(f"{driver.name} cannot hold the types of {', '.join(changed)}: they are written as text")
    return renamed


def _label(column: Column) -> str:
    return column.type if column.subtype == "None" else column.subtype


def _ids(features: Features, driver: Driver, machine: ModuleType, report: Report) -> Ints | None:
    """Give the feature ids to write, None when the driver numbers them."""
    if not driver.ids or not machine.WRITES_IDS or len(features) == 0:
        return None
    fid = features.fid
    if fid.min() < 0 or len(np.unique(fid)) < len(fid):
        report.note("the feature ids are not unique: the file numbers its features anew")
        return None
    return fid


def crs_text(crs: CRS | None) -> str:
    """Give a CRS as an authority code if it is one, else as WKT2; "" for none."""
    if crs is None:
        return ""
    identity = crs.to_json_dict().get("id")
    if identity:
        return f"{identity['authority']}:{identity['code']}"
    return str(crs.to_wkt("WKT2_2019"))


def _in_wkt1(crs: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of older pyproj; newer ones raise
        try:
            return bool(CRS.from_user_input(crs).to_wkt("WKT1_ESRI"))
        except CRSError:
            return False


def _precision(driver: Driver, crs: CRS | None) -> dict[str, str]:
    """Give the decimals of coordinates in text: 1e-6 m or better."""
    if not driver.name.startswith("GeoJSON"):
        return {}
    degrees = driver.place == "wgs84" or (crs is not None and crs.is_geographic)
    return {"COORDINATE_PRECISION": "11" if degrees else "6"}


def _compare(
    wanted: Mapping[str, Column], written: dict[str, tuple[str, str]], driver: Driver, report: Report
) -> None:
    """Say which columns have another name or type in the file than they should have."""
    names = [name for name in written if name != "gml_id" or name in wanted]
    if len(names) < len(wanted):
        missing = ", ".join(name for name in wanted if name not in written)
        report.warn(f"{driver.name} left out columns: {missing}")
        return
    renamed = [f"{old} -> {new}" for old, new in zip(wanted, names) if old != new]
    if renamed:
        report.warn(f"{driver.name} has other names for columns: {', '.join(renamed)}")
    changed = []
    for (name, column), new in zip(wanted.items(), names):
        kind, subtype = written[new]
        if (kind, subtype) != (column.type, column.subtype):
            now = kind if subtype == "None" else subtype
            changed.append(f"{name} ({_label(column)} -> {now})")
    if changed:
        report.warn(f"{driver.name} has other types for columns: {', '.join(changed)}")
