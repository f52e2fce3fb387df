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
    profile = cubics(steps)
    begins = np.diff(steps.segment, prepend=-1) != 0
    miss, grade = np.zeros(len(begins)), np.zeros(len(begins))
    look = np.arange(len(begins))
    while len(look):
        pieces = _pieces(steps, begins, look)
        size = pieces.last - pieces.first + 1
        some = Steps._make(field[..., look] for field in steps)
        owner = np.repeat(np.arange(len(size)), size)
        values = _parts(steps, pieces, some, owner)
        miss[look] = _misses(values - profile[:, look], SAFE * limits.tolerance)
        grade[look] = grades(some, values, controls)
        parts = _cuts(steps, pieces, controls, (miss[look], grade[look]), limits)
        parts = np.minimum(parts, size)
        _cut(begins, pieces, parts)
        look = look[(parts > 1)[owner]]
    return _together(stations, steps, controls, begins, (miss, grade))


def _pieces(steps: Steps, begins: Bools, look: Ints) -> _Pieces:
    """Give the pieces of some steps, which are all steps of these pieces."""
    starts = np.flatnonzero(begins[look])
    first, last = look[starts], look[np.append(starts[1:], len(look)) - 1]
    third = (steps.t1[last] - steps.t0[first]) / 3
    low, high = steps.z[0, first], steps.z[1, last]
    values = [low, low + steps.rise[0, first] * third, high - steps.rise[1, last] * third, high]
    return _Pieces(first, last, np.stack(values))


def _parts(steps: Steps, pieces: _Pieces, some: Steps, owner: Ints) -> Floats:
    """Give the control values, shape (4, I), of pieces on their steps."""
    t0, t1 = steps.t0[pieces.first][owner], steps.t1[pieces.last][owner]
    u, v = (some.t0 - t0) / (t1 - t0), (some.t1 - t0) / (t1 - t0)
    values = pieces.values.T[owner][..., None]
    return np.ascontiguousarray(bezier.subsegment(values, u, v)[..., 0].T)


def _misses(cubic: Floats, enough: float) -> Floats:
    """Bound cubics with the control values (4, I).

    They are nowhere beyond those, which do where they are small; else the extremes are computed.
    """
    bound = np.asarray(np.abs(cubic).max(axis=0))
    large = np.flatnonzero(bound > enough)
    bound[large] = np.abs(bezier.bounds(cubic[:, large].T[..., None])).max(axis=(-1, -2))
    return bound


def _cuts(
    steps: Steps, pieces: _Pieces, controls: Floats, found: tuple[Floats, Floats], limits: Limits
) -> Ints:
    """Tell into how many parts each piece is to be cut."""
    starts = np.cumsum(pieces.last - pieces.first + 1) - (pieces.last - pieces.first + 1)
    miss, grade = (np.maximum.reduceat(each, starts) for each in found)
    # what a cubic misses grows with the fourth power of its extent
    parts = np.ceil((miss / (SAFE * limits.tolerance)) ** 0.25)
    parts = np.where(grade > limits.grade, np.maximum(parts, 2), parts)
    if limits.length < np.inf:
        plan = controls[steps.segment[pieces.first], :, :2]
        part = bezier.subsegment(plan, steps.t0[pieces.first], steps.t1[pieces.last])
        length = bezier.length(np.concatenate([part, pieces.values.T[..., None]], axis=2))
        parts = np.maximum(parts, np.ceil(SAFE * length / limits.length))
    return parts.clip(1, MOST).astype(np.int64)


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
