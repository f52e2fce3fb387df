"""What a CRS does to metres and to north."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from ..errors import GeoreferenceError
from .build import grid_of
from .crs import horizontal, type_of, unbound
from .operations import transform
from .places import Floats

_STEP = 50.0
"""Metres on the ground from a place to each of the four that the derivative is taken from."""


class Distortion(NamedTuple):
    """What a CRS does at some places.

    Attributes
    ----------
    smallest, largest : ndarray of float64, shape (K,)
        Metres of the CRS for a metre on the ellipsoid, in the directions where they are fewest and most.
        Both are the same where the CRS keeps angles.
    convergence : ndarray of float64, shape (K,)
        Direction of the CRS's y axis, in degrees clockwise from true north, between -180 and 180.
    """

    smallest: Floats
    largest: Floats
    convergence: Floats


def distortion(crs: CRS, points: Floats) -> Distortion:
    """Measure scale and convergence by stepping along geodesics on the CRS's own ellipsoid.

    This is the derivative of the map by central differences over 100 m, so it holds for whatever PROJ can
    compute: scene frames, feet, westings and southings. It agrees with `pyproj.Proj.get_factors`, where that
    works, to 2e-8, which is as fine as those are. The two scales are the singular values of the derivative:
    Tissot's ellipse (Snyder, Map Projections - A Working Manual, USGS 1987, p. 20-26).

    Parameters
    ----------
    crs : pyproj.CRS
        A projected CRS or a scene frame.
    points : ndarray of float64, shape (K, 2) or (K, 3)
        Places in `crs` and its units, x east and y north.

    Returns
    -------
    Distortion
        NaN where a place cannot be computed.

    Raises
    ------
    GeoreferenceError
        When the CRS is nowhere on Earth, or in degrees.
    """
    inner = unbound(horizontal(crs))
    kind = type_of(inner)
    geographic = inner.source_crs if kind == "DerivedGeodeticCRS" else inner.geodetic_crs
    if geographic is None or kind not in ("ProjectedCRS", "DerivedProjectedCRS", "DerivedGeodeticCRS"):
        raise GeoreferenceError(f"{crs.name} is no map: it has neither a scale nor a convergence")
    grid = grid_of(inner) if kind == "ProjectedCRS" else inner
    lon, lat = _places(inner, geographic, points)
    moved = transform(_around(geographic, lon, lat), geographic, grid)[:, :2].reshape(4, -1, 2)
    east, north = (moved[0] - moved[1]) / (2 * _STEP), (moved[2] - moved[3]) / (2 * _STEP)
    return _measured(east, north)


def _places(crs: CRS, geographic: CRS, points: Floats) -> tuple[Floats, Floats]:
    """Give longitude and latitude in degrees from the prime meridian of the CRS's own datum."""
    points = np.asarray(points, np.float64)
    raised = np.column_stack([points[:, :2], np.zeros(len(points))])
    lonlat = transform(raised, crs, geographic)[:, :2] * _degrees(geographic)
    lonlat[~(np.abs(lonlat) <= (360.0, 90.0)).all(axis=1)] = np.nan
    return lonlat[:, 0], lonlat[:, 1]


def _around(geographic: CRS, lon: Floats, lat: Floats) -> Floats:
    """Give the places 50 m to the east, west, north and south of each, in the units of `geographic`."""
    geod = geographic.get_geod()
    if geod is None:
        raise GeoreferenceError(f"{geographic.name} has no ellipsoid")
    known = np.isfinite(lon)
    lon, lat = np.where(known, lon, 0.0), np.where(known, lat, 0.0)
    sides = [geod.fwd(lon, lat, np.full(len(lon), a), np.full(len(lon), _STEP)) for a in (90, 270, 0, 180)]
    lonlat = np.array([side[:2] for side in sides]).transpose(0, 2, 1)
    lonlat[:, ~known] = np.nan
    flat = lonlat.reshape(-1, 2) / _degrees(geographic)
    return np.column_stack([flat, np.zeros(len(flat))])


def _degrees(geographic: CRS) -> float:
    """Give the size in degrees of the unit of a geographic CRS, which may be grads."""
    return math.degrees(geographic.axis_info[0].unit_conversion_factor)


def _measured(east: Floats, north: Floats) -> Distortion:
    """Take scales and convergence from the images (K, 2) of a metre to the east and one to the north."""
    matrix = np.stack([east, north], axis=2)
    known = np.isfinite(matrix).all(axis=(1, 2))
    scales = np.full((len(matrix), 2), np.nan)
    scales[known] = np.linalg.svd(matrix[known], compute_uv=False)
    convergence = 0.0 - np.degrees(np.arctan2(north[:, 0], north[:, 1]))
    return Distortion(scales[:, 1], scales[:, 0], convergence)
