"""UNIGINE worlds (`.world`): where on Earth a scene is, and where in it the node of a `.spl` stands.

docs/world.md says what of this format is published, and what is assumed.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from pyproj import CRS

from .. import frames
from ..errors import FormatError, GeoreferenceError
from ..frames import Node
from ..report import Report
from ._world_nodes import WorldNode, guids_of, nodes_of, place_of_node
from ._world_place import scene_of_world
from ._xml import read_xml

SUFFIX = ".world"


class _Use(NamedTuple):
    """Which nodes show a `.spl`, and why these."""

    nodes: list[WorldNode]
    why: str


def read(
    path: Path,
    *,
    graph: Path | None = None,
    node_name: str | None = None,
    reading: bool = True,
    report: Report | None = None,
) -> CRS:
    """Read the frame of a world, or of what is relative to one of its nodes.

    Parameters
    ----------
    path : Path
        The `.world` file.
    graph : Path, optional
        The `.spl` whose node is sought, by the guid that `NAME.spl.meta` beside it gives. None = the frame
        of the world itself.
    node_name : str, optional
        Name of the node, instead.
    reading : bool
        Whether the `.spl` is there already; then it is a warning when no node shows it.
    report : Report, optional
        Told which node was taken.

    Raises
    ------
    FileAccessError
        When the file cannot be read.
    FormatError
        When it is not a world, or holds what should be numbers and is not.
    GeoreferenceError
        When it does not say where on Earth it is, or in a way whose formula is not published; when it is not
        clear which node is meant; when its transform does more than move, turn about z and scale.
    """
    report = Report() if report is None else report
    nodes = _nodes(path)
    scene, above = scene_of_world(nodes, path)
    if graph is None and node_name is None:
        return frames.at_node(scene, above)
    use = _use_of(nodes, graph, node_name, path)
    if not use.nodes:
        _tell_unused(use.why, path, reading, report)
        return frames.at_node(scene, above)
    return frames.at_node(scene, above.then(_place_of(use, path, report)))


def graph_nodes(path: Path) -> list[tuple[str, str]]:
    """List the spline graphs of a world: what to call each, and what `read` takes for its ``node_name``.

    Raises
    ------
    FileAccessError, FormatError
        As `read` does.
    """
    found = [node for node in _nodes(path) if node.type == "WorldSplineGraph"]
    names = Counter(node.name for node in found)
    return [
        (node.name, node.name) if names[node.name] == 1 else (f"{node.name} (id {node.id})", node.id)
        for node in found
    ]


def _nodes(path: Path) -> list[WorldNode]:
    root = read_xml(path)
    if root.tag != "world":
        raise FormatError(f"not a UNIGINE world: it begins with <{root.tag}>", path=path)
    return nodes_of(root)


def _place_of(use: _Use, path: Path, report: Report) -> Node:
    """Give the one place in the world where the nodes stand, and say which node it is."""
    places = {place_of_node(node, path): node for node in use.nodes}
    if len(places) > 1:
        named = ", ".join(f"{node.name!r} (id {node.id})" for node in places.values())
        raise GeoreferenceError(
            f"{path}: {len(places)} nodes {use.why}: {named}; choose one with --node-name"
        )
    (place, node), *_ = places.items()
    report.note(f"{path.name}: the points are relative to node {node.name!r}")
    if place.scale != 1.0:
        report.note(
            f"the node is scaled by {place.scale:g}: tolerances and lengths are in its own units, of "
            f"{place.scale:g} m"
        )
    return place


def _use_of(nodes: list[WorldNode], graph: Path | None, name: str | None, path: Path) -> _Use:
    """Find the nodes that show a `.spl`, or that have a name (or id)."""
    if name is not None:
        found = [node for node in nodes if name in (node.name, node.id)]
        if not found:
            known = [repr(node.name) for node in nodes if node.type == "WorldSplineGraph"]
            raise GeoreferenceError(
                f"{path} has no node named {name!r}"
                + (f": its spline graphs are {', '.join(known[:10])}" if known else "")
            )
        shown = [node for node in found if node.type == "WorldSplineGraph"]
        return _Use(shown or found, f"are named {name!r}")
    assert graph is not None  # nosec B101  # for mypy
    meta = graph.with_name(graph.name + ".meta")
    if not meta.exists():
        return _Use([], f"there is no {meta.name} to tell its guid")
    keys = guids_of(read_xml(meta), meta)
    some = [node for node in nodes if node.type == "WorldSplineGraph" and node.mentions(keys)]
    return _Use(some, f"show {graph.name}" if some else f"no node shows {graph.name}")


def _tell_unused(why: str, path: Path, reading: bool, report: Report) -> None:
    if reading:
        report.warn(
            f"{path.name}: {why}; its points are taken as the world's own coordinates: if they are relative "
            "to a node, pass --node-name, or --node x=..,y=..,z=.."
        )
    else:
        report.note(
            f"{path.name}: {why}; the points are in the world's own coordinates: put the new node at 0, 0, 0 "
            "without rotation and scale"
        )
