"""An edited layer of segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from ..fitting.curves import FitOptions
from ..model import Bools, Features, Floats, Ints, LineStrings, SplineGraph
from ..report import Report
from ..topology import NetworkOptions, ranges
from .edited_rows import REACH, Pieces, in_scene, numbers, sound, taken
from .tables import SEGMENT, SHAPE, in_numbers, integers, shape_of
from .to_graph import lines_to_graph

EQUAL = NetworkOptions(weld=0.0, snap_ends=False, through=False)
"""How lines that are fitted join one another: where their vertices are equal, as the GIS has left them."""


@dataclass(frozen=True)
class _Rows:
    """The rows that know which segment they are; `line` is that of the layer, `row` the feature's."""

    line: Ints
    row: Ints
    segment: Ints
    ends: Ints
    places: Floats
    tangents: Floats
    ups: Floats
    edited: Bools
    redrawn: Bools


class _Places(NamedTuple):
    """The points that rows know: their numbers in ascending order, and where they are."""

    number: Ints
    coords: Floats


def from_segments(
    lines: LineStrings, frame: CRS | None, fit: str, options: FitOptions, report: Report
) -> Pieces:
    """Make the pieces of a graph of an edited layer of segments; see `edited_to_graph`."""
    coords = in_scene(lines.coords, lines.crs, frame)
    rows, broken = _rows(lines, coords, report)
    refit = rows.redrawn & ~rows.edited
    places = _places(rows, report)
    other = np.setdiff1d(np.arange(len(lines)), np.append(rows.line[~refit], broken))
    drawn = _with_known_heights(coords, lines, other, places)
    some = _lines_of(lines, drawn, other, frame, report)
    fitted = _fitted(some, fit, options, report)
    kept, again = _take(rows, ~refit), _take(rows, refit)
    _tell(kept, again, len(other) - len(again.line), report)
    return _assembled(kept, again, places, fitted, lines)


def _take(rows: _Rows, some: Bools) -> _Rows:
    return _Rows(**{name: values[some] for name, values in vars(rows).items()})


def _rows(lines: LineStrings, coords: Floats, report: Report) -> tuple[_Rows, Ints]:
    """Find the line of each segment: the first line of the first row that has its index; and broken ones."""
    table = lines.features
    index = numbers(table.columns["segment"], len(table), -1)[lines.feature]
    known_index, line = np.unique(index, return_index=True)
    line = np.sort(line[known_index >= 0])
    row = lines.feature[line]
    values, edited = taken(table, SEGMENT)
    values = values[row]
    ends = np.nan_to_num(values[:, 1:3], nan=-1.0).astype(np.int64)
    places, tangents, ups = values[:, 3:].reshape(-1, 3, 2, 3).swapaxes(0, 1)
    known = _Rows(
        line, row, index[line], ends, places, tangents, ups, edited[row], _redrawn(lines, coords)[line]
    )
    flat = np.concatenate([known.places, known.tangents, known.ups], axis=1).reshape(len(line), 18)
    good = sound(table.fid[row], flat, known.ends, known.tangents, report) & (known.ends >= 0).all(axis=1)
    return _take(known, good), line[~good]


def _redrawn(lines: LineStrings, coords: Floats) -> Bools:
    """Tell which lines are no longer as they were written."""
    table = lines.features
    if any(name not in table.columns for name in SHAPE):
        return np.zeros(len(lines), bool)
    count = numbers(table.columns[SHAPE[0]], len(table), -1)[lines.feature]
    shape = np.stack([in_numbers(table.columns[name]) for name in SHAPE[1:]], axis=1)[lines.feature]
    size, plan, height = shape_of(coords, lines.offsets)
    same = (size == count) & (np.abs(plan - shape[:, 0]) <= REACH)
    return np.asarray(~same | (np.abs(height - shape[:, 1]) > REACH))


def _places(rows: _Rows, report: Report) -> _Places:
    """Place the points that rows know; an edited row moves its points for all others."""
    index, at = np.unique(rows.ends, return_inverse=True)
    at = at.reshape(-1, 2)
    coords = np.full((len(index), 3), np.nan)
    coords[at[~rows.edited]] = rows.places[~rows.edited]
    before = coords.copy()
    for side in (0, 1):
        mine, wanted = at[rows.edited, side], rows.places[rows.edited, side]
        moves = (wanted != before[mine]).any(axis=1)
        coords[mine[moves]] = wanted[moves]
    moved = (coords != before).any(axis=1) & np.isfinite(before).all(axis=1)
    if moved.any():
        report.count("points moved", int(moved.sum()))
    torn = (coords[at[rows.edited]] != rows.places[rows.edited]).any(axis=(1, 2))
    if torn.any():
        report.warn(f"{torn.sum()} edited segments place a shared point differently: the last one counts")
    return _Places(index, coords)


def _with_known_heights(coords: Floats, lines: LineStrings, other: Ints, places: _Places) -> Floats:
    """Give vertices without height, of lines that are fitted, the height of a point at their place."""
    mine = np.isin(np.repeat(np.arange(len(lines)), np.diff(lines.offsets)), other)
    blank = np.flatnonzero(mine & np.isnan(coords[:, 2]) & np.isfinite(coords[:, 0]))
    near = nearest(coords[blank, :2], places.coords[:, :2])
    coords = coords.copy()
    coords[blank[near >= 0], 2] = places.coords[near[near >= 0], 2]
    return coords


def _lines_of(
    lines: LineStrings, coords: Floats, other: Ints, frame: CRS | None, report: Report
) -> LineStrings:
    """Give some lines in the scene, each with a feature that says which line of the layer it was."""
    lost = np.logical_or.reduceat(np.isnan(coords[:, 0]), lines.offsets[:-1])[other]
    fid = lines.features.fid[lines.feature[other]]
    report.refuse(fid[lost], "cannot be projected into the scene's frame")
    other, fid = other[~lost], fid[~lost]
    rows, offsets = ranges(lines.offsets[other], lines.offsets[other + 1])
    table = Features(fid, {"line": integers(other)})
    return LineStrings(coords[rows], offsets, np.arange(len(other)), np.full(len(other), -1), table, frame)


def _fitted(lines: LineStrings, fit: str, options: FitOptions, report: Report) -> tuple[SplineGraph, Ints]:
    """Fit lines, and give the line of the layer that each segment comes from."""
    said = Report()  # the graph that is counted is the whole one
    graph = lines_to_graph(lines, lines.crs, fit=fit, options=options, network=EQUAL, report=said)
    report.add(Report(refused=said.refused, repaired=said.repaired))
    return graph, graph.features.columns["line"].values[graph.line_feature][graph.line]


def _tell(kept: _Rows, again: _Rows, new: int, report: Report) -> None:
    both = kept.edited & kept.redrawn
    counts = {
        "segments unchanged": int((~kept.edited).sum()),
        "segments edited": int(kept.edited.sum()),
        "segments fitted anew": len(again.line),
        "lines added": new,
    }
    for name, number in counts.items():
        report.count(name, number)
    if both.any():
        report.warn(
            f"{both.sum()} segments have both an edited line and edited numbers: the numbers are taken"
        )


def _assembled(
    kept: _Rows, again: _Rows, places: _Places, fitted: tuple[SplineGraph, Ints], lines: LineStrings
) -> Pieces:
    """Put unchanged and fitted segments together.

    The first piece of a segment that was fitted anew takes its place; what else there is is appended.
    """
    graph, source = fitted
    target, places = _joints(kept, again, places, fitted)
    ends = np.concatenate([np.searchsorted(places.number, kept.ends), target[graph.ends]])
    points = np.concatenate([places.coords, graph.points])
    old = np.full(len(lines), -1)
    old[again.line] = again.segment
    index = np.concatenate([kept.segment, old[source]])
    first = np.ones(len(source), bool)
    first[1:] = source[1:] != source[:-1]
    there = np.concatenate([np.ones(len(kept.line), bool), first & (old[source] >= 0)])
    step = np.arange(len(index))
    order = np.lexsort([step, np.where(there, index, -1), ~there])
    along = np.lexsort([step, index, index < 0])
    used, ends = np.unique(ends[order], return_inverse=True)
    return Pieces(
        points[used],
        ends.reshape(-1, 2),
        np.concatenate([kept.tangents, graph.tangents])[order],
        np.concatenate([kept.ups, graph.ups])[order],
        np.concatenate([kept.row, lines.feature[source]])[order],
        np.concatenate([kept.line, source])[order],
        index[order],
        np.zeros(0, np.int64) if np.array_equal(order, along) else np.argsort(along)[order],
        int((used < len(places.number)).sum()),
    )


def _joints(
    kept: _Rows, again: _Rows, places: _Places, fitted: tuple[SplineGraph, Ints]
) -> tuple[Ints, _Places]:
    """Say which point each point of fitted lines is: a known one, or one after those; known ones may move."""
    graph, _ = fitted
    target = nearest(graph.points, places.coords)
    claim, mine = _line_ends(again, places, fitted)
    here = ~(np.abs(graph.points[mine] - places.coords[claim]).max(axis=1, initial=0.0) > REACH)
    target[mine[here]] = claim[here]
    used = np.zeros(len(places.number), bool)
    used[np.searchsorted(places.number, kept.ends)] = True
    used[target[target >= 0]] = True
    free = ~used[claim] & (target[mine] < 0)
    claim, mine = claim[free], mine[free]
    _, one = np.unique(claim, return_index=True)
    target[mine[one]] = claim[one]
    coords = places.coords.copy()
    winner = target[mine] == claim
    coords[claim[winner]] = graph.points[mine[winner]]
    loop = target[graph.ends[:, 0]] == target[graph.ends[:, 1]]
    target[graph.ends[loop, 1]] = -1  # an edge shorter than the reach stays one
    return np.where(target < 0, len(places.number) + np.arange(len(target)), target), _Places(
        places.number, coords
    )


def _line_ends(again: _Rows, places: _Places, fitted: tuple[SplineGraph, Ints]) -> tuple[Ints, Ints]:
    """Give the known point that each end of a line fitted anew was, and the point that it is now."""
    graph, source = fitted
    lines, first, size = np.unique(source, return_index=True, return_counts=True)
    _, row, at = np.intersect1d(again.line, lines, return_indices=True)
    mine = np.stack([graph.ends[first[at], 0], graph.ends[first[at] + size[at] - 1, 1]])
    return np.searchsorted(places.number, again.ends[row].T).ravel(), mine.ravel()


def nearest(places: Floats, known: Floats) -> Ints:
    """Give the nearest of the known places within reach of each place, -1 = none."""
    order = np.argsort(known[:, 0])
    low, high = (np.searchsorted(known[order, 0], places[:, 0] + side) for side in (-REACH, REACH))
    pair, _ = ranges(low, np.maximum(low, high))
    mine, other = np.repeat(np.arange(len(places)), np.maximum(low, high) - low), order[pair]
    distance = np.linalg.norm(places[mine] - known[other], axis=1)
    close = np.flatnonzero(distance <= REACH)
    close = close[np.lexsort([other[close], distance[close], mine[close]])]
    hit, first = np.unique(mine[close], return_index=True)
    found = np.full(len(places), -1)
    found[hit] = other[close[first]]
    return found
