"""Quick looks at curves: do they stay beside the edges, have they a good shape? Proof comes later."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .chains import Chains, ranges
from .windows import Windows, coefficients_of, controls_of, dot

_SAFE = 0.985  # for what is further away between the places looked at
_SLOWEST = 0.02
_SHORTEST = 0.01
_LOOKS = (0.12, 0.25, 0.37, 0.5, 0.63, 0.75, 0.88)


class Edges(NamedTuple):
    """The edges beside windows, those that they share with their neighbours too.

    Attributes
    ----------
    vertex, window : ndarray of int, shape (E,)
        The first vertex and the window of each.
    places : ndarray, shape (2, E)
        Where on the window the curve beside it begins and ends.
    """

    vertex: Ints
    window: Ints
    places: Floats


def edges_of(before: Ints, counts: Ints, places: Floats, stop: float) -> Edges:
    """Give the edges beside windows that go from the place 0 to `stop`.

    `before` (W,) is the last vertex before each window, `counts` (W,) how many follow inside it, and
    `places` (n,) where they are.
    """
    head = np.cumsum(counts + 1) - counts - 1
    both = np.zeros((2, len(places) + len(counts)))
    inside = np.ones(both.shape[1], bool)
    inside[head] = False
    both[0, inside] = places
    both[1, :-1] = both[0, 1:]
    both[1, head + counts] = stop
    return Edges(ranges(before, counts + 1), np.repeat(np.arange(len(counts)), counts + 1), both)


def beside(windows: Windows, edges: Edges, chains: Chains, tolerance: float) -> Bools:
    """Say which windows (W,) stay within tolerance and allowance of their edges, by some looks at each.

    Whoever calls knows that the curve is within the tolerance of the vertices.
    """
    window, places, allowed = edges.window, edges.places, chains.allowance[edges.vertex]
    count = len(windows.handles)
    coefficients = coefficients_of(windows)
    segment = np.minimum(places[0].astype(np.int64), count - 1)
    bend = np.maximum(length2(6 * coefficients[0] + 2 * coefficients[1]), length2(2 * coefficients[1]))
    step = places[1] - places[0]
    # the curve is within du^2 / 8 * max |B''| of its chord, and the chord within the tolerance of the edge
    sure = (places[1] <= segment + 1) & (step**4 * bend[window * count + segment] <= (8 * allowed) ** 2)
    unsure = np.flatnonzero(~sure)
    bad = np.zeros(windows.handles.shape[3], bool)
    if len(unsure):
        ends = np.stack([chains.points[:, edges.vertex[unsure] + after] for after in (0, 1)])
        away = _away(coefficients, count, window[unsure], places[:, unsure], ends)
        far = (away > (_SAFE * tolerance + allowed[unsure]) ** 2).any(axis=0)
        bad[window[unsure[far]]] = True
    return ~bad


def sound(windows: Windows) -> Bools:
    """Say which windows have no handle that vanishes, no cusp and no loop.

    The velocity, looked at in nine places, never drops below a share of the mean length of the control
    polygon's legs, and turns by less than 1.5 half turns in all.
    """
    legs = np.diff(controls_of(windows), axis=0)
    sizes = np.sqrt((legs * legs).sum(axis=1))
    total = sizes.sum(axis=0)
    t = np.linspace(0.0, 1.0, 9).reshape(-1, 1, 1, 1)
    velocity = (1 - t) ** 2 * legs[0] + 2 * t * (1 - t) * legs[1] + t**2 * legs[2]
    speed = np.sqrt((velocity * velocity).sum(axis=1))
    unit = velocity / np.maximum(speed, 1e-300)[:, None]
    turn = np.arccos(np.clip((unit[1:] * unit[:-1]).sum(axis=1), -1.0, 1.0)).sum(axis=0)
    fine = (speed.min(axis=0) > _SLOWEST * total) & (sizes[[0, 2]].min(axis=0) > _SHORTEST * total)
    return np.asarray((fine & (turn < 1.5 * np.pi)).all(axis=0))


def length2(vectors: Floats) -> Floats:
    """Give squared lengths along axis 0."""
    return dot(vectors, vectors)


def _away(coefficients: Floats, count: int, window: Ints, places: Floats, points: Floats) -> Floats:
    """Give squared distances, shape (N, E), between places on the curve and the edge."""
    place = places[0] + np.reshape(_LOOKS, (-1, 1)) * (places[1] - places[0])
    segment = np.minimum(place.astype(np.int64), count - 1)
    a3, a2, a1, a0 = np.take(coefficients, window * count + segment, axis=2)
    t = place - segment
    seen = ((a3 * t + a2) * t + a1) * t + a0 - points[0][:, None]
    edge = (points[1] - points[0])[:, None]
    along = np.clip(dot(seen, edge) / dot(edge, edge), 0.0, 1.0)
    return length2(seen - along * edge)
