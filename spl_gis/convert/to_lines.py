"""Graph to lines."""

from __future__ import annotations

import functools
from typing import Callable, NamedTuple

import numpy as np
from pyproj import CRS

from .. import bezier, flatten, frames, topology
from ..errors import GeoreferenceError, OptionError
from ..model import Bools, Features, Floats, Ints, LineStrings, Points, Spans, SplineGraph, control_points
from ..report import Progress, Report, silent
from ..topology import Runs
from .edges import bent
from .exact import with_source_vertices
from .meridian import cut, unwrap, within
from .placing import tell_datum, tell_place, tell_torn, whole_lines
from .tables import chain_table, handle_table, point_table, segment_table
from .to_frame import warn_if_heights_stay


class Drawn(NamedTuple):
    """What lines are made of.

    Attributes
    ----------
    runs : Runs
        The pieces of each line, in order.
    coords, offsets : ndarray
        Vertices of each piece, in metres of the scene.
    feature, part, features
        As in `LineStrings`.
    line : ndarray of int, shape (R,)
        Source line of each run, -1 = none.
    """

    runs: Runs
    coords: Floats
    offsets: Ints
    feature: Ints
    part: Ints
    features: Features
    line: Ints


Draw = Callable[[Floats], "tuple[Floats, Ints]"]
"""Makes a polyline of each segment, of control points."""

_ENOUGH = 0.01
"""Part of the tolerance by which the bound of an edge may be too wide."""
FLAT = 0.05
"""Heights [m] that float32 and flattening can give to a scene without heights."""


def graph_to_lines(
    graph: SplineGraph,
    *,
    kind: str = "features",
    tolerance: float = 0.01,
    to_crs: CRS | None = None,
    exact: bool = False,
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
        for each run of segments between nodes, ``segments`` one line for each segment, ``handles`` a line of
        two vertices for each handle, from its point to its control point.
    tolerance : float
        Greatest distance between the curve and the line where it is drawn, in metres of the scene: a straight
        edge in `to_crs` is not straight in the scene when one is projected and the other not, or otherwise.
    to_crs : pyproj.CRS, optional
        CRS of the lines. Default: the CRS that the source lines were in, else the base of the frame.
    exact : bool
        Give the source's own vertices, which the graph must have kept (`keep_source`), wherever its segments
        are unchanged; only for features.
    report, progress
        As in `lines_to_graph`.

    Returns
    -------
    LineStrings
        What the columns of chains, segments and handles hold, docs/way-back.md says.

    Raises
    ------
    GeoreferenceError
        When a CRS is wanted and the graph has no frame, or no point can be projected.
    OptionError
        When there is no such kind, the tolerance is not a positive number, or `exact` cannot be had.
    """
    report = Report() if report is None else report
    if kind not in KINDS:
        raise OptionError(f"there is no kind of line {kind!r}: choose one of {', '.join(KINDS)}")
    if exact and (kind != "features" or graph.source is None):
        raise OptionError(
            "exact vertices are those of the source's features"
            if kind != "features"
            else "the graph has not kept its source's vertices: write it with --keep-source"
        )
    if graph.spans and kind != "features":
        report.note("lines were merged into roads: a segment names only the feature at its start")
    progress(0.0, "flattening")
    target = to_crs or _home(graph)
    stray = None if frames.keeps_straight(graph.crs, target) else bent(graph.crs, target, _ENOUGH * tolerance)
    draw = functools.partial(flatten.flatten, tolerance=tolerance, bent=stray)
    drawn = KINDS[kind](graph, draw, report)
    progress(0.7, "placing")
    coords, offsets = _placed(graph, drawn.coords, target, report), drawn.offsets
    if exact and graph.source is not None:
        source = frames.transform(graph.source.coords, graph.source_crs, target)
        coords, offsets = with_source_vertices(graph, drawn.runs, drawn.line, (coords, offsets), source)
    else:
        coords, offsets = _joined(coords, offsets, drawn.runs)
    whole = _finite_lines(drawn._replace(coords=coords, offsets=offsets), target, report)
    if not frames.same(target, graph.source_crs):  # on the way home what is doubtful cancels out
        tell_datum(whole.coords, graph.crs, target, report)
        tell_place(whole, report, "--to-crs")
        tell_torn(whole, report)
    lines = _at_180_degrees(whole, kind, exact, report)
    report.count("segments", len(graph))
    report.count("lines", len(lines))
    report.count("vertices", len(lines.coords))
    return lines


def graph_to_points(graph: SplineGraph, *, to_crs: CRS | None = None, report: Report | None = None) -> Points:
    """Give the points of a graph with index, place in the scene and degree; see `graph_to_lines`."""
    report = Report() if report is None else report
    target = to_crs or _home(graph)
    report.count("points", len(graph.points))
    coords, table = _placed(graph, graph.points, target, report), point_table(graph)
    good = np.isfinite(coords[:, :2]).all(axis=1)
    report.refuse(table.fid[~good], _no_place(target))
    if not frames.same(target, graph.source_crs):
        tell_datum(coords[good], graph.crs, target, report)
    return Points(coords[good], table.take(np.flatnonzero(good)), target)


def _no_place(target: CRS | None) -> str:
    return f"cannot be projected to {target.name if target else target}"


def _finite_lines(drawn: Drawn, target: CRS | None, report: Report) -> LineStrings:
    """Make lines, and refuse the features that have no place in their CRS."""
    good = np.asarray(np.isfinite(drawn.coords[:, :2]).all(axis=1))
    lost = np.unique(drawn.feature[~whole_lines(good, drawn.offsets)])
    report.refuse(drawn.features.fid[lost], _no_place(target))
    keep = ~np.isin(drawn.feature, lost)
    vertices = np.repeat(keep, np.diff(drawn.offsets))
    offsets = np.append(0, np.cumsum(np.diff(drawn.offsets)[keep]))
    return LineStrings(
        drawn.coords[vertices], offsets, drawn.feature[keep], drawn.part[keep], drawn.features, target
    )


def _at_180_degrees(lines: LineStrings, kind: str, exact: bool, report: Report) -> LineStrings:
    """Cut lines where they cross 180 degrees; those that are to be edited run on beyond it."""
    if kind in ("segments", "handles"):
        return unwrap(lines)
    parts = cut(lines, exact)
    if len(parts) > len(lines):
        report.count("lines cut at 180 degrees", len(parts) - len(lines))
    return parts


def _home(graph: SplineGraph) -> CRS | None:
    """Give the CRS that the source lines were in, else the base of the frame."""
    return graph.source_crs or (None if graph.crs is None else frames.base_of(graph.crs))


def _placed(graph: SplineGraph, coords: Floats, target: CRS | None, report: Report) -> Floats:
    """Move places of the scene to the CRS of the lines; NaN where they have none in it."""
    moved = frames.transform(coords, graph.crs, target)
    moved[~frames.comes_back(coords, moved, graph.crs, target)] = np.nan
    if len(moved) and not np.isfinite(moved[:, :2]).any():
        raise GeoreferenceError(f"the scene {_no_place(target)}: pass another --to-crs")
    coords = moved
    warn_if_heights_stay(graph, target, report)
    if graph.planar and _has_heights(graph, target):
        report.warn("the source had no heights, but the scene has: the lines keep those of the scene")
    elif graph.planar:
        coords[:, 2] = np.nan
    return coords


def _has_heights(graph: SplineGraph, target: CRS | None) -> bool:
    """Tell whether heights were added to a flat scene; one on a tangent plane is flat where its lines are."""
    placed = frames.transform(graph.points, graph.crs, target)
    return all(np.nanmax(np.abs(points[:, 2]), initial=0.0) > FLAT for points in (graph.points, placed))


def _joined(coords: Floats, offsets: Ints, runs: Runs) -> tuple[Floats, Ints]:
    """Make one polyline of the pieces of each run."""
    inner = np.ones(len(offsets) - 1, bool)
    inner[runs.offsets[:-1]] = False
    keep = np.ones(len(coords), bool)
    keep[offsets[:-1][inner]] = False  # a joint is the last vertex of one segment and the first of the next
    return coords[keep], np.concatenate([[0], np.cumsum(keep)])[offsets[runs.offsets]]


def _driven(graph: SplineGraph, runs: Runs) -> Floats:
    """Give control points in the order and direction of the runs."""
    controls = control_points(graph)[runs.segment]
    controls[runs.reverse] = controls[runs.reverse, ::-1]
    return controls


def _as_segments(graph: SplineGraph, draw: Draw, report: Report) -> Drawn:
    number = np.arange(len(graph))
    runs = Runs(number, np.zeros(len(graph), bool), np.arange(len(graph) + 1))
    coords, offsets = draw(control_points(graph))
    table = segment_table(graph, coords, offsets)
    return Drawn(runs, coords, offsets, number, np.full(len(number), -1), table, graph.line)


def _as_chains(graph: SplineGraph, draw: Draw, report: Report) -> Drawn:
    runs = topology.graph_chains(graph.ends)
    number = np.arange(len(runs.offsets) - 1)
    none = np.full(len(number), -1)
    flat = draw(_driven(graph, runs))
    return Drawn(runs, *flat, number, none, chain_table(graph, runs), none)


def _as_handles(graph: SplineGraph, draw: Draw, report: Report) -> Drawn:
    number = np.arange(2 * len(graph))
    runs = Runs(number // 2, np.zeros(len(number), bool), np.append(number, len(number)))
    ends = graph.points[graph.ends]
    coords = np.stack([ends, ends + graph.tangents], axis=2).reshape(-1, 3)
    offsets = 2 * np.append(number, len(number))
    none = np.full(len(number), -1)
    return Drawn(runs, coords, offsets, number, none, handle_table(graph), np.repeat(graph.line, 2))


def _as_features(graph: SplineGraph, draw: Draw, report: Report) -> Drawn:
    spans = graph.spans or _whole_segments(graph)
    runs, line, feature, part, table = _feature_runs(graph, spans, report)
    controls = _driven(graph, runs)
    if graph.spans:
        some = slice(0, len(spans.line))
        controls[some] = bezier.subsegment(controls[some], *spans.parameters.T)
    flat = draw(controls)
    return Drawn(runs, *flat, feature, part, table, line)


def _whole_segments(graph: SplineGraph) -> Spans:
    """Give the segments of each line, in its order."""
    known = np.lexsort([graph.row, graph.line]) if len(graph.row) else np.argsort(graph.line, kind="stable")
    known = known[graph.line[known] >= 0]
    return Spans(graph.line[known], known, np.broadcast_to([0.0, 1.0], (len(known), 2)))


def _breaks(graph: SplineGraph, spans: Spans) -> Bools:
    """Say before which spans (and after the last) a line begins: a new one, or where one is torn."""
    segment, (start, end) = spans.segment, spans.parameters.T
    points = [
        np.where(np.isin(at, (0, 1)), graph.ends[segment, (at == 1).astype(np.int64)], -1 - segment)
        for at in (start, end)
    ]
    inside = points[1][:-1] < 0
    joins = (points[1][:-1] == points[0][1:]) & (~inside | (end[:-1] == start[1:]))
    breaks = np.ones(len(segment) + 1, bool)
    breaks[1:-1] = (spans.line[1:] != spans.line[:-1]) | ~joins
    return breaks


def _feature_runs(
    graph: SplineGraph, spans: Spans, report: Report
) -> tuple[Runs, Ints, Ints, Ints, Features]:
    """Give one line for each source line, in more parts where its segments no longer join."""
    known = spans.segment
    offsets = np.flatnonzero(_breaks(graph, spans))
    source = spans.line[offsets[:-1]]
    features, part = graph.line_feature[source], graph.line_part[source]
    torn = _torn(source)
    if torn.any():
        report.warn(f"{len(np.unique(source[torn]))} lines no longer hang together: they come back in parts")
        part = np.where(np.isin(features, features[torn]), within(features), part)
    runs = Runs(known, np.zeros(len(known), bool), offsets)
    loose = np.flatnonzero(graph.line < 0)
    if len(loose) == 0:
        return runs, source, features, part, graph.features
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
    none = np.full(extra, -1)
    return runs, np.append(source, none), features, np.append(part, none), table


def _torn(source: Ints) -> Bools:
    """Mark the runs of source lines that have several."""
    return np.bincount(source, minlength=1)[source] > 1 if len(source) else np.zeros(0, bool)


KINDS: dict[str, Callable[[SplineGraph, Draw, Report], Drawn]] = {
    "features": _as_features,
    "chains": _as_chains,
    "segments": _as_segments,
    "handles": _as_handles,
}
"""What a line of a graph can be, by the name a user gives."""
