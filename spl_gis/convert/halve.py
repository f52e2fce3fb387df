"""Segments cut in halves; everything else keeps its place."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import bezier
from ..model import Bools, Ints, Source, Spans, SplineGraph, control_points, from_control_points


def halve(graph: SplineGraph, cut: Bools) -> SplineGraph:
    """Cut segments in the middle of their parameter; their curves stay the same.

    A segment that is cut keeps its index for its first half. New points and second halves are appended, in
    the order of the segments that they come from, so that references by index stay true for all others.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    cut : ndarray of bool, shape (M,)
        Which segments to cut.
    """
    whole = np.flatnonzero(cut)
    halves = np.concatenate(bezier.split(control_points(graph)[whole], 0.5))
    middle = len(graph.points) + np.arange(len(whole))
    index = np.append(whole, len(graph) + np.arange(len(whole)))
    size = len(graph) + len(whole)
    old = np.append(np.arange(len(graph)), whole)
    ends, tangents, ups = graph.ends[old], graph.tangents[old], graph.ups[old]
    tangents[index] = from_control_points(halves)
    ends[index[: len(whole)], 1] = ends[index[len(whole) :], 0] = middle
    between = bezier.up_between(graph.ups[whole], 0.5)
    ups[index[: len(whole)], 1] = ups[index[len(whole) :], 0] = between
    parts = np.bincount(old, minlength=len(graph))
    row, kept = _rows(graph, parts, np.arange(size) >= len(graph), old)
    spans = None if graph.spans is None else _spans(graph.spans, _second(cut, len(graph)))
    return dataclasses.replace(
        graph,
        points=np.concatenate([graph.points, halves[: len(whole), 3]]),
        ends=ends,
        tangents=tangents,
        ups=ups,
        line=graph.line[old] if spans is None else _lines(graph.line[old], spans, len(graph)),
        row=row,
        changed=graph.changed[old] if len(graph.changed) else graph.changed,
        source=kept,
        spans=spans,
    )


def _second(cut: Bools, size: int) -> Ints:
    """Give the index of each segment's second half, -1 = it is whole."""
    return np.where(cut, size + np.cumsum(cut) - 1, -1)


def _rows(graph: SplineGraph, parts: Ints, second: Bools, old: Ints) -> tuple[Ints, Source | None]:
    """Give the rows of the segments, and the source with room for the halves: each right after the other."""
    row = graph.row if len(graph.row) else np.arange(len(graph))
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


def _spans(spans: Spans, second: Ints) -> Spans:
    """Give the spans on whole segments and halves; the halves in the direction that the line has there."""
    halved = second[spans.segment] >= 0
    old = np.repeat(np.arange(len(spans.line)), np.where(halved, 2, 1))
    number = np.append(False, old[1:] == old[:-1])[: len(old)].astype(np.int64)
    start, end = spans.parameters[old].T
    cut = halved[old]
    half = np.where(cut, np.where(start <= end, number, 1 - number), 0)
    parameters = np.stack([start, end], axis=1)
    parameters[cut] = np.clip(2 * parameters[cut] - half[cut, None], 0.0, 1.0)
    segment = np.where(half == 1, second[spans.segment[old]], spans.segment[old])
    some = parameters[:, 0] != parameters[:, 1]
    return Spans(spans.line[old][some], segment[some], parameters[some])


def _lines(line: Ints, spans: Spans, first: int) -> Ints:
    """Give second halves the line at their own start."""
    begins = (spans.parameters == 0).any(axis=1) & (spans.segment >= first)
    line[spans.segment[begins]] = spans.line[begins]
    return line
