"""The three jobs of the command line, and what the options mean for them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np
from pyproj import CRS

from .. import convert, formats, frames, tiles
from ..errors import GeoreferenceError, OptionError
from ..fitting.curves import FitOptions
from ..formats import frame as frame_file
from ..formats import vector, world
from ..model import Floats, LineStrings, Points, SplineGraph
from ..report import Progress, Report, part_of, silent
from ..topology import NetworkOptions
from .heights import heights_of
from .options import POINTS
from .roll import refuse_ups, ups_of

FRAMING = ("crs", "origin", "rotation", "topocentric", "frame_path", "node", "node_name")
"""Options that place a scene."""


def lines_to_spl(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read lines, choose a frame, and make a graph."""
    lines = read_lines(source, given, report, part_of(progress, 0.0, 0.3))
    if convert.edited_kind(lines) is not None:
        return _edited(source, lines, given, report)
    lines = lines if given["fields"] is None else convert.keep_fields(lines, given["fields"])
    frame = _frame(given, lines.coords, lines.crs, report)
    return graph_of(lines, frame, given, report, part_of(progress, 0.3, 0.6))


def graph_of(
    lines: LineStrings, frame: CRS | None, given: dict[str, Any], report: Report, progress: Progress
) -> SplineGraph:
    """Make a graph of lines as the options say."""
    graph = convert.lines_to_graph(
        lines,
        frame,
        fit=given["fit"],
        options=_curves(given, part_of(progress, 0.4, 0.9)),
        network=_network(given),
        heights=heights_of(lines, frame, given, report),
        up=ups_of(given),
        report=report,
        progress=progress,
    )
    return convert.keep_source(graph, lines) if given["keep_source"] else graph


def update_spl(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read lines and the graph that was made of them before, and bring the graph up to date."""
    old = formats.read_graph(given["target"], report=report)
    lines = read_lines(source, given, report, part_of(progress, 0.0, 0.3))
    lines = lines if given["fields"] is None else convert.keep_fields(lines, given["fields"])
    graph = graph_of(lines, old.crs, given, report, part_of(progress, 0.3, 0.5))
    return convert.update(graph, old, allow_renumber=given["allow_renumber"], report=report)


def _edited(source: Path, lines: LineStrings, given: dict[str, Any], report: Report) -> SplineGraph:
    """Make the graph again that a layer of ours was made of."""
    kind = convert.edited_kind(lines)
    report.note(f"these are {kind} that spl-gis wrote: they become their graph again, with what was edited")
    if given["keep_source"]:
        raise OptionError(f"--keep-source is for the lines of a source, not for {kind}")
    if given["z"] or given["z_offset"]:
        raise OptionError(f"--z and --z-offset are for the lines of a source, not for {kind}")
    refuse_ups(f"{kind} that spl-gis wrote")
    asked = any(given[name] for name in FRAMING)
    graph = convert.edited_to_graph(
        lines,
        _points(source, given, report) if kind == "handles" else None,
        frame=_frame(given, lines.coords, lines.crs, report) if asked else None,
        fit=given["fit"],
        options=_curves(given),
        report=report,
    )
    return graph if given["fields"] is None else convert.keep_fields(graph, given["fields"])


def _points(source: Path, given: dict[str, Any], report: Report) -> Points | None:
    """Read the points that belong to handles."""
    some = {name: given[name] for name in ("source_crs", "engine")}
    there = POINTS in [layer.name for layer in vector.layers(source, engine=given["engine"])]
    return vector.read_points(source, POINTS, **some, report=report) if there else None


def spl_to_lines(
    source: Path, given: dict[str, Any], report: Report, progress: Progress
) -> list[LineStrings | Points]:
    """Read a graph, place it, and make layers of lines or points."""
    graph = _read_graph(source, report, part_of(progress, 0.0, 0.4))
    graph = _placed(graph, source, given, report)
    graph = graph if given["fields"] is None else convert.keep_fields(graph, given["fields"])
    to_crs = _line_crs(given, graph, report)
    kinds = given["kind"] or ("features" if len(graph.features) else "chains",)
    return [
        convert.graph_to_points(graph, to_crs=to_crs, report=report)
        if kind == POINTS
        else convert.graph_to_lines(
            graph,
            kind=kind,
            to_crs=to_crs,
            exact=given["exact"],
            report=report if kind == kinds[0] else Report(),
            progress=part_of(progress, 0.4, 0.6),
            **_some(given, "tolerance"),
        )
        for kind in kinds
    ]


def holds_graph(path: Path) -> bool:
    """Tell whether a path names a spline graph, in one file or in tiles."""
    return formats.is_graph(path) or path.name == tiles.INDEX or (path / tiles.INDEX).is_file()


def _read_graph(source: Path, report: Report, progress: Progress) -> SplineGraph:
    if formats.is_graph(source):
        return formats.read_graph(source, report=report, progress=progress)
    return tiles.read_tiles(source, report=report, progress=progress)


def spl_to_spl(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read a graph, place it, and move it to another frame."""
    graph = formats.read_graph(source, report=report, progress=part_of(progress, 0.0, 0.4))
    graph = _placed(graph, source, _from_options(given), report)
    if graph.crs is None:
        raise GeoreferenceError(
            f"{source} does not say where it is: pass --from-crs and --from-origin, or --from-frame"
        )
    frame = _frame(given, graph.points, graph.crs, report)
    if frame is None:
        raise GeoreferenceError("the new frame has no place on Earth: pass --crs and --origin, or --frame")
    return convert.reproject(
        graph, frame, allow_split=given["allow_split"], report=report, **_some(given, "tolerance")
    )


def read_lines(
    source: Path, given: dict[str, Any], report: Report, progress: Progress = silent
) -> LineStrings:
    """Read the layers that the options name."""
    if len(set(given["layer"])) < len(given["layer"]):
        raise OptionError("the same --layer is given twice")
    reading = {name: given[name] for name in ("where", "bbox", "encoding", "source_crs", "engine")}
    layers = [
        vector.read(source, layer=layer, **reading, report=report, progress=progress)
        for layer in given["layer"] or [None]
    ]
    return convert.merge(layers, report)


def maker(frame: CRS | None, given: dict[str, Any]) -> Callable[[LineStrings, Report], SplineGraph]:
    """Give what makes graphs of parts of a network as the options say; other processes can use it."""
    how = {"fit": given["fit"], "options": _curves(given), "network": _network(given), "up": ups_of(given)}
    return functools.partial(_make, frame=frame, how=how)


def _make(lines: LineStrings, report: Report, *, frame: CRS | None, how: dict[str, Any]) -> SplineGraph:
    return convert.lines_to_graph(lines, frame, **how, report=report)


def frame_within(
    extent: Sequence[float], crs: CRS | None, given: dict[str, Any], report: Report
) -> CRS | None:
    """Choose the frame of lines of which only the extent is known: least x and y, greatest x and y."""
    corners = np.array([[extent[0], extent[1], 0.0], [extent[2], extent[3], 0.0]])
    return _frame(given, corners, crs, report)


def _curves(given: dict[str, Any], progress: Progress = silent) -> FitOptions:
    """Give the options that say how curves are fitted."""
    names = ("tolerance", "z_tolerance", "bulge", "corner", "max_length")
    return FitOptions(**{name: given[name] for name in names if given[name] is not None}, progress=progress)


def _network(given: dict[str, Any]) -> NetworkOptions:
    """Give the options that say how lines become a network."""
    return NetworkOptions(**{field.name: given[field.name] for field in dataclasses.fields(NetworkOptions)})


def _some(given: dict[str, Any], name: str) -> dict[str, Any]:
    """Give an option as a keyword, if it was given."""
    return {} if given[name] is None else {name: given[name]}


def _from_options(given: dict[str, Any]) -> dict[str, Any]:
    """Give the `--from-...` options under the names of the options that place a scene."""
    return {name: given[f"from_{name}"] for name in FRAMING}


def _frame(
    given: dict[str, Any], coords: Floats, crs: CRS | None, report: Report, read_from: Path | None = None
) -> CRS | None:
    """Give the frame that the options ask for: of a `.spl` that is read, or of the one to be written."""
    _check_node(given)
    if given["frame_path"] is None:
        origin = None if given["origin"] is None else frames.parse_origin(given["origin"])
        rotation, topocentric = given["rotation"] or 0.0, given["topocentric"]
        frame = frames.scene_frame(
            coords, crs, base=given["crs"], origin=origin, rotation=rotation, topocentric=topocentric
        )
    elif any(given[name] for name in FRAMING[:4]):
        raise OptionError("--frame already says all: leave out --crs, --origin, --rotation and --topocentric")
    else:
        graph = (read_from or given["target"]) if given["node"] is None else None
        frame = frame_file.read(
            given["frame_path"],
            graph=graph,
            node_name=given["node_name"],
            reading=read_from is not None,
            report=report,
        )
    if given["node"] is not None:
        scene = None if frame is None else frames.scene_of(frame)
        auto = given["node"] == "auto"
        node = frames.node_amid(coords, crs, scene) if auto else frames.parse_node(given["node"])
        frame = frames.at_node(scene, node)
    report.note(str(frames.describe(frame)))
    return frame


def _check_node(given: dict[str, Any]) -> None:
    """Refuse a name of a node where there is none to find."""
    if given["node_name"] is None:
        return
    if given["frame_path"] is None or given["frame_path"].suffix.lower() != world.SUFFIX:
        raise OptionError("--node-name is the name of a node in a .world: pass that with --frame")
    if given["node"] is not None:
        raise OptionError("--node and --node-name both say where the node stands: leave out one of them")


def _placed(graph: SplineGraph, source: Path, given: dict[str, Any], report: Report) -> SplineGraph:
    """Give the graph the frame that the options say it is in; without options it keeps the one it has."""
    if not any(given[name] for name in FRAMING):
        return graph
    if given["frame_path"] is None and given["origin"] is None:
        raise OptionError("to place a .spl, say where its (0,0,0) is: pass --origin, or --frame FILE")
    if given["node"] == "auto":
        raise OptionError("--node auto is for a .spl that is written: say where the node of this one stands")
    frame = _frame(given, np.zeros((1, 3)), None, report, source)
    hint = frame_file.node_in_name(source)
    if hint is not None and frames.node_of(frame) is None:
        report.warn(
            f"by its name, the node of {source.name} does not stand at the scene's origin: if so, pass "
            f"--node {hint}"
        )
    named = given["crs"] is not None and given["crs"].lower() != frames.LOCAL
    return dataclasses.replace(graph, crs=frame, source_crs=frames.parse_crs(given["crs"]) if named else None)


def _line_crs(given: dict[str, Any], graph: SplineGraph, report: Report) -> CRS | None:
    """Give the CRS of the lines to write, None = that of the source."""
    geojson = Path(given["target"]).suffix.lower() in (".geojson", ".json")
    if graph.crs is None:
        if geojson:
            raise GeoreferenceError("GeoJSON needs a place on Earth: pass --crs and --origin, or --frame")
        report.warn("the scene has no known place on Earth: the lines are in its own metres, without a CRS")
    if given["to_crs"] == "frame":
        return frames.without_height(graph.crs)
    if given["to_crs"] is not None:
        return frames.parse_crs(given["to_crs"])
    return frames.WGS84 if geojson else None
