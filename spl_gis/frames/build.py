"""Build scene frames: map frames, and the CRS of a scene without a place."""

from __future__ import annotations

import math

import numpy as np
from pyproj import CRS

from ..errors import GeoreferenceError, OptionError
from .crs import (
    HEIGHTS,
    UNNAMED,
    WGS84,
    Json,
    as_json,
    code_of,
    compound,
    flattened,
    from_json,
    horizontal,
    metric_heights,
    type_of,
    unbound,
    vertical,
)
from .operations import transform
from .origin import Origin
from .places import Floats, place_of_scene
from .projjson import axes, conversion, parameter

MARK = " (metre, for scenes)"

LOCAL = "local"
"""What users write for `local_base` in place of a CRS."""

LOCAL_NAME = "WGS 84 / transverse Mercator"

_TURNED = {
    "Transverse Mercator (South Orientated)": (("west", "south"), ((-1.0, 0.0), (0.0, -1.0))),
    "Krovak": (("south", "west"), ((0.0, -1.0), (-1.0, 0.0))),
    "Krovak Modified": (("south", "west"), ((0.0, -1.0), (-1.0, 0.0))),
}
"""Methods that keep their own axes whatever a CRS declares: those axes, and the matrix to east and north."""

_AROUND = 0.5
"""Half the size [degrees] of the area of use that a frame is said to have."""

_STRAIGHT = (("east", "north"), ((1.0, 0.0), (0.0, 1.0)))


def map_frame(base: CRS, origin: Origin, rotation: float = 0.0) -> CRS:
    """Build the frame of a scene on a map: a projected CRS with another origin, turned, and in metres.

    It is a derived projected CRS by the "affine parametric transformation" (EPSG:9624). Scene x is east and
    y north of the base's grid (before the rotation), whatever the base's own axes and units are. The base
    inside is a renamed copy in metres, because files (WKT2) carry neither the axes nor the units of a base.

    Parameters
    ----------
    base : pyproj.CRS
        A projected CRS, or a compound one with heights.
    origin : Origin
        The scene's (0, 0, 0): x and y in the units of `base`, or latitude and longitude (WGS 84).
    rotation : float
        Direction of the scene's y axis, in degrees clockwise from grid north.

    Raises
    ------
    GeoreferenceError
        When the base is not projected, or the origin lies where it cannot be computed.
    OptionError
        When the rotation is not a finite number.
    """
    return laid_over(base, _origin_in_metres(base, origin), rotation, origin.h or 0.0)


def local_base(origin: Origin) -> CRS:
    """Build a projected CRS for one place: the transverse Mercator (WGS 84) with scale 1 at the origin.

    Metres are metres there: at 10 km east or west a metre is 1.2 micrometres too long, at 50 km 31.

    Raises
    ------
    OptionError
        When the origin is not given as latitude and longitude.
    """
    if origin.lat is None or origin.lon is None:
        raise OptionError(f"--crs {LOCAL} needs its origin as lat=..,lon=..[,h=..]")
    parameters = [
        parameter("Latitude of natural origin", 8801, origin.lat, "degree"),
        parameter("Longitude of natural origin", 8802, origin.lon, "degree"),
        parameter("Scale factor at natural origin", 8805, 1.0, "unity"),
        parameter("False easting", 8806, 0.0, "metre"),
        parameter("False northing", 8807, 0.0, "metre"),
    ]
    return from_json(
        {
            "type": "ProjectedCRS",
            "name": f"{LOCAL_NAME} at lat={origin.lat:.9g},lon={origin.lon:.9g}",
            "base_crs": as_json(CRS.from_epsg(4326)),
            "conversion": conversion("Transverse Mercator", 9807, parameters),
            "coordinate_system": axes(("east", "north"), "EN"),
        }
    )


def engineering_frame() -> CRS:
    """Build the CRS of a scene without a place on Earth, for files that want one: two axes, metres."""
    return from_json(
        {
            "type": "EngineeringCRS",
            "name": "scene without a place",
            "datum": {"type": "EngineeringDatum", "name": "scene without a place"},
            "coordinate_system": axes(("east", "north"), "xy"),
        }
    )


def laid_over(base: CRS, shift: tuple[float, float], rotation: float = 0.0, h: float = 0.0) -> CRS:
    """Build a map frame with its origin at `shift` (metres east and north in a base), `h` metres up.

    Its area of use is around its origin, so that other programs choose the datum shift that is best there.
    """
    if not math.isfinite(rotation):
        raise OptionError(f"the rotation must be a number of degrees, not {rotation}")
    flat = horizontal(base)
    made = as_json(_on_grid(flat, shift, rotation))
    place = place_of_scene(from_json(made))
    if place is not None:
        made.update(scope="a scene", area="around the scene's origin", bbox=_bbox(*place))
    if type_of(flat) == "BoundCRS":
        made = {**as_json(flat), "name": made["name"], "source_crs": made}
    return raised(from_json(made), vertical(base), h)


def grid_of(base: CRS) -> CRS:
    """Give the grid of a base in metres, x east and y north, whatever its own axes and units are."""
    flat = horizontal(base)
    grid = _on_grid(flat, (0.0, 0.0), 0.0)
    if type_of(flat) == "BoundCRS":
        return from_json({**as_json(flat), "source_crs": as_json(grid)})
    return grid


def _on_grid(flat: CRS, shift: tuple[float, float], rotation: float) -> CRS:
    made = _metric_base(flat)
    code = code_of(flat)
    return from_json(
        {
            "type": "DerivedProjectedCRS",
            "name": f"scene in {flat.name}",
            "base_crs": made,
            "conversion": _affine(np.array(axes_of(made)[1]), shift, math.radians(rotation)),
            "coordinate_system": axes(("east", "north"), "xy"),
            "remarks": f"base {code}" if code else "base without a code",
        }
    )


def _bbox(lon: float, lat: float) -> Json:
    return {
        "south_latitude": round(max(lat - _AROUND, -90.0), 2),
        "west_longitude": round((lon - _AROUND + 180) % 360 - 180, 2),
        "north_latitude": round(min(lat + _AROUND, 90.0), 2),
        "east_longitude": round((lon + _AROUND + 180) % 360 - 180, 2),
    }


def _affine(to_east_north: Floats, shift: tuple[float, float], angle: float) -> Json:
    """Give the conversion from a base to a scene: scene = turn @ (to_east_north @ base - shift).

    The scene's y axis points `angle` radians clockwise from north, so the turn is anticlockwise.
    """
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    matrix, moved = turn @ to_east_north + 0.0, 0.0 - turn @ shift
    parameters = [
        number
        for letter, first, row, constant in zip("AB", (8623, 8639), matrix.tolist(), moved.tolist())
        for number in (
            parameter(f"{letter}0", first, constant, "metre"),
            parameter(f"{letter}1", first + 1, row[0], "unity"),
            parameter(f"{letter}2", first + 2, row[1], "unity"),
        )
    ]
    return conversion("Affine parametric transformation", 9624, parameters)


def raised(flat: CRS, heights: CRS | None, h: float, unit: float = 1.0) -> CRS:
    """Add heights to a frame: those of a vertical CRS, in units of `unit` metres, counted from `h` metres.

    Without a vertical CRS an unnamed one stands for whatever heights the data have.
    """
    plain = not h and unit == 1.0
    if plain and (heights is None or heights.name == UNNAMED):
        return flat
    metric = HEIGHTS if heights is None else metric_heights(heights)
    if plain:
        return compound(flat, metric)
    axis = axes(("up",), "z")["axis"][0]
    if unit != 1.0:
        axis["unit"] = {"type": "LinearUnit", "name": "unit of the node", "conversion_factor": unit}
    offset = {
        "type": "DerivedVerticalCRS",
        "name": f"scene height over {metric.name}",
        "base_crs": as_json(metric),
        "conversion": conversion("Vertical Offset", 9616, [parameter("Vertical Offset", 8603, -h, "metre")]),
        "coordinate_system": {"subtype": "vertical", "axis": [axis]},
    }
    return compound(flat, from_json(offset))


def _metric_base(crs: CRS) -> Json:
    """Give a projected CRS as PROJJSON: renamed, in metres, with axes that a file keeps."""
    made = as_json(unbound(crs))
    if made["type"] != "ProjectedCRS":
        raise GeoreferenceError(
            f"a map frame needs a projected CRS, {crs.name} is a {type_of(crs)}: "
            "pass a projected one with --crs (if it is the frame of another scene, pass it with --frame)"
        )
    for part in ("id", "ids", "scope", "area", "bbox", "usages", "remarks"):
        made.pop(part, None)
    made["name"] += MARK
    made["coordinate_system"] = axes(axes_of(made)[0], "EN")
    for number in made["conversion"]["parameters"]:
        unit = number.get("unit", "unity")
        if isinstance(unit, dict) and unit["type"] == "LinearUnit":
            number.update(value=number["value"] * unit["conversion_factor"], unit="metre")
    return flattened(made)


def axes_of(projected: Json) -> tuple[tuple[str, str], tuple[tuple[float, float], tuple[float, float]]]:
    """Give the directions of the axes that PROJ computes in, and the matrix from them to east and north."""
    return _TURNED.get(projected["conversion"]["method"]["name"], _STRAIGHT)


def _origin_in_metres(base: CRS, origin: Origin) -> tuple[float, float]:
    """Give an origin as metres east and north in a base."""
    flat, place, point = horizontal(base), None, (origin.x, origin.y, 0.0)
    if origin.lon is not None and origin.lat is not None:
        place = (origin.lon, origin.lat)
        flat, point = WGS84, (*place, 0.0)
    east, north, _ = transform(np.array([point], np.float64), flat, grid_of(base), place)[0].tolist()
    if not math.isfinite(east + north):
        raise GeoreferenceError(
            f"the origin {origin} cannot be computed in {base.name}: pass another --crs or --origin"
        )
    return east, north
