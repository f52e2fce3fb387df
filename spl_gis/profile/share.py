"""One height for all roads at each place where they meet."""

from __future__ import annotations

import numpy as np

from ..model import Floats
from .stations import Roads, Stations

FADE = 30.0
"""What a height at a node moves is felt along a road for so many times as far, if the chain is that long: it
makes no road steeper by more than 1.5 / 30 = 5 %."""
LEAST = 25.0
"""It is felt for so many metres at least."""


def share_heights(stations: Stations, z: Floats, roads: Roads) -> Floats:
    """Let chains have one height at each node, and fade out along them what that changes.

    A node has the height of the chains that are not draped; else the mean height of the roads that lead
    through it; else that of those that end there.

    Parameters
    ----------
    stations : Stations
        The roads.
    z : ndarray, shape (N,)
        Heights at the stations.
    roads : Roads
        Which chains follow one another.

    Returns
    -------
    ndarray, shape (N,)
        Heights that are equal, bit for bit, at the ends of chains with one node number.
    """
    if len(stations) == 0:
        return z
    ends, node = stations.ends, stations.node
    weight = np.where(stations.draped[:, None], np.where(roads.inner, 1.0, 1e-9), 1e9)
    # the heaviest kind at each node counts alone
    heaviest = np.zeros(node.max() + 1)
    np.maximum.at(heaviest, node, weight)
    weight = np.where(weight == heaviest[node], 1.0, 0.0)
    count = np.bincount(node.ravel(), weight.ravel())
    # seen from one of the heights, so that a mean of equal ones is that very number
    base = np.zeros(node.max() + 1)
    base[node] = z[ends]
    rise = np.bincount(node.ravel(), (weight * (z[ends] - base[node])).ravel())
    height = base + rise / np.maximum(count, 1.0)
    return _faded(stations, z, height[node])


def _faded(stations: Stations, z: Floats, height: Floats) -> Floats:
    """Move the ends of draped chains to heights (C, 2), and what is near them by less and less."""
    ends, chain = stations.ends, stations.chain
    move = np.where(stations.draped[:, None], height - z[ends], 0.0)
    reach = np.minimum(np.maximum(FADE * np.abs(move), LEAST), stations.lengths[:, None])
    z = z.copy()
    some = np.flatnonzero((move != 0).any(axis=1)[chain])
    owner = chain[some]
    from_ends = stations.station[some], stations.lengths[owner] - stations.station[some]
    for end, distance in enumerate(from_ends):
        left = 1 - np.minimum(distance / reach[owner, end], 1.0)
        z[some] += move[owner, end] * left * left * (3 - 2 * left)
    z[ends[stations.draped]] = height[stations.draped]
    return z
