"""`tile`: a network in, a folder of scenes out, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import formats, tiles
from ..files import whole_folder
from ..model import SplineGraph
from ..report import Progress, Report
from .jobs import lines_to_spl, part_of
from .options import FOR_GRAPHS, IN, curves, framing, heights, network, output, reading, refuse_idle, ups
from .run import asked, settle, tell
from .terminal import progress_bar
from .up import UpCommand


@click.command("tile", cls=UpCommand)
@click.argument("source", metavar="IN", type=IN)
@click.argument("target", metavar="FOLDER", type=IN)
@click.option("--size", type=float, metavar="M", help="Side of square tiles.")
@click.option("--max-segments", type=int, metavar="N", help="Instead: quarter tiles that have more segments.")
@click.option("--no-cut", is_flag=True, help="Leave segments whole: each is in the tile of its middle.")
@reading
@framing
@curves
@network
@heights
@ups
@output
def tile_command(source: Path, target: Path, **given: Any) -> None:
    """Divide a network, lines or a .spl, into many scenes: a .spl for each, and an index of all."""
    report = Report()
    folder = whole_folder(target, marked=tiles.INDEX, overwrite=given["overwrite"])
    with progress_bar(given["quiet"]) as progress, folder as scratch:
        graph = _graph(source, given, report, part_of(progress, 0.0, 0.7))
        parts = tiles.split(
            graph,
            size=given["size"],
            max_segments=given["max_segments"],
            cut=not given["no_cut"],
            report=report,
        )
        writing = part_of(progress, 0.7, 1.0)
        tiles.write_tiles(parts, scratch, graph.crs, options=asked(given), report=report, progress=writing)
        settle(given, report)
    tell(target, given, report)


def _graph(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read the network, or make it of lines."""
    if not formats.is_graph(source):
        return lines_to_spl(source, {**given, "keep_source": False, "fields": None}, report, progress)
    idle = (*FOR_GRAPHS, "crs", "origin", "rotation", "topocentric", "frame_path", "node", "node_name")
    refuse_idle(click.get_current_context(), idle, "a .spl file that is divided")
    return formats.read_graph(source, report=report, progress=progress)
