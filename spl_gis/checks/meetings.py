"""Checks of what segments do to each other: crossings without a point, and ends that nearly meet one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier, flatten
from ..model import Bools, Floats, Ints, SplineGraph
from ..topology.crossings import crossings as crossings_of_edges
from ..topology.edges import Edges, edges_of, near_edges
from .codes import Finding, findings
from .limits import Limits
from .measure import Measured

FLATNESS = 0.05
"""Distance [m] of the polylines on which meetings are looked for from their curves."""


_VAST = 1e6
"""Curves that reach further [m] are taken for their chords: as polylines they would be endless."""


class _Polylines(NamedTuple):
    """Segments as polylines: places, edges, and the parameter at each edge's lower and higher place."""

    places: Floats
    edges: Edges
    t: Floats


def meetings(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find crossings without a point, and ends that nearly meet a segment."""
    if measured.void.all():
        return []
    lines = _polylines(graph, measured)
    return _crossings(graph, measured, limits, lines) + _near_misses(graph, measured, limits, lines)


def _polylines(graph: SplineGraph, measured: Measured) -> _Polylines:
    """Flatten all segments that have a length; points in one place are one place."""
    rows = np.flatnonzero(~measured.void)
    controls = _within_reach(measured.controls[rows])
    coords, offsets = flatten.flatten(controls, FLATNESS)
    t = flatten.parameters(controls, FLATNESS)[0]
    place = np.arange(len(coords)) + len(graph.points)
    place[offsets[:-1]] = measured.group[graph.ends[rows, 0]]
    place[offsets[1:] - 1] = measured.group[graph.ends[rows, 1]]
    edges = edges_of(place, offsets)
    parameters = np.column_stack([t[edges.vertex], t[edges.vertex + 1]])
    parameters[edges.backward] = parameters[edges.backward, ::-1]
    edges = edges._replace(line=rows[edges.line])
    return _Polylines(np.concatenate([graph.points, coords]), edges, parameters)


def _within_reach(controls: Floats) -> Floats:
    """Put chords in the place of curves that reach too far."""
    start, end = controls[:, :1], controls[:, 3:]
    vast = np.ptp(controls, axis=1).max(axis=1, initial=0.0) > _VAST
    chords = start + (end - start) * (np.arange(4) / 3)[:, None]
    return np.where(vast[:, None, None], chords, controls)


def _crossings(graph: SplineGraph, measured: Measured, limits: Limits, lines: _Polylines) -> list[Finding]:
    edges = lines.edges
    level = np.zeros(len(edges.line))
    found = crossings_of_edges(lines.places, edges, level, level > 0, np.inf)
    pair = edges.line[found.edges]
    t = _between(lines.t[found.edges], found.share)
    swap = pair[:, 0] > pair[:, 1]
    pair[swap], t[swap] = pair[swap, ::-1], t[swap, ::-1]
    other = (pair[:, 0] != pair[:, 1]) & ~measured.void[pair].any(axis=1)
    pair, t = pair[other], t[other]
    t, met = _refined(measured.controls[pair], t)
    spots = bezier.evaluate(measured.controls[pair], t)
    real = met & ~_at_joint(graph, measured, pair, spots, limits.near)
    rows = np.flatnonzero(real)[_once(pair[real], spots[real])]
    rise = spots[rows, 1, 2] - spots[rows, 0, 2]
    low = np.abs(rise) < limits.clearance
    return _crossing_findings("crossing", pair[rows[low]], spots[rows[low]]) + _crossing_findings(
        "overpass", pair[rows[~low]], spots[rows[~low]]
    )


def _crossing_findings(code: str, pair: Ints, spots: Floats) -> list[Finding]:
    rise = spots[:, 1, 2] - spots[:, 0, 2]
    messages = [
        f"crosses segment {other} in plan, {_height(height)}"
        for other, height in zip(pair[:, 1].tolist(), rise.tolist())
    ]
    paths = [f"$.segments[{row}]" for row in pair[:, 0]]
    return findings(code, paths, messages, spots.mean(axis=1), np.abs(rise))


def _height(rise: float) -> str:
    """Say how high a segment is at a crossing; the other one is `rise` [m] above it."""
    if abs(rise) < 0.005:
        return "at the same height"
    return f"{abs(rise):.2f} m {'below' if rise > 0 else 'above'} it"


def _between(ends: Floats, share: Floats) -> Floats:
    return ends[..., 0] + share * (ends[..., 1] - ends[..., 0])


def _refined(controls: Floats, t: Floats) -> tuple[Floats, Bools]:
    """Move the parameters (Q, 2) of crossings of polylines to those of the curves (Q, 2, 4, 3).

    By Newton's method; also tell where it has found a place that both curves go through.
    """
    met = np.zeros(len(t), bool)
    for _ in range(12):
        gap = np.diff(bezier.evaluate(controls, t)[..., :2], axis=1)[:, 0]
        met = np.hypot(*gap.T) < 1e-6
        if met.all():
            break
        way = bezier.derivative(controls, t)[..., :2]
        turn = way[:, 0, 0] * way[:, 1, 1] - way[:, 0, 1] * way[:, 1, 0]
        steps = np.column_stack(
            [
                gap[:, 0] * way[:, 1, 1] - gap[:, 1] * way[:, 1, 0],
                gap[:, 0] * way[:, 0, 1] - gap[:, 1] * way[:, 0, 0],
            ]
        )
        t = np.clip(t + np.divide(steps, turn[:, None], out=np.zeros_like(t), where=turn[:, None] != 0), 0, 1)
    return t, met


def _at_joint(graph: SplineGraph, measured: Measured, pair: Ints, spots: Floats, near: float) -> Bools:
    """Mark crossings beside a point that both segments share: there they meet anyway."""
    ends = measured.group[graph.ends[pair]]
    shared = (ends[:, 0, :, None] == ends[:, 1, None, :]).any(axis=2)
    away = np.linalg.norm((graph.points[ends[:, 0]] - spots[:, :1])[..., :2], axis=2)
    joint: Bools = (shared & (away < near)).any(axis=1)
    return joint


def _once(pair: Ints, spots: Floats) -> Ints:
    """Give the first row of each crossing; one on a vertex of a polyline is found for both of its edges."""
    key = np.column_stack([pair, np.round(spots[:, 0, :2], 3)])
    return np.sort(np.unique(key, axis=0, return_index=True)[1])


def _near_misses(graph: SplineGraph, measured: Measured, limits: Limits, lines: _Polylines) -> list[Finding]:
    point, segment, gap, foot = _nearest(graph, measured, limits, lines)
    ends = measured.group[graph.ends[segment]]
    facing = _facing(graph, measured, point, segment, foot)
    keep = ~((facing >= 0) & (facing < point) & np.isin(facing, point))
    joined = (ends == point[:, None]).any(axis=1)
    point, segment, gap = (values[keep & ~joined] for values in (point, segment, gap))
    messages = [
        f"ends {distance:.3g} m from segment {other}, which it does not meet"
        for other, distance in zip(segment.tolist(), gap.tolist())
    ]
    return findings("near-miss", [f"$.points[{row}]" for row in point], messages, graph.points[point], gap)


def _nearest(
    graph: SplineGraph, measured: Measured, limits: Limits, lines: _Polylines
) -> tuple[Ints, Ints, Floats, Floats]:
    """Give dead ends with the nearest segment each: point, segment, distance, and parameter of its foot."""
    alone = np.bincount(measured.group[graph.ends].ravel(), minlength=len(graph.points)) == 1
    tips = np.flatnonzero(alone)
    own = np.full(len(graph.points), -1)
    own[measured.group[graph.ends].ravel()] = np.repeat(np.arange(len(graph)), 2)
    place, edge = near_edges(lines.places, lines.edges, tips, limits.near + FLATNESS)
    segment = lines.edges.line[edge]
    other = ~_next_to(graph, measured, own[place], segment, 2 * limits.near)
    place, edge, segment = place[other], edge[other], segment[other]
    t, gap = _foot(measured.controls[segment], lines.t[edge], graph.points[place])
    order = np.lexsort((gap, place))
    order = order[gap[order] <= limits.near]
    first = order[np.unique(place[order], return_index=True)[1]]
    return place[first], segment[first], gap[first], t[first]


def _next_to(graph: SplineGraph, measured: Measured, own: Ints, segment: Ints, short: float) -> Bools:
    """Mark segments that are a dead end's own, or that a short one hangs on."""
    ends, others = measured.group[graph.ends[own]], measured.group[graph.ends[segment]]
    touch = (ends[:, :, None] == others[:, None, :]).any(axis=(1, 2))
    beside: Bools = (own == segment) | (touch & (measured.length[own] <= short))
    return beside


def _foot(controls: Floats, span: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Give the parameter within a span (Q, 2) where each curve is nearest to a point, and how near [m]."""
    low, high = span.min(axis=1), span.max(axis=1)
    steps = np.linspace(0, 1, 17)
    rows = np.arange(len(controls))
    best, gap = low, np.zeros(len(controls))
    for _ in range(3):
        t = low[:, None] + (high - low)[:, None] * steps
        away = np.linalg.norm(bezier.evaluate(controls[:, None], t) - points[:, None], axis=2)
        at = away.argmin(axis=1)
        best, gap = t[rows, at], away[rows, at]
        low, high = t[rows, np.maximum(at - 1, 0)], t[rows, np.minimum(at + 1, 16)]
    return best, gap


def _facing(graph: SplineGraph, measured: Measured, point: Ints, segment: Ints, foot: Floats) -> Ints:
    """Give the point at whose end a foot lies, -1 = on the inside."""
    ends = measured.group[graph.ends[segment]]
    return np.select([foot < 1e-9, foot > 1 - 1e-9], [ends[:, 0], ends[:, 1]], -1)
