"""Files to nouns and back; the suffix says which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Union

from ..files import whole_file
from ..model import LineStrings, Points, SplineGraph
from ..report import Progress, Report, silent
from . import checked, extents, frame, rejects, sidecar, spl, vector, world

__all__ = [
    "checked",
    "extents",
    "frame",
    "is_graph",
    "read",
    "read_graph",
    "rejects",
    "sidecar",
    "spl",
    "vector",
    "world",
    "write",
]

GRAPH_SUFFIX = ".spl"

PathText = Union[str, "PathLike[str]"]


def is_graph(path: PathText) -> bool:
    """Tell whether a path names a spline graph; any other name is for GDAL."""
    return Path(path).suffix.lower() == GRAPH_SUFFIX


def read(
    path: PathText, *, report: Report | None = None, progress: Progress = silent, **options: Any
) -> LineStrings | SplineGraph:
    """Read a `.spl` file with its sidecar, or the lines of any file that GDAL knows.

    Parameters
    ----------
    path : path-like
        The file.
    report : Report, optional
        Collects what was refused, assumed and chosen.
    progress : Progress
        Told how far the reading is; may raise to cancel it.
    **options
        For lines, those of `vector.read`.

    Raises
    ------
    FileAccessError, FormatError, GeoreferenceError, OptionError
        When the file cannot be read, does not hold what it should, or does not say where it is.
    """
    if is_graph(path):
        return read_graph(path, report=report, progress=progress)
    return vector.read(path, report=report, progress=progress, **options)


def read_graph(path: PathText, *, report: Report | None = None, progress: Progress = silent) -> SplineGraph:
    """Read a `.spl` file with what lies beside it: the sidecar, or without one a `.prj`."""
    report = Report() if report is None else report
    path = Path(path)
    graph = spl.read(path, report=report, progress=progress)
    beside = sidecar.find(path)
    graph = graph if beside is None else sidecar.attach(graph, beside, report)
    return graph if graph.crs else frame.attach_prj(graph, path.with_suffix(".prj"), report)


def write(
    data: SplineGraph | LineStrings | Points | Sequence[LineStrings | Points],
    path: PathText,
    *,
    overwrite: bool = False,
    report: Report | None = None,
    progress: Progress = silent,
    options: Mapping[str, Any] | None = None,
    **vector_options: Any,
) -> None:
    """Write a graph as `.spl` with its sidecar, or lines in the format that the suffix says.

    Files appear whole or not at all.

    Parameters
    ----------
    data : SplineGraph, LineStrings, Points, or several of the latter two
        What to write.
    path : path-like
        The file; ``.spl`` for a graph.
    overwrite : bool
        Replace existing files.
    report : Report, optional
        Collects what a format cannot hold; a graph's sidecar keeps it.
    progress : Progress
        Told how far the writing is; may raise to cancel it.
    options : mapping, optional
        What the job was asked for; a graph's sidecar keeps it.
    **vector_options
        For lines, those of `vector.write`.

    Raises
    ------
    FileAccessError, FormatError
        When a file exists, cannot be written, or its suffix does not fit.
    """
    path = Path(path)
    if not isinstance(data, SplineGraph):
        vector.write(data, path, overwrite=overwrite, report=report, **vector_options)
        return
    with whole_file(path, overwrite=overwrite) as scratch:
        sidecar.write(data, sidecar.beside(scratch), options=options, report=report)
        spl.write(data, scratch, progress=progress)
