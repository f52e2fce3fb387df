"""A graph as a group of layers in the project."""

from __future__ import annotations

from qgis.core import QgsCoordinateReferenceSystem, QgsProject, QgsVectorLayer, QgsWkbTypes

from .. import styling
from ..adapter import fields_of, lines_type, points_type, to_qgis, write_features
from ..spl_gis.model import Points
from ..spl_gis.report import silent
from ..words import tr
from .kinds import KINDS

SOURCE = "spl_tools/file"
"""Custom property of layers: the .spl that they show."""

LARGE = 20_000
"""Of graphs with more segments than this, layers that are not shown at first are filled when they are."""


def add_group(opened, path, report, progress, later=None):
    """Add the layers of a graph to the project.

    Parameters
    ----------
    opened : Opened
        The graph.
    path : Path
        The file that it comes from; the group has its name.
    report, progress
        Of the core; cancelling leaves the project as it was.
    later : callable, optional
        Given a layer and what fills it, for layers that need not be filled yet.

    Returns
    -------
    dict of str to QgsVectorLayer
        The layers by their kind, from the lowest to the topmost.
    """
    wait = later is not None and len(opened.graph) > LARGE
    layers = {}
    for number, kind in enumerate(KINDS):
        filled = kind.shown or not wait
        part = _part(progress, number, len(KINDS))
        data = kind.make(opened if filled else opened.first(), report)
        layers[kind.name] = _layer(data, kind, path, opened.graph.features)
        if filled:
            fill(layers[kind.name], data, part)
        else:
            later(layers[kind.name], lambda kind=kind: kind.make(opened, report))
    _show(layers, path.stem)
    return layers


def _part(progress, number, count):
    return lambda fraction, what: progress((number + fraction) / count, what)


def _show(layers, name):
    project = QgsProject.instance()
    if len(project.addMapLayers(list(layers.values()), False)) < len(layers):
        raise RuntimeError(tr("QGIS does not take the layers"))
    group = project.layerTreeRoot().insertGroup(0, name)
    for kind in KINDS:
        node = group.insertLayer(0, layers[kind.name])
        node.setItemVisibilityChecked(kind.shown)


def _layer(data, kind, path, features):
    """Make an empty layer for lines or points, with its styles."""
    shape = points_type(data) if isinstance(data, Points) else lines_type(data)
    layer = QgsVectorLayer(QgsWkbTypes.displayString(shape), tr(kind.label), "memory")
    # none rather than one of a scene without a place, which QGIS would try to transform to that of the map
    layer.setCrs(QgsCoordinateReferenceSystem() if data.crs is None else to_qgis(data.crs))
    layer.setCustomProperty(SOURCE, str(path))
    provider = layer.dataProvider()
    if not provider.addAttributes(list(fields_of(data.features))):
        raise RuntimeError(provider.lastError())
    layer.updateFields()
    styling.apply(layer, kind.name, features)
    return layer


def fill(layer, data, progress=silent):
    """Put lines or points into a layer."""
    write_features(layer.dataProvider(), data, progress)
    layer.updateExtents()
