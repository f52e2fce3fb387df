"""A network in blocks, each made on its own: what a cluster works on."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, NamedTuple

import numpy as np
from pyproj import CRS

from ..formats import vector
from ..model import Bools, Floats, Ints, LineStrings, SplineGraph, select_lines
from ..report import Report
from ..topology import box_tree, meeting_boxes
from .cells import grid
from .split import pieces, select_segments

MARGIN = 5.0
"""Lines that come so near [m] to those of a block take part in its network: more than any of them is joined
over by default."""
_DEGREES = 1e-3
"""The margin for coordinates in degrees: 5 m up to 87 degrees north and south."""

Make = Callable[[LineStrings, Report], SplineGraph]
"""Makes a graph of lines, in the frame of the whole network."""


class Source(NamedTuple):
    """Lines in a file that every worker can read.

    Attributes
    ----------
    path : path-like
        The file.
    reading : dict
        Options of `vector.read`, without `bbox`.
    """

    path: str | os.PathLike[str]
    reading: dict[str, Any]

    def read(self, box: Floats, report: Report) -> LineStrings:
        """Read the lines that touch a box (4,), in the layer's CRS, sorted by the ids of their features."""
        lines = vector.read(self.path, **self.reading, bbox=tuple(box.tolist()), report=report)
        order = np.argsort(lines.features.fid[lines.feature], kind="stable")
        return lines if (np.diff(order) > 0).all() else _sorted(lines, order)


class Piece(NamedTuple):
    """The segments of a block that belong to one tile.

    Attributes
    ----------
    bounds : ndarray, shape (4,)
        Those of the tile; see `Tile`.
    graph : SplineGraph
        In the frame of the network; `row` is the order within the block.
    """

    bounds: Floats
    graph: SplineGraph


class Made(NamedTuple):
    """What became of a block.

    Attributes
    ----------
    pieces : dict of str to Piece
        By the names of the tiles.
    segments : int
        How many there are in all.
    report : Report
        What happened to the block's own features.
    """

    pieces: dict[str, Piece]
    segments: int
    report: Report


def blocks(extent: Floats, side: float) -> list[Floats]:
    """Divide an extent (4,) into boxes whose sides are at most `side`, in units of the layer's CRS."""
    low, high = extent[:2], extent[2:]
    number = np.maximum(np.ceil((high - low) / side), 1).astype(int)
    x, y = (np.linspace(low[axis], high[axis], number[axis] + 1) for axis in (0, 1))
    return [
        np.array([x[column], y[row], x[column + 1], y[row + 1]])
        for row in range(number[1])
        for column in range(number[0])
    ]


def make_block(source: Source, box: Floats, last: tuple[bool, bool], size: float, make: Make) -> Made:
    """Convert the features that begin in a block, and cut them into tiles.

    Each feature belongs to the block in which its first vertex lies. The lines of others that come near take
    part in the network, so that junctions and their directions are those that the whole would have, and are
    then left out.

    Parameters
    ----------
    source : Source
        The network.
    box : ndarray, shape (4,)
        The block, in the layer's CRS.
    last : tuple of bool
        Whether it is the last in its row and column, to which its eastern and northern border belong.
    size : float
        Side of the tiles [m].
    make : callable
        Makes the graph.
    """
    said, report = Report(), Report()
    lines = source.read(box, said)
    own = _owned(lines, box, last)
    fids = lines.features.fid[np.unique(lines.feature[own])]
    _take_over(report, said, fids)
    report.count("features read", len(fids))
    if len(fids) == 0:
        return Made({}, 0, report)
    made = Report()
    graph = make(_near(source.read(_around(lines, own), Report()), fids), made)
    graph = select_segments(graph, _segments_of(graph, fids))
    _take_over(report, made, fids)
    report.count("features converted", len(graph.features))
    if len(graph) == 0:
        return Made({}, 0, report)
    cells = grid(dataclasses.replace(graph, row=np.arange(len(graph))), size, cut=True)
    found = {name: Piece(bounds, part) for name, bounds, part in pieces(cells)}
    return Made(found, len(cells.graph), report)


def _sorted(lines: LineStrings, order: Ints) -> LineStrings:
    starts, sizes = lines.offsets[:-1][order], np.diff(lines.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
    return dataclasses.replace(
        lines,
        coords=lines.coords[rows],
        offsets=offsets,
        feature=lines.feature[order],
        part=lines.part[order],
    )


def _owned(lines: LineStrings, box: Floats, last: tuple[bool, bool]) -> Bools:
    """Tell which lines (L,) belong to features that begin in a block."""
    begin = np.full((len(lines.features), 2), np.inf)
    begin[lines.feature[::-1]] = lines.coords[lines.offsets[:-1], :2][::-1]
    inside = (begin >= box[:2]) & ((begin < box[2:]) | ((begin == box[2:]) & last))
    owned: Bools = inside.all(axis=1)[lines.feature]
    return owned


def _around(lines: LineStrings, own: Bools) -> Floats:
    """Give the box around owned lines, with a margin."""
    rows = np.repeat(own, np.diff(lines.offsets))
    plan, margin = lines.coords[rows, :2], _margin(lines.crs)
    return np.concatenate([plan.min(axis=0) - margin, plan.max(axis=0) + margin])


def _margin(crs: CRS | None) -> float:
    if crs is None:
        return MARGIN
    return _DEGREES if crs.is_geographic else MARGIN / crs.axis_info[0].unit_conversion_factor


def _near(lines: LineStrings, fids: Ints) -> LineStrings:
    """Give the lines of some features, and those that come near them."""
    own = np.isin(lines.features.fid, fids)[lines.feature]
    inside = np.ones(len(lines.coords), bool)
    inside[lines.offsets[1:] - 1] = False
    start = np.flatnonzero(inside)
    line = np.repeat(np.arange(len(lines)), np.diff(lines.offsets))[start]
    first, second = lines.coords[start, :2], lines.coords[start + 1, :2]
    margin = _margin(lines.crs)
    low, high = np.minimum(first, second) - margin, np.maximum(first, second) + margin
    mine = own[line]
    _, met = meeting_boxes(box_tree(low, high), low[mine], high[mine])
    keep = own.copy()
    keep[line[met]] = True
    return select_lines(lines, keep)


def _segments_of(graph: SplineGraph, fids: Ints) -> Ints:
    """Give the segments of some features, in their order."""
    own = np.isin(graph.features.fid, fids)[graph.line_feature]
    keep = np.flatnonzero(np.append(own, False)[graph.line])
    return keep[np.argsort(graph.order[keep])]


def _take_over(report: Report, said: Report, fids: Ints) -> None:
    """Take over what is said about a block's own features, and about those that have no place at all."""
    own = set(fids.tolist())
    report.add(Report(notes=said.notes, warnings=said.warnings, measures=said.measures))
    report.repaired += [remark for remark in said.repaired if remark.fid in own]
    report.refused += [remark for remark in said.refused if remark not in report.refused]
