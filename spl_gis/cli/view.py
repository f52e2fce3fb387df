"""`view`: files in, a picture out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from .. import formats, frames, preview
from ..errors import FileAccessError, OptionError
from ..formats import frame as frame_file
from ..model import LineStrings, SplineGraph
from ..report import Report
from .options import IN, READING, reading, refuse_idle
from .terminal import progress_bar, say


@click.command("view")
@click.argument("paths", metavar="IN... OUT", type=IN, nargs=-1, required=True)
@reading
@click.option("--color-by", metavar="NAME", help="A field, or curvature, grade, roll or deviation.")
@click.option(
    "--frame",
    "frame_path",
    type=IN,
    metavar="FILE",
    help="Where a .spl is that does not say it: another .spl (its sidecar), a .prj or PROJJSON.",
)
@click.option("--no-check", is_flag=True, help="Do not look for what 'spl-gis check' finds.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@click.option("--quiet", is_flag=True, help="Say nothing but warnings and errors.")
def view_command(paths: tuple[Path, ...], **given: Any) -> None:
    """Draw graphs and lines over each other: OUT.html to look around in, OUT.svg or OUT.png for documents."""
    *sources, target = paths
    _check_files(sources, target, given)
    report = Report()
    with progress_bar(given["quiet"]) as progress:
        progress(0.0, "reading")
        names, inputs = zip(*_read(sources, given, report))
        _refuse_idle_frame(given["frame_path"], inputs)
        progress(0.4, "measuring")
        picture = preview.view(
            *inputs,
            names=names,
            color_by=given["color_by"],
            findings=() if given["no_check"] else None,
            frame=given["frame_path"] and frame_file.read(given["frame_path"]),
            report=report,
        )
        progress(0.8, "drawing")
        picture.save(target, overwrite=given["overwrite"])
    if not given["quiet"]:
        click.echo("\n".join([str(target), *(f"  {line}" for line in _summary(picture))]))
    say(report, given["quiet"])


def _check_files(sources: Sequence[Path], target: Path, given: dict[str, Any]) -> None:
    if not sources:
        raise OptionError("say what to draw and where to: spl-gis view IN... OUT.html")
    preview.check_suffix(target)
    if target.exists() and not given["overwrite"]:
        raise FileAccessError(f"{target} already exists: choose another name, or pass --overwrite")
    if all(map(formats.is_graph, sources)):
        refuse_idle(click.get_current_context(), READING, ".spl files")


def _refuse_idle_frame(path: Path | None, inputs: Sequence[SplineGraph | LineStrings]) -> None:
    lost = (isinstance(data, SplineGraph) and frames.place_of(data.crs) is None for data in inputs)
    if path and not any(lost):
        raise OptionError("--frame does nothing here: no .spl lacks its place; 'spl-gis reproject' moves one")


def _read(
    sources: Sequence[Path], given: dict[str, Any], report: Report
) -> Iterator[tuple[str, SplineGraph | LineStrings]]:
    """Read all files; each layer that was asked for is an input of its own."""
    options = {name: given[name] for name in ("where", "bbox", "encoding", "source_crs", "engine")}
    names = Counter(source.name for source in sources)
    for source in sources:
        name = source.name if names[source.name] == 1 else str(source)
        layers = () if formats.is_graph(source) else given["layer"]
        for layer in layers or [None]:
            data = preview.read(source, report, layer=layer, **options)
            yield (name if len(layers) < 2 else f"{name}: {layer}"), data


def _summary(picture: preview.Preview) -> list[str]:
    words = {"graph": "segments", "lines": "lines", "rejects": "rejected parts"}
    rows = [f"{each.name}: {words[each.kind]} {len(each.data):,}" for each in picture.scene.shown]
    severities = Counter(finding.severity for finding in picture.scene.findings)
    if severities:
        counts = ", ".join(
            f"{number:,} {severity}{'s' * (number > 1)}" for severity, number in severities.items()
        )
        rows.append(f"findings: {counts} ('spl-gis check' explains them)")
    return rows
