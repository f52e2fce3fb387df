"""Vertices laid along a curve as a whole, where a walk from one to the next has lost its way."""

from __future__ import annotations

import numpy as np

from ..model import Floats, Ints
from .witness import Chains, distances, in_order

SAMPLES = 16
"""Places on a segment that vertices are laid on."""
STEPS = 60
"""Steps of the search between them."""
LARGEST = 10_000_000
"""Most vertices times places of a polyline that is tried."""


def align(u: Floats, chains: Chains) -> Floats:
    """Give new parameters (K,) that never decrease, with the least sum of squared distances on a grid.

    Dynamic programming, as in time warping (H. Sakoe and S. Chiba, 1978). Polylines so long that this takes
    too much memory keep theirs, `u`.
    """
    u, laid = u.copy(), np.zeros(len(u), bool)
    for first, end in zip(chains.offsets[:-1], chains.offsets[1:]):
        start, stop = int(chains.start[first]), int(chains.stop[first])
        if (end - first) * (stop - start) * SAMPLES <= LARGEST:
            u[first:end] = (
                start + _path(chains.vertices[:, first:end], _places(chains, start, stop)) / SAMPLES
            )
            laid[first + 1 : end - 1] = True
    return in_order(np.where(laid, _nearest(u, chains), u), chains)


def _nearest(u: Floats, chains: Chains) -> Floats:
    """Move parameters to the least distance within a step of the grid, by ternary search."""
    low, high = (np.clip(u + way / SAMPLES, chains.start, chains.stop) for way in (-1, 1))
    for _ in range(STEPS):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        nearer = distances(left, chains) < distances(right, chains)
        low, high = np.where(nearer, low, left), np.where(nearer, right, high)
    return np.asarray((low + high) / 2)


def _places(chains: Chains, start: int, stop: int) -> Floats:
    """Give places (D, N) along some segments, ends included."""
    grid = np.arange((stop - start) * SAMPLES + 1)
    seg = np.minimum(grid // SAMPLES, stop - start - 1)
    here = chains.curve.place(start + seg, grid / SAMPLES - seg)
    return np.asarray(here + chains.curve.origin[:, start + seg])


def _path(vertices: Floats, places: Floats) -> Ints:
    """Give the place of each vertex: the first for the first one, the last for the last one."""
    index = np.arange(places.shape[1])
    cost = np.where(index == 0, 0.0, np.inf)
    came = np.zeros((vertices.shape[1], len(index)), np.int32)
    for vertex in range(1, vertices.shape[1]):
        least = np.minimum.accumulate(cost)
        came[vertex] = np.maximum.accumulate(np.where(cost <= least, index, 0))
        cost = least + ((places - vertices[:, vertex, None]) ** 2).sum(axis=0)
    path = np.full(vertices.shape[1], len(index) - 1)
    for vertex in range(len(path) - 1, 0, -1):
        path[vertex - 1] = came[vertex, path[vertex]]
    return path
