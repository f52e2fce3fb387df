"""Places along the plan curves of a network, at which heights are asked for, changed and fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints

LEAST = 2
"""So many steps at least from the start of a segment to its end."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)


class Roads(NamedTuple):
    """Which chains follow one another.

    Attributes
    ----------
    begin : ndarray of int, shape (R + 1,)
        Road ``i`` drives along the chains ``begin[i]`` to ``begin[i + 1] - 1``.
    closed : ndarray of bool, shape (R,)
        Roads that go smoothly through their first place, which is also their last.
    """

    begin: Ints
    closed: Bools

    @property
    def of_chain(self) -> Ints:
        """The road of each chain, shape (C,)."""
        return np.repeat(np.arange(len(self.closed)), np.diff(self.begin))

    @property
    def inner(self) -> Bools:
        """Ends of chains, shape (C, 2), where the road goes on."""
        inner = np.ones((self.begin[-1], 2), bool)
        inner[self.begin[:-1], 0] = inner[self.begin[1:] - 1, 1] = self.closed
        return inner


@dataclass(frozen=True)
class Stations:
    """Places along chains of plan curves, in the order and the direction in which roads drive along them.

    Attributes
    ----------
    xy : ndarray, shape (N, 2)
        Places in metres of the scene, one chain after the other; both ends of each chain, both ends of each
        segment and places in between.
    station : ndarray, shape (N,)
        Distance [m] in plan, along the curve, from the start of the chain.
    offsets : ndarray of int, shape (C + 1,)
        Chain ``i`` has the stations ``offsets[i]`` to ``offsets[i + 1] - 1``, at least three.
    node : ndarray of int, shape (C, 2)
        The place at the start and at the end of each chain: chains that share a number share a height there.
    line : ndarray of int, shape (C,)
        The line that each chain is a piece of.
    draped : ndarray of bool, shape (C,)
        Chains whose heights come from the ground; those of all others must not change.
    segment : ndarray of int, shape (N,)
        The segment on which each station lies. Where two meet it is the later one.
    parameter : ndarray, shape (N,)
        Where on that segment; 1 only at the end of a chain.
    """

    xy: Floats
    station: Floats
    offsets: Ints
    node: Ints
    line: Ints
    draped: Bools
    segment: Ints
    parameter: Floats

    def __len__(self) -> int:
        return len(self.station)

    @property
    def chain(self) -> Ints:
        """The chain of each station, shape (N,)."""
        return np.repeat(np.arange(len(self.line)), np.diff(self.offsets))

    @property
    def ends(self) -> Ints:
        """The first and the last station of each chain, shape (C, 2)."""
        return np.stack([self.offsets[:-1], self.offsets[1:] - 1], axis=1)

    def along(self, roads: Roads) -> Floats:
        """Give the distance [m] in plan of each station from the start of its road, shape (N,)."""
        before = np.append(0.0, np.cumsum(self.lengths))
        start = before[:-1] - np.repeat(before[roads.begin[:-1]], np.diff(roads.begin))
        return np.asarray(self.station + np.repeat(start, np.diff(self.offsets)))

    @property
    def lengths(self) -> Floats:
        """The length [m] of each chain in plan, shape (C,)."""
        return self.station[self.offsets[1:] - 1]


def take_stations(
    controls: Floats, offsets: Ints, node: Ints, line: Ints, step: float, draped: Bools | None = None
) -> Stations:
    """Put stations on the segments of chains, at equal steps of each segment's parameter.

    Parameters
    ----------
    controls : ndarray, shape (S, 4, 2 or more)
        Control points of all segments in metres; x and y are used.
    offsets : ndarray of int, shape (C + 1,)
        Chain ``i`` has the segments ``offsets[i]`` to ``offsets[i + 1] - 1``, at least one.
    node : ndarray of int, shape (C, 2)
        The place at both ends of each chain.
    line : ndarray of int, shape (C,)
        The line that each chain is a piece of.
    step : float
        Greatest distance [m] along the curve between two stations.
    draped : ndarray of bool, shape (C,), optional
        Chains whose heights come from the ground; default: all.
    """
    plan = controls[..., :2]
    # a curve is nowhere faster than three times the longest leg of its control polygon
    fastest = 3 * np.sqrt(np.square(np.diff(plan, axis=1)).sum(axis=2)).max(axis=1)
    steps = np.maximum(np.ceil(fastest / step * (1 - 1e-9)), LEAST).astype(np.int64)
    count = steps.copy()
    count[offsets[1:] - 1] += 1
    before = np.append(0, np.cumsum(count))
    segment = np.repeat(np.arange(len(plan)), count)
    parameter = (np.arange(before[-1]) - before[segment]) / steps[segment]
    bounds = before[offsets]
    if draped is None:
        draped = np.ones(len(line), bool)
    return Stations(
        bezier.evaluate(plan[segment], parameter),
        _distances(plan, segment, parameter, bounds),
        bounds,
        node,
        line,
        draped,
        segment,
        parameter,
    )


def _distances(plan: Floats, segment: Ints, parameter: Floats, bounds: Ints) -> Floats:
    """Give the length along the curve from the start of its chain to each station.

    Gauss-Legendre quadrature of the speed with 4 nodes from station to station, exact on straight segments
    that do not turn back.
    """
    stop = np.append(parameter[1:], 1.0)
    stop = np.where(stop == 0, 1.0, stop)  # the next station is the start of the next segment
    half = (stop - parameter) / 2
    step = np.zeros(len(segment))
    legs = 3 * np.diff(plan, axis=1)
    bend, cube = 2 * (legs[:, 1] - legs[:, 0]), legs[:, 0] - 2 * legs[:, 1] + legs[:, 2]
    first, bend, cube = legs[:, 0][segment], bend[segment], cube[segment]
    for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist()):
        t = (parameter + half * (1 + node))[:, None]
        velocity = (cube * t + bend) * t + first
        step += weight * np.hypot(velocity[:, 0], velocity[:, 1])
    step *= half
    total = np.append(0.0, np.cumsum(step))[:-1]
    # sums run over all chains; what one of them begins with is taken off again
    return np.asarray(total - np.repeat(total[bounds[:-1]], np.diff(bounds)))
