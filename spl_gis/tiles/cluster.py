"""Tiles made by many processes, on one machine or on many (Dask)."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formats
from ..errors import MissingDependencyError, OptionError
from ..frames import Node
from ..model import Floats
from ..report import Progress, Report, silent
from .blocks import Made, Make, Source, blocks, make_block
from .cut import LEAST
from .files import Row, row_of
from .split import join, on_grid, tile_of

if TYPE_CHECKING:
    import distributed


QUIET = logging.CRITICAL
"""What goes wrong in a task is raised here as well."""


class Workers(NamedTuple):
    """Who does the work.

    Attributes
    ----------
    number : int
        So many processes on this machine, when there is no scheduler.
    scheduler : str, optional
        Address of a Dask scheduler; its workers see the same files as this machine, under the same names.
    """

    number: int = 2
    scheduler: str | None = None


@contextmanager
def client_of(workers: Workers) -> Iterator[distributed.Client]:
    """Connect to a cluster, or start one on this machine.

    Raises
    ------
    MissingDependencyError
        Without Dask (the extra `cluster`).
    OptionError
        When the scheduler does not answer.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingDependencyError("several processes need Dask: pip install 'spl-gis[cluster]'") from error
    if workers.scheduler is None:
        local = LocalCluster(workers.number, threads_per_worker=1, dashboard_address=None, silence_logs=QUIET)
        with local, Client(local) as client:
            yield client
        return
    try:
        client = Client(workers.scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise OptionError(f"there is no Dask scheduler at {workers.scheduler}: {error}") from error
    with client:
        yield client


def make_tiles(
    source: Source,
    extent: Floats,
    side: float,
    size: float,
    make: Make,
    folder: Path,
    client: distributed.Client,
    *,
    options: Mapping[str, Any] | None = None,
    report: Report | None = None,
    progress: Progress = silent,
) -> list[Row]:
    """Make and write the tiles of a network, block by block.

    A task that is lost with its worker is done again by another; tiles appear whole.

    Parameters
    ----------
    source : Source
        The network.
    extent : ndarray, shape (4,)
        Where it lies, in the layer's CRS.
    side : float
        Side of a block, in units of that CRS.
    size : float
        Side of a tile [m].
    make : callable
        Makes a graph of lines; it can be pickled.
    folder : Path
        Where tiles are written.
    client : distributed.Client
        Who does the work.
    options, report, progress
        As in `formats.write`.

    Returns
    -------
    list of dict
        Rows of the index.
    """
    report = Report() if report is None else report
    boxes = blocks(extent, side)
    last = [tuple((box[2:] == extent[2:]).tolist()) for box in boxes]
    made = client.map(functools.partial(make_block, source, size=size, make=make), boxes, last, pure=False)
    progress(0.0, "converting")
    found = []
    for _, summary in _finished(client, client.map(_summary, made, range(len(made)), pure=False)):
        found.append(summary)
        report.add(summary.report)
        progress(0.8 * len(found) / len(boxes), "converting")
    found.sort(key=lambda summary: summary.block)
    first = np.cumsum([0, *(summary.segments for summary in found)])
    parts: dict[str, list[int]] = {}
    for summary in found:
        for name in summary.tiles:
            parts.setdefault(name, []).append(summary.block)
    write = functools.partial(_write_tile, folder, options)
    tasks = [
        client.submit(write, name, [made[at] for at in at_blocks], first[at_blocks].tolist(), pure=False)
        for name, at_blocks in parts.items()
    ]
    rows = []
    for _, row in _finished(client, tasks):
        rows.append(row)
        progress(0.8 + 0.2 * len(rows) / len(tasks), "writing")
    return sorted(rows, key=lambda row: str(row["file"]))


class _Summary(NamedTuple):
    """What the one who plans needs to know of a block."""

    block: int
    tiles: list[str]
    segments: int
    report: Report


def _summary(made: Made, block: int) -> _Summary:
    return _Summary(block, list(made.pieces), made.segments, made.report)


def _finished(client: distributed.Client, tasks: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Give tasks with their results as they come; when that is left early, the others are cancelled."""
    from distributed import as_completed

    try:
        yield from as_completed(tasks, with_results=True)
    finally:
        client.cancel([task for task in tasks if not task.done()])


def _write_tile(
    folder: Path, options: Mapping[str, Any] | None, name: str, made: Sequence[Made], first: Sequence[int]
) -> Row:
    """Put the pieces of a tile together and write it; a second time it replaces what is there."""
    found = [block.pieces[name] for block in made]
    graphs = [
        dataclasses.replace(piece.graph, row=piece.graph.row + start) for piece, start in zip(found, first)
    ]
    whole, bounds = join(graphs, [Node()] * len(graphs)), found[0].bounds
    inside = np.minimum(whole.points[:, :2] - bounds[:2], bounds[2:] - whole.points[:, :2]).min(axis=1)
    points = on_grid(whole.points, inside < 2 * LEAST)
    tile = tile_of(name, bounds, dataclasses.replace(whole, points=points))
    formats.write(tile.graph, folder / f"{name}.spl", options=options, overwrite=True)
    return row_of(tile)
