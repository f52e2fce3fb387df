"""Numbers for places: equal coordinates, pairs of near ones, and what hangs together."""

from __future__ import annotations

import numpy as np

from ..model import Floats, Ints


def weld(coords: Floats) -> Ints:
    """Give each vertex the number of its place: equal coordinates are one place.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Finite coordinates.

    Returns
    -------
    ndarray of int, shape (K,)
        Places are numbered in the order in which they first appear.
    """
    return renumber(ordered_places(coords))


def ordered_places(coords: Floats) -> Ints:
    """Give each vertex the number of its place as `weld` does, but numbered by z, then y, then x.

    These numbers say nothing about the order in which the vertices came.
    """
    if len(coords) == 0:
        return np.zeros(0, np.int64)
    coords = coords + 0.0  # -0.0 and 0.0 are one place
    order = np.lexsort(coords.T)
    ordered = coords[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    group = np.empty(len(coords), np.int64)
    group[order] = np.cumsum(new) - 1
    return group


def renumber(labels: Ints) -> Ints:
    """Give labels, numbers from 0 on, the numbers 0, 1, ... in the order in which they first appear."""
    first = np.zeros(labels.max(initial=-1) + 1, np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]  # of equal labels the last one written stays
    new = np.zeros(len(labels), bool)
    new[first[labels]] = True
    return np.asarray((np.cumsum(new) - 1)[first][labels])


def ranges(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Concatenate ``arange(start, stop)`` of each pair; also give where each begins and ends."""
    sizes = stops - starts
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes), offsets


def near_pairs(points: Floats, distance: float, z_distance: float) -> Ints:
    """Find all pairs of points that are near in plan and in height.

    Points are sorted into square cells no smaller than the distance; a point's partners are in its own cell
    and the eight around it, of which half are looked at, because each pair has two ends.

    Parameters
    ----------
    points : ndarray, shape (P, 3)
        In metres.
    distance, z_distance : float
        Greatest distance in plan and in height [m].

    Returns
    -------
    ndarray of int, shape (Q, 2)
        Rows of the points of each pair, the lower row first.
    """
    if len(points) < 2:
        return np.zeros((0, 2), np.int64)
    low = points[:, :2].min(axis=0)
    extent = float((points[:, :2] - low).max())
    cell = max(distance, extent / 2**30, 1e-9)  # so that two cell numbers fit into one integer
    column, row = np.floor((points[:, :2] - low) / cell).astype(np.int64).T
    stride = row.max() + 3
    key = column * stride + row + 1
    order = np.argsort(key, kind="stable")
    key = key[order]
    after = np.arange(1, len(key) + 1)
    stop = np.searchsorted(key, key + 1, side="right")
    beside = np.searchsorted(key, key + stride - 1), np.searchsorted(key, key + stride + 1, side="right")
    pairs = np.concatenate([_listed(after, np.maximum(stop, after)), _listed(*beside)])
    pairs = np.sort(order[pairs], axis=1)
    gap = points[pairs[:, 1]] - points[pairs[:, 0]]
    near = (gap[:, 0] ** 2 + gap[:, 1] ** 2 <= distance**2) & (np.abs(gap[:, 2]) <= z_distance)
    found: Ints = pairs[near]
    return found


def _listed(starts: Ints, stops: Ints) -> Ints:
    rows, offsets = ranges(starts, stops)
    return np.column_stack([np.repeat(np.arange(len(starts)), np.diff(offsets)), rows])


def components(ends: Ints, points: int) -> Ints:
    """Give each point the lowest point that it hangs together with.

    Parameters
    ----------
    ends : ndarray of int, shape (M, 2)
        What hangs together.
    points : int
        How many points there are.
    """
    label = np.arange(points)
    while True:
        a, b = label[ends].T
        low, high = np.minimum(a, b), np.maximum(a, b)
        differ = low != high
        if not differ.any():
            return label
        np.minimum.at(label, high[differ], low[differ])
        while (label[label] != label).any():
            label = label[label]
