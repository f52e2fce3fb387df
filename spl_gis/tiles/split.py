"""One network to many scenes, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .. import frames
from ..convert.merge import layers_of
from ..errors import OptionError
from ..frames import Node
from ..model import Bools, Features, Floats, Ints, SplineGraph
from ..report import Report
from .cells import Cells, grid, quadtree

STEP = 2.0**-10
"""Points that tiles share lie on a grid of this step [m], which float32 holds exactly in all of them."""
REACH = 2.0**14
"""So far [m] from a tile's origin float32 holds that grid."""


class Tile(NamedTuple):
    """A scene of a network.

    Attributes
    ----------
    name : str
        Name of its file, without suffix.
    bounds : ndarray, shape (4,)
        West, south, east and north in metres of the network's frame.
    node : Node
        Where its origin lies in the network's frame: whole metres.
    graph : SplineGraph
        In its own frame. Its `row` is the order of the segments in the whole network.
    """

    name: str
    bounds: Floats
    node: Node
    graph: SplineGraph


def split(
    graph: SplineGraph,
    *,
    size: float | None = None,
    max_segments: int | None = None,
    cut: bool = True,
    report: Report | None = None,
) -> list[Tile]:
    """Divide a graph into tiles.

    Segments are cut at the borders, where both parts share one point and one direction. Points that tiles
    share are moved by at most half a millimetre along each axis, to where float32 holds them exactly: so the
    engine shows no gap.

    Parameters
    ----------
    graph : SplineGraph
        The network.
    size : float, optional
        Side of square tiles [m].
    max_segments : int, optional
        Instead of a size: most segments in a tile.
    cut : bool
        Cut segments at borders; else each belongs as a whole to the tile in which its middle lies.
    report : Report, optional
        Told what was cut.

    Returns
    -------
    list of Tile
        Those that have segments.

    Raises
    ------
    OptionError
        When not just one of `size` and `max_segments` is given, or makes no sense; or when the graph hangs on
        a node of a scene already.
    """
    report = Report() if report is None else report
    check_sizes(size, max_segments)
    _check(graph)
    if len(graph) == 0:
        return []
    ordered = dataclasses.replace(graph, row=np.argsort(np.argsort(graph.order)), source=None)
    if size is not None:
        cells = grid(ordered, size, cut=cut)
    else:
        cells = quadtree(ordered, max_segments or 1, cut=cut)
    report.count("segments cut at borders", len(cells.graph) - len(graph))
    points = on_grid(cells.graph.points, _shared(cells))
    cells = cells._replace(graph=dataclasses.replace(cells.graph, points=points))
    tiles = [tile_of(*piece) for piece in pieces(cells)]
    report.count("tiles", len(tiles))
    _tell_far(tiles, report)
    return tiles


def join(tiles: Sequence[SplineGraph], nodes: Sequence[Node]) -> SplineGraph:
    """Make one network of tiles again; the parts of segments that were cut stay apart.

    Parameters
    ----------
    tiles : sequence of SplineGraph
        As `split` makes them, or as they come back from files.
    nodes : sequence of Node
        Where each lies in the network's frame.

    Returns
    -------
    SplineGraph
        Points at one place in two tiles are one again.
    """
    if not tiles:
        raise OptionError("there are no tiles to join")
    shift = [np.array([node.x, node.y, node.z]) for node in nodes]
    sizes = [len(tile.points) for tile in tiles]
    points = np.concatenate([tile.points + move for tile, move in zip(tiles, shift)])
    label = _welded(points, np.repeat(np.arange(len(tiles)), sizes))
    first = np.cumsum([0, *sizes])
    ends = np.concatenate([label[tile.ends + start] for tile, start in zip(tiles, first)])
    features, feature = _all_features([tile.features for tile in tiles])
    lines = np.cumsum([0, *(len(tile.line_feature) for tile in tiles)])
    line = np.concatenate(
        [np.where(tile.line < 0, -1, tile.line + start) for tile, start in zip(tiles, lines)]
    )
    owner = np.concatenate([feature[i][tile.line_feature] for i, tile in enumerate(tiles)])
    part = np.concatenate([tile.line_part for tile in tiles])
    known, same = np.unique(np.column_stack([owner, part]), axis=0, return_inverse=True)
    kept, index = np.unique(label, return_index=True)
    whole = tiles[0].crs and frames.scene_of(tiles[0].crs)
    return SplineGraph(
        points=points[index],
        ends=np.searchsorted(kept, ends),
        tangents=np.concatenate([tile.tangents for tile in tiles]),
        ups=np.concatenate([tile.ups for tile in tiles]),
        line=np.where(line < 0, -1, np.append(same.reshape(-1), -1)[line]),
        line_feature=known[:, 0],
        line_part=known[:, 1],
        features=features,
        crs=whole,
        source_crs=tiles[0].source_crs,
        planar=all(tile.planar for tile in tiles),
        row=np.concatenate([tile.order for tile in tiles]),
    )


def check_sizes(size: float | None, most: int | None) -> None:
    """Refuse sizes of tiles that contradict each other or make no sense; see `split`."""
    if (size is None) == (most is None):
        raise OptionError(
            "tiles need a size, or a greatest number of segments: pass --size or --max-segments"
        )
    if size is not None and not 1.0 <= size < np.inf:
        raise OptionError(f"tiles must be at least 1 m wide, not {size!r}: pass another --size")
    if most is not None and most < 1:
        raise OptionError(f"a tile must have room for a segment, not {most!r}: pass another --max-segments")


def _check(graph: SplineGraph) -> None:
    if graph.spans is not None:
        raise OptionError(
            "lines that were merged into roads cannot be told apart in tiles: leave out --merge"
        )
    if graph.crs is not None and frames.node_of(graph.crs) is not None:
        raise OptionError(
            "the graph hangs on a node of its scene, and its tiles would need nodes of their own: "
            "move it into the scene first with spl-gis reproject"
        )


def on_grid(points: Floats, some: Bools) -> Floats:
    """Move some of the points to where float32 holds them."""
    points = points.copy()
    points[some] = np.rint(points[some] / STEP) * STEP
    return points


def _shared(cells: Cells) -> Bools:
    """Tell which points several tiles share."""
    graph = cells.graph
    point, cell = graph.ends.ravel(), np.repeat(cells.cell, 2)
    low, high = np.full(len(graph.points), len(cells.name)), np.full(len(graph.points), -1)
    np.minimum.at(low, point, cell)
    np.maximum.at(high, point, cell)
    return low < high


def pieces(cells: Cells) -> Iterator[tuple[str, Floats, SplineGraph]]:
    """Give name, bounds and segments of each tile, still in the frame of the network."""
    order = np.lexsort([cells.graph.row, cells.cell])
    begin = np.searchsorted(cells.cell[order], np.arange(len(cells.name) + 1))
    for number, name in enumerate(cells.name):
        segments = order[begin[number] : begin[number + 1]]
        yield name, cells.bounds[number], select_segments(cells.graph, segments)


def tile_of(name: str, bounds: Floats, graph: SplineGraph) -> Tile:
    """Make a scene of its own of the segments of a tile, with its origin amid the tile."""
    x, y = np.rint((bounds[:2] + bounds[2:]) / 2).tolist()
    crs = graph.crs if frames.place_of(graph.crs) is None else frames.at_node(graph.crs, Node(x, y))
    return Tile(
        name, bounds, Node(x, y), dataclasses.replace(graph, points=graph.points - [x, y, 0.0], crs=crs)
    )


def select_segments(graph: SplineGraph, segments: Ints) -> SplineGraph:
    """Give some segments, with the points, lines and features that they need."""
    used, ends = np.unique(graph.ends[segments], return_inverse=True)
    lines, line = _only_used(graph.line[segments])
    rows, feature = np.unique(graph.line_feature[lines], return_inverse=True)
    return SplineGraph(
        points=graph.points[used],
        ends=ends.reshape(-1, 2),
        tangents=graph.tangents[segments],
        ups=graph.ups[segments],
        line=line,
        line_feature=feature.reshape(-1),
        line_part=graph.line_part[lines],
        features=graph.features.take(rows),
        crs=graph.crs,
        source_crs=graph.source_crs,
        planar=graph.planar,
        row=graph.order[segments],
        changed=graph.changed[segments] if len(graph.changed) else graph.changed,
    )


def _only_used(line: Ints) -> tuple[Ints, Ints]:
    """Give the lines that segments have, and their numbers among these; -1 stays."""
    lines = np.unique(line[line >= 0])
    return lines, np.where(line < 0, -1, np.searchsorted(lines, line))


def _welded(points: Floats, tile: Ints) -> Ints:
    """Give points of different tiles at one place one label; those of one tile stay apart.

    Where tiles share several points at one place, the first of one is the first of the other.
    """
    order = np.lexsort([tile, *points.T[::-1]])
    moves = (np.diff(points[order], axis=0) != 0).any(axis=1)
    place = np.append(0, np.cumsum(moves))
    begins = np.append(True, moves | (np.diff(tile[order]) != 0))
    number = np.arange(len(points)) - np.maximum.accumulate(np.where(begins, np.arange(len(points)), 0))
    _, first, same = np.unique(
        np.column_stack([place, number]), axis=0, return_index=True, return_inverse=True
    )
    label = np.empty(len(points), np.int64)
    label[order] = order[first][same.reshape(-1)]
    return label


def _all_features(tables: Sequence[Features]) -> tuple[Features, list[Ints]]:
    """Give the features of all tiles, each once, and where the rows of each table are among them."""
    fid = np.concatenate([table.fid for table in tables])
    _, layer = np.unique(np.concatenate([layers_of(table) for table in tables]), return_inverse=True)
    key = np.column_stack([fid, layer.reshape(-1)])
    _, first, row = np.unique(key, axis=0, return_index=True, return_inverse=True)
    bounds = np.cumsum([len(table) for table in tables])[:-1]
    return _stacked(tables).take(first), np.split(row.reshape(-1), bounds)


def _stacked(tables: Sequence[Features]) -> Features:
    one = tables[0]
    columns = {
        name: dataclasses.replace(
            column,
            values=np.concatenate([table.columns[name].values for table in tables]),
            null=np.concatenate([table.columns[name].null for table in tables]),
        )
        for name, column in one.columns.items()
    }
    return Features(np.concatenate([table.fid for table in tables]), columns, one.layer)


def _tell_far(tiles: Sequence[Tile], report: Report) -> None:
    far = [tile.name for tile in tiles if np.abs(tile.graph.points[:, :2]).max() > REACH]
    if far:
        report.warn(
            f"{len(far)} tiles reach more than {REACH / 1000:.0f} km from their origin, where float32 has "
            f"steps of more than 1 mm: choose smaller ones ({', '.join(far[:5])})"
        )
