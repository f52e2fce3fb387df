"""Normal equations of least squares on normal distances, for many windows at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    sums = _sums(rows, counts)
    return (
        sums[:split].reshape(len(products), len(projector), -1),
        sums[split:].reshape(len(cubic), dimension, -1),
    )


def _sums(rows: NDArray[np.float32], counts: Ints) -> Floats:
    """Sum the samples of each slot, of two rows at a time: calls are what short sums cost most."""
    half = len(rows) // 2
    pairs = np.zeros((len(rows) - half, rows.shape[1]), np.complex64)
    pairs.real, pairs.imag[:half] = rows[half:], rows[:half]
    some = counts > 0
    found = np.add.reduceat(pairs, (np.cumsum(counts) - counts)[some], axis=1)
    sums = np.zeros((len(rows), len(counts)))
    sums[half:, some], sums[:half, some] = found.real, found.imag[:half]
    return sums


class _Group(NamedTuple):
    """Unknowns that move control points of a segment: a handle (D rows), or a way (one row).

    `moves` tells for each control point it moves how far: None is as far as itself, shape (W,) so much
    of that, and shape (D, W) is the motion itself, of a way. Outer joints do not move.
    """

    row: int
    rows: int
    moves: dict[int, Floats | None]


def _groups(windows: Windows, segment: int) -> list[_Group]:
    """Give the unknowns near a segment in the order of their rows in the equations."""
    handles, ways = windows.handles, windows.ways
    count, _, dimension, _ = handles.shape
    row, way = 2 * segment * dimension, 2 * count * dimension + segment
    first: dict[int, Floats | None] = {1: None}
    second: dict[int, Floats | None] = {2: None}
    groups = [_Group(row, dimension, first), _Group(row + dimension, dimension, second)]
    if segment > 0:
        before = ways[segment - 1]
        first[0] = before
        groups.insert(0, _Group(row - dimension, dimension, {0: 1 - before}))
        groups.append(_Group(way - 1, 1, {0: handles[segment, 0] - handles[segment - 1, 1]}))
    if segment < count - 1:
        after = ways[segment]
        second[3] = 1 - after
        groups.append(_Group(row + 2 * dimension, dimension, {3: after}))
        groups.append(_Group(way, 1, {3: handles[segment + 1, 0] - handles[segment, 1]}))
    return sorted(groups)


def _pull(rows: Sequence[Floats] | Floats, group: _Group) -> Floats:
    """Take derivatives by control points, (D, ..., W) each, to derivatives by a group of unknowns."""
    parts = []
    for control, move in group.moves.items():
        part = rows[control]
        if move is not None:
            part = (
                part * move
                if move.ndim == 1
                else dot(part, move.reshape(len(move), *(1,) * (part.ndim - 2), -1))[None]
            )
        parts.append(part)
    return parts[0] if len(parts) == 1 else np.asarray(parts[0] + parts[1])


def _blocks(full: Floats) -> list[list[Floats]]:
    """Give second derivatives by two control points, (D, D, W) each, from the moments (7, D, D, W)."""
    blocks: list[list[Floats]] = [[] for _ in range(4)]
    for i in range(4):
        for j in range(4):
            known = j < i
            blocks[i].append(blocks[j][i] if known else full[i + j] * (_BERNSTEIN[i] * _BERNSTEIN[j]))
    return blocks


def _assembled(windows: Windows, second: Floats, first: Floats) -> tuple[Floats, Floats]:
    """Assemble the equations of all windows: matrix (N, N, W), lower half only, and right side (N, W)."""
    count, _, dimension, number = windows.handles.shape
    size = 2 * count * dimension + count - 1
    matrix, right = np.zeros((size, size, number)), np.zeros((size, number))
    axis = np.arange(dimension)
    packed = _packed(axis[:, None], axis)
    for k in range(count):
        blocks = _blocks(second[:, packed, k])
        gradient = first[:, :, k] * np.reshape(_BERNSTEIN, (4, 1, 1))
        groups = _groups(windows, k)
        for g, group in enumerate(groups):
            rows = slice(group.row, group.row + group.rows)
            right[rows] += _pull(gradient, group)
            half = [_pull(row, group).swapaxes(0, 1) for row in blocks]
            for lower in groups[g:]:
                matrix[lower.row : lower.row + lower.rows, rows] += _pull(half, lower)
    return matrix, right


def _packed(a: Ints, b: Ints) -> Ints:
    """Give where the entry (a, b) of a symmetric matrix is kept."""
    most = np.maximum(a, b)
    return np.asarray(most * (most + 1) // 2 + np.minimum(a, b))


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
