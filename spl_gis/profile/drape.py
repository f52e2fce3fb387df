"""From the ground along roads to the heights that they are to have."""

from __future__ import annotations

import numpy as np

from ..model import Floats
from .fit import Fitted, fit_heights
from .grade import limit_grade
from .share import share_heights
from .smooth import smooth_along
from .stations import Roads, Stations

TIGHTER = 0.98
"""Where a curve is too steep, the limit of its stations goes down by what it is too much, and by this."""
ROUNDS = 12
SLACK = 1e-6
"""Curves that are steeper than allowed by this share are not."""


def road_heights(
    stations: Stations, ground: Floats, roads: Roads, smooth: Floats, max_grade: float | None = None
) -> Floats:
    """Give the heights of roads on the ground: smooth along each, one at each node, not too steep.

    Parameters
    ----------
    stations : Stations
        The roads.
    ground : ndarray, shape (N,)
        Height of the ground at each station, or that of the curve where it is not draped; all known.
    roads : Roads
        Which chains follow one another.
    smooth : ndarray, shape (R,)
        Length [m] over which each road is smoothed, see `smooth_along`.
    max_grade : float, optional
        Greatest rise over run.

    Returns
    -------
    ndarray, shape (N,)
        Heights at the stations.
    """
    z = _smooth_and_shared(stations, ground, roads, smooth)
    if max_grade is None:
        return z
    # what the limit leaves has kinks: they are smoothed as well
    z = limit_grade(stations, z, max_grade)
    z = _smooth_and_shared(stations, z, roads, smooth)
    return limit_grade(stations, z, max_grade)


def fit_within_grade(
    stations: Stations,
    z: Floats,
    controls: Floats,
    roads: Roads,
    tolerance: float,
    max_grade: float,
    max_length: float | None = None,
) -> Fitted:
    """Fit heights so that no curve is steeper than allowed, either; see `fit_heights`.

    A smooth curve must be steeper than the profile just before a crest and after it. Where it becomes too
    steep, the stations are limited more, and it is fitted again.

    Returns
    -------
    Fitted
        The curves. `grade` says where they are still too steep: where heights that must not change leave no
        other way. `miss` is that from the heights as they are limited at last.
    """
    limit = np.full(len(stations), max_grade)
    for _ in range(ROUNDS):
        fitted = fit_heights(stations, z, controls, roads, tolerance, max_length)
        steep = fitted.grade > max_grade * (1 + SLACK)
        if not steep.any():
            break
        rows = np.flatnonzero(steep)
        lower = np.full(len(stations), np.inf)
        lower[rows] = TIGHTER * limit[rows] * max_grade / fitted.grade[rows]
        for shift in (-1, 1):  # the slope at a station is also that of its other side
            beside = np.clip(rows + shift, 0, len(stations) - 1)
            np.minimum.at(lower, beside, lower[rows])
        limit = np.minimum(limit, lower)
        z = limit_grade(stations, z, limit)
    return fitted


def _smooth_and_shared(stations: Stations, z: Floats, roads: Roads, smooth: Floats) -> Floats:
    changed = np.where(stations.draped[stations.chain], smooth_along(stations, z, roads, smooth), z)
    return share_heights(stations, changed, roads)
