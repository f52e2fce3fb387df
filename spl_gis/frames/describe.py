"""What a frame is and where, from nothing but the CRS itself."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from ..errors import GeoreferenceError
from .build import LOCAL, LOCAL_NAME, MARK, axes_of
from .crs import (
    WGS84,
    as_json,
    code_of,
    from_json,
    horizontal,
    parse_crs,
    place_of,
    type_of,
    unbound,
    vertical,
)
from .node import Node, node_of, scene_of
from .operations import transform
from .topocentric import NORMAL, up_of


class Description(NamedTuple):
    """What a frame is and where.

    Attributes
    ----------
    kind : str
        ``map``, ``topocentric`` or ``topocentric=unigine``, ``engineering`` (no place), or ``crs`` (an
        ordinary CRS, no scene frame).
    base : str
        Name of the CRS that the frame lies on; for ``crs`` its own name.
    code : str or None
        Authority and code of the base, such as ``EPSG:32637``, when it has one; ``local`` for `local_base`.
    lat, lon : float or None
        The scene's (0, 0, 0) in degrees, WGS 84; None for ``crs`` and ``engineering``.
    h : float
        Height of the scene's (0, 0, 0) in metres.
    rotation : float
        Direction of the scene's y axis, in degrees clockwise from grid north.
    node : str or None
        Where in the scene the node stands that the coordinates are relative to, as ``x=..,y=..,z=..``.
    """

    kind: str
    base: str
    code: str | None
    lat: float | None
    lon: float | None
    h: float
    rotation: float
    node: str | None = None

    def __str__(self) -> str:
        """Say it in one sentence, with latitude and longitude as the engine's editor wants them."""
        over = f"{self.base} ({self.code})" if self.code else self.base
        if self.kind == "crs":
            return f"the scene is in {over} itself"
        if self.lat is None or self.lon is None:
            return "the scene has no place on Earth"
        turned = f", y axis {self.rotation:g} degrees clockwise from grid north" if self.rotation else ""
        kind, _, up = self.kind.partition("=")
        kind = f"a {kind} frame" + (" (up from the Earth's centre)" if up else "") + f" over {over}"
        node = f"; points are relative to a node that stands at {self.node}" if self.node else ""
        return f"{kind}, origin lat={self.lat:.9f},lon={self.lon:.9f},h={self.h:g}{turned}{node}"


def describe(frame: CRS | None) -> Description:
    """Tell what a frame is and where, from nothing but the CRS itself.

    Raises
    ------
    GeoreferenceError
        When the frame's origin cannot be computed.
    """
    frame = place_of(frame)
    if frame is None:
        return Description("engineering", "", None, None, None, 0.0, 0.0)
    node = node_of(frame)
    if node is not None:
        shown = Node(*(round(value, 9) for value in node))
        return describe(scene_of(frame))._replace(node=str(shown))
    flat = unbound(horizontal(frame))
    base, values = flat.source_crs, _values(flat)
    if base is not None and 8834 in values:
        lat, lon, h = (values[code] for code in (8834, 8835, 8836))
        up = up_of(as_json(flat)["conversion"]["method"]["name"])
        kind = "topocentric" if up == NORMAL else f"topocentric={up}"
        return Description(kind, base.name, code_of(base), lat, lon, h, 0.0)
    if base is None or 8624 not in values:
        return Description("crs", frame.name, code_of(frame), None, None, 0.0, 0.0)
    lon, lat, _ = transform(np.zeros((1, 3)), horizontal(frame), WGS84)[0].tolist()
    if math.isnan(lat):
        raise GeoreferenceError(f"the origin of the frame {frame.name!r} cannot be computed")
    if not {8624, 8625, 8640, 8641} <= set(values):
        raise GeoreferenceError(f"the frame {frame.name!r} lacks numbers of its affine transformation")
    matrix = np.reshape([values[code] for code in (8624, 8625, 8640, 8641)], (2, 2))
    sine, cosine = (matrix @ np.array(axes_of(as_json(base))[1]).T)[1]
    heights = vertical(frame)
    h = 0.0 - _values(heights).get(8603, 0.0) if heights is not None else 0.0
    rotation = round(math.degrees(math.atan2(sine, cosine)), 9) + 0.0
    name = base.name.replace(MARK, "")
    code = LOCAL if name.startswith(LOCAL_NAME) else code_of(base_of(frame))
    return Description("map", name, code, lat, lon, h, rotation)


def base_of(frame: CRS) -> CRS:
    """Give the horizontal CRS that a frame lies on: the given one if it has a code, else its copy in metres.

    An ordinary CRS is its own base; the base of a topocentric frame is geographic.
    """
    whole = horizontal(frame)
    flat = unbound(whole)
    if flat.source_crs is None or not type_of(flat).startswith("Derived"):
        return whole
    code = re.search(r"\bbase (\w+:\w+)", flat.remarks or "")
    base = parse_crs(code[1]) if code else flat.source_crs
    if type_of(whole) == "BoundCRS":
        return from_json({**as_json(whole), "name": base.name, "source_crs": as_json(base)})
    return base


def _values(derived: CRS) -> dict[int, float]:
    """Give the parameters of a derived CRS's conversion by their EPSG codes."""
    return {
        parameter.get("id", {}).get("code", 0): float(parameter["value"])
        for parameter in as_json(derived).get("conversion", {}).get("parameters", [])
    }
