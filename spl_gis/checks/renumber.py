"""Mends that change how many points and segments there are."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import bezier
from ..model import Bools, Floats, Ints, Spans, SplineGraph, from_control_points
from .curves import self_crossings
from .limits import Limits
from .measure import measure
from .mends import Mended


def drop_void(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Leave out segments without length; the ones after them move up."""
    void = measure(graph, limits).void
    if not void.any():
        return Mended(graph, {}, {})
    return Mended(take_segments(graph, np.flatnonzero(~void)), {"zero-length": int(void.sum())}, {})


def drop_unreferenced(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Leave out points without a segment; the ones after them move up."""
    used = np.bincount(graph.ends.ravel(), minlength=len(graph.points)) > 0
    if used.all():
        return Mended(graph, {}, {})
    number = np.cumsum(used) - 1
    better = dataclasses.replace(graph, points=graph.points[used], ends=number[graph.ends])
    return Mended(better, {"unreferenced-point": int((~used).sum())}, {})


def split_loops(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Cut segments that cross themselves where they do, and their loop in the middle.

    The first piece takes the index of the segment, the other three come after all others; new points too.
    Both ways through the crossing share a point when their heights differ by no more than twice ``reach``.
    """
    measured = measure(graph, limits)
    t, loop = self_crossings(measured.controls, limits)
    rows = np.flatnonzero(loop & ~measured.void)
    cuts = np.insert(t[rows], 1, t[rows].mean(axis=1), axis=1)
    cuts = np.pad(cuts, ((0, 0), (1, 1)), constant_values=(0, 1))
    pieces = bezier.subsegment(measured.controls[rows, None], cuts[:, :-1], cuts[:, 1:])
    good = (bezier.length(pieces) > limits.coincident).all(axis=1)
    left = {"loop": int((~good).sum())} if not good.all() else {}
    if not good.any():
        return Mended(graph, {}, left)
    better = _split(graph, rows[good], cuts[good], pieces[good], 2 * reach)
    return Mended(better, {"loop": int(good.sum())}, left)


def _split(graph: SplineGraph, rows: Ints, cuts: Floats, pieces: Floats, height: float) -> SplineGraph:
    """Put four pieces, control points (Q, 4, 4, 3), in the place of each of some segments."""
    number = len(rows)
    spots = pieces[:, 1:, 0].copy()  # at the crossing, in the middle of the loop, at the crossing again
    shared = np.abs(spots[:, 2, 2] - spots[:, 0, 2]) <= height
    spots[shared, 0] = (spots[shared, 0] + spots[shared, 2]) / 2
    point = np.where(shared[:, None] & [False, False, True], -1, 0)
    point[point == 0] = len(graph.points) + np.arange((point == 0).sum())
    point[:, 2] = np.where(shared, point[:, 0], point[:, 2])
    fresh = spots[~(shared[:, None] & [False, False, True])]
    way = np.column_stack([graph.ends[rows, 0], point, graph.ends[rows, 1]])
    ends = np.stack([way[:, :-1], way[:, 1:]], axis=2)
    tangents = from_control_points(pieces.reshape(-1, 4, 3)).reshape(number, 4, 2, 3)
    at = np.stack([cuts[:, :-1], cuts[:, 1:]], axis=2)
    ups = bezier.up_between(graph.ups[rows, None, None], at)
    parent = np.concatenate([np.arange(len(graph)), np.repeat(rows, 3)])
    grown = take_segments(graph, parent)

    def placed(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        values = old.copy()
        values[rows], values[len(graph) :] = new[:, 0], new[:, 1:].reshape(-1, *new.shape[2:])
        return values

    changed = np.zeros(len(grown), bool) if not len(grown.changed) else grown.changed.copy()
    changed[rows] = changed[len(graph) :] = True
    return dataclasses.replace(
        grown,
        points=np.concatenate([graph.points, fresh]),
        ends=placed(grown.ends, ends),
        tangents=placed(grown.tangents, tangents),
        ups=placed(grown.ups, ups),
        changed=changed,
        spans=_split_spans(graph.spans, rows, cuts, len(graph)) if graph.spans else None,
    )


def _split_spans(spans: Spans, rows: Ints, cuts: Floats, size: int) -> Spans:
    """Lead source lines along the pieces of segments; pieces 1 to 3 are appended to `size` segments."""
    which = np.full(size, -1)
    which[rows] = np.arange(len(rows))
    which = which[spans.segment]
    cuts = np.append(cuts, [[0.0, 1.0, 1.0, 1.0, 1.0]], axis=0)[which]  # a segment that stays is one piece
    low, high = cuts[:, :-1], cuts[:, 1:]
    width = np.where(high > low, high - low, 1.0)
    local = np.clip((spans.parameters[:, None] - low[..., None]) / width[..., None], 0, 1)
    segment = np.where(
        np.arange(4) == 0, spans.segment[:, None], size + 3 * which[:, None] + np.arange(4) - 1
    )
    back = spans.parameters[:, 0] > spans.parameters[:, 1]
    segment[back], local[back] = segment[back, ::-1], local[back, ::-1]
    keep = local[..., 0] != local[..., 1]
    line = np.broadcast_to(spans.line[:, None], keep.shape)
    return Spans(line[keep], segment[keep], local[keep])


def take_segments(graph: SplineGraph, parent: Ints) -> SplineGraph:
    """Give some segments of a graph, perhaps several times, with what is known of them.

    Pieces of one segment keep its row: so its line still finds them, one after the other.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    parent : ndarray of int, shape (K,)
        Which segments, each for the first time in their order.
    """
    spans = graph.spans
    if spans:
        there = np.full(len(graph), -1)
        there[parent[::-1]] = np.arange(len(parent))[::-1]
        spans = spans.take(there[spans.segment] >= 0, there)
    return dataclasses.replace(
        graph,
        ends=graph.ends[parent],
        tangents=graph.tangents[parent],
        ups=graph.ups[parent],
        line=graph.line[parent],
        row=graph.order[parent],
        changed=graph.changed[parent] if len(graph.changed) else graph.changed,
        spans=spans,
    )


def moved(graph: SplineGraph, was: SplineGraph) -> Bools:
    """Tell which segments have other ends or handles than the segments of the same index had."""
    ends = (graph.points[graph.ends] != was.points[was.ends]).any(axis=(1, 2))
    other: Bools = ends | (graph.tangents != was.tangents).any(axis=(1, 2))
    return other
