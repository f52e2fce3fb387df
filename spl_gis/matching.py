"""Which segment of a graph is which segment of an earlier state of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .model import Bools, Ints, SplineGraph
from .topology import ranges

Marks = NDArray[np.float32]
"""Both ends and both tangents of segments in the engine's precision, shape (M, 4, 3)."""


class Match(NamedTuple):
    """What became of segments.

    Attributes
    ----------
    row : ndarray of int, shape (M,)
        Which earlier segment each segment is, -1 = it is new. No earlier segment is given twice.
    changed : ndarray of bool, shape (M,)
        Whether it is known by its index and one of its ends only.
    """

    row: Ints
    changed: Bools


def marks(graph: SplineGraph, rows: slice = slice(None)) -> Marks:
    """Give what segments, or some of them, are known by: start, end, both tangents in float32."""
    with np.errstate(over="ignore"):  # beyond float32 is infinite there, and as good a mark as any
        ends = graph.points[graph.ends[rows]].astype("<f4")
        return np.concatenate([ends, graph.tangents[rows].astype("<f4")], axis=1) + np.float32(0)


def match(found: Marks, known: Marks, owner: Ints) -> Match:
    """Find segments among earlier ones.

    A segment with the same ends and tangents is the same, wherever its index went. Of several that look the
    same, those at their old index come first; when one of them is gone and they belong to different owners,
    there is no telling which, and only new ones are found. What is left is taken as changed when the earlier
    segment of the same index shares an end with it, and no other that is missing is as much like it.

    Parameters
    ----------
    found, known : ndarray of float32, shapes (M, 4, 3) and (R, 4, 3)
        Marks of the segments as they are, and as they were.
    owner : ndarray of int, shape (R,)
        What each earlier segment belongs to.
    """
    row = same(found, known, owner)
    index = _changed(row, found, known)
    return Match(np.where(index >= 0, index, row), index >= 0)


def same(found: Marks, known: Marks, owner: Ints) -> Ints:
    """Find segments with equal marks; see `match`."""
    if np.array_equal(found, known):
        return np.arange(len(found))
    label = label_rows(np.concatenate([known, found]).reshape(-1, 12))
    was, now = label[: len(known)], label[len(known) :]
    mixed = _mixed(was, owner, label.max(initial=-1) + 1)
    unclear = mixed & (_sizes(was, mixed) != _sizes(now, mixed))
    row = np.full(len(found), -1)
    stay = np.flatnonzero((was[: len(now)] == now[: len(was)]) & ~unclear[now[: len(was)]])
    row[stay] = stay
    old, new = np.ones(len(known), bool), row < 0
    old[stay] = False
    unclear |= mixed & (_sizes(was[old], mixed) > 1)
    old &= ~unclear[was]
    new &= ~unclear[now]
    old_rows, new_rows = np.flatnonzero(old), np.flatnonzero(new)
    pair = in_turn(now[new], was[old])
    row[new_rows] = np.where(pair >= 0, np.append(old_rows, -1)[pair], -1)
    return row


def label_rows(values: NDArray[np.float32]) -> Ints:
    """Give equal rows of an array, shape (K, D), equal numbers, from 0 on."""
    _, label = np.unique(np.ascontiguousarray(values), axis=0, return_inverse=True)
    return np.asarray(label.reshape(-1), np.int64)


def in_turn(wanted: Ints, labels: Ints) -> Ints:
    """Find each of `wanted` in `labels`, -1 = nowhere; the second of equal ones is the second there."""
    if len(labels) == 0:
        return np.full(len(wanted), -1)
    size = max(labels.max(initial=0), wanted.max(initial=0)) + 1
    theirs, mine = (_turn(some) * size + some for some in (labels, wanted))
    order = np.argsort(theirs)
    at = np.minimum(np.searchsorted(theirs, mine, sorter=order), len(labels) - 1)
    return np.where(theirs[order[at]] == mine, order[at], -1)


def _turn(labels: Ints) -> Ints:
    """Say how many equal labels stand before each."""
    order = np.argsort(labels, kind="stable")
    turn = np.empty(len(labels), np.int64)
    turn[order] = np.arange(len(labels)) - np.searchsorted(labels[order], labels[order])
    return turn


def _sizes(labels: Ints, groups: Bools) -> Ints:
    return np.bincount(labels, minlength=len(groups))


def _mixed(labels: Ints, owner: Ints, groups: int) -> Bools:
    """Tell which labels have members of several owners."""
    lowest, highest = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -2)
    np.minimum.at(lowest, labels, owner)
    np.maximum.at(highest, labels, owner)
    return lowest < highest


def _changed(row: Ints, found: Marks, known: Marks) -> Ints:
    """Give the earlier segment of the same index to segments that still are like it, -1 to all others."""
    gone = np.ones(len(known), bool)
    gone[row[row >= 0]] = False
    index = np.full(len(row), -1)
    both = np.arange(min(len(found), len(known)))
    both = both[(row[both] < 0) & gone[both]]
    both = both[_shares_end(found[both], known[both])]
    likeness = np.zeros(len(row), np.int64)
    likeness[both] = _likeness(found[both], known[both])
    for side in (0, 1):
        mine, other = joined(found[both, side], known[gone, side])
        mine, other = both[mine], np.flatnonzero(gone)[other]
        rival = (mine != other) & (_likeness(found[mine], known[other]) >= likeness[mine])
        likeness[mine[rival]] = 0
    both = both[likeness[both] > 0]
    index[both] = both
    return index


def _shares_end(found: Marks, known: Marks) -> Bools:
    return np.asarray((found[:, :2] == known[:, :2]).all(axis=2).any(axis=1))


def _likeness(found: Marks, known: Marks) -> Ints:
    """Count which of both ends and both tangents are equal."""
    return np.asarray((found == known).all(axis=2).sum(axis=1))


def joined(mine: NDArray[np.float32], others: NDArray[np.float32]) -> tuple[Ints, Ints]:
    """Give all pairs of equal places, as rows in `mine`, shape (A, 3), and in `others`, shape (B, 3)."""
    label = label_rows(np.concatenate([mine, others]))
    label, there = label[: len(mine)], label[len(mine) :]
    order = np.argsort(there, kind="stable")
    first, last = (np.searchsorted(there[order], label, side=side) for side in ("left", "right"))
    rows, _ = ranges(first, last)
    return np.repeat(np.arange(len(mine)), last - first), order[rows]
