"""Heights where the ground is not known."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints
from .share import share_heights
from .stations import Roads, Stations


def bridge_unknown(stations: Stations, z: Floats, roads: Roads) -> tuple[Floats, Bools]:
    """Give stations without a height one from those with a height on the same road, else on others.

    Between two known heights of a road it runs straight with the length; beyond the first and the last it
    stays what it is there. Chains of roads that know none run from node to node, as others have them there;
    what is connected with no known height lies at 0.

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
    z : ndarray, shape (N,)
        Heights at all stations, shared at nodes when one was missing.
    lost : ndarray of bool, shape (C,)
        Chains that know no height themselves, and whose roads and neighbours know none, either.
    """
    if not np.isnan(z).any():
        return z, np.zeros(len(stations.line), bool)
    bounds, along = stations.offsets[roads.begin], stations.along(roads)
    z = _interpolated(along, z, np.repeat(np.arange(len(roads.closed)), np.diff(bounds)))
    lost = _spread(stations, z)
    z = np.where(np.isnan(z), 0.0, z)
    return share_heights(stations, z, roads), lost


def _interpolated(along: Floats, z: Floats, road: Ints) -> Floats:
    """Interpolate heights on each road that knows some."""
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


def _spread(stations: Stations, z: Floats) -> Bools:
    """Give chains without any height those of their nodes, in place, and tell which stay without one."""
    ends, node = stations.ends, stations.node
    height = np.full(node.max() + 1, np.nan)
    height[node] = z[ends]
    known = ~np.isnan(z[ends])
    height[node[known]] = z[ends[known]]
    blank = np.isnan(z[ends[:, 0]])
    while True:
        both = height[node]
        ready = np.flatnonzero(blank & ~np.isnan(both).all(axis=1))
        if len(ready) == 0:
            return blank
        first, last = (np.where(np.isnan(both[:, i]), both[:, 1 - i], both[:, i]) for i in (0, 1))
        some = np.isin(stations.chain, ready)
        chain = stations.chain[some]
        share = stations.station[some] / stations.lengths[chain]
        z[some] = first[chain] + share * (last - first)[chain]
        height[node[ready, 0]], height[node[ready, 1]] = first[ready], last[ready]
        blank[ready] = False
