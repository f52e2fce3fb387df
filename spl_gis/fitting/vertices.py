"""One segment for each edge, smooth through the vertices."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints
from .corners import Joints, area, dot, equal, joints, sharp, size, turns, unit, with_handles
from .curves import Curves, FitOptions, one_for_each_edge

STEEPEST = np.radians(60.0)
"""Greatest angle between a segment's end direction and its edge."""
STRAIGHT = 1e-11
"""A turn of less than this, in radians, is rounding: both sides follow their own edge."""
OFFSET = 0.5
"""How far a handle may reach sideways, as a part of the shorter of the two edges at its vertex."""


def fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Curves:
    """Make one segment of each edge; neighbours share their direction at each vertex that is no corner.

    - Direction at a smooth vertex: the unit edge vectors, each weighted by the length of the *other* edge.
      That is the tangent of the circle through the three vertices. It stays within 60 degrees of both edges.
    - Corners (`spl_gis.fitting.corners`): each side's handle runs along its own edge.
    - Free ends: the direction at the other end of the edge, mirrored at the edge, so that the edge becomes an
      arc: a bend goes on to its end instead of straightening there. When the other end is a corner or free
      too, the edge is straight.
    - Handles: those of the arc that leaves its chord of length ``l`` at the angle ``a``,
      ``l / (3 * cos(a / 2)**2)``, so that vertices on a circle give that circle. A handle reaches at most
      half the shorter edge at its vertex sideways: beside a very short edge a long one may leave at a wide
      angle, and would bulge by a part of its own length.

    Since ``cos(a) <= cos(a / 2)**2``, no handle passes the third of its edge that it starts in, and since
    ``a`` is at most 60 degrees, none points backwards: the curve runs monotonically along its edge, without
    loops or cusps. An edge whose ends have very different angles may still bend both ways. A straight edge
    has its control points on its thirds.

    Parameters
    ----------
    coords, offsets, closed, options, stops
        As in `spl_gis.fitting.fit`; no option has an effect.

    Returns
    -------
    Curves
        One segment for each edge, in order; the vertices are its joints, bit for bit.
    """
    joint = joints(coords, offsets, closed)
    first = np.flatnonzero(joint.edge)
    side = np.stack([first, first + 1], axis=1)
    vector, length = joint.vector[first][:, None], joint.length[first][:, None]
    edge = vector / length[..., None]
    turn = turns(joint)
    bend = joint.inner & ~sharp(joint, turn) & (turn > STRAIGHT)
    direction = np.where(bend[side][..., None], _directions(joint, turn, bend)[side], edge)
    limit = OFFSET * np.minimum(joint.length[joint.before], joint.length[joint.after])[side]
    free = ~joint.inner[side]
    limit = np.where(free, limit[:, ::-1], limit)
    direction = _bend_ends(direction, edge, length, limit, free)
    handles = direction * _reach(direction, edge, length, limit)[..., None]
    straight = equal(direction, edge).all(axis=1)
    handles[straight] = vector[straight] / 3
    controls = with_handles(coords[side], handles * [[1.0], [-1.0]])
    return one_for_each_edge(controls, offsets, stops)


def _directions(joint: Joints, turn: Floats, bend: Bools) -> Floats:
    """Give the unit direction, shape (K, 3), at the vertices where `bend` holds; zeros elsewhere."""
    before, after, turn = joint.before[bend], joint.after[bend], turn[bend]
    a, b = joint.length[before], joint.length[after]
    # the angle from the edge before; in terms of it, the weights of the two edges are sines
    angle = np.arctan2(a * np.sin(turn), b + a * np.cos(turn))
    angle = np.clip(angle, turn - STEEPEST, STEEPEST)
    weighted = (
        joint.vector[before] * (np.sin(turn - angle) / a)[:, None]
        + joint.vector[after] * (np.sin(angle) / b)[:, None]
    )
    direction = np.zeros((len(bend), 3))
    direction[bend] = unit(weighted)
    return direction


def _bend_ends(direction: Floats, edge: Floats, length: Floats, limit: Floats, free: Bools) -> Floats:
    """Mirror the direction at the other end of the edge where an end is free.

    The mirrored direction is turned back towards the edge as much as the other end's handle is cut, so that
    a very short edge does not swing the far end of the long one beside it.
    """
    other = direction[:, ::-1]
    mirrored = 2 * dot(other, edge)[..., None] * edge - other
    kept = (_reach(direction, edge, length, limit) / _arc(direction, edge, length))[:, ::-1, None]
    bent = unit(edge + kept * (mirrored - edge))
    return np.where((free & ~equal(other, edge))[..., None], bent, direction)


def _reach(direction: Floats, edge: Floats, length: Floats, limit: Floats) -> Floats:
    """Give the lengths of handles, shape (S, 2): as in arcs, but no further sideways than `limit`."""
    arc = _arc(direction, edge, length)
    sideways = arc * area(direction, edge)
    return arc * limit / np.maximum(sideways, limit)


def _arc(direction: Floats, edge: Floats, length: Floats) -> Floats:
    """Give the handle, shape (S, 2), of the arc that leaves its chord (`edge`, `length`) in `direction`."""
    return length / (3 - 0.75 * size(direction - edge) ** 2)  # a chord of 2 sin(a / 2) between unit vectors
