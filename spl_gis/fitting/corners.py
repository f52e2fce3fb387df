"""Where polylines turn: the edges that meet at each vertex, and which vertices stay sharp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints

SMOOTH_TURN = 25.0
"""A turn up to this many degrees is never a corner."""
SHARP_TURN = 100.0
"""A turn of more than this many degrees is always a corner."""
SMOOTH_BULGE = 1.0
"""Between the two, a vertex is a corner where an arc would leave the shorter edge by more than this, in m."""


class Joints(NamedTuple):
    """The edges of polylines and how they meet; row i of an edge array is the edge from vertex i to i + 1.

    Rows between the last vertex of a polyline and the first of the next are no edges; nothing points at them.

    Attributes
    ----------
    edge : ndarray of bool, shape (K - 1,)
        Which rows are edges.
    vector : ndarray, shape (K - 1, 3)
        Last minus first vertex of each edge, in m.
    length : ndarray, shape (K - 1,)
        Lengths in m.
    inner : ndarray of bool, shape (K,)
        Vertices where two edges meet: all but the ends of polylines that are not closed.
    before, after : ndarray of int, shape (K,)
        The edges that arrive at and leave each vertex; at a free end both are its only edge.
    """

    edge: Bools
    vector: Floats
    length: Floats
    inner: Bools
    before: Ints
    after: Ints


def joints(coords: Floats, offsets: Ints, closed: Bools) -> Joints:
    """Give the edges of polylines and how they meet; the arguments are those of `fit`.

    The first and the last vertex of a closed polyline are the same joint: both have the same two edges.
    """
    first, last = offsets[:-1], offsets[1:] - 1
    edge = np.ones(max(len(coords) - 1, 0), bool)
    edge[last[:-1]] = False
    vector = np.diff(coords, axis=0)
    before, after = np.arange(len(coords)) - 1, np.arange(len(coords))
    before[first] = np.where(closed, last - 1, first)
    after[last] = np.where(closed, first, last - 1)
    inner = np.ones(len(coords), bool)
    inner[first] = inner[last] = closed
    return Joints(edge, vector, size(vector), inner, before, after)


def turns(joint: Joints) -> Floats:
    """Give the angle in radians, 0 to pi, shape (K,), between the edges at each vertex; 0 at free ends."""
    a, b = joint.vector[joint.before], joint.vector[joint.after]
    angle: Floats = np.arctan2(area(a, b), dot(a, b))
    return angle


def corners(coords: Floats, offsets: Ints, closed: Bools) -> Bools:
    """Say which vertices of polylines stay sharp, by how far they turn and how much an arc would bulge.

    A vertex that turns by more than `SHARP_TURN` is a corner, and so is one that turns by more than
    `SMOOTH_TURN` where an arc that turns as much would leave the shorter of its two edges by more than
    `SMOOTH_BULGE`: 45 degrees at vertices 5 m apart is a bend of a mountain road, at 50 m it is a corner.
    An arc over a chord of length ``l`` whose ends turn by ``a`` bulges ``l / 2 * tan(a / 4)``. Turns are
    taken in space.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices of all polylines in metres.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.
    closed : ndarray of bool, shape (C,)
        Polylines whose last vertex equals their first; that vertex may be a corner too, and is then one at
        both ends.

    Returns
    -------
    ndarray of bool, shape (K,)
        True at corners. The ends of polylines that are not closed are none.
    """
    joint = joints(coords, offsets, closed)
    return sharp(joint, turns(joint))


def sharp(joint: Joints, turn: Floats) -> Bools:
    """Say which joints are corners, by their turns (see `corners`)."""
    shorter = np.minimum(joint.length[joint.before], joint.length[joint.after])
    bulge = shorter / 2 * np.tan(turn / 4)
    bulging = (turn > np.radians(SMOOTH_TURN)) & (bulge > SMOOTH_BULGE)
    corner: Bools = joint.inner & (bulging | (turn > np.radians(SHARP_TURN)))
    return corner


def dot(a: Floats, b: Floats) -> Floats:
    """Give the scalar products, shape (...), of vectors, shape (..., 3): some times faster than by `sum`."""
    product: Floats = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return product


def area(a: Floats, b: Floats) -> Floats:
    """Give the lengths, shape (...), of the cross products of vectors, shape (..., 3)."""
    (a0, a1, a2), (b0, b1, b2) = (np.moveaxis(vectors, -1, 0) for vectors in (a, b))
    x, y, z = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    lengths: Floats = np.sqrt(x * x + y * y + z * z)
    return lengths


def size(vectors: Floats) -> Floats:
    """Give the lengths, shape (...), of vectors, shape (..., 3)."""
    lengths: Floats = np.sqrt(dot(vectors, vectors))
    return lengths


def unit(vectors: Floats) -> Floats:
    """Give vectors of length 1 in the directions of those given, none of which may be zero."""
    return vectors / size(vectors)[..., None]


def with_handles(ends: Floats, handles: Floats) -> Floats:
    """Give control points, shape (S, 4, 3), from the ends and handles, shape (S, 2, 3), of each segment.

    Where a handle is so short that adding it to its end changes nothing, it becomes the whole edge: the
    engine takes no zero tangents.
    """
    tips = ends + handles
    lost = np.nonzero(equal(tips, ends))
    tips[lost] = ends[:, ::-1][lost]
    return np.stack([ends[:, 0], tips[:, 0], tips[:, 1], ends[:, 1]], axis=1)


def equal(a: Floats, b: Floats) -> Bools:
    """Say which vectors, shape (..., 3), are the same."""
    same: Bools = (a[..., 0] == b[..., 0]) & (a[..., 1] == b[..., 1]) & (a[..., 2] == b[..., 2])
    return same
