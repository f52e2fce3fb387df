"""Arrow arrays to columns of features and back, with arro3."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError
from ..model import Bools, Column, Ints
from ..report import Report

NUMBERS = {
    ("Integer", "None"): np.int32,
    ("Integer", "Boolean"): np.bool_,
    ("Integer", "Int16"): np.int32,
    ("Integer64", "None"): np.int64,
    ("Real", "None"): np.float64,
    ("Real", "Float32"): np.float32,
}
"""numpy types of columns of numbers, by OGR type and subtype."""


def to_column(array: Any, field: Any, kind: str, subtype: str, *, fid: Ints, report: Report) -> Column:
    """Make a column of one Arrow array.

    Parameters
    ----------
    array, field : arro3.core.Array, arro3.core.Field
        The values, and the metadata that GDAL gives them.
    kind, subtype : str
        OGR field type and subtype.
    fid : ndarray
        Feature ids, for messages.
    report : Report
        Told about text that is cut in the middle of a character.
    """
    from arro3.core import DataType

    width = int(field.metadata_str.get("GDAL:OGR:width", 0))
    dtype = NUMBERS.get((kind, subtype))
    if dtype is not None:
        values, null = _filled(array, 0)
        return Column(values.astype(dtype), null, kind, subtype, width)
    if DataType.is_date32(array.type):
        days, null = _filled(_as_int32(array), 0)
        values = days.astype("datetime64[D]").astype(str).astype(object)
    elif DataType.is_time32(array.type):
        milliseconds, null = _filled(_as_int32(array), 0)
        clock = milliseconds.astype("datetime64[ms]").astype(str)
        values = iso(np.array([text[11:] for text in clock.tolist()], object))
    elif DataType.is_string(array.type) or DataType.is_large_string(array.type):
        values, null = _texts(array, field.name, fid, report)
        values = iso(values) if kind in ("DateTime", "Time") else values
    else:
        values, null = _filled(array, b"" if kind == "Binary" else ())
    return Column(values, null, kind, subtype, width)


def _as_int32(array: Any) -> Any:
    from arro3.core import DataType

    return array.cast(DataType.int32())


def _filled(array: Any, blank: Any) -> tuple[NDArray[Any], Bools]:
    """Give the values of an Arrow array, `blank` where there are none, and where that is."""
    from arro3.core import DataType

    if array.null_count == 0 and not DataType.is_nested(array.type):
        return array.to_numpy(), np.zeros(len(array), bool)
    items = array.to_pylist()
    null = np.array([item is None for item in items], bool)
    values = np.empty(len(items), object)
    values[:] = [blank if item is None else item for item in items]
    return values, null


def _texts(array: Any, name: str, fid: Ints, report: Report) -> tuple[NDArray[Any], Bools]:
    """Give the text of an Arrow array, after a look whether it is text: arro3 believes what it is told."""
    from arro3.core import DataType

    raw = array.cast(DataType.binary())
    if raw.cast(DataType.utf8()).null_count == array.null_count:  # what is no UTF-8 becomes null here
        return _filled(array, "")
    blobs, null = _filled(raw, b"")
    values = np.empty(len(blobs), object)
    values[:] = [_decoded(blob, name, number) for blob, number in zip(blobs, fid)]
    cut = [text.encode() != blob for text, blob in zip(values, blobs)]
    report.repair(
        fid[cut], f"the text of column {name!r} ended in the middle of a character, which was left out"
    )
    return values, null


def _decoded(blob: bytes, name: str, fid: int) -> str:
    """Decode UTF-8 that may be cut in the middle of its last character, as fixed-width fields may be."""
    try:
        return blob.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return blob[: error.start].decode()
        raise FormatError(
            f"the text {blob!r} of column {name!r} is not in the encoding that the file claims: "
            "pass --encoding, such as --encoding ISO-8859-1 or CP1251",
            location=f"feature {fid}",
        ) from None


def iso(values: NDArray[Any]) -> NDArray[Any]:
    """Write times one way: no zeros at the end of the fraction of a second, Z for UTC."""
    text = "\n".join(values.tolist())
    text = re.sub(r"(\.\d*?)0+(?=[Z+\-\n]|$)", r"\1", text)
    text = re.sub(r"\.(?=[Z+\-\n]|$)", "", text).replace("+00:00", "Z")
    clean = np.empty(len(values), object)
    clean[:] = text.split("\n") if len(values) else []
    return clean


def from_column(column: Column, name: str) -> tuple[Any, Any]:
    """Make an Arrow array of one column, and the field with what GDAL wants to know about it."""
    from arro3.core import DataType, Field

    array = _array(column, name)
    metadata = {}
    if column.type == "DateTime":
        metadata["GDAL:OGR:type"] = "DateTime"
    if column.width and column.type == "String":
        metadata["GDAL:OGR:width"] = str(column.width)
    if column.subtype == "JSON":
        metadata["ARROW:extension:name"] = "arrow.json"
    elif column.subtype != "None":
        metadata["GDAL:OGR:subtype"] = column.subtype
    assert isinstance(array.type, DataType)  # nosec B101  # for mypy
    return array, Field(name, array.type, nullable=True, metadata=metadata)


def _array(column: Column, name: str) -> Any:
    from arro3.core import Array, DataType

    kinds = {
        "Integer": {"Boolean": DataType.bool(), "Int16": DataType.int16()}.get(
            column.subtype, DataType.int32()
        ),
        "Integer64": DataType.int64(),
        "Real": DataType.float32() if column.subtype == "Float32" else DataType.float64(),
        "Binary": DataType.binary(),
    }
    if column.type.endswith("List"):
        return _list_array(column)
    if column.type in ("Date", "Time"):
        return _time_array(column, name)
    items = column.values.astype(object)
    items[column.null] = None
    return Array(items.tolist(), kinds.get(column.type, DataType.utf8()))


def _time_array(column: Column, name: str) -> Any:
    from arro3.core import Array, DataType

    date = column.type == "Date"
    texts = [
        None if null else text if date else f"1970-01-01T{text}"
        for text, null in zip(column.values, column.null)
    ]
    try:
        times = np.array(
            ["NaT" if text is None else text for text in texts], "datetime64[D]" if date else "datetime64[ms]"
        )
    except ValueError as error:
        raise FormatError(
            f"column {name!r} has a {column.type.lower()} that is not ISO 8601: {error}"
        ) from error
    numbers = times.astype(np.int64).astype(object)
    numbers[column.null] = None
    return Array(numbers.tolist(), DataType.int32()).cast(
        DataType.date32() if date else DataType.time32("ms")
    )


def _list_array(column: Column) -> Any:
    from arro3.core import Array, DataType, list_array

    kinds = {
        "IntegerList": DataType.int32(),
        "Integer64List": DataType.int64(),
        "RealList": DataType.float64(),
    }
    lists = [() if null else items for items, null in zip(column.values, column.null)]
    offsets = np.append(0, np.cumsum([len(items) for items in lists])).astype(np.int32)
    values = Array([item for items in lists for item in items], kinds.get(column.type, DataType.utf8()))
    return list_array(
        Array.from_numpy(offsets), values, mask=Array.from_numpy(np.ascontiguousarray(column.null))
    )
