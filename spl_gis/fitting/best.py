"""Few segments: start with the longest that fit, then replace windows of them by one segment less."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .certificate import Verdict
from .chains import Chains, ranges, split
from .curves import Curves, FitOptions
from .fast import FIT, proved
from .merging import merge, replace
from .tracks import Track, curves, in_batches, judge, mixed

SIZES = (2, 3, 4)
"""Segments in a window, in the order of a sweep."""
SWEEPS = 3
"""Most sweeps over everything."""


def fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Curves:
    """Fit with few segments, each of them proved.

    The result of `fast` is improved step by step: windows of two to four neighbouring segments become one
    segment less, with the places and directions of the joints between them free. Each step is proved
    before it is taken, so the work may end at any time: `options.seconds` says when.

    Parameters
    ----------
    coords, offsets, closed, options, stops
        As in `spl_gis.fitting.fit`.

    Returns
    -------
    Curves
        With the deviations that the certificate found.
    """
    deadline = None if options.seconds is None else time.monotonic() + options.seconds

    def fit_batch(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Curves:
        return _fit(split(coords, offsets, closed, options, stops), coords, options, deadline)

    return in_batches(coords, offsets, closed, options, stops, fit_batch)


def _fit(chains: Chains, coords: Floats, options: FitOptions, deadline: float | None) -> Curves:
    track, verdict = proved(chains, coords, options)
    merged = _merged(track, chains, options, deadline)
    track, verdict = _sure(merged, track, verdict, chains, coords, options)
    return curves(track, chains, coords, verdict, options)


def _sure(
    merged: Track, track: Track, verdict: Verdict, chains: Chains, coords: Floats, options: FitOptions
) -> tuple[Track, Verdict]:
    """Judge the whole as it will be written; chains that rounding spoiled stay as they were before."""
    if merged is track:
        return track, verdict
    verdict = judge(merged, chains, coords, options)
    spoiled = ~np.logical_and.reduceat(verdict.passed, merged.offsets[:-1])
    if not spoiled.any():
        return merged, verdict
    merged = mixed(merged, track, spoiled, chains)
    return merged, judge(merged, chains, coords, options)


class _Search(NamedTuple):
    """A track, and what is known of it.

    Every segment has a number of its own that no other segment ever had; windows that could not be
    replaced are known by the numbers of their segments, for each size of window.
    """

    track: Track
    number: Ints
    failed: dict[int, Ints]


def _merged(track: Track, chains: Chains, options: FitOptions, deadline: float | None) -> Track:
    """Sweep over all windows until nothing is gained, or time is up."""
    none = np.zeros(0, np.int64)
    search = _Search(track, np.arange(track.controls.shape[2]), dict.fromkeys(SIZES, none))
    steps = [(size, shift) for size in SIZES for shift in range(size)]
    for sweep in range(SWEEPS):
        before = search.track.controls.shape[2]
        for done, (size, shift) in enumerate(steps, sweep * len(steps)):
            options.progress((done + 1) / (SWEEPS * len(steps) + 1), "merging")
            if deadline is not None and time.monotonic() > deadline:
                return search.track
            search = _step(search, chains, size, shift, FIT * options.tolerance)
        if search.track.controls.shape[2] == before:
            break
    return search.track


def _step(search: _Search, chains: Chains, size: int, shift: int, tolerance: float) -> _Search:
    """Try the windows of `size` segments side by side, from the segment `shift` of each chain."""
    track, number = search.track, search.number
    count = np.maximum(np.diff(track.offsets) - shift, 0) // size
    first = np.repeat(track.offsets[:-1] + shift, count) + size * ranges(np.zeros_like(count), count)
    keys = _keys(number, first, size)
    untried = ~np.isin(keys, search.failed[size])
    first, keys = first[untried], keys[untried]
    merger = merge(track, chains, first, size, tolerance)
    failed = np.r_[search.failed[size], keys[~np.isin(first, merger.first)]]
    number = number.copy()
    fresh = merger.first + np.arange(size - 1)[:, None]
    number[fresh] = number.max(initial=0) + 1 + np.arange(fresh.size).reshape(fresh.shape)
    number = np.delete(number, merger.first + size - 1)
    return _Search(replace(track, merger), number, {**search.failed, size: failed})


def _keys(number: Ints, first: Ints, size: int) -> Ints:
    """Give a number for each window that, very nearly, only the same segments have."""
    keys = np.zeros(len(first), np.int64)
    for k in range(size):
        keys = keys * 1_000_003 + number[first + k]
    return keys
