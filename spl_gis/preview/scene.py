"""What is shown: all inputs in one frame."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pyproj import CRS

from .. import bezier, checks, formats, frames
from ..checks import Finding
from ..convert import reproject
from ..errors import GeoreferenceError, GraphError, OptionError
from ..formats import PathText, rejects
from ..model import Floats, Ints, LineStrings, SplineGraph, control_points
from ..report import Report

FARTHEST = 1e9
"""Coordinates [m] up to which a picture can be drawn; the Earth is 1.3e7 m wide."""


@dataclass(frozen=True)
class Shown:
    """One input in the frame of the scene.

    Attributes
    ----------
    name : str
        What to call it.
    data : SplineGraph or LineStrings
        What it holds, in the frame of the scene [m].
    """

    name: str
    data: SplineGraph | LineStrings

    @property
    def kind(self) -> str:
        """``graph``, ``lines`` or ``rejects``."""
        if isinstance(self.data, SplineGraph):
            return "graph"
        return "rejects" if rejects.are_rejects(self.data.features) else "lines"

    @property
    def feature(self) -> Ints:
        """Row in the features of each segment, or of each line; -1 = none."""
        if isinstance(self.data, SplineGraph):
            return np.append(self.data.line_feature, -1)[self.data.line]
        return self.data.feature

    @functools.cached_property
    def bounds(self) -> Floats:
        """Least and greatest coordinates, shape (2, 3); NaN where there are none."""
        if isinstance(self.data, SplineGraph):
            curves = bezier.bounds(control_points(self.data)).reshape(-1, 3)
            return _bounds(np.concatenate([curves, self.data.points]))
        return _bounds(self.data.coords)


@dataclass(frozen=True)
class Scene:
    """All inputs in one frame.

    Attributes
    ----------
    shown : list of Shown
        The inputs, in the order in which they were given.
    title : str
        Names of what was given.
    crs : pyproj.CRS or None
        The frame.
    findings : list
        What `check` found in the first graph.
    """

    shown: list[Shown]
    title: str
    crs: CRS | None
    findings: list[Finding]

    @property
    def graphs(self) -> list[SplineGraph]:
        """The graphs among the inputs."""
        return [each.data for each in self.shown if isinstance(each.data, SplineGraph)]

    @property
    def sources(self) -> list[LineStrings]:
        """The lines among the inputs that are no rejects."""
        return [
            each.data for each in self.shown if isinstance(each.data, LineStrings) and each.kind == "lines"
        ]

    @functools.cached_property
    def bounds(self) -> Floats:
        """Least and greatest coordinates, shape (2, 3); a hundred metres round the origin if all is empty."""
        corners = _bounds(np.concatenate([each.bounds for each in self.shown]))
        return np.where(np.isfinite(corners), corners, [[-50.0, -50.0, 0.0], [50.0, 50.0, 0.0]])


def gather(
    inputs: Sequence[Any],
    names: Sequence[str],
    *,
    findings: Sequence[Finding] | None,
    frame: CRS | None,
    report: Report,
    reading: dict[str, Any],
) -> Scene:
    """Read what are files, and move all inputs to one frame; see `view`."""
    if not inputs:
        raise OptionError("there is nothing to show: give a graph, lines or files")
    if len(names) > len(inputs):
        raise OptionError(f"{len(names)} names were given for {len(inputs)} inputs")
    given = [
        each if isinstance(each, (SplineGraph, LineStrings)) else read(each, report, **reading)
        for each in inputs
    ]
    given = [_placed(data, frame) for data in given]
    called = [*names, *(_name(each, data) for each, data in zip(inputs[len(names) :], given[len(names) :]))]
    for name, data in zip(called, given):
        _require_near(data, name)
    crs = _common_frame(given)
    shown: list[Shown] = []
    for name, data in zip(called, given):
        kept = _kept_source(data) if isinstance(data, SplineGraph) else None
        shown += [Shown(f"kept in {name}", _moved(kept, crs, name))] if kept else []
        shown.append(Shown(name, _moved(data, crs, name)))
    scene = Scene(shown, ", ".join(called), crs, [])
    if findings is None:
        findings = checks.check(scene.graphs[0]) if scene.graphs else []
    return dataclasses.replace(scene, findings=list(findings))


def read(path: PathText, report: Report, **reading: Any) -> SplineGraph | LineStrings:
    """Read a file; of one that `--rejects` wrote all that has a place. See `view`."""
    if formats.is_graph(path):
        return formats.read_graph(path, report=report)
    said = Report()
    lines = formats.vector.read(path, report=said, **reading)
    if rejects.are_rejects(lines.features):
        return rejects.read(path, **reading)
    report.add(said)
    return lines


def _name(given: Any, data: SplineGraph | LineStrings) -> str:
    if isinstance(given, (SplineGraph, LineStrings)):
        return data.features.layer or ("graph" if isinstance(data, SplineGraph) else "lines")
    return Path(given).name


def _require_near(data: SplineGraph | LineStrings, name: str) -> None:
    """Refuse what would overflow on the way to a picture."""
    graph = isinstance(data, SplineGraph)
    arrays = (data.points, data.tangents) if isinstance(data, SplineGraph) else (data.coords,)
    farthest = max(float(np.nanmax(np.abs(each), initial=0.0)) for each in arrays)
    if farthest > FARTHEST:
        where = "'spl-gis check' says where" if graph else "is its CRS right?"
        raise GraphError(f"{name} reaches {farthest:.3g} m, which no picture can show: {where}")


def _placed(data: SplineGraph | LineStrings, frame: CRS | None) -> SplineGraph | LineStrings:
    """Say where a graph is that does not say it itself."""
    lost = isinstance(data, SplineGraph) and not frames.place_of(data.crs)
    return dataclasses.replace(data, crs=frame) if lost and frame is not None else data


def _common_frame(given: Sequence[SplineGraph | LineStrings]) -> CRS | None:
    """Give the frame of the first graph; without graphs, the one in which lines are best seen."""
    for data in given:
        if isinstance(data, SplineGraph):
            return data.crs
    first: Any = given[0]
    if not len(first) or not frames.place_of(first.crs):
        return None
    frame: CRS | None = frames.scene_frame(first.coords, first.crs)
    return frame


def _kept_source(graph: SplineGraph) -> LineStrings | None:
    """Give the vertices that a graph keeps of its source as lines."""
    if graph.source is None:
        return None
    crs = graph.source_crs if frames.place_of(graph.crs) else graph.crs
    source = graph.source
    return LineStrings(
        source.coords, source.offsets, graph.line_feature, graph.line_part, graph.features, crs
    )


def _moved(data: SplineGraph | LineStrings, crs: CRS | None, name: str) -> SplineGraph | LineStrings:
    if bool(frames.place_of(data.crs)) != bool(frames.place_of(crs)) and len(data):
        lost = (
            "does not say where it is"
            if frames.place_of(crs)
            else "has a place on Earth, and they do not say theirs"
        )
        raise GeoreferenceError(
            f"{name} cannot be shown with the others: it {lost}; pass --frame for a .spl, --source-crs "
            "for lines"
        )
    if not len(data):
        return dataclasses.replace(data, crs=crs) if isinstance(data, LineStrings) else data
    if isinstance(data, SplineGraph):
        return data if data.crs == crs or crs is None else reproject(data, crs)
    coords = frames.transform(data.coords, data.crs, crs)
    if np.isnan(coords[:, :2]).any():
        raise GeoreferenceError(
            f"{name} reaches places that the frame of the scene cannot show: take a part of it with --bbox"
        )
    return dataclasses.replace(data, coords=coords, crs=crs)


def _bounds(coords: Floats) -> Floats:
    if not len(coords):
        return np.full((2, 3), np.nan)
    return np.stack([np.fmin.reduce(coords), np.fmax.reduce(coords)])
