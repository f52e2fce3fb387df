"""Lines across 180 degrees: parts that end there are joined, and lines in longitudes are cut there again.

RFC 7946 (GeoJSON), section 3.1.9: a line that crosses the antimeridian is cut in two there. A scene has no
such edge, so the two become one line in it.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Bools, Floats, Ints, LineStrings

_JUMP = 1.0
"""What coordinates of one place differ by, in degrees or another unit, when the map has a seam there."""

_SAME = 1e-3
"""Distance [m] up to which two ends are the same place."""

_AT = 1e-8
"""Degrees from the antimeridian or a pole, 1 mm, that do not count."""


class Joined(NamedTuple):
    """Lines whose parts were joined, and which vertices (K,) repeat the one before them since then."""

    lines: LineStrings
    again: Bools


def join_parts(lines: LineStrings, frame: CRS | None) -> Joined:
    """Join the parts of a feature where one ends and the next begins at one place on the seam of the map.

    These have coordinates far from each other, such as longitudes 180 and -180, that are one place in the
    scene. All vertices stay, so that the way back can tell where a line was cut.

    Parameters
    ----------
    lines : LineStrings
        In their own CRS.
    frame : pyproj.CRS or None
        The scene's frame; None joins nothing.
    """
    again = np.zeros(len(lines.coords), bool)
    if lines.crs is None or frame is None or len(lines) < 2:
        return Joined(lines, again)
    begin = lines.offsets[1:-1]
    last, first = lines.coords[begin - 1], lines.coords[begin]
    near = (lines.feature[1:] == lines.feature[:-1]) & (np.abs(last - first)[:, 0] > _JUMP)
    near &= (last[:, 2] == first[:, 2]) | (np.isnan(last[:, 2]) & np.isnan(first[:, 2]))
    some = np.flatnonzero(near)
    one, other = (frames.transform(ends[some], lines.crs, frame)[:, :2] for ends in (last, first))
    some = some[np.hypot(*(one - other).T) < _SAME]
    if len(some) == 0:
        return Joined(lines, again)
    again[begin[some]] = True
    keep = np.ones(len(lines), bool)
    keep[some + 1] = False
    joined = dataclasses.replace(
        lines,
        offsets=np.delete(lines.offsets, some + 1),
        feature=lines.feature[keep],
        part=lines.part[keep],
    )
    return Joined(joined, again)


def without(lines: LineStrings, again: Bools) -> LineStrings:
    """Give lines without some of their vertices."""
    offsets = np.append(0, np.cumsum(~again))[lines.offsets]
    return dataclasses.replace(lines, coords=lines.coords[~again], offsets=offsets)


def cut(lines: LineStrings, exact: bool = False) -> LineStrings:
    """Cut lines in longitudes and latitudes where they cross 180 degrees, so that none runs round the world.

    Both parts get a vertex there, unless there is one. Other CRSs have no such longitude: their lines stay.

    Parameters
    ----------
    lines : LineStrings
        The lines.
    exact : bool
        Cut only between two vertices that are one place at 180 and -180 degrees, and add none.
    """
    turn = _turn(lines.crs)
    if turn is None or len(lines.coords) == 0:
        return lines
    coords, offsets = lines.coords, lines.offsets
    if not exact:
        coords, offsets = _through_poles(coords, offsets, turn)
        coords = _on_own_side(coords, offsets, turn)
    jump = _jumps(coords[:, 0], offsets, turn)
    if exact:
        ends = np.abs(np.abs(coords[:, 0]) - turn / 2) < _AT * turn / 360
        jump = jump[ends[jump] & ends[jump + 1]]
        line = np.searchsorted(offsets, jump, side="right") - 1
        jump = jump[(jump > offsets[line]) & (jump + 2 < offsets[line + 1])]
    if len(jump) == 0:
        return lines if exact else dataclasses.replace(lines, coords=coords, offsets=offsets)
    coords, cuts, offsets = _with_cuts(coords, offsets, jump, turn)
    source = np.repeat(np.arange(len(lines)), np.diff(np.searchsorted(cuts, offsets)))
    feature = lines.feature[source]
    torn = np.isin(feature, lines.feature[np.unique(source, return_counts=True)[1] > 1])
    part = np.where(torn, within(feature), lines.part[source])
    return dataclasses.replace(lines, coords=coords, offsets=cuts, feature=feature, part=part)


def unwrap(lines: LineStrings) -> LineStrings:
    """Let lines in longitudes run on beyond 180 degrees, where they must stay whole."""
    turn = _turn(lines.crs)
    jump = np.zeros(0, np.int64) if turn is None else _jumps(lines.coords[:, 0], lines.offsets, turn)
    if turn is None or len(jump) == 0:
        return lines
    step = np.zeros(len(lines.coords))
    step[jump + 1] = turn * np.sign(lines.coords[jump, 0])
    total = np.cumsum(step)
    total -= np.repeat(total[lines.offsets[:-1]], np.diff(lines.offsets))
    coords = lines.coords.copy()
    coords[:, 0] += total
    return dataclasses.replace(lines, coords=coords)


def drawn(starts: Floats, ends: Floats, crs: CRS | None) -> tuple[Floats, Floats]:
    """Give the ends (P, 3) of edges as drawn: in longitudes the short way round, straight to a pole."""
    turn = _turn(crs)
    if turn is None:
        return starts, ends
    starts, ends = starts.copy(), ends.copy()
    for these, others in ((starts, ends), (ends, starts)):
        pole = np.abs(these[:, 1]) > (90 - _AT) * turn / 360
        these[pole, 0] = others[pole, 0]
    ends[:, 0] -= turn * np.rint((ends - starts)[:, 0] / turn)
    return starts, ends


def within(group: Ints) -> Ints:
    """Give the members of each group the numbers 0, 1, ... in their order."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    first = np.searchsorted(ordered, ordered)
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - first
    return number


def _turn(crs: CRS | None) -> float | None:
    """Give how much longitude is once round the Earth, in the unit of a geographic CRS; None for others."""
    if crs is None or not crs.is_geographic:
        return None
    return 2 * np.pi / float(crs.axis_info[0].unit_conversion_factor)


def _jumps(x: Floats, offsets: Ints, turn: float) -> Ints:
    """Give the vertices after which a line jumps by more than half a turn."""
    jumps = np.abs(np.diff(x)) > turn / 2
    jumps[offsets[1:-1] - 1] = False
    return np.flatnonzero(jumps)


def _through_poles(coords: Floats, offsets: Ints, turn: float) -> tuple[Floats, Ints]:
    """Give vertices at a pole, where any longitude will do, the longitudes of both their neighbours."""
    size = turn / 360
    pole = np.flatnonzero(np.abs(coords[:, 1]) > (90 - _AT) * size)
    if len(pole) == 0:
        return coords, offsets
    coords = coords.copy()
    first, last = np.isin(pole, offsets[:-1]), np.isin(pole, offsets[1:] - 1)
    before, after = pole - ~first, np.minimum(pole + 1, len(coords) - 1)
    more = ~first & ~last & (coords[before, 0] != coords[after, 0])
    added = coords[pole[more]]
    added[:, 0] = coords[after[more], 0]
    coords[pole, 0] = np.where(first, coords[after, 0], coords[before, 0])
    at = pole[more] + 1
    return np.insert(coords, at, added, axis=0), offsets + np.searchsorted(at, offsets, side="right")


def _on_own_side(coords: Floats, offsets: Ints, turn: float) -> Floats:
    """Give vertices on the antimeridian the side where the line comes from, else where it goes to."""
    seam = np.abs(np.abs(coords[:, 0]) - turn / 2) < _AT * turn / 360
    if not seam.any():
        return coords
    rows = np.arange(len(coords))
    begin, size = offsets[:-1], np.diff(offsets)
    before = np.maximum.accumulate(np.where(seam, -1, rows))
    after = np.minimum.accumulate(np.where(seam, len(rows), rows)[::-1])[::-1]
    first, end = np.repeat(begin, size), np.repeat(offsets[1:], size)
    near = np.where(before >= first, before, np.where(after < end, after, first))
    coords = coords.copy()
    coords[seam, 0] = np.copysign(turn / 2, coords[near[seam], 0])
    return coords


def _with_cuts(coords: Floats, offsets: Ints, jump: Ints, turn: float) -> tuple[Floats, Ints, Ints]:
    """Put the vertices in at which lines are cut, and give the offsets with and without the new cuts."""
    start, end = coords[jump], coords[jump + 1].copy()
    side = np.copysign(turn / 2, start[:, 0])
    end[:, 0] += 2 * side
    span = end[:, 0] - start[:, 0]
    share = np.divide(side - start[:, 0], span, out=np.zeros(len(jump)), where=span != 0)
    last = start + share[:, None] * (end - start)
    last[:, 0] = side
    first = last * (-1.0, 1.0, 1.0)
    wanted = np.column_stack([start[:, 0] != side, coords[jump + 1, 0] != -side])
    added = np.stack([last, first], axis=1)[wanted]
    at = np.repeat(jump + 1, wanted.sum(axis=1))
    moved = offsets + np.searchsorted(at, offsets, side="right")
    cuts = jump + 1 + np.searchsorted(at, jump + 1, side="right") - wanted[:, 1]
    return np.insert(coords, at, added, axis=0), np.sort(np.append(moved, cuts)), moved
