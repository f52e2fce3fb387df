"""Windows of neighbouring segments, and what it takes to replace one by a window with a segment less."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints
from .certificate import certify
from .chains import Chains, length, ranges
from .edges import beside, sound
from .spans import Patience, Samples, Windows, controls_of, refine, take
from .tracks import Track

LITTLE = Patience(passes=12, hopeless=((2, 60.0), (3, 12.0), (4, 6.0), (5, 4.0), (7, 2.0), (9, 1.5)), stall=5, lawson=2)
MUCH = Patience(passes=18, hopeless=((2, 600.0), (3, 40.0), (4, 20.0), (5, 10.0), (6, 6.0), (8, 4.0), (10, 2.5), (13, 1.6)), stall=6, lawson=2)
LOOKS = (1 / 3, 2 / 3)
"""Where on edges the curve is pulled towards them, in windows that leave their edges otherwise."""
SAFE = 0.98
"""Part of the distance allowed from an edge that this pull aims at."""


class Merger(NamedTuple):
    """Windows of a track that become one segment shorter.

    Attributes
    ----------
    first : ndarray of int, shape (W,)
        Their first segments.
    size : int
        How many segments each has now.
    inner : ndarray of int, shape (n,)
        The vertices between their ends.
    window : ndarray of int, shape (n,)
        The window of each of these.
    places : ndarray, shape (n,)
        Where on the new window each is.
    windows : Windows
        The new windows, of ``size - 1`` segments.
    """

    first: Ints
    size: int
    inner: Ints
    window: Ints
    places: Floats
    windows: Windows


def pick(merger: Merger, which: Bools) -> Merger:
    """Give some of the windows."""
    kept = which[merger.window]
    return Merger(
        merger.first[which],
        merger.size,
        merger.inner[kept],
        (np.cumsum(which) - 1)[merger.window[kept]],
        merger.places[kept],
        take(merger.windows, which),
    )


def merge(track: Track, chains: Chains, first: Ints, size: int, tolerance: float) -> list[Merger]:
    """Try to replace windows of `size` segments from the segments `first`, which do not overlap.

    Returns
    -------
    list of Merger
        All windows for which that is proved; none is there twice.
    """
    start = np.searchsorted(track.places, first, side="right")
    count = np.searchsorted(track.places, first + size, side="left") - start
    first, start, count = first[count > 0], start[count > 0], count[count > 0]
    if not len(first):
        return []
    inner, window = ranges(start, count), np.repeat(np.arange(len(first)), count)
    places = (track.places[inner] - first[window]) * ((size - 1) / size)
    merger = Merger(first, size, inner, window, places, _guess(track, chains, first, size))
    merger = _fitted(merger, chains, tolerance)
    near = _beside(merger, chains, tolerance)
    return [
        pick(part, _proved(part, track, chains, tolerance))
        for part in (pick(merger, near), _fitted_to_edges(pick(merger, ~near), chains, tolerance))
        if len(part.first)
    ]


def replace(track: Track, merger: Merger) -> Track:
    """Give the track with all windows of `merger` replaced."""
    count = merger.size - 1
    controls = track.controls.copy()
    controls[:, :, merger.first + np.arange(count)[:, None]] = controls_of(merger.windows)
    gone = merger.first + count
    places = track.places.copy()
    places[merger.inner] = merger.first[merger.window] + merger.places
    places -= np.searchsorted(gone, places, side="left")
    offsets = track.offsets - np.searchsorted(gone, track.offsets, side="left")
    return Track(np.delete(controls, gone, axis=2), offsets, places)


def _guess(track: Track, chains: Chains, first: Ints, size: int) -> Windows:
    """Spread one segment less over each window, along the curve that is there."""
    old = track.controls[:, :, first + np.arange(size)[:, None]]
    at = np.linspace(0, size, size)
    segment = np.minimum(at.astype(np.int64), size - 1)
    t = (at - segment)[:, None]
    curve = old[:, :, segment].transpose(2, 3, 0, 1)
    place = bezier.evaluate(curve, t).transpose(0, 2, 1)
    along = bezier.derivative(curve, t).transpose(0, 2, 1)
    along /= np.sqrt((along * along).sum(axis=1, keepdims=True))
    legs = length(np.diff(old, axis=0).transpose(1, 0, 2, 3)).sum(axis=0)
    sizes = (legs + length((old[3] - old[0]))) / 2
    arc = np.concatenate([np.zeros((1, len(first))), np.cumsum(sizes, axis=0)])
    third = np.diff(arc[segment] + (arc[segment + 1] - arc[segment]) * t, axis=0) / 3
    arms = third[:, None] * along[:-1], third[:, None] * along[1:]
    return Windows(
        np.stack([place[:-1] + arms[0], place[1:] - arms[1]], axis=1),
        third[:-1] / (third[:-1] + third[1:]),
        place[[0, -1]],
        along[[0, -1]],
        _free(track, chains, first, size),
    )


def _free(track: Track, chains: Chains, first: Ints, size: int) -> Bools:
    """Say which ends of windows, shape (2, W), are free ends of chains."""
    joint = np.zeros(track.controls.shape[2] + 1, bool)
    start, stop = joint, joint.copy()
    start[track.offsets[:-1]] = chains.free[chains.offsets[:-1]]
    stop[track.offsets[1:]] = chains.free[chains.offsets[1:] - 1]
    return np.stack([start[first], stop[first + size]])


def _fitted(merger: Merger, chains: Chains, tolerance: float) -> Merger:
    """Fit the windows to their vertices; give those that come near enough and have a good shape."""
    limits = np.full(len(merger.inner), tolerance)
    samples = Samples(chains.points[:, merger.inner], merger.window, merger.places, limits)
    done, windows, places = refine(merger.windows, samples, LITTLE if merger.size == 2 else MUCH)
    return pick(merger._replace(windows=windows, places=places), done & sound(windows))


class _Edges(NamedTuple):
    """The edges beside windows, those that they share with their neighbours too.

    The first vertex (E,) and the window (E,) of each, and where on the window (2, E) the curve beside it begins and
    ends.
    """

    vertex: Ints
    window: Ints
    places: Floats


def _edges(merger: Merger) -> _Edges:
    count = np.bincount(merger.window, minlength=len(merger.first))
    head = np.cumsum(count + 1) - count - 1
    start = merger.inner[np.cumsum(count) - count] - 1
    places = np.zeros((2, len(merger.inner) + len(count)))
    inside = np.ones(places.shape[1], bool)
    inside[head] = False
    places[0, inside] = merger.places
    places[1, :-1] = places[0, 1:]
    places[1, head + count] = merger.size - 1
    return _Edges(ranges(start, count + 1), np.repeat(np.arange(len(count)), count + 1), places)


def _beside(merger: Merger, chains: Chains, tolerance: float) -> Bools:
    edges = _edges(merger)
    points = np.stack([chains.points[:, edges.vertex], chains.points[:, edges.vertex + 1]])
    return beside(
        merger.windows, edges.window, edges.places, points, chains.allowance[edges.vertex], tolerance
    )


def _fitted_to_edges(merger: Merger, chains: Chains, tolerance: float) -> Merger:
    """Fit the windows to their vertices and to places on their edges; give those that fit."""
    if not len(merger.first):
        return merger
    edges = _edges(merger)
    look = np.reshape(LOOKS, (-1, 1))
    start, end = chains.points[:, None, edges.vertex], chains.points[:, None, edges.vertex + 1]
    limits = SAFE * tolerance + chains.allowance[edges.vertex]
    rank = np.r_[merger.inner, (edges.vertex + look).ravel()]
    window = np.r_[merger.window, np.tile(edges.window, len(look))]
    order = np.lexsort((rank, window))
    samples = Samples(
        np.concatenate(
            [chains.points[:, merger.inner], (start + look * (end - start)).reshape(len(start), -1)], axis=1
        )[:, order],
        window[order],
        np.r_[merger.places, (edges.places[0] + look * (edges.places[1] - edges.places[0])).ravel()][order],
        np.r_[np.full(len(merger.inner), tolerance), np.tile(limits, len(look))][order],
    )
    done, windows, places = refine(merger.windows, samples, LITTLE if merger.size == 2 else MUCH)
    unsorted = np.empty(len(order))
    unsorted[order] = places
    fitted = merger._replace(windows=windows, places=unsorted[: len(merger.inner)])
    return pick(fitted, done & sound(windows))


def _proved(merger: Merger, track: Track, chains: Chains, tolerance: float) -> Bools:
    """Ask the certificate about each window, with the parts of its neighbours up to the next vertices."""
    if not len(merger.first):
        return np.zeros(0, bool)
    count = np.bincount(merger.window, minlength=len(merger.first))
    start = merger.inner[np.cumsum(count) - count] - 1
    before, after = track.places[start], track.places[start + count + 1]
    stop = merger.first + merger.size
    known = (before >= merger.first - 1) & (after <= stop + 1)
    head, tail = (before < merger.first) & known, (after > stop) & known
    number = merger.size - 1 + head + tail
    offsets = np.r_[0, np.cumsum(number)]
    controls = np.zeros((offsets[-1], 4, 3))
    rows = offsets[:-1] + head + np.arange(merger.size - 1)[:, None]
    controls[rows, :, : len(chains.points)] = controls_of(merger.windows).transpose(2, 3, 0, 1)
    parts = track.controls.transpose(2, 0, 1)
    first = merger.first[head] - 1
    controls[offsets[:-1][head], :, : parts.shape[2]] = bezier.subsegment(
        parts[first], (before[head] - first), 1.0
    )
    last = stop[tail]
    controls[offsets[1:][tail] - 1, :, : parts.shape[2]] = bezier.subsegment(
        parts[last], 0.0, after[tail] - last
    )
    vertex = ranges(start, count + 2)
    ends = np.cumsum(count + 2)
    parameters = np.empty(len(vertex))
    parameters[ends - count - 2], parameters[ends - 1] = offsets[:-1], offsets[1:]
    inside = np.ones(len(vertex), bool)
    inside[ends - 1] = inside[ends - count - 2] = False
    parameters[inside] = merger.places + (offsets[:-1] + head)[merger.window]
    coords = np.zeros((len(vertex), 3))
    coords[:, : len(chains.points)] = chains.points[:, vertex].T
    verdict = certify(
        coords, np.r_[0, ends], controls, offsets, chains.allowance[vertex], tolerance, parameters=parameters
    )
    return known & np.logical_and.reduceat(verdict.passed, offsets[:-1])
