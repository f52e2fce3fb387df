"""What several checks need to know about a graph, computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import bezier, topology
from ..model import Bools, Floats, Ints, SplineGraph, control_points
from ..topology.places import components, near_pairs, ordered_places
from .limits import Limits


@dataclass(frozen=True)
class Measured:
    """A graph in numbers.

    Attributes
    ----------
    controls : ndarray, shape (M, 4, 3)
        Control points [m].
    length : ndarray, shape (M,)
        Arc lengths [m].
    handle : ndarray, shape (M, 2)
        Lengths of the handles [m].
    leaving : ndarray, shape (M, 2, 3)
        Unit directions in which the curve leaves its two ends; zero when it goes nowhere.
    degree : ndarray of int, shape (N,)
        Segment ends at each point.
    void : ndarray of bool, shape (M,)
        Segments without length, of which nothing else can be said.
    group : ndarray of int, shape (N,)
        The lowest point among those that are used and in the same place as each.
    """

    controls: Floats
    length: Floats
    handle: Floats
    leaving: Floats
    degree: Ints
    void: Bools
    group: Ints


def measure(graph: SplineGraph, limits: Limits) -> Measured:
    """Measure a graph."""
    controls = control_points(graph)
    length = bezier.length(controls)
    handle = np.linalg.norm(graph.tangents, axis=2)
    degree = topology.degrees(graph.ends, len(graph.points))
    group = in_one_place(graph.points, degree > 0, limits.coincident)
    void = length <= limits.coincident
    return Measured(controls, length, handle, _leaving(controls, limits), degree, void, group)


def in_one_place(points: Floats, used: Bools, distance: float) -> Ints:
    """Give each point the lowest used point that is in the same place, shape (N,)."""
    rows = np.flatnonzero(used)
    place = ordered_places(points[rows])  # first, because n equal points are n * n / 2 near pairs
    first = rows[np.unique(place, return_index=True)[1]]
    pairs = first[near_pairs(points[first], distance, distance)].reshape(-1, 2)
    gap = points[pairs[:, 0]] - points[pairs[:, 1]]
    near = components(pairs[(gap * gap).sum(axis=1) <= distance**2], len(points))
    group = np.arange(len(points))
    group[rows] = near[first[place]]
    return group


def _leaving(controls: Floats, limits: Limits) -> Floats:
    """Give the direction to the first control point that lies apart from each end."""
    both = np.stack([controls, controls[:, ::-1]], axis=1)
    ways = both[:, :, 1:] - both[:, :, :1]
    size = np.linalg.norm(ways, axis=3)
    first = (size > limits.coincident).argmax(axis=2)[..., None]
    way = np.take_along_axis(ways, first[..., None], axis=2)[:, :, 0]
    length = np.take_along_axis(size, first, axis=2)
    leaving: Floats = np.divide(way, length, out=np.zeros_like(way), where=length > limits.coincident)
    return leaving


def angle(a: Floats, b: Floats) -> Floats:
    """Give the angles between vectors (..., 3) in degrees, exact for small ones too."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    along = (a * b).sum(axis=-1)
    degrees: Floats = np.degrees(np.arctan2(across, along))
    return degrees


def pairs_of_halves(ends: Ints, degree: Ints) -> Ints:
    """Give the two halves (segment * 2 + end) that meet at each point of two segments, shape (Q, 2)."""
    leaves = ends.ravel()
    order = np.argsort(leaves, kind="stable")
    first = (np.cumsum(degree) - degree)[degree == 2]
    pairs = np.stack([order[first], order[first + 1]], axis=1)
    different: Ints = pairs[pairs[:, 0] // 2 != pairs[:, 1] // 2]
    return different
