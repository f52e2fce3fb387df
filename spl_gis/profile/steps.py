"""Profiles between stations: cubics over plan curves, with one slope at each station of a road."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .stations import Roads, Stations

ROUNDING = 1e-9
"""Least distance [m] between stations that counts."""

CORNER = 1e-3
"""Roads that turn by more than this [rad] at a joint have a slope on each side."""


class Steps(NamedTuple):
    """What runs from one station to the next, on chains that are draped.

    Attributes
    ----------
    station : ndarray of int, shape (I,)
        The station where it begins; it ends at the next one.
    segment : ndarray of int, shape (I,)
        The segment that it is a part of.
    t0, t1 : ndarray, shape (I,)
        Where on the segment it begins and ends.
    z : ndarray, shape (2, I)
        Height at both ends.
    rise : ndarray, shape (2, I)
        What the height rises there, in metres for each unit of the segment's parameter.
    """

    station: Ints
    segment: Ints
    t0: Floats
    t1: Floats
    z: Floats
    rise: Floats


def steps_of(
    stations: Stations, z: Floats, controls: Floats, roads: Roads, limit: Floats | None = None
) -> Steps:
    """Give the profile through heights at stations.

    On each step it is a cubic of the segment's parameter, as the height on a Bezier curve is, with the
    heights and slopes of both stations.

    Parameters
    ----------
    stations : Stations
        Along the curves.
    z : ndarray, shape (N,)
        Heights.
    controls : ndarray, shape (S, 4, 3)
        Control points of the curves.
    roads : Roads
        Which chains follow one another.
    limit : ndarray, shape (N,), optional
        Greatest rise over run from each station to the next, which the heights keep: so do slopes.
    """
    moves = np.ones(len(stations), bool)
    moves[stations.offsets[1:] - 1] = False
    row = np.flatnonzero(moves & stations.draped[stations.chain])
    end = stations.parameter[row + 1]
    t0, t1 = stations.parameter[row], np.where(end == 0, 1.0, end)
    segment = stations.segment[row]
    speed = np.stack([speeds(controls, segment, t) for t in (t0, t1)])
    after, before = slopes(stations, z, controls, roads, limit)
    rise = np.stack([after[row], before[row + 1]]) * speed
    return Steps(row, segment, t0, t1, z[np.stack([row, row + 1])], rise)


def speeds(controls: Floats, segment: Ints, t: Floats) -> Floats:
    """Give how fast curves are in plan at parameters (N,) of some of their segments."""
    legs = 3 * np.diff(controls[..., :2], axis=1)
    a, b, c = (legs[:, i][segment] for i in range(3))
    s, t = (1 - t)[:, None], t[:, None]
    velocity = s * s * a + 2 * s * t * b + t * t * c
    return np.asarray(np.hypot(velocity[:, 0], velocity[:, 1]))


def slopes(
    stations: Stations, z: Floats, controls: Floats, roads: Roads, limit: Floats | None = None
) -> Floats:
    """Give the rise over run at each station, of the parabola through it and those beside it.

    At the end of a road it is that of the parabola through the last three stations, and so it is, on each
    side, at a corner in plan. Where a road comes from or goes to a chain that is not draped, it is the slope
    of that chain's curve. With a limit g, a slope beside a step of the slope d must not leave -2 g to 2 g
    around 3 d: then no cubic is steeper. Where there is no such slope, some are. (F. N. Fritsch and R. E.
    Carlson, Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17, 1980, for heights plus and minus
    g times the distance.)

    Parameters are those of `steps_of`.

    Returns
    -------
    ndarray, shape (2, N)
        After each station, and before it; they differ only at corners.
    """
    place = _places(stations, controls, roads)
    sides = _Sides(stations, z, place)
    found = sides.parabolas()
    if limit is not None:
        found = sides.limited(found, limit)
    return _with_firm(found, place, stations, controls)[place]


class _Sides:
    """The steps before and after each place that is to have one slope.

    Parameters
    ----------
    stations : Stations
        The roads.
    z : ndarray, shape (N,)
        Heights.
    place : ndarray of int, shape (2, N)
        The place after and before each station.
    """

    def __init__(self, stations: Stations, z: Floats, place: Ints) -> None:
        self.size = int(place.max(initial=-1)) + 1
        self.run = np.diff(stations.station, append=0.0)
        self.slope = np.divide(np.diff(z, append=0.0), self.run, out=np.zeros(len(z)), where=self.run > 0)
        outer = np.zeros((2, len(z)), bool)
        outer[0, stations.offsets[1:] - 1] = outer[1, stations.offsets[:-1]] = True
        rows = [np.flatnonzero(~outer[side]) for side in range(2)]
        self.steps = [(place[side, row], row - side) for side, row in enumerate(rows)]

    def parabolas(self) -> Floats:
        """Give the slope at each place, of the parabola through the nearest three stations."""
        total, weight, sides = np.zeros(self.size), np.zeros(self.size), np.zeros(self.size, np.int64)
        for place, step in self.steps:
            near = 1 / np.maximum(self.run[step], ROUNDING)
            total += np.bincount(place, near * self.slope[step], self.size)
            weight += np.bincount(place, near, self.size)
            sides += np.bincount(place, minlength=self.size)
        found: Floats = np.divide(total, weight, out=total, where=weight > 0)
        for (place, step), further in zip(self.steps, (1, -1)):
            alone = sides[place] == 1
            one, two = step[alone], step[alone] + further
            share = self.run[one] / np.maximum(self.run[one] + self.run[two], ROUNDING)
            found[place[alone]] = self.slope[one] + (self.slope[one] - self.slope[two]) * share
        return found

    def limited(self, found: Floats, limit: Floats) -> Floats:
        """Change slopes so that no cubic is steeper than the greatest limit, where that can be."""
        greatest = limit.max(initial=0.0)
        most, low, high = (
            np.full(self.size, greatest),
            np.full(self.size, np.inf),
            np.full(self.size, -np.inf),
        )
        for place, step in self.steps:
            np.minimum.at(most, place, 3 * limit[step])  # less where a step must be flatter than others
            np.minimum.at(low, place, 3 * self.slope[step] + 2 * greatest)
            np.maximum.at(high, place, 3 * self.slope[step] - 2 * greatest)
        return found.clip(high, low).clip(-most, most)


def _places(stations: Stations, controls: Floats, roads: Roads) -> Ints:
    """Give both sides of all stations numbers, shape (2, N), one where they are to have one slope."""
    goes_on = np.zeros(len(stations), bool)
    goes_on[stations.offsets[:-1]] = True
    begins, ends = stations.offsets[roads.begin[:-1]], stations.offsets[roads.begin[1:]] - 1
    goes_on[begins] = False
    place = np.cumsum(~goes_on) - 1
    place[ends[roads.closed]] = place[begins[roads.closed]]
    both = np.stack([place, place])
    start = np.flatnonzero(stations.parameter == 0)
    end = start - goes_on[start]  # the station at which the segment before ends
    first = np.isin(start, begins)
    end[first] = np.where(roads.closed, ends, -1)
    start, end = start[end >= 0], end[end >= 0]
    before = np.where(stations.parameter[end] == 0, stations.segment[end] - 1, stations.segment[end])
    leaving = controls[stations.segment[start], :2]
    corner = _turns(controls[before, 3] - controls[before, 2], leaving[:, 1] - leaving[:, 0])
    both[1, end[corner]] = len(place) + np.arange(corner.sum())
    return both


def _turns(arriving: Floats, leaving: Floats) -> Bools:
    """Tell where a road turns sharply in plan."""
    cross = arriving[:, 0] * leaving[:, 1] - arriving[:, 1] * leaving[:, 0]
    along = (arriving[:, :2] * leaving[:, :2]).sum(axis=1)
    return np.asarray(np.abs(np.arctan2(cross, along)) > CORNER)


def _with_firm(slope: Floats, place: Ints, stations: Stations, controls: Floats) -> Floats:
    """Take over the slopes at the ends of chains that are not draped."""
    ends = stations.ends[~stations.draped]
    start, end = controls[stations.segment[ends]].swapaxes(0, 1)
    handle = np.stack([start[:, 1] - start[:, 0], end[:, 3] - end[:, 2]], axis=1)
    run = np.hypot(handle[..., 0], handle[..., 1])
    for side in range(2):
        known = run[:, side] > 0
        slope[place[side, ends[known, side]]] = handle[known, side, 2] / run[known, side]
    return slope


def cubics(steps: Steps) -> Floats:
    """Give the control values, shape (4, I), of the height on each step."""
    third = steps.rise * (steps.t1 - steps.t0) / 3
    return np.stack([steps.z[0], steps.z[0] + third[0], steps.z[1] - third[1], steps.z[1]])


def grades(steps: Steps, values: Floats, controls: Floats) -> Floats:
    """Give the steepest rise over run on each step, shape (I,), without a sign.

    It is taken at both ends, at quarters, and where the rise over the parameter is steepest: on a straight
    segment with equal handles that is the steepest place, on others it is near it.

    Parameters
    ----------
    steps : Steps
        The steps.
    values : ndarray, shape (4, I)
        Control values of the height on each step.
    controls : ndarray, shape (S, 4, 3)
        Control points of the curves.
    """
    rise = 3 * np.diff(values, axis=0)
    bend = rise[0] - 2 * rise[1] + rise[2]
    turn = np.divide(rise[0] - rise[1], bend, out=np.zeros(len(bend)), where=bend != 0).clip(0.0, 1.0)
    extent = steps.t1 - steps.t0
    steepest = np.zeros(len(extent))
    for w in (*(np.full(len(turn), share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)), turn):
        v = 1 - w
        climb = np.abs(v * v * rise[0] + 2 * v * w * rise[1] + w * w * rise[2])
        run = speeds(controls, steps.segment, steps.t0 + w * extent) * extent
        steepest = np.maximum(steepest, np.divide(climb, run, out=np.zeros(len(run)), where=run > 0))
    return steepest
