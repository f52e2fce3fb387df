"""The edges of welded lines, and a fast way to find those that are near something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .boxes import box_tree, meeting_boxes
from .places import ranges

PIECE = 16
"""So many edges in a row share one box in the search tree."""


Boxes = tuple[Floats, Floats]
"""Lower and upper corners in plan, each of shape (2, B)."""

_BATCH = 1 << 12
"""Pieces looked into together: what that needs stays in the cache."""


class Edges(NamedTuple):
    """What joins neighbouring vertices of lines.

    Attributes
    ----------
    vertex : ndarray of int, shape (E,)
        Row of the vertex at which each edge begins, ascending.
    ends : ndarray of int, shape (E, 2)
        Places of each edge, the lower first: two edges over each other are computed alike to the last bit.
    backward : ndarray of bool, shape (E,)
        Whether the line runs from the second place to the first.
    line : ndarray of int, shape (E,)
        The line that each edge is of.
    pieces : ndarray of int, shape (B + 1,)
        Edges ``pieces[i]`` to ``pieces[i + 1]`` follow each other in one line.
    """

    vertex: Ints
    ends: Ints
    backward: Bools
    line: Ints
    pieces: Ints


def edges_of(place: Ints, offsets: Ints) -> Edges:
    """List the edges of lines, of which each vertex has a place and neighbours differ."""
    begins = np.ones(len(place), bool)
    begins[offsets[1:] - 1] = False
    vertex = np.flatnonzero(begins)
    line = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets) - 1)
    within = vertex - offsets[line]
    pieces = np.append(np.flatnonzero(within % PIECE == 0), len(vertex))
    ends = np.column_stack([place[vertex], place[vertex + 1]])
    return Edges(vertex, np.sort(ends, axis=1), ends[:, 0] > ends[:, 1], line, pieces)


def near_edges(points: Floats, edges: Edges, wanted: Ints, distance: float) -> tuple[Ints, Ints]:
    """Find edges whose box is within a distance of a place, in plan.

    Returns
    -------
    place, edge : ndarray of int, shape (Q,)
        Of `wanted`, and the row of an edge.
    """
    boxes = _boxes(points, edges)
    tree = box_tree(*(side.T for side in _piece_boxes(*boxes, edges)))
    which, piece = meeting_boxes(tree, points[wanted, :2] - distance, points[wanted, :2] + distance)
    found = [
        _near(points, edges, boxes, wanted[which[rows]], piece[rows], distance)
        for rows in _slices(len(which))
    ]
    none = np.zeros(0, np.int64)
    place, edge = (np.concatenate([none, *parts]) for parts in zip((none, none), *found))
    return place, edge


def _near(
    points: Floats, edges: Edges, boxes: Boxes, place: Ints, piece: Ints, distance: float
) -> tuple[Ints, Ints]:
    """Find the pairs of places and edges of pairs of places and pieces; see `near_edges`."""
    rows, offsets = ranges(edges.pieces[piece], edges.pieces[piece + 1])
    place = np.repeat(place, np.diff(offsets))
    for axis, low, high in zip((0, 1), *boxes):
        here = points[place, axis]
        near = (low[rows] - distance <= here) & (here <= high[rows] + distance)
        place, rows = place[near], rows[near]
    return place, rows


def meeting_edges(points: Floats, edges: Edges) -> Ints:
    """Find pairs of edges whose boxes meet in plan and that share no place.

    Returns
    -------
    ndarray of int, shape (Q, 2)
        Rows of edges, each pair once.
    """
    boxes = _boxes(points, edges)
    pieces = _piece_boxes(*boxes, edges)
    corners = [side.T for side in pieces]
    first, second = meeting_boxes(box_tree(*corners), *corners)
    kept = (first < second) | ((first == second) & ~_onward(points, edges)[first])
    first, second = first[kept], second[kept]
    met = [_met(edges, boxes, pieces, first[rows], second[rows]) for rows in _slices(len(first))]
    return np.concatenate([np.zeros((0, 2), np.int64), *met])


def _met(edges: Edges, boxes: Boxes, pieces: Boxes, first: Ints, second: Ints) -> Ints:
    """Find the pairs of edges of pairs of pieces; see `meeting_edges`."""
    shared = (
        np.maximum(pieces[0][:, first], pieces[0][:, second]),
        np.minimum(pieces[1][:, first], pieces[1][:, second]),
    )
    one, own = _inside(edges.pieces, first, boxes, shared)
    other, bounds = _inside(edges.pieces, second, boxes, shared)
    owner = np.repeat(np.arange(len(first)), np.diff(own))
    rows, offsets = ranges(bounds[owner], bounds[owner + 1])
    a, b = np.repeat(one, np.diff(offsets)), other[rows]
    meet = (a < b) | ~np.repeat((first == second)[owner], np.diff(offsets))
    a, b = a[meet], b[meet]
    low, high = boxes
    meet = ((low[:, a] <= high[:, b]) & (low[:, b] <= high[:, a])).all(axis=0)
    a, b = a[meet], b[meet]
    touch = (edges.ends[a][:, :, None] == edges.ends[b][:, None, :]).any(axis=(1, 2))
    return np.asarray(np.column_stack([a, b])[~touch])


def _slices(size: int) -> Iterator[slice]:
    return (slice(at, at + _BATCH) for at in range(0, size, _BATCH))


def _boxes(points: Floats, edges: Edges) -> Boxes:
    plan = np.ascontiguousarray(points[:, :2])
    a, b = (np.take(plan, place, axis=0).T for place in edges.ends.T)
    return np.minimum(a, b, order="C"), np.maximum(a, b, order="C")


def _piece_boxes(low: Floats, high: Floats, edges: Edges) -> Boxes:
    starts = edges.pieces[:-1]
    return np.minimum.reduceat(low, starts, axis=1), np.maximum.reduceat(high, starts, axis=1)


def _onward(points: Floats, edges: Edges) -> Bools:
    """Mark pieces whose edges all go on towards the piece's end: those cannot cross themselves."""
    step = points[edges.ends[:, 1], :2] - points[edges.ends[:, 0], :2]
    step[edges.backward] *= -1
    starts = edges.pieces[:-1]
    whole = np.repeat(np.add.reduceat(step, starts), np.diff(edges.pieces), axis=0)
    ahead: Bools = np.minimum.reduceat((step * whole).sum(axis=1), starts) > 0
    return ahead


def _inside(pieces: Ints, which: Ints, boxes: Boxes, shared: Boxes) -> tuple[Ints, Ints]:
    """List those edges of pieces that reach into a box each; also where each piece's begin and end."""
    rows, offsets = ranges(pieces[which], pieces[which + 1])
    owner = np.repeat(np.arange(len(which)), np.diff(offsets))
    (low, high), (shared_low, shared_high) = boxes, shared
    reach = (low[:, rows] <= shared_high[:, owner]) & (shared_low[:, owner] <= high[:, rows])
    inside = reach.all(axis=0)
    return rows[inside], np.concatenate([[0], np.cumsum(inside)])[offsets]
