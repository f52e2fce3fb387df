"""Mending a graph without changing its shape."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter

import numpy as np

from ..errors import GraphError, OptionError
from ..model import SplineGraph
from ..report import Report
from . import mends, renumber
from .codes import CODES
from .limits import Limits
from .numbers import infinite

TOLERANCE = 0.01
"""How far a curve may move [m] when nothing else is said."""

ORDERLY = (
    (renumber.split_loops, 1 / 6),
    (mends.weld, 1 / 6),
    (mends.handles, 1 / 6),
    (mends.kinks, 1 / 2),
    (mends.ups, 0.0),
)
"""Mends that keep the number of each point and segment, in their order, and their parts of the tolerance.

Loops come first: the ends of a segment can be one point only when it is in pieces.
"""


def repair(
    graph: SplineGraph,
    limits: Limits | None = None,
    *,
    tolerance: float = TOLERANCE,
    allow_renumber: bool = False,
    report: Report | None = None,
) -> SplineGraph:
    """Mend what can be mended without changing the shape.

    Points in one place become one; handles without length become straight ones; small kinks become smooth;
    up vectors become unit vectors, square to the road where they lay along it; segments that cross themselves
    are split. Points and segments keep their order, because engine worlds refer to them by index; new ones
    are appended.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    limits : Limits, optional
        Those of `check`.
    tolerance : float
        How far a curve may move [m].
    allow_renumber : bool
        Also leave out segments without length and points without a segment; later ones move up.
    report : Report, optional
        Told how many findings of each code were mended, and how many were left.

    Returns
    -------
    SplineGraph
        The mended graph; the very same object when there is nothing to mend.

    Raises
    ------
    GraphError
        When a number is infinite in the engine's float32.
    OptionError
        When the tolerance or a limit is not a positive number.

    Examples
    --------
    >>> import spl_gis
    >>> graph = spl_gis.spline_graph([[0, 0, 0], [9, 0, 0]], [[0, 1]], [[[3, 0, 0], [0, 0, 0]]])
    >>> spl_gis.repair(graph).tangents.tolist()
    [[[3.0, 0.0, 0.0], [-3.0, 0.0, 0.0]]]
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise OptionError(f"the tolerance must be a positive number of metres, not {tolerance!r}")
    broken = infinite(graph)
    if broken:
        raise GraphError(f"{broken[0].path}: {broken[0].message}; write a number that it can hold")
    limits, report = limits or Limits(), report or Report()
    steps = [*ORDERLY]
    if allow_renumber:
        steps = [(renumber.drop_void, 0.0), *steps, (renumber.drop_unreferenced, 0.0)]
    better, done, left = graph, Counter[str](), Counter[str]()
    for step, part in steps:
        before = better
        better, some, rest = step(better, limits, tolerance * part)
        better = _with_changes(better, before)
        done.update(some)
        left.update(rest)
    _tell(done, left, tolerance, report)
    return better


def _with_changes(graph: SplineGraph, was: SplineGraph) -> SplineGraph:
    """Flag the segments that have moved, so that nobody takes their source vertices for theirs."""
    if graph is was or len(graph) != len(was) or not len(was.line_feature):
        return graph
    moved = renumber.moved(graph, was)
    if not moved.any():
        return graph
    changed = was.changed if len(was.changed) else np.zeros(len(was), bool)
    return dataclasses.replace(graph, changed=changed | moved)


def _tell(done: Counter[str], left: Counter[str], tolerance: float, report: Report) -> None:
    for code, number in done.items():
        report.count(f"mended: {code}", number)
        report.note(f"mended: {number} x {CODES[code].title} ({code})")
    for code, number in left.items():
        report.count(f"left: {code}", number)
        report.warn(
            f"left: {number} x {CODES[code].title} ({code}): to mend that would change the shape by more "
            f"than {tolerance:g} m, or make a segment that the engine cannot use"
        )
