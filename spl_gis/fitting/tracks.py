"""Fitted chains: from control points near the origin to those of the scene, and what the certificate says."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints
from ..report import Progress
from .certificate import Verdict, certify, certify_spans
from .chains import Chains, ranges
from .curves import Curves, FitOptions


class Track(NamedTuple):
    """Curves of all chains.

    Attributes
    ----------
    controls : ndarray, shape (4, D, S)
        Control points, as seen from where the chains' points are seen from.
    offsets : ndarray of int, shape (C + 1,)
        Chain ``i`` became the segments ``offsets[i]`` to ``offsets[i + 1] - 1``.
    places : ndarray, shape (n,)
        Segment + parameter of each vertex; the last vertex of a chain is at the end of its last segment.
    """

    controls: Floats
    offsets: Ints
    places: Floats


class Spans(NamedTuple):
    """Segments from vertex to vertex, in any order.

    Attributes
    ----------
    first, last : ndarray of int, shape (S,)
        Rows of the vertices.
    handles : ndarray, shape (2, D, S)
        Inner control points.
    """

    first: Ints
    last: Ints
    handles: Floats


def pick(spans: Spans, which: Bools) -> Spans:
    """Give some of the segments."""
    return Spans(spans.first[which], spans.last[which], spans.handles[..., which])


def joined(*parts: Spans) -> Spans:
    """Give the segments of all parts in order."""
    first = np.concatenate([part.first for part in parts])
    last = np.concatenate([part.last for part in parts])
    handles = np.concatenate([part.handles for part in parts], axis=2)
    order = np.argsort(first, kind="stable")
    return Spans(first[order], last[order], handles[..., order])


def lay(chains: Chains, parameter: Floats, spans: Spans) -> Track:
    """Make a track of ordered segments that cover all chains.

    `parameter` (n,) is that of each vertex inside a segment.
    """
    first, last, points = spans.first, spans.last, chains.points
    controls = np.stack([points[:, first], spans.handles[0], spans.handles[1], points[:, last]])
    offsets = np.searchsorted(first, chains.offsets)
    places = np.empty(points.shape[1])
    inner = ranges(first, last - first)
    places[inner] = np.repeat(np.arange(len(first)), last - first) + parameter[inner]
    places[first] = np.arange(len(first))
    places[chains.offsets[1:] - 1] = offsets[1:]
    return Track(controls, offsets, places)


def in_scene(track: Track, chains: Chains, coords: Floats, options: FitOptions) -> Floats:
    """Give control points, shape (S, 4, 3), in the scene; the ends of chains are exactly their vertices."""
    controls = _moved(track.controls, np.repeat(chains.origin, np.diff(track.offsets), axis=0), options)
    controls[track.offsets[:-1], 0] = coords[chains.vertex[chains.offsets[:-1]]]
    controls[track.offsets[1:] - 1, 3] = coords[chains.vertex[chains.offsets[1:] - 1]]
    return _with_handles(controls)


def mixed(track: Track, other: Track, which: Bools, chains: Chains) -> Track:
    """Take some chains from another track."""
    count = np.where(which, np.diff(other.offsets), np.diff(track.offsets))
    start = np.where(which, other.offsets[:-1] + track.controls.shape[2], track.offsets[:-1])
    controls = np.concatenate([track.controls, other.controls], axis=2)[:, :, ranges(start, count)]
    offsets = np.r_[0, np.cumsum(count)]
    chain = np.repeat(np.arange(len(which)), np.diff(chains.offsets))
    places = np.where(which[chain], other.places - other.offsets[chain], track.places - track.offsets[chain])
    return Track(controls, offsets, places + offsets[chain])


def _moved(controls: Floats, origin: Floats, options: FitOptions) -> Floats:
    moved = np.repeat(origin[:, None], 4, axis=1)
    rows = controls.transpose(2, 0, 1)
    moved[..., : rows.shape[2]] += rows / ([1.0, 1.0, options.z_scale][: rows.shape[2]])
    return moved


def _with_handles(controls: Floats) -> Floats:
    """Let handles that rounding swallowed go to the other end; the engine takes no zero tangents."""
    for handle, end, other in ((1, 0, 3), (2, 3, 0)):
        lost = (controls[:, handle] == controls[:, end]).all(axis=1)
        controls[lost, handle] = controls[lost, other]
    return controls


def judge(track: Track, chains: Chains, coords: Floats, options: FitOptions) -> Verdict:
    """Ask the certificate about the control points as they will be written."""
    return certify(
        coords[chains.vertex],
        chains.offsets,
        in_scene(track, chains, coords, options),
        track.offsets,
        chains.allowance,
        options.tolerance,
        parameters=track.places,
        z_scale=options.z_scale,
    )


def judge_spans(
    spans: Spans, parameter: Floats, chains: Chains, coords: Floats, options: FitOptions
) -> Bools:
    """Ask the certificate about some segments from vertex to vertex."""
    ends = [chains.points[:, spans.first], chains.points[:, spans.last]]
    controls = np.stack([ends[0], spans.handles[0], spans.handles[1], ends[1]])
    origin = chains.origin[np.searchsorted(chains.offsets, spans.first, side="right") - 1]
    return certify_spans(
        coords[chains.vertex],
        spans.first,
        spans.last,
        _with_handles(_moved(controls, origin, options)),
        parameter[ranges(spans.first + 1, spans.last - spans.first - 1)],
        chains.allowance,
        options.tolerance,
        z_scale=options.z_scale,
    )


def curves(track: Track, chains: Chains, coords: Floats, verdict: Verdict, options: FitOptions) -> Curves:
    """Give the curves of whole pieces, with the deviations that the certificate found."""
    start = track.offsets[np.flatnonzero(np.diff(chains.piece, prepend=-1))]
    controls, bounds = in_scene(track, chains, coords, options), np.arange(track.controls.shape[2] + 1.0)
    if options.max_length is not None:
        controls, bounds = _cut(controls, options.max_length)
    places = np.empty(len(coords))
    places[chains.vertex] = np.interp(track.places, bounds, np.arange(len(bounds)))
    return Curves(
        controls,
        np.searchsorted(bounds, np.append(start, track.controls.shape[2])),
        places,
        np.maximum.reduceat(verdict.vertex_deviation, start),
        np.maximum.reduceat(verdict.curve_deviation, start),
    )


def _cut(controls: Floats, most: float) -> tuple[Floats, Floats]:
    """Cut segments longer than `most` into equally long parts; say where: segment + parameter."""
    parts = np.maximum(np.ceil(bezier.length(controls) / most * (1 - 1e-9)), 1).astype(np.int64)
    number = ranges(np.zeros_like(parts), parts)
    whole = np.repeat(controls, parts, axis=0)
    at = np.stack([number, number + 1]) / np.repeat(parts, parts)
    inner = (at > 0) & (at < 1)
    for end in range(2):
        at[end, inner[end]] = bezier.parameter_at(whole[inner[end]], at[end, inner[end]])
    segment = np.repeat(np.arange(len(parts)), parts)
    return bezier.subsegment(whole, at[0], at[1]), np.append(segment + at[0], len(parts))


FitBatch = Callable[[Floats, Ints, Bools, FitOptions, Bools], Curves]

BATCH = 250_000
"""Vertices fitted together at most: enough to hide numpy's overhead, few enough for memory."""


def in_batches(
    coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools, fit: FitBatch
) -> Curves:
    """Fit polylines batch by batch, and tell the progress."""
    if len(closed) == 0:
        return Curves(np.zeros((0, 4, 3)), np.zeros(1, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    size = len(coords) / np.ceil(len(coords) / BATCH)
    starts = np.r_[np.flatnonzero(np.diff(offsets[:-1] // size, prepend=-1)), len(closed)]
    parts = []
    for start, stop in zip(starts[:-1], starts[1:]):
        rows, share = slice(offsets[start], offsets[stop]), (offsets[[start, stop]] / len(coords)).tolist()
        told = replace(options, progress=_share(options.progress, *share))
        told.progress(0.0, "fitting")
        lines = offsets[start : stop + 1] - offsets[start], closed[start:stop]
        parts.append(fit(coords[rows], *lines, told, stops[rows]))
    options.progress(1.0, "fitting")
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    before = np.cumsum([0, *(len(part.controls) for part in parts)])
    return Curves(
        np.concatenate([part.controls for part in parts]),
        np.r_[0, np.cumsum(counts)],
        np.concatenate([part.places + start for part, start in zip(parts, before)]),
        np.concatenate([part.vertex_deviation for part in parts]),
        np.concatenate([part.curve_deviation for part in parts]),
    )


def _share(progress: Progress, start: float, stop: float) -> Progress:
    """Give a progress for a part of the job."""
    return lambda fraction, what: progress(start + fraction * (stop - start), what)
