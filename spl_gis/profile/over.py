"""Where roads pass over others: crossings of stationed chains in plan."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from ..topology import ranges
from ..topology.boxes import box_tree, meeting_boxes
from ..topology.crossings import crossings
from ..topology.edges import edges_of
from .stations import Stations


class Overpasses(NamedTuple):
    """Where one chain passes over another.

    Attributes
    ----------
    row : ndarray of int, shape (X, 2)
        The last station before the crossing, of the upper and of the lower chain.
    share : ndarray, shape (X, 2)
        How far on the way to the next station, 0 to 1.
    """

    row: Ints
    share: Floats

    def heights(self, z: Floats) -> Floats:
        """Give heights, shape (X, 2), of the upper and the lower chain, straight between stations."""
        low, high = z[self.row], z[self.row + 1]
        return np.asarray(low + self.share * (high - low))

    def take(self, some: Bools) -> Overpasses:
        """Give some of them."""
        return Overpasses(self.row[some], self.share[some])

    def moved(self, rows: Ints) -> Overpasses:
        """Give them by their numbers among some stations, ascending, that hold all of theirs."""
        return Overpasses(np.searchsorted(rows, self.row), self.share)

    def turned(self) -> Overpasses:
        """Give them upside down."""
        return Overpasses(self.row[:, ::-1], self.share[:, ::-1])


def overpasses(stations: Stations, level: Floats) -> tuple[Overpasses, int]:
    """Find where chains of different levels cross; also count crossings on one level off the ground.

    Chains that meet in a node do not cross beside it, and chains that run over each other cross nowhere.

    Parameters
    ----------
    stations : Stations
        The roads.
    level : ndarray, shape (C,)
        Level of each chain; the ground is 0.
    """
    chains = _near_structures(stations, level != 0)
    rows, offsets = ranges(stations.offsets[:-1][chains], stations.offsets[1:][chains])
    if len(rows) == 0:
        return Overpasses(np.zeros((0, 2), np.int64), np.zeros((0, 2))), 0
    spot = _spots(stations)[rows]
    points = np.zeros((spot.max() + 1, 3))
    points[spot, :2] = stations.xy[rows]
    edges = edges_of(spot, offsets)
    on = level[chains][edges.line]
    found = crossings(points, edges, on, np.zeros(len(on), bool), 0.0)
    share = np.where(edges.backward[found.edges], 1 - found.share, found.share)
    row, height = rows[edges.vertex[found.edges]], on[found.edges]
    apart = height[:, 0] != height[:, 1]
    order = np.argsort(-height[apart], axis=1, kind="stable")
    undecided = int((~apart & (height[:, 0] != 0)).sum())
    return Overpasses(*(np.take_along_axis(a[apart], order, axis=1) for a in (row, share))), undecided


def _near_structures(stations: Stations, off_ground: Bools) -> Ints:
    """Give the chains whose boxes meet that of a chain that is not on the ground."""
    if not off_ground.any():
        return np.zeros(0, np.int64)
    low = np.minimum.reduceat(stations.xy, stations.offsets[:-1])
    high = np.maximum.reduceat(stations.xy, stations.offsets[:-1])
    _, met = meeting_boxes(box_tree(low, high), low[off_ground], high[off_ground])
    return np.unique(met)


def _spots(stations: Stations) -> Ints:
    """Give the places of stations numbers; ends of chains at one node are one."""
    size = stations.node.max() + 1
    spot: Ints = size + np.arange(len(stations))
    spot[stations.ends] = stations.node
    return spot
