"""Graph to graph."""

from __future__ import annotations

import dataclasses

import numpy as np
from pyproj import CRS

from .. import doubts, frames
from ..errors import GeoreferenceError
from ..model import SplineGraph
from ..report import Report
from .placing import tell_datum


def warn_if_heights_stay(graph: SplineGraph, target: CRS | None, report: Report) -> None:
    """Warn of heights that cannot become those of another CRS."""
    trouble = None if graph.planar else frames.heights_left(graph.crs, target)
    if trouble:
        report.warn(trouble)


def reproject(graph: SplineGraph, frame: CRS, *, report: Report | None = None) -> SplineGraph:
    """Move a graph to another frame.

    Points go through the CRSs, tangents and up vectors through the derivative of that map at their own end.
    Points and segments keep their order.

    Parameters
    ----------
    graph : SplineGraph
        A graph that has a place on Earth.
    frame : pyproj.CRS
        The frame wanted.
    report : Report, optional
        Collects what was counted.

    Raises
    ------
    GeoreferenceError
        When the graph has no frame, or a point cannot be projected.
    """
    report = Report() if report is None else report
    points = frames.transform(graph.points, graph.crs, frame)
    warn_if_heights_stay(graph, frame, report)
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
    doubts.about_scene(points, frame, report)
    tell_datum(points, graph.crs, frame, report)
    report.count("points", len(points))
    report.count("segments", len(graph))
    return dataclasses.replace(graph, points=points, tangents=tangents, ups=ups, crs=frame)
