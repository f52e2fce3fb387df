"""Heights as cubics over plan curves: between two joints, by the heights and slopes there."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .track import Track

PRIOR = 1e-3
"""How much the slope of the profile at a joint counts, against what is best in between."""
STEPS = 30


class Pieces(NamedTuple):
    """What runs from one joint to the next.

    Attributes
    ----------
    first, last : ndarray of int, shape (P,)
        The stations at both ends.
    t0, t1 : ndarray, shape (P,)
        Where on the segment it begins and ends.
    handle : ndarray, shape (2, P)
        Length [m] of the handles in plan.
    """

    first: Ints
    last: Ints
    t0: Floats
    t1: Floats
    handle: Floats


class Steps(NamedTuple):
    """What runs from one station to the next.

    Attributes
    ----------
    row : ndarray of int, shape (I,)
        The station where it begins; it ends at the next one.
    piece : ndarray of int, shape (I,)
        The piece that it is a part of.
    t0, t1 : ndarray, shape (I,)
        Where on the segment it begins and ends.
    speed : ndarray, shape (2, I)
        How fast the plan curve is at both ends, in metres for each unit of the segment's parameter.
    """

    row: Ints
    piece: Ints
    t0: Floats
    t1: Floats
    speed: Floats


def speeds(plan: Floats, segment: Ints, t: Floats) -> Floats:
    """Give how fast plan curves (S, 4, 2) are at parameters (N,) of some of them."""
    legs = 3 * np.diff(plan, axis=1)
    a, b, c = (legs[:, i][segment] for i in range(3))
    s, t = (1 - t)[:, None], t[:, None]
    velocity = s * s * a + 2 * s * t * b + t * t * c
    return np.asarray(np.hypot(velocity[:, 0], velocity[:, 1]))


def steps_of(track: Track, plan: Floats) -> Steps:
    """List all steps of draped chains."""
    row = np.flatnonzero(~track.last & track.free)
    end = track.t[row + 1]
    t1 = np.where(end == 0, 1.0, end)
    segment = track.segment[row]
    speed = np.stack([speeds(plan, segment, track.t[row]), speeds(plan, segment, t1)])
    piece = np.cumsum(track.joint[row]) - 1
    return Steps(row, piece, track.t[row], t1, speed)


def pieces_of(track: Track, steps: Steps) -> Pieces:
    """List all pieces of draped chains."""
    first = np.flatnonzero(track.joint[steps.row])
    last = np.append(first[1:], len(steps.row)) - 1
    t0, t1 = steps.t0[first], steps.t1[last]
    handle = np.stack([steps.speed[0, first], steps.speed[1, last]]) * (t1 - t0) / 3
    return Pieces(steps.row[first], steps.row[last] + 1, t0, t1, handle)


def heights(track: Track, pieces: Pieces, slope: Floats) -> Floats:
    """Give the heights of the control points of each piece, shape (4, P); `slope` (N,) is that at joints."""
    first, last = pieces.first, pieces.last
    start, end = track.z[first], track.z[last]
    return np.stack(
        [start, start + slope[first] * pieces.handle[0], end - slope[last] * pieces.handle[1], end]
    )


def best_slopes(track: Track, steps: Steps, pieces: Pieces, number: Ints, known: Bools) -> Floats:
    """Give the slopes at joints with which the pieces miss the wanted heights least.

    Least squares over all stations between joints, by conjugate gradients from the slopes of the profile. The
    matrix has, once scaled, a condition number of about 7, so that few steps do.

    Parameters
    ----------
    track, steps, pieces
        The roads.
    number : ndarray of int, shape (N,)
        Which slope each joint has: those with one number have one.
    known : ndarray of bool, shape (N,)
        Stations that keep the slope of the profile.

    Returns
    -------
    ndarray, shape (N,)
        Slopes at joints: rise over run, in the direction of the road.
    """
    inner = np.flatnonzero(~track.joint[steps.row])
    piece = steps.piece[inner]
    t0, t1 = pieces.t0[piece], pieces.t1[piece]
    u = (steps.t0[inner] - t0) / (t1 - t0)
    v = 1 - u
    base = heights(track, pieces, np.zeros(len(track.z)))[:, piece]
    miss = v * v * (v + 3 * u) * base[0] + u * u * (u + 3 * v) * base[3] - track.z[steps.row[inner]]
    pull = np.stack([3 * v * v * u, -3 * v * u * u]) * pieces.handle[:, piece]
    size = len(pieces.first)
    ends = number[np.stack([pieces.first, pieces.last])]
    slope, firm = np.zeros(number.max(initial=-1) + 1), np.zeros(number.max(initial=-1) + 1, bool)
    slope[number[track.joint]] = track.slope[track.joint]
    firm[number[known & track.joint]] = True
    prior = PRIOR * pieces.handle**2
    square = np.stack([np.bincount(piece, p * p, size) for p in pull]) + prior
    cross = np.bincount(piece, pull[0] * pull[1], size)
    push = np.stack([np.bincount(piece, p * miss, size) for p in pull]) - prior * slope[ends]

    def gathered(values: Floats) -> Floats:
        return np.asarray(np.bincount(ends.ravel(), values.ravel(), len(slope)), np.float64)

    def times(m: Floats) -> Floats:
        return gathered(square * m[ends] + cross * m[ends[::-1]])

    weight = np.where(firm, 0.0, 1 / np.maximum(gathered(square), 1e-300))
    return _solved(times, -gathered(push), weight, slope)[number]


def _solved(times: Callable[[Floats], Floats], right: Floats, weight: Floats, x: Floats) -> Floats:
    """Solve a positive definite system by conjugate gradients with a diagonal preconditioner."""
    rest = right - times(x)
    way = weight * rest
    power = rest @ way
    enough = 1e-16 * power
    for _ in range(STEPS):
        if power <= enough or power == 0:
            break
        image = np.where(weight > 0, times(way), 0.0)
        share = power / (way @ image)
        x, rest = x + share * way, rest - share * image
        better = weight * rest
        before, power = power, rest @ better
        way = better + power / before * way
    return x
