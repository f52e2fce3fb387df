"""From the ground along roads to the heights that they are to have."""

from __future__ import annotations

import numpy as np

from ..model import Floats
from .grade import limit_grade
from .share import share_heights
from .smooth import smooth_along
from .stations import Roads, Stations
from .steps import Steps, cubics, grades, steps_of

TIGHTER = 0.95
"""Where a curve is too steep, the limit of its stations goes down by what it is too much, and by this."""
ROUNDS = 40
SAFE = 1 - 1e-6
"""The limit is kept with so much room for rounding."""


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
    z = limit_grade(stations, z, max_grade * SAFE)
    z = _smooth_and_shared(stations, z, roads, smooth)
    return limit_grade(stations, z, max_grade * SAFE)


def profile_of(
    stations: Stations, z: Floats, controls: Floats, roads: Roads, max_grade: float | None = None
) -> Steps:
    """Give the profile through heights at stations, see `steps_of`; nowhere too steep, if that is asked for.

    A smooth curve must be steeper than the way from station to station before a crest and after it. Where it
    becomes too steep, the stations are limited more.

    Parameters
    ----------
    stations : Stations
        The roads.
    z : ndarray, shape (N,)
        Heights at the stations.
    controls : ndarray, shape (S, 4, 3)
        Control points of the curves.
    roads : Roads
        Which chains follow one another.
    max_grade : float, optional
        Greatest rise over run. It is broken only where heights that must not change leave no other way.
    """
    if max_grade is None:
        return steps_of(stations, z, controls, roads)
    limit = np.full(len(stations), max_grade * SAFE)
    for _ in range(ROUNDS):
        steps = steps_of(stations, z, controls, roads, limit)
        grade = grades(steps, cubics(steps), controls)
        steep = np.flatnonzero(grade > max_grade)
        if len(steep) == 0:
            break
        limit[steps.station[steep]] *= TIGHTER * max_grade / grade[steep]
        z = limit_grade(stations, z, limit)
    return steps


def _smooth_and_shared(stations: Stations, z: Floats, roads: Roads, smooth: Floats) -> Floats:
    changed = np.where(stations.draped[stations.chain], smooth_along(stations, z, roads, smooth), z)
    return share_heights(stations, changed, roads)
