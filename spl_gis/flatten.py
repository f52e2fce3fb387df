"""Control points in, polyline out, within tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Callable, NamedTuple

import numpy as np

from . import bezier
from .errors import OptionError
from .model import Bools, Floats, Ints

_BATCH = 1 << 12
_ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Tolerances below this part of the greatest coordinate are below what coordinates can hold."""
_STEPS = np.arange(1, 16) / 16
_B1, _B2 = 3 * _STEPS * (1 - _STEPS) ** 2, 3 * _STEPS**2 * (1 - _STEPS)
_SQUARES = np.stack([_B1 * _B1, 2 * _B1 * _B2, _B2 * _B2], axis=1)
Bent = Callable[[Floats, Floats], Floats]
"""Says how far, shape (P,), edges between places (P, 3) stray from straight once they are where they go."""

_CURVED = 0.9
"""Part of the tolerance that curves are cut for where edges are bent, so that something is left for that."""
_SPARE = 1.03
"""Factor on the estimated number of pieces; with less, too many narrowly miss and are halved."""


class _Pieces(NamedTuple):
    """Parts of segments: which segment, from which parameter, to which; arrays of shape (P,)."""

    segment: Ints
    start: Floats
    end: Floats


def flatten(controls: Floats, tolerance: float, bent: Bent | None = None) -> tuple[Floats, Ints]:
    """Make a polyline of each segment that lies within `tolerance` of it, and it of the polyline, everywhere.

    Parameters
    ----------
    controls : ndarray, shape (S, 4, 3)
        Control points in m, finite.
    tolerance : float
        Greatest distance in m.
    bent : callable, optional
        How far an edge will be from straight, in m, once it is drawn (in a CRS where other lines are
        straight): then both together stay within the tolerance. An edge that is no longer than the tolerance
        is not cut.
        Default: edges stay straight.

    Returns
    -------
    coords : ndarray, shape (K, 3)
        Vertices; those of a segment begin and end with exactly its first and last control point. A straight
        segment whose handles do not reach beyond its ends has no other vertices.
    offsets : ndarray of int, shape (S + 1,)
        Segment ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.

    Raises
    ------
    OptionError
        When the tolerance is not a positive number.

    Notes
    -----
    Every edge is proved. With the chord of a piece of the curve taken as an axis, and ``v(t)`` the piece's
    offset from the axis, the distance is at most ``hypot(max |v|, o)``, where ``o`` is how far the piece
    reaches beyond the ends of the chord (from the exact extremes of its coordinate along the axis). ``v``
    is a cubic; between samples 1/16 apart it can exceed the greater of the two by at most
    ``max |v''| / (8 * 16**2)``. In the other direction, the coordinate along the axis takes all values of the
    chord, so each place on the chord has a place on the curve beside it.

    A segment that fails is cut where it turns back along its chord, and each part into pieces with equal
    integrals of ``sqrt(|B' x B''| / |B'|)``, so many that the sagitta ``k * s**2 / 8`` of each (curvature
    k, length s) is within tolerance; vertices are close where the curve bends and far apart where it does
    not. Pieces that still fail are halved. That ends: with each halving the distance bound falls to a
    quarter, and no tolerance is taken to be less than 64 roundings of the segment's greatest coordinate.
    """
    batches = [
        (bezier.evaluate(np.repeat(some, count, axis=0), t), count)
        for some, t, count in _batches(controls, tolerance, bent)
    ]
    return _joined(batches)


def parameters(controls: Floats, tolerance: float) -> tuple[Floats, Ints]:
    """Give the parameters, shape (K,), of the vertices that `flatten` makes, and their offsets.

    They run from 0 to 1 in each segment. For what varies along a segment besides its place.
    """
    return _joined([(t, count) for _, t, count in _batches(controls, tolerance)])


def _joined(batches: list[tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
    counts = np.concatenate([np.zeros(1, np.int64), *(count for _, count in batches)])
    return np.concatenate([values for values, _ in batches]), np.cumsum(counts)


def _batches(
    controls: Floats, tolerance: float, bent: Bent | None = None
) -> Iterator[tuple[Floats, Floats, Ints]]:
    """Give some segments at a time, the parameters of their vertices, and the number of vertices of each."""
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise OptionError(f"the tolerance must be a positive number of metres, not {tolerance!r}")
    for i in range(0, max(len(controls), 1), _BATCH):
        some = controls[i : i + _BATCH]
        yield (some, *_parameters(some, tolerance, bent))


def _parameters(controls: Floats, tolerance: float, bent: Bent | None) -> tuple[Floats, Ints]:
    """Give the parameters of all vertices, and the number of vertices of each segment."""
    allowed = np.maximum(tolerance, _ROUNDING * np.abs(controls).max((1, 2), initial=0))
    curved = allowed if bent is None else _CURVED * allowed
    legs = np.ascontiguousarray(np.moveaxis(np.diff(controls, axis=1), 0, -1))
    every = np.arange(len(controls))
    pieces = _Pieces(every, np.zeros(len(controls)), np.ones(len(controls)))
    done = [_Pieces(every, pieces.start, pieces.start)]  # the vertices at 0; all others end a piece
    far = _far(controls, legs, pieces, allowed, bent)
    while far.any():
        done.append(_some(pieces, ~far))
        pieces = _some(pieces, far)
        if len(done) == 2:
            pieces = _cut_by_bend(legs, _cut_at_turns(legs, pieces.segment, curved), curved)
        else:
            pieces = _cut_evenly(pieces, np.full(len(pieces.segment), 2))
        far = _far(controls, legs, pieces, allowed, bent)
    done.append(pieces)
    segment = np.concatenate([piece.segment for piece in done])
    t = np.concatenate([piece.end for piece in done])
    # numpy sorts complex numbers by their real part first
    ordered = np.sort(segment + 1j * t, kind="stable").imag
    return ordered, np.bincount(segment, minlength=len(controls))


def _some(pieces: _Pieces, rows: Bools) -> _Pieces:
    return _Pieces(pieces.segment[rows], pieces.start[rows], pieces.end[rows])


def _far(controls: Floats, legs: Floats, pieces: _Pieces, allowed: Floats, bent: Bent | None) -> Bools:
    """Tell which pieces are not within the tolerance of their edges."""
    distance, allowed = _distance(legs, pieces), allowed[pieces.segment]
    if bent is not None:
        own = controls[pieces.segment]
        ends = [bezier.evaluate(own, t) for t in (pieces.start, pieces.end)]
        long = np.flatnonzero((distance <= allowed) & (np.abs(ends[1] - ends[0]).max(1, initial=0) > allowed))
        distance[long] += bent(*(end[long] for end in ends))
    return np.asarray(distance > allowed)


def _distance(legs: Floats, pieces: _Pieces) -> Floats:
    """Give what the distance between each piece and its chord cannot exceed, shape (P,).

    Here and below, `legs` are the differences of control points, shape (3, 3, S): leg, coordinate, segment.
    """
    segment, start, end = pieces
    step = end - start
    a, b, c = legs[..., segment]
    b, c = b - a, c - 2 * b + a  # the derivative is 3 (a + 2 b t + c t**2)
    first, last = ((b + c * t) * (step * step) for t in (start, end))  # second differences of the piece
    chord = ((c * start + 2 * b) * start + a) * (3 * step) + 2 * first + last
    length = _size(chord)
    axis = chord / np.where(length == 0, 1.0, length)
    # control points 1 and 2 of the piece, as seen from the thirds of its chord: along the axis, and across
    one, two = (2 * first + last) / -3, (first + 2 * last) / -3
    along = _dot(one, axis), _dot(two, axis)
    one -= along[0] * axis
    two -= along[1] * axis
    squares = np.stack([_dot(one, one), _dot(one, two), _dot(two, two)])
    across = np.sqrt(np.maximum((_SQUARES @ squares).max(0, initial=0), 0))
    between = 6 * np.maximum(_size(2 * one - two), _size(2 * two - one)) / (8 * 16**2)
    beyond = _beyond(length, length / 3 + along[0], length * (2 / 3) + along[1])
    distance: Floats = np.hypot(across + between, beyond)
    return distance


def _beyond(length: Floats, one: Floats, two: Floats) -> Floats:
    """Give how far cubics with the control points 0, one, two, length leave the interval from 0 to length."""
    out = np.flatnonzero((np.minimum(one, two) < 0) | (np.maximum(one, two) > length))
    beyond = np.zeros(len(length))
    end = length[out]
    box = bezier.bounds(np.stack([0 * end, one[out], two[out], end], axis=1)[..., None])[..., 0]
    beyond[out] = np.maximum(-box[:, 0], box[:, 1] - end)
    return beyond


def _cut_at_turns(legs: Floats, segment: Ints, allowed: Floats) -> _Pieces:
    """Cut segments where they turn back along their chord, if they run further than allowed either way."""
    own = legs[..., segment]
    chord = own.sum(0)
    axis = np.where(chord.any(0), chord, own[0])  # a closed segment has no chord
    along = np.cumsum([0 * segment, *(_dot(leg, axis) for leg in own)], axis=0).T[..., None]
    t = np.sort(bezier.extremes(along)[..., 0], axis=1)
    t = np.concatenate([np.zeros((len(t), 1)), t, np.ones((len(t), 1))], axis=1)
    runs = np.abs(np.diff(bezier.evaluate(along[:, None], t)[..., 0]))
    long = runs > (allowed[segment] * _size(axis))[:, None]
    t[:, 1:3] *= long[:, :2] & long[:, 1:]
    t.sort(axis=1)
    row, column = np.nonzero(np.diff(t) > 0)
    return _Pieces(segment[row], t[row, column], t[row, column + 1])


def _cut_by_bend(legs: Floats, pieces: _Pieces, allowed: Floats) -> _Pieces:
    """Cut pieces into parts that bend equally, as many as the tolerance needs."""
    segment, start, end = pieces
    t = np.linspace(start, end, 17)
    density = _bend(legs[..., segment], t)
    peak = density.max(0, initial=0)
    density += np.where(peak > 0, 0.01 * peak, 1.0)  # a floor, so that the integral grows everywhere
    share = np.zeros_like(t)
    np.cumsum((density[1:] + density[:-1]) / 2, axis=0, out=share[1:])
    need = share[-1] * (end - start) / 16 / np.sqrt(8 * allowed[segment])
    count = np.where(peak > 0, np.ceil(_SPARE * need), 1).astype(np.int64)
    whole = _Pieces(np.arange(len(count)), np.zeros(len(count)), np.ones(len(count)))
    even = _cut_evenly(whole, count)
    # one interpolation for all pieces: piece i has its shares of the integral between 2 i and 2 i + 1
    share = (share / share[-1] + 2 * whole.segment).T.ravel()
    low, high = (np.interp(2 * even.segment + part, share, t.T.ravel()) for part in even[1:])
    return _Pieces(segment[even.segment], low, high)


def _bend(legs: Floats, t: Floats) -> Floats:
    """Give ``sqrt(|B' x B''| / |B'|)`` at parameters of shape (n, P) of curves with legs of shape (3, 3, P).

    With the legs a, b, c the cross product is ``18 ((1-t)**2 a x b + t (1-t) a x c + t**2 b x c)``.
    """
    a, b, c = legs
    s = 1 - t
    speed = _quartic((a, b, c), s * s, 2 * s * t, t * t)
    turning = _quartic((_cross(a, b), _cross(a, c), _cross(b, c)), s * s, s * t, t * t)
    ratio = np.divide(turning, speed, out=np.zeros_like(t), where=speed > 0)
    bend: Floats = np.sqrt(6 * np.sqrt(ratio))
    return bend


def _quartic(vectors: tuple[Floats, ...], *weights: Floats) -> Floats:
    """Give the squared sizes of weighted sums of three vectors (3, P), for weights of shape (n, P)."""
    total = np.zeros_like(weights[0])
    for i in range(3):
        for j in range(i, 3):
            total += (1 + (i < j)) * _dot(vectors[i], vectors[j]) * weights[i] * weights[j]
    squared: Floats = np.maximum(total, 0)
    return squared


def _cut_evenly(pieces: _Pieces, count: Ints) -> _Pieces:
    """Cut pieces into `count` parts of equal parameter steps."""
    row = np.repeat(np.arange(len(count)), count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    start, end, count = pieces.start[row], pieces.end[row], count[row]
    low = start + (end - start) * (number / count)
    high = np.where(number + 1 == count, end, start + (end - start) * ((number + 1) / count))
    return _Pieces(pieces.segment[row], low, high)


def _dot(a: Floats, b: Floats) -> Floats:
    product: Floats = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def _cross(a: Floats, b: Floats) -> Floats:
    return np.cross(a, b, axis=0)


def _size(vectors: Floats) -> Floats:
    return np.sqrt(_dot(vectors, vectors))
