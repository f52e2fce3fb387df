"""Numbers that stand for "no height"."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats

DEEPEST, HIGHEST = -11_100.0, 9_000.0
"""No ground is lower or higher [m]: the Challenger Deep, and Mount Everest."""

_NOWHERE = (-9999.0, -32767.0, -32768.0)
"""Where a raster has these, the height is unknown: whole numbers of the deep sea are hardly ever met."""

KNOWN = (
    *(-99.0, -999.0, -1000.0, -9999.0, -99999.0, -999999.0, -32767.0, -32768.0, -1e6),
    *(9999.0, 99999.0, 999999.0, 32767.0, 1e6),
)
"""What people write for "no height"; besides numbers beyond `HUGE`."""

HUGE = 1e20
"""Beyond this are the greatest numbers of a float and their like, such as -3.4e38 and 1e30."""

_SHORE = 50.0
"""Where half of all cells beside zeros are higher than this [m], those are hardly the sea."""

_APART = 10.0
"""A number that is no height lies so far from all heights, at least."""


def no_ground(heights: Floats, unit: float) -> Bools:
    """Tell what cannot be the height of any ground, or is what rasters write for unknown.

    Parameters
    ----------
    heights : ndarray
        Cells of a raster; NaN is unknown already.
    unit : float
        Metres of one unit.
    """
    with np.errstate(invalid="ignore"):
        outside = (heights * unit < DEEPEST) | (heights * unit > HIGHEST)
    return np.asarray(outside | np.isin(heights, _NOWHERE))


def beside_zero(heights: Floats) -> Floats:
    """Give the heights of cells (rows, columns) that lie beside one of exactly 0, with repetition."""
    pairs = [(heights[:, 1:], heights[:, :-1]), (heights[1:], heights[:-1])]
    found = [one[(other == 0) & (one != 0)] for pair in pairs for one, other in (pair, pair[::-1])]
    flat = np.concatenate(found)
    return np.asarray(flat[~np.isnan(flat)])


def zero_is_doubtful(beside: Floats, unit: float) -> bool:
    """Tell whether 0 may stand for unknown: at a coast most cells beside those of the sea are low.

    Parameters
    ----------
    beside : ndarray
        What `beside_zero` gives.
    unit : float
        Metres of one unit.
    """
    return len(beside) > 0 and float(np.median(np.abs(beside))) * unit > _SHORE


def sentinels(heights: Floats) -> dict[float, int]:
    """Find numbers among the heights of a layer that stand for "no height", and how often each does.

    A number does when it is one of `KNOWN` or beyond `HUGE`, and

    - deeper than any sea, or beyond `HUGE`, or
    - apart from all other heights: by more than 10 units, and by more than the widest gap between two
      neighbours among those. So -99 among heights from 20 to 94 is none, and -99 in a sea with depths of
      -97 and -102, or -1000 among contours every 100 m, is a depth.

    A layer with nothing but -9999 has no heights; one with nothing but -99 or -1000 keeps them. 0 is
    never one.

    Parameters
    ----------
    heights : ndarray
        Heights of one layer, in its own unit; NaN is missing.
    """
    values, counts = np.unique(heights[~np.isnan(heights)], return_counts=True)
    suspect = np.isin(values, KNOWN) | (np.abs(values) > HUGE)
    others = values[~suspect]
    found = {}
    for value, count in zip(values[suspect].tolist(), counts[suspect].tolist()):
        if value < DEEPEST or abs(value) > HUGE or _apart(value, others):
            found[value] = count
    return found


def _apart(value: float, others: Floats) -> bool:
    """Tell whether a number lies apart from all heights; without any, whether it is hardly one."""
    if len(others) == 0:
        return abs(value) > HIGHEST
    widest = float(np.diff(others).max(initial=0.0))
    return float(np.abs(others - value).min()) > max(_APART, widest)
