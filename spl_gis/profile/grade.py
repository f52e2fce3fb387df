"""Roads that are nowhere steeper than allowed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..model import Bools, Floats, Ints
from .stations import Stations

ROUNDING = 1e-9
"""Changes of heights [m] that are none."""


def limit_grade(stations: Stations, z: Floats, limit: ArrayLike, fixed: Bools | None = None) -> Floats:
    """Change heights as little as possible so that nothing is steeper than allowed.

    Of all heights that keep the limit, on every way through the network, none is nearer to the given ones in
    the worst place: they are the middle between the highest ones that are nowhere above the given ones, and
    the lowest ones that are nowhere below. (E. J. McShane, Extension of range of functions, Bull. AMS 40,
    1934, with distances along the roads.) What is not too steep, nor near to what is, stays as it is.

    Parameters
    ----------
    stations : Stations
        The roads. Chains that are not draped keep their heights.
    z : ndarray, shape (N,)
        Heights at the stations; those at the ends of chains with one node number are equal.
    limit : float or array-like, shape (N,)
        Greatest rise over run, between each station and the next.
    fixed : ndarray of bool, shape (N,), optional
        Stations that keep their heights; where those contradict the limit it is broken between them.

    Returns
    -------
    ndarray, shape (N,)
        Heights.
    """
    network = Slopes(stations, limit)
    free = stations.draped[stations.chain]
    firm = np.zeros(len(free), bool)
    firm[stations.ends] = ~stations.draped[:, None]  # what they do in between does not matter to others
    if fixed is not None:
        firm |= fixed
        free &= ~fixed
    limited = (network.lowered(np.where(free, z, np.inf)) - network.lowered(np.where(free, -z, np.inf))) / 2
    if firm.any():
        limited = np.minimum(limited, network.lowered(np.where(firm, z, np.inf)))
        limited = np.maximum(limited, -network.lowered(np.where(firm, -z, np.inf)))
    return np.where(free & (np.abs(limited - z) > ROUNDING), limited, z)


class Slopes:
    """Spreads heights over a network.

    Parameters
    ----------
    stations : Stations
        The roads. Nothing spreads along chains that are not draped.
    limit : float or array-like, shape (N,)
        Greatest rise over run, between each station and the next.
    """

    def __init__(self, stations: Stations, limit: ArrayLike) -> None:
        self._stations = stations
        self.size = len(stations)
        chain = stations.chain
        step = np.diff(stations.station, append=0.0) * np.broadcast_to(limit, len(stations))
        step[stations.offsets[1:] - 1] = 0.0
        climb = np.append(0.0, np.cumsum(step))[:-1]
        self._climb = climb - climb[stations.offsets[:-1]][chain]
        self._number = np.arange(len(stations)) - stations.offsets[:-1][chain]
        self._whole = np.where(stations.draped, self._climb[stations.offsets[1:] - 1], np.inf)

    def lowered(self, z: Floats) -> Floats:
        """Give the highest heights that keep the limit and are nowhere above `z`; infinite = anything."""
        z = self._within(z)
        ends, node = self._stations.ends, self._stations.node
        height = np.full(node.max(initial=-1) + 1, np.inf)
        np.minimum.at(height, node, z[ends])
        while True:
            before = height.copy()
            np.minimum.at(height, node[:, ::-1], before[node] + self._whole[:, None])
            if (height == before).all():
                break
        z[ends] = height[node]
        z = self._within(z)
        z[ends] = height[node]  # to the last bit, for all chains
        return z

    def raised(self, z: Floats) -> Floats:
        """Give the lowest heights that keep the limit and are nowhere below `z`."""
        return -self.lowered(-z)

    def _within(self, z: Floats) -> Floats:
        """Keep the limit on each chain for itself."""
        behind = _least(z - self._climb, self._number) + self._climb
        last = np.diff(self._stations.offsets)[self._stations.chain] - 1
        ahead = _least((z + self._climb)[::-1], (last - self._number)[::-1])[::-1] - self._climb
        return np.asarray(np.minimum(z, np.minimum(behind, ahead)))


def _least(values: Floats, number: Ints) -> Floats:
    """Give the least of each value and all before it on its chain, where it has that number; by doubling."""
    least, reach = values.copy(), 1
    while reach <= number.max(initial=0):
        before = np.where(number[reach:] >= reach, least[:-reach], np.inf)
        least[reach:] = np.minimum(least[reach:], before)
        reach *= 2
    return least
