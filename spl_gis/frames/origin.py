"""Where a scene's (0, 0, 0) lies, as a user writes it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import OptionError

_FORMS = "lat=55.75,lon=37.61 (degrees, WGS 84) or x=413000,y=6179000 (in --crs), each with or without ,h=120"


@dataclass(frozen=True)
class Origin:
    """Where on Earth a scene's (0, 0, 0) lies: x and y in a base CRS, or latitude and longitude.

    Attributes
    ----------
    x, y : float or None
        Easting and northing in the base CRS and its units.
    lat, lon : float or None
        Degrees, WGS 84.
    h : float or None
        Height in metres; None = heights are as in the base.

    Raises
    ------
    OptionError
        When it is not just one of the two pairs, or a number makes no sense.
    """

    x: float | None = None
    y: float | None = None
    lat: float | None = None
    lon: float | None = None
    h: float | None = None

    def __post_init__(self) -> None:
        given = {name: value for name, value in vars(self).items() if value is not None}
        if given.keys() - {"h"} not in ({"x", "y"}, {"lat", "lon"}):
            raise OptionError(f"an origin is {_FORMS}")
        for name, value in given.items():
            limit = {"lat": 90.0, "lon": 360.0}.get(name, math.inf)
            if not math.isfinite(value) or abs(value) > limit:
                between = f" between -{limit:g} and {limit:g}" if math.isfinite(limit) else ""
                raise OptionError(f"the origin's {name}={value:g} must be a number{between}")


def parse_origin(text: str) -> Origin:
    """Read an origin as a user writes it, with its keys spelled out.

    Raises
    ------
    OptionError
        When `text` is not of the form ``lat=..,lon=..[,h=..]`` or ``x=..,y=..[,h=..]``.
    """
    numbers = keyed_numbers(text)
    if not numbers or not set(numbers) <= {"x", "y", "lat", "lon", "h"}:
        raise OptionError(f"{text!r} is not an origin: write {_FORMS}")
    return Origin(**numbers)


def keyed_numbers(text: str) -> dict[str, float]:
    """Read numbers with their keys spelled out, such as ``x=1,y=2``; empty when it is anything else."""
    pairs = [part.partition("=") for part in text.split(",")]
    try:
        numbers = {name.strip().lower(): float(value) for name, _, value in pairs}
    except ValueError:
        return {}
    return numbers if len(numbers) == len(pairs) else {}
