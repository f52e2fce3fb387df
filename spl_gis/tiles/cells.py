"""Which tile each segment belongs to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier
from ..model import Bools, Floats, Ints, SplineGraph, control_points
from .cut import cut_at

SMALLEST = 1.0
"""A tile is not divided further when its sides [m] are shorter than twice this."""


class Cells(NamedTuple):
    """The segments of a graph in tiles.

    Attributes
    ----------
    graph : SplineGraph
        The graph, perhaps with segments cut at the borders of tiles.
    cell : ndarray of int, shape (M,)
        The tile of each segment, 0 to C - 1.
    name : list of str
        Of each tile.
    bounds : ndarray, shape (C, 4)
        West, south, east, north of each tile, in metres of the scene.
    """

    graph: SplineGraph
    cell: Ints
    name: list[str]
    bounds: Floats


def grid(graph: SplineGraph, size: float, *, cut: bool) -> Cells:
    """Lay a grid over a graph whose lines are at whole multiples of `size` [m] from the scene's origin."""
    for axis in (0, 1) if cut else ():
        graph = _cut_at_lines(graph, axis, size)
    place = np.floor(_middles(graph) / size).astype(np.int64)
    used, cell = np.unique(place, axis=0, return_inverse=True)
    name = [f"tile_{column}_{row}" for column, row in used.tolist()]
    return Cells(graph, cell.reshape(-1), name, np.hstack([used, used + 1]) * size)


def quadtree(graph: SplineGraph, most: int, *, cut: bool) -> Cells:
    """Divide the square around a graph into quarters until none has more than `most` segments.

    A tile keeps more when all of them are in one place.
    """
    middle, side = _square(graph)
    everything = np.array([[*(middle - side / 2), *(middle + side / 2)]])
    cells = Cells(graph, np.zeros(len(graph), np.int64), ["tile_"], everything)
    while True:
        sides = cells.bounds[:, 2] - cells.bounds[:, 0]
        full = (np.bincount(cells.cell, minlength=len(sides)) > most) & (sides >= 2 * SMALLEST)
        if not full.any():
            break
        cells = _quartered(cells, full, cut=cut)
    used, cell = np.unique(cells.cell, return_inverse=True)
    name = [cells.name[one] for one in used] if len(used) > 1 else ["tile"]
    return Cells(cells.graph, cell.reshape(-1), name, cells.bounds[used])


def _cut_at_lines(graph: SplineGraph, axis: int, size: float) -> SplineGraph:
    """Cut segments at all lines of a grid that they cross, from the least to the greatest."""
    low, high = np.moveaxis(bezier.bounds(control_points(graph))[:, :, axis], 1, 0)
    line, last = np.floor(low / size) + 1, np.ceil(high / size) - 1
    while (line <= last).any():
        graph, parents = _cut_everywhere(graph, axis, np.where(line <= last, line * size, np.nan))
        line, last = line[parents] + 1, last[parents]
    return graph


def _cut_everywhere(graph: SplineGraph, axis: int, at: Floats) -> tuple[SplineGraph, Ints]:
    """Cut each segment at its own line as often as it crosses it; also give what each part is a part of."""
    whole = np.arange(len(graph))
    while not np.isnan(at).all():
        graph, parent = cut_at(graph, axis, at)
        at = np.append(np.full(len(at), np.nan), at[parent])  # before its first crossing there is none
        whole = np.append(whole, whole[parent])
    return graph, whole


def _square(graph: SplineGraph) -> tuple[Floats, float]:
    """Give the centre and the side, in whole metres, of a square around all curves."""
    extents = bezier.bounds(control_points(graph)[:, :, :2])
    low, high = extents[:, 0].min(axis=0), extents[:, 1].max(axis=0)
    side = 2 * np.ceil((high - low).max() / 2 + 1)
    return np.rint((low + high) / 2), float(side)


def _quartered(cells: Cells, full: Bools, *, cut: bool) -> Cells:
    """Divide tiles that are too full into four, and cut segments where they cross from one to another."""
    graph, cell, name, bounds = cells
    middle = (bounds[:, :2] + bounds[:, 2:]) / 2
    for axis in (0, 1) if cut else ():
        graph, parents = _cut_everywhere(graph, axis, np.where(full[cell], middle[cell, axis], np.nan))
        cell = cell[parents]
    side = _middles(graph) >= middle[cell]
    quarter = len(name) + 4 * (np.cumsum(full) - 1)[cell] + side[:, 0] + 2 * side[:, 1]
    west_south = np.stack([bounds[full][:, :2], middle[full]], axis=1)  # of both columns, of both rows
    east_north = np.stack([middle[full], bounds[full][:, 2:]], axis=1)
    corners = [
        np.stack([low[:, column, 0], low[:, row, 1], high[:, column, 0], high[:, row, 1]], axis=1)
        for low, high in [(west_south, east_north)]
        for row in (0, 1)
        for column in (0, 1)
    ]
    return Cells(
        graph,
        np.where(full[cell], quarter, cell),
        name + [f"{name[one]}{digit}" for one in np.flatnonzero(full) for digit in range(4)],
        np.concatenate([bounds, np.stack(corners, axis=1).reshape(-1, 4)]),
    )


def _middles(graph: SplineGraph) -> Floats:
    """Give the place in plan (M, 2) in the middle of each segment."""
    return bezier.evaluate(control_points(graph)[:, :, :2], 0.5)
