"""Heights smoothed along roads."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints
from ..topology import ranges
from .stations import Roads, Stations


def smooth_along(stations: Stations, z: Floats, roads: Roads, length: Floats) -> Floats:
    """Average heights along each road.

    The mean over half the length is taken twice, which weighs what is near more than what is far, and has no
    steps in its slope. Beyond its ends a road goes on as if turned by half a turn about them, so that they
    keep their heights, and what is straight stays straight; a closed one goes round.

    Parameters
    ----------
    stations : Stations
        The roads.
    z : ndarray, shape (N,)
        Heights at the stations, all known.
    roads : Roads
        Which chains follow one another.
    length : ndarray, shape (R,)
        How long [m] the part of each road is that a height is the mean of; 0 = no change.

    Returns
    -------
    ndarray, shape (N,)
        Smooth heights. No part is steeper than the steepest one was. Where roads meet they differ.
    """
    bounds = stations.offsets[roads.begin]
    along = stations.along(roads)
    whole = along[bounds[1:] - 1]
    box = np.minimum(length / 2, whole)
    chosen = np.flatnonzero(box > 0)
    rows, offsets = ranges(bounds[chosen], bounds[chosen + 1])
    road = np.repeat(np.arange(len(chosen)), np.diff(offsets))
    at, whole, box = along[rows], whole[chosen], box[chosen]
    first, last = z[bounds[chosen]], z[bounds[chosen + 1] - 1]
    chord = first[road] + (last - first)[road] * (at / whole[road])
    bump = z[rows] - chord
    mirrored = ~roads.closed[chosen]
    for _ in range(2):
        bump = _box_means(at, bump, offsets, whole, box, mirrored)
    smooth = z.copy()
    smooth[rows] = chord + bump
    return smooth


def _box_means(
    at: Floats, bump: Floats, offsets: Ints, whole: Floats, box: Floats, mirrored: Bools
) -> Floats:
    """Give the means, of the lengths `box` (R,), of polylines that are 0 at their ends and go on beyond."""
    road = np.repeat(np.arange(len(whole)), np.diff(offsets))
    place, value = _extended(at, bump, offsets, whole, mirrored)
    # one axis for all roads, each with room for what is before and after it
    shift = np.append(0.0, np.cumsum(3 * whole + 1.0))[:-1] + whole
    place += np.repeat(shift, 3 * np.diff(offsets))
    step = np.diff(place)
    area = np.append(0.0, np.cumsum(step * (value[1:] + value[:-1]) / 2))
    slope = np.divide(np.diff(value), step, out=np.zeros(len(step)), where=step > 0)
    centre, half = at + shift[road], box[road] / 2

    def until(x: Floats) -> Floats:
        row = np.clip(np.searchsorted(place, x, side="right") - 1, 0, len(step) - 1)
        beyond = x - place[row]
        return np.asarray(area[row] + beyond * (value[row] + beyond * slope[row] / 2))

    return (until(centre + half) - until(centre - half)) / (2 * half)


def _extended(
    at: Floats, bump: Floats, offsets: Ints, whole: Floats, mirrored: Bools
) -> tuple[Floats, Floats]:
    """Give roads with what is before and after them, each three times as long."""
    size = np.diff(offsets)
    road = np.repeat(np.arange(len(size)), size)
    back = offsets[road] + offsets[road + 1] - 1 - np.arange(len(at))
    turn = mirrored[road]
    place, value = np.empty((3, len(at))), np.empty((3, len(at)))
    for part, move in enumerate((-1, 0, 1)):
        flip = turn & (move != 0)
        place[part] = np.where(flip, whole[road] - at[back], at) + move * whole[road]
        value[part] = np.where(flip, -bump[back], bump)
    rows, _ = ranges(np.tile(offsets[:-1], (3, 1)).T.ravel(), np.tile(offsets[1:], (3, 1)).T.ravel())
    which = np.repeat(np.tile(np.arange(3), len(size)), np.repeat(size, 3))
    return place[which, rows], value[which, rows]
