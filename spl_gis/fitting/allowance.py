"""How far the vertices themselves say that the road leaves the straight edge between them."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints


def allowance(coords: Floats, offsets: Ints, closed: Bools, bulge: float = 1.0) -> Floats:
    """Give each edge the bulge that a circular arc through its vertices would have, in metres.

    An arc that turns by ``phi`` at each vertex has the height ``L / 2 * tan(phi / 4)`` over an edge of the
    length ``L``. ``phi`` is the smaller of the two turns at the ends of the edge; there is no bulge when they
    turn to different sides. An edge at the end of an open polyline has one turn only and takes half of it; a
    lone edge has none. A turn of exactly 180 degrees goes with either side. Everything is in plan; a vertical
    edge has no bulge, and no turn where it meets its neighbours.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices of all polylines in metres; finite.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.
    closed : ndarray of bool, shape (C,)
        Polylines whose last vertex equals their first and that go smoothly through it: the turn there counts.
    bulge : float
        Greatest allowance; 0 gives none anywhere.

    Returns
    -------
    ndarray, shape (K,)
        Entry ``k`` is for the edge from vertex ``k`` to ``k + 1``; 0 at the last vertex of each polyline.
    """
    filled = offsets[:-1] < offsets[1:]
    first, last = offsets[:-1][filled], offsets[1:][filled] - 1
    step = np.zeros((len(coords), 2))
    step[:-1] = coords[1:, :2] - coords[:-1, :2]
    step[last] = 0.0
    length = np.hypot(step[:, 0], step[:, 1])
    before, after = _turns(step, length, first, last, closed[filled])
    small, large = np.minimum(np.abs(before), np.abs(after)), np.maximum(np.abs(before), np.abs(after))
    one_side = (before * after >= 0) | (large == np.pi)
    return np.asarray(np.minimum(np.where(one_side, length / 2 * np.tan(small / 4), 0.0), bulge))


def _turns(step: Floats, length: Floats, first: Ints, last: Ints, closed: Bools) -> tuple[Floats, Floats]:
    """Give the signed turns (K,) at both ends of each edge; an edge with one turn has half of it twice."""
    ring = closed & (last - first >= 2)
    into = np.arange(-1, len(step) - 1)
    into[first[ring]] = last[ring] - 1
    direction = step / np.where(length > 0, length, 1.0)[:, None]
    cross = direction[into, 0] * direction[:, 1] - direction[into, 1] * direction[:, 0]
    dot = (direction[into] * direction).sum(axis=1)
    before = np.where((length > 0) & (length[into] > 0), np.arctan2(cross, dot), 0.0)
    after = np.roll(before, -1)
    after[last[ring] - 1] = before[first[ring]]
    head, tail = first[~ring & (last > first)], last[~ring & (last - first >= 2)] - 1
    before[head] = after[head] = after[head] / 2
    before[tail] = after[tail] = before[tail] / 2
    return before, after
