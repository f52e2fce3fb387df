"""The frame of what hangs on a node: the scene's frame, moved, turned about z, and scaled.

Points of a `.spl` are relative to the engine's node that shows it. As a CRS of its own such a frame needs
nothing undone, wherever it goes. What the node is, relative to the scene, its remarks keep.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from ..errors import GeoreferenceError, OptionError
from .build import laid_over, raised
from .crs import (
    Json,
    as_json,
    from_json,
    heights_of,
    horizontal,
    lowered,
    place_of,
    same,
    type_of,
    unbound,
    vertical,
)
from .operations import transform
from .origin import keyed_numbers
from .places import Floats

_FORM = "x=120,y=-45.5 or x=120,y=-45.5,z=210 (metres in the scene's frame), or auto"
FARTHEST = 1e8
"""Farthest place of a node [m], more than once around the Earth."""

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
_MARK = re.compile(
    rf"(?:; )?node (x={_NUMBER},y={_NUMBER},z={_NUMBER}(?:,turn={_NUMBER})?(?:,scale={_NUMBER})?)$"
)
"""What the remarks of a node's frame end with."""

_OWN = "PROJ-based operation method: "
"""How a CRS names a method that is a PROJ string."""

_TOPOCENTRIC = "Geographic/topocentric conversions"


class Node(NamedTuple):
    """Where a node of the engine stands: point in the scene = place + scale * turn @ point of the node.

    Attributes
    ----------
    x, y, z : float
        Its place in the scene, in metres east, north and up.
    turn : float
        Rotation about z, in degrees anticlockwise from above.
    scale : float
        Metres of the scene for one unit of the node.
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    turn: float = 0.0
    scale: float = 1.0

    def __str__(self) -> str:
        """Write it as ``--node`` takes it; a turn and a scale, which come only from a world, follow."""
        shown = {"x": self.x, "y": self.y, "z": self.z}
        if self.turn:
            shown["turn"] = self.turn
        if self.scale != 1.0:
            shown["scale"] = self.scale
        return ",".join(f"{name}={_plain(value)}" for name, value in shown.items())

    def plane(self) -> Floats:
        """Give the matrix of turn and scale in the plane, shape (2, 2)."""
        sine, cosine = math.sin(math.radians(self.turn)), math.cos(math.radians(self.turn))
        return self.scale * np.array([[cosine, -sine], [sine, cosine]])

    def then(self, child: Node) -> Node:
        """Give a child's place in the scene, whose own numbers are relative to this node."""
        x, y = (self.plane() @ (child.x, child.y)).tolist()
        z = self.z + self.scale * child.z
        return Node(self.x + x, self.y + y, z, _turn(self.turn + child.turn), self.scale * child.scale)

    def inverse(self) -> Node:
        """Give the node that undoes this one: ``node.then(node.inverse())`` stays where it is."""
        x, y = np.linalg.solve(self.plane(), (-self.x, -self.y)).tolist()
        return Node(x, y, -self.z / self.scale, -self.turn, 1.0 / self.scale)


def parse_node(text: str) -> Node:
    """Read where a node stands, as a user writes it: ``x=..,y=..[,z=..]``.

    Raises
    ------
    OptionError
        When it is anything else, or farther away than once around the Earth.
    """
    numbers = keyed_numbers(text)
    far = any(not abs(number) <= FARTHEST for number in numbers.values())
    if far or not {"x", "y"} <= set(numbers) <= {"x", "y", "z"}:
        raise OptionError(f"{text!r} is not where a node stands: write {_FORM}")
    return Node(**numbers)


def node_amid(coords: Floats, crs: CRS | None, frame: CRS | None) -> Node:
    """Place a node at the centre of some data's box in a scene's frame, rounded to a metre.

    Parameters
    ----------
    coords : ndarray of float64, shape (K, 3)
        In `crs`; missing heights are NaN.
    crs, frame : pyproj.CRS or None
        CRS of `coords`, and the scene's frame.
    """
    moved = transform(coords, crs, frame)
    moved = moved[np.isfinite(moved[:, :2]).all(axis=1)]
    if not len(moved):
        raise GeoreferenceError("no coordinate has a place in the scene: pass --node x=..,y=..,z=..")
    z = moved[np.isfinite(moved[:, 2]), 2] if np.isfinite(moved[:, 2]).any() else np.zeros(1)
    low, high = np.append(moved[:, :2].min(axis=0), z.min()), np.append(moved[:, :2].max(axis=0), z.max())
    return Node(*(np.rint((low + high) / 2) + 0.0).tolist())


def at_node(frame: CRS | None, node: Node) -> CRS:
    """Give the frame of what is relative to a node of a scene.

    Parameters
    ----------
    frame : pyproj.CRS
        The scene's frame. If it is the frame of another node, the scene that this one stands in counts.
    node : Node
        Where the node stands in the scene.

    Raises
    ------
    GeoreferenceError
        When the scene has no place on Earth: there is no CRS that could keep the node.
    """
    if place_of(frame) is None or frame is None:
        raise GeoreferenceError(
            "a scene without a place on Earth cannot keep a node's place: pass --crs and --origin, or leave "
            "out --node"
        )
    scene = scene_of(frame)
    return scene if node == Node() else _moved(scene, node, str(node))


def scene_of(frame: CRS) -> CRS:
    """Give the frame of the scene that a node stands in; a frame without a node is its own scene."""
    node = node_of(frame)
    return frame if node is None else _moved(frame, node.inverse(), "")


def without_height(frame: CRS | None) -> CRS | None:
    """Give the CRS with a frame's own x and y for files, with heights from the base's zero, not the origin.

    Other programs take another datum shift, or none, for heights that are counted from an origin. Those of a
    scaled node stay as they are, because heights and plane must have one scale.
    """
    low, _, unit = lowered(frame)
    node = node_of(frame)
    if frame is None or same(low, frame) or unit != 1.0:
        return frame
    return low if node is None else at_node(lowered(scene_of(frame))[0], node._replace(z=0.0))


def node_of(frame: CRS | None) -> Node | None:
    """Tell where the node stands that a frame is relative to; None = the frame is a scene's own."""
    found = _MARK.search(unbound(horizontal(frame)).remarks or "") if frame is not None else None
    if found is None:
        return None
    return Node(**{name: float(value) for name, _, value in (p.partition("=") for p in found[1].split(","))})


def _plain(value: float) -> str:
    """Write a number in full, but whole ones without a point."""
    text = repr(value + 0.0)
    return text[:-2] if text.endswith(".0") else text


def _turn(degrees: float) -> float:
    """Give an angle between -180 and 180 degrees."""
    return (degrees + 180.0) % 360.0 - 180.0 if not -180.0 < degrees <= 180.0 else degrees


def _moved(frame: CRS, node: Node, said: str) -> CRS:
    """Put a node's transform on top of a frame, and what is `said` of it in the frame's remarks."""
    whole = horizontal(frame)
    flat = unbound(whole)
    if type_of(flat) == "DerivedGeodeticCRS":
        return _in_space(flat, node, said)
    if type_of(flat) != "DerivedProjectedCRS":
        whole = laid_over(whole, (0.0, 0.0))
        flat = unbound(whole)
    made = _remarked(_affine_moved(as_json(flat), node), said)
    if type_of(whole) == "BoundCRS":
        made = {**as_json(whole), "source_crs": made}
    heights, h, unit = heights_of(vertical(frame))
    h, unit = round(h + unit * node.z, 9), round(unit * node.scale, 12)
    return raised(from_json(made), heights, h, unit)


def _affine_moved(made: Json, node: Node) -> Json:
    """Continue the affine transformation of a map frame: local = turn' @ (A @ base + shift - place)."""
    parameters = {parameter["id"]["code"]: parameter for parameter in made["conversion"]["parameters"]}
    try:
        rows = np.array(
            [[parameters[first + i]["value"] for i in range(3)] for first in (8623, 8639)], np.float64
        )
    except KeyError as error:
        raise GeoreferenceError(f"the frame {made['name']!r} lacks parameter {error}") from error
    rows[:, 0] -= (node.x, node.y)
    turned = np.linalg.solve(node.plane(), rows) + 0.0
    for first, row in zip((8623, 8639), turned.tolist()):
        for i, value in enumerate(row):
            parameters[first + i]["value"] = value
    return made


def _in_space(flat: CRS, node: Node, said: str) -> CRS:
    """Continue the method of a topocentric frame by an affine step, or take such a step away again.

    The numbers of the scene's origin stay, although PROJ reads only the steps.
    """
    made = _remarked(as_json(flat), said)
    method = made["conversion"]["method"]["name"]
    steps = method[len(_OWN) :] if method.startswith(_OWN) else _touching(flat, made)
    if said:
        made["conversion"]["method"] = {"name": f"{_OWN}{steps} +step {_affine_step(node)}"}
    elif "+proj=cart +a=" in steps:  # as `_touching` writes it
        made["conversion"]["method"] = {"name": _TOPOCENTRIC, "id": {"authority": "EPSG", "code": 9837}}
    else:
        made["conversion"]["method"] = {"name": _OWN + steps.rpartition(" +step ")[0]}
    return from_json(made)


def _touching(flat: CRS, made: Json) -> str:
    """Write "geographic/topocentric conversions" (EPSG:9837) as PROJ's steps."""
    values = {parameter["id"]["code"]: parameter["value"] for parameter in made["conversion"]["parameters"]}
    ellipsoid = flat.ellipsoid
    if ellipsoid is None or not {8834, 8835, 8836} <= set(values):
        raise GeoreferenceError(f"the frame {flat.name!r} is not known well enough to put a node into it")
    size = f"+a={ellipsoid.semi_major_metre!r} +rf={ellipsoid.inverse_flattening!r}"
    place = f"+lat_0={values[8834]!r} +lon_0={values[8835]!r} +h_0={values[8836]!r}"
    return f"+proj=pipeline +step +proj=cart {size} +step +proj=topocentric {size} {place}"


def _affine_step(node: Node) -> str:
    back = node.inverse()
    (s11, s12), (s21, s22) = back.plane().tolist()
    return (
        f"+proj=affine +xoff={back.x!r} +yoff={back.y!r} +zoff={back.z!r} "
        f"+s11={s11!r} +s12={s12!r} +s21={s21!r} +s22={s22!r} +s33={back.scale!r}"
    )


def _remarked(made: Json, said: str) -> Json:
    kept = _MARK.sub("", made.get("remarks", ""))
    made["remarks"] = "; ".join(filter(None, (kept, f"node {said}" if said else "")))
    if not made["remarks"]:
        del made["remarks"]
    return made
