"""A graph as a group of layers in the project."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from qgis.core import QgsProject, QgsVectorLayer, QgsWkbTypes

from ..adapter import fields_of, lines_type, points_type, to_qgis, write_features
from ..spl_gis import convert, topology
from ..spl_gis.model import Features, Points
from ..words import tr

STYLES = Path(__file__).parent.parent / "styles"

LAYERS = (("handles", "Handles", False), ("segments", "Splines", True), ("junctions", "Junctions", True))
"""Kind, label, and whether it is shown at first; from the lowest to the topmost."""

SEEN = ("segment", "side", "point")
"""Columns of handles."""

FINEST, COARSEST = 0.01, 1.0
"""Limits [m] of the distance between curve and line on the screen."""


def tolerance_for(graph):
    """Give a flattening tolerance that suits the extent of a graph: a 50,000th of it."""
    size = float(np.ptp(graph.points[:, :2], axis=0).max()) if len(graph.points) else 0.0
    return min(max(size / 50_000, FINEST), COARSEST)


def add_group(graph, name, report, progress):
    """Add the layers of a graph to the project.

    Parameters
    ----------
    graph : SplineGraph
        The graph, in its frame.
    name : str
        What the group is called.
    report, progress
        Of the core; cancelling leaves the project as it was.

    Returns
    -------
    list of QgsVectorLayer
        The layers, from the lowest to the topmost.
    """
    tolerance = tolerance_for(graph)
    layers = []
    for number, (kind, label, _) in enumerate(LAYERS):
        start, stop = number / len(LAYERS), (number + 1) / len(LAYERS)

        def part(fraction, what, start=start, stop=stop):
            progress(start + fraction * (stop - start), what)

        data = _data(graph, kind, tolerance, report)
        layers.append(_layer(data, kind, tr(label), part))
    project = QgsProject.instance()
    if len(project.addMapLayers(layers, False)) < len(layers):
        raise RuntimeError(tr("QGIS does not take the layers"))
    group = project.layerTreeRoot().insertGroup(0, name)
    for layer, (_, _, shown) in zip(layers, LAYERS):
        node = group.insertLayer(0, layer)
        node.setItemVisibilityChecked(shown)
        node.setExpanded(False)
    return layers


def _data(graph, kind, tolerance, report):
    if kind == "junctions":
        points = convert.graph_to_points(graph, report=report)
        rows = np.flatnonzero(topology.degrees(graph.ends, len(graph.points)) > 2)
        return Points(points.coords[rows], points.features.take(rows), points.crs)
    lines = convert.graph_to_lines(graph, kind=kind, tolerance=tolerance, report=report)
    if kind == "handles":  # only to be seen: the numbers that make a handle are those of the splines
        return dataclasses.replace(lines, features=_only(lines.features, SEEN))
    return lines


def _only(features, names):
    """Give a table with some of its columns."""
    columns = {name: features.columns[name] for name in names}
    return Features(features.fid, columns, features.layer)


def _layer(data, kind, label, progress):
    shape = points_type(data) if kind == "junctions" else lines_type(data)
    layer = QgsVectorLayer(QgsWkbTypes.displayString(shape), label, "memory")
    layer.setCrs(to_qgis(data.crs))
    provider = layer.dataProvider()
    if not provider.addAttributes(list(fields_of(data.features))):
        raise RuntimeError(provider.lastError())
    layer.updateFields()
    write_features(provider, data, progress)
    layer.updateExtents()
    layer.loadNamedStyle(str(STYLES / f"{kind}.qml"))  # noqa: QGS202 (without it, QGIS's own style)
    return layer
