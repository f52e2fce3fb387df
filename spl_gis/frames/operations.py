"""Move coordinates and vectors from one CRS to another, by PROJ.

Nothing here computes a projection. What is here sees to it that PROJ is asked the right question: one
operation for all coordinates of a pair of CRSs, the same one there and back, heights on both sides.
"""

from __future__ import annotations

import functools
import re
import warnings

import numpy as np
from pyproj import CRS, Transformer
from pyproj.enums import TransformDirection
from pyproj.exceptions import ProjError
from pyproj.transformer import AreaOfInterest, TransformerGroup

from ..errors import GeoreferenceError
from .crs import carried, compound, lowered, metric_heights, place_of, same, type_of, vertical
from .places import Floats, Place, place_between

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
    source, target = _both(source, target)
    place = place or place_between(source, target)
    for first, second, forward in pairs(source, target):
        (_forward if forward else _backward)(operation(first, second, place), moved)
    z -= high
    z /= other
    moved[:, ~np.isfinite(moved).all(axis=0)] = np.nan
    if not (is_topocentric(source) or is_topocentric(target)):
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


def is_topocentric(crs: CRS | None) -> bool:
    """Tell a scene on a tangent plane, in which height and position depend on each other."""
    return crs is not None and type_of(crs) == "DerivedGeodeticCRS"


def _both(source: CRS | None, target: CRS | None) -> tuple[CRS, CRS]:
    if source is not None and target is not None:
        return source, target
    known = source or target
    raise GeoreferenceError(
        f"one side has no place on Earth, the other is in {known.name if known else 'no CRS'}: "
        "pass --source-crs for lines, or --crs and --origin for a scene"
    )


def pairs(source: CRS, target: CRS) -> list[tuple[CRS, CRS, bool]]:
    """List the pairs of CRSs between which one operation leads, and whether it goes forward or backward.

    Both of a pair have heights, or none. A topocentric frame is reached through its own base, because PROJ
    knows no way from it to another datum; the base is 3D, which WKT does not say.
    There and back are one operation in two directions, because PROJ may rank others first on the way back.
    """
    if same(source, target):
        return []
    for crs, other in ((source, target), (target, source)):
        base = crs.source_crs.to_3d() if crs.source_crs and is_topocentric(crs) else None
        if base is not None and not same(base, other):
            return pairs(source, base) + pairs(base, target)
    source, target = _with_heights(source, target), _with_heights(target, source)
    first, second = sorted((source, target), key=lambda crs: (crs.is_geographic, str(crs.to_wkt())))
    return [(first, second, same(first, source))]


@functools.lru_cache(maxsize=64)
def operation(first: CRS, second: CRS, place: Place | None) -> Transformer:
    """Choose one operation for a pair of CRSs.

    PROJ by itself picks an operation for each point, which may tear a road where two datum shifts meet.
    With a place, all points take the best operation there. One that knows a datum shift goes before one that
    ignores it ("ballpark"), even when the place lies outside its area. Where PROJ cannot turn the heights of
    one side into those of the other, they are passed on, see `heights`.
    """
    group = ranked(first, second, place) or (place and ranked(carried(first), carried(second), place))
    if group:
        return group.transformers[0]
    try:
        return Transformer.from_crs(first, second, always_xy=True)
    except ProjError as error:
        raise GeoreferenceError(
            f"PROJ knows no way between {first.name} and {second.name}: choose another CRS"
        ) from error


@functools.lru_cache(maxsize=64)
def ranked(first: CRS, second: CRS, place: Place | None) -> TransformerGroup | None:
    """Give the operations between two CRSs that know the datum shift, the best for a place first.

    None = without a place, or PROJ has none.
    """
    for group in known_operations(first, second, place):
        if group.transformers:
            return group
    return None


@functools.lru_cache(maxsize=64)
def known_operations(first: CRS, second: CRS, place: Place | None) -> list[TransformerGroup]:
    """Give what PROJ knows of the way between two CRSs around a place, and everywhere.

    Default of the place: the origin of the scene frame in the pair. Some of it may lack grids. Building it
    can take a second.
    """
    place = place or place_between(first, second)
    found = []
    for area in () if place is None else (_around(*place), None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "best is not available": `account` tells that
            try:
                found.append(
                    TransformerGroup(
                        first, second, always_xy=True, area_of_interest=area, allow_ballpark=False
                    )
                )
            except IndexError:  # how pyproj says that there is none
                continue
        if found and found[-1].transformers:
            break
    return found


def _around(lon: float, lat: float) -> AreaOfInterest:
    west, east = ((lon + side + 180) % 360 - 180 for side in (-_AREA, _AREA))
    return AreaOfInterest(west, max(lat - _AREA, -90.0), east, min(lat + _AREA, 90.0))


def _with_heights(crs: CRS, other: CRS) -> CRS:
    """Say what the heights of a 2D CRS are, the same as in its counterpart, which PROJ else ignores."""
    if len(crs.axis_info) == 2:
        heights = vertical(other)
        if heights is not None:
            return compound(crs, metric_heights(heights))
        if is_topocentric(other):
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
