"""Fewer segments: windows of neighbouring segments are replaced by one segment less, wherever that can be proved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .chains import Chains, length, ranges
from .curves import Curves, FitOptions
from .edges import beside, sound
from .spans import Patience, Samples, Windows, controls_of, refine, take
from .tracks import Track, judge

PATIENCE = Patience(passes=20, hopeless=((3, 64.0), (6, 9.0), (11, 3.0)), stall=5, lawson=2)


class _Cut(NamedTuple):
    """Windows of a track: their first segments, how many segments each has, and the vertices inside.

    `first` (W,) and `inner` (n,) are rows of segments and vertices, `window` (n,) the window of each vertex.
    """

    first: Ints
    size: int
    inner: Ints
    window: Ints


def windows_of(track: Track, size: int, shift: int) -> Ints:
    """Give the first segments of windows of `size` segments side by side, from the segment `shift` of each chain."""
    count = np.maximum(np.diff(track.offsets) - shift, 0) // size
    return np.repeat(track.offsets[:-1] + shift, count) + size * ranges(np.zeros_like(count), count)


def cut(track: Track, first: Ints, size: int) -> _Cut:
    """Find the vertices inside windows, and leave out windows without any."""
    start = np.searchsorted(track.places, first, side="right")
    count = np.searchsorted(track.places, first + size, side="left") - start
    some = count > 0
    inner = ranges(start[some], count[some])
    return _Cut(first[some], size, inner, np.repeat(np.arange(some.sum()), count[some]))


def guess(track: Track, chains: Chains, windows: _Cut) -> tuple[Windows, Floats]:
    """Spread one segment less over each window, along the curve that is there."""
    count, size = windows.size - 1, windows.size
    old = track.controls[:, :, windows.first[None] + np.arange(size)[:, None]]
    at = np.arange(count + 1) * (size / count)
    segment = np.minimum(at.astype(np.int64), size - 1)
    t = (at - segment)[:, None]
    start, one, two, end = old[:, :, segment]
    m = 1 - t
    place = m * m * (m * start + 3 * t * one) + t * t * (3 * m * two + t * end)
    along = m * m * (one - start) + 2 * m * t * (two - one) + t * t * (end - two)
    along /= length(along)
    legs = length(np.diff(old, axis=0).swapaxes(0, 1))
    arc = np.concatenate([np.zeros_like(legs[:1, 0]), np.cumsum((legs.sum(axis=0) + length(old[3] - old[0])) / 2, axis=0)])
    arc = arc[segment] + (arc[segment + 1] - arc[segment]) * t
    third = np.diff(arc, axis=0) / 3
    handles = np.stack([place[:, :-1] + third * along[:, :-1], place[:, 1:] - third * along[:, 1:]])
    last = windows.first + size - 1
    return (
        Windows(
            handles.transpose(2, 0, 1, 3),
            third[:-1] / (third[:-1] + third[1:]),
            np.stack([old[0, :, 0], old[3, :, -1]]),
            np.stack([along[:, 0], along[:, -1]]),
            _free(track, chains, windows.first, last),
        ),
        (track.places[windows.inner] - windows.first[windows.window]) * (count / size),
    )


def _free(track: Track, chains: Chains, first: Ints, last: Ints) -> Bools:
    start, stop = np.zeros(track.controls.shape[2], bool), np.zeros(track.controls.shape[2], bool)
    start[track.offsets[:-1]] = chains.free[chains.offsets[:-1]]
    stop[track.offsets[1:] - 1] = chains.free[chains.offsets[1:] - 1]
    return np.stack([start[first], stop[last]])


def replaced(track: Track, cut: _Cut, windows: Windows, places: Floats, which: Bools) -> Track:
    """Put windows with one segment less in the place of some."""
    count = cut.size - 1
    first = cut.first[which]
    controls = track.controls.copy()
    controls[:, :, first + np.arange(count)[:, None]] = controls_of(take(windows, which))
    gone = first + count
    moved = track.places.copy()
    of_vertex = which[cut.window]
    moved[cut.inner[of_vertex]] = cut.first[cut.window[of_vertex]] + places[of_vertex]
    moved -= np.searchsorted(gone, moved, side="left")
    offsets = track.offsets - np.searchsorted(gone, track.offsets, side="left")
    return Track(np.delete(controls, gone, axis=2), offsets, moved)


class _Edges(NamedTuple):
    """The edges beside windows, those that they share with their neighbours too: first vertex, window, places."""

    edge: Ints
    window: Ints
    places: Floats


def _edges(cut: _Cut, places: Floats) -> _Edges:
    counts = np.bincount(cut.window, minlength=len(cut.first))
    start = cut.inner[np.cumsum(counts) - counts] - 1
    edge = ranges(start, counts + 1)
    window = np.repeat(np.arange(len(start)), counts + 1)
    head = np.cumsum(counts + 1) - counts - 1
    ends = np.zeros((2, len(edge)))
    inside = np.ones(len(edge), bool)
    inside[head] = False
    ends[0, inside] = places
    ends[1, :-1] = ends[0, 1:]
    ends[1, head + counts] = cut.size - 1
    return _Edges(edge, window, ends)


def _near(chains: Chains, edges: _Edges, windows: Windows, tolerance: float) -> Bools:
    points = np.stack([chains.points[:, edges.edge], chains.points[:, edges.edge + 1]])
    return beside(windows, edges.window, edges.places, points, chains.allowance[edges.edge], tolerance)


def attempt(track: Track, chains: Chains, first: Ints, size: int, tolerance: float):
    c = cut(track, first, size)
    w, g = guess(track, chains, c)
    done, w, places = refine(w, Samples(chains.points[:, c.inner], c.window, g, np.full(len(g), tolerance)), PATIENCE)
    n = len(c.first)
    c, w, places = some(c, w, places, done)
    near = _near(chains, _edges(c, places), w, tolerance)
    c2, w2, places2 = some(c, w, places, ~near)
    if EDGES and len(c2.first):
        done2, w2, places2 = refine_edges(chains, c2, w2, places2, tolerance)
        c2, w2, places2 = some(c2, w2, places2, done2)
        near2 = _near(chains, _edges(c2, places2), w2, tolerance)
    else:
        near2 = np.zeros(len(c2.first), bool)
    STAT.append((n, done.sum(), near.sum(), len(near2), near2.sum()))
    return [(c, w, places, near & sound(w)), (c2, w2, places2, near2 & sound(w2))]

STAT = []
EDGES = True

def some(c, w, places, which):
    kept = which[c.window]
    return _Cut(c.first[which], c.size, c.inner[kept], (np.cumsum(which) - 1)[c.window[kept]]), take(w, which), places[kept]


def refine_edges(chains, c, w, places, tolerance):
    e = _edges(c, places)
    f = np.reshape(FRACTIONS, (-1, 1))
    pts = (1 - f) * chains.points[:, None, e.edge] + f * chains.points[:, None, e.edge + 1]
    pl = (1 - f) * e.places[0] + f * e.places[1]
    lim = np.broadcast_to(SAFE * tolerance + chains.allowance[e.edge], pl.shape)
    window = np.broadcast_to(e.window, pl.shape)
    vertex = np.searchsorted(e.edge + e.window * 0, e.edge) 
    allw = np.r_[c.window, window.ravel()]
    allp = np.r_[places, pl.ravel()]
    points = np.concatenate([chains.points[:, c.inner], pts.reshape(len(pts), -1)], axis=1)
    limits = np.r_[np.full(len(places), tolerance), lim.ravel()]
    rank = np.r_[c.inner.astype(float), (e.edge + f).ravel()]
    order = np.lexsort((rank, allw))
    done, w, pl = refine(w, Samples(points[:, order], allw[order], allp[order], limits[order]), PATIENCE)
    back = np.empty(len(order)); back[order] = pl
    return done, w, back[: len(places)]

FRACTIONS = (1 / 3, 2 / 3)
SAFE = 0.98
