"""From a layer to a graph."""

from __future__ import annotations

import dataclasses

from ..adapter import user_transform
from ..spl_gis import convert, formats, frames
from ..spl_gis.errors import FileAccessError
from ..spl_gis.fitting.curves import FitOptions
from ..spl_gis.formats import sidecar
from ..spl_gis.terrain import HeightOptions
from ..spl_gis.topology import NetworkOptions
from ..words import tr
from .base import part_of
from .curves import Wanted

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


def graph_of(lines, frame, wanted, context, report, progress, *, heights=None, keep=False):
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
    heights : Heights, optional
        Where heights come from. Default: the lines' own.
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
        heights=HeightOptions() if heights is None else heights.options(moved, frame, context, report),
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


def older_graph(path, wanted, report):
    """Read the graph that is brought up to date, and say when it was made with other options.

    Raises
    ------
    FileAccessError
        When it has no sidecar, so that there is no telling what was what.
    """
    beside = sidecar.find(path)
    if beside is None:
        raise FileAccessError(tr("{} has no sidecar: it cannot be brought up to date").format(path.name))
    usual = Wanted("best", FitOptions(), NetworkOptions()).as_options()
    before = {name: value for name, value in sidecar.read_options(beside).items() if value is not None}
    was, now = {**usual, **before}, wanted.as_options()
    others = [f"--{name.replace('_', '-')} {was[name]}" for name in now if now[name] != was[name]]
    if others:
        report.warn(f"{path.name} was made with other options: {', '.join(others)}")
    return formats.read_graph(path, report=report)


def changes(report):
    """Say what was edited since a layer of ours was made; "" for other layers."""
    counts = report.counts
    return ", ".join(f"{tr(text)}: {counts[name]:,}" for name, text in CHANGES.items() if counts.get(name))
