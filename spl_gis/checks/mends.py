"""What can be mended in a graph, one function for each kind; all keep the order of points and segments."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from ..model import UP, Bools, Floats, SplineGraph
from .limits import Limits
from .measure import angle, in_one_place, measure, pairs_of_halves
from .ups import UNIT

SMALL_KINK = 10.0
"""Kinks up to this angle [degrees] are taken for accidents, others for corners."""


class Mended(NamedTuple):
    """What a mend gives.

    Attributes
    ----------
    graph : SplineGraph
        The graph; the very same one when there was nothing to mend.
    done : dict of str to int
        How many findings of each code were mended.
    left : dict of str to int
        How many were left, because mending them would change the shape too much.
    """

    graph: SplineGraph
    done: dict[str, int]
    left: dict[str, int]


def weld(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Make one point of those in one place: the lowest; the others stay in the file, without a segment."""
    used = np.bincount(graph.ends.ravel(), minlength=len(graph.points)) > 0
    group = in_one_place(graph.points, used, limits.coincident)
    away = np.zeros(len(graph.points))
    np.maximum.at(away, group, np.linalg.norm(graph.points - graph.points[group], axis=1))
    several = np.bincount(group, minlength=len(group)) > 1
    ends = group[graph.ends]
    folded = (ends[:, 0] == ends[:, 1]) & (graph.ends[:, 0] != graph.ends[:, 1])
    apart = away > reach
    apart[ends[folded, 0]] = True  # a segment must not become one from a point to itself
    target = np.where(apart[group], np.arange(len(group)), group)
    done, left = int((several & ~apart).sum()), int((several & apart).sum())
    better = dataclasses.replace(graph, ends=target[graph.ends])
    return _mended(graph, better, "unwelded", done, left)


def handles(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Give handles without length one that hardly moves the curve.

    Where the segment is straight, a third of the chord moves it along itself only. Else the handle points to
    the next control point, and is so long that the curve moves by no more than ``reach``: a control point
    that moves by d moves the curve by no more than ``3 t (1 - t)**2 d``, which is at most 4/9 d.
    """
    measured = measure(graph, limits)
    none = (measured.handle <= limits.coincident) & ~measured.void[:, None]
    controls = measured.controls
    chord = controls[:, 3] - controls[:, 0]
    own = np.stack([chord, -chord], axis=1)
    other = (controls[:, [2, 1]] - controls[:, [0, 3]]).copy()
    other[none[:, ::-1]] = own[none[:, ::-1]]
    size = np.linalg.norm(other, axis=2)
    share = np.minimum(1 / 3, 9 / 4 * reach / np.maximum(size, 1e-300))
    straight = _straight(other, own)
    handle = np.where(straight[..., None], own / 3, share[..., None] * other)
    good = none & (np.linalg.norm(handle, axis=2) > limits.coincident)
    tangents = np.where(good[..., None], handle, graph.tangents)
    better = dataclasses.replace(graph, tangents=tangents)
    return _mended(graph, better, "zero-handle", int(good.sum()), int((none & ~good).sum()))


def _straight(way: Floats, chord: Floats) -> Bools:
    """Tell where a vector lies on the chord, but for rounding."""
    square, along = (chord * chord).sum(axis=2), (way * chord).sum(axis=2)
    off = np.linalg.norm(np.cross(way, chord), axis=2)
    straight: Bools = (off <= 1e-9 * square) & (along > 0) & (along <= square)
    return straight


def kinks(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Turn both handles at small kinks into their common direction.

    A segment with two turned handles moves by no more than 3/4 of what the tip of the longer one moves.
    """
    measured = measure(graph, limits)
    pairs = pairs_of_halves(graph.ends, measured.degree)
    ways = measured.leaving.reshape(-1, 3)[pairs]
    bend = angle(ways[:, 0], -ways[:, 1])
    size = measured.handle.ravel()[pairs]
    kink = (bend > limits.kink) & (bend <= SMALL_KINK)
    kink &= (size > limits.coincident).all(axis=1) & ~measured.void[pairs // 2].any(axis=1)
    pairs, ways, size = pairs[kink], ways[kink], size[kink]
    common = ways[:, 0] - ways[:, 1]
    common /= np.linalg.norm(common, axis=1, keepdims=True)
    turned = np.stack([common, -common], axis=1) * size[..., None]
    tangents = graph.tangents.reshape(-1, 3).copy()
    good = (0.75 * np.linalg.norm(turned - tangents[pairs], axis=2) <= reach).all(axis=1)
    tangents[pairs[good]] = turned[good]
    better = dataclasses.replace(graph, tangents=tangents.reshape(-1, 2, 3))
    return _mended(graph, better, "kink", int(good.sum()), int((~good).sum()))


def ups(graph: SplineGraph, limits: Limits, reach: float) -> Mended:
    """Make up vectors unit vectors, and square to the road where they lie along it."""
    leaving = measure(graph, limits).leaving
    size = np.linalg.norm(graph.ups, axis=2, keepdims=True)
    none, other = size[..., 0] <= UNIT, np.abs(size[..., 0] - 1) > UNIT
    unit = np.where(none[..., None], UP, graph.ups / np.where(none[..., None], 1.0, size))
    lean = angle(unit, leaving)
    along = (np.minimum(lean, 180 - lean) < limits.up_angle) & (leaving != 0).any(axis=2)
    mended = np.where(along[..., None], _square(leaving, unit[:, ::-1], limits), unit)
    change = other | along
    done = {"zero-up": none, "up-not-unit": other & ~none, "parallel-up": along & ~none}
    totals = {code: int(where.sum()) for code, where in done.items() if where.any()}
    if not totals:
        return Mended(graph, {}, {})
    better = dataclasses.replace(graph, ups=np.where(change[..., None], mended, graph.ups))
    return Mended(better, totals, {})


def _square(leaving: Floats, across: Floats, limits: Limits) -> Floats:
    """Give unit vectors square to the road: near the vertical, else near that of the other end, else any."""
    best = np.eye(3)[np.abs(leaving).argmin(axis=-1)]
    for wish in (across, np.broadcast_to(UP, leaving.shape)):
        lean = angle(wish, leaving)
        far = np.minimum(lean, 180 - lean) >= limits.up_angle
        best = np.where(far[..., None], wish, best)
    square = best - (best * leaving).sum(axis=-1, keepdims=True) * leaving
    vectors: Floats = square / np.linalg.norm(square, axis=-1, keepdims=True)
    return vectors


def _mended(graph: SplineGraph, better: SplineGraph, code: str, done: int, left: int) -> Mended:
    return Mended(better if done else graph, {code: done} if done else {}, {code: left} if left else {})
