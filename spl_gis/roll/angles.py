"""How far up vectors lean, and how steeply roads climb."""

from __future__ import annotations

import numpy as np

from .. import bezier
from ..model import Floats, SplineGraph, control_points

PLACES = np.linspace(0.0, 1.0, 17)
"""Parameters at which segments are looked at."""


def axes(ways: Floats) -> tuple[Floats, Floats]:
    """Give what is sideways and what is upright on a road without roll.

    Parameters
    ----------
    ways : ndarray, shape (..., 3)
        Directions of the road, of any length.

    Returns
    -------
    right, upright : ndarray, shape (..., 3)
        Unit vectors: level, to the right of the way; and square to both, upwards. NaN where the way is
        vertical or has no length.
    """
    plan, size = np.hypot(ways[..., 0], ways[..., 1]), np.linalg.norm(ways, axis=-1)
    none = np.full(plan.shape, np.nan)
    x, y = (np.divide(ways[..., i], plan, out=none.copy(), where=plan > 0) for i in (0, 1))
    level = np.divide(plan, size, out=none.copy(), where=size > 0)
    climb = np.divide(ways[..., 2], size, out=none, where=size > 0)
    right = np.stack([y, -x, np.zeros_like(x)], axis=-1)
    return right, np.stack([-x * climb, -y * climb, level], axis=-1)


def lean(ups: Floats, ways: Floats) -> Floats:
    """Give the roll of up vectors in radians: their angle about the way from upright, positive to the right.

    Parameters
    ----------
    ups, ways : ndarray, shape (..., 3)
        Up vectors, and directions of the road; of any length, and need not be square to each other.

    Returns
    -------
    ndarray, shape (...)
        NaN where the way is vertical, or one of them has no length, or up lies along the way.
    """
    right, upright = axes(ways)
    across, along = (ups * right).sum(axis=-1), (ups * upright).sum(axis=-1)
    angle: Floats = np.where((across == 0) & (along == 0), np.nan, np.arctan2(across, along))
    return angle


def rolls(graph: SplineGraph, t: Floats = PLACES) -> Floats:
    """Give the roll of a graph's segments in degrees, as the engine makes it.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    t : ndarray, shape (T,)
        Parameters.

    Returns
    -------
    ndarray, shape (M, T)
        Positive where the road leans to the right of the direction from start to end, so that its right side
        is lower; NaN where that cannot be told.
    """
    ways = bezier.derivative(control_points(graph)[:, None], t)
    return np.degrees(lean(bezier.up_between(graph.ups[:, None], t), ways)) + 0.0


def grades(controls: Floats, t: Floats = PLACES) -> Floats:
    """Give the grade in percent, positive where the road climbs from start to end.

    Parameters
    ----------
    controls : ndarray, shape (M, 4, 3)
        Control points [m].
    t : ndarray, shape (T,)
        Parameters.

    Returns
    -------
    ndarray, shape (M, T)
        Infinite where the road is vertical.
    """
    velocity = bezier.derivative(controls[:, None], t)
    run, rise = np.hypot(velocity[..., 0], velocity[..., 1]), velocity[..., 2]
    vertical = np.where(rise == 0, 0.0, np.copysign(np.inf, rise))
    grade: Floats = 100 * np.divide(rise, run, out=vertical, where=run > 0) + 0.0
    return grade


def greatest(values: Floats) -> Floats:
    """Give the value of each row that is greatest without its sign; NaN only where all are."""
    worst = np.nan_to_num(np.abs(values), nan=-1.0, posinf=np.inf).argmax(axis=1)
    largest: Floats = values[np.arange(len(values)), worst]
    return largest
