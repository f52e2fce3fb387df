"""Lines to graph."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from pyproj import CRS

from .. import doubts, fitting, topology
from ..cutting import in_order
from ..errors import FitError
from ..fitting.curves import Curves, FitOptions
from ..model import UP, Floats, Ints, LineStrings, SplineGraph, from_control_points, select_lines
from ..report import Progress, Report, silent
from ..roll import UpOptions, with_ups
from ..terrain import HeightOptions
from ..topology import Chains, NetworkOptions
from .draping import Draping
from .heights import filled, flat, raised, still_draped, with_heights
from .merge import layers_of, remark
from .network import make_network
from .placing import to_scene
from .roads import merge_lines, with_spans
from .structures import flat_below_structures, kinds_of, same_structure
from .through import fit_chains

ROUNDING = 2.0**-40
"""Coordinates times this are within the tolerance: 16 times what the certificate sets aside for rounding."""


def lines_to_graph(
    lines: LineStrings,
    frame: CRS | None,
    *,
    fit: str = "best",
    options: FitOptions = FitOptions(),  # noqa: B008 (frozen)
    network: NetworkOptions = NetworkOptions(),  # noqa: B008 (frozen)
    heights: HeightOptions = HeightOptions(),  # noqa: B008 (frozen)
    up: UpOptions = UpOptions(),  # noqa: B008 (frozen)
    report: Report | None = None,
    progress: Progress = silent,
) -> SplineGraph:
    """Make a spline graph of a line network.

    Parameters
    ----------
    lines : LineStrings
        The network, in any CRS.
    frame : pyproj.CRS or None
        The scene's frame (see `frames.scene_frame`); None keeps the coordinates of lines that have no CRS.
    fit : str
        A key of `fitting.METHODS`.
    options : FitOptions
        Tolerances, in metres of the scene.
    network : NetworkOptions
        Which vertices become one point, where else lines are joined, and what is left out.
    heights : HeightOptions
        Where heights come from; default: the lines' own.
    up : UpOptions
        How up vectors lean; what leans may need more segments.
    report : Report, optional
        Collects what was refused, repaired, assumed and counted.
    progress : Progress
        Told how far the job is; may raise to cancel it.

    Returns
    -------
    SplineGraph
        In `frame`; segments in the order of the lines, and along each line.

    Raises
    ------
    GeoreferenceError
        When the lines have a place on Earth and the frame has none, or the other way round.
    FitError
        When there is no such fit method.
    OptionError
        When the column with the level, the heights, the roll or the speed is missing, or holds something
        else; when the ground is unknown everywhere, or up vectors are to be those of no ground.
    """
    report = Report() if report is None else report
    progress(0.0, "placing")
    measured, heights = heights.surface, flat_below_structures(lines, frame, heights, network.level)
    placed, draped = with_heights(lines, frame, heights, report)
    scene = to_scene(placed, frame, report, own_heights=measured is None)
    if fit in fitting.KEEP_TOLERANCE:
        scene = _without_huge(scene, options, report)
    progress(0.2, "welding")
    # roads on the ground meet in plan, and are fitted there
    scene = flat(scene) if heights.surface is not None and draped.all() else filled(scene, report)
    scene, place, chains = make_network(scene, network, report)
    scene, draping = raised(scene, heights.offset), None
    if heights.surface is not None and draped.any():
        kinds = kinds_of(scene, network.level, heights.clearance, heights.max_grade)
        draping = Draping(heights.surface, still_draped(draped, placed, scene), heights, report, kinds)
    progress(0.4, "fitting")
    paths, roads = None, chains
    if network.merge:
        by = network.merge_by
        if draping is not None:
            by = same_structure(scene.features, network.level, by)
        paths, roads = merge_lines(scene, place, chains, by, report)
    if fit in fitting.KEEP_TOLERANCE:
        _tell_noise(scene.coords[roads.vertex], roads, options, report)
    curves = fit_chains(scene, place, roads, network.through, fit, options, draping)
    progress(0.9, "joining")
    source: dict[str, Any] = {"line_feature": scene.feature, "line_part": scene.part}
    source.update(features=scene.features, crs=scene.crs)
    del scene  # large, and the graph has all of it
    if paths is None:
        curves = curves._replace(places=np.empty(0))  # only merged lines are looked for on their curves
    graph = _assembled(place, roads, curves, **source)
    curves = curves._replace(controls=np.empty((0, 4, 3)))  # much the largest, and in the graph now
    line, road = roads.line, np.arange(len(roads.line))
    if paths is not None:
        graph = with_spans(graph, chains, paths, curves)
        line, road = chains.line[paths.chain], np.repeat(road, np.diff(paths.begin))
    _tell_deviations(graph, line, road, curves, report)
    graph = in_order(with_ups(graph, up, heights.surface, report))
    doubts.about_scene(graph.points, frame, report)
    report.count("features converted", len(graph.features))
    report.count("points", len(graph.points))
    report.count("segments", len(graph))
    report.count("junctions", int((topology.degrees(graph.ends, len(graph.points)) > 2).sum()))
    return dataclasses.replace(graph, source_crs=lines.crs, planar=placed.planar)


def _without_huge(scene: LineStrings, options: FitOptions, report: Report) -> LineStrings:
    """Refuse features with coordinates so large that rounding leaves no curve to be proved."""
    limits = options.tolerance, options.tolerance, options.tolerance / options.z_scale
    huge = (np.abs(scene.coords) * ROUNDING > limits).any(axis=1)
    if not huge.any():
        return scene
    lost = np.unique(scene.feature[np.logical_or.reduceat(huge, scene.offsets[:-1])])
    reason = f"coordinates so large that no curve can be proved within {min(limits):g} m"
    remark(report.refuse, scene.features, lost, reason)
    return select_lines(scene, ~np.isin(scene.feature, lost))


def _tell_noise(coords: Floats, chains: Chains, options: FitOptions, report: Report) -> None:
    """Say when the vertices scatter so much that curves within the tolerance follow each of them."""
    found = fitting.noise(coords, chains.offsets)
    sentence = fitting.advice(found, options.tolerance, options.z_tolerance)
    if sentence is not None:
        report.note(sentence)


def _tell_deviations(graph: SplineGraph, line: Ints, road: Ints, curves: Curves, report: Report) -> None:
    """Report how far curves are from their lines: the largest of all, and that of each feature."""
    vertex, curve = curves.vertex_deviation, curves.curve_deviation
    if vertex is None or curve is None or len(vertex) == 0:
        return
    feature = graph.line_feature[line]
    each = np.zeros((2, len(graph.features)))
    for largest, deviation in zip(each, (vertex, curve)):
        np.maximum.at(largest, feature, deviation[road])
    report.measures["vertex deviation [m]"] = float(each[0].max())
    report.measures["curve deviation [m]"] = float(each[1].max())
    if curves.height_deviation is not None:
        report.measures["height deviation [m]"] = float(curves.height_deviation.max())
    report.deviations = {
        "fid": graph.features.fid.tolist(),
        "layer": layers_of(graph.features),
        "vertex deviation [m]": np.round(each[0], 6).tolist(),
        "curve deviation [m]": np.round(each[1], 6).tolist(),
    }


def _assembled(place: Ints, chains: Chains, curves: Curves, **source: Any) -> SplineGraph:
    """Join fitted chains at their places, and number the points as they appear; `source` is for the graph."""
    controls, ends = curves.controls, _ends(place, chains, curves.offsets)
    points = np.empty((ends.max(initial=-1) + 1, 3))
    points[ends[:, 0]], points[ends[:, 1]] = controls[:, 0], controls[:, 3]
    tangents = from_control_points(controls)
    _refuse_degenerate(ends, tangents)
    ups = np.broadcast_to(UP, (len(controls), 2, 3))
    line = np.repeat(chains.line, np.diff(curves.offsets))
    return SplineGraph(points, ends, tangents, ups, line, **source)


def _ends(place: Ints, chains: Chains, offsets: Ints) -> Ints:
    """Give the points (S, 2) that segments join; joints inside a chain are points of their own."""
    start = place.max(initial=-1) + 1 + np.arange(offsets[-1])
    end = start + 1
    start[offsets[:-1]] = place[chains.vertex[chains.offsets[:-1]]]
    end[offsets[1:] - 1] = place[chains.vertex[chains.offsets[1:] - 1]]
    return topology.renumber(np.stack([start, end], axis=1).ravel()).reshape(-1, 2)


def _refuse_degenerate(ends: Ints, tangents: Floats) -> None:
    """Refuse what the engine cannot use, and no fit method may make."""
    bad = (ends[:, 0] == ends[:, 1]) | (tangents == 0).all(axis=2).any(axis=1)
    if bad.any():
        number = int(np.flatnonzero(bad)[0])
        raise FitError(
            f"the fit gave segment {number} no length or a zero handle; please report this as a bug"
        )
