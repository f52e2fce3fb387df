"""Coordinate reference systems (CRS): read what people write, take apart, put together."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from pyproj import CRS
from pyproj.exceptions import CRSError

from ..errors import GeoreferenceError

Json = dict[str, Any]

WGS84 = CRS.from_authority("OGC", "CRS84")
"""Longitude and latitude as users type them."""


_FORMS = "write a code such as EPSG:32637, or WKT, PROJJSON, or a PROJ string"


def parse_crs(text: str | CRS) -> CRS:
    """Read a CRS from an authority code, WKT, PROJJSON, a PROJ string, or its full name.

    Raises
    ------
    GeoreferenceError
        When PROJ does not know it, or knows only something with a like name.
    """
    try:
        crs = CRS.from_user_input(text)
        _look_into(crs)
    except CRSError as error:
        raise GeoreferenceError(f"{_shown(text)} is not a known CRS: {_FORMS}") from error
    if isinstance(text, str) and _is_name(text) and text.strip().casefold() != crs.name.casefold():
        raise GeoreferenceError(f"{_shown(text)} is not a known CRS (is it {crs.name}?): {_FORMS}")
    return crs


def _look_into(crs: CRS | None) -> None:
    """Raise `CRSError` where a part is broken: PROJ reads parts only when they are asked for."""
    if crs is not None:
        for part in (crs.source_crs, crs.target_crs, *crs.sub_crs_list):
            _look_into(part)


def _is_name(text: str) -> bool:
    """Tell a name, which PROJ would match loosely, from a code or a definition."""
    return re.search(r"[:=\[{]", text) is None and not text.strip().isdigit()


def _shown(text: object) -> str:
    shown = str(text).strip()
    return repr(shown) if len(shown) < 60 else repr(shown[:60]) + "..."


_OFFSET = 8603
"""EPSG code of the number in a "vertical offset", in metres."""

UNNAMED = "height of the data"
"""Name of the vertical CRS of data that do not say what their heights are."""


def place_of(crs: CRS | None) -> CRS | None:
    """Give the CRS, or None for one that has no place on Earth (an engineering CRS)."""
    return None if crs is None or crs.is_engineering else crs


def same(first: CRS | None, second: CRS | None) -> bool:
    """Tell whether two CRSs are exactly the same; two scenes without a place are."""
    if first is None or second is None:
        return first is second
    return bool(first.is_exact_same(second))


def horizontal(crs: CRS) -> CRS:
    """Give the horizontal part of a compound CRS, or the CRS itself."""
    return crs.sub_crs_list[0] if crs.sub_crs_list else crs


def vertical(crs: CRS) -> CRS | None:
    """Give the vertical part of a compound CRS, or None."""
    parts = crs.sub_crs_list[1:]
    return unbound(parts[0]) if parts else None


@functools.lru_cache(maxsize=64)
def lowered(crs: CRS | None) -> tuple[CRS | None, float, float]:
    """Take the origin's height [m] and the unit of heights [m] off a frame, and heights of unknown kind.

    All of it together says no more, but in PROJ's hands it may cost the datum shift that the horizontal part
    alone would have had, and PROJ 9.1 forgets an offset from heights over a geoid.
    """
    heights, h, unit = heights_of(vertical(crs) if crs is not None else None)
    if crs is None or heights is None:
        return crs, 0.0, 1.0
    flat = from_json({**as_json(horizontal(crs)), **_usage(as_json(crs))})
    if heights.name == UNNAMED:
        return flat, h, unit
    if (not h and unit == 1.0) or not _up_in_metres(as_json(heights)):
        return crs, 0.0, 1.0
    return compound(flat, heights), h, unit


def heights_of(heights: CRS | None) -> tuple[CRS | None, float, float]:
    """Give the vertical CRS that a scene's heights are over, the origin's height [m], and their unit [m]."""
    made = as_json(heights) if heights is not None else {}
    numbers = made.get("conversion", {}).get("parameters", [])
    if [number.get("id", {}).get("code") for number in numbers] != [_OFFSET]:
        return heights, 0.0, 1.0
    unit = made["coordinate_system"]["axis"][0]["unit"]
    unit = 1.0 if unit == "metre" else float(unit["conversion_factor"])
    return from_json(made["base_crs"]), 0.0 - float(numbers[0]["value"]), unit


def unbound(crs: CRS) -> CRS:
    """Give the CRS inside a bound CRS (one that carries its own datum shift), or the CRS itself."""
    return crs.source_crs or crs if type_of(crs) == "BoundCRS" else crs


def type_of(crs: CRS) -> str:
    """Give the PROJJSON type of a CRS, such as ``ProjectedCRS``; pyproj's own names vary by version."""
    return str(crs.to_json_dict()["type"])


def as_json(crs: CRS) -> Json:
    """Give a CRS as PROJJSON to build others with."""
    made: Json = crs.to_json_dict()
    made.pop("$schema", None)
    return made


def from_json(made: Json) -> CRS:
    """Build a CRS from PROJJSON, with its numbers rounded as they will be in a file.

    PROJ writes 15 digits. What is read back from a sidecar shall be the very CRS that was computed with.
    """
    try:
        return CRS.from_user_input(CRS.from_user_input(json.dumps(made)).to_json())
    except CRSError as error:
        raise GeoreferenceError(f"PROJ cannot build the CRS {made.get('name')!r}: {error}") from error


def compound(flat: CRS, heights: CRS) -> CRS:
    """Join a horizontal and a vertical CRS, for the area of the horizontal one."""
    name, parts = f"{flat.name} + {heights.name}", [as_json(flat), as_json(heights)]
    return from_json({"type": "CompoundCRS", "name": name, "components": parts, **_usage(parts[0])})


def _usage(made: Json) -> Json:
    """Give what a CRS is for and where, which PROJ keeps only of a whole CRS, not of its parts."""
    return {name: made[name] for name in ("scope", "area", "bbox") if name in made}


def metric_heights(heights: CRS) -> CRS:
    """Give a vertical CRS that is up and in metres: itself, its base when derived, or a copy."""
    made = as_json(heights)
    if "base_crs" in made:
        return from_json(made["base_crs"])
    if _up_in_metres(made):
        return heights
    made.pop("id", None)
    made["name"] += " (up, metre)"
    axis = made["coordinate_system"]["axis"][0]
    made["coordinate_system"]["axis"] = [dict(axis, unit="metre", direction="up")]
    return from_json(made)


def _up_in_metres(heights: Json) -> bool:
    axis = heights["coordinate_system"]["axis"][0]
    return bool(axis["unit"] == "metre" and axis["direction"] == "up")


def flattened(made: Json) -> Json:
    """Take the third axis off a CRS, as PROJJSON, and off its base."""
    made = {**made, **({"base_crs": flattened(made["base_crs"])} if "base_crs" in made else {})}
    system = made.get("coordinate_system", {"axis": ()})
    if len(system["axis"]) == 3:
        made.pop("id", None)
        made["coordinate_system"] = {**system, "axis": system["axis"][:2]}
    return made


def carried(crs: CRS) -> CRS:
    """Give a CRS with heights that nobody knows anything of in place of its own.

    Between two such CRSs PROJ passes heights on as they are. Units and an origin's height still count.
    """
    heights = vertical(crs)
    if heights is None:
        deep = len(crs.axis_info) == 3 and type_of(crs) in ("GeographicCRS", "ProjectedCRS")
        return compound(from_json(flattened(as_json(crs))), HEIGHTS) if deep else crs
    made = as_json(heights)
    known = made.get("base_crs", made)
    for part in ("id", "datum_ensemble", "geoid_model", "geoid_models"):
        known.pop(part, None)
    known.update(name=UNNAMED, datum=_NO_DATUM)
    return compound(horizontal(crs), from_json(made))


def code_of(crs: CRS) -> str | None:
    """Give the authority and code of a CRS, such as ``EPSG:32637``, or None when it has none of its own."""
    known = unbound(crs).to_json_dict().get("id")
    return f"{known['authority']}:{known['code']}" if known else None


_NO_DATUM = {"type": "VerticalReferenceFrame", "name": "unknown"}

HEIGHTS = from_json(
    {
        "type": "VerticalCRS",
        "name": UNNAMED,
        "datum": _NO_DATUM,
        "coordinate_system": {
            "subtype": "vertical",
            "axis": [{"name": "Height", "abbreviation": "H", "direction": "up", "unit": "metre"}],
        },
    }
)
"""Heights of data that do not say what they are."""
