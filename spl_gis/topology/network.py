"""Lines to a network: which vertices are one place, and where lines are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import OptionError
from ..model import Floats, Ints
from .crossings import Crossings, Hits, crossings, ends_on_edges, joints
from .edges import Edges, edges_of
from .levels import Levels
from .places import ordered_places
from .weld import cluster

CROSSINGS = ("none", "split")
"""What can be done where lines cross without a shared vertex."""


@dataclass(frozen=True)
class NetworkOptions:
    """How lines become a network; all lengths in metres of the scene.

    Attributes
    ----------
    weld : float, optional
        Vertices within this distance in plan become one point; 0 = equal ones only. None = not even those:
        each line stays on its own, and nothing below is done.
    weld_z : float
        The same in height: what is further apart stays two points.
    snap_ends : bool
        Whether a line's end within the weld distance of the inside of another line's edge joins it there.
    crossings : str
        ``split`` joins lines of one level where they cross without a shared vertex; ``none`` leaves them.
    level : str, optional
        Column with the level of each feature as a number. Default: OpenStreetMap's columns, if there are any.
    through : bool
        Whether of the roads that meet, those that belong together go smoothly through (`topology.link`).
    merge : bool
        Whether lines that meet end to end, and nothing else there, are one road if their attributes agree.
    merge_by : sequence of str, optional
        The columns that must agree. Default: all.
    drop_duplicates : bool
        Whether a line with the same vertices as one before it, in either direction, is left out.
    min_component : float
        Parts of the network with a shorter total length are left out.
    min_dangle : float
        Shorter dead ends are left out.
    """

    weld: float | None = 0.01
    weld_z: float = 2.0
    snap_ends: bool = True
    crossings: str = "none"
    level: str | None = None
    through: bool = True
    merge: bool = False
    merge_by: Sequence[str] | None = None
    drop_duplicates: bool = False
    min_component: float = 0.0
    min_dangle: float = 0.0

    def __post_init__(self) -> None:
        for name in ("weld", "weld_z", "min_component", "min_dangle"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < np.inf:
                raise OptionError(f"{name} must be a length of 0 m or more, not {value}")
        if self.crossings not in CROSSINGS:
            raise OptionError(f"crossings can be {' or '.join(CROSSINGS)}, not {self.crossings!r}")
        needs = self.crossings == "split" or self.drop_duplicates or self.min_component or self.min_dangle
        if self.weld is None and needs:
            raise OptionError("without a weld there is no network: nothing can be split or left out")
        if self.merge and self.weld is None:
            raise OptionError("without a weld no lines meet: nothing can be merged")
        if self.merge_by is not None and not self.merge:
            raise OptionError("columns to merge by do nothing unless lines are merged")


class Network(NamedTuple):
    """Lines through welded places.

    Attributes
    ----------
    points : ndarray, shape (P, 3)
        Coordinates of the places; not all are used.
    place : ndarray of int, shape (K,)
        Place of each vertex; neighbours in a line differ.
    offsets : ndarray of int, shape (L + 1,)
        Line ``i`` has the vertices ``place[offsets[i]:offsets[i + 1]]``.
    """

    points: Floats
    place: Ints
    offsets: Ints


class Joined(NamedTuple):
    """A network, and what was done to make it.

    Attributes
    ----------
    network : Network
        The lines, in their order.
    welded : int
        Vertices that were moved to another place.
    snapped : int
        Ends that were joined to the inside of an edge.
    crossings : Crossings
        All crossings without a shared vertex.
    crossing_lines : ndarray of int, shape (X, 2)
        The lines that cross.
    """

    network: Network
    welded: int
    snapped: int
    crossings: Crossings
    crossing_lines: Ints


def join(coords: Floats, offsets: Ints, levels: Levels, options: NetworkOptions) -> Joined:
    """Weld vertices, join ends to the inside of edges, and find, or split, crossings.

    The result does not depend on the order or the direction of lines, but for their own order and direction.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices in metres; neighbours in a line differ.
    offsets : ndarray of int, shape (L + 1,)
        Where each line's vertices begin and end.
    levels : Levels
        Level of each line.
    options : NetworkOptions
        What is to be done; its `weld` is not None.
    """
    place = ordered_places(coords)
    points = np.zeros((place.max(initial=-1) + 1, 3))
    points[place] = coords + 0.0
    network, welded = _welded(Network(points, place, offsets), levels, options)
    snapped = 0
    if options.snap_ends:
        network, snapped = _snapped(network, levels, options)
    edges = edges_of(network.place, network.offsets)
    level, structure = levels.level[edges.line], levels.structure[edges.line]
    found = crossings(network.points, edges, level, structure, options.weld_z)
    if options.crossings == "split":
        points, hits = joints(network.points, edges, found, options.weld or 0.0, options.weld_z)
        network = _through(network._replace(points=points), edges, hits)
        network, _ = _welded(_compact(network), levels, options)
    return Joined(network, welded, snapped, found, edges.line[found.edges])


def _welded(network: Network, levels: Levels, options: NetworkOptions) -> tuple[Network, int]:
    ends = edges_of(network.place, network.offsets).ends
    spans = _place_levels(network, levels)
    target = cluster(network.points, ends, options.weld or 0.0, options.weld_z, spans)
    moved = int((target != np.arange(len(target)))[network.place].sum())
    return network._replace(place=target[network.place]), moved


def _compact(network: Network) -> Network:
    """Leave out places that no vertex has, and number the others as `ordered_places` does."""
    used = np.flatnonzero(np.bincount(network.place, minlength=len(network.points)))
    order = used[np.lexsort(network.points[used].T)]
    rank = np.empty(len(network.points), np.int64)
    rank[order] = np.arange(len(order))
    return network._replace(points=network.points[order], place=rank[network.place])


def _snapped(network: Network, levels: Levels, options: NetworkOptions) -> tuple[Network, int]:
    edges = edges_of(network.place, network.offsets)
    tips = np.unique(network.place[np.concatenate([network.offsets[:-1], network.offsets[1:] - 1])])
    hits = ends_on_edges(
        network.points,
        edges,
        tips,
        place_levels=_place_levels(network, levels),
        edge_level=levels.level[edges.line],
        distance=options.weld or 0.0,
        z_distance=options.weld_z,
    )
    return _through(network, edges, hits), len(np.unique(hits.place))


def _place_levels(network: Network, levels: Levels) -> Floats:
    """Give the lowest and the highest level of the lines at each place."""
    level = np.repeat(levels.level, np.diff(network.offsets))
    spans = np.tile([np.inf, -np.inf], (len(network.points), 1))
    np.minimum.at(spans[:, 0], network.place, level)
    np.maximum.at(spans[:, 1], network.place, level)
    return spans


def _through(network: Network, edges: Edges, hits: Hits) -> Network:
    """Lead edges through the places on their inside."""
    edge, place, share = hits
    order = np.lexsort((share, place, edge))
    same = np.zeros(len(order), bool)
    same[1:] = (edge[order][1:] == edge[order][:-1]) & (place[order][1:] == place[order][:-1])
    kept = order[~same]
    kept = kept[np.lexsort((place[kept], share[kept], edge[kept]))]
    rank = np.arange(len(kept))
    kept = kept[np.lexsort((np.where(edges.backward[edge[kept]], -rank, rank), edge[kept]))]
    at = edges.vertex[edge[kept]] + 1
    return network._replace(
        place=np.insert(network.place, at, place[kept]),
        offsets=network.offsets + np.searchsorted(at, network.offsets),
    )
