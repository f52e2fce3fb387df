"""Layers of segments, or of points and handles, that a GIS has edited: back to their graph."""

from __future__ import annotations

import dataclasses
import json
from typing import NamedTuple

import numpy as np
from pyproj import CRS
from pyproj.exceptions import CRSError

from .. import frames
from ..errors import GeoreferenceError
from ..fitting.curves import FitOptions
from ..model import Column, Features, Ints, LineStrings, Points, SplineGraph
from ..report import Report
from .edited_handles import from_handles
from .edited_rows import Pieces, numbers
from .edited_segments import from_segments
from .tables import HANDLE, OWN, SCENE, SEGMENT, has, home


class Scene(NamedTuple):
    """What a layer says about the graph that it was made of."""

    frame: CRS | None
    points: int
    segments: int
    layer: str


def edited_kind(lines: LineStrings) -> str | None:
    """Tell whether lines are the ``segments`` or ``handles`` of a graph; None = they are other lines."""
    columns = lines.features.columns
    if has(columns, SEGMENT):
        return "segments"
    return "handles" if has(columns, HANDLE) else None


def edited_to_graph(
    lines: LineStrings,
    points: Points | None = None,
    *,
    frame: CRS | None = None,
    fit: str = "vertices",
    options: FitOptions = FitOptions(),  # noqa: B008 (frozen)
    report: Report | None = None,
) -> SplineGraph:
    """Make the graph again that segments, or handles and points, were made of, with what was edited since.

    A row whose numbers and line are as they were gives the very same segment. Numbers that were edited (ends,
    handles, ups) are taken over; where only the line was edited, it is fitted anew, and so are lines without
    a segment index, which are appended. Segments keep their order; after deleted ones, later ones move up.

    Parameters
    ----------
    lines : LineStrings
        A layer for which `edited_kind` is not None, in any CRS.
    points : Points, optional
        The layer of points that belongs to handles: where a point is, it says, and not the handles.
    frame : pyproj.CRS, optional
        The scene's frame, when the layer has lost it.
    fit, options
        As in `lines_to_graph`, for what is fitted anew.
    report : Report, optional
        Told what was edited, added, deleted and refused.

    Raises
    ------
    GeoreferenceError
        When the frame is lost, or another one is asked for.
    OptionError
        When `points` are no points that belong to handles.
    """
    report = Report() if report is None else report
    scene = _scene(lines, frame)
    if edited_kind(lines) == "handles":
        pieces = from_handles(lines, points, scene.frame, report)
        report.count("features converted", 2 * len(pieces.row))
    else:
        pieces = from_segments(lines, scene.frame, fit, options, report)
        report.count("features converted", len(np.unique(pieces.row)))
    _tell(pieces, scene, report)
    return dataclasses.replace(_with_owners(pieces, lines, scene, report), planar=lines.planar)


def _scene(lines: LineStrings, frame: CRS | None) -> Scene:
    """Read the frame and the sizes from whichever row still has them."""
    column = lines.features.columns.get(SCENE)
    for text in () if column is None else column.values[~column.null]:
        try:
            found = json.loads(text)
            own = None if found["frame"] is None else CRS.from_json_dict(found["frame"])
            scene = Scene(own, int(found["points"]), int(found["segments"]), str(found["layer"]))
        except (ValueError, KeyError, TypeError, CRSError):
            continue  # cut off, or typed over: another row may have it
        if frame is not None and not frames.same(frame, own):
            raise GeoreferenceError(
                "the layer says itself in which frame its numbers are: leave out the options that place the "
                "scene; spl-gis reproject moves a .spl to another frame"
            )
        return scene
    if frame is None:
        raise GeoreferenceError(
            f"no row of the layer says in which frame its numbers are (column {SCENE!r}): pass --frame FILE, "
            "such as the .spl that the layer was made of"
        )
    return Scene(frame, 0, 0, "")


def _tell(pieces: Pieces, scene: Scene, report: Report) -> None:
    gone = np.setdiff1d(np.arange(max(scene.segments, pieces.segment.max(initial=-1) + 1)), pieces.segment)
    if len(gone):
        named = ", ".join(map(str, gone[:10].tolist())) + (
            f" and {len(gone) - 10} more" if len(gone) > 10 else ""
        )
        report.count("segments deleted", len(gone))
        report.warn(f"{len(gone)} segments were deleted, later ones move up: segment {named}")
    loose = scene.points - pieces.known_points
    if loose > 0:
        report.note(f"{loose} points that no segment uses are left out, later ones move up")
    report.count("points", len(pieces.points))
    report.count("segments", len(pieces.ends))


def _with_owners(pieces: Pieces, lines: LineStrings, scene: Scene, report: Report) -> SplineGraph:
    """Make the graph, and find the line and feature of each segment in its row."""
    table = lines.features
    line, feature, old = _owners(pieces, table)
    lowest = np.unique(line[line >= 0], return_index=True)[1]
    first = np.flatnonzero(line >= 0)[lowest]  # a segment of each line
    features = _features(table, feature[first], pieces.row[first], scene.layer)
    _compare(table, features, feature, pieces.row, report)
    part = numbers(table.columns.get("part"), len(table), -1)
    return SplineGraph(
        pieces.points,
        pieces.ends,
        pieces.tangents,
        pieces.ups,
        line,
        np.unique(feature[first], return_inverse=True)[1].reshape(-1),
        np.where(old[first] < 0, lines.part[pieces.source[first]], part[pieces.row[first]]),
        features,
        scene.frame,
        lines.crs,
        row=pieces.order,
    )


def _owners(pieces: Pieces, table: Features) -> tuple[Ints, Ints, Ints]:
    """Give line, feature and old line of each segment; lines that are new have a feature of their own."""
    old = numbers(table.columns.get("line"), len(table), -1)[pieces.row]
    feature = numbers(table.columns.get("feature"), len(table), -1)[pieces.row]
    fresh = (old < 0) & (pieces.segment < 0)
    new_line = old.max(initial=-1) + 1 + pieces.source
    new_feature = feature.max(initial=-1) + 1 + pieces.row
    line = np.where(fresh, new_line, old)
    feature = np.where(fresh | ((line >= 0) & (feature < 0)), new_feature, feature)
    named = np.unique(line[line >= 0])
    return np.where(line < 0, -1, np.searchsorted(named, line)), np.where(line < 0, -1, feature), old


def _features(table: Features, feature: Ints, row: Ints, layer: str) -> Features:
    """Make a row of each feature, with the attributes that one of its segments has."""
    _, at = np.unique(feature, return_index=True)
    rows = row[at]
    fid = numbers(table.columns.get("feature_id"), len(table), -1)[rows]
    fresh = fid < 0
    fid[fresh] = fid.max(initial=-1) + 1 + np.arange(fresh.sum())
    taken = {home(name): column.take(rows) for name, column in _attributes(table).items()}
    return Features(fid, taken, layer or table.layer)


def _attributes(table: Features) -> dict[str, Column]:
    return {name: column for name, column in table.columns.items() if name not in OWN}


def _compare(table: Features, features: Features, feature: Ints, row: Ints, report: Report) -> None:
    """Say when segments of one feature have other attributes than its first one."""
    some = feature >= 0
    owner = np.unique(feature[some], return_inverse=True)[1].reshape(-1)
    for name, column in _attributes(table).items():
        mine, theirs = column.take(row[some]), features.columns[home(name)].take(owner)
        differ = (mine.null != theirs.null) | (~mine.null & ~theirs.null & (mine.values != theirs.values))
        if differ.any():
            report.warn(
                f"column {name!r}: {differ.sum()} segments have another value than the first segment "
                "of their feature, which is used"
            )
