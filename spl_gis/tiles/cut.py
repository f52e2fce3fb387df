"""Segments cut where they cross a line of the map."""

from __future__ import annotations

import numpy as np

from .. import bezier
from ..cutting import cut
from ..model import Floats, Ints, SplineGraph, control_points

LEAST = 0.1
"""A part shorter than this [m] is not cut off: it stays with the rest, just across the border."""
HALVINGS = 52
"""So often an interval is halved to find a crossing: to the last bit of the parameter."""


def cut_at(graph: SplineGraph, axis: int, at: Floats) -> tuple[SplineGraph, Ints]:
    """Cut each segment once, where it crosses its own line x = `at`, or y = `at`.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    axis : int
        0 for x, 1 for y.
    at : ndarray, shape (M,)
        The line of each segment [m]; NaN = it has none.

    Returns
    -------
    graph : SplineGraph
        With second parts appended; see `cutting.cut`.
    parent : ndarray of int, shape (J,)
        The segments that the second parts come from, in their order.
    """
    asked = np.flatnonzero(~np.isnan(at))
    parameter = np.full(len(graph), np.nan)
    parameter[asked] = _crossing(control_points(graph)[asked], axis, at[asked])
    which = ~np.isnan(parameter)
    return cut(graph, which, np.where(which, parameter, 0.5)), np.flatnonzero(which)


def _crossing(controls: Floats, axis: int, at: Floats) -> Floats:
    """Give the first parameter (J,) at which each curve crosses its line, NaN = nowhere far from its ends."""
    along = controls[:, None, :, axis, None] - at[:, None, None, None]
    turns = np.sort(bezier.extremes(controls)[:, :, axis], axis=1)
    bounds = np.pad(turns, ((0, 0), (1, 1)), constant_values=(0.0, 1.0))
    low, high = bounds[:, :-1].copy(), bounds[:, 1:].copy()  # between its extremes a coordinate is monotone
    starts, stops = (bezier.evaluate(along, t)[..., 0] for t in (low, high))
    crosses = (starts < 0) != (stops < 0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        before = (bezier.evaluate(along, middle)[..., 0] < 0) == (starts < 0)
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    parts = bezier.split(np.broadcast_to(controls[:, None], (*high.shape, 4, 3)), high)
    reaches = [np.linalg.norm(part - part[..., :1, :], axis=-1).max(axis=-1) for part in parts]
    high[~(crosses & (np.minimum(*reaches) >= LEAST))] = np.inf
    first = high.min(axis=1)
    return np.where(np.isinf(first), np.nan, first)
