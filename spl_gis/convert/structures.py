"""Bridges, tunnels and what they cross, of draped roads."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from .. import bezier, topology
from ..model import Bools, Features, Floats, Ints, LineStrings
from ..profile import (
    Fitted,
    Overpasses,
    Ramps,
    Roads,
    Stations,
    falls_between,
    keep_clearance,
    overpasses,
    span_structures,
)
from ..report import Report
from ..terrain import Flat, HeightOptions
from .merge import NAMED, named

STEP = 10.0
"""With structures, stations are not further apart than this [m]."""
GRADE = 0.06
"""Ramps have this rise over run, unless --max-grade or `GRADES` say otherwise."""
GRADES = {
    "motorway": 0.04,
    "trunk": 0.05,
    "rail": 0.02,
    "light_rail": 0.04,
    "subway": 0.04,
    "residential": 0.1,
    "living_street": 0.1,
    "service": 0.12,
    "track": 0.15,
    "path": 0.2,
    "footway": 0.2,
    "steps": 0.6,
}
"""That of some of OpenStreetMap's classes of roads and railways."""
ROOM_OF_RAMPS = 0.85
"""Ramps keep to this part of their grade: smooth curves are a little steeper than what they follow."""
STAIRS = 0.3
"""What may be steeper is no ramp."""
PARTING = 50.0
"""Roads that meet within this way [m] of a crossing part there, rather than pass over each other."""
CLASSES = ("highway", "railway")
"""OpenStreetMap's columns with what needs room; in data that has one of them, nothing else does but water."""
WATER = "waterway"
"""OpenStreetMap's column with the kind of water."""
ABOVE_WATER = 2.0
"""Above and below water this clearance [m] is enough."""


class Kinds(NamedTuple):
    """What lines are.

    Attributes
    ----------
    level : ndarray, shape (L,)
        The ground is 0.
    structure : ndarray of bool, shape (L,)
        Bridges and tunnels.
    room : ndarray, shape (L,)
        Room [m] that each line wants above it, and below it; NaN = nothing has to keep away from it.
    grade : ndarray, shape (L,)
        Rise over run of ramps.
    """

    level: Floats
    structure: Bools
    room: Floats
    grade: Floats


def kinds_of(
    scene: LineStrings, level: str | None, clearance: float, max_grade: float | None
) -> Kinds | None:
    """Tell bridges and tunnels from roads on the ground; None = there are none.

    What OpenStreetMap calls a layer of water is no tunnel unless it is tagged as one.

    Parameters
    ----------
    scene : LineStrings
        The lines.
    level : str, optional
        As `topology.line_levels` has it.
    clearance : float
        Room [m] between roads.
    max_grade : float, optional
        Greatest rise over run of all roads.
    """
    levels = topology.line_levels(scene.features, scene.feature, level)
    if not (levels.structure | (levels.level != 0)).any():
        return None
    water, way = (_filled(scene.features, names)[scene.feature] for names in ((WATER,), CLASSES))
    named_ways = any(name in scene.features.columns for name in CLASSES)
    room = np.where(way | (not named_ways), clearance, np.nan)
    room = np.where(water, min(clearance, ABOVE_WATER), room)
    structure = levels.structure | ((levels.level != 0) & ~water)
    return Kinds(levels.level, structure, room, _grades(scene.features, max_grade)[scene.feature])


def _filled(features: Features, names: tuple[str, ...]) -> Bools:
    """Tell which features say something in one of some columns."""
    found = np.zeros(len(features), bool)
    for name in names:
        column = features.columns.get(name)
        if column is not None:
            found |= ~column.null & (column.values.astype(str) != "")
    return found


def _grades(features: Features, max_grade: float | None) -> Floats:
    """Give the grade of the ramps of each feature."""
    grade = np.full(len(features), GRADE if max_grade is None else max_grade)
    for name in CLASSES if max_grade is None else ():
        column = features.columns.get(name)
        if column is not None:
            texts, row = np.unique(np.where(column.null, "", column.values.astype(str)), return_inverse=True)
            known = np.array([GRADES.get(text, np.nan) for text in texts.tolist()])
            here = known[row.reshape(-1)]
            grade = np.where(np.isnan(here), grade, here)
    return ROOM_OF_RAMPS * grade


def same_structure(features: Features, level: str | None, by: Sequence[str] | None) -> Sequence[str] | None:
    """Give the columns that lines must agree in to be one road: also those that tell bridges and tunnels."""
    if by is None:
        return None
    names = [name for name in topology.LEVEL_TAGS if name in features.columns] if level is None else [level]
    return [*by, *(name for name in names if name not in by)]


def flat_below_structures(
    lines: LineStrings, frame: CRS | None, heights: HeightOptions, level: str | None
) -> HeightOptions:
    """Make a number that all heights are a flat ground, if there are bridges or tunnels to keep off it."""
    if heights.source is None or isinstance(heights.source, str) or not len(lines):
        return heights
    levels = topology.line_levels(lines.features, lines.feature, level)
    if not (levels.structure | (levels.level != 0)).any():
        return heights
    return dataclasses.replace(heights, source=None, surface=Flat(heights.source, lines.crs, frame))


class Cleared(NamedTuple):
    """Roads with room between them.

    Attributes
    ----------
    z : ndarray, shape (N,)
        Heights at the stations.
    over : Overpasses
        What passes over what.
    room : ndarray, shape (X,)
        Room [m] that each wants.
    ramp, steep : ndarray of bool, shape (N,)
        Stations on ramps that are no stairs, and on those that may be steeper than they should be.
    grade : ndarray, shape (N,)
        Rise over run that ramps should have.
    """

    z: Floats
    over: Overpasses
    room: Floats
    ramp: Bools
    steep: Bools
    grade: Floats


def spanned(stations: Stations, ground: Floats, kinds: Kinds) -> Floats:
    """Lay bridges and tunnels from abutment to abutment, see `span_structures`."""
    return span_structures(stations, ground, kinds.structure[stations.line], kinds.grade[stations.line])


def cleared(
    stations: Stations,
    z: Floats,
    roads: Roads,
    smooth: Floats,
    kinds: Kinds,
    *,
    tolerance: float,
    firm: bool,
    report: Report,
) -> Cleared:
    """Give roads room where they pass over each other, see `keep_clearance`.

    Parameters
    ----------
    stations, z, roads
        Roads and their heights.
    smooth : ndarray, shape (R,)
        Length [m] over which crests are rounded off.
    kinds : Kinds
        What the lines are.
    tolerance : float
        How far curves may be from the heights [m]: both roads get so much more room.
    firm : bool
        Whether ramps may never be steeper than their grade.
    report : Report
        Told where nothing says which road is the upper one.
    """
    level, room = kinds.level[stations.line], kinds.room[stations.line]
    over, undecided = overpasses(stations, level)
    if undecided:
        report.note(
            f"{undecided} crossings of bridges or tunnels on one level get no clearance: nothing says which "
            "is above (layer, or --level)"
        )
    each = room[stations.chain[over.row]].min(axis=1)
    over, each = over.take(each > 0), each[each > 0]
    ramps = Ramps(stations, roads, kinds.grade[stations.line], smooth, firm)
    found = keep_clearance(z, over, level, each + 2 * tolerance, ramps)
    grade = ramps.grade[stations.chain] / ROOM_OF_RAMPS
    ramp = (np.abs(found.z - z) > tolerance) & (grade < STAIRS)
    return Cleared(found.z, over, each, ramp, found.steep, grade)


def tell(stations: Stations, fitted: Fitted, scene: LineStrings, roads: Cleared, report: Report) -> None:
    """Report what room roads have, and which ramps are too steep."""
    room = _rooms(stations, fitted, roads.over)
    tight = room < roads.room
    parting = tight & np.isfinite(falls_between(stations, np.ones(len(stations)), roads.over, PARTING))
    feature = scene.feature[stations.line[stations.chain]]
    if not parting.all():
        report.count("crossings above or below", int((~parting).sum()))
        report.measures["least clearance [m]"] = float(room[~parting].min())
    if parting.any():
        report.note(
            f"{int(parting.sum()):,} crossings have no clearance, as their roads meet within {PARTING:g} m"
        )
    _tell_tight(tight & ~parting, room, scene.features.fid[feature[roads.over.row]], report)
    if roads.ramp.any():
        report.measures["steepest ramp but stairs [%]"] = 100 * float(fitted.grade[roads.ramp].max())
    steep = roads.steep & (fitted.grade > roads.grade)
    if steep.any():
        rows = np.unique(feature[steep])
        report.warn(
            f"ramps had to be steeper than usual to get the --clearance on {len(rows):,} features "
            f"({named(scene.features, rows)}): up to {100 * float(fitted.grade[steep].max()):.0f} %; "
            "pass a lower --clearance, or a --max-grade that nothing may exceed"
        )


def _tell_tight(tight: Bools, room: Floats, fids: Ints, report: Report) -> None:
    """Warn of crossings with too little room."""
    if not tight.any():
        return
    number = int(tight.sum())
    some = zip(fids[tight][:NAMED].tolist(), room[tight].tolist())
    names = ", ".join(f"{a} over {b}: {c:.1f} m" for (a, b), c in some)
    more = f" and {number - NAMED:,} more" if number > NAMED else ""
    report.warn(
        f"{number:,} crossings have less room than --clearance ({names}{more}): the ways between their roads "
        "are too short for ramps, or heights must not change; pass a steeper --max-grade, a lower "
        "--clearance, or mend their levels"
    )


def _rooms(stations: Stations, fitted: Fitted, over: Overpasses) -> Floats:
    """Give the room [m] that the curves have at crossings."""
    row = over.row
    begin, stop = stations.parameter[row], stations.parameter[row + 1]
    stop = np.where(stations.segment[row + 1] == stations.segment[row], stop, 1.0)
    t = begin + over.share * (stop - begin)
    place = np.minimum(stations.segment[row] + t, np.nextafter(stations.segment[row] + 1.0, 0.0))
    piece = np.searchsorted(fitted.bounds, place, side="right") - 1
    low, high = fitted.bounds[piece], fitted.bounds[piece + 1]
    z: Floats = bezier.evaluate(fitted.controls[piece], (place - low) / (high - low))[..., 2]
    return z[:, 0] - z[:, 1]
