"""What the layers of an opened graph hold: splines, junctions, handles, up vectors."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from ..spl_gis import convert, topology
from ..spl_gis.model import Column, Features, SplineGraph
from ..spl_gis.report import Report

FINEST, COARSEST = 0.01, 1.0
"""Limits [m] of the distance between curve and line on the screen."""

UP_LENGTH = 10.0
"""How long [m] up vectors are drawn."""

DEVIATIONS = ("curve deviation [m]", "vertex deviation [m]")
"""What the report in a sidecar calls them; the first one is never the smaller."""


class Opened(NamedTuple):
    """A graph that is shown.

    Attributes
    ----------
    graph : SplineGraph
        The graph, in its frame.
    deviations : dict
        How far the curves of each feature are from its line, as `sidecar.read_deviations` gives it.
    """

    graph: SplineGraph
    deviations: dict

    def first(self):
        """Give the same with the first segment only: what its layers hold has the same fields."""
        graph = self.graph
        some = {
            name: getattr(graph, name)[:1] for name in ("ends", "tangents", "ups", "line", "changed", "row")
        }
        return self._replace(graph=dataclasses.replace(graph, **some, spans=None, source=None))


def tolerance_for(graph):
    """Give a flattening tolerance that suits the extent of a graph: a 50,000th of it."""
    size = float(np.ptp(graph.points[:, :2], axis=0).max()) if len(graph.points) else 0.0
    return min(max(size / 50_000, FINEST), COARSEST)


def splines(opened, report):
    """Make a line for each segment, with all its numbers and how far it is from its source."""
    graph = opened.graph
    lines = convert.graph_to_lines(graph, kind="segments", tolerance=tolerance_for(graph), report=report)
    column = _deviation(graph, opened.deviations)
    if column is None:
        return lines
    table = lines.features
    names = list(table.columns)
    names.insert(names.index("radius") + 1, "deviation")
    columns = {name: column if name == "deviation" else table.columns[name] for name in names}
    return dataclasses.replace(lines, features=Features(table.fid, columns, table.layer))


def _deviation(graph, known):
    """Give each segment the deviation of its feature, if that is known; one that was changed has none."""
    values = next((known[name] for name in DEVIATIONS if name in known), ())
    fids, first = np.unique(np.asarray(known.get("fid", ()), np.int64), return_index=True)
    if len(fids) == 0 or not len(fids) == len(values) == len(known["fid"]):
        return None
    mine = np.append(graph.features.fid[graph.line_feature], -1)[graph.line]
    at = np.minimum(np.searchsorted(fids, mine), len(fids) - 1)
    unknown = (graph.line < 0) | (fids[at] != mine)
    if len(graph.changed):
        unknown |= graph.changed
    return Column(np.where(unknown, 0.0, np.asarray(values, float)[first][at]), unknown, "Real")


def junctions(opened, report):
    """Make a point where more than two segments meet."""
    graph = opened.graph
    degree = topology.degrees(graph.ends, len(graph.points))
    rows = np.flatnonzero(degree > 2)
    # of the whole graph, all points would be placed and described for the few that are shown
    alone = SplineGraph(
        graph.points[rows],
        *(
            np.zeros((0, *shape), kind)
            for shape, kind in (((2,), np.int64), ((2, 3), float), ((2, 3), float))
        ),
        np.zeros(0, np.int64),
        crs=graph.crs,
        source_crs=graph.source_crs,
        planar=graph.planar,
    )
    points = convert.graph_to_points(alone, report=Report())
    rows = rows[points.features.columns["point"].values]
    columns = {**points.features.columns, "point": _integers(rows), "degree": _integers(degree[rows])}
    table = Features(points.features.fid, columns, "junctions")
    return _only(dataclasses.replace(points, features=table), "point", "degree", "x", "y", "z")


def _integers(values):
    return Column(values, np.zeros(len(values), bool), "Integer64")


def handles(opened, report):
    """Make a line from each point to the control points beside it, with all that makes the graph again."""
    return convert.graph_to_lines(opened.graph, kind="handles", report=Report())


def ups(opened, report):
    """Make a line along the up vector at each end of each segment."""
    graph = opened.graph
    upward = dataclasses.replace(graph, tangents=UP_LENGTH * graph.ups, planar=False)
    lines = _only(
        convert.graph_to_lines(upward, kind="handles", report=Report()),
        *("segment", "side", "point", "ux", "uy", "uz"),
    )
    lean = np.degrees(np.arccos(np.clip(graph.ups.reshape(-1, 3)[:, 2], -1.0, 1.0)))
    table = lines.features
    columns = {**table.columns, "lean": Column(lean, np.zeros(len(lean), bool), "Real")}
    return dataclasses.replace(lines, features=Features(table.fid, columns, table.layer))


def _only(data, *names):
    """Give lines or points with some of their columns."""
    table = data.features
    columns = {name: table.columns[name] for name in names}
    return dataclasses.replace(data, features=Features(table.fid, columns, table.layer))


class Kind(NamedTuple):
    """A kind of layer: name of its styles, label, whether it is shown at first, and what makes it."""

    name: str
    label: str
    shown: bool
    make: object


KINDS = (
    Kind("ups", "Up vectors", False, ups),
    Kind("handles", "Handles", False, handles),
    Kind("segments", "Splines", True, splines),
    Kind("junctions", "Junctions", True, junctions),
)
"""From the lowest to the topmost."""
