"""A graph as a picture: a page for the browser, or a drawing for documents."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Union

from pyproj import CRS

from ..checks import Finding
from ..model import LineStrings, SplineGraph
from ..report import Report
from .picture import drawing_of
from .preview import SUFFIXES, Preview, check_suffix
from .scene import gather, read

__all__ = ["SUFFIXES", "Preview", "check_suffix", "drawing_of", "read", "view"]

Input = Union[SplineGraph, LineStrings, str, "PathLike[str]"]


def view(
    *inputs: Input,
    names: Sequence[str] = (),
    color_by: str | None = None,
    findings: Sequence[Finding] | None = None,
    frame: CRS | None = None,
    report: Report | None = None,
    **reading: Any,
) -> Preview:
    """Show graphs and lines in one frame.

    The frame is that of the first graph; the others are moved to it. Lines alone are shown in the frame that
    `convert` would choose. The vertices that a graph keeps of its source are shown with it.

    Parameters
    ----------
    *inputs : SplineGraph, LineStrings or path-like
        What to show. A file that `--rejects` wrote is known by its columns, and drawn as rejects.
    names : sequence of str, optional
        What to call the inputs; default: the names of the files, or "graph" and "lines".
    color_by : str, optional
        A feature field, or "curvature", "grade", "roll" or "deviation"; the page can change it. Default:
        every input has its own colour.
    findings : sequence, optional
        What is marked: findings about the first graph. Default: what `check` finds in it.
    frame : pyproj.CRS, optional
        Where graphs are that do not say it themselves.
    report : Report, optional
        Told what was said while files were read.
    **reading
        For files of lines, the options of `spl_gis.formats.vector.read`.

    Returns
    -------
    Preview
        What can be saved, and shows itself in Jupyter.

    Raises
    ------
    OptionError
        When there is nothing to show, or `color_by` is not something to colour by.
    GeoreferenceError
        When one input has a place on Earth and another none, or one cannot be projected.
    GraphError
        When coordinates are too large to draw.
    FileAccessError, FormatError
        When a file cannot be read.
    """
    report = Report() if report is None else report
    scene = gather(inputs, names, findings=findings, frame=frame, report=report, reading=reading)
    return Preview(scene, color_by, report)
