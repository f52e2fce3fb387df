"""Segments cut in two; everything else keeps its place."""

from __future__ import annotations

import dataclasses

import numpy as np

from . import bezier
from .model import Bools, Floats, Ints, Source, Spans, SplineGraph, control_points, from_control_points
from .topology import renumber


def cut(graph: SplineGraph, which: Bools, at: Floats | float = 0.5) -> SplineGraph:
    """Cut segments in two; their curves stay the same.

    A segment that is cut keeps its index for its first part. New points and second parts are appended, in
    the order of the segments that they come from, so that references by index stay true for all others.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    which : ndarray of bool, shape (M,)
        Which segments to cut.
    at : ndarray, shape (M,), or float
        Parameter at which each is cut, between 0 and 1.
    """
    whole = np.flatnonzero(which)
    t = np.broadcast_to(np.asarray(at, np.float64), (len(graph),))
    parts = np.concatenate(bezier.split(control_points(graph)[whole], t[whole]))
    middle = len(graph.points) + np.arange(len(whole))
    index = np.append(whole, len(graph) + np.arange(len(whole)))
    size = len(graph) + len(whole)
    old = np.append(np.arange(len(graph)), whole)
    ends, tangents, ups = graph.ends[old], graph.tangents[old], graph.ups[old]
    tangents[index] = from_control_points(parts)
    ends[index[: len(whole)], 1] = ends[index[len(whole) :], 0] = middle
    between = bezier.up_between(graph.ups[whole], t[whole])
    ups[index[: len(whole)], 1] = ups[index[len(whole) :], 0] = between
    row, kept = _rows(graph, np.bincount(old, minlength=len(graph)), np.arange(size) >= len(graph), old)
    spans = None if graph.spans is None else _spans(graph.spans, _second(which, len(graph)), t)
    return dataclasses.replace(
        graph,
        points=np.concatenate([graph.points, parts[: len(whole), 3]]),
        ends=ends,
        tangents=tangents,
        ups=ups,
        line=graph.line[old] if spans is None else _lines(graph.line[old], spans, len(graph)),
        row=row,
        changed=graph.changed[old] if len(graph.changed) else graph.changed,
        source=kept,
        spans=spans,
    )


def in_order(graph: SplineGraph) -> SplineGraph:
    """Give a graph that nothing refers to yet with its parts in their places: segments follow their lines.

    Parameters
    ----------
    graph : SplineGraph
        A new graph, of which segments may have been cut.
    """
    if len(graph.row) == 0:
        return graph
    order = np.argsort(graph.row)
    number = renumber(graph.ends[order].ravel())
    points = np.empty_like(graph.points)
    points[number] = graph.points[graph.ends[order].ravel()]
    return dataclasses.replace(
        graph,
        points=points,
        ends=number.reshape(-1, 2),
        tangents=graph.tangents[order],
        ups=graph.ups[order],
        line=graph.line[order],
        row=np.zeros(0, np.int64),
        spans=None if graph.spans is None else graph.spans.take(slice(None), np.argsort(order)),
    )


def _second(which: Bools, size: int) -> Ints:
    """Give the index of each segment's second part, -1 = it is whole."""
    return np.where(which, size + np.cumsum(which) - 1, -1)


def _rows(graph: SplineGraph, parts: Ints, second: Bools, old: Ints) -> tuple[Ints, Source | None]:
    """Give the rows of the segments, and the source with room for second parts: each after its first."""
    row = graph.order
    there = row >= 0
    rows = row.max(initial=-1) + 1 if graph.source is None else len(graph.source.line)
    times = np.ones(rows, np.int64)
    times[row[there]] = parts[there]
    first = np.cumsum(times) - times
    moved = np.where(row < 0, -1, np.append(first, 0)[row])[old]
    moved[second & (moved >= 0)] += 1
    if graph.source is None:
        return moved, None
    vertex = np.repeat(graph.source.vertex, times, axis=0)
    halved = first[times > 1]
    vertex[halved, 1] = vertex[halved + 1, 0] = -1  # no vertex of the source lies in the middle
    line = np.repeat(graph.source.line, times)
    return moved, dataclasses.replace(graph.source, line=line, vertex=vertex)


def _spans(spans: Spans, second: Ints, t: Floats) -> Spans:
    """Give the spans on whole segments and parts; the parts in the direction that the line has there."""
    halved = second[spans.segment] >= 0
    old = np.repeat(np.arange(len(spans.line)), np.where(halved, 2, 1))
    number = np.append(False, old[1:] == old[:-1])[: len(old)].astype(np.int64)
    start, end = spans.parameters[old].T
    cut_here, at = halved[old], t[spans.segment[old]][:, None]
    part = np.where(cut_here, np.where(start <= end, number, 1 - number), 0)
    parameters = np.stack([start, end], axis=1)
    inside = np.where(part[:, None] == 0, parameters / at, (parameters - at) / (1 - at))
    parameters[cut_here] = np.clip(inside[cut_here], 0.0, 1.0)
    segment = np.where(part == 1, second[spans.segment[old]], spans.segment[old])
    some = parameters[:, 0] != parameters[:, 1]
    return Spans(spans.line[old][some], segment[some], parameters[some])


def _lines(line: Ints, spans: Spans, first: int) -> Ints:
    """Give second parts the line at their own start."""
    begins = (spans.parameters == 0).any(axis=1) & (spans.segment >= first)
    line[spans.segment[begins]] = spans.line[begins]
    return line
