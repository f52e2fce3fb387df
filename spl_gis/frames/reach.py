"""Where a CRS is of use: how far places are outside its area, and whether coordinates come back from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from .crs import horizontal, place_of, same
from .describe import base_of
from .operations import transform
from .places import Floats, ground_distance, own_lonlat

MISS = 0.1
"""Distance [m] from its place at which a coordinate that went there and back is nonsense."""

_METRES = 111_000.0
"""Metres in a degree, roughly."""


Area = tuple[float, float, float, float]
"""West, south, east, north in degrees; west > east when it crosses the antimeridian."""

_WORLD = (-180.0, -90.0, 180.0, 90.0)


def area_of(crs: CRS | None) -> Area | None:
    """Give the area that a CRS, or the base of a frame, is for; None = it does not say, or everywhere."""
    crs = place_of(crs)
    if crs is None:
        return None
    known = base_of(crs).area_of_use or horizontal(crs).area_of_use
    return None if known is None or known.bounds == _WORLD else known.bounds


def outside(lonlat: Floats, area: Area) -> Floats:
    """Give the distance [m] of places (K, 2) in degrees from an area of use; 0 inside.

    It is the distance to the place in the area with the nearest longitude and latitude.
    """
    west, south, east, north = area
    width = (east - west) % 360 or 360.0
    past = (lonlat[:, 0] - west) % 360
    side = np.where(360 - past < past - width, west, east)
    lon = np.where(past <= width, lonlat[:, 0], side)
    return ground_distance(lonlat, np.column_stack([lon, np.clip(lonlat[:, 1], south, north)]))


def comes_back(coords: Floats, moved: Floats, source: CRS | None, target: CRS | None) -> NDArray[np.bool_]:
    """Tell which coordinates really have a place in another CRS: taken back, they are where they were.

    PROJ also gives finite numbers where a projection is of no use: transverse Mercator a quarter round the
    Earth maps many places to one. Those do not come back.

    Parameters
    ----------
    coords : ndarray of float64, shape (K, 3)
        Coordinates in `source`.
    moved : ndarray of float64, shape (K, 3)
        What `transform` made of them in `target`.

    Returns
    -------
    ndarray of bool, shape (K,)
    """
    good: NDArray[np.bool_] = np.asarray(np.isfinite(moved[:, :2]).all(axis=1))
    source, target = place_of(source), place_of(target)
    if source is None or same(source, target):
        return good
    back = transform(moved, target, source)
    unit = _METRES if source.is_geographic else 1.0
    with np.errstate(invalid="ignore"):
        near = (np.abs(back - coords)[:, :2] * unit < MISS / 4).all(axis=1)
    far = np.flatnonzero(good & ~near)  # in another round of longitudes, at a pole, or lost
    good[far] = ground_distance(own_lonlat(coords[far], source), own_lonlat(back[far], source)) < MISS
    return good
