"""How far curves are from the edges beside them: proved bounds, on pieces halved until they decide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .witness import Cubics

LIVE = 1 << 15
"""Pieces that wait for halving until they are halved together."""
HALVINGS = 24
"""How often a piece is halved before it counts as not proved."""
ROUNDING = 2.0**-44
"""Rounding errors of everything here, as a fraction of the size of a segment: 256 units in the last place."""
SHARE = 0.01
"""Greatest deviations are stated at most this fraction too large ..."""
GAP = 1e-3
"""... and this fraction of the tolerance, or of a metre where the tolerance is greater."""


class Pieces(NamedTuple):
    """Pieces of segments, each beside one edge, in the order of their segments.

    Attributes
    ----------
    seg : ndarray of int, shape (N,)
        Segment of each piece.
    frame : ndarray, shape (4, D, N)
        Control points seen from the edge: how far along it from its start, and how far to its sides.
    length : ndarray, shape (N,)
        Length of the edge.
    allowance : ndarray, shape (N,)
        Allowance of the edge.
    slack : ndarray, shape (N,)
        What rounding can change in a distance.
    """

    seg: Ints
    frame: Floats
    length: Floats
    allowance: Floats
    slack: Floats

    def take(self, rows: Ints) -> Pieces:
        """Give some of the pieces."""
        seg, frame = self.seg[rows], self.frame[..., rows]
        return Pieces(seg, frame, self.length[rows], self.allowance[rows], self.slack[rows])


class Ledger:
    """The greatest values known so far for each segment, and the pieces that wait for a closer look.

    Parameters
    ----------
    segments : int
        Number of segments, S.
    tolerance : float
        What decides whether a segment passes.
    tight : bool
        Whether the deviations are wanted, or only whether segments pass.

    Attributes
    ----------
    vertex, deviation, excess : ndarray, shape (S,)
        No vertex, no place of the curve, and no place less the allowance of its edge, is further than this.
    """

    def __init__(self, segments: int, tolerance: float, tight: bool) -> None:
        self.vertex = np.zeros(segments)
        self.deviation = np.zeros(segments)
        self.excess = np.full(segments, -np.inf)
        self._least_deviation = np.zeros(segments)
        self._least_excess = np.full(segments, -np.inf)
        self._tolerance, self._tight = tolerance, tight
        self._waiting: list[Pieces] = []

    def enter(self, pieces: Pieces, starts: Bools, stops: Bools) -> None:
        """Enter pieces, and the vertices at those ends of them where there is one: not at joints."""
        x0, x3 = pieces.frame[0, 0], pieces.frame[3, 0] - pieces.length
        at_start = x0 * x0 + (pieces.frame[0, 1:] ** 2).sum(axis=0)
        at_stop = x3 * x3 + (pieces.frame[3, 1:] ** 2).sum(axis=0)
        far = np.sqrt(np.maximum(np.where(starts, at_start, 0.0), np.where(stops, at_stop, 0.0)))
        _raise(pieces.seg, (self.vertex, far + pieces.slack))
        self._waiting.append(self._look(pieces))
        if sum(len(waiting.seg) for waiting in self._waiting) > LIVE:
            self._halve()

    def close(self) -> None:
        """Decide what is open."""
        if self._waiting:
            self._halve()

    def passed(self) -> Bools:
        """Tell which segments (S,) are proved; those without pieces are not."""
        inside = (self.vertex <= self._tolerance) & (self.excess <= self._tolerance)
        return np.asarray(inside & np.isfinite(self.excess))

    def _look(self, pieces: Pieces) -> Pieces:
        """Enter what bounds say of pieces, and give those that must be halved to know more."""
        low, up = bounds(pieces)
        least = (self._least_deviation, low), (self._least_excess, low - pieces.allowance)
        _raise(pieces.seg, *least)
        undecided = self._undecided(pieces, low, up)
        self._settle(pieces, up, np.flatnonzero(~undecided))
        return pieces.take(np.flatnonzero(undecided))

    def _undecided(self, pieces: Pieces, low: Floats, up: Floats) -> Bools:
        """Find pieces that leave open whether their segment passes or, if `tight`, how far it deviates."""
        tolerance, scale = self._tolerance, min(self._tolerance, 1.0)
        excess, most = up - pieces.allowance, self._least_excess[pieces.seg]
        undecided = (excess > tolerance) & (most <= tolerance)
        if self._tight:
            deviation = self._least_deviation[pieces.seg]
            gap = SHARE * deviation + GAP * scale
            undecided |= (up > deviation + gap) | (excess > most + gap)
        else:
            undecided &= self.vertex[pieces.seg] <= tolerance
        return np.asarray(undecided & (up - low > 1e-7 * scale + 4 * pieces.slack))

    def _settle(self, pieces: Pieces, up: Floats, rows: Ints) -> None:
        """Take the bounds of some pieces for final."""
        up = up[rows]
        _raise(pieces.seg[rows], (self.deviation, up), (self.excess, up - pieces.allowance[rows]))

    def _halve(self) -> None:
        """Halve the pieces that wait until nothing is open."""
        pieces = _joined(self._waiting)
        self._waiting.clear()
        for _ in range(HALVINGS):
            pieces = self._look(halves(pieces))
            if len(pieces.seg) == 0:
                return
        self._settle(pieces, bounds(pieces)[1], np.arange(len(pieces.seg)))


def beside(
    start: Floats, stop: Floats, curve: Cubics, seg: Ints, t0: Floats, t1: Floats, allowance: Floats
) -> Pieces:
    """Give pieces of the segments `seg` (N,), `t0` to `t1`, beside edges from `start` to `stop` (D, N)."""
    edge = stop - start
    length = np.sqrt((edge * edge).sum(axis=0))
    away = np.take(curve.origin, seg, axis=1) - start
    c1, c2, c3 = np.take(curve.powers, seg, axis=2)
    third = (t1 - t0) / 3
    p0 = ((c3 * t0 + c2) * t0 + c1) * t0 + away
    p3 = ((c3 * t1 + c2) * t1 + c1) * t1 + away
    p1 = p0 + third * ((3 * c3 * t0 + 2 * c2) * t0 + c1)
    p2 = p3 - third * ((3 * c3 * t1 + 2 * c2) * t1 + c1)
    frame = np.empty((4, len(edge), len(seg)))
    for row, axis in enumerate(_axes(edge, length)):
        for place, p in zip(frame, (p0, p1, p2, p3)):
            (p * axis).sum(axis=0, out=place[row])
    slack = ROUNDING * (curve.size[seg] + np.abs(away).sum(axis=0) + length)
    return Pieces(seg, frame, length, allowance, slack)


def _axes(edge: Floats, length: Floats) -> list[Floats]:
    """Give unit vectors (D, N) along each edge and to its sides, normal to each other; any for a point."""
    along = edge / np.where(length > 0, length, 1.0)
    along[0, length == 0] = 1.0
    if len(along) == 2:
        return [along, np.stack([-along[1], along[0]])]
    x, y, z = along
    flat = np.hypot(x, y)
    upright = flat == 0
    right, ahead = np.where(upright, 1.0, -y) / np.where(upright, 1.0, flat), x / np.where(upright, 1.0, flat)
    return [along, np.stack([right, ahead, np.zeros_like(x)]), np.stack([-z * ahead, z * right, flat])]


def bounds(pieces: Pieces) -> tuple[Floats, Floats]:
    """Give bounds (N,) from below and above of the greatest distance of each piece from its edge.

    From below: the distances of some places. From above: a curve stays in the hull of its control points,
    which bounds how far it reaches beyond the ends of the edge. How far it is to a side of the edge's line is
    a cubic polynomial, so that is greatest at an end or where its derivative, a quadratic one, is 0. In plan
    both bounds are the same for a piece that does not reach beyond its edge.
    """
    frame, length = pieces.frame, pieces.length
    sides = frame[:, 1:]
    places = _cubic(sides[:, :, None], _extrema(sides))
    beyond = _beyond(frame[:, 0], length)
    ends = (beyond[::3] ** 2 + (sides[::3] ** 2).sum(axis=1)).max(axis=0)
    low = np.sqrt(np.maximum(ends, (places**2).sum(axis=0).max(axis=0)))
    wide = np.maximum(np.abs(sides[::3]).max(axis=0), np.abs(places).max(axis=1))
    return low, np.sqrt(beyond.max(axis=0) ** 2 + (wide * wide).sum(axis=0)) + pieces.slack


def _extrema(sides: Floats) -> Floats:
    """Give parameters (2 * (D - 1), N) in 0 to 1, where cubics (4, D - 1, N) have all their extrema inside.

    A root that rounding moves hardly matters: the derivative there stays as small as rounding errors are.
    """
    d0, d1, d2 = np.diff(sides, axis=0)
    slope = d1 - d0
    half = slope + np.copysign(np.sqrt(np.maximum(d1 * d1 - d0 * d2, 0.0)), slope)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        roots = np.concatenate([-half / (d2 - d1 - slope), -d0 / half])
    return np.asarray(np.fmin(np.fmax(roots, 0.0), 1.0))


def _cubic(controls: Floats, t: Floats) -> Floats:
    """Evaluate cubics with Bernstein coefficients (4, ...)."""
    d0, d1, d2 = np.diff(controls, axis=0)
    return np.asarray(controls[0] + t * (3 * d0 + t * (3 * (d1 - d0) + t * (d2 - 2 * d1 + d0))))


def halves(pieces: Pieces) -> Pieces:
    """Cut each piece in its middle (de Casteljau); the halves take its place, in order."""
    p0, p1, p2, p3 = pieces.frame
    p01, p12, p23 = (p0 + p1) / 2, (p1 + p2) / 2, (p2 + p3) / 2
    p012, p123 = (p01 + p12) / 2, (p12 + p23) / 2
    middle = (p012 + p123) / 2
    frame = np.empty((*pieces.frame.shape, 2))
    for half, points in enumerate(((p0, p01, p012, middle), (middle, p123, p23, p3))):
        for place, point in zip(frame, points):
            place[..., half] = point
    twice = pieces.take(np.repeat(np.arange(len(pieces.seg)), 2))
    return twice._replace(frame=frame.reshape(*pieces.frame.shape[:2], -1))


def _beyond(x: Floats, length: Floats) -> Floats:
    """Give how far places are outside 0 to `length`."""
    return np.asarray(np.maximum(np.maximum(-x, x - length), 0.0))


def _joined(parts: list[Pieces]) -> Pieces:
    seg, frame, length, allowance, slack = (np.concatenate(columns, axis=-1) for columns in zip(*parts))
    return Pieces(seg.astype(np.int64), frame, length, allowance, slack)


def _raise(seg: Ints, *entries: tuple[Floats, Floats]) -> None:
    """Raise each target (S,) to the greatest of the values (N,) of its pieces; `seg` never decreases."""
    if len(seg) == 0:
        return
    starts = np.concatenate([[0], np.flatnonzero(seg[1:] != seg[:-1]) + 1])
    at = seg[starts]
    for target, values in entries:
        target[at] = np.maximum(target[at], np.maximum.reduceat(values, starts))
