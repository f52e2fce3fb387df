"""Normal equations of least squares on normal distances, for many windows at once."""

from __future__ import annotations

import numpy as np

from ..model import Floats, Ints
from .feet import Foot
from .windows import TINY, Windows, dot

_BERNSTEIN = (1.0, 3.0, 3.0, 1.0)
_DAMPING = (1e-4, 1e-5)
"""Added to the diagonal: parts of itself, and of its mean."""
_SLIDE = 1e-2
"""Added to the diagonal of ways, which hardly move the curve."""
_STIFF = 1e6
"""Weight that keeps handles on their directions."""


def equations(windows: Windows, slot: Ints, foot: Foot, weight: Floats) -> tuple[Floats, Floats]:
    """Give the damped normal equations of the next step.

    Parameters
    ----------
    windows : Windows
        Of ``K`` segments.
    slot : ndarray of int, shape (n,)
        Segment of each sample, ``window * K + segment``, in order.
    foot : Foot
        The samples against the curve.
    weight : ndarray, shape (n,)
        Their weights.

    Returns
    -------
    ndarray, shape (N, N, W)
        Matrices, lower half only. The unknowns are the handles of each segment, then the ways.
    ndarray, shape (N, W)
        Right sides.
    """
    count, _, _, number = windows.handles.shape
    slots = np.bincount(slot, minlength=count * number)
    second, first = _moments(foot, weight, slots, count == 1)
    second = second.reshape(*second.shape[:2], number, count).transpose(0, 1, 3, 2)
    first = first.reshape(*first.shape[:2], number, count).transpose(0, 1, 3, 2)
    if count == 1:
        matrix, right = _single(second[:, :, 0], first[:, :, 0])
    else:
        matrix, right = _assembled(windows, second, first)
    _damp(matrix, windows)
    return matrix, right


def _moments(foot: Foot, weight: Floats, counts: Ints, inner: bool) -> tuple[Floats, Floats]:
    """Sum weighted products of basis functions and normal projectors over the samples of each slot.

    Products of cubic Bernstein polynomials are Bernstein polynomials of degree six, so seven sums hold
    all sixteen.
    """
    dimension = len(foot.velocity)
    # single precision is enough for the step, whose errors the next one mends, and twice as fast
    unit = (foot.velocity / np.sqrt(foot.speed2)).astype(np.float32)
    normal, weight = foot.normal.astype(np.float32), weight.astype(np.float32)
    t = foot.t.astype(np.float32)
    m = 1 - t
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
    projector = np.stack(
        [np.float32(a == b) - unit[a] * unit[b] for a in range(dimension) for b in range(a + 1)]
    )
    split = len(products) * len(projector)
    rows = np.empty((split + len(cubic) * dimension, len(t)), np.float32)
    shape = (len(products), len(projector), len(t))
    np.multiply(products[:, None], projector * weight, out=rows[:split].reshape(shape))
    shape = (len(cubic), dimension, len(t))
    np.multiply(cubic[:, None], normal * weight, out=rows[split:].reshape(shape))
    some = counts > 0
    sums = np.zeros((len(rows), len(counts)))
    sums[:, some] = np.add.reduceat(rows, (np.cumsum(counts) - counts)[some], axis=1)
    return (
        sums[:split].reshape(len(products), len(projector), -1),
        sums[split:].reshape(len(cubic), dimension, -1),
    )


def _factors(windows: Windows) -> list[dict[int, Floats]]:
    """Give how the unknowns near each segment move its four control points.

    The unknowns are the handle before the segment, its own two, the one after it, and the ways of the
    joints at its start and end; the result tells for each which control points it moves, and how far. A
    factor of shape (K, W) moves all axes alike (a handle); one of shape (D, K, W) is the motion itself (a
    way). Outer joints do not move.
    """
    handles, ways = windows.handles, windows.ways
    count, _, dimension, number = handles.shape
    lines = (handles[1:, 0] - handles[:-1, 1]).transpose(1, 0, 2)
    none, still = np.zeros((1, number)), np.zeros((dimension, 1, number))
    one = np.ones((count, number))
    return [
        {0: np.concatenate([none, 1 - ways])},
        {0: np.concatenate([none, ways]), 1: one},
        {2: one, 3: np.concatenate([1 - ways, none])},
        {3: np.concatenate([ways, none])},
        {0: np.concatenate([still, lines], axis=1)},
        {3: np.concatenate([lines, still], axis=1)},
    ]


def _rows(segment: int, count: int, dimension: int) -> tuple[Ints, Ints]:
    """Give which of the unknowns near a segment there are, and their rows in the equations."""
    handles = (2 * segment - 1) * dimension + np.arange(4 * dimension)
    ways = 2 * count * dimension + segment + np.array([-1, 0])
    inside = (handles >= 0) & (handles < 2 * count * dimension)
    near = np.append(inside, [segment > 0, segment < count - 1])
    return np.flatnonzero(near), np.append(handles, ways)[near]


def _pull(array: Floats, factors: dict[int, Floats]) -> Floats:
    """Take derivatives by control points, (4, D, ..., K, W), to derivatives by one group of unknowns."""
    parts = []
    for control, factor in factors.items():
        rows = array[control]
        if factor.ndim == 2:
            parts.append(rows * factor)
        else:
            parts.append(
                sum((row * part for row, part in zip(rows[1:], factor[1:])), rows[0] * factor[0])[None]
            )
    return np.asarray(sum(parts[1:], parts[0]))


def _blocks(second: Floats, dimension: int) -> Floats:
    """Give second derivatives by the control points, (4, D, 4, D, K, W), from the moments (7, P, K, W)."""
    i, a = np.arange(4), np.arange(dimension)
    power = (i[:, None] + i).reshape(4, 1, 4, 1)
    factor = np.outer(_BERNSTEIN, _BERNSTEIN).reshape(4, 1, 4, 1, 1, 1)
    return np.asarray(second[power, _packed(a[:, None], a).reshape(1, dimension, 1, dimension)] * factor)


def _packed(a: Ints, b: Ints) -> Ints:
    """Give where the entry (a, b) of a symmetric matrix is kept."""
    most = np.maximum(a, b)
    return np.asarray(most * (most + 1) // 2 + np.minimum(a, b))


def _assembled(windows: Windows, second: Floats, first: Floats) -> tuple[Floats, Floats]:
    """Assemble the equations of all windows: matrix (N, N, W), lower half only, and right side (N, W)."""
    count, _, dimension, number = windows.handles.shape
    factors = _factors(windows)
    blocks, gradient = _blocks(second, dimension), first * np.reshape(_BERNSTEIN, (4, 1, 1, 1))
    near = np.concatenate([_pull(gradient, factor) for factor in factors])
    half = np.concatenate([_pull(blocks, factor) for factor in factors]).transpose(1, 2, 0, 3, 4)
    products = np.concatenate([_pull(half, factor) for factor in factors])
    size = 2 * count * dimension + count - 1
    matrix, right = np.zeros((size, size, number)), np.zeros((size, number))
    for k in range(count):
        own, row = _rows(k, count, dimension)
        right[row] += near[own, k]
        matrix[np.ix_(row, row)] += products[np.ix_(own, own)][:, :, k]
    return matrix, right


def _single(second: Floats, first: Floats) -> tuple[Floats, Floats]:
    """Assemble the equations of windows of one segment, whose unknowns are its two handles."""
    dimension, number = first.shape[1:]
    matrix = np.empty((2, dimension, 2, dimension, number))
    for a in range(dimension):
        for b in range(a + 1):
            moment = 9 * second[:, a * (a + 1) // 2 + b]
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                matrix[i, a, j, b] = matrix[i, b, j, a] = moment[i + j]
    return matrix.reshape(2 * dimension, 2 * dimension, number), 3 * first.reshape(2 * dimension, number)


def _damp(matrix: Floats, windows: Windows) -> None:
    """Damp the equations and tie the outer handles to their directions, in place."""
    count, _, dimension, _ = windows.handles.shape
    diagonal, inner = np.arange(len(matrix)), np.arange(2 * dimension * count)
    scale = matrix[inner, inner].mean(axis=0) + TINY
    matrix[diagonal, diagonal] *= 1 + _DAMPING[0]
    matrix[inner, inner] += _DAMPING[1] * scale
    for j in range(count - 1):
        line = windows.handles[j + 1, 0] - windows.handles[j, 1]
        matrix[len(inner) + j, len(inner) + j] += _SLIDE * scale * dot(line, line)
    _tie(matrix, windows, _STIFF * scale)


def _tie(matrix: Floats, windows: Windows, stiff: Floats) -> None:
    """Make it hard to move outer handles off their directions, or off a common one in rings, in place."""
    count, _, dimension, _ = windows.handles.shape
    last = (2 * count - 1) * dimension
    for end, row in ((0, 0), (1, last)):
        fixed = np.where(windows.free[end] | windows.tied, 0.0, stiff)
        matrix[row : row + dimension, row : row + dimension] += fixed * _across(windows.directions[end])
    if windows.tied.any():
        arms = np.stack([windows.handles[0, 0], windows.handles[-1, 1]]) - windows.ends
        # a handle twice as long turns half as far when it moves: hence the ratio, squared for the second one
        ratio = np.sqrt(dot(arms[0], arms[0]) / (dot(arms[1], arms[1]) + TINY))
        seam = np.where(windows.tied, stiff, 0.0) * _across(windows.directions[0])
        matrix[:dimension, :dimension] += seam
        matrix[last : last + dimension, :dimension] += ratio * seam
        matrix[last : last + dimension, last : last + dimension] += ratio**2 * seam


def _across(direction: Floats) -> Floats:
    """Give the projectors, shape (D, D, W), to what is normal to unit vectors."""
    return np.eye(len(direction))[:, :, None] - direction[:, None] * direction[None]


def solve(matrix: Floats, right: Floats) -> Floats:
    """Solve symmetric positive definite systems, shape (N, N, W) with the lower half filled, by Cholesky."""
    size = len(matrix)
    answer = right.copy()
    for j in range(size):
        matrix[j:, j] /= np.sqrt(np.maximum(matrix[j, j], TINY))
        column = matrix[j + 1 :, j]
        matrix[j + 1 :, j + 1 :] -= column[:, None] * column[None]
        answer[j] /= matrix[j, j]
        answer[j + 1 :] -= column * answer[j]
    for j in range(size - 1, -1, -1):
        answer[j] /= matrix[j, j]
        answer[:j] -= matrix[j, :j] * answer[j]
    return answer
