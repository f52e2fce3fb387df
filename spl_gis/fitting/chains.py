"""Polylines as the smooth fits see them: split at corners and stops, near their origin, heights scaled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .allowance import allowance
from .corners import Joints, corners, joints, turns
from .curves import FitOptions, piece_starts

STRAIGHT = 0.1
"""A chain that nowhere leaves its chord by more than this part of the tolerance is straight."""

SAME = 1e-12
"""Unit vectors that differ by less are equal but for rounding."""


class Chains(NamedTuple):
    """Runs of vertices that a smooth curve goes through; those between two runs are there once for each side.

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
        Ends of chains where the curve may take any direction: not at smooth stops and the seams of rings.
    ring : ndarray of bool, shape (C,)
        Chains that are a whole ring with a smooth seam that may move: it is no stop.
    allowance : ndarray, shape (n,)
        How much further the curve may leave the edge that starts at each vertex.
    straight : ndarray of bool, shape (C,)
        Chains that are one straight segment.
    piece : ndarray of int, shape (C,)
        The piece of a polyline, from stop to stop, that each chain is a part of.
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
    piece: Ints
    origin: Floats


def ranges(first: Ints, counts: Ints) -> Ints:
    """Give ``first[i], first[i] + 1, ...``, `counts[i]` of them, for all ``i`` in one array."""
    shift = first - (np.cumsum(counts) - counts)
    return np.asarray(np.arange(counts.sum()) + np.repeat(shift, counts))


def split(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Chains:
    """Split polylines at their corners and stops; the arguments are those of `spl_gis.fitting.fit`."""
    joint = joints(coords, offsets, closed)
    sharp = (
        corners(coords, offsets, closed)
        if options.corner is None
        else joint.inner & (turns(joint) > np.radians(options.corner))
    )
    first, last = offsets[:-1], offsets[1:] - 1
    starts, ends = _runs(offsets, sharp | stops)
    counts = ends - starts + 1
    chain_offsets = np.r_[0, np.cumsum(counts)]
    vertex = ranges(starts, counts)
    smooth = stops.copy()
    smooth[first] = smooth[last] = closed
    smooth &= ~sharp
    ends_of = np.zeros(len(coords), bool)
    ends_of[starts] = ends_of[ends] = True
    free = (ends_of & ~smooth)[vertex]
    ring = closed & ~sharp[first] & ~stops[first]
    points = _metric(coords, offsets, options)
    allowed = _allowance(coords, offsets, closed, sharp, options.bulge)
    directions = _directions(points, joint, allowed + options.tolerance)[:, vertex]
    points = points[:, vertex]
    _point_ends(directions, points, chain_offsets, free)
    allowed = allowed[vertex]
    allowed[chain_offsets[1:] - 1] = 0.0
    return Chains(
        vertex,
        chain_offsets,
        points,
        directions,
        free,
        _whole(offsets, ring, starts, ends),
        allowed,
        _straight(points, directions, chain_offsets, free, STRAIGHT * options.tolerance),
        np.cumsum(piece_starts(offsets, stops)[starts]) - 1,
        coords[first[np.searchsorted(first, starts, side="right") - 1]],
    )


def _runs(offsets: Ints, cut: Bools) -> tuple[Ints, Ints]:
    """Give the first and the last row of each run between cuts inside polylines."""
    first, last = offsets[:-1], offsets[1:] - 1
    cut = cut.copy()
    cut[first] = cut[last] = False
    inner = np.flatnonzero(cut)
    return np.sort(np.r_[first, inner]), np.sort(np.r_[last, inner])


def _whole(offsets: Ints, ring: Bools, starts: Ints, ends: Ints) -> Bools:
    """Say which runs are the whole of a polyline that `ring` says yes to."""
    polyline = np.searchsorted(offsets[:-1], starts, side="right") - 1
    return np.asarray(ring[polyline] & (ends - starts == np.diff(offsets)[polyline] - 1))


def _allowance(coords: Floats, offsets: Ints, closed: Bools, sharp: Bools, bulge: float) -> Floats:
    """Give the allowance, shape (K,), of the edge that starts at each vertex; only corners end an arc.

    At a stop the road goes on, and what it turns there counts.
    """
    starts, ends = _runs(offsets, sharp)
    counts = ends - starts + 1
    vertex, run_offsets = ranges(starts, counts), np.r_[0, np.cumsum(counts)]
    ring = _whole(offsets, closed & ~sharp[offsets[:-1]], starts, ends)
    found = allowance(coords[vertex], run_offsets, ring, bulge)
    edge = np.ones(len(vertex), bool)
    edge[run_offsets[1:] - 1] = False
    given = np.zeros(len(coords))
    given[vertex[edge]] = found[edge]
    return given


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


def _directions(points: Floats, joint: Joints, room: Floats) -> Floats:
    """Give unit directions: of the circle through a vertex and its neighbours, or of the only edge.

    `room` (K,) is how far a curve may leave the edge that starts at each vertex. An arc that starts ``a`` off
    its chord of the length ``L`` leaves it by nearly ``L * a / 4``. Where that is more than there is room
    beside one of the two edges, the direction turns towards that edge as far as the other one has room; where
    neither has, they share the turn in proportion. So the end of a straight edge stays straight.
    """
    vector = np.diff(points, axis=1)
    size = length(vector)
    before, after = joint.before, joint.after
    one, two = vector[:, before] / size[before], vector[:, after] / size[after]
    turn = 2 * np.arctan2(length(two - one), length(two + one))
    own = turn * size[before] / (size[before] + size[after])
    most, others = 4 * room[before] / size[before], 4 * room[after] / size[after]
    shared = np.where(most + others < turn, turn * most / (most + others), np.clip(own, turn - others, most))
    tight = (own > most) | (turn - own > others)
    mean = one * size[after] + two * size[before]
    mean = np.where(tight, one * np.sin(turn - shared) + two * np.sin(shared), mean)
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
