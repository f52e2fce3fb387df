"""From file to file: read, do, write; and what the options mean for it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
from pyproj import CRS

from .. import convert, formats, frames, info
from ..errors import FileAccessError, GeoreferenceError, OptionError, SplGisError
from ..files import whole_file
from ..fitting.curves import FitOptions
from ..formats import frame as frame_file
from ..formats import vector
from ..model import Floats, LineStrings, Points, SplineGraph
from ..report import Progress, Report, by_reason, silent
from ..topology import NetworkOptions
from . import rejects
from .options import POINTS
from .terminal import progress_bar, say, show_table

FRAMING = ("crs", "origin", "rotation", "topocentric", "frame_path")
"""Options that place a scene."""


def lines_to_spl(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read lines, choose a frame, and make a graph."""
    lines = read_lines(source, given, report, _part(progress, 0.0, 0.3))
    if convert.edited_kind(lines) is not None:
        return _edited(source, lines, given, report)
    lines = lines if given["fields"] is None else convert.keep_fields(lines, given["fields"])
    frame = _frame(given, lines.coords, lines.crs, report)
    return graph_of(lines, frame, given, report, _part(progress, 0.3, 0.6))


def graph_of(
    lines: LineStrings, frame: CRS | None, given: dict[str, Any], report: Report, progress: Progress
) -> SplineGraph:
    """Make a graph of lines as the options say."""
    graph = convert.lines_to_graph(
        lines,
        frame,
        fit=given["fit"],
        options=FitOptions(**_some(given, "tolerance")),
        network=_network(given),
        report=report,
        progress=progress,
    )
    return convert.keep_source(graph, lines) if given["keep_source"] else graph


def update_spl(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read lines and the graph that was made of them before, and bring the graph up to date."""
    old = formats.read_graph(given["target"], report=report)
    lines = read_lines(source, given, report, _part(progress, 0.0, 0.3))
    lines = lines if given["fields"] is None else convert.keep_fields(lines, given["fields"])
    graph = graph_of(lines, old.crs, given, report, _part(progress, 0.3, 0.5))
    return convert.update(graph, old, allow_renumber=given["allow_renumber"], report=report)


def _edited(source: Path, lines: LineStrings, given: dict[str, Any], report: Report) -> SplineGraph:
    """Make the graph again that a layer of ours was made of."""
    kind = convert.edited_kind(lines)
    report.note(f"these are {kind} that spl-gis wrote: they become their graph again, with what was edited")
    if given["keep_source"]:
        raise OptionError(f"--keep-source is for the lines of a source, not for {kind}")
    asked = any(given[name] for name in FRAMING)
    graph = convert.edited_to_graph(
        lines,
        _points(source, given, report) if kind == "handles" else None,
        frame=_frame(given, lines.coords, lines.crs, report) if asked else None,
        fit=given["fit"],
        options=FitOptions(**_some(given, "tolerance")),
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
    graph = formats.read_graph(source, report=report, progress=_part(progress, 0.0, 0.4))
    graph = _placed(graph, given, report)
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
            progress=_part(progress, 0.4, 0.6),
            **_some(given, "tolerance"),
        )
        for kind in kinds
    ]


def spl_to_spl(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read a graph, place it, and move it to another frame."""
    graph = formats.read_graph(source, report=report, progress=_part(progress, 0.0, 0.4))
    graph = _placed(graph, _from_options(given), report)
    if graph.crs is None:
        raise GeoreferenceError(
            f"{source} does not say where it is: pass --from-crs and --from-origin, or --from-frame"
        )
    frame = _frame(given, graph.points, graph.crs, report)
    if frame is None:
        raise GeoreferenceError("the new frame has no place on Earth: pass --crs and --origin, or --frame")
    return convert.reproject(graph, frame, report=report)


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


def run(
    job: Callable[[Path, dict[str, Any], Report, Progress], list[LineStrings | Points] | SplineGraph],
    source: Path,
    target: Path,
    given: dict[str, Any],
) -> None:
    """Do a job from file to file, and say what happened."""
    if source.resolve() == target.resolve() and not given["overwrite"]:
        raise OptionError("IN and OUT are the same file: choose another OUT, or pass --overwrite")
    report, overwrite = Report(), given["overwrite"]
    _check_outputs(source, given)
    with progress_bar(given["quiet"]) as progress:
        data = job(source, given, report, progress)
        if isinstance(data, SplineGraph):
            report.network, report.frame = info.network(data), info.place(data.crs)
        if given.get("rejects_path"):
            rejects.write(source, given["rejects_path"], given, report)
        troubles = _troubles(report) if given["strict"] else []
        if not troubles:
            graph = isinstance(data, SplineGraph)
            more = {"options": _asked(given)} if graph else {"engine": given["engine"]}
            progress(0.6, "writing")
            part = _part(progress, 0.6, 1.0)
            formats.write(data, target, overwrite=overwrite, report=report, progress=part, **more)
    if given["report_path"]:
        with whole_file(given["report_path"], overwrite=overwrite) as scratch:
            scratch.write_text(json.dumps(report.to_dict(), ensure_ascii=False, indent=2), encoding="utf-8")
    if troubles:
        raise SplGisError("--strict: " + "; ".join(troubles))
    if not given["quiet"]:
        show_table(str(target), report)
    say(report, given["quiet"])


def _network(given: dict[str, Any]) -> NetworkOptions:
    """Give the options that say how lines become a network."""
    return NetworkOptions(**{field.name: given[field.name] for field in dataclasses.fields(NetworkOptions)})


def _check_outputs(source: Path, given: dict[str, Any]) -> None:
    """Refuse `--report` and `--rejects` that cannot be written, before anything is done."""
    if given.get("rejects_path"):
        rejects.check(source, given["rejects_path"])
    for path in (given["report_path"], given.get("rejects_path")):
        if path and path.exists() and not given["overwrite"]:
            raise FileAccessError(f"{path} already exists: choose another name, or pass --overwrite")


def _some(given: dict[str, Any], name: str) -> dict[str, Any]:
    """Give an option as a keyword, if it was given."""
    return {} if given[name] is None else {name: given[name]}


def _from_options(given: dict[str, Any]) -> dict[str, Any]:
    """Give the `--from-...` options under the names of the options that place a scene."""
    return {name: given[f"from_{name}"] for name in FRAMING}


def _frame(given: dict[str, Any], coords: Floats, crs: CRS | None, report: Report) -> CRS | None:
    """Give the frame that the options ask for."""
    if given["frame_path"] is None:
        origin = None if given["origin"] is None else frames.parse_origin(given["origin"])
        base = None if given["crs"] is None else frames.parse_crs(given["crs"])
        rotation, topocentric = given["rotation"] or 0.0, given["topocentric"]
        frame = frames.scene_frame(
            coords, crs, base=base, origin=origin, rotation=rotation, topocentric=topocentric
        )
    elif any(given[name] for name in FRAMING if name != "frame_path"):
        raise OptionError("--frame already says all: leave out --crs, --origin, --rotation and --topocentric")
    else:
        frame = frame_file.read(given["frame_path"])
    report.note(str(frames.describe(frame)))
    return frame


def _placed(graph: SplineGraph, given: dict[str, Any], report: Report) -> SplineGraph:
    """Give the graph the frame that the options say it is in; without options it keeps the one it has."""
    if not any(given[name] for name in FRAMING):
        return graph
    if given["frame_path"] is None and given["origin"] is None:
        raise OptionError("to place a .spl, say where its (0,0,0) is: pass --origin, or --frame FILE")
    frame = _frame(given, np.zeros((1, 3)), None, report)
    base = None if given["crs"] is None else frames.parse_crs(given["crs"])
    return dataclasses.replace(graph, crs=frame, source_crs=base)


def _line_crs(given: dict[str, Any], graph: SplineGraph, report: Report) -> CRS | None:
    """Give the CRS of the lines to write, None = that of the source."""
    geojson = Path(given["target"]).suffix.lower() in (".geojson", ".json")
    if graph.crs is None:
        if geojson:
            raise GeoreferenceError("GeoJSON needs a place on Earth: pass --crs and --origin, or --frame")
        report.warn("the scene has no known place on Earth: the lines are in its own metres, without a CRS")
    if given["to_crs"] == "frame":
        return graph.crs
    if given["to_crs"] is not None:
        return frames.parse_crs(given["to_crs"])
    return frames.WGS84 if geojson else None


def _troubles(report: Report) -> list[str]:
    """Give what `--strict` does not allow."""
    return report.warnings + [f"refused: {sentence}" for sentence in by_reason(report.refused)]


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """Give the options that were given, as plain values."""
    kept = {name: value for name, value in given.items() if value != ()}
    return {name: str(value) if isinstance(value, Path) else value for name, value in kept.items()}


def _part(progress: Progress, start: float, stop: float) -> Progress:
    """Give a progress that fills a part of another."""
    return lambda fraction, what: progress(start + fraction * (stop - start), what)
