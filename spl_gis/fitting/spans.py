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
from .feet import Foot, follow, foot_of, place
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
    stalled : tuple of (int, float)
        After that many steps without a tenth of progress a window is given up whose least squared distance is
        above that many squared limits.
    lawson : int
        Step from which on far vertices get more weight, which turns least squares into least maximum.
    """

    passes: int
    hopeless: tuple[tuple[int, float], ...]
    stalled: tuple[tuple[int, float], ...]
    lawson: int


class Pool(NamedTuple):
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


def start(windows: Windows, row: Ints, samples: Samples, sample: Ints) -> Pool:
    """Give a pool of windows that nothing was done with yet.

    `row` (W,) and `sample` (n,) are what the caller knows windows and samples by.
    """
    none, scale = np.zeros(len(row), np.int64), samples.limits**-2.0
    points, window, places, _ = samples
    return Pool(
        windows, row, none, none, np.full(len(row), np.inf), sample, window, points, places, scale, scale
    )


def both(pool: Pool, more: Pool) -> Pool:
    """Give the windows of both."""
    return Pool(
        together(pool.windows, more.windows),
        np.concatenate([pool.row, more.row]),
        np.concatenate([pool.turn, more.turn]),
        np.concatenate([pool.idle, more.idle]),
        np.concatenate([pool.best, more.best]),
        np.concatenate([pool.sample, more.sample]),
        np.concatenate([pool.window, more.window + len(pool.row)]),
        np.concatenate([pool.points, more.points], axis=1),
        np.concatenate([pool.places, more.places]),
        np.concatenate([pool.scale, more.scale]),
        np.concatenate([pool.weight, more.weight]),
    )


def _some(pool: Pool, keep: Bools, sample: Ints) -> Pool:
    """Give some windows, and their samples."""
    row, number = np.flatnonzero(keep), np.cumsum(keep) - 1
    return Pool(
        take(pool.windows, row),
        pool.row.take(row),
        pool.turn.take(row),
        pool.idle.take(row),
        pool.best.take(row),
        pool.sample.take(sample),
        number.take(pool.window.take(sample)),
        pool.points.take(sample, axis=1),
        pool.places.take(sample),
        pool.scale.take(sample),
        pool.weight.take(sample),
    )


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
    pool, taken = _part(windows, samples, starts, 0, 0), 0
    while taken < number or len(pool.row):
        if taken < number and len(pool.window) < POOL // 2:
            room = starts[taken] + POOL - len(pool.window)
            upto = max(int(np.searchsorted(starts, room, side="right")) - 1, taken + 1)
            pool, taken = both(pool, _part(windows, samples, starts, taken, upto)), upto
        pool, ended, fine = step(pool, patience)
        done[ended.row] = fine
        put(result, ended.row, ended.windows)
        places[ended.sample] = ended.places
    return done, result, places


def _part(windows: Windows, samples: Samples, starts: Ints, first: int, stop: int) -> Pool:
    """Give a pool of the windows `first` to ``stop - 1``, whose samples begin at `starts`."""
    inside = slice(starts[first], starts[stop])
    points, window, places, limits = samples
    some = Samples(points[:, inside], window[inside] - first, places[inside], limits[inside])
    return start(
        take(windows, slice(first, stop)), np.arange(first, stop), some, np.arange(inside.start, inside.stop)
    )


def step(pool: Pool, patience: Patience) -> tuple[Pool, Pool, Bools]:
    """Look where the windows are, and take a step with those that go on.

    Returns
    -------
    Pool
        The windows that go on.
    Pool
        Those that end here, at their places.
    ndarray of bool
        Which of these are within the limits of all their samples.
    """
    count, number = len(pool.windows.handles), len(pool.row)
    segment = np.minimum(pool.places.astype(np.int64), count - 1)
    slot = pool.window * count + segment
    foot = foot_of(coefficients_of(pool.windows), pool.points, slot, pool.places - segment)
    begin = np.searchsorted(pool.window, np.arange(number))
    fine = np.maximum.reduceat(foot.error2 * pool.scale, begin) <= 1 if number else np.zeros(0, bool)
    normal2 = dot(foot.normal, foot.normal) * pool.scale
    far = np.maximum.reduceat(normal2, begin) if number else np.zeros(0)
    better = far < PROGRESS * pool.best
    idle, best = np.where(better, 0, pool.idle + 1), np.where(better, far, pool.best)
    stop = fine | ~np.isfinite(far) | (pool.turn == patience.passes)
    for turn, most in patience.hopeless:
        stop |= (pool.turn == turn) & (far > most)
    for steps, most in patience.stalled:
        stop |= (idle >= steps) & (best > most)
    lawson = pool.turn >= patience.lawson
    pool = pool._replace(turn=pool.turn + 1, idle=idle, best=best)
    stopped = stop[pool.window]
    ended, go = _some(pool, stop, np.flatnonzero(stopped)), np.flatnonzero(~stopped)
    if len(ended.row):
        pool = _some(pool, ~stop, go)
        lawson, far, normal2, segment = lawson[~stop], far[~stop], normal2[go], segment[go]
        foot = Foot(*(values.take(go, axis=-1) for values in foot))
    if len(pool.row) == 0:
        return pool, ended, fine[stop]
    if lawson.any():
        pool = pool._replace(weight=np.where(lawson[pool.window], _weight(pool, normal2, far), pool.weight))
    return _stepped(pool, segment, foot), ended, fine[stop]


def _stepped(pool: Pool, segment: Ints, foot: Foot) -> Pool:
    """Move the windows, and their samples along them."""
    slot = pool.window * len(pool.windows.handles) + segment
    moved = _moved(pool.windows, solve(*equations(pool.windows, slot, foot, pool.weight)))
    # a step out of all bounds ends its window soon, but its samples need some place until then
    t = np.nan_to_num(follow(coefficients_of(moved), pool.points, slot, foot))
    return pool._replace(windows=moved, places=place(moved, pool.window, segment, t))


def _weight(pool: Pool, normal2: Floats, far: Floats) -> Floats:
    """Give far samples more weight; the greatest of a window is its scale."""
    share = pool.weight / pool.scale * (PULL + normal2 / (far + TINY)[pool.window])
    begin = np.searchsorted(pool.window, np.arange(len(pool.row)))
    share /= np.maximum.reduceat(share, begin)[pool.window]
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
