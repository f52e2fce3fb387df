"""From a layer to a graph."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from ..adapter import user_transform
from ..spl_gis import convert, formats, frames
from ..spl_gis.errors import FileAccessError
from ..spl_gis.fitting.curves import FitOptions
from ..spl_gis.formats import sidecar
from ..spl_gis.model import Features
from ..spl_gis.topology import NetworkOptions
from ..words import tr
from .base import part_of
from .curves import Wanted
from .heights import NO_HEIGHTS
from .ups import UPRIGHT, up_options

CHANGES = {
    "segments edited": "segments edited",
    "segments fitted anew": "segments fitted anew",
    "segments deleted": "segments deleted",
    "lines added": "lines added",
    "points moved": "points moved",
    "handles moved": "handles changed",
    "segments unchanged": "segments unchanged",
}
"""What the report counts of an edited layer, and how it is said."""


def graph_of(lines, frame, wanted, context, report, progress, *, heights=NO_HEIGHTS, up=UPRIGHT, keep=False):
    """Make a graph of lines, by the datum shifts that the project's user chose.

    Parameters
    ----------
    lines : LineStrings
        As the layer has them.
    frame : pyproj.CRS or None
        The frame of the scene.
    wanted : Wanted
        How they become curves.
    context : QgsProcessingContext
        Has the datum shifts.
    report, progress
        Of the core.
    heights : Heights
        Where heights come from. Default: the lines' own.
    up : UpOptions
        How roads lean.
    keep : bool
        Whether the graph keeps the lines' own vertices.
    """
    if lines.crs is None:
        report.warn(
            "the layer has no CRS: unless that is right, set it, else the scene has no place on Earth"
        )
    base = None if frame is None else frames.base_of(frame)
    moved = user_transform(lines, base, context.transformContext())
    graph = convert.lines_to_graph(
        moved,
        frame,
        fit=wanted.fit,
        options=dataclasses.replace(wanted.options, progress=part_of(progress, 0.4, 0.9)),
        network=wanted.network,
        heights=heights.options(moved, frame, context, report),
        up=up,
        report=report,
        progress=progress,
    )
    graph = _with_source(graph, lines, moved) if keep else graph
    return dataclasses.replace(graph, source_crs=lines.crs)


def _with_source(graph, lines, moved):
    """Give a graph the vertices of the layer, found by where the user's datum shift has moved them to."""
    kept = convert.keep_source(graph, moved)
    if moved is lines:
        return kept
    theirs = convert.keep_source(graph, lines).source
    if len(theirs.coords) != len(kept.source.coords):  # one of them is cut at 180 degrees
        return dataclasses.replace(graph, source=theirs)
    return dataclasses.replace(kept, source=dataclasses.replace(kept.source, coords=theirs.coords))


def older_graph(path, now, report):
    """Read the graph that is brought up to date, and say when it was made with other options than `now`.

    Raises
    ------
    FileAccessError
        When it has no sidecar, so that there is no telling what was what.
    """
    beside = sidecar.find(path)
    if beside is None:
        raise FileAccessError(tr("{} has no sidecar: it cannot be brought up to date").format(path.name))
    before = {name: value for name, value in sidecar.read_options(beside).items() if value is not None}
    was = {**options(Wanted("best", FitOptions(), NetworkOptions()), NO_HEIGHTS, UPRIGHT), **before}
    others = [
        f"--{name.replace('_', '-')} {_said(was[name])}"
        for name in now
        if _said(now[name]) != _said(was[name])
    ]
    if others:
        report.warn(f"{path.name} was made with other options: {', '.join(others)}")
    return formats.read_graph(path, report=report)


def options(wanted, heights, up):
    """Give what a graph is made with as the command line records it, so that its --update goes on with it."""
    return {**wanted.as_options(), **heights.as_options(), **up_options(up)}


def _said(value):
    """Say the value of an option; files are told by their names, and fields with or without their mark."""
    if isinstance(value, list):
        return ", ".join(Path(_said(word)).name for word in value) or "source"
    return value.removeprefix("field:") if isinstance(value, str) else value


def changes(report):
    """Say what was edited since a layer of ours was made; "" for other layers."""
    counts = report.counts
    return ", ".join(f"{tr(text)}: {counts[name]:,}" for name, text in CHANGES.items() if counts.get(name))


def with_own(lines, own):
    """Give lines columns of ours, before those of the layer, which give way where they have the same name."""
    theirs = {
        f"source_{name}" if name in own else name: column for name, column in lines.features.columns.items()
    }
    table = Features(lines.features.fid, {**own, **theirs}, lines.features.layer)
    return dataclasses.replace(lines, features=table)


def per_feature(graph):
    """Give the feature and the segment of each of their pairs; one along merged lines belongs to several."""
    if graph.spans is None:
        line, segment = graph.line, np.arange(len(graph))
    else:
        line, segment = graph.spans.line, graph.spans.segment
    return np.unique(np.stack([graph.line_feature[line], segment], axis=1), axis=0).T
