"""A graph made anew of a source that has changed, with the numbers of the graph that was there before."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..errors import GraphError
from ..matching import in_turn, label_rows, marks, same
from ..model import Bools, Floats, Ints, SplineGraph
from ..report import Report


def update(
    graph: SplineGraph, old: SplineGraph, *, allow_renumber: bool = False, report: Report | None = None
) -> SplineGraph:
    """Give a graph the point and segment numbers of an older one, so that references by index stay true.

    A segment with the ends and tangents of an old one (in the engine's precision) is that segment, and keeps
    its numbers bit for bit; one with the same ends and other tangents, or the same start and feature, keeps
    the index, and is reported. All others are appended.

    Parameters
    ----------
    graph : SplineGraph
        The new graph, in the frame of the old one.
    old : SplineGraph
        The graph that was there before.
    allow_renumber : bool
        Whether later points and segments may move up where old ones are gone.
    report : Report, optional
        Told what is unchanged, changed, new and gone.

    Raises
    ------
    GraphError
        When segments or points are gone, and `allow_renumber` is false.
    """
    report = Report() if report is None else report
    row, exact = _segments(graph, old)
    point = _points(graph, old, row)
    gone = np.setdiff1d(np.arange(len(old)), row)
    lost = np.intersect1d(np.setdiff1d(np.arange(len(old.points)), point), old.ends)
    _tell(row, exact, gone, report)
    if (len(gone) or len(lost)) and not allow_renumber:
        raise GraphError(_refusal(gone, lost))
    return _renumbered(graph, old, (row, exact, point), lost)


def _segments(graph: SplineGraph, old: SplineGraph) -> tuple[Ints, Bools]:
    """Give the old segment that each segment is, -1 = it is new, and whether it is quite the same.

    First by ends and tangents, then by both ends, then by start and feature: of a segment that a new junction
    has cut, the first piece keeps the index.
    """
    now, was = marks(graph), marks(old)
    row = same(now, was, np.zeros(len(old), np.int64))
    exact = row >= 0
    ends = label_rows(np.concatenate([now, was])[:, :2].reshape(-1, 6))
    starts = label_rows(np.concatenate([now, was])[:, 0])
    owner = np.concatenate([_feature_ids(graph), _feature_ids(old)])
    _, begun = np.unique(np.stack([starts, owner]), axis=1, return_inverse=True)
    for label in (ends, begun.reshape(-1)):
        row = _paired(row, label[: len(now)], label[len(now) :])
    return row, exact


def _paired(row: Ints, now: Ints, was: Ints) -> Ints:
    """Pair what is left of new and old things with equal labels, in turn."""
    free, left = np.flatnonzero(row < 0), np.setdiff1d(np.arange(len(was)), row)
    pair = in_turn(now[free], was[left])
    row[free] = np.where(pair >= 0, np.append(left, -1)[pair], -1)
    return row


def _feature_ids(graph: SplineGraph) -> Ints:
    return graph.features.take(np.append(graph.line_feature, -1)[graph.line]).fid


def _points(graph: SplineGraph, old: SplineGraph, row: Ints) -> Ints:
    """Give the old point that each point is, -1 = it is new: as segments say, else by place."""
    point = np.full(len(graph.points), -1)
    known = np.flatnonzero(row >= 0)
    here = (marks(graph)[known, :2] == marks(old)[row[known], :2]).all(axis=2)
    point[graph.ends[known][here][::-1]] = old.ends[row[known]][here][::-1]
    _, first = np.unique(point, return_index=True)
    point[np.setdiff1d(np.arange(len(point)), first)] = -1  # what has become two points is one and a new one
    places = np.concatenate([graph.points, old.points]).astype(np.float32) + np.float32(0)
    label = label_rows(places)
    return _paired(point, label[: len(point)], label[len(point) :])


def _tell(row: Ints, exact: Bools, gone: Ints, report: Report) -> None:
    changed = (row >= 0) & ~exact
    report.count("segments unchanged", int(exact.sum()))
    report.count("segments changed", int(changed.sum()))
    report.count("segments added", int((row < 0).sum()))
    report.count("segments deleted", len(gone))
    if changed.any():
        report.warn(
            f"{changed.sum()} segments have other handles than before: {_listed(np.sort(row[changed]))}"
        )
    if len(gone):
        report.warn(f"{len(gone)} segments are gone, later ones move up: {_listed(gone)}")


def _refusal(gone: Ints, lost: Ints) -> str:
    what = f"segments are gone: {_listed(gone)}" if len(gone) else f"points are gone: {_listed(lost)}"
    return (
        f"{max(len(gone), len(lost))} {what}; later ones would move up, and what refers to them by index "
        "would refer to others: pass --allow-renumber if nothing does"
    )


def _listed(numbers: Ints) -> str:
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return ", ".join(map(str, numbers[:10].tolist())) + more


def _renumbered(
    graph: SplineGraph, old: SplineGraph, found: tuple[Ints, Bools, Ints], lost: Ints
) -> SplineGraph:
    row, exact, point = found
    order = np.argsort(np.where(row < 0, len(old) + np.arange(len(row)), row), kind="stable")
    kept = np.setdiff1d(np.arange(len(old.points)), lost)
    new = np.flatnonzero(point < 0)
    number = np.searchsorted(kept, point)
    number[new] = len(kept) + np.arange(len(new))
    return dataclasses.replace(
        graph,
        points=np.concatenate([old.points[kept], graph.points[new]]),
        ends=number[graph.ends][order],
        tangents=_kept(graph.tangents, old.tangents, row, exact)[order],
        ups=_kept(graph.ups, old.ups, row, exact)[order],
        line=graph.line[order],
        row=order if (np.diff(order) < 0).any() else graph.row,
        spans=None if graph.spans is None else graph.spans.take(slice(None), np.argsort(order)),
    )


def _kept(values: Floats, old: Floats, row: Ints, exact: Bools) -> Floats:
    """Give the old numbers of the segments that are quite the same."""
    values = values.copy()
    values[exact] = old[row[exact]]
    return values
