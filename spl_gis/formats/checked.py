"""Checks of a `.spl` file: its text, its sidecar, and the graph in it."""

from __future__ import annotations

import os
import shutil
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ..checks import TOLERANCE, Finding, Limits, check, finding, in_order, infinite, repair
from ..errors import FileAccessError, FormatError
from ..files import whole_file
from ..model import SplineGraph
from ..report import Progress, Report, silent
from . import frame, sidecar, spl


class Checked(NamedTuple):
    """What a check of a file gives.

    Attributes
    ----------
    graph : SplineGraph or None
        The graph, with what its sidecar says if that belongs to it; None when values in the file are broken.
    findings : list of Finding
        What was found, the worst first.
    """

    graph: SplineGraph | None
    findings: list[Finding]


def check_file(
    path: str | PathLike[str],
    limits: Limits | None = None,
    *,
    report: Report | None = None,
    progress: Progress = silent,
) -> Checked:
    """Find what is wrong with a `.spl` file and its sidecar.

    When values are broken, not finite, or no index of a point, only those are found: without them there is no
    graph to look at.

    Parameters
    ----------
    path : path-like
        The file.
    limits : Limits, optional
        From where on something is worth a finding.
    report : Report, optional
        Told what a `.prj` beside the file says.
    progress : Progress
        Told how far the checks are.

    Returns
    -------
    Checked
        The graph and the findings.

    Raises
    ------
    FileAccessError
        When the file cannot be read.
    FormatError
        When it is no JSON, or nothing like a spline graph.
    OptionError
        When a limit is not a positive number.
    """
    path, said = Path(path), Report()
    data = spl.read_bytes(path)
    try:
        graph = spl.decode(data, path=path, report=said)
    except FormatError:
        faults = spl.faults(data, path=path)
        return Checked(None, in_order(finding(one.code, one.location or "$", one.message) for one in faults))
    broken = infinite(graph)
    if broken:
        return Checked(None, in_order(broken))
    found = [finding("unknown-key", "$", sentence) for sentence in said.warnings]
    graph, more = _with_sidecar(graph, path)
    graph = graph if graph.crs else frame.attach_prj(graph, path.with_suffix(".prj"), report or Report())
    return Checked(graph, in_order([*found, *more, *check(graph, limits, progress=progress)]))


def _with_sidecar(graph: SplineGraph, path: Path) -> tuple[SplineGraph, list[Finding]]:
    """Give a graph what its sidecar remembers, and say if that does not belong to it."""
    beside, said = sidecar.find(path), Report()
    if beside is None:
        return graph, []
    try:
        attached = sidecar.attach(graph, beside, said)
    except (FormatError, FileAccessError) as error:
        return graph, [finding("sidecar-unreadable", "$", str(error))]
    code = "sidecar-foreign" if attached is graph else "sidecar-changed"
    return attached, [finding(code, "$", sentence) for sentence in said.warnings]


def mend_file(
    source: Path,
    target: Path,
    before: Checked,
    limits: Limits | None = None,
    *,
    tolerance: float = TOLERANCE,
    allow_renumber: bool = False,
    overwrite: bool = False,
    report: Report | None = None,
) -> Checked:
    """Write a `.spl` with its sidecar, mended as far as it can be, and check it again.

    Parameters
    ----------
    source, target : Path
        The file that was checked, and the one to be written.
    before : Checked
        What `check_file` found in the first, which has a graph.
    limits : Limits, optional
        As for `check_file`.
    tolerance, allow_renumber
        As for `checks.repair`.
    overwrite : bool
        Replace an existing file.
    report : Report, optional
        Told what was mended.

    Returns
    -------
    Checked
        What is left in the file that was written; `before` itself when nothing could be mended: then the file
        is a copy, byte for byte.

    Raises
    ------
    FormatError
        When values are broken, so that there is no graph.
    FileAccessError
        When the file exists or cannot be written.
    """
    if before.graph is None:
        raise FormatError("its broken values must be mended first, by hand", path=source)
    better = repair(
        before.graph, limits, tolerance=tolerance, allow_renumber=allow_renumber, report=report or Report()
    )
    known = not any(one.code in ("sidecar-foreign", "sidecar-unreadable") for one in before.findings)
    beside = sidecar.find(source) if known else None
    if better is before.graph:
        _copy(source, target, beside, overwrite)
        return before
    _write(better, target, beside, overwrite)
    return check_file(target, limits)


def _write(graph: SplineGraph, target: Path, beside: Path | None, overwrite: bool) -> None:
    with whole_file(target, overwrite=overwrite) as scratch:
        if beside is not None or graph.crs is not None:
            options = sidecar.read_options(beside) if beside else None
            sidecar.write(graph, sidecar.beside(scratch), options=options)
        spl.write(graph, scratch)


def _copy(source: Path, target: Path, beside: Path | None, overwrite: bool) -> None:
    """Copy a file in which nothing was to mend, byte for byte, and its sidecar."""
    if os.path.realpath(source) == os.path.realpath(target):
        return
    with whole_file(target, overwrite=overwrite) as scratch:
        if beside:
            shutil.copyfile(beside, sidecar.beside(scratch))
        shutil.copyfile(source, scratch)
