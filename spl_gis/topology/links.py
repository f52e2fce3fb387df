"""Roads through nodes: which two chain ends belong together where chains meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints, LineStrings
from .chains import Chains, in_driving_order
from .likeness import equal, same_road
from .places import ranges

ALONG, FEATURE, ROAD, STRAIGHT = range(4)
"""Why two ends belong together, the strongest reason first: one line goes through, or both are of one
feature, or have one name and class, or are nearly straight on."""
MOST = np.radians([100.0, 100.0, 100.0, 30.0])
"""How far each may turn: above 100 degrees is always a corner, which needs nothing shared."""


class Paths(NamedTuple):
    """Polylines that lead along chains and through nodes.

    Attributes
    ----------
    chain : ndarray of int, shape (C,)
        Each chain once, one path after the other.
    reverse : ndarray of bool, shape (C,)
        Whether that chain is driven from its end to its start.
    begin : ndarray of int, shape (P + 1,)
        Path ``i`` drives along ``chain[begin[i]:begin[i + 1]]``; paths go by their lowest chain.
    vertex : ndarray of int, shape (V,)
        Row in the coordinates of each path's vertices; where two chains meet it is there once.
    offsets : ndarray of int, shape (P + 1,)
        Path ``i`` has the vertices ``vertex[offsets[i]:offsets[i + 1]]``.
    closed : ndarray of bool, shape (P,)
        Paths that go smoothly through their first vertex, which is also their last.
    stops : ndarray of bool, shape (V,)
        Vertices where the next chain begins; both ends of a path that closes at a node.
    """

    chain: Ints
    reverse: Bools
    begin: Ints
    vertex: Ints
    offsets: Ints
    closed: Bools
    stops: Bools


def link(scene: LineStrings, place: Ints, chains: Chains) -> Ints:
    """Pair chain ends that belong together.

    At each place the ends are paired one by one, each once at most: first those between which one line goes
    through, then those of one feature, then those of one road (`same_road`), then all others; of these, the
    pair that turns least. Pairs that turn by more than `MOST` are none.

    Parameters
    ----------
    scene : LineStrings
        The lines, with their features.
    place : ndarray of int, shape (K,)
        Place of each vertex.
    chains : Chains
        Pieces of the lines between nodes.

    Returns
    -------
    ndarray of int, shape (Q, 2)
        Ends of chains: ``2 c`` is the start of chain ``c``, ``2 c + 1`` its end.
    """
    row, beside = _end_rows(chains)
    pairs = _meetings(place[row], np.repeat(chains.closed, 2))
    direction = scene.coords[beside] - scene.coords[row]
    turn = _turns(direction[pairs[:, 0]], direction[pairs[:, 1]])
    reason = _reasons(scene, place, row, pairs)
    good = turn <= MOST[reason]
    pairs, turn, reason = pairs[good], turn[good], reason[good]
    # The last keys decide between equal turns, by place, so that the order of the lines does not matter.
    near = np.sort(place[beside][pairs], axis=1)
    return _greedy(pairs[np.lexsort((near[:, 1], near[:, 0], turn, reason))], 2 * len(chains.line))


def _end_rows(chains: Chains) -> tuple[Ints, Ints]:
    """Give the row of the vertex at each chain end, and of the one beside it."""
    first, last = chains.offsets[:-1], chains.offsets[1:] - 1
    row = chains.vertex[np.column_stack([first, last])].ravel()
    return row, chains.vertex[np.column_stack([first + 1, last - 1])].ravel()


def _meetings(place: Ints, closed: Bools) -> Ints:
    """Give all pairs, shape (Q, 2), of ends at one place."""
    ends = np.flatnonzero(~closed)
    ends = ends[np.argsort(place[ends], kind="stable")]
    stop = np.searchsorted(place[ends], place[ends], side="right")
    others, bounds = ranges(np.arange(1, len(ends) + 1), stop)
    return np.column_stack([np.repeat(ends, np.diff(bounds)), ends[others]])


def _turns(one: Floats, two: Floats) -> Floats:
    """Give the angles, 0 = straight on, between ways that set out in two directions."""
    cross = np.cross(one, two)
    angle: Floats = np.arctan2(np.sqrt((cross * cross).sum(axis=1)), -(one * two).sum(axis=1))
    return angle


def _reasons(scene: LineStrings, place: Ints, row: Ints, pairs: Ints) -> Ints:
    first, last = scene.offsets[:-1], scene.offsets[1:] - 1
    ring = place[first] == place[last]
    visit = np.arange(len(place))
    visit[last[ring]] = first[ring]  # the seam of a ring is one visit to its place
    visit = visit[row]
    a, b = _features(scene, row)[pairs].T
    along = visit[pairs[:, 0]] == visit[pairs[:, 1]]
    return np.select([along, a == b, same_road(scene.features, a, b)], [ALONG, FEATURE, ROAD], STRAIGHT)


def _features(scene: LineStrings, row: Ints) -> Ints:
    """Give the feature of each row."""
    return np.asarray(scene.feature[np.searchsorted(scene.offsets, row, side="right") - 1])


def link_pieces(scene: LineStrings, place: Ints, chains: Chains, by: Sequence[str] | None) -> Ints:
    """Pair the chain ends at places where only two meet, if their features agree in the columns `by`.

    Ends that turn by more than ``MOST[ALONG]`` are not paired. Arguments and result are else those of `link`.

    Raises
    ------
    OptionError
        When there is no such column.
    """
    row, beside = _end_rows(chains)
    pairs = _meetings(place[row], np.repeat(chains.closed, 2))
    meeting = np.bincount(pairs.ravel(), minlength=len(row))
    direction = scene.coords[beside] - scene.coords[row]
    a, b = pairs.T
    good = (meeting[a] == 1) & (_turns(direction[a], direction[b]) <= MOST[ALONG])
    features = _features(scene, row)
    good &= equal(scene.features, by, features[a], features[b])
    return np.asarray(pairs[good])


def _greedy(pairs: Ints, ends: int) -> Ints:
    """Take pairs in their order, unless one of their ends is taken already."""
    taken = [pairs[:0]]
    while len(pairs):
        number = np.arange(len(pairs))
        best = np.full(ends, len(pairs))
        np.minimum.at(best, pairs.ravel(), np.repeat(number, 2))
        first = (best[pairs] == number[:, None]).all(axis=1)
        taken.append(pairs[first])
        used = np.zeros(ends, bool)
        used[pairs[first]] = True
        pairs = pairs[~used[pairs].any(axis=1)]
    return np.concatenate(taken)


def follow_links(place: Ints, chains: Chains, links: Ints) -> Paths:
    """Lead paths along chains and from one to the next where their ends are linked.

    A path goes the way of its lowest chain, and a closed one begins with it; chains are compared by their
    places, so that the order of the lines does not matter.

    Parameters
    ----------
    place : ndarray of int, shape (K,)
        Place of each vertex.
    chains : Chains
        Pieces of the lines between nodes.
    links : ndarray of int, shape (Q, 2)
        As `link` gives them.
    """
    row, beside = (place[rows].reshape(-1, 2) for rows in _end_rows(chains))
    order = np.lexsort((beside[:, 1], beside[:, 0], row[:, 1], row[:, 0]))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    one, two = (2 * rank[links // 2] + links % 2).T
    follow = np.full(2 * len(order), -1)
    follow[one ^ 1], follow[two ^ 1] = two, one
    runs = in_driving_order(follow)
    first = np.argsort(np.minimum.reduceat(order[runs.segment], runs.offsets[:-1]))
    rows, begin = ranges(runs.offsets[:-1][first], runs.offsets[1:][first])
    chain, reverse = order[runs.segment[rows]], runs.reverse[rows]
    half = 2 * runs.segment[rows] + reverse
    joined = follow[half[begin[1:] - 1]] == half[begin[:-1]]
    vertex, offsets, stops = _vertices(chains, chain, reverse, begin)
    stops[offsets[:-1]] = stops[offsets[1:] - 1] = joined
    closed = joined | chains.closed[chain[begin[:-1]]]
    return Paths(chain, reverse, begin, vertex, offsets, closed, stops)


def _vertices(chains: Chains, chain: Ints, reverse: Bools, runs: Ints) -> tuple[Ints, Ints, Bools]:
    """Give the vertices of paths, where each path begins and ends among them, and where a chain begins."""
    begin, size = chains.offsets[chain], np.diff(chains.offsets)[chain]
    last = np.zeros(len(chain), bool)
    last[runs[1:] - 1] = True
    at, bounds = ranges(np.zeros_like(size), size - ~last)  # the next chain has the last vertex, too
    number = np.repeat(np.arange(len(chain)), np.diff(bounds))
    at = np.where(reverse[number], size[number] - 1 - at, at)
    return chains.vertex[begin[number] + at], bounds[runs], _starts(bounds)


def _starts(bounds: Ints) -> Bools:
    starts = np.zeros(bounds[-1], bool)
    starts[bounds[:-1]] = True
    return starts
