"""Samples and the places on their curves that are nearest: foot points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Floats, Ints
from .windows import TINY, Windows, dot

_FLOOR = 0.3
"""Share of ``|B'|^2`` that a Newton step divides by at least, or it would turn back."""

_GRID = 2.0**30


class Foot(NamedTuple):
    """Samples against the curve: parameter, error and its normal part, velocity, squares, Newton divisor."""

    t: Floats
    normal: Floats
    velocity: Floats
    speed2: Floats
    error2: Floats
    bend: Floats


def foot_of(coefficients: Floats, points: Floats, slot: Ints, t: Floats) -> Foot:
    """See samples, shape (D, n), from their curves: those of the segments `slot` at the parameters `t`."""
    a3, a2, a1, a0 = np.take(coefficients, slot, axis=2)
    error = points - (((a3 * t + a2) * t + a1) * t + a0)
    velocity = (3 * a3 * t + 2 * a2) * t + a1
    speed2 = dot(velocity, velocity) + TINY
    bend = np.maximum(speed2 - dot(error, (6 * t) * a3 + 2 * a2), _FLOOR * speed2)
    normal = error - velocity * (dot(error, velocity) / speed2)
    return Foot(t, normal, velocity, speed2, dot(error, error), bend)


def follow(coefficients: Floats, points: Floats, slot: Ints, foot: Foot) -> Floats:
    """Give the parameters of the foot points after the curve has moved, to first order in both motions."""
    a3, a2, a1, a0 = np.take(coefficients, slot, axis=2)
    error = points - (((a3 * foot.t + a2) * foot.t + a1) * foot.t + a0)
    return foot.t + dot(error, foot.velocity) / foot.bend


def place(windows: Windows, window: Ints, segment: Ints, t: Floats) -> Floats:
    """Give the places of samples whose parameters may have left their segments; their order is kept."""
    count = len(windows.handles)
    if count == 1:
        return _grid(np.clip(t, 0.0, 1.0))
    ratio = np.ones((count + 1, windows.handles.shape[3]))
    ratio[1:-1] = windows.ways / (1 - windows.ways)
    over = (t > 1) & (segment < count - 1)
    under = (t < 0) & (segment > 0)
    after = 1 + np.minimum(0.5, (t - 1) / ratio[segment + 1, window])
    before = np.maximum(-0.5, t * ratio[segment, window])
    t = np.where(over, after, np.where(under, before, np.clip(t, 0.0, 1.0)))
    t, shift = _grid(t), window * (count + 1.0)
    return np.asarray(np.clip(np.maximum.accumulate(segment + t + shift) - shift, 0.0, count))


def _grid(t: Floats) -> Floats:
    """Round parameters so that a number of a segment is added without a further rounding.

    So a road's curve does not depend on how many other roads are fitted with it.
    """
    return np.asarray(np.rint(t * _GRID) * (1 / _GRID))
