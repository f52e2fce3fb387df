"""Runs of segments with free joints, as arrays.

A *window* is a run of ``K`` segments, the same ``K`` for all windows of an array, whose two outer joints
stay where they are. Its unknowns are the two handles (inner control points) of each segment and, for each
inner joint, where on the line between its two handles it lies: so neighbouring segments share their
direction whatever the unknowns are. Arrays have the windows on their last axis, where numpy is fastest;
``D`` is 2 or 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints

TINY = 1e-300
"""Added to what may be 0 and is divided by."""


class Windows(NamedTuple):
    """Runs of segments to fit.

    Attributes
    ----------
    handles : ndarray, shape (K, 2, D, W)
        Inner control points.
    ways : ndarray, shape (K - 1, W)
        Where inner joints lie on the line from the handle before to the handle after, 0 to 1.
    ends : ndarray, shape (2, D, W)
        First and last control point.
    directions : ndarray, shape (2, D, W)
        Unit direction of travel at both ends.
    free : ndarray of bool, shape (2, W)
        Ends whose direction is not fixed.
    tied : ndarray of bool, shape (W,)
        Whole rings: start and end are one place, and their direction is free but the same.
    """

    handles: Floats
    ways: Floats
    ends: Floats
    directions: Floats
    free: Bools
    tied: Bools


def take(windows: Windows, which: Ints | Bools | slice) -> Windows:
    """Give some of the windows."""
    if isinstance(which, slice):
        which = np.arange(len(windows.tied))[which]
    rows = np.flatnonzero(which) if which.dtype == bool else which
    handles, ways, ends, directions, free, tied = windows
    return Windows(
        handles.take(rows, axis=-1),
        ways.take(rows, axis=-1),
        ends.take(rows, axis=-1),
        directions.take(rows, axis=-1),
        free.take(rows, axis=-1),
        tied.take(rows),
    )


def put(windows: Windows, which: Ints | Bools, others: Windows) -> None:
    """Overwrite some of the windows, in place."""
    for field, values in zip(windows, others):
        field[..., which] = values


def together(one: Windows, two: Windows) -> Windows:
    """Give the windows of both."""
    return Windows(
        np.concatenate([one.handles, two.handles], axis=-1),
        np.concatenate([one.ways, two.ways], axis=-1),
        np.concatenate([one.ends, two.ends], axis=-1),
        np.concatenate([one.directions, two.directions], axis=-1),
        np.concatenate([one.free, two.free], axis=-1),
        np.concatenate([one.tied, two.tied]),
    )


def controls_of(windows: Windows) -> Floats:
    """Give the control points, shape (4, D, K, W)."""
    count = windows.handles.shape[0]
    controls = np.empty((4, *windows.handles.shape[2:3], count, windows.handles.shape[3]))
    controls[1:3] = windows.handles.transpose(1, 2, 0, 3)
    controls[0, :, 0] = windows.ends[0]
    controls[3, :, -1] = windows.ends[1]
    before, after = controls[2, :, :-1], controls[1, :, 1:]
    controls[3, :, :-1] = before + windows.ways * (after - before)
    controls[0, :, 1:] = controls[3, :, :-1]
    return controls


def coefficients_of(windows: Windows) -> Floats:
    """Give polynomial coefficients, highest power first, shape (4, D, W * K), window by window."""
    start, first, second, end = controls_of(windows)
    rows = np.stack(
        [end - 3 * second + 3 * first - start, 3 * (second - 2 * first + start), 3 * (first - start), start]
    )
    return np.asarray(rows.transpose(0, 1, 3, 2).reshape(4, len(start), -1))


def dot(a: Floats, b: Floats) -> Floats:
    """Give inner products along axis 0, which is short."""
    total = a[0] * b[0]
    for row in range(1, len(a)):
        total += a[row] * b[row]
    return np.asarray(total)


def norm(vectors: Floats, axis: int) -> Floats:
    """Give Euclidean lengths along an axis."""
    return np.asarray(np.sqrt((vectors * vectors).sum(axis=axis)))
