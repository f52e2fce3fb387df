"""Room between roads that pass over each other, and the ramps that lead there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats
from .grade import Slopes
from .over import Overpasses
from .share import share_heights
from .smooth import smooth_along
from .stations import Roads, Stations

LEAST = 1 / 3
"""Where the ground is as steep as a ramp may be, a ramp gains so much of its grade all the same."""
STEEPER = 1.5
"""Ramps that cannot get apart otherwise become so much steeper,"""
TRIES = 4
"""so often."""
SWEEPS = 40
"""Decks over ramps over decks: heights are raised one by another so often, else that is endless."""
ROUNDS = 12
"""So often what rounding off crests took is added to them."""
ENOUGH = 1e-3
"""Room [m] that need not be there."""


class Cleared(NamedTuple):
    """Heights with room between roads.

    Attributes
    ----------
    z : ndarray, shape (N,)
        Heights at the stations.
    steep : ndarray of bool, shape (N,)
        Stations on ramps that had to be steeper than their grade.
    """

    z: Floats
    steep: Bools


class Ramps(NamedTuple):
    """What ramps are made by.

    Attributes
    ----------
    stations : Stations
        The roads.
    roads : Roads
        Which chains follow one another.
    grade : ndarray, shape (C,)
        Greatest rise over run of ramps on each chain.
    smooth : ndarray, shape (R,)
        Length [m] over which crests and feet of ramps are rounded off along each road.
    firm : bool
        Whether nothing may be steeper than its grade, even where a crossing gets less room then.
    """

    stations: Stations
    roads: Roads
    grade: Floats
    smooth: Floats
    firm: bool = False


def keep_clearance(z: Floats, over: Overpasses, level: Floats, room: Floats, ramps: Ramps) -> Cleared:
    """Raise decks above what they cross, and lower tunnels below it.

    Where the upper chain is above the ground (level > 0) it is raised, else the lower one, which is then
    below the ground, is lowered; the ground stays. From there ramps lead back to the heights that were, over
    all roads that are connected, as steep as their grade allows. Heights only rise, so decks over decks, ramps
    below decks and so on are raised one by another until all have room: the least heights that do (difference
    constraints; R. Bellman, On a routing problem, 1958). Where that is endless, as for a ramp that
    passes below its own deck after too short a way, the ramps there become steeper; where even that does not
    help, the crossing gets no more room.

    Parameters
    ----------
    z : ndarray, shape (N,)
        Heights at the stations; those at the ends of chains with one node number are equal.
    over : Overpasses
        What passes over what.
    level : ndarray, shape (C,)
        Level of each chain.
    room : ndarray, shape (X,)
        Least distance [m] between both chains of each crossing, in height.
    ramps : Ramps
        How ramps are made.
    """
    chain, steep = ramps.stations.chain, np.zeros(len(z), bool)
    draped = ramps.stations.draped[chain]
    upwards = level[chain[over.row[:, 0]]] > 0
    up, down = upwards & draped[over.row[:, 0]], ~upwards & draped[over.row[:, 1]]
    for _ in range(TRIES):
        for some, sign in ((up, 1.0), (down, -1.0)):
            movers = over.take(some) if sign > 0 else over.take(some).turned()
            moved = _raised(sign * z, movers, room[some], ramps)
            z, steep = sign * moved.z, steep | moved.steep
        lack = room - over.heights(z) @ [1.0, -1.0]
        if not (lack[up] > ENOUGH).any():
            break
    return Cleared(z, steep)


def _raised(z: Floats, over: Overpasses, room: Floats, ramps: Ramps) -> Cleared:
    """Raise upper chains alone."""
    steep, active = np.zeros(len(z), bool), np.ones(len(room), bool)
    if not (room - over.heights(z) @ [1.0, -1.0] > ENOUGH).any():
        return Cleared(z, steep)
    fall = _falls(z, ramps)
    for left in range(0 if ramps.firm else TRIES, -1, -1):
        slopes = Slopes(ramps.stations, fall)
        lift, endless = _lifted(z, over, room, slopes, active)
        if not endless.any():
            break
        if left > 0:
            near = _near(over.take(endless), room[endless], ramps)
            steep |= near
            fall = np.where(near, STEEPER * fall, fall)
        else:
            active &= ~endless
    lift = _rounded_off(z, over, room, slopes, (lift, active), ramps)
    return Cleared(z + lift, steep & (lift > ENOUGH))


def _falls(z: Floats, ramps: Ramps) -> Floats:
    """Give how much a lift may fall, over run, from each station to the next."""
    stations = ramps.stations
    run = np.diff(stations.station, append=0.0)
    slope = np.divide(np.abs(np.diff(z, append=0.0)), run, out=np.zeros(len(z)), where=run > 0)
    grade = ramps.grade[stations.chain]
    return np.maximum(grade - slope, LEAST * grade)


def _lifted(z: Floats, over: Overpasses, room: Floats, slopes: Slopes, active: Bools) -> tuple[Floats, Bools]:
    """Give the least lifts with room below, and the crossings that would have to rise without end."""
    lift, endless = np.zeros(len(z)), np.zeros(len(room), bool)
    for _ in range(SWEEPS):
        lack = np.where(active, room - over.heights(z + lift) @ [1.0, -1.0], 0.0)
        endless = lack > ENOUGH
        if not endless.any():
            break
        wanted = lift.copy()
        own = over.heights(lift)[:, 0] + lack
        for beside in (0, 1):
            np.maximum.at(wanted, over.row[endless, 0] + beside, own[endless])
        lift = slopes.raised(wanted)
    return lift, endless


def _near(over: Overpasses, room: Floats, ramps: Ramps) -> Bools:
    """Tell which stations are so near to crossings that ramps get no room up to there."""
    distance = np.zeros(len(ramps.stations))
    reach = room / ramps.grade[ramps.stations.chain[over.row[:, 0]]]
    for side in (0, 1):
        for beside in (0, 1):
            np.maximum.at(distance, over.row[:, side] + beside, reach)
    return np.asarray(Slopes(ramps.stations, 1.0).raised(distance) > 0)


def _rounded_off(
    z: Floats, over: Overpasses, room: Floats, slopes: Slopes, found: tuple[Floats, Bools], ramps: Ramps
) -> Floats:
    """Round off crests and feet of lifts; what that takes from crests is added to them before."""
    stations, roads = ramps.stations, ramps.roads
    lift, active = found
    more = np.zeros(len(room))
    for _ in range(ROUNDS):
        smooth = share_heights(stations, smooth_along(stations, lift, roads, ramps.smooth), roads)
        smooth = np.where(stations.draped[stations.chain], slopes.raised(np.maximum(smooth, 0.0)), 0.0)
        lack = np.where(active, room - over.heights(z + smooth) @ [1.0, -1.0], 0.0)
        if not (lack > ENOUGH).any():
            break
        more += np.maximum(lack, 0.0)
        lift, endless = _lifted(z, over, room + more, slopes, active)
        active = active & ~endless
    return smooth
