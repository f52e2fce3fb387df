"""Heights where the ground is not known."""

from __future__ import annotations

import numpy as np

from ..model import Floats, Ints
from .stations import Roads, Stations

LEAST = 1.0
"""Nearer than this [m] a known height does not count more."""
NEAR = 50.0
"""Up to this distance [m] all nodes are given their heights at once."""


def bridge_unknown(stations: Stations, z: Floats, roads: Roads) -> Floats:
    """Give stations without a height one from those with a height along the roads.

    Between two known heights of a road it runs straight with the length; beyond the first and the last it
    stays what it is there. Where roads meet and the height is unknown, it is the mean of what each would
    have, and the nearer each knows a height, the more it counts: by the square of the distance. So it is
    known to all of them, and gets from road to road.

    Parameters
    ----------
    stations : Stations
        The roads.
    z : ndarray, shape (N,)
        Heights at the stations; NaN = unknown.
    roads : Roads
        Which chains follow one another.

    Returns
    -------
    ndarray, shape (N,)
        Heights; still NaN where nothing is known of all that hangs together.
    """
    if not np.isnan(z).any():
        return z
    count = np.diff(stations.offsets[roads.begin])
    road, along = np.repeat(np.arange(len(count)), count), stations.along(roads)
    ends, node = stations.ends, stations.node
    z = z.copy()
    while True:
        filled, away = _interpolated(along, z, road)
        new = np.isnan(z[ends]) & ~np.isnan(filled[ends])
        if not new.any():
            return filled
        distance = away[ends[new]]
        weight = 1 / np.maximum(distance, LEAST) ** 2
        total = np.bincount(node[new], weight, node.max() + 1)
        height = np.bincount(node[new], weight * filled[ends[new]], len(total))
        nearest = np.full(len(total), np.inf)
        np.minimum.at(nearest, node[new], distance)
        # the nearest first: what is far away may become near by them
        ready = nearest <= max(2 * distance.min(), NEAR)
        height[ready] /= total[ready]
        there = np.isnan(z[ends]) & ready[node]
        z[ends[there]] = height[node[there]]


def _interpolated(along: Floats, z: Floats, road: Ints) -> tuple[Floats, Floats]:
    """Interpolate heights on each road that knows some; also give how far away they are known."""
    away = np.zeros(len(z))
    known, missing = np.flatnonzero(~np.isnan(z)), np.flatnonzero(np.isnan(z))
    if len(known) == 0 or len(missing) == 0:
        return z, away
    after = np.searchsorted(known, missing)
    low, high = known[np.maximum(after - 1, 0)], known[np.minimum(after, len(known) - 1)]
    before, beyond = road[low] == road[missing], road[high] == road[missing]
    low, high = np.where(before, low, high), np.where(beyond, high, low)
    span, behind = along[high] - along[low], along[missing] - along[low]
    share = np.divide(behind, span, out=np.zeros(len(span)), where=span > 0)
    filled = z.copy()
    filled[missing] = np.where(before | beyond, z[low] + share * (z[high] - z[low]), np.nan)
    away[missing] = np.minimum(np.abs(behind), np.abs(along[high] - along[missing]))
    return filled, away
