"""Graph to lines."""

from __future__ import annotations

from typing import Callable

import numpy as np
from pyproj import CRS

from .. import bezier, flatten, frames, topology
from ..errors import GeoreferenceError, OptionError
from ..model import Bools, Column, Features, Floats, Ints, LineStrings, SplineGraph, control_points
from ..report import Progress, Report, silent
from ..topology import Runs

FLAT = 0.05
"""Heights [m] that float32 and flattening can give to a scene without heights."""


def graph_to_lines(
    graph: SplineGraph,
    *,
    kind: str = "features",
    tolerance: float = 0.01,
    to_crs: CRS | None = None,
    report: Report | None = None,
    progress: Progress = silent,
) -> LineStrings:
    """Make GIS lines of a spline graph.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    kind : str
        What a line is, a key of `KINDS`: ``features`` gives the source's features again, ``chains`` one line
        for each run of segments between nodes, ``segments`` one line for each segment.
    tolerance : float
        Greatest distance between curve and line, in metres of the scene.
    to_crs : pyproj.CRS, optional
        CRS of the lines. Default: the CRS that the source lines were in, else the base of the frame.
    report, progress
        As in `lines_to_graph`.

    Returns
    -------
    LineStrings
        Chains and segments have a ``length`` [m]: the arc length of their curves in the scene.

    Raises
    ------
    GeoreferenceError
        When a CRS is wanted and the graph has no frame, or a point cannot be projected.
    OptionError
        When there is no such kind, or the tolerance is not a positive number.
    """
    report = Report() if report is None else report
    if kind not in KINDS:
        raise OptionError(f"there is no kind of line {kind!r}: choose one of {', '.join(KINDS)}")
    progress(0.0, "flattening")
    runs, lines = KINDS[kind](graph, report)
    coords, offsets = _flattened(graph, runs, tolerance)
    progress(0.7, "placing")
    target = to_crs or graph.source_crs or (None if graph.crs is None else frames.base_of(graph.crs))
    coords = frames.transform(coords, graph.crs, target)
    if not np.isfinite(coords[:, :2]).all():
        raise GeoreferenceError(
            f"a part of the scene cannot be projected to {target.name if target else target}"
        )
    if graph.planar and _has_heights(graph, coords):
        report.warn("the source had no heights, but the scene has: the lines keep those of the scene")
    elif graph.planar:
        coords[:, 2] = np.nan
    report.count("segments", len(graph))
    report.count("lines", len(offsets) - 1)
    report.count("vertices", len(coords))
    return LineStrings(coords, offsets, *lines, crs=target)


def _has_heights(graph: SplineGraph, coords: Floats) -> bool:
    """Tell whether heights were added to a flat scene; one on a tangent plane is flat where its lines are."""
    return all(np.abs(place[:, 2]).max(initial=0.0) > FLAT for place in (graph.points, coords))


def _flattened(graph: SplineGraph, runs: Runs, tolerance: float) -> tuple[Floats, Ints]:
    """Flatten runs of segments to one polyline each."""
    controls = _driven(graph, runs)
    coords, offsets = flatten.flatten(controls, tolerance)
    inner = np.ones(len(controls), bool)
    inner[runs.offsets[:-1]] = False
    keep = np.ones(len(coords), bool)
    keep[offsets[:-1][inner]] = False  # a joint is the last vertex of one segment and the first of the next
    return coords[keep], np.concatenate([[0], np.cumsum(keep)])[offsets[runs.offsets]]


def _driven(graph: SplineGraph, runs: Runs) -> Floats:
    """Give control points in the order and direction of the runs."""
    controls = control_points(graph)[runs.segment]
    controls[runs.reverse] = controls[runs.reverse, ::-1]
    return controls


Lines = tuple[Ints, Ints, Features]
"""What `LineStrings` takes after the geometry: feature and part of each line, and the features."""


def _as_segments(graph: SplineGraph, report: Report) -> tuple[Runs, Lines]:
    number = np.arange(len(graph))
    runs = Runs(number, np.zeros(len(graph), bool), np.arange(len(graph) + 1))
    return runs, _own_rows("segments", graph, runs)


def _as_chains(graph: SplineGraph, report: Report) -> tuple[Runs, Lines]:
    runs = topology.graph_chains(graph.ends)
    return runs, _own_rows("chains", graph, runs)


def _as_features(graph: SplineGraph, report: Report) -> tuple[Runs, Lines]:
    """Give one line for each source line, in more parts where its segments no longer join."""
    known = np.argsort(graph.line, kind="stable")
    known = known[graph.line[known] >= 0]
    ends, line = graph.ends[known], graph.line[known]
    breaks = np.ones(len(known) + 1, bool)
    breaks[1:-1] = (line[1:] != line[:-1]) | (ends[:-1, 1] != ends[1:, 0])
    offsets = np.flatnonzero(breaks)
    source = line[offsets[:-1]]
    features, part = graph.line_feature[source], graph.line_part[source]
    torn = _torn(source)
    if torn.any():
        report.warn(f"{len(np.unique(source[torn]))} lines no longer hang together: they come back in parts")
        part = np.where(np.isin(features, features[torn]), _within(features), part)
    runs = Runs(known, np.zeros(len(known), bool), offsets)
    loose = np.flatnonzero(graph.line < 0)
    if len(loose) == 0:
        return runs, (features, part, graph.features)
    report.note(
        f"{len(loose)} segments belong to no source feature: they come as features without attributes"
    )
    more = topology.graph_chains(graph.ends[loose])
    runs = Runs(
        np.concatenate([runs.segment, loose[more.segment]]),
        np.concatenate([runs.reverse, more.reverse]),
        np.concatenate([runs.offsets, len(known) + more.offsets[1:]]),
    )
    extra = len(more.offsets) - 1
    table = graph.features.take(np.append(np.arange(len(graph.features)), np.full(extra, -1)))
    features = np.append(features, len(graph.features) + np.arange(extra))
    return runs, (features, np.append(part, np.full(extra, -1)), table)


def _torn(source: Ints) -> Bools:
    """Mark the runs of source lines that have several."""
    return np.bincount(source, minlength=1)[source] > 1 if len(source) else np.zeros(0, bool)


def _within(group: Ints) -> Ints:
    """Give the members of each group the numbers 0, 1, ... in their order."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    first = np.searchsorted(ordered, ordered)
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - first
    return number


def _own_rows(layer: str, graph: SplineGraph, runs: Runs) -> Lines:
    """Make a table with a row for each run: its end points, how many segments it has, and its length."""
    first, last = runs.offsets[:-1], runs.offsets[1:] - 1
    side = runs.reverse.astype(int)
    lengths = bezier.length(control_points(graph)[runs.segment])
    number = np.arange(len(first))
    columns = {
        "start_index": _integers(graph.ends[runs.segment[first], side[first]]),
        "end_index": _integers(graph.ends[runs.segment[last], 1 - side[last]]),
        "segments": _integers(np.diff(runs.offsets)),
        "length": Column(_sums(lengths, runs.offsets), np.zeros(len(first), bool), "Real"),
    }
    return number, np.full(len(first), -1), Features(number, columns, layer)


def _sums(values: Floats, offsets: Ints) -> Floats:
    return np.add.reduceat(values, offsets[:-1]) if len(values) else np.zeros(0)


def _integers(values: Ints) -> Column:
    return Column(values, np.zeros(len(values), bool), "Integer64")


KINDS: dict[str, Callable[[SplineGraph, Report], tuple[Runs, Lines]]] = {
    "features": _as_features,
    "chains": _as_chains,
    "segments": _as_segments,
}
"""What a line of a graph can be, by the name a user gives."""
