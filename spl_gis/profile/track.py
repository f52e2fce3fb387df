"""Stations of roads, as the fit of heights sees them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .stations import Roads, Stations

ROUNDING = 1e-9
"""Least distance [m] between stations that counts."""


class Track(NamedTuple):
    """Stations of roads, as the fit of heights sees them.

    Attributes
    ----------
    z, slope : ndarray, shape (N,)
        Height that is wanted, and its rise over run along the road.
    segment : ndarray of int, shape (N,)
        Segment of each station; where two meet, the later one.
    t : ndarray, shape (N,)
        Parameter on it.
    last : ndarray of bool, shape (N,)
        Ends of chains: what follows is not on the same segment.
    joint : ndarray of bool, shape (N,)
        Where one piece ends and the next begins.
    free : ndarray of bool, shape (N,)
        Stations of chains that are draped.
    chain : ndarray of int, shape (N,)
        The chain of each station.
    """

    z: Floats
    slope: Floats
    segment: Ints
    t: Floats
    last: Bools
    joint: Bools
    free: Bools
    chain: Ints

    def take(self, rows: Bools) -> Track:
        """Give some of the stations."""
        return Track._make(field[rows] for field in self)


def track_of(stations: Stations, z: Floats, controls: Floats, roads: Roads) -> tuple[Track, Bools]:
    """Give the stations as the fit sees them, and which of them keep their slopes."""
    first, last = np.zeros(len(z), bool), np.zeros(len(z), bool)
    first[stations.offsets[:-1]] = last[stations.offsets[1:] - 1] = True
    chain = stations.chain
    free = stations.draped[chain]
    count = np.diff(stations.offsets[roads.begin])
    number = numbers(np.repeat(np.arange(len(count)), count), first, np.ones(len(z), bool), roads)
    slope = _slopes(z, stations.station, (first, last), number)
    firm = np.full(number.max(initial=-1) + 1, np.nan)
    given = _firm_slopes(stations, controls)
    firm[number[stations.ends][~np.isnan(given)]] = given[~np.isnan(given)]
    known = ~np.isnan(firm[number])
    slope = np.where(known, firm[number], slope)
    joint = (stations.parameter == 0) | last
    return Track(z, slope, stations.segment, stations.parameter, last, joint, free, chain), known


def numbers(road: Ints, first: Bools, counted: Bools, roads: Roads) -> Ints:
    """Give each station a number; both sides of a node that a road leads through have one."""
    begins = np.flatnonzero(np.diff(road, prepend=-1))
    ends = np.append(begins[1:], len(road)) - 1
    goes_on = first.copy()
    goes_on[begins] = False
    number = np.cumsum(counted & ~goes_on) - 1
    closed = roads.closed[road[begins]]
    number[ends[closed]] = number[begins[closed]]
    return number


def _slopes(z: Floats, at: Floats, limits: tuple[Bools, Bools], number: Ints) -> Floats:
    """Give the slope at each station, of the parabola through it and those beside it.

    At the end of a road it is that of the parabola through the last three stations.
    """
    run = np.diff(at, append=0.0)
    slope = np.divide(np.diff(z, append=0.0), run, out=np.zeros(len(z)), where=run > 0)
    size = number.max(initial=-1) + 1
    total, weight, sides = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    ends = []
    for outer, before, further in ((limits[1], 0, 1), (limits[0], 1, -1)):
        station = np.flatnonzero(~outer)
        step = station - before
        near = 1 / np.maximum(run[step], ROUNDING)
        total += np.bincount(number[station], near * slope[step], size)
        weight += np.bincount(number[station], near, size)
        sides += np.bincount(number[station], minlength=size)
        ends.append((station, step, step + further))
    found: Floats = np.divide(total, weight, out=total, where=weight > 0)[number]
    for station, step, other in ends:
        last = sides[number[station]] == 1
        one, two = step[last], other[last]
        share = run[one] / np.maximum(run[one] + run[two], ROUNDING)
        found[station[last]] = slope[one] + (slope[one] - slope[two]) * share
    return found


def _firm_slopes(stations: Stations, controls: Floats) -> Floats:
    """Give the slopes at both ends of chains that are not draped, shape (C, 2); NaN = any."""
    start, end = controls[stations.segment[stations.ends]].swapaxes(0, 1)
    handle = np.stack([start[:, 1] - start[:, 0], end[:, 3] - end[:, 2]], axis=1)
    run = np.hypot(handle[..., 0], handle[..., 1])
    slope = np.divide(handle[..., 2], run, out=np.full(run.shape, np.nan), where=run > 0)
    return np.where(stations.draped[:, None], np.nan, slope)
