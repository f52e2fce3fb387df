"""Fewer segments: start with the longest ones that fit, then replace windows of segments by one segment less."""

from __future__ import annotations

import time
from typing import Optional

import numpy as np

from ..model import Bools, Floats, Ints
from .chains import Chains, ranges, split
from .curves import Curves, FitOptions
from .fast import FIT, proved
from .merging import merge, replace
from .tracks import Track, curves, in_batches, judge

SIZES = (2, 3, 4)
"""Segments in a window, in the order of a sweep."""
SWEEPS = 4
"""Most sweeps over everything."""
WORTH = 1e-3
"""A sweep that saves less than this part of the segments is the last."""


def fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions) -> Curves:
    """Fit with few segments, each of them proved."""
    return in_batches(coords, offsets, closed, options, _fit)


def _fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions) -> Curves:
    chains = split(coords, offsets, closed, options)
    track, verdict = proved(chains, coords, options)
    track = _merged(track, chains, options)
    return curves(track, chains, coords, judge(track, chains, coords, options), options)


def _merged(track: Track, chains: Chains, options: FitOptions) -> Track:
    """Sweep until little is gained or time is up."""
    stamps = np.arange(track.controls.shape[2])
    failed: dict[int, Ints] = {size: np.zeros(0, np.int64) for size in SIZES}
    for _ in range(SWEEPS):
        before = track.controls.shape[2]
        for size in SIZES:
            for shift in range(size):
                first = _untried(track, stamps, failed, size, shift)
                keys = _keys(stamps, first, size)
                done = merge(track, chains, first, size, FIT * options.tolerance)
                starts = np.concatenate([m.first for m in done]) if done else first[:0]
                failed[size] = np.r_[failed[size], keys[~np.isin(first, starts)]]
                for k, m in enumerate(done):
                    if not len(m.first):
                        continue
                    gone = m.first + size - 1
                    track = replace(track, m)
                    fresh = stamps.max() + 1 + np.arange(len(m.first) * (size - 1)).reshape(size - 1, -1)
                    stamps = stamps.copy()
                    stamps[m.first + np.arange(size - 1)[:, None]] = fresh
                    stamps = np.delete(stamps, gone)
                    done[k + 1 :] = [
                        x._replace(first=x.first - np.searchsorted(gone, x.first)) for x in done[k + 1 :]
                    ]
        if before - track.controls.shape[2] < WORTH * before:
            break
    return track


def _keys(stamps: Ints, first: Ints, size: int) -> Ints:
    key = np.zeros(len(first), np.int64)
    for k in range(size):
        key = key * np.int64(1_000_003) + stamps[first + k]
    return key


def _untried(track: Track, stamps: Ints, failed: dict[int, Ints], size: int, shift: int) -> Ints:
    count = np.maximum(np.diff(track.offsets) - shift, 0) // size
    first = np.repeat(track.offsets[:-1] + shift, count) + size * ranges(np.zeros_like(count), count)
    return first[~np.isin(_keys(stamps, first, size), failed[size])]
