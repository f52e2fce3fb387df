"""Heights for plan curves: one cubic for many steps of a profile, cut where that does not do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints
from .stations import Stations
from .steps import Steps, cubics, grades

SAFE = 1 - 1e-9
"""Bounds are kept with so much room for rounding."""
MOST = 8
"""A piece is cut into so many parts at once at most."""


class Limits(NamedTuple):
    """What curves must keep.

    Attributes
    ----------
    tolerance : float
        Greatest distance [m] from the profile.
    grade : float
        Greatest rise over run, where the profile keeps it.
    length : float
        Greatest length [m], where a step is not longer.
    """

    tolerance: float
    grade: float = np.inf
    length: float = np.inf


class Fitted(NamedTuple):
    """Plan curves with heights.

    Attributes
    ----------
    controls : ndarray, shape (P, 4, 3)
        Control points: in plan the curves that were given, or parts of them.
    offsets : ndarray of int, shape (C + 1,)
        Chain ``i`` has the pieces ``offsets[i]`` to ``offsets[i + 1] - 1``.
    bounds : ndarray, shape (P + 1,)
        Where each piece begins, as segment + parameter of the curves that were given.
    miss : ndarray, shape (C,)
        How far each chain is from its profile at most [m].
    grade : ndarray, shape (N,)
        Steepest rise over run from each station to the next; 0 at the ends of chains, and where chains are
        not draped.
    """

    controls: Floats
    offsets: Ints
    bounds: Floats
    miss: Floats
    grade: Floats


class _Pieces(NamedTuple):
    """Steps of one segment in a row: the first and the last, and the control values (4, P) of the height."""

    first: Ints
    last: Ints
    values: Floats


def fit_heights(stations: Stations, steps: Steps, controls: Floats, limits: Limits) -> Fitted:
    """Give plan curves the heights of a profile.

    At joints a curve has the height and the slope of the profile. So both sides have one slope, also where a
    road goes on through a node. A piece begins as a whole segment and is cut, at stations, until it is
    nowhere further from the profile than the tolerance. That is exact: both are cubics of the parameter from
    station to station, and so is their difference. A piece of a single step is the profile itself.

    Parameters
    ----------
    stations : Stations
        Along the curves, at least at both ends of each segment.
    steps : Steps
        The profile.
    controls : ndarray, shape (S, 4, 3)
        Curves in metres, in the order of the stations. Chains that are not draped keep theirs.
    limits : Limits
        What the curves must keep.
    """
    begins = np.diff(steps.segment, prepend=-1) != 0
    measure = _Measure(steps, controls, limits)
    look = np.arange(len(begins))
    while len(look):
        pieces, parts = measure.of(begins, look)
        size = pieces.last - pieces.first + 1
        _cut(begins, pieces, np.minimum(parts, size))
        look = look[np.repeat((parts > 1) & (size > 1), size)]
    _merge(steps, begins, measure)
    return _together(stations, steps, controls, begins, (measure.miss, measure.grades(begins)))


def _merge(steps: Steps, begins: Bools, measure: _Measure) -> None:
    """Join neighbouring pieces of a segment, in place, two by two while one does for both."""
    cut = np.bincount(steps.segment[begins]) > 1
    look = np.flatnonzero(cut[steps.segment])
    if len(look) == 0:
        return
    parity, idle = 1, 0
    while idle < 2:
        starts = look[begins[look]]
        first = np.flatnonzero(np.diff(steps.segment[starts], prepend=-1))
        number = np.arange(len(starts)) - np.repeat(first, np.diff(np.append(first, len(starts))))
        joined = starts[(number > 0) & (number % 2 == parity)]
        begins[joined] = False
        pieces, parts = measure.of(begins, look)
        kept = parts > 1
        back = kept[np.searchsorted(pieces.first, joined, side="right") - 1]
        begins[joined[back]] = True
        parity, idle = 1 - parity, 0 if (~back).any() else idle + 1
    measure.of(begins, look)


def _pieces(steps: Steps, begins: Bools, look: Ints) -> _Pieces:
    """Give the pieces of some steps, which are all steps of these pieces."""
    starts = np.flatnonzero(begins[look])
    first, last = look[starts], look[np.append(starts[1:], len(look)) - 1]
    third = (steps.t1[last] - steps.t0[first]) / 3
    low, high = steps.z[0, first], steps.z[1, last]
    values = [low, low + steps.rise[0, first] * third, high - steps.rise[1, last] * third, high]
    return _Pieces(first, last, np.stack(values))


class _Measure:
    """How far pieces are from the profile, and how steep they are.

    Attributes
    ----------
    miss, grade : ndarray, shape (I,)
        What was found last, on each step.
    """

    def __init__(self, steps: Steps, controls: Floats, limits: Limits) -> None:
        self._steps, self._controls, self._limits = steps, controls, limits
        self._profile = cubics(steps)
        self.miss, self.grade = np.zeros(len(steps.t0)), np.zeros(len(steps.t0))

    def of(self, begins: Bools, look: Ints) -> tuple[_Pieces, Ints]:
        """Look at the pieces of some steps; also tell into how many parts each is to be cut."""
        pieces = _pieces(self._steps, begins, look)
        some = Steps._make(field[..., look] for field in self._steps)
        values = _parts(self._steps, pieces, some)
        self.miss[look] = _misses(values - self._profile[:, look], SAFE * self._limits.tolerance)
        if self._limits.grade < np.inf:
            self.grade[look] = grades(some, values, self._controls)
        return pieces, self._cuts(pieces, look)

    def grades(self, begins: Bools) -> Floats:
        """Give how steep the pieces are in the end, shape (I,): without a limit nobody has asked before."""
        if self._limits.grade < np.inf:
            return self.grade
        pieces = _pieces(self._steps, begins, np.arange(len(begins)))
        return grades(self._steps, _parts(self._steps, pieces, self._steps), self._controls)

    def _cuts(self, pieces: _Pieces, look: Ints) -> Ints:
        if len(look) == 0:
            return np.zeros(0, np.int64)
        starts, limits = np.searchsorted(look, pieces.first), self._limits
        miss, grade = (np.maximum.reduceat(each[look], starts) for each in (self.miss, self.grade))
        # what a cubic misses grows with the fourth power of its extent
        parts = np.ceil((miss / (SAFE * limits.tolerance)) ** 0.25)
        parts = np.where(grade > limits.grade, np.maximum(parts, 2), parts)
        if limits.length < np.inf:
            parts = np.maximum(parts, np.ceil(SAFE * self._lengths(pieces) / limits.length))
        return parts.clip(1, MOST).astype(np.int64)

    def _lengths(self, pieces: _Pieces) -> Floats:
        steps = self._steps
        plan = self._controls[steps.segment[pieces.first], :, :2]
        part = bezier.subsegment(plan, steps.t0[pieces.first], steps.t1[pieces.last])
        return bezier.length(np.concatenate([part, pieces.values.T[..., None]], axis=2))


def _parts(steps: Steps, pieces: _Pieces, some: Steps) -> Floats:
    """Give the control values, shape (4, I), of pieces on their steps."""
    owner = np.repeat(np.arange(len(pieces.first)), pieces.last - pieces.first + 1)
    t0, t1 = steps.t0[pieces.first][owner], steps.t1[pieces.last][owner]
    legs = 3 * np.diff(pieces.values, axis=0)
    powers = [pieces.values[0], legs[0], legs[1] - legs[0], (legs[2] - 2 * legs[1] + legs[0]) / 3]
    a, b, c, d = (power[owner] for power in powers)
    at = [(t - t0) / (t1 - t0) for t in (some.t0, some.t1)]
    low, high = (((d * u + c) * u + b) * u + a for u in at)
    third = (at[1] - at[0]) / 3
    rise, fall = (third * ((3 * d * u + 2 * c) * u + b) for u in at)
    return np.stack([low, low + rise, high - fall, high])


def _misses(cubic: Floats, enough: float) -> Floats:
    """Bound cubics with the control values (4, I).

    They are nowhere beyond those, which do where they are small; else the extremes are computed.
    """
    bound = np.asarray(np.abs(cubic).max(axis=0))
    large = np.flatnonzero(bound > enough)
    bound[large] = np.abs(bezier.bounds(cubic[:, large].T[..., None])).max(axis=(-1, -2))
    return bound


def _cut(begins: Bools, pieces: _Pieces, parts: Ints) -> None:
    """Cut pieces into so many parts of about equally many steps, in place."""
    size = pieces.last - pieces.first + 1
    for k in range(1, parts.max(initial=1)):
        rows = np.flatnonzero(parts > k)
        begins[pieces.first[rows] + k * size[rows] // parts[rows]] = True


def _together(
    stations: Stations, steps: Steps, controls: Floats, begins: Bools, found: tuple[Floats, Floats]
) -> Fitted:
    """Give all pieces, and the segments of chains that are not draped."""
    chain = np.empty(len(controls), np.int64)
    chain[stations.segment] = stations.chain
    firm = np.flatnonzero(~stations.draped[chain])
    pieces = _pieces(steps, begins, np.arange(len(begins)))
    segment = np.append(firm, steps.segment[pieces.first])
    start = np.append(np.zeros(len(firm)), steps.t0[pieces.first])
    stop = np.append(np.ones(len(firm)), steps.t1[pieces.last])
    values = np.concatenate([controls[firm, :, 2], pieces.values.T])
    order = np.lexsort((start, segment))
    segment, start, stop = segment[order], start[order], stop[order]
    plan = bezier.subsegment(controls[segment, :, :2], start, stop)
    miss, grade = np.zeros(len(stations.line)), np.zeros(len(stations))
    np.maximum.at(miss, chain[steps.segment], found[0])
    grade[steps.station] = found[1]
    return Fitted(
        np.concatenate([plan, values[order][..., None]], axis=2),
        np.searchsorted(chain[segment], np.arange(len(stations.line) + 1)),
        np.append(segment + start, float(len(controls))),
        miss,
        grade,
    )
