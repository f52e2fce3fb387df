"""Gauss-Newton on normal distances: many short runs of G1 cubics at once, arrays in, arrays out.

A *window* is a run of ``K`` segments (the same ``K`` for all windows of a call) whose two outer joints stay where they
are. Its unknowns are the two handles (inner control points) of every segment and, at every inner joint, where on the
line between its two handles the joint lies; so the run is G1 whatever the unknowns are. Arrays hold windows on their
last axis, since numpy is fastest there; ``D`` is 2 or 3.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints

_TINY = 1e-300
_BERNSTEIN = (1.0, 3.0, 3.0, 1.0)
_NEWTON_FLOOR = 0.3  # share of |B'|^2 that the Newton step for a foot point divides by at least
_LEAST, _MOST = 0.04, 1.6  # handle length in chords
_DAMPING = (1e-4, 1e-5)
_FLOOR, _CLIP = 0.7, 0.05
_WAY = 0.05  # least distance of a joint from its handles, as a share of the line between them


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
    """

    handles: Floats
    ways: Floats
    ends: Floats
    directions: Floats
    free: Bools


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


def power_basis(controls: Floats) -> Floats:
    """Give polynomial coefficients, highest power first, of control points along axis 0."""
    start, first, second, end = controls
    return np.stack(
        [end - 3 * second + 3 * first - start, 3 * (second - 2 * first + start), 3 * (first - start), start]
    )


def dot(a: Floats, b: Floats) -> Floats:
    """Give inner products along axis 0, which is short."""
    total = a[0] * b[0]
    for row in range(1, len(a)):
        total += a[row] * b[row]
    return total


class _Foot(NamedTuple):
    """Samples against the curve: parameter, error and its normal part, velocity, squares, Newton divisor."""

    t: Floats
    normal: Floats
    velocity: Floats
    speed2: Floats
    error2: Floats
    bend: Floats


def _foot(coefficients: Floats, points: Floats, slot: Ints, t: Floats) -> _Foot:
    a3, a2, a1, a0 = np.take(coefficients, slot, axis=2)
    error = points - (((a3 * t + a2) * t + a1) * t + a0)
    velocity = (3 * a3 * t + 2 * a2) * t + a1
    speed2 = dot(velocity, velocity) + _TINY
    bend = np.maximum(speed2 - dot(error, (6 * t) * a3 + 2 * a2), _NEWTON_FLOOR * speed2)
    normal = error - velocity * (dot(error, velocity) / speed2)
    return _Foot(t, normal, velocity, speed2, dot(error, error), bend)


def _follow(coefficients: Floats, points: Floats, slot: Ints, foot: _Foot) -> Floats:
    """Give the parameters of the foot points after the curve has moved, to first order in both motions."""
    a3, a2, a1, a0 = np.take(coefficients, slot, axis=2)
    error = points - (((a3 * foot.t + a2) * foot.t + a1) * foot.t + a0)
    return foot.t + dot(error, foot.velocity) / foot.bend


def _place(windows: Windows, window: Ints, segment: Ints, t: Floats) -> Floats:
    """Give the places of samples whose parameters may have left their segments; their order is kept."""
    count = len(windows.handles)
    if count == 1:
        return np.clip(t, 0.0, 1.0)
    ratio = np.ones((count + 1, windows.handles.shape[3]))
    ratio[1:-1] = windows.ways / (1 - windows.ways)
    over = (t > 1) & (segment < count - 1)
    under = (t < 0) & (segment > 0)
    after = 1 + np.minimum(0.5, (t - 1) / ratio[segment + 1, window])
    before = np.maximum(-0.5, t * ratio[segment, window])
    t = np.where(over, after, np.where(under, before, np.clip(t, 0.0, 1.0)))
    shift = window * (count + 1.0)
    return np.clip(np.maximum.accumulate(segment + t + shift) - shift, 0.0, count)


def _moments(foot: _Foot, weight: Floats, counts: Ints, inner: bool) -> tuple[Floats, Floats]:
    """Sum weighted products of basis functions and normal projectors over the samples of each slot.

    Products of cubic Bernstein polynomials are Bernstein polynomials of degree six, so seven sums hold all sixteen.
    """
    dimension = len(foot.velocity)
    t, m = foot.t, 1 - foot.t
    one, two = m * m * t, m * t * t
    if inner:
        cubic = np.stack([one, two])
        products = np.stack([one * one, one * two, two * two])
    else:
        start, end = m * m * m, t * t * t
        cubic = np.stack([start, one, two, end])
        products = np.stack(
            [start * start, start * one, one * one, one * two, two * two, two * end, end * end]
        )
    unit = foot.velocity / np.sqrt(foot.speed2)
    projector = np.stack([float(a == b) - unit[a] * unit[b] for a in range(dimension) for b in range(a + 1)])
    second, first = products[:, None] * (projector * weight), cubic[:, None] * (foot.normal * weight)
    rows = np.concatenate([second.reshape(-1, len(t)), first.reshape(-1, len(t))])
    some = counts > 0
    sums = np.zeros((len(rows), len(counts)))
    sums[:, some] = np.add.reduceat(rows, (np.cumsum(counts) - counts)[some], axis=1)
    split = len(products) * len(projector)
    return (
        sums[:split].reshape(len(products), len(projector), -1),
        sums[split:].reshape(len(cubic), dimension, -1),
    )


def _unknowns(windows: Windows, k: int) -> list[tuple[slice, dict[int, Floats]]]:
    """Give the unknowns that move segment `k`: their rows, and for each control point how far they move it.

    A factor of shape (W,) moves all axes alike (a handle); one of shape (D, W) is the motion for one unknown (a way).
    """
    count, _, dimension, number = windows.handles.shape
    handles: dict[tuple[int, int], dict[int, Floats]] = {
        (k, 0): {1: np.ones(number)},
        (k, 1): {2: np.ones(number)},
    }
    ways: list[tuple[slice, dict[int, Floats]]] = []
    for joint, control in ((k - 1, 0), (k, 3)):
        if 0 <= joint < count - 1:
            way, row = windows.ways[joint], 2 * count * dimension + joint
            handles.setdefault((joint, 1), {})[control] = 1 - way
            handles.setdefault((joint + 1, 0), {})[control] = way
            line = windows.handles[joint + 1, 0] - windows.handles[joint, 1]
            ways.append((slice(row, row + 1), {control: line}))
    starts = {key: (2 * key[0] + key[1]) * dimension for key in handles}
    return [(slice(starts[key], starts[key] + dimension), handles[key]) for key in sorted(handles)] + ways


def _pull(array: Floats, factors: dict[int, Floats]) -> Floats:
    """Take derivatives by control points, shape (4, D, ..., W), to derivatives by one group of unknowns."""
    parts = []
    for control, factor in factors.items():
        rows = array[control]
        parts.append(rows * factor if factor.ndim == 1 else sum_rows(rows, factor)[None])
    return sum(parts[1:], parts[0])


def sum_rows(rows: Floats, factor: Floats) -> Floats:
    """Give the sum over axis 0 of `rows` (D, ..., W) times `factor` (D, W)."""
    total = rows[0] * factor[0]
    for row in range(1, len(rows)):
        total += rows[row] * factor[row]
    return total


def _blocks(second: Floats, dimension: int) -> Floats:
    """Give the second derivatives by the four control points, shape (4, D, 4, D, W), from the moments (7, P, W)."""
    i, a = np.arange(4), np.arange(dimension)
    power = (i[:, None] + i).reshape(4, 1, 4, 1)
    factor = np.outer(_BERNSTEIN, _BERNSTEIN).reshape(4, 1, 4, 1, 1)
    return np.asarray(second[power, _packed(a[:, None], a).reshape(1, dimension, 1, dimension)] * factor)


def _packed(a: Ints, b: Ints) -> Ints:
    """Give where the entry (a, b) of a symmetric matrix is kept."""
    most = np.maximum(a, b)
    return most * (most + 1) // 2 + np.minimum(a, b)


def _equations(windows: Windows, second: Floats, first: Floats) -> tuple[Floats, Floats]:
    """Assemble the normal equations of all windows, matrix (N, N, W), lower half only, and right side (N, W)."""
    count, _, dimension, number = windows.handles.shape
    if count == 1:
        return _single_equations(second[:, :, 0], first[:, :, 0])
    size = 2 * count * dimension + count - 1
    matrix, right = np.zeros((size, size, number)), np.zeros((size, number))
    for k in range(count):
        blocks = _blocks(second[:, :, k], dimension)
        gradient = first[:, :, k] * np.reshape(_BERNSTEIN, (4, 1, 1))
        groups = _unknowns(windows, k)
        for rows, factors in groups:
            right[rows] += _pull(gradient, factors)
            half = _pull(blocks, factors).transpose(1, 2, 0, 3)
            for columns, others in groups:
                if columns.start <= rows.start:
                    matrix[rows, columns] += _pull(half, others).transpose(1, 0, 2)
    return matrix, right


def _single_equations(second: Floats, first: Floats) -> tuple[Floats, Floats]:
    """Assemble the equations of windows of one segment, whose unknowns are its two handles."""
    dimension, number = first.shape[1:]
    matrix = np.empty((2, dimension, 2, dimension, number))
    for a in range(dimension):
        for b in range(a + 1):
            moment = 9 * second[:, a * (a + 1) // 2 + b]
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                matrix[i, a, j, b] = matrix[i, b, j, a] = moment[i + j]
    return matrix.reshape(2 * dimension, 2 * dimension, number), 3 * first.reshape(2 * dimension, number)


def _restrict(matrix: Floats, right: Floats, windows: Windows) -> None:
    """Damp the equations and tie the outer handles to their fixed directions, in place."""
    dimension = windows.handles.shape[2]
    diagonal = np.arange(len(matrix))
    count = 2 * dimension * len(windows.handles)
    scale = matrix[diagonal[:count], diagonal[:count]].mean(axis=0) + _TINY
    matrix[diagonal, diagonal] *= 1 + _DAMPING[0]
    matrix[diagonal[:count], diagonal[:count]] += _DAMPING[1] * scale
    lengths = windows.handles[1:, 0] - windows.handles[:-1, 1]
    for j in range(len(windows.ways)):
        matrix[count + j, count + j] += 1e-2 * scale * dot(lengths[j], lengths[j])
    for end, start in ((0, 0), (1, count - dimension)):
        stiff = np.where(windows.free[end], 0.0, 1e6 * scale)
        direction = windows.directions[end]
        for a in range(dimension):
            for b in range(a + 1):
                matrix[start + a, start + b] += stiff * (float(a == b) - direction[a] * direction[b])


def solve(matrix: Floats, right: Floats) -> Floats:
    """Solve symmetric positive definite systems, shape (N, N, W) with the lower half filled, by Cholesky."""
    size = len(matrix)
    answer = right.copy()
    for j in range(size):
        matrix[j:, j] /= np.sqrt(np.maximum(matrix[j, j], _TINY))
        column = matrix[j + 1 :, j]
        matrix[j + 1 :, j + 1 :] -= column[:, None] * column[None]
        answer[j] /= matrix[j, j]
        answer[j + 1 :] -= column * answer[j]
    for j in range(size - 1, -1, -1):
        answer[j] /= matrix[j, j]
        answer[:j] -= matrix[j, :j] * answer[j]
    return answer


def _norm(rows: Floats, axis: int) -> Floats:
    return np.sqrt((rows * rows).sum(axis=axis))


def _step(windows: Windows, change: Floats) -> Windows:
    """Take the step, but no handle moves by more than a share of its segment, and none turns back or vanishes."""
    count, _, dimension, number = windows.handles.shape
    moves = change[: 2 * count * dimension].reshape(count, 2, dimension, number)
    slides = change[2 * count * dimension :]
    controls = controls_of(windows)
    reach = _norm(controls[1] - controls[0], 0) + _norm(controls[3] - controls[2], 0)
    limit = np.minimum(1.0, (0.4 * reach / (_norm(moves, 2).max(axis=1) + _TINY)).min(axis=0))
    if count > 1:
        limit = np.minimum(limit, (0.2 / (np.abs(slides) + _TINY)).min(axis=0))
    ways = np.clip(windows.ways + limit * slides, _WAY, 1 - _WAY)
    return _keep_forward(windows._replace(handles=windows.handles + limit * moves, ways=ways))


def _keep_forward(windows: Windows) -> Windows:
    """Put outer handles on their directions, neither backward nor vanishing nor too long."""
    handles = windows.handles.copy()
    controls = controls_of(windows)
    for end, segment, sign in ((0, 0, 1.0), (1, -1, -1.0)):
        size = _norm(controls[3, :, segment] - controls[0, :, segment], 0)
        arm = handles[segment, end] - windows.ends[end]
        length = np.clip(sign * dot(arm, windows.directions[end]), _LEAST * size, _MOST * size)
        fixed = windows.ends[end] + sign * length * windows.directions[end]
        handles[segment, end] = np.where(windows.free[end], handles[segment, end], fixed)
    return windows._replace(handles=handles)


def take(windows: Windows, which: Ints | Bools) -> Windows:
    """Give some of the windows."""
    return Windows(*(field[..., which] for field in windows))


def coefficients_of(windows: Windows) -> Floats:
    """Give polynomial coefficients, shape (4, D, W * K), window by window."""
    rows = power_basis(controls_of(windows)).transpose(0, 1, 3, 2)
    return rows.reshape(*rows.shape[:2], -1)


class _Work(NamedTuple):
    """Windows still being fitted, and their samples."""

    index: Ints
    windows: Windows
    points: Floats
    window: Ints
    places: Floats
    scale: Floats
    weight: Floats
    sample: Ints


def _drop(work: _Work, keep: Bools) -> _Work:
    """Leave out the windows that are done or given up."""
    of_sample = keep[work.window]
    renumbered = np.cumsum(keep) - 1
    return _Work(
        work.index[keep],
        take(work.windows, keep),
        work.points[:, of_sample],
        renumbered[work.window[of_sample]],
        work.places[of_sample],
        work.scale[of_sample],
        work.weight[of_sample],
        work.sample[of_sample],
    )


def _largest(values: Floats, window: Ints, number: int) -> Floats:
    """Give the largest value of each window; every window has one."""
    return np.maximum.reduceat(values, np.searchsorted(window, np.arange(number)))


def refine(windows: Windows, samples: Samples, patience: Patience) -> tuple[Bools, Windows, Floats]:
    """Move handles and joints until the curve is within the limits of all samples, or give up.

    Parameters
    ----------
    windows : Windows
        First guess. Every window has at least one sample.
    samples : Samples
        What to come near, with a first guess of the places.
    patience : Patience
        When to give up.

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
    result = Windows(*(field.copy() for field in windows))
    places = samples.places.copy()
    work = _Work(
        np.arange(number),
        windows,
        samples.points,
        samples.window,
        places.copy(),
        samples.limits**-2.0,
        samples.limits**-2.0,
        np.arange(len(places)),
    )
    best, idle = np.full(number, np.inf), np.zeros(number, np.int64)
    count = len(windows.handles)
    for turn in range(patience.passes + 1):
        if len(work.index) == 0:
            break
        segment = np.minimum(work.places.astype(np.int64), count - 1)
        slot = work.window * count + segment
        foot = _foot(coefficients_of(work.windows), work.points, slot, work.places - segment)
        far = _largest(foot.error2 * work.scale, work.window, len(work.index))
        normal2 = dot(foot.normal, foot.normal) * work.scale
        farthest = _largest(normal2, work.window, len(work.index))
        fine = far <= 1
        ended, best, idle = _give_up(turn, farthest, best, idle, patience)
        stop = fine | ended | (turn == patience.passes)
        if stop.any():
            done[work.index[fine]] = True
            for field, state in zip(result, work.windows):
                field[..., work.index[stop]] = state[..., stop]
            places[work.sample] = work.places
            if stop.all():
                break
        weight = work.weight
        if turn >= patience.lawson:
            weight = weight * (_FLOOR + normal2 / (farthest + _TINY)[work.window])
            weight /= _largest(weight / work.scale, work.window, len(work.index))[work.window]
            weight = np.maximum(weight, _CLIP * work.scale)
        second, first = _moments(
            foot, weight, np.bincount(slot, minlength=count * len(work.index)), count == 1
        )
        shape = (len(work.index), count)
        second = second.reshape(*second.shape[:2], *shape).transpose(0, 1, 3, 2)
        first = first.reshape(*first.shape[:2], *shape).transpose(0, 1, 3, 2)
        matrix, right = _equations(work.windows, second, first)
        _restrict(matrix, right, work.windows)
        moved = _step(work.windows, solve(matrix, right))
        t = _follow(coefficients_of(moved), work.points, slot, foot)
        work = work._replace(windows=moved, places=_place(moved, work.window, segment, t), weight=weight)
        if stop.any():
            work = _drop(work, ~stop)
            best, idle = best[~stop], idle[~stop]
    return done, result, places


def _give_up(
    turn: int, far: Floats, best: Floats, idle: Ints, patience: Patience
) -> tuple[Bools, Floats, Ints]:
    """Say which windows make no progress; keep the least distance so far and the steps since."""
    better = far < 0.9 * best
    idle = np.where(better, 0, idle + 1)
    ended = idle > patience.stall
    for step, most in patience.hopeless:
        if turn == step:
            ended |= far > most
    return ended, np.where(better, far, best), idle
