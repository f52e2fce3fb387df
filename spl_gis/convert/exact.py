"""The source's own vertices: kept on the way to a graph, and given back where the graph is what it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .. import frames
from ..errors import OptionError
from ..model import Bools, Floats, Ints, LineStrings, Source, SplineGraph
from ..topology import Runs, ranges
from .merge import keys_of
from .meridian import join_parts


def keep_source(graph: SplineGraph, lines: LineStrings) -> SplineGraph:
    """Give a graph the vertices of the lines that it was made of.

    Parameters
    ----------
    graph : SplineGraph
        As `lines_to_graph` made it of `lines`.
    lines : LineStrings
        The lines, in any CRS.

    Raises
    ------
    OptionError
        When lines were merged, or the ids of the features are not unique, so that there is no telling whose
        vertices are whose.
    """
    if graph.spans is not None:
        raise OptionError(
            "merged lines do not keep their source's vertices: leave out --merge or --keep-source"
        )
    lines = join_parts(lines, graph.crs).lines
    kept = _lines_of(graph, lines)
    rows, offsets = ranges(lines.offsets[kept], lines.offsets[kept + 1])
    coords = lines.coords[rows]
    scene = frames.transform(coords, lines.crs, graph.crs) + 0.0
    source = Source(coords, offsets, graph.line, _vertices(graph, scene[:, :2], offsets))
    return dataclasses.replace(graph, source=source)


def _lines_of(graph: SplineGraph, lines: LineStrings) -> Ints:
    """Give the line that each source line of the graph was."""
    if len(graph.line_feature) == len(lines):
        return np.arange(len(lines))
    theirs, mine = (
        keys_of(lines.features, lines.feature, lines.part),
        keys_of(graph.features, graph.line_feature, graph.line_part),
    )
    number = {key: at for at, key in enumerate(theirs)}
    if len(number) < len(theirs):
        raise OptionError("--keep-source needs feature ids that are unique in their layer")
    return np.array([number[key] for key in mine], np.int64)


def _vertices(graph: SplineGraph, plan: Floats, offsets: Ints) -> Ints:
    """Find the vertex of its line at each segment's start and end, shape (M, 2); -1 = none, or several."""
    line = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    vertex = np.arange(len(plan)) - np.repeat(offsets[:-1], np.diff(offsets))
    ring = (plan[offsets[:-1]] == plan[offsets[1:] - 1]).all(axis=1)
    once = np.ones(len(plan), bool)
    once[offsets[1:][ring] - 1] = False  # the last vertex of a ring is its first
    place = graph.points[graph.ends][..., :2].reshape(-1, 2)
    mine = np.column_stack([np.repeat(graph.line, 2), place])
    theirs = np.column_stack([line[once], plan[once]])
    _, label = np.unique(np.concatenate([theirs, mine]), axis=0, return_inverse=True)
    label = label.reshape(-1)
    there, here = label[: len(theirs)], label[len(theirs) :]
    found = np.full(label.max(initial=-1) + 1, -1)
    found[there] = vertex[once]
    found[np.bincount(there, minlength=len(found)) > 1] = -1
    ends: Ints = found[here].reshape(-1, 2)
    return _with_line_ends(ends, graph.line, offsets, ring)


def _with_line_ends(vertex: Ints, line: Ints, offsets: Ints, ring: Bools) -> Ints:
    """Give the first and last segment of open lines the line's ends, even where a weld has moved them."""
    known = np.flatnonzero(line >= 0)
    order = known[np.argsort(line[known], kind="stable")]
    first = np.ones(len(order), bool)
    first[1:] = line[order[1:]] != line[order[:-1]]
    last = np.append(first[1:], True)[: len(order)]
    begin, end = (some[~ring[line[some]]] for some in (order[first], order[last]))
    vertex[begin, 0] = 0
    vertex[end, 1] = (np.diff(offsets) - 1)[line[end]]
    return vertex


def with_source_vertices(
    graph: SplineGraph, runs: Runs, line: Ints, flat: tuple[Floats, Ints], source: Floats
) -> tuple[Floats, Ints]:
    """Give the vertices of lines: the source's own wherever all segments between two of them are unchanged.

    Parameters
    ----------
    graph : SplineGraph
        With its `source`.
    runs : Runs
        The segments of each line.
    line : ndarray of int, shape (R,)
        Source line of each run, -1 = none.
    flat : tuple
        Vertices and offsets of each segment's own polyline, in the order of the runs.
    source : ndarray, shape (K, 3)
        Vertices of ``graph.source``, in the CRS of `flat`.

    Returns
    -------
    coords, offsets : ndarray
        Vertices of the runs, and where those of each begin and end.
    """
    kept = graph.source
    assert kept is not None  # nosec B101  # for mypy
    coords, offsets = flat
    pieces = _pieces(graph, kept, runs, line)
    rows = _Rows(*(np.concatenate(some) for some in zip(*_rows(runs, pieces, offsets, len(coords)))))
    order = np.argsort(rows.key, kind="stable")
    picked, bounds = ranges(rows.start[order], rows.stop[order])
    run = np.searchsorted(runs.offsets, rows.key[order] // 4, side="right") - 1
    size = np.bincount(run, weights=np.diff(bounds), minlength=len(line)).astype(np.int64)
    return np.concatenate([coords, source])[picked], np.append(0, np.cumsum(size))


class _Pieces(NamedTuple):
    """Runs of positions whose vertices are known: which positions, and which rows of the kept vertices.

    A piece goes from `first` to `last`, and has the kept rows from `start` up to `turn`, and from `again` up
    to `stop`, which is its last vertex. Only a piece that passes the first vertex of a ring has both.
    """

    first: Ints
    last: Ints
    start: Ints
    turn: Ints
    again: Ints
    stop: Ints


class _Rows(NamedTuple):
    """Ranges of vertices, in the order of `key`: four times the position, and what comes first there."""

    key: Ints
    start: Ints
    stop: Ints


def _rows(runs: Runs, pieces: _Pieces, flat: Ints, base: int) -> Iterator[_Rows]:
    """Give the vertices of pieces, of all other positions, and the last one of each run."""
    yield _Rows(pieces.first * 4, base + pieces.start, base + pieces.turn)
    yield _Rows(pieces.first * 4 + 1, base + pieces.again, base + pieces.stop)
    covered, _ = ranges(pieces.first, pieces.last + 1)
    free = np.ones(len(runs.segment), bool)
    free[covered] = False
    free = np.flatnonzero(free)
    yield _Rows(free * 4, flat[free], flat[free + 1] - 1)
    final = flat[1:] - 1
    final[pieces.last] = base + pieces.stop
    last = runs.offsets[1:] - 1
    yield _Rows(last * 4 + 3, final[last], final[last] + 1)


def _pieces(graph: SplineGraph, kept: Source, runs: Runs, line: Ints) -> _Pieces:
    """Find what is as it was: whole lines, and else the shortest ways between source vertices."""
    origin = graph.origin[runs.segment]
    vertex = np.where(origin[:, None] < 0, -1, kept.vertex[origin] if len(kept.vertex) else -1)
    whole = _whole(graph, kept, runs, line)
    of_whole = np.repeat(whole, np.diff(runs.offsets))
    cut = np.ones(len(origin) + 1, bool)
    follows = (origin[1:] == origin[:-1] + 1) & (origin[:-1] >= 0)
    cut[1:-1] = ~of_whole[1:] & (~follows | (vertex[1:, 0] >= 0))
    cut[runs.offsets] = True
    bounds = np.flatnonzero(cut)
    first, last = bounds[:-1], bounds[1:] - 1
    run = np.searchsorted(runs.offsets, first, side="right") - 1
    first_row, last_row = (
        kept.offsets[line[run]],
        kept.offsets[line[run] + 1] - 1,
    )
    start, stop = first_row + vertex[first, 0], first_row + vertex[last, 1]
    start, stop = np.where(whole[run], first_row, start), np.where(whole[run], last_row, stop)
    ring = (kept.coords[first_row, :2] == kept.coords[last_row, :2]).all(axis=1)
    good = (vertex[first, 0] >= 0) & (vertex[last, 1] >= 0) & (ring | (start < stop)) & (line[run] >= 0)
    good |= whole[run]
    turns = start >= stop
    turn, again = np.where(turns, last_row, stop), np.where(turns, first_row, stop)
    return _Pieces(*(some[good] for some in (first, last, start, turn, again, stop)))


def _whole(graph: SplineGraph, kept: Source, runs: Runs, line: Ints) -> Bools:
    """Tell which runs are a line that has all its segments, and all unchanged."""
    lines = len(kept.offsets) - 1
    owner, was = graph.line[graph.line >= 0], kept.line[kept.line >= 0]
    unchanged = np.bincount(graph.line[(graph.line >= 0) & (graph.origin >= 0)], minlength=lines)
    as_it_was = (unchanged == np.bincount(was, minlength=lines)) & (
        unchanged == np.bincount(owner, minlength=lines)
    )
    alone = np.bincount(line[line >= 0], minlength=lines) == 1
    return np.asarray(np.append(as_it_was & alone, False)[line])
