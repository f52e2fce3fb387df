"""Curves that go on through junctions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import fitting, topology
from ..fitting.curves import Curves, FitOptions, batches, joined, piece_starts
from ..model import Floats, Ints, LineStrings
from ..report import part_of
from ..topology import Chains, Paths
from .draping import Along, Draping, drape

BATCH = 1 << 19
"""Vertices that are fitted at a time, to bound memory; not so few that the system never gets theirs back."""


def fit_chains(
    scene: LineStrings,
    place: Ints,
    chains: Chains,
    through: bool,
    fit: str,
    options: FitOptions,
    draping: Draping | None = None,
) -> Curves:
    """Fit the chains of a network, along whole roads.

    Chains whose ends belong together (`topology.link`) are fitted as one polyline with a stop at the node,
    where both sides share one direction.

    Parameters
    ----------
    scene : LineStrings
        The lines.
    place : ndarray of int, shape (K,)
        Place of each vertex.
    chains : Chains
        Pieces of the lines between nodes.
    through : bool
        Whether to link chains at all.
    fit, options
        As in `spl_gis.fitting.fit`.
    draping : Draping, optional
        How curves are laid on the ground.

    Returns
    -------
    Curves
        Those of each chain, in its own direction.
    """
    links = topology.link(scene, place, chains) if through else np.zeros((0, 2), np.int64)
    paths = topology.follow_links(place, chains, links)
    parts = []
    for rows, runs, some in batches(paths.offsets, BATCH):
        coords, mine = scene.coords[paths.vertex[rows]], _share(options, rows, paths.offsets[-1])
        parts.append(fitting.fit(coords, runs, paths.closed[some], fit, mine, paths.stops[rows]))
    if draping is not None and len(chains.line):
        parts = [drape(joined(parts), Along(scene, place, chains, paths), options, draping)]
    return _of_chains(parts, paths)


def _share(options: FitOptions, rows: slice, vertices: int) -> FitOptions:
    """Give a batch its share of the progress and of the time."""
    start, stop = rows.start / max(vertices, 1), rows.stop / max(vertices, 1)
    seconds = None if options.seconds is None else options.seconds * (stop - start)
    return replace(options, progress=part_of(options.progress, start, stop), seconds=seconds)


def _of_chains(parts: list[Curves], paths: Paths) -> Curves:
    """Give the pieces of paths back to the chains, and drive those that were driven backwards forwards.

    The list is emptied on the way, so that no two copies of all segments are there at a time.
    """
    order = np.argsort(paths.chain)
    controls = [part.controls for part in parts]
    whole = joined([part._replace(controls=part.controls[:, :0]) for part in parts])
    parts.clear()
    size = np.diff(whole.offsets)
    offsets = np.append(0, np.cumsum(size[order]))
    first = np.empty(len(order), np.int64)
    first[order] = offsets[:-1]
    target, _ = topology.ranges(first, first + size)
    back = np.repeat(paths.reverse, size)
    target = np.where(back, np.repeat(2 * first + size - 1, size) - target, target)
    moved, start = np.empty((len(target), 4, 3)), 0
    while controls:
        some = controls.pop(0)
        rows = slice(start, start + len(some))
        some[back[rows]] = some[back[rows], ::-1]
        moved[target[rows]] = some
        start = rows.stop
    return Curves(
        moved,
        offsets,
        _places_of_chains(whole, paths, order, offsets),
        _sorted(whole.vertex_deviation, order),
        _sorted(whole.curve_deviation, order),
        _sorted(whole.height_deviation, order),
    )


def _places_of_chains(curves: Curves, paths: Paths, order: Ints, offsets: Ints) -> Floats:
    """Give where the vertices of chains are on their curves; `offsets` are those of the chains' segments."""
    first = np.flatnonzero(piece_starts(paths.offsets, paths.stops))
    last = np.append(first[1:], 0)
    last[paths.begin[1:] - 1] = paths.offsets[1:] - 1
    first, last = first[order], last[order]
    row, bounds = topology.ranges(first, last + 1)
    chain = np.repeat(np.arange(len(order)), np.diff(bounds))
    back = paths.reverse[order][chain]
    row = np.where(back, first[chain] + last[chain] - row, row)
    along = curves.places[row] - curves.offsets[:-1][order][chain]
    along = np.where(back, np.diff(offsets)[chain] - along, along)
    return np.asarray(along + offsets[:-1][chain])


def _sorted(deviation: Floats | None, order: Ints) -> Floats | None:
    return None if deviation is None else deviation[order]
