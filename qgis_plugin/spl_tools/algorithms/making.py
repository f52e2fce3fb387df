"""From a layer to a graph: what two algorithms share."""

from __future__ import annotations

import dataclasses

from ..adapter import user_transform
from ..spl_gis import convert, frames
from ..spl_gis.terrain import HeightOptions
from .base import part_of
from .framing import frame_for


def graph_of(lines, wanted, framing, context, report, progress, *, path, heights=None):
    """Make a graph of lines, by the datum shifts that the project's user chose.

    Parameters
    ----------
    lines : LineStrings
        As the layer has them.
    wanted : Wanted
        How they become curves.
    framing : Framing
        Where the scene is.
    context : QgsProcessingContext
        Has the datum shifts.
    report, progress
        Of the core.
    path : Path
        The .spl that will be written.
    heights : Heights, optional
        Where heights come from. Default: the lines' own.
    """
    if lines.crs is None:
        report.warn(
            "the layer has no CRS: unless that is right, set it, else the scene has no place on Earth"
        )
    frame = frame_for(framing, lines.coords, lines.crs, report, path)
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
    return dataclasses.replace(graph, source_crs=lines.crs)
