"""`tile`: a network in, a folder of scenes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from pyproj import CRS

from .. import formats, tiles
from ..errors import OptionError
from ..files import whole_folder
from ..formats import vector
from ..model import SplineGraph
from ..report import Progress, Report, part_of
from .jobs import FRAMING, frame_within, lines_to_spl, maker
from .options import (
    FOR_GRAPHS,
    HEIGHTS,
    IN,
    curves,
    framing,
    heights,
    network,
    output,
    reading,
    refuse_idle,
    ups,
)
from .run import asked, settle, tell
from .terminal import progress_bar
from .up import UpCommand

BLOCK = 10.0
"""Sides of a tile in that of a block, when it is not given."""


DEGREE = 111_000.0
"""Metres in a degree, roughly."""


@click.command("tile", cls=UpCommand)
@click.argument("source", metavar="IN", type=IN)
@click.argument("target", metavar="FOLDER", type=IN)
@click.option("--size", type=float, metavar="M", help="Side of square tiles.")
@click.option("--max-segments", type=int, metavar="N", help="Instead: quarter tiles that have more segments.")
@click.option("--no-cut", is_flag=True, help="Leave segments whole: each is in the tile of its middle.")
@click.option("--workers", type=int, metavar="N", help="Work in blocks, in so many processes (needs Dask).")
@click.option("--scheduler", metavar="ADDRESS", help="Instead: in the workers of a Dask scheduler.")
@click.option("--block", type=float, metavar="M", help="Side of a block (default: ten tiles).")
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
    given = {**given, "keep_source": False, "fields": None, "target": target}
    folder = whole_folder(target, marked=tiles.INDEX, overwrite=given["overwrite"])
    with progress_bar(given["quiet"]) as progress, folder as scratch:
        many = given["workers"] is not None or given["scheduler"] is not None
        (_in_blocks if many else _at_once)(source, scratch, given, report, progress)
        settle(given, report)
    tell(target, given, report)


def _at_once(source: Path, folder: Path, given: dict[str, Any], report: Report, progress: Progress) -> None:
    """Make tiles of a network that is in memory as a whole."""
    if given["block"] is not None:
        raise OptionError("--block is for --workers or --scheduler: leave it out, or pass one of them")
    graph = _graph(source, given, report, part_of(progress, 0.0, 0.7))
    parts = tiles.split(
        graph, size=given["size"], max_segments=given["max_segments"], cut=not given["no_cut"], report=report
    )
    writing = part_of(progress, 0.7, 1.0)
    tiles.write_tiles(parts, folder, graph.crs, options=asked(given), report=report, progress=writing)


def _graph(source: Path, given: dict[str, Any], report: Report, progress: Progress) -> SplineGraph:
    """Read the network, or make it of lines."""
    if not formats.is_graph(source):
        return lines_to_spl(source, given, report, progress)
    refuse_idle(click.get_current_context(), (*FOR_GRAPHS, *FRAMING), "a .spl file that is divided")
    return formats.read_graph(source, report=report, progress=progress)


def _in_blocks(source: Path, folder: Path, given: dict[str, Any], report: Report, progress: Progress) -> None:
    """Make tiles block by block, in many processes."""
    from ..tiles.blocks import Source
    from ..tiles.cluster import Workers, client_of, make_tiles

    _check(source, given)
    layer = given["layer"][0] if given["layer"] else None
    which = {"layer": layer, "source_crs": given["source_crs"], "engine": given["engine"]}
    crs, box = vector.extent(source, **which)
    extent = np.array(box if given["bbox"] is None else given["bbox"], np.float64)
    frame = frame_within(extent.tolist(), crs, given, report)
    lines = Source(source.absolute(), {**which, "where": given["where"], "encoding": given["encoding"]})
    with client_of(Workers(given["workers"] or 1, given["scheduler"])) as client:
        rows = make_tiles(
            lines,
            extent,
            (given["block"] or BLOCK * given["size"]) / _metres(crs),
            given["size"],
            maker(frame, given),
            folder,
            client,
            options=asked(given),
            report=report,
            progress=progress,
        )
    tiles.write_index(rows, folder, frame, report)
    report.count("tiles", len(rows))


def _metres(crs: CRS | None) -> float:
    """Give the metres of one unit of a CRS, roughly."""
    if crs is None:
        return 1.0
    return DEGREE if crs.is_geographic else float(crs.axis_info[0].unit_conversion_factor)


def _check(source: Path, given: dict[str, Any]) -> None:
    """Refuse what blocks cannot be made with, because it needs the whole network."""
    if formats.is_graph(source):
        raise OptionError("a .spl is divided in one go: leave out --workers and --scheduler")
    if given["workers"] is not None and given["scheduler"] is not None:
        raise OptionError("--scheduler has workers of its own: leave out --workers")
    if given["workers"] is not None and given["workers"] < 1:
        raise OptionError(f"--workers must be 1 or more, not {given['workers']}")
    if given["size"] is None or given["no_cut"]:
        raise OptionError("blocks are divided by --size, and segments are cut: leave out the other options")
    if len(given["layer"]) > 1:
        raise OptionError("blocks are made of one layer: pass --layer once")
    idle = (*HEIGHTS, "merge", "min_dangle", "min_component", "drop_duplicates")
    refuse_idle(click.get_current_context(), idle, "blocks, as it needs the whole network")
