"""Where coordinates are: longitude and latitude on their CRS's own datum, and distances between those."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS, Transformer
from pyproj.exceptions import ProjError

from ..errors import GeoreferenceError
from .crs import horizontal, type_of, unbound

Floats = NDArray[np.float64]
Place = tuple[float, float]

EARTH = 6_371_008.8
"""Mean radius of the Earth [m]."""

NEIGHBOURS = 100_000.0
"""Scenes whose origins are nearer than this [m] take one datum shift, there and back."""


def own_lonlat(coords: Floats, crs: CRS) -> Floats:
    """Give longitude and latitude on the datum of the CRS itself, without any datum shift.

    Parameters
    ----------
    coords : ndarray of float64, shape (K, 3)
        Coordinates in `crs`, which has a place on Earth. A missing height is NaN.

    Returns
    -------
    ndarray of float64, shape (K, 2)
        Degrees east of Greenwich and north; not finite where a coordinate has no place.
    """
    operation, unit, east = _to_geographic(crs)
    x, y, z = np.array(coords.T, np.float64, order="C")
    if operation is not None:
        operation.transform(x, y, np.nan_to_num(z), inplace=True)
    return np.column_stack([x * unit + east, y * unit])


@functools.lru_cache(maxsize=64)
def place_of_scene(crs: CRS) -> Place | None:
    """Give longitude and latitude of a scene's origin on its own datum, None for other CRSs."""
    frame = unbound(horizontal(crs))
    if not type_of(frame).startswith("Derived") or datum_of(crs) is None:
        return None
    lon, lat = own_lonlat(np.zeros((1, 3)), crs)[0].tolist()
    return (lon, lat) if np.isfinite([lon, lat]).all() else None


def place_between(source: CRS, target: CRS) -> Place | None:
    """Give the place of the scene frame among two CRSs, None when none is one.

    Between neighbouring scenes it is the same there and back, so that what goes there comes back. Of scenes
    far apart it is the source's, where the coordinates are.
    """
    here, there = place_of_scene(source), place_of_scene(target)
    if here and there and ground_distance(np.array([here]), np.array([there]))[0] < NEIGHBOURS:
        return min(here, there)
    return here or there


def datum_of(crs: CRS) -> CRS | None:
    """Give the geographic CRS that a CRS is built on, None when there is none."""
    flat = unbound(horizontal(crs))
    return flat.source_crs if type_of(flat) == "DerivedGeodeticCRS" else flat.geodetic_crs


def ground_distance(first: Floats, second: Floats) -> Floats:
    """Give the distance [m] between places (K, 2) in degrees, along great circles of a sphere.

    It is at most 0.6 % off; both places may be on either side of the antimeridian, or at a pole.
    """
    half = np.radians(first - second) / 2
    parallel = np.cos(np.radians(first[:, 1])) * np.cos(np.radians(second[:, 1]))
    squared = np.sin(half[:, 1]) ** 2 + parallel * np.sin(half[:, 0]) ** 2
    metres: Floats = 2 * EARTH * np.arcsin(np.sqrt(np.minimum(squared, 1.0)))
    return metres


@functools.lru_cache(maxsize=64)
def _to_geographic(crs: CRS) -> tuple[Transformer | None, float, float]:
    """Give the way to the geographic CRS below, the degrees of its unit, and where its first meridian is."""
    flat, geographic = unbound(horizontal(crs)), datum_of(crs)
    if geographic is None:
        return None, np.nan, np.nan
    unit, meridian = geographic.axis_info[0].unit_conversion_factor, geographic.prime_meridian
    east = meridian.longitude * float(meridian.unit_conversion_factor) if meridian else 0.0
    plain = type_of(flat) == "GeographicCRS"
    try:
        operation = None if plain else Transformer.from_crs(flat, geographic, always_xy=True)
    except ProjError as error:
        raise GeoreferenceError(
            f"PROJ knows no way between {flat.name} and {geographic.name}: choose another CRS"
        ) from error
    return operation, float(np.degrees(unit)), float(np.degrees(east))
