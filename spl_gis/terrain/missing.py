"""Heights that are missing, from those that are there."""

from __future__ import annotations

import numpy as np

from .. import topology
from ..model import Bools, Floats, Ints


def shared_heights(coords: Floats) -> Floats:
    """Give vertices without a height that of the other vertices at the same place in plan.

    Where those have several heights, as on a bridge, it stays missing.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices in metres; a missing height is NaN.
    """
    missing = np.isnan(coords[:, 2])
    if not missing.any() or missing.all():
        return coords
    place = topology.weld(np.column_stack([coords[:, :2], np.zeros(len(coords))]))
    low, high = np.full(place.max() + 1, np.inf), np.full(place.max() + 1, -np.inf)
    np.minimum.at(low, place[~missing], coords[~missing, 2])
    np.maximum.at(high, place[~missing], coords[~missing, 2])
    z = np.where(low == high, low, np.nan)[place]
    return np.column_stack([coords[:, :2], np.where(missing, z, coords[:, 2])])


def fill_heights(coords: Floats, offsets: Ints) -> tuple[Floats, Bools]:
    """Fill missing heights from the known heights of the same line.

    Between two known heights the height runs straight with the length in plan; beyond the first and the last
    it stays what it is there; a line that knows no height lies at 0.

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
    filled : ndarray of bool, shape (K,)
        Where a height was missing.
    """
    missing = np.isnan(coords[:, 2])
    if not missing.any():
        return coords, missing
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
    z = coords[low, 2] + share * (coords[high, 2] - coords[low, 2])
    z = np.where(low < 0, 0.0, z)
    return np.column_stack([coords[:, :2], np.where(missing, z, coords[:, 2])]), missing
