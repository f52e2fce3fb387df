"""Choose the frame of a scene for some lines."""

from __future__ import annotations

import math

import numpy as np
from pyproj import CRS, Geod

from ..errors import GeoreferenceError, OptionError
from .build import LOCAL, grid_of, laid_over, local_base, map_frame
from .crs import WGS84, horizontal, parse_crs, place_of, unbound
from .describe import describe
from .operations import transform
from .origin import Origin
from .places import Floats
from .reach import comes_back
from .topocentric import topocentric_frame

_SAMPLE = 10_000
"""So many coordinates are enough to say where about the data is."""


def scene_frame(
    coords: Floats,
    crs: CRS | None,
    *,
    base: CRS | str | None = None,
    origin: Origin | None = None,
    rotation: float = 0.0,
    topocentric: str | None = None,
) -> CRS | None:
    """Build the frame of a scene for some lines, and choose what is not given of it.

    The base is the lines' own CRS when that is projected and its metres are metres there, else the UTM zone
    (near the poles UPS; WGS 84) of the given origin or of the data's centre. The origin is the centre of the
    data's bounding box in the base, rounded to a metre. Lines that are in a scene frame already stay in it.

    Parameters
    ----------
    coords : ndarray of float64, shape (K, 3)
        Vertices of the lines, in `crs`.
    crs : pyproj.CRS or None
        CRS of the lines; None when they have no place on Earth.
    base, origin, rotation
        What is given, as for `map_frame`. The base may be text that `parse_crs` reads, or `LOCAL`: the
        `local_base` at the origin, or else at the data's centre.
    topocentric : str, optional
        Build a topocentric frame instead of a map frame, with this up: one of `UPS`.

    Returns
    -------
    pyproj.CRS or None
        The frame; None for lines without a place when nothing else gives one.

    Raises
    ------
    GeoreferenceError
        When no coordinate has a place on Earth, or the base is of no use.
    OptionError
        When the options contradict each other.
    """
    crs = place_of(crs)
    if topocentric is not None:
        if base is not None or rotation:
            raise OptionError("a topocentric frame has neither --crs nor --rotation: leave them out")
        return topocentric_frame(origin or _centre_origin(coords, crs), topocentric)
    if isinstance(base, str) and base.lower() == LOCAL:
        origin = origin or _centre_origin(coords, crs)
        return map_frame(local_base(origin), origin, rotation)
    base = parse_crs(base) if isinstance(base, str) else base
    if base is None and origin is None and not rotation and (crs is None or describe(crs).kind != "crs"):
        return crs
    base = base or _choose_base(coords, crs, origin)
    if origin is not None:
        return map_frame(base, origin, rotation)
    return laid_over(base, _middle_in_metres(base, coords, _known(crs)), rotation)


def require_metres(crs: CRS) -> CRS:
    """Give the CRS if a scene can be in it: one in metres, x to the east and y to the north.

    Raises
    ------
    GeoreferenceError
        When it is in degrees or feet, or its axes point elsewhere.
    """
    mirrored = any(axis.direction == "west" for axis in crs.axis_info)
    if crs.is_geographic or crs.is_geocentric or mirrored or not _in_metres(crs):
        raise GeoreferenceError(
            f"a scene is in metres east and north, {crs.name} is not: pass --crs and --origin"
        )
    return crs


def _known(crs: CRS | None) -> CRS:
    if crs is None:
        raise GeoreferenceError("without a CRS of the lines no place can be chosen: pass --source-crs")
    return crs


def _some(coords: Floats) -> Floats:
    if not len(coords):
        raise GeoreferenceError(
            "there are no lines to choose a place for: read others with --layer, --where or --bbox, "
            "or pass --origin"
        )
    return coords


def _in_metres(crs: CRS) -> bool:
    return all(axis.unit_name == "metre" for axis in crs.axis_info)


def _choose_base(coords: Floats, crs: CRS | None, origin: Origin | None) -> CRS:
    """Choose the CRS to lay a map frame over."""
    if origin is not None and origin.lat is None:
        if crs is None:
            raise OptionError("the origin's x and y need to know in which CRS they are: pass --crs")
        return crs
    if crs is not None and _true_metres(crs, coords):
        return crs
    if origin is not None and origin.lat is not None and origin.lon is not None:
        return _utm(origin.lon, origin.lat)
    return _utm(*_centre(coords, _known(crs)))


def _true_metres(crs: CRS, coords: Floats) -> bool:
    """Tell whether a CRS is projected and its metres are metres, within 5 %, at the centre of the data."""
    flat = unbound(horizontal(crs))
    method = flat.coordinate_operation.method_name if flat.coordinate_operation else ""
    if not flat.is_projected or not _in_metres(flat) or "Pseudo Mercator" in method:
        return False
    lon, lat = _centre(coords[:: len(coords) // _SAMPLE + 1], crs)
    lons, lats, _ = Geod(ellps="WGS84").fwd([lon] * 3, [lat] * 3, [0.0, 0.0, 90.0], [0.0, 100.0, 100.0])
    here, north, east = transform(np.transpose([lons, lats, [0.0] * 3]), WGS84, horizontal(crs))
    return bool(abs(np.linalg.norm([north - here, east - here], axis=1) / 100.0 - 1.0).max() < 0.05)


def _utm(lon: float, lat: float) -> CRS:
    """Give the UTM zone, or near the poles the UPS grid, of a place (WGS 84)."""
    if not -80 <= lat < 84:
        return CRS.from_epsg(5041 if lat > 0 else 5042)
    zone = int((lon + 180) % 360 // 6) + 1
    return CRS.from_epsg((32600 if lat >= 0 else 32700) + zone)


def _centre(coords: Floats, crs: CRS) -> tuple[float, float]:
    """Give longitude and latitude of the middle of the data.

    It is the direction of the middle of their box in space, so neither date line nor pole splits them.
    """
    lonlat = transform(_some(coords), horizontal(crs), WGS84)[:, :2]
    on_earth = (np.abs(lonlat) <= (360.0, 90.0)).all(
        axis=1
    )  # PROJ lets anything pass from degrees to degrees
    lon, lat = np.radians(lonlat[on_earth].T)
    if not lon.size:
        raise GeoreferenceError(
            f"no coordinate has a place on Earth in {crs.name} (the first is x {coords[0, 0]:.10g}, "
            f"y {coords[0, 1]:.10g}): if that is the wrong CRS, such as degrees for metres, pass --source-crs"
        )
    space = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    x, y, z = (space.min(axis=1) + space.max(axis=1)) / 2
    return math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))


def _middle_in_metres(base: CRS, coords: Floats, crs: CRS) -> tuple[float, float]:
    """Give the middle of the data's bounding box, rounded to a metre, as metres east and north in a base."""
    grid = grid_of(base)
    moved = transform(_some(coords), horizontal(crs), grid)
    moved = moved[comes_back(coords, moved, horizontal(crs), grid), :2]
    if not len(moved):
        raise GeoreferenceError(f"no coordinate of the lines has a place in {base.name}: pass another --crs")
    east, north = np.rint((moved.min(axis=0) + moved.max(axis=0)) / 2).tolist()
    return east, north


def _centre_origin(coords: Floats, crs: CRS | None) -> Origin:
    lon, lat = _centre(coords, _known(crs))
    return Origin(lat=round(lat, 6), lon=round(lon, 6))
