"""Which boxes meet: a packed search tree in arrays, searched for many boxes at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Floats, Ints

FANOUT = 4
"""Boxes below each box of the tree."""

_BATCH = 1 << 12
"""Boxes looked for together: what that needs stays in the cache."""

_SPREAD = ((16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F),
           (2, 0x3333333333333333), (1, 0x5555555555555555))  # fmt: skip
"""Shifts and masks that put a zero between the bits of a number."""


class BoxTree(NamedTuple):
    """Boxes in plan, and boxes around them, and around those.

    Attributes
    ----------
    order : ndarray of int, shape (B,)
        Rows of the boxes in the order in which they are packed.
    levels : list of ndarray, shape (4, n)
        Lower and upper corners, from the few at the top to the boxes themselves; a box holds `FANOUT` of the
        level below, in order. The last one may hold fewer: the level below ends in boxes that meet nothing.
    """

    order: Ints
    levels: list[Floats]


def box_tree(low: Floats, high: Floats) -> BoxTree:
    """Pack boxes (corners of shape (B, 2)) along a Z-order curve through the ranks of their middles.

    Ranks rather than places: the tree is as good where boxes crowd as where they are few.
    """
    ranks = np.argsort(np.argsort(low + high, axis=0, kind="stable"), axis=0, kind="stable")
    order = np.argsort(_spread(ranks[:, 0]) | (_spread(ranks[:, 1]) << np.uint64(1)), kind="stable")
    levels = [_padded(np.concatenate([low, high], axis=1)[order].T)]
    while levels[0].shape[1] > FANOUT:
        below = levels[0].reshape(4, -1, FANOUT)
        levels.insert(0, _padded(np.concatenate([below[:2].min(axis=2), below[2:].max(axis=2)])))
    return BoxTree(order, levels)


def _padded(level: Floats) -> Floats:
    """Fill up a level with boxes that meet nothing."""
    more = -level.shape[1] % FANOUT
    nothing = np.array([[np.inf], [np.inf], [-np.inf], [-np.inf]])
    return np.concatenate([level, np.repeat(nothing, more, axis=1)], axis=1)


def meeting_boxes(tree: BoxTree, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Find the boxes of a tree that meet (or touch) other boxes.

    Parameters
    ----------
    tree : BoxTree
        What is searched.
    low, high : ndarray, shape (Q, 2)
        Corners of the others.

    Returns
    -------
    other, box : ndarray of int, shape (P,)
        Rows of the others, ascending, and of the boxes that the tree was made of.
    """
    wanted = np.concatenate([low.T, high.T])
    found = [_met(tree, wanted, start) for start in range(0, len(low), _BATCH)]
    others, boxes = ([*parts] for parts in zip(*found)) if found else ([], [])
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *others]), np.concatenate([none, *boxes])


def _met(tree: BoxTree, wanted: Floats, start: int) -> tuple[Ints, Ints]:
    """Search for a batch of boxes: from the top of the tree down, all of them together."""
    rows = np.arange(start, min(start + _BATCH, wanted.shape[1]))
    other, node = np.repeat(rows, FANOUT), np.tile(np.arange(FANOUT), len(rows))
    for depth, level in enumerate(tree.levels):
        if depth:
            node = (node[:, None] * FANOUT + np.arange(FANOUT)).ravel()
            other = np.repeat(other, FANOUT)
        for lower, upper in ((0, 2), (1, 3)):
            near = wanted[lower][other] <= level[upper][node]
            near &= level[lower][node] <= wanted[upper][other]
            other, node = other[near], node[near]
    return other, tree.order[node]


def _spread(numbers: Ints) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Put a zero before each of the lower 32 bits."""
    spread = numbers.astype(np.uint64)
    for shift, mask in _SPREAD:
        spread = (spread | (spread << np.uint64(shift))) & np.uint64(mask)
    return spread
