"""The first engine: GDAL through pyogrio's Arrow stream, in both directions."""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FileAccessError, FormatError, GeoreferenceError, OptionError
from ..model import Column, Ints
from ..report import Report
from ._arrow import from_column, to_column
from ._geometry import CURVED, codes, from_wkb, joined
from ._layer import ARC_STEP, READ_OPTIONS, LayerInfo, Output, Query, RawLayer

_ROWS = 1 << 12
"""Geometries that are objects of Python and GEOS at a time."""

ID_COLUMN = "OGC_FID"
"""What GDAL takes as the feature id in an Arrow table, unless the layer has an id column with a name."""


WRITES_IDS = True


def drivers() -> dict[str, str]:
    """Give the drivers of this build of GDAL, and whether each reads (r) and writes (w)."""
    import pyogrio

    return dict(pyogrio.list_drivers())


def layers(path: str) -> list[LayerInfo]:
    """List the layers of a file, without counting their features."""
    import pyogrio

    with _translated(path), _gdal(Report()):
        return [LayerInfo(str(name), str(kind or ""), -1) for name, kind in pyogrio.list_layers(path)]


def count(path: str, layer: str, *, slow: bool) -> int:
    """Count the features of a layer; -1 when that would be slow and `slow` is false."""
    import pyogrio

    with _translated(path), _gdal(Report()):
        return int(pyogrio.read_info(path, layer=layer, force_feature_count=slow)["features"])


def extent(path: str, layer: str) -> tuple[str | None, tuple[float, float, float, float]]:
    """Give the CRS of a layer and where it lies: least x and y, greatest x and y."""
    import pyogrio

    with _translated(path), _gdal(Report()):
        info = pyogrio.read_info(path, layer=layer, force_total_bounds=True)
    x0, y0, x1, y1 = map(float, info["total_bounds"])
    return info["crs"], (x0, y0, x1, y1)


def read(query: Query, report: Report) -> RawLayer:
    """Read one layer."""
    from arro3.core import RecordBatchReader
    from pyogrio.raw import open_arrow

    with _translated(query.path, query.where), _gdal(report):
        with open_arrow(query.path, return_fids=True, datetime_as_string=True, **_limits(query)) as (
            meta,
            stream,
        ):
            table = RecordBatchReader.from_arrow(stream).read_all().combine_chunks()
        # by position, because an attribute may be called like the id or the geometry
        fields = [table.schema.field(at) for at in range(table.num_columns)]
        geometry = max(at for at, field in enumerate(fields) if _is_geometry(field))
        key = [field.name for field in fields].index(meta["fid_column"])
        rest = [at for at in range(len(fields)) if at not in (geometry, key)]
        fid = _array(table, key).to_numpy().astype(np.int64)
        columns = {}
        for at, name, kind, subtype in zip(rest, meta["fields"], meta["ogr_types"], meta["ogr_subtypes"]):
            array = _array(table, at)
            columns[str(name)] = to_column(array, fields[at], kind[3:], subtype[4:], fid=fid, report=report)
        array, rows = _array(table, geometry), _once(fid, meta["fid_column"])
        if rows is not None:
            columns = {name: column.take(rows) for name, column in columns.items()}
        rows = np.arange(len(fid)) if rows is None else rows
        fid = fid[rows]
        some = [slice(start, start + _ROWS) for start in range(0, max(len(rows), 1), _ROWS)]
        shapes = [from_wkb(_straight(query, fid[part], _blobs(array, rows[part]), report)) for part in some]
        crs = _crs(meta["crs"], fields[geometry])

    def geometries(wanted: Ints) -> NDArray[Any]:
        with _translated(query.path, query.where), _gdal(Report()):
            return _straight(query, fid[wanted], _blobs(array, rows[wanted]), Report())

    return RawLayer(fid, columns, joined(shapes), crs, geometries)


def _once(fid: Ints, column: str) -> Ints | None:
    """Give the rows to keep, None = all: GDAL repeats features when a GeoPackage counts more than it has."""
    if column == ID_COLUMN or (fid[1:] > fid[:-1]).all():  # only a key of the file is surely unique
        return None
    return np.sort(np.unique(fid, return_index=True)[1])


def _limits(query: Query) -> dict[str, Any]:
    return {"layer": query.layer, "where": query.where, "bbox": query.bbox, "encoding": query.encoding}


def _is_geometry(field: Any) -> bool:
    return str(field.metadata_str.get("ARROW:extension:name", "")).endswith(".wkb")


def _array(table: Any, at: int) -> Any:
    """Give a column as one Arrow array; a table without rows has no chunks."""
    return table.column(at).combine_chunks()


def _blobs(array: Any, rows: Ints) -> NDArray[Any]:
    """Give some rows of a column of geometries, in a run or one by one, as bytes."""
    run = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1
    parts = [array.slice(int(rows[0]), len(rows))] if run else [array.slice(int(row), 1) for row in rows]
    blobs = np.empty(len(rows), object)
    blobs[:] = [blob for part in parts for blob in (part.to_pylist() if part.null_count else part.to_numpy())]
    return blobs


def _straight(query: Query, fid: Ints, wkb: NDArray[Any], report: Report) -> NDArray[Any]:
    """Replace geometries with curves: GDAL's Arrow stream keeps them, its other way linearises."""
    from pyogrio.raw import read as read_rows

    code, _ = codes(wkb)
    curved = np.isin(code, CURVED)
    if not curved.any():
        return wkb
    _, found, straight, _ = read_rows(query.path, layer=query.layer, fids=fid[curved], return_fids=True)
    order = np.argsort(found)
    wkb = wkb.copy()
    wkb[curved] = straight[order[np.searchsorted(found, fid[curved], sorter=order)]]
    report.repair(fid[curved], f"GDAL made its curves straight, one vertex every {ARC_STEP} degrees of arc")
    return wkb


def _crs(text: Any, field: Any) -> str:
    """Give the CRS as authority code, else PROJJSON: GDAL's WKT 1 loses what it cannot say."""
    if text and re.fullmatch(r"\w+:\w+", text):
        return str(text)
    metadata = json.loads(field.metadata_str.get("ARROW:extension:metadata") or "{}")
    projjson = metadata.get("crs")
    return json.dumps(projjson) if projjson else str(text or "")


def write(output: Output, report: Report) -> None:
    """Write one layer to a new file."""
    from arro3.core import Array, DataType, Field, Schema, Table
    from pyogrio.raw import write_arrow

    arrays, fields = [], []
    if output.fid is not None:
        arrays.append(Array.from_numpy(np.ascontiguousarray(output.fid)))
        fields.append(Field(_id_name(output.driver), DataType.int64(), nullable=False))
    for name, column in output.columns.items():
        array, field = from_column(column, name)
        arrays.append(array)
        fields.append(field)
    geometry = _free("wkb_geometry", output.columns)
    arrays.append(Array(output.wkb.tolist(), DataType.binary()))
    fields.append(Field(geometry, DataType.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"}))
    table = Table.from_arrays(arrays, schema=Schema(fields))
    with _translated(output.path), _gdal(report):
        write_arrow(
            table,
            output.path,
            layer=output.layer,
            driver=output.driver,
            geometry_name=geometry,
            geometry_type=output.geometry,
            crs=output.crs or None,
            encoding="UTF-8",
            dataset_options=dict(output.dataset_options),
            layer_options=dict(output.layer_options),
        )


def schema(path: str, layer: str) -> dict[str, tuple[str, str]]:
    """Give the OGR type and subtype of each field of a layer."""
    import pyogrio

    with _translated(path), _gdal(Report()):
        info = pyogrio.read_info(path, layer=layer)
    return {
        str(name): (kind[3:], subtype[4:])
        for name, kind, subtype in zip(info["fields"], info["ogr_types"], info["ogr_subtypes"])
    }


def reserved(driver: str) -> tuple[str, ...]:
    """Give the column names that mean something else to GDAL."""
    return ("fid", "geom") if driver == "GPKG" else (ID_COLUMN,)


def _id_name(driver: str) -> str:
    return "fid" if driver == "GPKG" else ID_COLUMN


def _free(name: str, taken: Mapping[str, Column]) -> str:
    while name in {other.casefold() for other in taken}:
        name += "_"
    return name


@contextlib.contextmanager
def _gdal(report: Report) -> Iterator[None]:
    """Set GDAL's options for the time of the block, and hand its warnings to the report."""
    import pyogrio

    before = {name: pyogrio.get_gdal_config_option(name) for name in READ_OPTIONS}
    pyogrio.set_gdal_config_options(READ_OPTIONS)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield
    finally:
        pyogrio.set_gdal_config_options(before)
        for warning in said:
            _say(str(warning.message), report)


def _say(message: str, report: Report) -> None:
    if "Measured (M)" in message:
        report.note("the geometries have measures (M), which are left out")
    elif "'crs' was not provided" not in message:
        report.warn(f"GDAL: {message}")


@contextlib.contextmanager
def _translated(path: str, where: Any = None) -> Iterator[None]:
    """Turn what pyogrio raises into errors of spl-gis."""
    from pyogrio.errors import CRSError, DataLayerError, DataSourceError

    try:
        yield
    except (FormatError, OptionError, FileAccessError):
        raise
    except CRSError as error:
        raise GeoreferenceError(
            f"{path} says in which CRS it is, but GDAL cannot read that ({error}): mend it, for a shapefile "
            "remove the .prj, and pass --source-crs"
        ) from error
    except (DataSourceError, DataLayerError, ValueError) as error:
        if "Invalid SQL" in str(error):
            raise _bad_where(where, error) from error
        raise FormatError(f"GDAL cannot do this: {error}", path=path) from error
    except Exception as error:
        if type(error) is not Exception:  # arro3 raises a plain Exception for what happens inside a stream
            raise
        if where is not None:
            raise _bad_where(where, error) from error
        raise FormatError(f"GDAL stopped: {error}", path=path) from error


def _bad_where(where: Any, error: Exception) -> OptionError:
    reason = str(error).replace("C Data interface error: ", "")
    return OptionError(f"--where {where!r} is not a condition that GDAL understands: {reason}")
