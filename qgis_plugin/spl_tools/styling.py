"""The styles of layers: each is a named style of its layer, to be chosen by right click > Styles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from qgis.core import QgsCategorizedSymbolRenderer, QgsEditFormConfig, QgsMapLayer, QgsRendererCategory
from qgis.PyQt.QtGui import QColor

from .spl_gis.preview.colours import MOST, PALETTE
from .words import tr

FOLDER = Path(__file__).parent / "styles"

MORE = (("Joints", "segments_joints", "segment"), ("Curvature", "segments_curvature", "radius"))
MORE += (("Deviation", "segments_deviation", "deviation"),)
"""Styles of splines beside the first one: name, file, and the field that they need."""

CLASSES = (
    "highway",
    "fclass",
    "road_class",
    "class",
    "strtypid",
    "rtt_typ",
    "mtfcc",
    "kind",
    "type",
    "ref_type",
)
"""Names of fields that say of what class a road is, the likelier first."""

OTHERS = "#b8bcc2"
"""Colour of roads of no class, or of a rare one."""

TOO_MANY = 40
"""A field with more values than this is none of classes."""

TECHNICAL = ("line", "part", "feature", "vertices", "shape", "shape_z", "written", "scene", "changed")
"""Fields that are only for the way back."""

FIXED = (
    "segment",
    "side",
    "point",
    "start_index",
    "end_index",
    "line",
    "part",
    "feature",
    "written",
    "scene",
)
"""Fields that nobody should type into."""


def apply(layer, kind, features):
    """Give a layer its styles, and show people the fields that are for them.

    Parameters
    ----------
    layer : QgsVectorLayer
        The layer.
    kind : str
        Name of its first style.
    features : Features
        The rows of the graph's source, for a style by its classes.
    """
    _only_for_people(layer)
    load(layer, kind)
    if kind != "segments":
        return
    manager, names = layer.styleManager(), layer.fields().names()
    first = tr("Direction")
    manager.renameStyle(manager.currentStyle(), first)  # noqa: QGS202 (the name is free)
    field = class_field(features)
    if field is not None and field in names:
        renderer = by_class(layer.renderer().symbol(), field, features.columns[field])
        _add(manager, tr("By {}").format(field), lambda: layer.setRenderer(renderer))
    for label, file, needs in MORE:
        if needs in names:
            _add(manager, tr(label), lambda file=file: load(layer, file))
    manager.setCurrentStyle(first)  # noqa: QGS202 (it is there)


def load(layer, name):
    """Give a layer the symbols and map tips of a style, and leave all else as it is."""
    some = QgsMapLayer.StyleCategory.Symbology | QgsMapLayer.StyleCategory.MapTips
    path = str(FOLDER / f"{name}.qml")
    fault, good = layer.loadNamedStyle(path, False, QgsMapLayer.StyleCategories(some))
    if not good:
        raise RuntimeError(fault)


def _add(manager, name, dress):
    """Add a style that `dress` gives to the layer."""
    manager.addStyleFromLayer(name)  # noqa: QGS202 (the name is free)
    manager.setCurrentStyle(name)  # noqa: QGS202 (it is there)
    dress()


def class_field(features):
    """Name the field that says of what class a road is, None when there is none."""
    found = {name.lower(): name for name in reversed(list(features.columns))}
    for name in CLASSES:
        if name in found and 1 < len(_counts(features.columns[found[name]])) <= TOO_MANY:
            return found[name]
    return None


def _counts(column):
    """Give the values of a column and how often each is there, the most frequent first; not of lists."""
    values = [value for value, null in zip(column.values.tolist(), column.null.tolist()) if not null]
    if not values or isinstance(values[0], (list, tuple, bytes)):
        return []
    seen, number = np.unique(np.array(values, object), return_counts=True)
    order = sorted(range(len(seen)), key=lambda at: (-number[at], str(seen[at])))
    return [seen[at] for at in order]


def by_class(symbol, field, column):
    """Make a renderer with a colour for each of the most frequent values of a field, and one for the rest."""
    values = _counts(column)[:MOST]  # QGIS folds legends of ten and more
    classes = [(value, str(value), colour) for value, colour in zip(values, PALETTE.light)]
    classes.append(("", tr("all others"), OTHERS))
    return QgsCategorizedSymbolRenderer(
        field,
        [QgsRendererCategory(value, _coloured(symbol, colour), label) for value, label, colour in classes],
    )


def _coloured(symbol, colour):
    symbol = symbol.clone()
    symbol.setColor(QColor(colour))  # noqa: QGS202 (of a symbol)
    return symbol


def _only_for_people(layer):
    """Hide fields that are only for the way back, keep them from typing, and ask nothing about new lines."""
    fields = layer.fields()
    table = layer.attributeTableConfig()
    table.update(fields)
    for number, name in enumerate(fields.names()):
        table.setColumnHidden(number, name in TECHNICAL)
    layer.setAttributeTableConfig(table)
    form = layer.editFormConfig()
    form.setSuppress(QgsEditFormConfig.FeatureFormSuppress.SuppressOn)
    for name in FIXED:
        if name in fields.names():
            form.setReadOnly(fields.indexOf(name), True)
    layer.setEditFormConfig(form)
