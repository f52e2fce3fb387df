"""Welding by distance: clusters of near places, each of which becomes one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .places import near_pairs, ranges


class Ways(NamedTuple):
    """Short ways along the lines between two places.

    Attributes
    ----------
    key : ndarray of int, shape (W,)
        ``from * places + to`` of each way, ascending.
    length : ndarray, shape (W,)
        Length in plan [m] of the shortest way.
    """

    key: Ints
    length: Floats

    def between(self, start: Ints, end: Ints, places: int) -> Floats:
        """Give the length of the short way between places, infinite where there is none."""
        key = start * places + end
        at = np.minimum(np.searchsorted(self.key, key), max(len(self.key) - 1, 0))
        if len(self.key) == 0:
            return np.full(len(key), np.inf)
        return np.where(self.key[at] == key, self.length[at], np.inf)


def cluster(
    points: Floats, edges: Ints, distance: float, z_distance: float, levels: Floats | None = None
) -> Ints:
    """Find which places become one: clusters no wider than a distance.

    The two nearest clusters become one, again and again, as long as all members of both are near each other
    (complete linkage). Never in one cluster are two places with a way along the lines between them that is no
    longer than twice the distance, so that a short real link, or a line with vertices close together, stays
    what it is; and two places whose levels do not touch.

    A cluster lies where that of its members lies that has the fewest near places outside, then the most
    edges. A cluster is given up when its place would be near enough to yet another place to be welded with
    it: so a second weld finds nothing to do. Nothing depends on the order of edges.

    Parameters
    ----------
    points : ndarray, shape (P, 3)
        Different places in metres, numbered as `ordered_places` does.
    edges : ndarray of int, shape (E, 2)
        What the lines join.
    distance, z_distance : float
        No two members of a cluster are further apart in plan and in height [m].
    levels : ndarray of float, shape (P, 2), optional
        Lowest and highest level of each place.

    Returns
    -------
    ndarray of int, shape (P,)
        The place that each becomes: itself, or another member of its cluster.
    """
    target = np.arange(len(points))
    pairs = near_pairs(points, distance, z_distance)
    levels = np.zeros((len(points), 2)) if levels is None else levels
    while len(pairs):
        pairs = pairs[(target[pairs] == pairs).all(axis=1)]
        step = _settled(points, target[edges], pairs, distance, levels)
        if (step == np.arange(len(step))).all():
            break
        target = step[target]
        levels = _merged(levels, step)
    return target


def short_ways(points: Floats, edges: Ints, limit: float, starts: Ints) -> Ways:
    """Find the ways along edges from some places that are no longer than a limit in plan."""
    length = np.hypot(*(points[edges[:, 1], :2] - points[edges[:, 0], :2]).T)
    return ways_within(edges, length, len(points), limit, starts)


def ways_within(edges: Ints, length: Floats, size: int, limit: float, starts: Ints) -> Ways:
    """Find the ways along edges from some places that are no longer than a limit.

    From step to step only those ways are led on that were found, or became shorter, in the step before.

    Parameters
    ----------
    edges : ndarray of int, shape (E, 2)
        What leads from place to place, both ways.
    length : ndarray, shape (E,)
        Length of each edge.
    size : int
        How many places there are.
    limit : float
        Greatest length of a way.
    starts : ndarray of int
        Places where ways begin.
    """
    both, length = np.concatenate([edges, edges[:, ::-1]]), np.tile(length, 2)
    short = (length <= limit) & (both[:, 0] != both[:, 1])
    step = _shortest(both[short, 0] * size + both[short, 1], length[short])
    known = np.isin(step.key // size, starts)
    ways = found = Ways(step.key[known], step.length[known])
    while len(found.key):
        origin, here = np.divmod(found.key, size)
        rows, offsets = ranges(*(np.searchsorted(step.key, (here + more) * size) for more in (0, 1)))
        number = np.diff(offsets)
        onward = np.repeat(found.length, number) + step.length[rows]
        origin, end = np.repeat(origin, number), step.key[rows] % size
        good = (onward <= limit) & (origin != end)
        more = _shortest(origin[good] * size + end[good], onward[good])
        better = more.length < ways.between(more.key // size, more.key % size, size)
        found = Ways(more.key[better], more.length[better])
        if len(found.key):
            key = np.concatenate([ways.key, found.key])
            ways = _shortest(key, np.concatenate([ways.length, found.length]))
    return ways


def _shortest(key: Ints, length: Floats) -> Ways:
    order = np.lexsort((length, key))
    key = key[order]
    first = np.ones(len(key), bool)
    first[1:] = key[1:] != key[:-1]
    return Ways(key[first], length[order][first])


def _settled(points: Floats, edges: Ints, pairs: Ints, distance: float, levels: Floats) -> Ints:
    """Give the clusters of one round; those that would leave yet another pair to weld are given up."""
    free, ways = _free(points, edges, pairs, distance, levels)
    label = _complete_linkage(points, pairs[free])
    while True:
        step = _represented(label, pairs[free], np.bincount(edges.ravel(), minlength=len(points)))
        moved = step != np.arange(len(step))
        if not moved.any():
            return step
        stay = ~moved[pairs].any(axis=1)
        again = stay.copy()
        again[stay] = _free(points, step[edges], pairs[stay], distance, _merged(levels, step))[0]
        grown = np.zeros(len(points), bool)
        grown[step[moved]] = True
        touched = grown[pairs].any(axis=1)
        bad = pairs[again & (touched | ~free)]
        if len(bad) == 0:
            return step
        lost = np.union1d(label[bad], label[_led_past(bad[~grown[bad].any(axis=1)], ways, len(points))])
        given_up = np.isin(label, lost)
        if not given_up[moved].any():
            given_up[:] = True
        label = np.where(given_up, np.arange(len(label)), label)


def _led_past(pairs: Ints, ways: Ways, places: int) -> Ints:
    """Give the places near pairs along the lines: if they move, the way between a pair gets longer."""
    origin, here = np.divmod(ways.key, places)
    return here[np.isin(origin, pairs)]


def _free(points: Floats, edges: Ints, pairs: Ints, distance: float, levels: Floats) -> tuple[Bools, Ways]:
    """Mark the pairs that may become one place; also give the short ways from their lower places."""
    ways = short_ways(points, edges, 2 * distance, np.unique(pairs[:, 0]))
    apart = np.isinf(ways.between(pairs[:, 0], pairs[:, 1], len(points)))
    low, high = levels[pairs].transpose(2, 0, 1)
    return apart & (low.max(axis=1) <= high.min(axis=1)), ways


def _merged(levels: Floats, step: Ints) -> Floats:
    merged = levels.copy()
    np.minimum.at(merged[:, 0], step, levels[:, 0])
    np.maximum.at(merged[:, 1], step, levels[:, 1])
    return merged


def _complete_linkage(points: Floats, pairs: Ints) -> Ints:
    """Label clusters by their lowest member; all nearest neighbours of each other join at once."""
    label, members = np.arange(len(points)), np.ones(len(points), np.int64)
    gap = np.hypot(*(points[pairs[:, 1], :2] - points[pairs[:, 0], :2]).T)
    while True:
        joins = np.sort(label[pairs], axis=1)
        between = joins[:, 0] != joins[:, 1]
        joins, widest, number = _grouped(joins[between], gap[between])
        whole = number == members[joins].prod(axis=1)
        joins, widest = joins[whole], widest[whole]
        if len(joins) == 0:
            return label
        joins = joins[np.lexsort((joins[:, 1], joins[:, 0], widest))]
        rank = np.arange(len(joins))
        best = np.full(len(points), -1)
        best[joins[::-1].ravel()] = np.repeat(rank[::-1], 2)  # the last one written is the nearest
        low, high = joins[(best[joins] == rank[:, None]).all(axis=1)].T
        members[low] += members[high]
        into = np.arange(len(points))
        into[high] = low
        label = into[label]


def _grouped(joins: Ints, gap: Floats) -> tuple[Ints, Floats, Ints]:
    """Give each different pair of clusters once, with its widest gap and its number of pairs."""
    order = np.lexsort((joins[:, 1], joins[:, 0]))
    joins, gap = joins[order], gap[order]
    if len(joins) == 0:
        return joins, gap, np.zeros(0, np.int64)
    first = np.flatnonzero(np.append(True, (joins[1:] != joins[:-1]).any(axis=1)))
    return joins[first], np.maximum.reduceat(gap, first), np.diff(np.append(first, len(joins)))


def _represented(label: Ints, pairs: Ints, degree: Ints) -> Ints:
    """Give each place the member of its cluster that the cluster lies at."""
    size = len(label)
    outside = np.bincount(pairs[label[pairs[:, 0]] != label[pairs[:, 1]]].ravel(), minlength=size)
    order = np.lexsort((np.arange(size), -degree, outside, label))
    first = np.searchsorted(label[order], label)
    return order[first]
