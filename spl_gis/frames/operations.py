"""Move coordinates and vectors from one CRS to another, by PROJ.

Nothing here computes a projection. What is here sees to it that PROJ is asked the right question: one
operation for all coordinates of a pair of CRSs, the same one there and back, heights on both sides.
"""

from __future__ import annotations

import functools
import math
import re
import warnings

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS, Transformer
from pyproj.enums import TransformDirection
from pyproj.exceptions import ProjError
from pyproj.transformer import AreaOfInterest, TransformerGroup

from ..errors import GeoreferenceError
from .crs import (
    carried,
    compound,
    horizontal,
    lowered,
    metric_heights,
    place_of,
    same,
    type_of,
    unbound,
    vertical,
)

Floats = NDArray[np.float64]
Place = tuple[float, float]

_STEP = 64.0
"""Half the distance [m] over which `transform_vectors` takes differences."""

_INEXACT = {
    "cass",
    "cea",
    "col_urban",
    "eqearth",
    "helmert",
    "labrd",
    "laea",
    "mod_krovak",
    "molobadekas",
    "nzmg",
}
"""PROJ's steps whose inverse misses by more than a micrometre in the area that they are for (PROJ 9.5)."""

_AREA = 0.05
"""Half the size [degrees] of the area around a place for which PROJ ranks its operations."""


def transform(coords: Floats, source: CRS | None, target: CRS | None, place: Place | None = None) -> Floats:
    """Move coordinates to another CRS.

    Coordinates are in the order x (easting, longitude), y (northing, latitude), z (height), whatever order
    the CRS itself declares. Equal coordinates give bit-equal results wherever they stand in the array.

    Parameters
    ----------
    coords : ndarray of float64, shape (K, 3)
        Coordinates in `source`. A missing height is NaN.
    source, target : pyproj.CRS or None
        CRS of `coords` and of the result; None (or an engineering CRS) = no place on Earth.
    place : tuple of two floats, optional
        Longitude and latitude where the datum shift shall be the best that PROJ knows. Default: the origin of
        the scene frame among the two CRSs; without any, PROJ chooses for each point.

    Returns
    -------
    ndarray of float64, shape (K, 3)
        A new array in `target`. A row that cannot be projected is all NaN. A missing height stays NaN; to and
        from a topocentric frame, where height and position depend on each other, it counts as 0, and the
        result has a height. Heights pass unchanged to or from a 2D CRS, which does not say what they are.

    Raises
    ------
    GeoreferenceError
        When only one side has a place on Earth, or PROJ knows no way between the two.
    """
    coords = np.asarray(coords, np.float64)
    source, target = place_of(source), place_of(target)
    if same(source, target):
        return coords.copy()
    moved = np.array(coords.T, order="C")
    z = moved[2]
    missing = np.isnan(z)
    z[missing] = 0.0
    (source, low, unit), (target, high, other) = lowered(source), lowered(target)
    z *= unit
    z += low
    for operation, forward in _legs(*_both(source, target), place):
        (_forward if forward else _backward)(operation, moved)
    z -= high
    z /= other
    moved[:, ~np.isfinite(moved).all(axis=0)] = np.nan
    if not (_topocentric(source) or _topocentric(target)):
        z[missing] = np.nan
    return np.ascontiguousarray(moved.T)


def transform_vectors(points: Floats, vectors: Floats, source: CRS | None, target: CRS | None) -> Floats:
    """Turn and stretch vectors as the map from `source` to `target` does at the points where they stand.

    The derivative of the map in the direction of each vector, by central differences over 128 m:
    between map frames its relative error is below 1e-9. The vectors' lengths have no part in it.

    Parameters
    ----------
    points, vectors : ndarray of float64, shape (..., 3)
        Where the vectors stand, and the vectors, in `source`, which is in metres.
    source, target : pyproj.CRS or None
        CRS of both arguments, and of the result.

    Returns
    -------
    ndarray of float64, shape (..., 3)
        Vectors in `target`; zero vectors stay zero, and those at points that cannot be projected are NaN.

    Raises
    ------
    GeoreferenceError
        As `transform`.
    """
    vectors = np.asarray(vectors, np.float64)
    if same(place_of(source), place_of(target)):
        return vectors.copy()
    points = np.broadcast_to(points, vectors.shape).reshape(-1, 3)
    length = np.linalg.norm(vectors.reshape(-1, 3), axis=1)[:, None]
    scale = np.divide(_STEP, length, out=np.zeros_like(length), where=length > 0)
    step = vectors.reshape(-1, 3) * scale
    difference = transform(points + step, source, target) - transform(points - step, source, target)
    turned: Floats = (difference * (length / (2 * _STEP))).reshape(vectors.shape)
    return turned


@functools.lru_cache(maxsize=64)
def place_of_scene(crs: CRS) -> Place | None:
    """Give longitude and latitude of a scene's origin on its own datum, None for other CRSs."""
    frame = unbound(horizontal(crs))
    geographic = frame.source_crs if _topocentric(frame) else frame.geodetic_crs
    if geographic is None or not type_of(frame).startswith("Derived"):
        return None
    lon, lat = _any_operation(frame, geographic).transform(0.0, 0.0)[:2]
    unit, meridian = geographic.axis_info[0].unit_conversion_factor, geographic.prime_meridian
    east = meridian.longitude * float(meridian.unit_conversion_factor) if meridian else 0.0
    place = math.degrees(lon * unit + east), math.degrees(lat * unit)
    return place if all(map(math.isfinite, place)) else None


def _topocentric(crs: CRS | None) -> bool:
    return crs is not None and type_of(crs) == "DerivedGeodeticCRS"


def _both(source: CRS | None, target: CRS | None) -> tuple[CRS, CRS]:
    if source is not None and target is not None:
        return source, target
    known = source or target
    raise GeoreferenceError(
        f"one side has no place on Earth, the other is in {known.name if known else 'no CRS'}: "
        "pass --source-crs for lines, or --crs and --origin for a scene"
    )


def _legs(source: CRS, target: CRS, place: Place | None) -> list[tuple[Transformer, bool]]:
    """List the operations that lead from one CRS to another, and whether forward or backward.

    There and back are one operation in two directions, because PROJ may rank others first on the way back.
    """
    place = place or place_of_scene(source) or place_of_scene(target)
    legs = []
    for pair in hops(source, target):
        first, second = sorted(pair, key=lambda crs: (crs.is_geographic, str(crs.to_wkt())))
        legs.append((_operation(first, second, place), same(first, pair[0])))
    return legs


def hops(source: CRS, target: CRS) -> list[tuple[CRS, CRS]]:
    """List the pairs of CRSs that lead from one to another, with heights on both sides or on none.

    A topocentric frame is reached through its own base, because PROJ knows no way from it to another datum.
    The base is 3D, which WKT does not say.
    """
    if same(source, target):
        return []
    for crs, other in ((source, target), (target, source)):
        base = crs.source_crs.to_3d() if crs.source_crs and _topocentric(crs) else None
        if base is not None and not same(base, other):
            return hops(source, base) + hops(base, target)
    return [(_with_heights(source, target), _with_heights(target, source))]


@functools.lru_cache(maxsize=64)
def _operation(first: CRS, second: CRS, place: Place | None) -> Transformer:
    """Choose one operation for a pair of CRSs; building one can take a tenth of a second.

    PROJ by itself picks an operation for each point, which may tear a road where two datum shifts meet.
    With a scene in the pair, all points take the best operation for the scene's origin. One that knows a
    datum shift goes before one that ignores it ("ballpark"), even when the place lies outside its area. Where
    PROJ cannot turn the heights of one side into those of the other, they are passed on, see `heights`.
    """
    found = place and (
        _known_operation(first, second, place) or _known_operation(carried(first), carried(second), place)
    )
    return found or _any_operation(first, second)


def _known_operation(first: CRS, second: CRS, place: Place) -> Transformer | None:
    for area in (around(*place), None):
        found = known_operations(first, second, area)
        if found is not None and found.transformers:
            return found.transformers[0]
    return None


def _any_operation(first: CRS, second: CRS) -> Transformer:
    try:
        return Transformer.from_crs(first, second, always_xy=True)
    except ProjError as error:
        raise GeoreferenceError(
            f"PROJ knows no way between {first.name} and {second.name}: choose another CRS"
        ) from error


def known_operations(first: CRS, second: CRS, area: AreaOfInterest | None) -> TransformerGroup | None:
    """List what PROJ knows of the way between two CRSs, the best first; None = it knows none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "best is not available": this is the best available
        try:
            return TransformerGroup(
                first, second, always_xy=True, area_of_interest=area, allow_ballpark=False
            )
        except IndexError:  # how pyproj says that there is none
            return None


def around(lon: float, lat: float) -> AreaOfInterest:
    """Give the area around a place for which PROJ shall rank its operations."""
    west, east = ((lon + side + 180) % 360 - 180 for side in (-_AREA, _AREA))
    return AreaOfInterest(west, max(lat - _AREA, -90.0), east, min(lat + _AREA, 90.0))


def _with_heights(crs: CRS, other: CRS) -> CRS:
    """Say what the heights of a 2D CRS are, the same as in its counterpart, which PROJ else ignores."""
    if len(crs.axis_info) == 2:
        heights = vertical(other)
        if heights is not None:
            return compound(crs, metric_heights(heights))
        if _topocentric(other):
            return crs.to_3d()
    return crs


def _forward(operation: Transformer, coords: Floats) -> None:
    """Apply an operation to coordinates of shape (3, K), in place."""
    operation.transform(coords[0], coords[1], coords[2], inplace=True)


def _backward(operation: Transformer, coords: Floats) -> None:
    """Undo an operation, in place.

    PROJ inverts a Helmert datum shift by its transposed small-angle matrix, and some projections by a short
    series, which misses by up to some millimetres. Going forward again shows by how much, and the miss is
    taken back.
    """
    wanted = coords.copy()
    _undo(operation, coords)
    if not _exact_inverse(operation):
        again = coords.copy()
        _forward(operation, again)
        with np.errstate(invalid="ignore"):  # infinite where a point cannot be projected
            miss = wanted - again
            miss[~(np.abs(miss) < 1.0)] = 0.0  # not round the Earth, and not of what cannot be undone
        wanted += miss
        _undo(operation, wanted)
        coords[...] = wanted


def _undo(operation: Transformer, coords: Floats) -> None:
    operation.transform(coords[0], coords[1], coords[2], direction=TransformDirection.INVERSE, inplace=True)


def _exact_inverse(operation: Transformer) -> bool:
    steps = set(re.findall(r"proj=(\w+)", operation.definition))
    return not steps & _INEXACT and "unavailable" not in operation.definition
