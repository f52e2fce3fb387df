"""Coordinates that do not fit the CRS they are said to be in, and what they are instead."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from pyproj import CRS

from .crs import WGS84, horizontal, type_of, unbound
from .operations import transform
from .places import Floats

_FOOT = 0.3048

_SMALL = 30.0
"""Size [degrees] up to which an area of use is proof: UTM zones and world CRSs contain almost anything."""

_TINY = 2.0
"""Metres; no network is smaller, but degrees that are taken for metres look so."""


def misread(coords: Floats, crs: CRS) -> str | None:
    """Tell what coordinates seem to be, when that is something else than their CRS says.

    Degrees have limits; apart from those the proof is the CRS's area of use: coordinates outside it that are
    inside when they are taken for something else. So latitude and longitude in a CRS for the whole world
    that are swapped and still within limits are not found, nor is what a CRS without an area of use holds.

    Parameters
    ----------
    coords : ndarray of float64, shape (K, 3)
        Coordinates, x and y in the units of `crs`.
    crs : pyproj.CRS
        What they are said to be in.

    Returns
    -------
    str or None
        ``metres`` in a CRS of degrees; ``degrees``, ``feet`` or ``metres`` in one of metres or feet;
        ``swapped`` axes, or ``swapped degrees``; None = nothing is wrong that can be seen.
    """
    flat = horizontal(crs)
    if not len(coords) or type_of(unbound(flat)).startswith("Derived"):
        return None
    if flat.is_geographic:
        return _beyond_degrees(coords, flat) or _elsewhere(coords, flat, {"swapped": _swap})
    if not flat.is_projected:
        return None
    if _like_degrees(coords):
        return _elsewhere(coords, flat, {"swapped": _swap}) or _degrees(coords, flat)
    feet = not math.isclose(flat.axis_info[0].unit_conversion_factor, 1.0)
    other = {"metres": lambda xy: xy / _FOOT} if feet else {"feet": lambda xy: xy * _FOOT}
    return _elsewhere(coords, flat, {**(other if _small(_area(flat)) else {}), "swapped": _swap})


def _swap(xy: Floats) -> Floats:
    return xy[:, ::-1]


def _beyond_degrees(coords: Floats, crs: CRS) -> str | None:
    """Tell what is beyond the limits of degrees (or grads): most coordinates, or all that are not swapped."""
    turn = 2 * math.pi / crs.axis_info[0].unit_conversion_factor
    x, y = np.abs(coords[:, :2].T)
    beyond = (x > turn) | (y > turn / 4)
    if beyond.any() and ((x <= turn / 4) & (y <= turn / 2)).all():
        return "swapped"
    return "metres" if beyond.mean() > 0.5 else None


def _like_degrees(coords: Floats) -> bool:
    x, y = np.abs(coords[:, :2]).max(axis=0)
    return bool(max(x, y) <= 360 and min(x, y) <= 90)


def _degrees(coords: Floats, crs: CRS) -> str | None:
    """Tell whether small numbers are degrees: in the area of use, or too close together for metres."""
    area, (x, y) = _area(crs), _middle(coords)[0].tolist()
    if area is not None and not _whole(area) and _within(area, *_lonlat(_middle(coords), crs)):
        return None
    if area is not None and _within(area, x, y):
        return "degrees"
    if area is not None and _within(area, y, x):
        return "swapped degrees"
    return "degrees" if np.ptp(coords[:, :2], axis=0).max() < _TINY else None


def _elsewhere(coords: Floats, crs: CRS, readings: dict[str, Callable[[Floats], Floats]]) -> str | None:
    """Give the reading that brings the middle into the area of use, when it is not there already."""
    area, middle = _area(crs), _middle(coords)
    if area is None or _within(area, *_lonlat(middle, crs)):
        return None
    found = [name for name, read in readings.items() if _within(area, *_lonlat(read(middle), crs))]
    return found[0] if found else None


def _middle(coords: Floats) -> Floats:
    """Give the median x and y, shape (1, 2): a few broken coordinates do not move it."""
    return np.median(coords[:, :2], axis=0)[None]


def _lonlat(xy: Floats, crs: CRS) -> tuple[float, float]:
    lon, lat, _ = transform(np.column_stack([xy, [0.0]]), crs, WGS84)[0].tolist()
    return lon, lat


def _area(crs: CRS) -> tuple[float, float, float, float] | None:
    """Give west, south, east and north of the area of use."""
    known = crs.area_of_use
    return None if known is None else known.bounds


def _small(area: tuple[float, float, float, float] | None) -> bool:
    return area is not None and max((area[2] - area[0]) % 360 or 360, area[3] - area[1]) < _SMALL


def _whole(area: tuple[float, float, float, float]) -> bool:
    """Tell whether an area is the world, in whose middle, south of Ghana, there are no roads."""
    return area[2] - area[0] == 360 and area[1] < 0 < area[3]


def _within(area: tuple[float, float, float, float], lon: float, lat: float) -> bool:
    """Tell whether a place is in an area of use, which may cross the antimeridian."""
    west, south, east, north = area
    return south <= lat <= north and (lon - west) % 360 <= ((east - west) % 360 or 360.0)
