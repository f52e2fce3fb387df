"""Fields of QGIS to columns of the core, and back."""

from __future__ import annotations

import base64
import functools
import json

import numpy as np
from qgis.core import Qgis, QgsField, QgsFields
from qgis.PyQt.QtCore import QByteArray, QDate, QDateTime, QMetaType, Qt, QTime, QVariant

from ..spl_gis.model import Column, Features

BOOL, INT, UINT, LONG, ULONG, DOUBLE, FLOAT = 1, 2, 3, 4, 5, 6, 38
MAP, LIST, TEXT, TEXTS, BYTES, DATE, TIME, DATETIME = 8, 9, 10, 11, 12, 14, 15, 16
"""Numbers of types: the same in QVariant.Type (Qt 5) and QMetaType.Type (Qt 6)."""

NUMBERS = {
    BOOL: ("Integer", "Boolean", np.bool_),
    INT: ("Integer", "None", np.int32),
    UINT: ("Integer64", "None", np.int64),
    LONG: ("Integer64", "None", np.int64),
    ULONG: ("Integer64", "None", np.int64),
    DOUBLE: ("Real", "None", np.float64),
    FLOAT: ("Real", "Float32", np.float32),
}
"""OGR type, subtype and numpy type of the types that are numbers."""

OTHERS = {
    TEXT: ("String", "None"),
    MAP: ("String", "JSON"),
    TEXTS: ("StringList", "None"),
    BYTES: ("Binary", "None"),
    DATE: ("Date", "None"),
    TIME: ("Time", "None"),
    DATETIME: ("DateTime", "None"),
}
"""OGR type and subtype of the others but lists."""

LISTS = {INT: "IntegerList", LONG: "Integer64List", DOUBLE: "RealList"}
"""OGR types of lists, by the type of their items."""


def number_of(kind):
    """Give the number of a type, which is an enum of Qt 5 or of Qt 6."""
    return int(getattr(kind, "value", kind))


def columns_of(fields, values):
    """Make columns of fields.

    Parameters
    ----------
    fields : QgsFields
        The fields.
    values : list of list
        The attributes of each feature.

    Returns
    -------
    dict of str to Column
        In the order of the fields.
    """
    by_field = zip(*values) if values else [()] * len(fields)
    return {field.name(): _column(field, list(items)) for field, items in zip(fields, by_field)}


def _column(field, items):
    kind = number_of(field.type())
    null = np.fromiter((item is None or isinstance(item, QVariant) for item in items), bool, len(items))
    if kind in NUMBERS:
        ogr, subtype, dtype = NUMBERS[kind]
        numbers = np.array([0 if gone else item for item, gone in zip(items, null.tolist())], dtype)
        return Column(numbers, null, ogr, subtype)
    ogr, subtype = OTHERS.get(kind, ("String", "None"))
    if kind == LIST:
        ogr = LISTS.get(number_of(field.subType()), "StringList")
    things = np.empty(len(items), object)
    things[:] = [_blank(ogr) if gone else _plain(item, ogr) for item, gone in zip(items, null.tolist())]
    return Column(things, null, ogr, subtype, field.length() if ogr == "String" else 0)


def _blank(ogr):
    return b"" if ogr == "Binary" else () if ogr.endswith("List") else ""


def _plain(item, ogr):
    """Give a value as the core keeps it: dates and times as ISO 8601."""
    if isinstance(item, QDate):
        return item.toString(Qt.DateFormat.ISODate)
    if isinstance(item, (QTime, QDateTime)):
        return _short(item.toString(Qt.DateFormat.ISODateWithMs))
    if isinstance(item, QByteArray):
        return bytes(item)
    if ogr.endswith("List"):
        return list(item)
    if ogr == "String" and not isinstance(item, str):
        return json.dumps(item, ensure_ascii=False, default=str)
    return item


def _short(text):
    """Leave out zeros at the end of the fraction of a second."""
    head, _, tail = text.partition(".")
    digits = tail[:3].rstrip("0")
    return f"{head}{'.' if digits else ''}{digits}{tail[3:]}"


def fields_of(features: Features):
    """Make the fields of a table."""
    fields = QgsFields()
    for name, column in features.columns.items():
        fields.append(field(name, *_kind(column), length=column.width if column.type == "String" else 0))
    return fields


def field(name, kind, items=0, length=0):
    """Make a field of a type, given by its number; QGIS takes the enum of Qt 6 from 3.38 on."""
    enum = QMetaType.Type if Qgis.QGIS_VERSION_INT >= 33800 else QVariant.Type  # noqa: QGS402 (older)
    names = {LIST: "List", MAP: "JSON"}
    return QgsField(name, enum(kind), names.get(kind, ""), length, 0, "", enum(items))


def _kind(column):
    """Give the number of a column's type, and of its items."""
    for kind, (ogr, subtype, _) in NUMBERS.items():
        if (column.type, column.subtype) == (ogr, subtype) and kind not in (UINT, FLOAT):
            return kind, 0
    if column.type.startswith("Integer") and not column.type.endswith("List"):
        return (INT if column.type == "Integer" else LONG), 0
    if column.type == "Real":
        return DOUBLE, 0
    for kind, (ogr, subtype) in OTHERS.items():
        if (column.type, column.subtype) == (ogr, subtype):
            return kind, TEXT if kind in (TEXTS, MAP) else 0
    for kind, ogr in LISTS.items():
        if column.type == ogr:
            return LIST, kind
    return TEXT, 0


def attributes_of(features: Features):
    """Give the attributes of each feature, as QGIS takes them."""
    columns = [_values(column) for column in features.columns.values()]
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in range(len(features))]


def _values(column):
    """Give the values of a column as QGIS takes them; each text that has to be read is read once."""
    items, kind = column.values.tolist(), _kind(column)[0]
    if column.null.any():
        items = [None if gone else item for item, gone in zip(items, column.null.tolist())]
    if kind not in READERS:
        return items
    read = READERS[kind] if kind in (LIST, TEXTS) else functools.lru_cache(None)(READERS[kind])
    return [None if item is None else read(item) for item in items]


READERS = {
    DATE: lambda text: QDate.fromString(text, Qt.DateFormat.ISODate),
    TIME: lambda text: QTime.fromString(text, Qt.DateFormat.ISODateWithMs),
    DATETIME: lambda text: QDateTime.fromString(text, Qt.DateFormat.ISODateWithMs),
    BYTES: lambda data: QByteArray(data if isinstance(data, bytes) else base64.b64decode(data)),
    MAP: json.loads,
    LIST: list,
    TEXTS: list,
}
"""How values that are no plain numbers or texts become those of QGIS."""
