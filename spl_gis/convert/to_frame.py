"""Graph to graph."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from pyproj import CRS

from .. import doubts, frames
from ..cutting import cut
from ..errors import GeoreferenceError, OptionError
from ..model import Bools, Floats, SplineGraph, control_points, from_control_points
from ..report import Report
from . import images
from .placing import tell_datum

DEVIATION = "reprojection deviation [m]"
"""Name of the distance between curves and the true images of those before."""

_ENOUGH = 0.01
"""Part of the tolerance by which a bound may be too wide."""
_CUTS = 12
"""How often a segment may be halved; with each time the deviation falls to a sixteenth, or less."""


def warn_if_heights_stay(graph: SplineGraph, target: CRS | None, report: Report) -> None:
    """Warn of heights that cannot become those of another CRS."""
    trouble = None if graph.planar else frames.heights_left(graph.crs, target)
    if trouble:
        report.warn(trouble)


def reproject(
    graph: SplineGraph,
    frame: CRS,
    *,
    tolerance: float = 0.01,
    allow_split: bool = False,
    report: Report | None = None,
) -> SplineGraph:
    """Move a graph to another frame.

    Points go through the CRSs, tangents and up vectors through the derivative of that map at their own end.
    How far each curve can be from the true image of the one before is bounded (see `images.deviations`).
    Where that is more than the tolerance, the handles get other lengths in the same directions, so that
    smooth joints stay smooth. Points and segments keep their order.

    Parameters
    ----------
    graph : SplineGraph
        A graph that has a place on Earth.
    frame : pyproj.CRS
        The frame wanted.
    tolerance : float
        Greatest distance between a curve and the true image of the one before, in metres of the new frame.
    allow_split : bool
        Cut segments in halves where nothing else helps. The first half keeps the index, all else is appended.
    report : Report, optional
        Collects what was counted, the largest deviation, and what stays beyond the tolerance.

    Raises
    ------
    GeoreferenceError
        When the graph has no frame, or a part of it cannot be projected.
    OptionError
        When the tolerance is not a positive number.
    """
    report = Report() if report is None else report
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise OptionError(f"the tolerance must be a positive number of metres, not {tolerance!r}")
    source, whole = graph.crs, len(graph)
    warn_if_heights_stay(graph, frame, report)
    moved, bound, refitted = _moved(graph, frame, tolerance)
    for _ in range(_CUTS if allow_split else 0):
        if not (bound > tolerance).any():
            break
        graph = cut(graph, bound > tolerance)
        moved, bound, refitted = _moved(graph, frame, tolerance)
    doubts.about_scene(moved.points, frame, report)
    tell_datum(moved.points, source, frame, report)
    report.count("points", len(moved.points))
    report.count("segments", len(moved))
    _tell(bound, refitted, len(moved) - whole, report)
    _warn_of_deviation(bound, tolerance, allow_split, report)
    return moved


def _moved(graph: SplineGraph, frame: CRS, tolerance: float) -> tuple[SplineGraph, Floats, Bools]:
    """Move a graph; also tell each segment's deviation, shape (M,), and whether its handles were refitted."""

    def move(places: Floats) -> Floats:
        return frames.transform(places, graph.crs, frame)

    moved = _by_derivative(graph, frame)
    old, new = control_points(graph), control_points(moved)
    bound = images.deviations(old, new, move, _ENOUGH * tolerance)
    if np.isinf(bound).any():
        raise GeoreferenceError(
            f"$.segments[{bound.argmax()}] leaves the area that can be projected to the new frame: "
            "choose a frame nearer to the scene"
        )
    bad = np.flatnonzero(bound > tolerance)
    if len(bad) == 0:
        return moved, bound, np.zeros(len(graph), bool)
    other = images.refitted(old[bad], new[bad], move)
    better = images.deviations(old[bad], other, move, _ENOUGH * tolerance)
    gains = better < bound[bad]
    bad, other = bad[gains], other[gains]
    bound[bad] = better[gains]
    tangents, refitted = moved.tangents.copy(), np.zeros(len(graph), bool)
    tangents[bad], refitted[bad] = from_control_points(other), True
    return dataclasses.replace(moved, tangents=tangents), bound, refitted


def _by_derivative(graph: SplineGraph, frame: CRS) -> SplineGraph:
    """Move points through the CRSs, tangents and up vectors by the derivative."""
    points = frames.transform(graph.points, graph.crs, frame)
    bad = ~frames.comes_back(graph.points, points, graph.crs, frame)
    if bad.any():
        raise GeoreferenceError(
            f"{bad.sum()} points have no place in the new frame (the first is "
            f"$.points[{np.flatnonzero(bad)[0]}]): choose a frame nearer to the scene"
        )
    ends = graph.points[graph.ends]
    tangents = frames.transform_vectors(ends, graph.tangents, graph.crs, frame)
    ups = frames.transform_vectors(ends, graph.ups, graph.crs, frame)
    size = np.linalg.norm(ups, axis=2, keepdims=True)
    was = np.linalg.norm(graph.ups, axis=2, keepdims=True)
    ups = ups * np.divide(was, size, out=np.zeros_like(was), where=size > 0)  # a zero up vector stays one
    return dataclasses.replace(graph, points=points, tangents=tangents, ups=ups, crs=frame)


def _tell(bound: Floats, refitted: Bools, new: int, report: Report) -> None:
    """Report the largest deviation and where it is, and what was done about large ones."""
    if len(bound) == 0:
        return
    report.measures[DEVIATION] = float(bound.max())
    report.note(
        f"all curves are within {bound.max():.2g} m of their true images, the farthest is "
        f"$.segments[{bound.argmax()}]"
    )
    report.deviations = {DEVIATION: np.round(bound, 6).tolist()}
    for name, number in (("segments refitted", refitted.sum()), ("segments cut off", new)):
        if number:
            report.count(name, number)


def _warn_of_deviation(bound: Floats, tolerance: float, allow_split: bool, report: Report) -> None:
    """Warn of segments beyond the tolerance."""
    far = int((bound > tolerance).sum())
    if far:
        cure = "choose a frame nearer to the scene" if allow_split else "pass --allow-split to cut them"
        report.warn(
            f"{far} segments are up to {bound.max():.3g} m from their true images, beyond the tolerance of "
            f"{tolerance:g} m (the farthest is $.segments[{bound.argmax()}]): {cure}, or a larger --tolerance"
        )
