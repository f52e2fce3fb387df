"""Windows of neighbouring segments, and what it takes to replace one by a window with a segment less."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints
from .certificate import certify
from .chains import Chains, length, ranges
from .edges import Edges, beside, edges_of, sound
from .spans import Patience, Samples, refine
from .tracks import Track
from .windows import TINY, Windows, controls_of, norm, take, together

PATIENCE = Patience(
    passes=30,
    hopeless=((2, 1000.0), (3, 64.0), (6, 16.0), (8, 10.0), (11, 5.0), (16, 3.0)),
    stalled=((3, 2.5), (5, 1.5), (9, 0.0)),
    lawson=3,
)
EDGE_PATIENCE = Patience(
    passes=15, hopeless=((0, 400.0), (2, 40.0), (4, 12.0), (7, 5.0)), stalled=((6, 0.0),), lawson=2
)
"""For windows that fit their vertices already."""
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


def merge(track: Track, chains: Chains, first: Ints, size: int, tolerance: float) -> Merger:
    """Try to replace windows of `size` segments from the segments `first`, which do not overlap.

    Windows are fitted to their vertices first; those that then leave their edges too far are fitted to
    places on the edges, too. Windows without a vertex inside are left out.

    Returns
    -------
    Merger
        The windows that the certificate passes.
    """
    start = np.searchsorted(track.places, first, side="right")
    count = np.searchsorted(track.places, first + size, side="left") - start
    first, start, count = first[count > 0], start[count > 0], count[count > 0]
    inner, window = ranges(start, count), np.repeat(np.arange(len(first)), count)
    places = (track.places[inner] - first[window]) * ((size - 1) / size)
    merger = Merger(first, size, inner, window, places, _guess(track, chains, first, size))
    merger = _fitted(merger, chains, tolerance)
    near = beside(merger.windows, _edges(merger), chains, tolerance)
    merger = _joined(pick(merger, near), _fitted_to_edges(pick(merger, ~near), chains, tolerance))
    return pick(merger, _proved(merger, track, chains, tolerance))


def _joined(one: Merger, two: Merger) -> Merger:
    return Merger(
        np.r_[one.first, two.first],
        one.size,
        np.r_[one.inner, two.inner],
        np.r_[one.window, two.window + len(one.first)],
        np.r_[one.places, two.places],
        together(one.windows, two.windows),
    )


def replace(track: Track, merger: Merger) -> Track:
    """Give the track with all windows of `merger` replaced."""
    count = merger.size - 1
    controls = track.controls.copy()
    controls[:, :, merger.first + np.arange(count)[:, None]] = controls_of(merger.windows)
    gone = np.sort(merger.first) + count
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
    along /= norm(along, 1)[:, None] + TINY
    legs = length(np.diff(old, axis=0).transpose(1, 0, 2, 3)).sum(axis=0)
    sizes = (legs + length(old[3] - old[0])) / 2
    arc = np.concatenate([np.zeros((1, len(first))), np.cumsum(sizes, axis=0)])
    third = np.diff(arc[segment] + (arc[segment + 1] - arc[segment]) * t, axis=0) / 3
    arms = third[:, None] * along[:-1], third[:, None] * along[1:]
    return Windows(
        np.stack([place[:-1] + arms[0], place[1:] - arms[1]], axis=1),
        third[:-1] / (third[:-1] + third[1:]),
        place[[0, -1]],
        _joint_directions(track, chains, along[[0, -1]], first, size),
        _free(track, chains, first, size),
        _rings(track, chains, first, size),
    )


def _joint_directions(track: Track, chains: Chains, along: Floats, first: Ints, size: int) -> Floats:
    """Give the directions, shape (2, D, W), at the ends of windows: from handle to handle across the joint.

    So the windows on both sides of a joint see the same direction, even where one handle is so short that
    its own is mostly rounding. At the ends of chains that are no rings it is theirs, or `along` if free.
    """
    segment = np.arange(track.controls.shape[2])
    before, after = segment - 1, segment + 1
    start, stop = track.offsets[:-1], track.offsets[1:] - 1
    before[start], after[stop] = np.where(chains.ring, [stop, start], [start, stop])
    last = first + size - 1
    across = np.stack(
        [
            track.controls[1][:, first] - track.controls[2][:, before[first]],
            track.controls[1][:, after[last]] - track.controls[2][:, last],
        ]
    )
    lone = np.stack([before[first] == first, after[last] == last])[:, None] & ~_rings(
        track, chains, first, size
    )
    chain = np.searchsorted(track.offsets, first, side="right") - 1
    ends = np.stack([chains.offsets[:-1], chains.offsets[1:] - 1])[:, chain]
    theirs = chains.directions[:, ends].transpose(1, 0, 2)
    fixed = np.where(chains.free[ends][:, None], along, theirs)
    return np.where(lone, fixed, across / (norm(across, 1)[:, None] + TINY))


def _free(track: Track, chains: Chains, first: Ints, size: int) -> Bools:
    """Say which ends of windows, shape (2, W), are free ends of chains."""
    joint = np.zeros(track.controls.shape[2] + 1, bool)
    start, stop = joint, joint.copy()
    start[track.offsets[:-1]] = chains.free[chains.offsets[:-1]]
    stop[track.offsets[1:]] = chains.free[chains.offsets[1:] - 1]
    return np.stack([start[first], stop[first + size]])


def _rings(track: Track, chains: Chains, first: Ints, size: int) -> Bools:
    """Say which windows are whole rings."""
    chain = np.searchsorted(track.offsets, first, side="right") - 1
    return np.asarray(chains.ring[chain] & (np.diff(track.offsets)[chain] == size))


def _fitted(merger: Merger, chains: Chains, tolerance: float) -> Merger:
    """Fit the windows to their vertices; give those that come near enough and have a good shape."""
    limits = np.full(len(merger.inner), tolerance)
    samples = Samples(chains.points[:, merger.inner], merger.window, merger.places, limits)
    done, windows, places = refine(merger.windows, samples, PATIENCE)
    return pick(merger._replace(windows=windows, places=places), done & sound(windows))


def _edges(merger: Merger) -> Edges:
    return edges_of(*_runs(merger), merger.places, merger.size - 1)


def _runs(merger: Merger) -> tuple[Ints, Ints]:
    """Give the last vertex before each window, and how many vertices are inside."""
    count = np.bincount(merger.window, minlength=len(merger.first))
    return merger.inner[np.cumsum(count) - count] - 1, count


def _fitted_to_edges(merger: Merger, chains: Chains, tolerance: float) -> Merger:
    """Fit the windows to their vertices and to places on their edges; give those that fit."""
    edges = _edges(merger)
    look = np.reshape(LOOKS, (-1, 1))
    start, end = chains.points[:, None, edges.vertex], chains.points[:, None, edges.vertex + 1]
    between = (start + look * (end - start)).reshape(len(start), -1)
    places = (edges.places[0] + look * (edges.places[1] - edges.places[0])).ravel()
    limits = SAFE * tolerance + chains.allowance[edges.vertex]
    window = np.r_[merger.window, np.tile(edges.window, len(look))]
    order = np.lexsort((np.r_[merger.inner, (edges.vertex + look).ravel()], window))
    samples = Samples(
        np.concatenate([chains.points[:, merger.inner], between], axis=1)[:, order],
        window[order],
        np.r_[merger.places, places][order],
        np.r_[np.full(len(merger.inner), tolerance), np.tile(limits, len(look))][order],
    )
    done, windows, found = refine(merger.windows, samples, EDGE_PATIENCE)
    unsorted = np.empty(len(order))
    unsorted[order] = found
    fitted = merger._replace(windows=windows, places=unsorted[: len(merger.inner)])
    return pick(fitted, done & sound(windows))


def _proved(merger: Merger, track: Track, chains: Chains, tolerance: float) -> Bools:
    """Ask the certificate about each window, with the parts of its neighbours up to the next vertices.

    Windows whose next vertices are further away than the neighbouring segment do not pass.
    """
    if not len(merger.first):
        return np.zeros(0, bool)
    dimension, number = len(chains.points), merger.size - 1
    start, count = _runs(merger)
    before, after, stop = track.places[start], track.places[start + count + 1], merger.first + merger.size
    known = (before >= merger.first - 1) & (after <= stop + 1)
    head, tail = (before < merger.first) & known, (after > stop) & known
    offsets = np.r_[0, np.cumsum(number + head + tail)]
    controls = np.zeros((offsets[-1], 4, 3))
    own = offsets[:-1] + head + np.arange(number)[:, None]
    controls[own, :, :dimension] = controls_of(merger.windows).transpose(2, 3, 0, 1)
    for at, which, segment, t0, t1 in (
        (offsets[:-1], head, merger.first - 1, before - merger.first + 1, np.ones(len(stop))),
        (offsets[1:] - 1, tail, stop, np.zeros(len(stop)), after - stop),
    ):
        neighbour = track.controls[:, :, segment[which]].transpose(2, 0, 1)
        controls[at[which], :, :dimension] = bezier.subsegment(neighbour, t0[which], t1[which])
    vertex, ends = ranges(start, count + 2), np.cumsum(count + 2)
    parameters = np.empty(len(vertex))
    inside = np.ones(len(vertex), bool)
    inside[ends - 1] = inside[ends - count - 2] = False
    parameters[ends - count - 2], parameters[ends - 1] = offsets[:-1], offsets[1:]
    parameters[inside] = merger.places + (offsets[:-1] + head)[merger.window]
    coords = np.zeros((len(vertex), 3))
    coords[:, :dimension] = chains.points[:, vertex].T
    verdict = certify(
        coords,
        np.r_[0, ends],
        controls,
        offsets,
        chains.allowance[vertex],
        tolerance,
        parameters=parameters,
    )
    return np.asarray(known & np.logical_and.reduceat(verdict.passed, offsets[:-1]))
