"""Build topocentric frames: scenes on a plane at their origin, while the Earth bends away below."""

from __future__ import annotations

from pyproj import CRS, Transformer

from ..errors import OptionError
from .crs import as_json, from_json
from .origin import Origin
from .projjson import axes, conversion, parameter

NORMAL, UNIGINE = "normal", "unigine"
UPS = (NORMAL, UNIGINE)
"""What may be up at the origin: along the ellipsoid's normal, or away from the Earth's centre."""

_ELLIPSOIDAL = CRS.from_epsg(4979)


def topocentric_frame(origin: Origin, up: str = NORMAL) -> CRS:
    """Build the frame of a scene with x east, y north and z straight up at its origin (WGS 84).

    It is a derived geodetic CRS by "geographic/topocentric conversions" (EPSG:9837) when up is the normal of
    the ellipsoid. In UNIGINE's ENU basis up points away from the Earth's centre, up to 0.19 degrees from
    it. That is what the same conversion does on a sphere around the centre, so the CRS holds a pipeline of
    PROJ: to geocentric coordinates on the ellipsoid, and from those to the plane on the sphere.

    Parameters
    ----------
    origin : Origin
        Latitude and longitude (geodetic, on the ellipsoid) and the ellipsoidal height.
    up : str
        One of `UPS`: ``normal`` or ``unigine``.

    Raises
    ------
    OptionError
        When the origin is not given as latitude and longitude, or there is no such `up`.
    """
    if origin.lat is None or origin.lon is None:
        raise OptionError("a topocentric frame needs its origin as lat=..,lon=..[,h=..]")
    if up not in UPS:
        raise OptionError(f"up in a topocentric frame is one of {', '.join(UPS)}, not {up!r}")
    lat, lon, h = origin.lat, origin.lon, origin.h or 0.0
    known = "Geographic/topocentric conversions", 9837
    method, code = known if up == NORMAL else (_on_sphere(lat, lon, h), None)
    parameters = [
        parameter("Latitude of topocentric origin", 8834, lat, "degree"),
        parameter("Longitude of topocentric origin", 8835, lon, "degree"),
        parameter("Ellipsoidal height of topocentric origin", 8836, h, "metre"),
    ]
    return from_json(
        {
            "type": "DerivedGeodeticCRS",
            "name": "scene, topocentric" + ("" if up == NORMAL else f" ({up})"),
            "base_crs": as_json(_ELLIPSOIDAL),
            "conversion": conversion(method, code, parameters),
            "coordinate_system": axes(("east", "north", "up"), "UVW"),
        }
    )


def up_of(method: str) -> str:
    """Tell from the name of a topocentric frame's method what is up in it."""
    return UNIGINE if method.startswith(_PIPELINE) else NORMAL


_PIPELINE = (
    "PROJ-based operation method: +proj=pipeline +step +proj=cart +ellps=WGS84 +step +proj=topocentric"
)


def _on_sphere(lat: float, lon: float, h: float) -> str:
    """Name the method for the plane on a sphere. PROJ takes no other numbers than those in the name."""
    at = Transformer.from_crs(_ELLIPSOIDAL, CRS.from_epsg(4978), always_xy=True).transform(lon, lat, h)
    place = " ".join(f"+{axis}_0={value:.9f}" for axis, value in zip("XYZ", at))
    return f"{_PIPELINE} +R=6378137 {place}"
