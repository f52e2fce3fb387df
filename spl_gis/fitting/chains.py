"""Polylines as the smooth fits see them: split at corners, near their own origin, heights scaled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .allowance import allowance
from .corners import Joints, corners, joints, turns
from .curves import FitOptions

STRAIGHT = 0.1
"""A chain that nowhere leaves its chord by more than this part of the tolerance is straight."""

SAME = 1e-12
"""Unit vectors that differ by less are equal but for rounding."""


class Chains(NamedTuple):
    """Runs of vertices that a smooth curve goes through; vertices at corners are there once for each side.

    Attributes
    ----------
    vertex : ndarray of int, shape (n,)
        Rows of the vertices in the coordinates that were split.
    offsets : ndarray of int, shape (C + 1,)
        Chain ``i`` has the vertices ``offsets[i]`` to ``offsets[i + 1] - 1``.
    points : ndarray, shape (D, n)
        Vertices seen from the first one of their polyline, heights scaled to the tolerance; D is 2 when
        all is flat.
    directions : ndarray, shape (D, n)
        Unit direction of travel at each vertex: of its only edge at a chain's end, else of the circle
        through it and its neighbours.
    free : ndarray of bool, shape (n,)
        Ends of chains where the curve may take any direction. The seam of a ring is not free.
    ring : ndarray of bool, shape (C,)
        Chains that are a whole ring with a smooth seam.
    allowance : ndarray, shape (n,)
        How much further the curve may leave the edge that starts at each vertex.
    straight : ndarray of bool, shape (C,)
        Chains that are one straight segment.
    polyline : ndarray of int, shape (C,)
        The polyline that each chain is a part of.
    origin : ndarray, shape (C, 3)
        Where the points are seen from.
    """

    vertex: Ints
    offsets: Ints
    points: Floats
    directions: Floats
    free: Bools
    ring: Bools
    allowance: Floats
    straight: Bools
    polyline: Ints
    origin: Floats


def ranges(first: Ints, counts: Ints) -> Ints:
    """Give ``first[i], first[i] + 1, ...``, `counts[i]` of them, for all ``i`` in one array."""
    shift = first - (np.cumsum(counts) - counts)
    return np.asarray(np.arange(counts.sum()) + np.repeat(shift, counts))


def split(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions) -> Chains:
    """Split polylines at their corners; the arguments are those of `spl_gis.fitting.fit`."""
    joint = joints(coords, offsets, closed)
    sharp = (
        corners(coords, offsets, closed)
        if options.corner is None
        else joint.inner & (turns(joint) > np.radians(options.corner))
    )
    first, last = offsets[:-1], offsets[1:] - 1
    cut = sharp.copy()
    cut[first] = cut[last] = False
    starts, ends = np.sort(np.r_[first, np.flatnonzero(cut)]), np.sort(np.r_[last, np.flatnonzero(cut)])
    counts = ends - starts + 1
    chain_offsets = np.r_[0, np.cumsum(counts)]
    vertex = ranges(starts, counts)
    seam = np.zeros(len(coords), bool)
    seam[first] = seam[last] = closed & ~sharp[first]
    ends_of = np.zeros(len(coords), bool)
    ends_of[starts] = ends_of[ends] = True
    free = (ends_of & ~seam)[vertex]
    ring = seam[starts] & seam[ends]
    points = _metric(coords, offsets, options)
    directions = _directions(points, joint)[:, vertex]
    points = points[:, vertex]
    polyline = np.searchsorted(first, starts, side="right") - 1
    _point_ends(directions, points, chain_offsets, free)
    return Chains(
        vertex,
        chain_offsets,
        points,
        directions,
        free,
        ring,
        allowance(coords[vertex], chain_offsets, ring, options.bulge),
        _straight(points, directions, chain_offsets, free, STRAIGHT * options.tolerance),
        polyline,
        coords[first[polyline]],
    )


def _metric(coords: Floats, offsets: Ints, options: FitOptions) -> Floats:
    """Give vertices, shape (D, K), as seen from the first one of their polyline, heights scaled."""
    seen = coords - np.repeat(coords[offsets[:-1]], np.diff(offsets), axis=0)
    dimension = 3 if seen[:, 2].any() else 2
    points = np.ascontiguousarray(seen.T[:dimension])
    points[2:] *= options.z_scale
    return points


def length(vectors: Floats) -> Floats:
    """Give Euclidean lengths along axis 0."""
    return np.asarray(np.sqrt((vectors * vectors).sum(axis=0)))


def _directions(points: Floats, joint: Joints) -> Floats:
    """Give unit directions: of the circle through a vertex and its neighbours, or of the only edge."""
    vector = np.diff(points, axis=1)
    size = length(vector)
    before, after = joint.before, joint.after
    one, two = vector[:, before] / size[before], vector[:, after] / size[after]
    mean = one * size[after] + two * size[before]
    size = length(mean)
    back = size <= 1e-9 * np.maximum(length(vector[:, before]), length(vector[:, after]))
    return np.where(back, two, mean / np.where(back, 1.0, size))


def _point_ends(directions: Floats, points: Floats, offsets: Ints, free: Bools) -> None:
    """Let the directions at free ends of chains be those of their edges, in place."""
    first, last = offsets[:-1], offsets[1:] - 1
    first, last = first[free[first]], last[free[last]]
    for at, start in ((first, first), (last, last - 1)):
        vector = points[:, start + 1] - points[:, start]
        directions[:, at] = vector / length(vector)


def _straight(points: Floats, directions: Floats, offsets: Ints, free: Bools, most: float) -> Bools:
    """Say which chains keep within `most` of their chord, never go back on it, and may have its direction."""
    first, last = offsets[:-1], offsets[1:] - 1
    counts = np.diff(offsets)
    chord = points[:, last] - points[:, first]
    size = length(chord)
    unit = chord / np.maximum(size, 1e-300)
    each = np.repeat(unit, counts, axis=1)
    seen = points - np.repeat(points[:, first], counts, axis=1)
    along = (seen * each).sum(axis=0)
    away = np.maximum.reduceat(length(seen - along * each), first)
    step = np.diff(along, append=np.inf)
    step[last] = np.inf
    forward = (size > 0) & (np.minimum.reduceat(step, first) >= 0)
    agrees = [free[at] | (length(directions[:, at] - unit) < SAME) for at in (first, last)]
    return np.asarray(forward & (away <= most) & agrees[0] & agrees[1])
