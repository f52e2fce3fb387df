"""Latitude and longitude in a page that has no PROJ: polynomials, with their error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pyproj import CRS

from .. import frames
from ..errors import GeoreferenceError
from ..model import Floats

DEGREE = 4
"""Highest sum of the exponents of x and y."""
METRES = 111_320.0
"""Length of a degree of latitude; of longitude at the equator."""
WORST = 1000.0
"""Error [m] from which on nothing is better than a number."""

EXPONENTS = [(i, total - i) for total in range(DEGREE + 1) for i in range(total + 1)]
"""Of x and y in each term."""


class LonLat(NamedTuple):
    """WGS 84 longitude and latitude as polynomials of the scene's x and y.

    Attributes
    ----------
    middle, half : ndarray, shape (2,)
        What x and y are reduced with: ``(place - middle) / half`` [m].
    terms : ndarray, shape (2, T)
        Coefficients of longitude and latitude [degrees] in the order of `EXPONENTS`.
    error : float
        Greatest distance [m] from what PROJ says, measured at places between those that were fitted.
    """

    middle: Floats
    half: Floats
    terms: Floats
    error: float

    def at(self, places: Floats) -> Floats:
        """Give longitude and latitude, shape (K, 2), of places in the scene, shape (K, 2)."""
        return _powers((places - self.middle) / self.half) @ self.terms.T


def lonlat(crs: CRS | None, bounds: Floats) -> LonLat | None:
    """Fit longitude and latitude over a scene.

    Parameters
    ----------
    crs : pyproj.CRS or None
        The frame.
    bounds : ndarray, shape (2, 3)
        Least and greatest coordinates of what is shown [m]; the fit reaches a tenth beyond.

    Returns
    -------
    LonLat or None
        None when the scene has no place on Earth, or is so large that no such polynomial is near.
    """
    crs = frames.place_of(crs)
    if crs is None:
        return None
    middle = bounds.mean(axis=0)
    size = 0.6 * max(float((bounds[1] - bounds[0])[:2].max()), 100.0)
    half = np.array([size, size])
    grid, between = (_grid(number) for number in (13, 24))
    try:
        known, check = (_exact(crs, middle, half, places) for places in (grid, between))
    except GeoreferenceError:
        return None
    if not (np.isfinite(known).all() and np.isfinite(check).all()):
        return None
    terms = np.asarray(np.linalg.lstsq(_powers(grid), known, rcond=None)[0].T, np.float64)
    miss: Floats = (_powers(between) @ terms.T - check) * METRES
    miss[:, 0] *= np.cos(np.radians(check[:, 1]))
    error = float(np.hypot(*miss.T).max())
    return LonLat(middle[:2], half, terms, error) if error < WORST else None


def _grid(number: int) -> Floats:
    axis = np.linspace(-1.0, 1.0, number)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def _exact(crs: CRS, middle: Floats, half: Floats, places: Floats) -> Floats:
    """Ask PROJ; longitudes go on beyond 180 degrees rather than jump."""
    coords = np.column_stack([middle[:2] + places * half, np.full(len(places), middle[2])])
    known = frames.transform(coords, crs, frames.WGS84)[:, :2]
    known[:, 0] = known[0, 0] + (known[:, 0] - known[0, 0] + 180) % 360 - 180
    return known


def _powers(places: Floats) -> Floats:
    x, y = places.T
    return np.stack([x**i * y**j for i, j in EXPONENTS], axis=-1)
