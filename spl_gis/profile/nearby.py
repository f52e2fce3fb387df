"""Those parts of roads that are near crossings."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from ..topology import ranges
from .grade import Slopes
from .over import Overpasses
from .stations import Roads, Stations


class Part(NamedTuple):
    """Some chains of a network.

    Attributes
    ----------
    stations : Stations
        Those of the chains; nodes keep their numbers.
    roads : Roads
        Which of them follow one another.
    chains, rows : ndarray of int
        The chains and their stations among those of the whole network, ascending.
    border : ndarray of bool, shape (C, 2)
        Ends of chains where they meet others.
    """

    stations: Stations
    roads: Roads
    chains: Ints
    rows: Ints
    border: Bools


def near_crossings(stations: Stations, roads: Roads, over: Overpasses, reach: Floats) -> Part:
    """Take the chains out of a network that come within distances of crossings, along the roads.

    Parameters
    ----------
    stations, roads
        The network.
    over : Overpasses
        Crossings.
    reach : ndarray, shape (X,)
        The distance [m] of each.
    """
    left, chain = np.zeros(len(stations)), stations.chain
    np.maximum.at(left, over.row, reach[:, None])
    chosen = np.zeros(len(stations.line), bool)
    chosen[chain[Slopes(stations, 1.0).raised(left) > 0]] = True
    chosen[chain[over.row]] = True
    chains = np.flatnonzero(chosen)
    rows, offsets = ranges(stations.offsets[:-1][chains], stations.offsets[1:][chains])
    others = np.zeros(stations.node.max(initial=-1) + 1, bool)
    others[stations.node[~chosen]] = True
    inside = dataclasses.replace(
        stations,
        **{name: getattr(stations, name)[rows] for name in ("xy", "station", "segment", "parameter")},
        **{name: getattr(stations, name)[chains] for name in ("node", "line", "draped")},
        offsets=offsets,
    )
    return Part(inside, _roads_of(roads, chosen), chains, rows, others[inside.node])


def _roads_of(roads: Roads, chosen: Bools) -> Roads:
    """Give roads of chosen chains: where one is missing, another road begins."""
    chains = np.flatnonzero(chosen)
    road = roads.of_chain[chains]
    begins = np.ones(len(chains), bool)
    begins[1:] = (road[1:] != road[:-1]) | (chains[1:] != chains[:-1] + 1)
    first = np.flatnonzero(begins)
    whole = np.logical_and.reduceat(chosen, roads.begin[:-1])
    return Roads(np.append(first, len(chains)), (roads.closed & whole)[road[first]])
