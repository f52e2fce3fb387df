"""A quick look at whether curves stay beside the edges of their polylines; the certificate proves it later."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints
from .spans import Windows, coefficients_of, controls_of, dot

_SAFE = 0.985  # for what is further away between the places looked at
_SLOWEST = 0.02
_SHORTEST = 0.01
_LOOKS = (0.12, 0.25, 0.37, 0.5, 0.63, 0.75, 0.88)


def beside(
    windows: Windows, window: Ints, places: Floats, points: Floats, allowed: Floats, tolerance: float
) -> Bools:
    """Say which windows stay within tolerance and allowance of the edges beside them, looking at some places each.

    Parameters
    ----------
    windows : Windows
        Runs of segments.
    window : ndarray of int, shape (E,)
        Window of each edge, sorted.
    places : ndarray, shape (2, E)
        Where on its window the curve's part for the edge starts and ends; whoever calls knows that the curve is
        within the tolerance of the vertices there.
    points : ndarray, shape (2, D, E)
        Both vertices of each edge.
    allowed : ndarray, shape (E,)
        The allowance of each edge.
    tolerance : float
        In the metric of the points.

    Returns
    -------
    ndarray of bool, shape (W,)
    """
    count = len(windows.handles)
    coefficients = coefficients_of(windows)
    segment = np.minimum(places.astype(np.int64), count - 1)
    bend = np.maximum(length2(6 * coefficients[0] + 2 * coefficients[1]), length2(2 * coefficients[1]))
    slot = window * count + segment[0]
    step = places[1] - places[0]
    # a chord of a curve is within du^2 / 8 * max |B''| of it, and this one within the tolerance of the edge
    sure = (places[1] <= segment[0] + 1) & (step**4 * bend[slot] <= (8 * allowed) ** 2)
    unsure = np.flatnonzero(~sure)
    bad = np.zeros(windows.handles.shape[3], bool)
    if len(unsure):
        away = _away(coefficients, count, window[unsure], places[:, unsure], points[:, :, unsure])
        bad[window[unsure][(away > (_SAFE * tolerance + allowed[unsure]) ** 2).any(axis=0)]] = True
    return ~bad


def sound(windows: Windows) -> Bools:
    """Say which windows have no handle that vanishes, no cusp and no loop.

    The velocity, looked at in nine places, never drops below a share of the mean length of the control polygon's
    legs, and turns by less than 1.5 half turns in all.
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
