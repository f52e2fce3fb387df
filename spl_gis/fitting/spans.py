"""Gauss-Newton on normal distances: many windows at once, arrays in, arrays out.

Each step moves the curve and, to first order in both, the foot points of the samples on it, which is
Gauss-Newton for the distances themselves and so converges in a few steps. Far samples get more weight as
it goes on (Lawson's method, C. L. Lawson, 1961), which turns least squares into least maximum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .equations import equations, solve
from .feet import follow, foot_of, place
from .windows import TINY, Windows, coefficients_of, controls_of, dot, norm, put, take, together

POOL = 32_000
"""Samples fitted together: enough to hide the overhead of calls, few enough for memory."""
LEAST, MOST = 0.04, 1.6
"""Bounds of an outer handle's length, in chords of its segment."""
WAY = 0.05
"""Least distance of a joint from its handles, as a share of the line between them."""
MOVE, SLIDE = 0.4, 0.2
"""Most that a handle moves in one step, as a share of its segment's handles, and a joint, of its line."""
PROGRESS = 0.9
"""A squared distance below this part of the least one so far is progress."""
PULL, FLOOR = 0.7, 0.05
"""Lawson: added to the squared ratio to the farthest sample; and the least weight, as a share of the most."""


class Samples(NamedTuple):
    """Vertices inside the windows, sorted by window, then along it.

    Attributes
    ----------
    points : ndarray, shape (D, n)
    window : ndarray of int, shape (n,)
    places : ndarray, shape (n,)
        Where on its window each is: segment + parameter, 0 to K.
    limits : ndarray, shape (n,)
        How far from each the curve may be.
    """

    points: Floats
    window: Ints
    places: Floats
    limits: Floats


class Patience(NamedTuple):
    """When to give a window up.

    Attributes
    ----------
    passes : int
        Most Gauss-Newton steps.
    hopeless : tuple of (int, float)
        After that many steps a window is given up whose squared distance is above that many squared limits.
    stall : int
        Steps without a tenth of progress before giving up.
    lawson : int
        Step from which on far vertices get more weight, which turns least squares into least maximum.
    """

    passes: int
    hopeless: tuple[tuple[int, float], ...]
    stall: int
    lawson: int


class _Pool(NamedTuple):
    """Windows that are being fitted, and their samples.

    Attributes
    ----------
    windows : Windows
    row, turn, idle, best : ndarray, shape (W,)
        Where each window comes from, steps taken, steps without progress, least squared distance so far.
    sample, window, points, places, scale, weight : ndarray, shape (n,), points (D, n)
        Where each sample comes from, its window here, coordinates, place, inverse squared limit, weight.
    """

    windows: Windows
    row: Ints
    turn: Ints
    idle: Ints
    best: Floats
    sample: Ints
    window: Ints
    points: Floats
    places: Floats
    scale: Floats
    weight: Floats


def _filled(windows: Windows, samples: Samples, rows: slice, inside: slice) -> _Pool:
    number = rows.stop - rows.start
    scale = samples.limits[inside] ** -2.0
    return _Pool(
        take(windows, rows),
        np.arange(rows.start, rows.stop),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.full(number, np.inf),
        np.arange(inside.start, inside.stop),
        samples.window[inside] - rows.start,
        samples.points[:, inside],
        samples.places[inside],
        scale,
        scale,
    )


def _both(pool: _Pool, more: _Pool) -> _Pool:
    return _Pool(
        together(pool.windows, more.windows),
        np.r_[pool.row, more.row],
        np.r_[pool.turn, more.turn],
        np.r_[pool.idle, more.idle],
        np.r_[pool.best, more.best],
        np.r_[pool.sample, more.sample],
        np.r_[pool.window, more.window + len(pool.row)],
        np.concatenate([pool.points, more.points], axis=1),
        np.r_[pool.places, more.places],
        np.r_[pool.scale, more.scale],
        np.r_[pool.weight, more.weight],
    )


def _kept(pool: _Pool, keep: Bools) -> _Pool:
    """Leave out the windows that are done or given up."""
    row, sample = np.flatnonzero(keep), np.flatnonzero(keep[pool.window])
    return _Pool(
        take(pool.windows, row),
        pool.row[row],
        pool.turn[row],
        pool.idle[row],
        pool.best[row],
        pool.sample[sample],
        (np.cumsum(keep) - 1)[pool.window[sample]],
        pool.points[:, sample],
        pool.places[sample],
        pool.scale[sample],
        pool.weight[sample],
    )


def _largest(values: Floats, window: Ints, number: int) -> Floats:
    """Give the largest value of each window; every window has one."""
    return np.asarray(np.maximum.reduceat(values, np.searchsorted(window, np.arange(number))))


def refine(windows: Windows, samples: Samples, patience: Patience) -> tuple[Bools, Windows, Floats]:
    """Move handles and joints until the curve is within the limits of all samples, or give up.

    Parameters
    ----------
    windows : Windows
        First guess. Every window has at least one sample.
    samples : Samples
        What to come near, with a first guess of the places.
    patience : Patience

    Returns
    -------
    ndarray of bool, shape (W,)
        Windows within the limits of all their samples, at their places.
    Windows
        The last state of all of them.
    ndarray, shape (n,)
        The places of all samples.
    """
    number = windows.handles.shape[3]
    done = np.zeros(number, bool)
    result = take(windows, np.arange(number))
    places = samples.places.copy()
    starts = np.searchsorted(samples.window, np.arange(number + 1))
    pool, taken = _filled(windows, samples, slice(0, 0), slice(0, 0)), 0
    while taken < number or len(pool.row):
        if taken < number and len(pool.window) < POOL // 2:
            room = starts[taken] + POOL - len(pool.window)
            upto = max(int(np.searchsorted(starts, room, side="right")) - 1, taken + 1)
            more = _filled(windows, samples, slice(taken, upto), slice(starts[taken], starts[upto]))
            pool, taken = _both(pool, more), upto
        pool, fine, stop = _stepped(pool, patience)
        if stop.any():
            done[pool.row[fine]] = True
            put(result, pool.row[stop], take(pool.windows, stop))
            of_sample = stop[pool.window]
            places[pool.sample[of_sample]] = pool.places[of_sample]
            pool = _kept(pool, ~stop)
    return done, result, places


def _stepped(pool: _Pool, patience: Patience) -> tuple[_Pool, Bools, Bools]:
    """Take a step with every window that goes on; say which are within their limits, and which stop here."""
    count, number = len(pool.windows.handles), len(pool.row)
    segment = np.minimum(pool.places.astype(np.int64), count - 1)
    slot = pool.window * count + segment
    foot = foot_of(coefficients_of(pool.windows), pool.points, slot, pool.places - segment)
    fine = _largest(foot.error2 * pool.scale, pool.window, number) <= 1
    normal2 = dot(foot.normal, foot.normal) * pool.scale
    far = _largest(normal2, pool.window, number)
    better = far < PROGRESS * pool.best
    idle = np.where(better, 0, pool.idle + 1)
    hopeless = np.full(patience.passes + 1, np.inf)
    for turn, most in patience.hopeless:
        hopeless[turn] = most
    stop = (
        fine
        | ~np.isfinite(far)
        | (idle > patience.stall)
        | (far > hopeless[pool.turn])
        | (pool.turn == patience.passes)
    )
    weight = np.where((pool.turn < patience.lawson)[pool.window], pool.weight, _weight(pool, normal2, far))
    moved = _moved(pool.windows, solve(*equations(pool.windows, slot, foot, weight)))
    # a step out of all bounds ends its window, but its samples need some place until then
    t = np.nan_to_num(follow(coefficients_of(moved), pool.points, slot, foot))
    places = place(moved, pool.window, segment, t)
    put(moved, stop, take(pool.windows, stop))
    return (
        pool._replace(
            windows=moved,
            turn=pool.turn + 1,
            idle=idle,
            best=np.where(better, far, pool.best),
            places=np.where(stop[pool.window], pool.places, places),
            weight=weight,
        ),
        fine,
        stop,
    )


def _weight(pool: _Pool, normal2: Floats, far: Floats) -> Floats:
    """Give far samples more weight; the greatest of a window is its scale."""
    share = pool.weight / pool.scale * (PULL + normal2 / (far + TINY)[pool.window])
    share /= _largest(share, pool.window, len(pool.row))[pool.window]
    return np.asarray(np.maximum(share, FLOOR) * pool.scale)


def _moved(windows: Windows, change: Floats) -> Windows:
    """Take the step, but move no handle by more than a share of its segment, nor back, nor onto its joint."""
    count, _, dimension, number = windows.handles.shape
    moves = change[: 2 * count * dimension].reshape(count, 2, dimension, number)
    slides = change[2 * count * dimension :]
    controls = controls_of(windows)
    reach = norm(controls[1] - controls[0], 0) + norm(controls[3] - controls[2], 0)
    limit = np.minimum(1.0, (MOVE * reach / (norm(moves, 2).max(axis=1) + TINY)).min(axis=0))
    if count > 1:
        limit = np.minimum(limit, (SLIDE / (np.abs(slides) + TINY)).min(axis=0))
    ways = np.clip(windows.ways + limit * slides, WAY, 1 - WAY)
    return _keep_forward(windows._replace(handles=windows.handles + limit * moves, ways=ways))


def _keep_forward(windows: Windows) -> Windows:
    """Put outer handles on their directions, neither backward nor vanishing nor too long."""
    handles, directions = windows.handles.copy(), windows.directions
    controls = controls_of(windows)[:, :, [0, -1]]
    size = norm(controls[3] - controls[0], 0)
    arms = np.stack([handles[0, 0] - windows.ends[0], windows.ends[1] - handles[-1, 1]])
    if windows.tied.any():
        seam = (arms / (norm(arms, 1)[:, None] + TINY)).sum(axis=0)
        directions = np.where(windows.tied, seam / (norm(seam, 0) + TINY), directions)
        legs = norm(np.diff(controls, axis=0), 1).sum(axis=0)
        size = np.where(windows.tied, legs / 2, size)
    for end, sign in ((0, 1.0), (1, -1.0)):
        length = np.clip(dot(arms[end], directions[end]), LEAST * size[end], MOST * size[end])
        fixed = windows.ends[end] + sign * length * directions[end]
        free = windows.free[end] & ~windows.tied
        handles[-end, end] = np.where(free, handles[-end, end], fixed)
    return windows._replace(handles=handles, directions=directions)
