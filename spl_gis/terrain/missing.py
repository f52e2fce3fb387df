"""Heights that are missing, from those that are there."""

from __future__ import annotations

import numpy as np

from .. import topology
from ..model import Bools, Floats, Ints

_LOOKED_AT = 2_000
"""Among about so many vertices the nearest is looked for."""


def shared_heights(coords: Floats) -> Floats:
    """Give vertices without a height that of the other vertices at the same place in plan.

    Where those have several heights, as on a bridge, it stays missing.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices; a missing height is NaN.
    """
    missing = np.isnan(coords[:, 2])
    if not missing.any() or missing.all():
        return coords
    place = _places(coords)
    low, high = np.full(place.max() + 1, np.inf), np.full(place.max() + 1, -np.inf)
    np.minimum.at(low, place[~missing], coords[~missing, 2])
    np.maximum.at(high, place[~missing], coords[~missing, 2])
    z = np.where(low == high, low, np.nan)[place]
    return np.column_stack([coords[:, :2], np.where(missing, z, coords[:, 2])])


def fill_heights(coords: Floats, offsets: Ints) -> tuple[Floats, Bools]:
    """Fill missing heights from the known heights of the same line, or of lines that it meets.

    Between two known heights the height runs straight with the length in plan; beyond the first and the last
    it stays what it is there. Where lines meet and none of them knows the height, it is the mean of what
    each would have, for all of them; so it gets to lines that know no height, from one to the next. Lines
    that get none that way lie as high as the nearest vertex with a height, all that hang together the same;
    at 0 when there is none.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices in metres; a missing height is NaN.
    offsets : ndarray of int, shape (L + 1,)
        Where each line's vertices begin and end.

    Returns
    -------
    coords : ndarray, shape (K, 3)
        The vertices with all heights.
    blank : ndarray of bool, shape (L,)
        Lines as high as the nearest, because nothing was known of them nor of lines that they meet.
    """
    z = coords[:, 2]
    if np.isnan(z).any() and not np.isnan(z).all():
        z = _along(coords, _where_lines_meet(coords, offsets), offsets)
    blank = np.logical_and.reduceat(np.isnan(z), offsets[:-1]) if len(coords) else np.zeros(0, bool)
    if blank.any() and not blank.all():
        z = _as_the_nearest(coords, z, offsets)
    return np.column_stack([coords[:, :2], np.nan_to_num(z)]), blank


def _where_lines_meet(coords: Floats, offsets: Ints) -> Floats:
    """Give the heights, with those where lines meet and none knows the height."""
    z = coords[:, 2].copy()
    place = _places(coords)
    unknown = np.bincount(place) > 1
    unknown[place[~np.isnan(z)]] = False
    active = np.logical_or.reduceat(~np.isnan(z), offsets[:-1])
    while active.any():
        rows, bounds = topology.ranges(offsets[:-1][active], offsets[1:][active])
        there, found = place[rows], _along(coords[rows], z[rows], bounds)
        used = unknown[there] & ~np.isnan(found)
        number = np.bincount(there[used], minlength=len(unknown))
        mean = np.bincount(there[used], found[used], len(unknown)) / np.maximum(number, 1)
        new = number[place] > 0
        z[new] = mean[place[new]]
        unknown &= number == 0
        starts = offsets[:-1]
        active = np.logical_or.reduceat(new, starts) & np.logical_or.reduceat(unknown[place], starts)
    return z


def _along(coords: Floats, z: Floats, offsets: Ints) -> Floats:
    """Fill missing heights along each line; lines that know none keep NaN."""
    missing = np.isnan(z)
    line = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    station = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(coords[:, :2], axis=0).T))])
    rows = np.arange(len(coords))
    before = np.maximum.accumulate(np.where(missing, -1, rows))
    after = np.minimum.accumulate(np.where(missing, len(rows), rows)[::-1])[::-1]
    before = np.where((before >= 0) & (line[before] == line), before, -1)
    after = np.where((after < len(rows)) & (line[np.minimum(after, len(rows) - 1)] == line), after, -1)
    low, high = np.where(before < 0, after, before), np.where(after < 0, before, after)
    span = station[high] - station[low]
    share = np.divide(station - station[low], span, out=np.zeros(len(rows)), where=span > 0)
    between = z[low] + share * (z[high] - z[low])
    return np.where(missing, np.where(low < 0, np.nan, between), z)


def _as_the_nearest(coords: Floats, z: Floats, offsets: Ints) -> Floats:
    """Give lines without heights that of the nearest of some known vertices, and lines that meet one."""
    blank = np.isnan(z)
    line = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[blank]
    place = _places(coords[blank])
    edges = np.column_stack([place[:-1], place[1:]])[line[1:] == line[:-1]]
    label = topology.components(edges, int(place.max()) + 1)[place]
    _, first, part = np.unique(label, return_index=True, return_inverse=True)
    known = np.flatnonzero(~blank)
    known = known[np.argsort(z[known], kind="stable")]  # below a bridge, not on it
    known = known[:: len(known) // _LOOKED_AT + 1]
    starts = coords[blank][first, :2]
    nearest = [known[np.hypot(*(coords[known, :2] - start).T).argmin()] for start in starts]
    z = z.copy()
    z[blank] = z[nearest][part.reshape(-1)]
    return z


def _places(coords: Floats) -> Ints:
    return topology.weld(np.column_stack([coords[:, :2], np.zeros(len(coords))]))
