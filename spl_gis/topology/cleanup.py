"""What can be left out of a network: lines over each other, short dead ends, small parts."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints
from .chains import degrees, graph_chains
from .places import components, ranges, renumber


def duplicates(place: Ints, offsets: Ints) -> Bools:
    """Mark lines with the same places as a line before them, in either direction.

    Parameters
    ----------
    place : ndarray of int, shape (K,)
        Place of each vertex.
    offsets : ndarray of int, shape (L + 1,)
        Where each line's vertices begin and end.
    """
    first, last = place[offsets[:-1]], place[offsets[1:] - 1]
    ends = np.sort(np.column_stack([first, last]), axis=1)
    alike = np.column_stack([np.diff(offsets), ends, *_sums(place, offsets)])
    _, group = np.unique(alike, axis=0, return_inverse=True)
    group = group.reshape(-1)
    shared = np.flatnonzero(np.bincount(group)[group] > 1)
    drop = np.zeros(len(group), bool)
    seen = set()
    for line in shared.tolist():  # only those that very likely are duplicates
        way = place[offsets[line] : offsets[line + 1]]
        key = min(way.tobytes(), way[::-1].tobytes())
        drop[line] = key in seen
        seen.add(key)
    return drop


def _sums(place: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Give two sums over each line's places and edges that its direction does not change."""
    lone = np.add.reduceat(place * 2654435761 % 2147483647, offsets[:-1])
    edge = (place[1:] + 1) * (place[:-1] + 1) % 2147483647
    edge = np.append(edge, 0)
    edge[offsets[1:] - 1] = 0
    return lone, np.add.reduceat(edge, offsets[:-1])


def lengths(points: Floats, place: Ints, offsets: Ints) -> Floats:
    """Give the length [m] of each polyline through places."""
    if len(offsets) < 2:
        return np.zeros(0)
    step = np.append(np.linalg.norm(points[place[1:]] - points[place[:-1]], axis=1), 0.0)
    step[offsets[1:] - 1] = 0.0
    return np.add.reduceat(step, offsets[:-1])


def small_components(ends: Ints, length: Floats, least: float) -> Bools:
    """Mark what belongs to a part of the network whose total length [m] is less than the least.

    Parameters
    ----------
    ends : ndarray of int, shape (C, 2)
        Places at the ends of each chain.
    length : ndarray, shape (C,)
        Length [m] of each chain.
    """
    label = components(ends, ends.max(initial=-1) + 1)[ends[:, 0]]
    return np.bincount(label, length)[label] < least if len(label) else np.zeros(0, bool)


def short_dangles(ends: Ints, length: Floats, least: float) -> Bools:
    """Mark the chains of dead ends that are shorter than the least.

    A dead end runs from a place where one chain ends to a junction; what hangs on no junction is none. Dead
    ends that appear when these are gone stay.

    Parameters
    ----------
    ends, length
        As in `small_components`.
    """
    ends = renumber(ends.ravel()).reshape(-1, 2)
    runs = graph_chains(ends)
    total = np.add.reduceat(length[runs.segment], runs.offsets[:-1]) if len(ends) else np.zeros(0)
    first, last = runs.offsets[:-1], runs.offsets[1:] - 1
    side = runs.reverse.astype(int)
    tips = np.column_stack([ends[runs.segment[first], side[first]], ends[runs.segment[last], 1 - side[last]]])
    degree = np.sort(degrees(ends, ends.max(initial=-1) + 1)[tips], axis=1)
    dead = (degree[:, 0] == 1) & (degree[:, 1] > 2) & (total < least)
    rows, _ = ranges(first[dead], last[dead] + 1)
    mark = np.zeros(len(ends), bool)
    mark[runs.segment[rows]] = True
    return mark
