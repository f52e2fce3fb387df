"""`view`: files in, a picture out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .. import checks, formats, preview
from ..checks import Finding
from ..errors import FileAccessError, OptionError
from ..formats import frame as frame_file
from ..model import LineStrings, SplineGraph
from ..report import Progress, Report
from .jobs import part_of, read_lines
from .options import READING, refuse_idle
from .terminal import progress_bar, say


def show(paths: Sequence[Path], given: dict[str, Any]) -> None:
    """Draw all but the last of the paths into the last one, and say what was drawn."""
    *sources, target = paths
    _check_files(sources, target, given)
    report = Report()
    with progress_bar(given["quiet"]) as progress:
        inputs = [_read(source, given, report, part_of(progress, 0.0, 0.4)) for source in sources]
        found = [] if given["no_check"] else _findings(inputs, part_of(progress, 0.4, 0.7))
        frame = given["frame_path"] and frame_file.read(given["frame_path"])
        names = [source.name for source in sources]
        picture = preview.view(
            *inputs, names=names, color_by=given["color_by"], findings=found, frame=frame, report=report
        )
        progress(0.9, "writing")
        picture.save(target, overwrite=given["overwrite"])
    if not given["quiet"]:
        click.echo("\n".join([str(target), *(f"  {line}" for line in _summary(picture, found))]))
    say(report, given["quiet"])


def _check_files(sources: Sequence[Path], target: Path, given: dict[str, Any]) -> None:
    if not sources:
        raise OptionError("say what to draw and where to: spl-gis view IN... OUT.html")
    preview.check_suffix(target)
    if target.exists() and not given["overwrite"]:
        raise FileAccessError(f"{target} already exists: choose another name, or pass --overwrite")
    if all(map(formats.is_graph, sources)):
        refuse_idle(click.get_current_context(), READING, ".spl files")


def _read(
    source: Path, given: dict[str, Any], report: Report, progress: Progress
) -> SplineGraph | LineStrings:
    if formats.is_graph(source):
        return formats.read_graph(source, report=report, progress=progress)
    return read_lines(source, given, report, progress)


def _findings(inputs: Sequence[SplineGraph | LineStrings], progress: Progress) -> list[Finding]:
    """Check the first graph, whose frame is that of the picture."""
    for data in inputs:
        if isinstance(data, SplineGraph):
            return checks.check(data, progress=progress)
    return []


def _summary(picture: preview.Preview, found: Sequence[Finding]) -> list[str]:
    sizes = {"graph": "segments", "lines": "lines", "rejects": "rejects"}
    rows = [f"{each.name}: {len(each.data):,} {sizes[each.kind]}" for each in picture.scene.shown]
    severities = Counter(finding.severity for finding in found)
    if severities:
        counts = ", ".join(f"{number:,} {severity}s" for severity, number in severities.items())
        rows.append(f"findings: {counts} ('spl-gis check' explains them)")
    return rows
