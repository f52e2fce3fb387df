"""Room between roads that pass over each other, and the ramps that lead there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats
from .grade import Slopes
from .loops import falls_between
from .nearby import near_crossings
from .over import Overpasses
from .share import share_heights
from .smooth import smooth_along
from .stations import Roads, Stations

LEAST = 1 / 3
"""Where the ground is as steep as a ramp may be, a ramp gains so much of its grade all the same."""
REACH = 150.0
"""Roads are looked at so many times as far from crossings as these lack room, then twice as far, ..."""
STEEPEST = 3.0
"""Ramps that cannot get apart otherwise become so much steeper at most."""
TRIES = 4
"""So often decks are raised and tunnels lowered in turn."""
MARGIN = 1.25
"""They are made for so much more room than is wanted, because rounding off crests takes some."""
FINENESS = 10
"""In so many steps from 1 to e."""
SWEEPS = 10
"""Decks over ramps over decks: heights are raised one by another so often, else that is endless."""
MARK = 1e-7
"""Heights [m] by which crossings are told apart."""
ROUNDS = 8
"""So often what rounding off crests took is added to them."""
PROGRESS = 0.9
"""What does not become less than so much of it is not tried again."""
ENOUGH = 0.01
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
    all roads that are connected, as steep as their grade allows. Heights only rise, so decks over decks,
    ramps below decks and so on are raised one by another until all have room: the least heights that do
    (difference constraints; R. Bellman, On a routing problem, 1958). Where a ramp passes below its own deck
    after too short a way, the ramps there become as steep as needed, up to `STEEPEST` times their grade.
    Where even that does not help, or crossings raise one another in a circle, one crossing gives way: it
    keeps what room it happens to have.

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
    if not len(room):
        return Cleared(z, np.zeros(len(z), bool))
    reach = REACH * (room + np.maximum(_lack(z, over, room), 0.0))
    while True:
        part = near_crossings(ramps.stations, ramps.roads, over, reach)
        smooth = ramps.smooth[ramps.roads.of_chain[part.chains[part.roads.begin[:-1]]]]
        near = Ramps(part.stations, part.roads, ramps.grade[part.chains], smooth, ramps.firm)
        found = _kept(z[part.rows], over.moved(part.rows), level[part.chains], room, near)
        moved = found.z != z[part.rows]
        if not moved[part.stations.ends[part.border]].any():
            break
        reach = 2 * reach
    steep, z = np.zeros(len(z), bool), z.copy()
    z[part.rows], steep[part.rows] = found
    return Cleared(z, steep)


def _lack(z: Floats, over: Overpasses, room: Floats) -> Floats:
    """Give how much room is missing, shape (X,)."""
    both = over.heights(z)
    lack: Floats = room - (both[:, 0] - both[:, 1])
    return lack


def _kept(z: Floats, over: Overpasses, level: Floats, room: Floats, ramps: Ramps) -> Cleared:
    """Give a part of the roads room."""
    chain, steep = ramps.stations.chain, np.zeros(len(z), bool)
    draped = ramps.stations.draped[chain]
    upwards = level[chain[over.row[:, 0]]] > 0
    up, down = upwards & draped[over.row[:, 0]], ~upwards & draped[over.row[:, 1]]
    for _ in range(TRIES):
        for some, sign in ((up, 1.0), (down, -1.0)):
            movers = over.take(some) if sign > 0 else over.take(some).turned()
            moved, active = _raised(sign * z, movers, room[some], ramps)
            z, steep = sign * moved.z, steep | moved.steep
            some[some] = active
        if not (_lack(z, over, room)[up] > ENOUGH).any():
            break
    return Cleared(z, steep)


def _raised(z: Floats, over: Overpasses, room: Floats, ramps: Ramps) -> tuple[Cleared, Bools]:
    """Raise upper chains alone; also tell which crossings got the room that they want."""
    steep = np.zeros(len(z), bool)
    lacks = _lack(z, over, room) > ENOUGH
    if not lacks.any():
        return Cleared(z, steep), ~lacks
    fall = _falls(z, ramps)
    between = falls_between(ramps.stations, fall, over, float(room.max()))
    factor = np.where(lacks, MARGIN * room / np.maximum(between, ENOUGH), 0.0)
    active = factor <= (MARGIN if ramps.firm else STEEPEST)
    hard = active & (factor > 1) & ~np.full(len(room), ramps.firm)
    if hard.any():
        more = _near(over.take(hard), room[hard], factor[hard], Slopes(ramps.stations, fall))
        fall, steep = fall * more, more > 1
    slopes = Slopes(ramps.stations, fall)
    lift, active = _settled(z, over, room, slopes, active)
    lift = _rounded_off(z, over, room, slopes, (lift, active), ramps)
    got = active & (_lack(z + lift, over, room) <= ENOUGH)
    return Cleared(z + lift, steep & (lift > ENOUGH)), got


def _falls(z: Floats, ramps: Ramps) -> Floats:
    """Give how much a lift may fall, over run, from each station to the next."""
    stations = ramps.stations
    run = np.diff(stations.station, append=0.0)
    slope = np.divide(np.abs(np.diff(z, append=0.0)), run, out=np.zeros(len(z)), where=run > 0)
    grade = ramps.grade[stations.chain]
    return np.maximum(grade - slope, LEAST * grade)


def _settled(
    z: Floats, over: Overpasses, room: Floats, slopes: Slopes, active: Bools
) -> tuple[Floats, Bools]:
    """Give the least lifts with room below, and the crossings that get it: not all that raise each other."""
    while True:
        lift = np.zeros(len(z))
        for _ in range(SWEEPS):
            lack = np.where(active, _lack(z + lift, over, room), 0.0)
            if not (lack > ENOUGH).any():
                return lift, active
            wanted = _wanted(over, lift, lack)
            lift = slopes.raised(wanted)
        active = active & ~_circular(over, wanted, lack > ENOUGH, slopes)


def _wanted(over: Overpasses, lift: Floats, lack: Floats) -> Floats:
    """Give lifts with which upper roads have the room that they lack."""
    wanted, some = lift.copy(), lack > ENOUGH
    own = over.heights(lift)[some, 0] + lack[some]
    for beside in (0, 1):
        np.maximum.at(wanted, over.row[some, 0] + beside, own)
    return wanted


def _circular(over: Overpasses, wanted: Floats, endless: Bools, slopes: Slopes) -> Bools:
    """Tell which crossings to give up: of each circle of crossings that raise one another, the first.

    What raises the lower road of a crossing is found by raising each crossing by a little more of its own.
    """
    count = len(endless)
    marked = np.zeros(len(wanted))
    for beside in (0, 1):
        np.maximum.at(marked, over.row[endless, 0] + beside, MARK * (np.flatnonzero(endless) + 1))
    more = slopes.raised(wanted + marked) - slopes.raised(wanted)
    low = over.row[:, 1]
    cause = np.rint(np.maximum(more[low], more[low + 1]) / MARK).astype(np.int64) - 1
    cause = np.where(endless & (cause >= 0) & (cause < count), cause, np.arange(count))
    first = np.arange(count)
    for _ in range(count.bit_length()):
        first, cause = np.minimum(first, first[cause]), cause[cause]
    circle = np.zeros(count, bool)
    circle[first[cause[endless]]] = True
    return circle & endless if (circle & endless).any() else endless


def _near(over: Overpasses, room: Floats, factor: Floats, slopes: Slopes) -> Floats:
    """Give how much steeper ramps become, shape (N,): near crossings by the factor of those, else by 1."""
    most = np.ones(slopes.size)
    for step in np.unique(np.ceil(FINENESS * np.log(factor))):
        some = np.ceil(FINENESS * np.log(factor)) == step
        reach = np.zeros(slopes.size)
        for row in (over.row[some], over.row[some] + 1):
            np.maximum.at(reach, row, room[some, None])
        most[slopes.raised(reach) > 0] = np.exp(step / FINENESS)  # ascending
    return most


def _rounded_off(
    z: Floats, over: Overpasses, room: Floats, slopes: Slopes, found: tuple[Floats, Bools], ramps: Ramps
) -> Floats:
    """Round off crests and feet of lifts; what that takes from crests is added to them before."""
    stations, roads = ramps.stations, ramps.roads
    lift, active = found
    more, before = np.zeros(len(room)), np.inf
    for _ in range(ROUNDS):
        smooth = share_heights(stations, smooth_along(stations, lift, roads, ramps.smooth), roads)
        smooth = np.where(stations.draped[stations.chain], slopes.raised(np.maximum(smooth, 0.0)), 0.0)
        lack = np.where(active, _lack(z + smooth, over, room), 0.0)
        worst = float(lack.max())
        if worst <= ENOUGH or worst > PROGRESS * before:
            break
        before = worst
        more, old = more + np.maximum(lack, 0.0), more
        while True:
            lift, still = _settled(z, over, room + more, slopes, active)
            lost = active & ~still & (more > old)
            if not lost.any():
                break
            more = np.where(lost, old, more)  # rather a little less room than none
        active = still
    return smooth
