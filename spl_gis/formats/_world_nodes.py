"""The nodes of a UNIGINE world: what they are called, how they nest, what they say, and where they stand."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element  # nosec B405  # the type; _xml reads

import numpy as np

from ..errors import FormatError, GeoreferenceError
from ..frames import FARTHEST, Node
from ..model import Floats

ROUNDING = 2e-6
"""How far float32 takes entries of a matrix off after some edits; in a world of 2.7 it is 8e-7."""

_LARGEST = 1e6
"""Largest scale of a node; its inverse is the smallest."""

_GUID = re.compile(r"[0-9a-f]{40}")


class WorldNode(NamedTuple):
    """A node of a world.

    Attributes
    ----------
    type, name, id : str
        As the file has them.
    element : Element
        What it says.
    parent : WorldNode or None
        The node that it is a child of.
    """

    type: str
    name: str
    id: str
    element: Element
    parent: WorldNode | None

    def own(self) -> Iterator[Element]:
        """Give what is inside the node, but not inside its children."""
        waiting = list(self.element)[::-1]
        while waiting:
            element = waiting.pop()
            if element.tag != "node":
                yield element
                waiting.extend(list(element)[::-1])

    def variable(self, name: str) -> str | None:
        """Give the value of a variable: an element of that name, or one whose ``name`` is that."""
        for element in self.own():
            if element.tag == name or element.get("name") == name:
                value = element.get("value", element.text)
                return (value or "").strip()
        return None

    def mentions(self, guids: set[str]) -> bool:
        """Tell whether the node refers to a file by one of its guids."""
        texts = (text for element in self.own() for text in (element.text or "", *element.attrib.values()))
        return any(guid in guids for text in texts for guid in _GUID.findall(text.lower()))

    def line(self) -> Iterator[WorldNode]:
        """Give the node, its parent, and so on to the top."""
        node: WorldNode | None = self
        while node is not None:
            yield node
            node = node.parent


def nodes_of(root: Element) -> list[WorldNode]:
    """Give all nodes of a world, in the order of the file; disabled ones too."""
    found: list[WorldNode] = []
    waiting: list[tuple[Element, WorldNode | None]] = [(root, None)]
    while waiting:
        element, parent = waiting.pop()
        if element.tag == "node":
            kind, name, number = (element.get(key, "") for key in ("type", "name", "id"))
            parent = WorldNode(kind, name, number, element, parent)
            found.append(parent)
        waiting.extend((child, parent) for child in list(element)[::-1])
    return found


def guids_of(meta: Element, path: Path) -> set[str]:
    """Give the guids by which worlds refer to an asset, from its `.meta`.

    Raises
    ------
    FormatError
        When there is none.
    """
    texts = [meta.findtext("guid") or "", *(runtime.get("id", "") for runtime in meta.iter("runtime"))]
    guids = {guid for text in texts for guid in _GUID.findall(text.lower())}
    if not guids:
        raise FormatError("no <guid> of 40 hexadecimal digits", path=path)
    return guids


def place_of_node(node: WorldNode, path: Path) -> Node:
    """Give where a node stands in the world, through all the nodes that it is a child of.

    Raises
    ------
    FormatError
        When a transform is not sixteen finite numbers.
    GeoreferenceError
        When a transform does more than move, turn about z, and scale alike in all directions.
    """
    place = Node()
    for one in list(node.line())[::-1]:
        place = place.then(_own_place(one, path))
    if not (np.abs(place[:3]) <= FARTHEST).all() or not 1 / _LARGEST <= place.scale <= _LARGEST:
        raise FormatError(
            f"node {node.name!r} stands at {place}, which is no place in a scene in metres", path=path
        )
    return place


def numbers(text: str, count: int, what: str, path: Path) -> list[float]:
    """Read finite numbers between blanks or commas."""
    try:
        values = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise FormatError(f"{what} should be {count} numbers, it is {text[:60]!r}", path=path)
    return values


def _own_place(node: WorldNode, path: Path) -> Node:
    """Give a node's place relative to its parent: <transform> holds a 4 x 4 matrix by columns."""
    text = node.element.findtext("transform")
    if text is None:
        return Node()
    matrix = np.reshape(numbers(text, 16, f"the transform of node {node.name!r}", path), (4, 4)).T
    x, y, z = matrix[:3, 3].tolist()
    turn, scale = _turn_and_scale(matrix, node.name, path)
    return Node(x, y, z, turn, scale)


def _turn_and_scale(matrix: Floats, name: str, path: Path) -> tuple[float, float]:
    """Give degrees anticlockwise about z, and the scale, and refuse every other matrix."""
    inner = matrix[:3, :3]
    with np.errstate(all="ignore"):
        turn = math.atan2(inner[1, 0] - inner[0, 1], inner[0, 0] + inner[1, 1])
        scale = float(np.hypot(*inner[:2, 0]) + np.hypot(*inner[:2, 1]) + inner[2, 2]) / 3.0
        expected = np.array(
            [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]
        )
        off = float(np.abs(inner - scale * expected).max())
    exact_row = (matrix[3] == (0.0, 0.0, 0.0, 1.0)).all()
    if not (0.0 < scale < math.inf and off <= ROUNDING * scale and exact_row):
        raise GeoreferenceError(
            f"{path}: the transform of node {name!r} does more than move, turn about z and scale alike in "
            "all directions: make its tilt zero and its scale uniform in the editor"
        )
    return math.degrees(turn), 1.0 if abs(scale - 1.0) <= ROUNDING else scale
