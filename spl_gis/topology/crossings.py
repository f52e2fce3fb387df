"""Where lines meet without a shared vertex: ends on the inside of edges, and crossings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .edges import Edges, meeting_edges, near_edges
from .places import ordered_places
from .weld import cluster, short_ways

JOINED, LEVELS, STRUCTURE, HEIGHTS = range(4)
REASONS = (
    "same level",
    "different levels",
    "a bridge or tunnel without a shared vertex",
    "different heights",
)
"""What is found where two lines cross, by number."""


class Hits(NamedTuple):
    """Places that lie on the inside of edges.

    Attributes
    ----------
    edge, place : ndarray of int, shape (H,)
        Row of the edge, and the place.
    share : ndarray, shape (H,)
        Where on the edge, from 0 at its first place to 1 at its second.
    """

    edge: Ints
    place: Ints
    share: Floats


class Crossings(NamedTuple):
    """Where two edges cross that share no place.

    Attributes
    ----------
    edges : ndarray of int, shape (X, 2)
        Rows of the two edges.
    share : ndarray, shape (X, 2)
        Where on each edge, as in `Hits`.
    spots : ndarray, shape (X, 3)
        Coordinates; the height is the mean of the two.
    reason : ndarray of int, shape (X,)
        Index into `REASONS`: why they do not meet, or that they can.
    """

    edges: Ints
    share: Floats
    spots: Floats
    reason: Ints


def ends_on_edges(
    points: Floats,
    edges: Edges,
    ends: Ints,
    *,
    place_levels: Floats,
    edge_level: Floats,
    distance: float,
    z_distance: float,
) -> Hits:
    """Find line ends that lie on the inside of edges, within a distance.

    Parameters
    ----------
    points : ndarray, shape (P, 3)
        Welded places.
    edges : Edges
        Edges of the lines.
    ends : ndarray of int
        Places at which lines end.
    place_levels : ndarray, shape (P, 2)
        Lowest and highest level of each place; the edge's must lie between.
    edge_level : ndarray, shape (E,)
        Level of each edge.
    distance, z_distance : float
        Greatest distance in plan and in height [m]. A place that is as near to an end of the edge does not
        lie on its inside; nor does one that the edge leads to within twice the distance.
    """
    place, edge = near_edges(points, edges, ends, distance)
    share, gap, rise = _foot(points, edges.ends[edge], place)
    low, high = place_levels[place].T
    level = edge_level[edge]
    near = (gap <= distance) & (np.abs(rise) <= z_distance) & (share > 0) & (share < 1)
    near &= (low <= level) & (level <= high)
    place, edge, share = place[near], edge[near], share[near]
    corners = points[edges.ends[edge], :2]
    away = np.linalg.norm(corners - points[place, None, :2], axis=2).min(axis=1) > distance
    away &= ~_is_led_to(points, edges, Hits(edge, place, share), 2 * distance)
    return Hits(edge[away], place[away], share[away])


def _foot(points: Floats, ends: Ints, place: Ints) -> tuple[Floats, Floats, Floats]:
    """Drop a perpendicular in plan: give where on the edge, how far away, and how much higher the edge is."""
    a, b = points[ends[:, 0]], points[ends[:, 1]]
    along, offset = (b - a)[:, :2], (points[place] - a)[:, :2]
    square = (along**2).sum(axis=1)
    share = np.divide((along * offset).sum(axis=1), square, out=np.zeros(len(a)), where=square > 0)
    foot = a + share[:, None] * (b - a)
    gap = points[place] - foot
    return share, np.hypot(gap[:, 0], gap[:, 1]), -gap[:, 2]


def _is_led_to(points: Floats, edges: Edges, hits: Hits, limit: float) -> Bools:
    """Mark places from which a short way along the lines leads to their foot on an edge."""
    edge, place, share = hits
    ends = edges.ends[edge]
    length = np.linalg.norm(points[ends[:, 1], :2] - points[ends[:, 0], :2], axis=1)
    rest = np.column_stack([share, 1 - share]) * length[:, None]
    led: Bools = (ends == place[:, None]).any(axis=1)
    if len(place):
        ways = short_ways(points, edges.ends, limit, np.unique(place))
        for side in (0, 1):
            led |= ways.between(place, ends[:, side], len(points)) + rest[:, side] <= limit
    return led


def crossings(
    points: Floats, edges: Edges, edge_level: Floats, structure: Bools, z_distance: float
) -> Crossings:
    """Find where edges cross in plan, and whether they can meet there.

    Edges that run over each other have no one place where they cross, and are not found.

    Parameters
    ----------
    points, edges, edge_level
        As in `ends_on_edges`.
    structure : ndarray of bool, shape (E,)
        Whether an edge is on a bridge or in a tunnel.
    z_distance : float
        Greatest difference in height of lines that meet [m].
    """
    pairs = meeting_edges(points, edges)
    first, second = edges.ends[pairs[:, 0]], edges.ends[pairs[:, 1]]
    swap = (first[:, 0] > second[:, 0]) | ((first[:, 0] == second[:, 0]) & (first[:, 1] > second[:, 1]))
    pairs[swap] = pairs[swap, ::-1]  # so that the same two edges always give the same bits
    corner = points[edges.ends[pairs]]
    a, b, c, d = corner[:, 0, 0], corner[:, 0, 1], corner[:, 1, 0], corner[:, 1, 1]
    sides = np.stack([_cross(d - c, a - c), _cross(d - c, b - c), _cross(b - a, c - a), _cross(b - a, d - a)])
    hit = (sides[0] * sides[1] <= 0) & (sides[2] * sides[3] <= 0)
    hit &= (sides[0] != sides[1]) & (sides[2] != sides[3])
    pairs, corner, sides = pairs[hit], corner[hit], sides[:, hit]
    share = np.column_stack([sides[0] / (sides[0] - sides[1]), sides[2] / (sides[2] - sides[3])])
    spots = corner[:, :, 0] + share[:, :, None] * (corner[:, :, 1] - corner[:, :, 0])
    level, on = edge_level[pairs], structure[pairs].any(axis=1)
    high = np.abs(spots[:, 0, 2] - spots[:, 1, 2]) > z_distance
    apart = level[:, 0] != level[:, 1]
    reason = np.select([apart, on, high], [LEVELS, STRUCTURE, HEIGHTS], JOINED)
    middle = np.column_stack([spots[:, 0, :2], spots[:, :, 2].mean(axis=1)])
    return Crossings(pairs, share, middle, reason)


def _cross(u: Floats, v: Floats) -> Floats:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def joints(
    points: Floats, edges: Edges, found: Crossings, distance: float, z_distance: float
) -> tuple[Floats, Hits]:
    """Make places of the crossings that can meet.

    A crossing within the distance of a place of its edges is at that place; crossings within the distance of
    each other are at one.

    Parameters
    ----------
    points, edges
        As in `ends_on_edges`.
    found : Crossings
        Those with a reason other than `JOINED` stay apart.
    distance, z_distance : float
        As in `cluster`.

    Returns
    -------
    points : ndarray
        The places, with new ones after them.
    hits : Hits
        Which edges go through which places now.
    """
    meet = found.reason == JOINED
    pairs, share, spots = found.edges[meet], found.share[meet], found.spots[meet]
    corner = edges.ends[pairs].reshape(-1, 4)
    gap = points[corner] - spots[:, None]
    away = np.hypot(gap[:, :, 0], gap[:, :, 1])
    away[(away > distance) | (np.abs(gap[:, :, 2]) > z_distance)] = np.inf
    nearest = np.argmin(away, axis=1)
    rows = np.arange(len(pairs))
    old = np.isfinite(away[rows, nearest])
    fresh = ordered_places(spots[~old])
    unique = np.zeros((fresh.max(initial=-1) + 1, 3))
    unique[fresh] = spots[~old]
    place = corner[rows, nearest]
    place[~old] = len(points) + cluster(unique, np.zeros((0, 2), np.int64), distance, z_distance)[fresh]
    through = ~old[:, None] | (nearest[:, None] // 2 != [0, 1])
    hits = Hits(pairs[through], np.repeat(place[:, None], 2, axis=1)[through], share[through])
    return np.concatenate([points, unique]), hits
