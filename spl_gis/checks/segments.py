"""Checks of segments by their ends and handles."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, SplineGraph
from ..topology.places import ordered_places
from .codes import Finding, findings
from .limits import Limits
from .measure import Measured, angle

ENDS = ("start", "end")


def of_ends(
    code: str, graph: SplineGraph, where: Bools, key: str, values: Floats, message: str
) -> list[Finding]:
    """Make findings of segment ends.

    Parameters
    ----------
    code : str
        The code.
    graph : SplineGraph
        The graph.
    where : ndarray of bool, shape (M, 2)
        Which ends.
    key : str
        ``tangent`` or ``up``.
    values : ndarray, shape (M, 2)
        What was measured.
    message : str
        With gaps ``{end}`` and ``{value}``.
    """
    row, end = np.nonzero(where)
    names = [ENDS[number] for number in end.tolist()]
    value = values[row, end].tolist()
    paths = [f"$.segments[{number}].{name}_{key}" for number, name in zip(row.tolist(), names)]
    messages = [message.format(end=name, value=number) for name, number in zip(names, value)]
    return findings(code, paths, messages, graph.points[graph.ends[row, end]], value)


def of_segments(code: str, where: Bools, places: Floats, values: Floats, message: str) -> list[Finding]:
    """Make findings of segments; places (M, 3) and values (M,) are those of all segments."""
    rows = np.flatnonzero(where)
    value = values[rows].tolist()
    paths = [f"$.segments[{row}]" for row in rows.tolist()]
    return findings(code, paths, [message.format(value=number) for number in value], places[rows], value)


def middles(measured: Measured) -> Floats:
    """Give the middles of all segments, shape (M, 3)."""
    middle: Floats = measured.controls.transpose(0, 2, 1) @ np.array([1, 3, 3, 1]) / 8
    return middle


def handles(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find handles without length, and those that point away from the other end."""
    none = (measured.handle <= limits.coincident) & ~measured.void[:, None]
    chord = measured.controls[:, 3] - measured.controls[:, 0]
    turn = angle(graph.tangents, np.stack([chord, -chord], axis=1))
    long = np.linalg.norm(chord, axis=1) > limits.coincident
    away = (turn > limits.backward) & ~none & long[:, None]
    return [
        *of_ends(
            "zero-handle",
            graph,
            none,
            "tangent",
            measured.handle,
            "the {end} handle has no length ({value:.2g} m)",
        ),
        *of_ends(
            "backward-handle",
            graph,
            away,
            "tangent",
            turn,
            "the {end} handle points {value:.0f} degrees away from the segment's other end",
        ),
    ]


def sizes(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find segments that are without length, from a point to itself, very short, or very long."""
    length, middle = measured.length, middles(measured)
    itself = (graph.ends[:, 0] == graph.ends[:, 1]) & ~measured.void
    short = (length < limits.short) & ~measured.void
    return [
        *of_segments("zero-length", measured.void, middle, length, "the segment is {value:.2g} m long"),
        *of_segments(
            "self-loop",
            itself,
            middle,
            length,
            "the segment begins and ends at one point ({value:.4g} m long)",
        ),
        *of_segments("short-segment", short, middle, length, "the segment is only {value:.2g} m long"),
        *of_segments(
            "long-segment", length > limits.long, middle, length, "the segment is {value:.0f} m long"
        ),
    ]


def duplicates(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find segments that lie over an earlier one, in either direction, to a millimetre."""
    label = ordered_places(_undirected(measured.controls, limits.coincident))
    order = np.argsort(label, kind="stable")
    again = np.zeros(len(label), bool)
    again[1:] = label[order][1:] == label[order][:-1]
    first = order[np.maximum.accumulate(np.where(again, 0, np.arange(len(label))))] if len(label) else order
    keep = again & ~measured.void[order]
    rows, first = order[keep], first[keep]
    paths = [f"$.segments[{row}]" for row in rows]
    messages = [f"the segment lies over segment {row}" for row in first.tolist()]
    return findings("duplicate", paths, messages, middles(measured)[rows], measured.length[rows])


def _undirected(controls: Floats, step: float) -> Floats:
    """Give control points in whole steps, (M, 12), each segment in that direction that sorts first."""
    grid = np.round(controls / step)
    ahead, back = grid.reshape(-1, 12), grid[:, ::-1].reshape(-1, 12)
    differ = ahead != back
    first = differ.argmax(axis=1)[:, None]
    turn = np.take_along_axis(ahead, first, 1) > np.take_along_axis(back, first, 1)
    return np.where(turn, back, ahead)
