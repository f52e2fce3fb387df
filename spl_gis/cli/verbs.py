"""The verbs that read or write lines, and what a file holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .. import formats
from ..errors import OptionError
from ..formats import frame as frame_file
from ..report import Report
from . import overview
from .jobs import holds_graph, lines_to_spl, spl_to_lines, spl_to_spl, update_spl
from .options import (
    FOR_GRAPHS,
    FOR_LINES,
    IN,
    READING,
    curves,
    framing,
    heights,
    network,
    output,
    reading,
    refuse_idle,
    ups,
    way_back,
)
from .run import run
from .terminal import say, show
from .up import UpCommand, up_option
from .update import recorded


@click.command("convert", cls=UpCommand)
@click.argument("source", metavar="IN", type=IN)
@click.argument("target", metavar="OUT", type=IN)
@reading
@framing
@click.option("--to-crs", metavar="CRS", help="CRS of written lines; 'frame' for the scene's own x and y.")
@curves
@network
@heights
@ups
@way_back
@click.option(
    "--rejects",
    "rejects_path",
    type=IN,
    metavar="FILE",
    help="Write refused and repaired features as a layer, with reasons.",
)
@output
def convert_command(source: Path, target: Path, **given: Any) -> None:
    """Convert lines to a spline graph, or a spline graph to lines: the suffixes say which."""
    if holds_graph(source) == formats.is_graph(target):
        raise OptionError(
            "one of IN and OUT must be a .spl file and the other not; 'spl-gis reproject' moves a .spl to "
            "another frame, and ogr2ogr converts between GIS formats"
        )
    context = click.get_current_context()
    if formats.is_graph(target):
        refuse_idle(context, FOR_LINES, "a .spl file that is written")
    else:
        refuse_idle(context, FOR_GRAPHS, "a .spl file that is read")
    given["target"] = target
    if given["update"]:
        run(update_spl, source, target, {**given, **recorded(target, given)})
    else:
        run(lines_to_spl if formats.is_graph(target) else spl_to_lines, source, target, given)


@click.command("reproject", cls=UpCommand)
@click.argument("source", metavar="IN.spl", type=IN)
@click.argument("target", metavar="OUT.spl", type=IN)
@framing
@click.option("--from-crs", metavar="CRS", help="CRS that the frame of IN.spl is built on.")
@click.option("--from-origin", metavar="lat=..,lon=..[,h=..]", help="Where (0,0,0) of IN.spl lies.")
@click.option("--from-rotation", type=float, metavar="DEG", help="Rotation of the frame of IN.spl.")
@up_option("--from-topocentric", "The frame of IN.spl is a tangent plane.")
@click.option("--from-frame", "from_frame_path", type=IN, metavar="FILE", help="Frame of IN.spl.")
@click.option("--from-node", metavar="x=..,y=..[,z=..]", help="Where the node of IN.spl stands.")
@click.option("--from-node-name", metavar="NAME", help="The node of IN.spl in the .world.")
@click.option(
    "--tolerance",
    type=float,
    metavar="M",
    help="Greatest distance of a curve from the true image of the one in IN.spl (default 0.01).",
)
@click.option("--allow-split", is_flag=True, help="Cut segments that no handles bring within the tolerance.")
@output
def reproject_command(source: Path, target: Path, **given: Any) -> None:
    """Move a spline graph to another frame; points and segments keep their order."""
    run(spl_to_spl, source, target, {**given, "target": target})


@click.command("info")
@click.argument("source", metavar="IN", type=IN)
@reading
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def info_command(source: Path, as_json: bool, **given: Any) -> None:
    """Say what a file holds, and where on Earth it is."""
    report = Report()
    if formats.is_graph(source):
        refuse_idle(click.get_current_context(), READING, "a .spl file")
        facts = overview.graph_facts(source, report)
        hint = frame_file.node_in_name(source)
        if hint is not None:
            report.note(f"by its name, the node of {source.name} stands at {hint}: --node {hint}")
    else:
        facts = overview.line_facts(source, given, report)
    if as_json:
        click.echo(json.dumps({**facts, "report": report.to_dict()}, ensure_ascii=False, indent=2))
        return
    show(overview.tables(facts))
    say(report, quiet=False)
