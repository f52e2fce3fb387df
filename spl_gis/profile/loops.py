"""Roads that come back to a crossing on its other side after a short way."""

from __future__ import annotations

import numpy as np

from ..model import Floats
from ..topology.weld import ways_within
from .over import Overpasses
from .stations import Stations


def falls_between(stations: Stations, fall: Floats, over: Overpasses, limit: float) -> Floats:
    """Give how far ramps can fall on the shortest way from each crossing's upper road to its lower one.

    Parameters
    ----------
    stations : Stations
        The roads. There is no way along chains that are not draped.
    fall : ndarray, shape (N,)
        Greatest fall over run, from each station to the next.
    over : Overpasses
        Crossings.
    limit : float
        Falls [m] of more than this need not be known.

    Returns
    -------
    ndarray, shape (X,)
        Falls [m]; infinite when they are more than the limit, or there is no way.
    """
    chain, node = stations.chain, stations.node
    step = fall * np.diff(stations.station, append=0.0)
    step[stations.ends[:, 1]] = 0.0
    down = np.append(0.0, np.cumsum(step))[:-1]
    whole = down[stations.ends[:, 1]] - down[stations.ends[:, 0]]
    near = whole <= limit
    at = down[over.row] + over.share * step[over.row]
    side = chain[over.row]
    to_node = np.abs(at[..., None] - down[stations.ends[side]])  # (X, upper or lower, node)
    to_node = np.where(stations.draped[side][..., None], to_node, np.inf)
    size = node.max(initial=-1) + 1
    short = near & stations.draped & (node[:, 0] != node[:, 1])
    starts = np.unique(node[side[:, 0]])
    ways = ways_within(node[short], whole[short], size, limit, starts)
    best = np.full(len(side), np.inf)
    for one in (0, 1):
        for two in (0, 1):
            a, b = node[side[:, 0], one], node[side[:, 1], two]
            between = np.where(a == b, 0.0, ways.between(a, b, size))
            best = np.minimum(best, to_node[:, 0, one] + between + to_node[:, 1, two])
    return np.where(best <= limit, best, np.inf)
