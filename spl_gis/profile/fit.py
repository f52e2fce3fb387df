"""Heights for plan curves: cubics over them, cut where one does not do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints
from .misses import grades, misses
from .pieces import Pieces, Steps, best_slopes, heights, pieces_of, speeds, steps_of
from .stations import Roads, Stations
from .track import Track, numbers, track_of

ROUNDS = 24
"""Pieces that miss are cut so often at most."""
SAFE = 1 - 1e-9
MOST = 8
"""A piece is cut into so many parts at once at most."""


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


class _Done(NamedTuple):
    """Pieces of roads that need no more cuts, and the grades of their steps."""

    place: Floats
    chain: Ints
    heights: Floats
    miss: Floats
    station: Ints
    grade: Floats


class _Roads(NamedTuple):
    """Stations of roads that are still looked at: their road, first number, and if their slope stays."""

    track: Track
    road: Ints
    number: Ints
    known: Bools


def fit_heights(
    stations: Stations,
    z: Floats,
    controls: Floats,
    roads: Roads,
    tolerance: float,
    max_length: float | None = None,
) -> Fitted:
    """Give plan curves the heights of a profile.

    On each piece of a segment the height is a cubic of the segment's parameter, as it must be in a Bezier
    curve. At joints it has the height of the profile, and one slope for both sides, also where a road goes on
    through a node. Slopes are those that miss the profile least. Pieces that miss it by more than the
    tolerance anywhere, also between stations (`misses.misses`), are cut.

    Parameters
    ----------
    stations : Stations
        Along the curves; at least at both ends of each segment.
    z : ndarray, shape (N,)
        Heights at the stations; those at the ends of chains with one node number are equal.
    controls : ndarray, shape (S, 4, 3)
        Curves in metres, in the order of the stations. Chains that are not draped keep them as they are.
    roads : Roads
        Which chains follow one another.
    tolerance : float
        Greatest miss [m].
    max_length : float, optional
        Pieces longer than this [m] are cut, too.
    """
    plan = np.ascontiguousarray(controls[..., :2])
    count = np.diff(stations.offsets[roads.begin])
    track, known = track_of(stations, z, controls, roads)
    left = _Roads(track, np.repeat(np.arange(len(count)), count), np.arange(len(z)), known)
    done: list[_Done] = []
    for rounds in range(ROUNDS, 0, -1):
        track = left.track
        steps = steps_of(track, plan)
        pieces = pieces_of(track, steps)
        values = _fitted(left, steps, pieces, roads)
        step_miss = misses(track, steps, pieces, values, SAFE * tolerance)
        miss = np.zeros(len(pieces.first))
        np.maximum.at(miss, steps.piece, step_miss)
        parts = np.ceil((miss / (SAFE * tolerance)) ** 0.25)
        if max_length is not None:
            parts = np.maximum(parts, np.ceil(_lengths(track, pieces, values, plan) / max_length * SAFE))
        bad = np.zeros(len(count), bool)
        bad[left.road[pieces.first[parts > 1]]] = rounds > 1
        grade = grades(track, steps, pieces, values, plan)
        done.append(_settled(left, steps, pieces, ~bad, (values, miss, grade)))
        if not bad.any():
            break
        left = _cut(left, steps, pieces, np.clip(parts, 1, MOST).astype(np.int64), bad, plan)
    return _together(stations, controls, done)


def _fitted(left: _Roads, steps: Steps, pieces: Pieces, roads: Roads) -> Floats:
    """Give the heights of the control points of all pieces, shape (4, P)."""
    first = np.ones(len(left.road), bool)
    first[1:] = left.track.last[:-1]
    number = numbers(left.road, first, left.track.joint, roads)
    return heights(left.track, pieces, best_slopes(left.track, steps, pieces, number, left.known))


def _lengths(track: Track, pieces: Pieces, values: Floats, plan: Floats) -> Floats:
    """Give the lengths of pieces in space."""
    part = bezier.subsegment(plan[track.segment[pieces.first]], pieces.t0, pieces.t1)
    return bezier.length(np.concatenate([part, values.T[..., None]], axis=2))


def _settled(
    left: _Roads, steps: Steps, pieces: Pieces, good: Bools, found: tuple[Floats, Floats, Floats]
) -> _Done:
    """Give the pieces of good roads."""
    values, miss, grade = found
    track = left.track
    piece, step = good[left.road[pieces.first]], good[left.road[steps.row]]
    first = pieces.first[piece]
    return _Done(
        track.segment[first] + pieces.t0[piece],
        track.chain[first],
        values[:, piece].T,
        miss[piece],
        left.number[steps.row[step]],
        grade[step],
    )


def _cut(left: _Roads, steps: Steps, pieces: Pieces, parts: Ints, bad: Bools, plan: Floats) -> _Roads:
    """Keep bad roads alone, and cut their pieces into so many parts, at stations; make some where needed."""
    joint = left.track.joint.copy()
    size = pieces.last - pieces.first
    for k in range(1, parts.max(initial=1)):
        rows = np.flatnonzero((parts > k) & (size > 1))
        inner = np.clip(np.rint(k * size[rows] / parts[rows]).astype(np.int64), 1, size[rows] - 1)
        joint[pieces.first[rows] + inner] = True
    track, road, number, known = left._replace(track=left.track._replace(joint=joint))
    step = np.flatnonzero(((parts > 1) & (size == 1))[steps.piece])
    if len(step):
        row = steps.row[step]
        middles = _middles(track, steps, step, plan)
        track = Track._make(np.insert(a, row + 1, b) for a, b in zip(track, middles))
        road, number = (np.insert(a, row + 1, a[row]) for a in (road, number))
        known = np.insert(known, row + 1, False)
    kept = bad[road]
    return _Roads(track.take(kept), road[kept], number[kept], known[kept])


def _middles(track: Track, steps: Steps, step: Ints, plan: Floats) -> Track:
    """Give joints in the middle of steps, on the profile."""
    row, extent = steps.row[step], steps.t1[step] - steps.t0[step]
    segment, t = track.segment[row], (steps.t0[step] + steps.t1[step]) / 2
    low, high = track.z[row], track.z[row + 1]
    start, stop = steps.speed[:, step] * np.stack([track.slope[row], track.slope[row + 1]]) * extent
    climb, run = 1.5 * (high - low) - (start + stop) / 4, speeds(plan, segment, t) * extent
    slope = np.divide(climb, run, out=np.zeros(len(run)), where=run > 0)
    yes = np.ones(len(row), bool)
    return Track((low + high) / 2 + (start - stop) / 8, slope, segment, t, ~yes, yes, yes, track.chain[row])


def _together(stations: Stations, controls: Floats, done: list[_Done]) -> Fitted:
    """Join what is done of all roads, and add the chains that are not draped."""
    chain = np.empty(len(controls), np.int64)
    chain[stations.segment] = stations.chain
    firm = np.flatnonzero(~stations.draped[chain])
    place = np.concatenate([firm, *(some.place for some in done)])
    owner = np.concatenate([chain[firm], *(some.chain for some in done)])
    values = np.concatenate([controls[firm, :, 2], *(some.heights for some in done)])
    order = np.argsort(place)
    place, owner = place[order], owner[order]
    segment = np.floor(place).astype(np.int64)
    start = place - segment
    stop = np.append(start[1:], 0.0)
    part = bezier.subsegment(controls[segment, :, :2], start, np.where(stop == 0, 1.0, stop))
    miss, grade = np.zeros(len(stations.line)), np.zeros(len(stations))
    for some in done:
        np.maximum.at(miss, some.chain, some.miss)
        np.maximum.at(grade, some.station, some.grade)
    return Fitted(
        np.concatenate([part, values[order][..., None]], axis=2),
        np.searchsorted(owner, np.arange(len(stations.line) + 1)),
        np.append(place, float(len(controls))),
        miss,
        grade,
    )
