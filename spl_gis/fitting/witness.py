"""Where on its curve each vertex lies: the parameters that a proof is about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints

BLOCK = 1 << 13
NEWTON_STEPS = 5
SAMPLES = 8
"""Samples of a segment in the table of arc lengths."""
CANDIDATES = 33
"""Places among which the march looks for the next vertex."""


class Cubics(NamedTuple):
    """Segments as ``origin + ((c3 t + c2) t + c1) t`` in the metric of the tolerance; D is 2 without heights.

    Attributes
    ----------
    origin : ndarray, shape (D, S)
        First control points.
    powers : ndarray, shape (3, D, S)
        ``c1``, ``c2``, ``c3``.
    size : ndarray, shape (S,)
        Greatest coordinate of a control point seen from the first: what rounding errors are a fraction of.
    """

    origin: Floats
    powers: Floats
    size: Floats

    def place(self, seg: Ints, t: Floats) -> Floats:
        """Give the places (D, N), seen from the origin of their segment."""
        c1, c2, c3 = np.take(self.powers, seg, axis=2)
        return np.asarray(((c3 * t + c2) * t + c1) * t)


class Chains(NamedTuple):
    """Polylines, and the run of segments that each belongs to.

    Attributes
    ----------
    vertices : ndarray, shape (D, K)
        In the metric of the tolerance.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` has the vertices ``offsets[i]`` to ``offsets[i + 1] - 1``.
    start, stop : ndarray of int, shape (K,)
        The curve of each vertex's polyline has the parameters from `start` to `stop`: the index of a segment,
        counted over all polylines, plus the parameter on it.
    curve : Cubics
        All segments.
    """

    vertices: Floats
    offsets: Ints
    start: Ints
    stop: Ints
    curve: Cubics

    def some(self, wanted: Bools) -> tuple[Chains, Ints]:
        """Give some polylines, and the indices of their vertices."""
        count = np.diff(self.offsets)
        index = np.flatnonzero(np.repeat(wanted, count))
        offsets = np.concatenate([[0], np.cumsum(count[wanted])])
        vertices = np.take(self.vertices, index, axis=1)
        return Chains(vertices, offsets, self.start[index], self.stop[index], self.curve), index


def cubics(controls: Floats, rows: int, z_scale: float) -> Cubics:
    """Bring control points (S, 4, 3) into the form of `Cubics`; `rows` is 2 to leave heights out."""
    points = in_metric(controls, rows, z_scale)
    away = points[:, :, 1:] - points[:, :, :1]
    p1, p2, p3 = away[:, :, 0], away[:, :, 1], away[:, :, 2]
    powers = np.stack([3 * p1, 3 * (p2 - 2 * p1), p3 - 3 * p2 + 3 * p1])
    size = np.abs(away).max(axis=(0, 2))
    if z_scale != 1 and rows == 3:
        size = size + np.abs(points[2, :, 0])
    return Cubics(np.ascontiguousarray(points[:, :, 0]), powers, size)


def in_metric(places: Floats, rows: int, z_scale: float) -> Floats:
    """Bring coordinates (..., 3) to rows (D, ...) with heights scaled."""
    moved = np.ascontiguousarray(np.moveaxis(places, -1, 0)[:rows])
    if z_scale != 1 and rows == 3:
        moved[2] *= z_scale
    return moved


def segment_of(u: Floats, chains: Chains) -> Ints:
    """Give the segment (K,) in which each parameter lies; at a joint the one that starts there."""
    return np.minimum(np.floor(u).astype(np.int64), chains.stop - 1)


def find(chains: Chains, guess: Floats | None, tolerance: float) -> Floats:
    """Give a parameter (K,) to each vertex, never decreasing along a polyline, near its foot point.

    A guess is kept where it does: it is put in order, and moved only on polylines with a vertex that lies
    further than the tolerance from its place. Without one the curve is marched along, vertex by vertex.
    """
    if guess is None:
        return settled(_march(chains, tolerance), chains, tolerance, everywhere=True)
    u = in_order(np.clip(np.nan_to_num(guess), chains.start, chains.stop), chains)
    far = distances(u, chains) > tolerance
    if far.any():
        bad, index = chains.some(np.logical_or.reduceat(far, chains.offsets[:-1]))
        u[index] = settled(u[index], bad, tolerance, everywhere=False)
    return u


def settled(u: Floats, chains: Chains, tolerance: float, everywhere: bool) -> Floats:
    """Move vertices that are out of tolerance, or all, to their foot points as far as their order allows."""
    moved = np.flatnonzero(everywhere | (distances(u, chains) > tolerance))
    foot = u.copy()
    foot[moved] = _feet(u[moved], moved, chains)
    return _better(u, _slide(foot, chains, tolerance), chains, tolerance)


def distances(u: Floats, chains: Chains) -> Floats:
    """Give the distance (K,) of each vertex from its place on the curve."""
    seg = segment_of(u, chains)
    out = np.empty(len(u))
    for at in range(0, len(u), BLOCK):
        part = slice(at, at + BLOCK)
        away = (
            chains.vertices[:, part]
            - np.take(chains.curve.origin, seg[part], axis=1)
            - chains.curve.place(seg[part], u[part] - seg[part])
        )
        out[part] = np.sqrt((away * away).sum(axis=0))
    return out


def in_order(u: Floats, chains: Chains) -> Floats:
    """Make parameters never decrease: where they do, the mean of what stands before and what stands after."""
    u = u.copy()
    first, last = chains.offsets[:-1], chains.offsets[1:] - 1
    u[first], u[last] = chains.start[first], chains.stop[last]
    rising = np.maximum.accumulate(u)
    return np.asarray((rising + np.minimum.accumulate(u[::-1])[::-1]) / 2)


def _feet(u: Floats, index: Ints, chains: Chains) -> Floats:
    """Move parameters (N,) of the vertices `index` to the least distance nearby, by Newton's method."""
    low, high = chains.start[index], chains.stop[index]
    for _ in range(NEWTON_STEPS):
        seg = np.minimum(np.floor(u).astype(np.int64), high - 1)
        t = u - seg
        c1, c2, c3 = np.take(chains.curve.powers, seg, axis=2)
        away = (
            np.take(chains.vertices, index, axis=1)
            - np.take(chains.curve.origin, seg, axis=1)
            - ((c3 * t + c2) * t + c1) * t
        )
        speed = (3 * c3 * t + 2 * c2) * t + c1
        squared = (speed * speed).sum(axis=0)
        bend = squared - (away * (6 * c3 * t + 2 * c2)).sum(axis=0)
        slope = np.maximum(bend, 0.3 * squared)
        step = (away * speed).sum(axis=0) / np.where(slope > 0, slope, 1.0)
        u = np.clip(u + np.clip(step, -0.5, 0.5), low, high)
    return u


def _slide(foot: Floats, chains: Chains, tolerance: float) -> Floats:
    """Put foot points in order, each within the reach of its tolerance where it can be."""
    far = distances(foot, chains)
    room = np.maximum(min(tolerance, 1e100) ** 2 - far**2, 0.0)
    reach = np.sqrt(room) / np.maximum(_speed(foot, chains), 1e-100)
    low, high = (_farthest(foot, foot + way, far, room, chains) for way in (-reach, reach))
    near = far <= tolerance
    early = np.maximum.accumulate(np.where(near, low, chains.start))
    late = np.minimum.accumulate(np.where(near, high, chains.stop)[::-1])[::-1]
    return in_order(np.clip(foot, np.minimum(early, late), late), chains)


def _farthest(foot: Floats, guess: Floats, far: Floats, room: Floats, chains: Chains) -> Floats:
    """Correct the guess where the squared distance has grown by `room`, as if it grew like a parabola."""
    guess = np.clip(guess, chains.start, chains.stop)
    grown = distances(guess, chains) ** 2 - far**2
    share = np.sqrt(room / np.maximum(grown, 1e-3 * room + 1e-200))
    return np.clip(foot + 0.99 * share * (guess - foot), chains.start, chains.stop)


def _speed(u: Floats, chains: Chains) -> Floats:
    """Give the length (K,) of the first derivative."""
    seg = segment_of(u, chains)
    t = u - seg
    c1, c2, c3 = np.take(chains.curve.powers, seg, axis=2)
    return np.asarray(np.sqrt((((3 * c3 * t + 2 * c2) * t + c1) ** 2).sum(axis=0)))


def _better(u: Floats, other: Floats, chains: Chains, tolerance: float) -> Floats:
    """Choose, polyline by polyline, `other` where it is within tolerance or no worse."""
    starts = chains.offsets[:-1]
    worst = np.maximum.reduceat(distances(u, chains), starts)
    other_worst = np.maximum.reduceat(distances(other, chains), starts)
    take = other_worst <= np.maximum(worst, tolerance)
    return np.where(np.repeat(take, np.diff(chains.offsets)), other, u)


def _march(chains: Chains, tolerance: float) -> Floats:
    """Walk along all curves at once, one vertex a step, each to the nearest place not far ahead."""
    table = _arc_lengths(chains.curve)
    grid = np.arange(len(table), dtype=float) / SAMPLES
    edges = np.zeros(chains.vertices.shape[1])
    edges[:-1] = np.sqrt(((chains.vertices[:, 1:] - chains.vertices[:, :-1]) ** 2).sum(axis=0))
    ahead = np.linspace(0.0, 1.0, CANDIDATES)
    count = np.diff(chains.offsets)
    order = np.argsort(-count, kind="stable")
    u = chains.stop.astype(float)
    u[chains.offsets[:-1]] = chains.start[chains.offsets[:-1]]
    for step in range(1, int(count.max(initial=0)) - 1):
        vertex = chains.offsets[:-1][order[: np.searchsorted(-count[order], -(step + 1))]] + step
        here, stop = u[vertex - 1], chains.stop[vertex]
        reach = 1.6 * edges[vertex - 1] + 2 * min(tolerance, 1.0)
        there = np.interp(np.interp(here, grid, table) + reach, table, grid)
        tries = here[:, None] + (np.minimum(there, stop) - here)[:, None] * ahead
        seg = np.minimum(np.floor(tries).astype(np.int64), stop[:, None] - 1)
        away = (
            chains.vertices[:, vertex, None] - np.take(chains.curve.origin, seg, axis=1)
        ) - chains.curve.place(seg, tries - seg)
        best = (away * away).sum(axis=0).argmin(axis=1)
        u[vertex] = tries[np.arange(len(vertex)), best]
    return u


def _arc_lengths(curve: Cubics) -> Floats:
    """Give the length of all segments up to each sample, (S * SAMPLES + 1,), as a strictly rising table."""
    t = np.arange(1, SAMPLES + 1) / SAMPLES
    c1, c2, c3 = curve.powers[..., None]
    places = ((c3 * t + c2) * t + c1) * t
    steps = np.diff(places, axis=2, prepend=0.0)
    lengths = np.sqrt((steps * steps).sum(axis=0)).ravel()
    return np.concatenate([[0.0], np.cumsum(np.maximum(lengths, 1e-12))])
