"""Bridges and tunnels: straight from one abutment to the other, whatever the ground does in between."""

from __future__ import annotations

import numpy as np

from .. import topology
from ..model import Bools, Floats, Ints
from .grade import Slopes
from .stations import Stations

ROUNDS = 3
"""Side roads of decks may lift abutments of others: so often decks are laid again."""
SHORTEST = 0.01
"""Chains are taken to be no shorter than this [m], so that sums stay well-conditioned."""
CLOSE = 1e-20
"""Squares of what is left, relative to the first, at which heights of decks are found."""
STEEPEST = 1e3
"""Rise over run that is as good as no limit."""


def span_structures(stations: Stations, ground: Floats, structure: Bools, grade: Floats) -> Floats:
    """Lay bridges and tunnels from abutment to abutment.

    A run of structures that continue each other goes straight, with its length, from one end to the other;
    where runs branch, heights at the branches are those of least energy (the flow of slopes is balanced, as
    currents are in a network of resistors). It ends in an abutment where it meets as many chains on the
    ground as there are structures, and where it is the only chain. All other roads that meet it, such as
    stairs to a deck, come to its height by ramps.

    Parameters
    ----------
    stations : Stations
        The roads.
    ground : ndarray, shape (N,)
        Height of the ground at each station.
    structure : ndarray of bool, shape (C,)
        Bridges and tunnels. Those that are not draped keep their heights.
    grade : ndarray, shape (C,)
        Greatest rise over run of ramps on each chain.

    Returns
    -------
    ndarray, shape (N,)
        Heights.
    """
    on = structure & stations.draped
    if not on.any():
        return ground
    abutment, inner = _abutments(stations.node, on)
    slopes = Slopes(stations, np.where(on, STEEPEST, grade)[stations.chain])
    side = ~on & stations.draped
    lift = np.zeros(len(stations))
    for _ in range(ROUNDS):
        height = _node_heights(stations, ground + lift, on, abutment)
        rise = np.zeros(len(stations))
        wanted = (inner & ~abutment)[stations.node] & side[:, None]
        rows = stations.ends[wanted]
        rise[rows] = height[stations.node[wanted]] - ground[rows]
        lift = np.where(side[stations.chain], slopes.raised(np.maximum(rise, 0.0)), 0.0)
        lift -= np.where(side[stations.chain], slopes.raised(np.maximum(-rise, 0.0)), 0.0)
    return _laid(stations, ground + lift, on, height)


def _abutments(node: Ints, on: Bools) -> tuple[Bools, Bools]:
    """Tell at which nodes structures end, and at which there are any."""
    size = node.max() + 1
    above, below = (np.bincount(node[rows].ravel(), minlength=size) for rows in (on, ~on))
    ends = (above > 0) & ((above == 1) | (below >= above))
    label = topology.components(node[on], size)
    some = np.zeros(size, bool)
    some[label[ends]] = True
    return (ends | ~some[label]) & (above > 0), above > 0


def _node_heights(stations: Stations, z: Floats, on: Bools, abutment: Bools) -> Floats:
    """Give the heights of structures at their nodes; the rest is as it is on the ground."""
    node = stations.node
    height = np.zeros(node.max() + 1)
    height[node] = z[stations.ends]
    weight = 1 / np.maximum(stations.lengths[on], SHORTEST)
    free = np.zeros(len(height), bool)
    free[node[on]] = True
    return _relaxed(node[on], weight, free & ~abutment, height)


def _relaxed(ends: Ints, weight: Floats, free: Bools, value: Floats) -> Floats:
    """Give free nodes the values at which the weighted differences to their neighbours sum to zero.

    Conjugate gradients, preconditioned by the diagonal (M. R. Hestenes and E. Stiefel, Methods of conjugate
    gradients for solving linear systems, 1952).
    """
    size = len(value)

    def pull(x: Floats) -> Floats:
        flow = weight * (x[ends[:, 1]] - x[ends[:, 0]])
        total = np.bincount(ends[:, 0], flow, size) - np.bincount(ends[:, 1], flow, size)
        return np.where(free, total, 0.0)

    scale = np.where(free, np.bincount(ends.ravel(), np.repeat(weight, 2), size), 1.0)
    rest = pull(value)
    way = rest / scale
    energy = first = float(rest @ way)
    for _ in range(size):
        if energy <= CLOSE * first or energy == 0:
            break
        change = -pull(way)
        step = energy / float(way @ change)
        value, rest = value + step * way, rest - step * change
        after = float(rest @ (rest / scale))
        way, energy = rest / scale + after / energy * way, after
    return value


def _laid(stations: Stations, z: Floats, on: Bools, height: Floats) -> Floats:
    """Lay structures straight between the heights of their nodes."""
    some = on[stations.chain]
    chain = stations.chain[some]
    first, last = height[stations.node[chain]].T
    share = stations.station[some] / np.maximum(stations.lengths[chain], SHORTEST)
    z = z.copy()
    z[some] = first + share * (last - first)
    z[stations.ends[on]] = height[stations.node[on]]
    return z
