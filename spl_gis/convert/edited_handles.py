"""Edited layers of points and handles."""

from __future__ import annotations

import numpy as np
from pyproj import CRS

from ..errors import OptionError
from ..model import Bools, Floats, Ints, LineStrings, Points
from ..report import Report
from .edited_rows import Pieces, as_written, far, in_scene, numbers, sound, taken
from .tables import HANDLE, POINT, SIDES, has


def from_handles(lines: LineStrings, points: Points | None, frame: CRS | None, report: Report) -> Pieces:
    """Make the pieces of a graph of edited handles, and of their points if given; see `edited_to_graph`."""
    line, segment = _pairs(lines, report)
    rows = lines.feature[line]
    table = lines.features
    values, moved = _handles(lines, frame, report)
    if points is None:
        index, coords = _own_points(values[rows.ravel()], moved[rows.ravel()], report)
    else:
        index, coords = _points(points, frame, report)
    values = values[rows]
    tangents, ups = values[..., 6:9], values[..., 9:]
    ends = np.nan_to_num(values[..., 2], nan=-1.0).astype(np.int64)
    there = np.isin(ends, index).all(axis=1)
    report.refuse(table.fid[rows[~there, 0]], "a handle whose point is not there")
    flat = np.concatenate([tangents, ups], axis=1).reshape(len(line), 12)
    good = sound(table.fid[rows[:, 0]], flat, ends, tangents, report) & there
    used, ends = np.unique(ends[good], return_inverse=True)
    return Pieces(
        coords[np.searchsorted(index, used)],
        ends.reshape(-1, 2),
        tangents[good],
        ups[good],
        rows[good, 0],
        line[good, 0],
        segment[good],
        np.zeros(0, np.int64),
        len(used),
    )


def _own_points(values: Floats, moved: Bools, report: Report) -> tuple[Ints, Floats]:
    """Give the index of each point that handles stand at, ascending, and its place: a moved one counts."""
    point, places = np.nan_to_num(values[:, 2], nan=-1.0).astype(np.int64), values[:, 3:6]
    whole = (point >= 0) & np.isfinite(places).all(axis=1)
    point, places, moved = point[whole], places[whole], moved[whole]
    index, first, at = np.unique(point, return_index=True, return_inverse=True)
    coords = places[first]
    coords[at.reshape(-1)[moved]] = places[moved]
    report.count("points moved", len(np.unique(point[moved])))
    torn = (coords[at.reshape(-1)[moved]] != places[moved]).any(axis=1)
    if torn.any():
        report.warn(f"{torn.sum()} edited handles place a shared point differently: the last one counts")
    return index, coords


def _points(points: Points, frame: CRS | None, report: Report) -> tuple[Ints, Floats]:
    """Give the index of each point, ascending, and its place: that in the layer, if it was moved there."""
    table = points.features
    if not has(table.columns, POINT):
        raise OptionError("the points are not those that spl-gis wrote with the handles: leave them out")
    values, edited = taken(table, POINT)
    index, coords = np.nan_to_num(values[:, 0], nan=-1.0).astype(np.int64), values[:, 1:]
    drawn = in_scene(points.coords, points.crs, frame)
    moved = far(drawn - coords) & ~edited
    if (index < 0).any():
        report.warn(f"{(index < 0).sum()} points without an index are left out: no handle can name them")
    report.count("points moved", int((moved | edited)[index >= 0].sum()))
    coords = np.where(moved[:, None] & ~np.isnan(drawn), drawn, coords)
    known, first = np.unique(index, return_index=True)
    first = first[known >= 0]
    whole = np.isfinite(coords[first]).all(axis=1)
    return index[first[whole]], coords[first[whole]]


def _pairs(lines: LineStrings, report: Report) -> tuple[Ints, Ints]:
    """Give the lines, shape (M, 2), of both handles of each segment, and the segment."""
    table = lines.features
    segment = numbers(table.columns["segment"], len(table), -1)[lines.feature]
    side = table.columns["side"].values[lines.feature]
    found = []
    for name in SIDES:
        mine = np.flatnonzero((side == name) & (segment >= 0))
        index, first = np.unique(segment[mine], return_index=True)
        found.append((index, mine[first]))
    both = np.intersect1d(found[0][0], found[1][0])
    line = np.stack([rows[np.searchsorted(index, both)] for index, rows in found], axis=1)
    spare = np.setdiff1d(np.arange(len(lines)), line)
    report.refuse(
        table.fid[lines.feature[spare]], "a handle without its segment's other one, or one too many"
    )
    return line, both


def _handles(lines: LineStrings, frame: CRS | None, report: Report) -> tuple[Floats, Bools]:
    """Give each row's numbers, as the line has them where that was edited; and which rows move their point.

    A line whose far end alone was moved has another handle. One whose near end was moved moves its point.
    """
    table = lines.features
    values, edited = taken(table, HANDLE)
    coords = in_scene(lines.coords, lines.crs, frame)
    first = np.full(len(table), -1)
    first[lines.feature[::-1]] = np.arange(len(lines))[::-1]
    near, ends = coords[lines.offsets[first]], coords[lines.offsets[first + 1] - 1]
    drawn = ends - near
    turned = far(drawn - values[:, 6:9]) & ~edited
    moved = far(near - values[:, 3:6]) & ~edited
    report.count("handles moved", int((turned | edited).sum()))
    values[:, 6:9] = np.where(turned[:, None] & ~np.isnan(drawn), drawn, values[:, 6:9])
    typed = edited & (values[:, 3:6] != as_written(table, len(HANDLE))[:, 3:6]).any(axis=1)
    values[:, 3:6] = np.where(moved[:, None] & ~np.isnan(near), near, values[:, 3:6])
    return values, moved | typed
