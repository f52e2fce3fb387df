"""How a frame is built again: its origin in its base, and the options of the command line."""

from __future__ import annotations

import math

import numpy as np
from pyproj import CRS

from ..errors import GeoreferenceError
from .build import LOCAL, axes_of, grid_of
from .choose import scene_frame
from .crs import as_json, code_of, horizontal, metric_heights, same, unbound, vertical
from .describe import Description, _values, base_of, describe
from .node import Node, at_node, node_of, scene_of
from .operations import transform
from .origin import parse_origin
from .places import Floats
from .topocentric import NORMAL

_SAME = 2e-8
"""Metres, 10 km from the origin, up to which frames are the same: PROJ keeps 15 digits of a number."""


def origin_in_base(frame: CRS) -> tuple[float, float] | None:
    """Give x (east) and y (north) of a map frame's origin in its base and in the units of that.

    It comes from the numbers of the affine transformation, so no projection blurs it. None for other frames.
    The origin is the scene's, also when the frame is that of a node in it.
    """
    frame = scene_of(frame)
    if describe(frame).kind != "map":
        return None
    flat = unbound(horizontal(frame))
    turn, constant = _turn(flat), [_values(flat)[code] for code in (8623, 8639)]
    east, north = (0.0 - np.array(constant) @ turn).tolist()
    base = base_of(frame)
    x, y, _ = transform(np.array([(east, north, 0.0)]), grid_of(base), base)[0].tolist()
    return x, y


def options_for(frame: CRS) -> list[str] | None:
    """Give the options of the command line that build a frame again.

    They are tried: the frame is the same within the 15 digits that PROJ keeps of its numbers (1e-9 m; 1e-8 m
    when turned, with an origin thousands of kilometres from that of its base). None when the base has no code
    or the frame is of a kind of its own, such as that of a turned node: `--frame FILE` takes it from a
    file.
    """
    what, node = describe(frame), node_of(frame)
    words = _words(scene_of(frame), what)
    if words is None:
        return None
    given = dict(zip(words[::2], words[1::2]))
    again = scene_frame(
        np.zeros((1, 3)),
        None,
        base=given.get("--crs"),
        origin=parse_origin(given["--origin"]),
        rotation=float(given.get("--rotation", 0.0)),
        topocentric=_up(what),
    )
    if node is not None:
        words += ["--node", str(node)]
        again = at_node(again, Node(node.x, node.y, node.z))
    return [word for word in words if word] if again is not None and _equal(frame, again) else None


def _words(frame: CRS, what: Description) -> list[str] | None:
    """Give options and their values in turn; that of a flag is empty."""
    height = f",h={_short(what.h)}" if what.h else ""
    lonlat = f"lat={what.lat},lon={what.lon}{height}"
    if _up(what) is not None:
        return [f"--{what.kind}", "", "--origin", lonlat]
    xy = (0.0, 0.0) if what.kind == "crs" else origin_in_base(frame)
    code = _code(frame, what)
    if xy is None or code is None:
        return None
    place = lonlat if what.code == LOCAL else f"x={_short(xy[0])},y={_short(xy[1])}{height}"
    words = ["--crs", code, "--origin", place]
    return [*words, "--rotation", _short(_rotation(frame))] if what.rotation else words


def _up(what: Description) -> str | None:
    """Give the up of a topocentric frame, None for other kinds."""
    kind, _, up = what.kind.partition("=")
    return (up or NORMAL) if kind == "topocentric" else None


def _code(frame: CRS, what: Description) -> str | None:
    """Give the code of the base, with that of its heights."""
    heights = vertical(frame)
    above = code_of(metric_heights(heights)) if heights else None
    return f"{what.code}+{above.split(':')[1]}" if what.code and above else what.code


def _short(number: float) -> str:
    """Write a number without the noise of its last digits."""
    short = f"{number:.15g}"
    return short if abs(float(short) - number) < 1e-9 else repr(number)


def _turn(flat: CRS) -> Floats:
    """Give the matrix (2, 2) from east and north to a frame's x and y."""
    values = _values(flat)
    matrix = np.reshape([values[code] for code in (8624, 8625, 8640, 8641)], (2, 2))
    base = flat.source_crs or flat
    turn: Floats = matrix @ np.array(axes_of(as_json(base))[1]).T
    return turn


def _rotation(frame: CRS) -> float:
    sine, cosine = _turn(unbound(horizontal(frame)))[1]
    return round(math.degrees(math.atan2(sine, cosine)), 12) + 0.0


def _equal(frame: CRS, other: CRS) -> bool:
    """Tell whether two frames are the same, by where they put the ends of axes of 10 km."""
    if same(frame, other):
        return True
    ends = np.concatenate([np.zeros((1, 3)), 10_000.0 * np.eye(3)])
    try:
        moved = transform(ends, frame, other)
    except GeoreferenceError:
        return False
    return bool((np.abs(moved - ends) <= _SAME).all())
