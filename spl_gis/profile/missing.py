"""Heights where the ground is not known."""

from __future__ import annotations

import numpy as np

from ..model import Floats
from .stations import Roads, Stations


def bridge_unknown(stations: Stations, z: Floats, roads: Roads) -> Floats:
    """Give stations without a height one from those with a height on the same road.

    Between two known heights it runs straight with the length; beyond the first and the last it stays what it
    is there.

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
        Heights; still NaN on roads that know none. Where roads meet they may differ.
    """
    if not np.isnan(z).any():
        return z
    count = np.diff(stations.offsets[roads.begin])
    road, along = np.repeat(np.arange(len(count)), count), stations.along(roads)
    known = np.flatnonzero(~np.isnan(z))
    if len(known) == 0:
        return z
    missing = np.flatnonzero(np.isnan(z))
    after = np.searchsorted(known, missing)
    low, high = known[np.maximum(after - 1, 0)], known[np.minimum(after, len(known) - 1)]
    before, beyond = road[low] == road[missing], road[high] == road[missing]
    low, high = np.where(before, low, high), np.where(beyond, high, low)
    span = along[high] - along[low]
    share = np.divide(along[missing] - along[low], span, out=np.zeros(len(span)), where=span > 0)
    filled = z.copy()
    value = z[low] + share * (z[high] - z[low])
    filled[missing] = np.where(before | beyond, value, np.nan)
    return filled
