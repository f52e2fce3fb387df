"""Fitted chains: from control points near the origin to those of the scene, and the certificate's word on them."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
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
    return Spans(*(field[..., which] for field in spans))


def joined(*parts: Spans) -> Spans:
    """Give the segments of all parts in order."""
    spans = Spans(*(np.concatenate(field, axis=-1) for field in zip(*parts)))
    order = np.argsort(spans.first, kind="stable")
    return Spans(*(field[..., order] for field in spans))


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
    """Give the control points, shape (S, 4, 3), in the scene; the ends of chains are exactly their vertices."""
    controls = _moved(track.controls, np.repeat(chains.origin, np.diff(track.offsets), axis=0), options)
    controls[track.offsets[:-1], 0] = coords[chains.vertex[chains.offsets[:-1]]]
    controls[track.offsets[1:] - 1, 3] = coords[chains.vertex[chains.offsets[1:] - 1]]
    return controls


def _moved(controls: Floats, origin: Floats, options: FitOptions) -> Floats:
    moved = np.repeat(origin[:, None], 4, axis=1)
    rows = controls.transpose(2, 0, 1)
    moved[..., : rows.shape[2]] += rows / ([1.0, 1.0, options.z_scale][: rows.shape[2]])
    return moved


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
        _moved(controls, origin, options),
        parameter[ranges(spans.first + 1, spans.last - spans.first - 1)],
        chains.allowance,
        options.tolerance,
        z_scale=options.z_scale,
    )


def curves(track: Track, chains: Chains, coords: Floats, verdict: Verdict, options: FitOptions) -> Curves:
    """Give the curves of whole polylines, with the deviations that the certificate found."""
    first = np.flatnonzero(np.diff(chains.polyline, prepend=-1))
    start = track.offsets[first]
    return Curves(
        in_scene(track, chains, coords, options),
        np.r_[start, track.offsets[-1]],
        np.maximum.reduceat(verdict.vertex_deviation, start),
        np.maximum.reduceat(verdict.curve_deviation, start),
    )


FitBatch = Callable[[Floats, Ints, Bools, FitOptions], Curves]

BATCH = 200_000
"""Vertices fitted together: enough to hide numpy's overhead, few enough for memory."""


def in_batches(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, fit: FitBatch) -> Curves:
    """Fit polylines batch by batch, and tell the progress between."""
    if len(offsets) == 1:
        return Curves(np.zeros((0, 4, 3)), np.zeros(1, np.int64), np.zeros(0), np.zeros(0))
    batch = offsets[:-1] // BATCH
    starts = np.r_[np.flatnonzero(np.diff(batch, prepend=-1)), len(closed)]
    parts = []
    for start, stop in zip(starts[:-1], starts[1:]):
        options.progress(float(offsets[start] / len(coords)), "fitting")
        rows = slice(offsets[start], offsets[stop])
        parts.append(
            fit(coords[rows], offsets[start : stop + 1] - offsets[start], closed[start:stop], options)
        )
    options.progress(1.0, "fitting")
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return Curves(
        np.concatenate([part.controls for part in parts]),
        np.r_[0, np.cumsum(counts)],
        np.concatenate([part.vertex_deviation for part in parts]),
        np.concatenate([part.curve_deviation for part in parts]),
    )
