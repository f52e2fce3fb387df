"""The two nouns, LineStrings and SplineGraph, the table of features that both carry, and plain Points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS

from .errors import GraphError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

UP = (0.0, 0.0, 1.0)
"""The engine's default up vector."""


@dataclass(frozen=True)
class Column:
    """One attribute of all features.

    Attributes
    ----------
    values : ndarray, shape (F,)
        int32, int64, float32 or float64 for numbers, bool for booleans; an object array for everything else:
        str (also dates and times, as ISO 8601 text with their time zone), bytes, or lists. What stands
        where `null` is true means nothing.
    null : ndarray of bool, shape (F,)
        Where the value is missing.
    type : str
        OGR field type: Integer, Integer64, Real, String, Date, Time, DateTime, Binary, IntegerList,
        Integer64List, RealList or StringList.
    subtype : str
        OGR field subtype: None, Boolean, Int16, Float32, JSON or UUID.
    width : int
        OGR field width, 0 = not limited.
    precision : int
        OGR field precision (decimals), 0 = not set.
    """

    values: NDArray[Any]
    null: Bools
    type: str
    subtype: str = "None"
    width: int = 0
    precision: int = 0

    def __post_init__(self) -> None:
        _freeze(self, "values", np.asarray(self.values), ())
        _freeze(self, "null", np.asarray(self.null, bool), (len(self.values),))

    def take(self, rows: Ints) -> Column:
        """Give the column with the rows `rows`; -1 becomes null."""
        if len(self.values) == 0:
            blank = np.zeros(len(rows), self.values.dtype)
            return Column(
                blank, np.ones(len(rows), bool), self.type, self.subtype, self.width, self.precision
            )
        return Column(
            self.values[rows],
            self.null[rows] | (rows < 0),
            self.type,
            self.subtype,
            self.width,
            self.precision,
        )


@dataclass(frozen=True)
class Features:
    """The rows of a source layer: ids and attributes, without geometry.

    Attributes
    ----------
    fid : ndarray of int64, shape (F,)
        Feature ids as the source gives them.
    columns : mapping of str to Column
        Attributes by name, in the order of the source.
    layer : str
        Name of the source layer.
    """

    fid: Ints
    columns: Mapping[str, Column] = field(default_factory=dict)
    layer: str = ""

    def __post_init__(self) -> None:
        _freeze(self, "fid", np.asarray(self.fid, np.int64), (-1,))
        for name, column in self.columns.items():
            if len(column.values) != len(self.fid):
                raise GraphError(f"column {name!r} has {len(column.values)} rows, not {len(self.fid)}")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def __len__(self) -> int:
        return len(self.fid)

    def __reduce__(self) -> tuple[Any, ...]:
        return Features, (self.fid, dict(self.columns), self.layer)

    def take(self, rows: ArrayLike) -> Features:
        """Give the features at `rows`, in that order; -1 becomes a row of nulls with fid -1."""
        rows = np.asarray(rows, np.int64)
        fid = np.where(rows < 0, -1, self.fid[rows] if len(self) else -1)
        return Features(fid, {name: column.take(rows) for name, column in self.columns.items()}, self.layer)


def no_features() -> Features:
    """Give an empty table."""
    return Features(np.zeros(0, np.int64))


@dataclass(frozen=True)
class LineStrings:
    """Polylines with the features they belong to.

    Attributes
    ----------
    coords : ndarray of float64, shape (K, 3)
        Vertices of all lines, one line after the other, x east and y north (longitude and latitude for a
        geographic CRS), in the units of `crs`. A missing height is NaN.
    offsets : ndarray of int64, shape (L + 1,)
        Line ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``, at least two.
    feature : ndarray of int64, shape (L,)
        Row in `features` of each line.
    part : ndarray of int64, shape (L,)
        Which part of its feature's geometry a line is: 0, 1, ...; -1 = the geometry is a single line.
    features : Features
        The rows that the lines belong to.
    crs : pyproj.CRS or None
        Coordinate reference system of `coords`; None when there is no place on Earth.
    """

    coords: Floats
    offsets: Ints
    feature: Ints
    part: Ints
    features: Features
    crs: CRS | None = None

    def __post_init__(self) -> None:
        _freeze(self, "coords", np.asarray(self.coords, np.float64), (-1, 3))
        _freeze(self, "offsets", np.asarray(self.offsets, np.int64), (-1,))
        lines = len(self.offsets) - 1
        _freeze(self, "feature", np.asarray(self.feature, np.int64), (lines,))
        _freeze(self, "part", np.asarray(self.part, np.int64), (lines,))
        if lines < 0 or self.offsets[0] != 0 or self.offsets[-1] != len(self.coords):
            raise GraphError("offsets must run from 0 to the number of vertices")
        if lines and np.diff(self.offsets).min() < 2:
            raise GraphError("a line needs at least two vertices")
        if not np.isfinite(self.coords[:, :2]).all() or np.isinf(self.coords[:, 2]).any():
            raise GraphError("coordinates must be finite (a missing height is NaN)")
        _check_index(self.feature, len(self.features), 0, "feature")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def planar(self) -> bool:
        """Whether no vertex has a height."""
        return bool(np.isnan(self.coords[:, 2]).all())


def select_lines(lines: LineStrings, keep: Bools, vertices: Bools | None = None) -> LineStrings:
    """Give some of the lines, and of their features those that still have a line.

    Parameters
    ----------
    lines : LineStrings
        The lines.
    keep : ndarray of bool, shape (L,)
        Which lines stay.
    vertices : ndarray of bool, shape (K,), optional
        Which vertices stay; of each line that stays at least two. Default: all.
    """
    stay = np.repeat(keep, np.diff(lines.offsets))
    if vertices is not None:
        stay &= vertices
    sizes = np.diff(np.concatenate([[0], np.cumsum(stay)])[lines.offsets])[keep]
    rows, feature = np.unique(lines.feature[keep], return_inverse=True)
    return LineStrings(
        lines.coords[stay],
        np.concatenate([[0], np.cumsum(sizes)]),
        feature.reshape(-1),
        lines.part[keep],
        lines.features.take(rows),
        lines.crs,
    )


@dataclass(frozen=True)
class Points:
    """Places with attributes, such as the points of a graph.

    Attributes
    ----------
    coords : ndarray of float64, shape (N, 3)
        Positions, in the units of `crs`. A missing height is NaN.
    features : Features
        One row for each place.
    crs : pyproj.CRS or None
        Coordinate reference system of `coords`.
    """

    coords: Floats
    features: Features
    crs: CRS | None = None

    def __post_init__(self) -> None:
        _freeze(self, "coords", np.asarray(self.coords, np.float64), (len(self.features), 3))

    def __len__(self) -> int:
        return len(self.coords)


@dataclass(frozen=True)
class Source:
    """The vertices that a graph was made of, and which of them its segments begin and end at.

    Attributes
    ----------
    coords : ndarray of float64, shape (K, 3)
        Vertices of all source lines, in the graph's `source_crs`, bit for bit. A missing height is NaN.
    offsets : ndarray of int64, shape (L + 1,)
        Source line ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.
    line : ndarray of int64, shape (R,)
        Source line of each segment that there was; `SplineGraph.row` says which of them are left.
    vertex : ndarray of int64, shape (R, 2)
        Number, within its line, of the vertex at each segment's start and end; -1 = there is none.
    """

    coords: Floats
    offsets: Ints
    line: Ints
    vertex: Ints

    def __post_init__(self) -> None:
        _freeze(self, "coords", np.asarray(self.coords, np.float64), (-1, 3))
        _freeze(self, "offsets", np.asarray(self.offsets, np.int64), (-1,))
        _freeze(self, "line", np.asarray(self.line, np.int64), (-1,))
        _freeze(self, "vertex", np.asarray(self.vertex, np.int64), (len(self.line), 2))


@dataclass(frozen=True)
class Spans:
    """Which parts of which segments each source line runs along, when lines were merged before fitting.

    Attributes
    ----------
    line : ndarray of int64, shape (S,)
        Source lines; the spans of each line are in its order.
    segment : ndarray of int64, shape (S,)
        Segments.
    parameters : ndarray of float64, shape (S, 2)
        Where on the segment the span begins and ends; a line against the segment has the greater one first.
    """

    line: Ints
    segment: Ints
    parameters: Floats

    def __post_init__(self) -> None:
        _freeze(self, "line", np.asarray(self.line, np.int64), (-1,))
        _freeze(self, "segment", np.asarray(self.segment, np.int64), (len(self.line),))
        _freeze(self, "parameters", np.asarray(self.parameters, np.float64), (len(self.line), 2))
        if not ((self.parameters >= 0) & (self.parameters <= 1)).all():
            raise GraphError("the parameters of spans must lie between 0 and 1")

    def take(self, rows: Ints | Bools | slice, segment: Ints) -> Spans:
        """Give some of the spans, with new numbers of segments (M,)."""
        return Spans(self.line[rows], segment[self.segment[rows]], self.parameters[rows])


@dataclass(frozen=True)
class SplineGraph:
    """Points joined by cubic Bezier segments, as a `.spl` file holds them, and where they came from.

    Attributes
    ----------
    points : ndarray of float64, shape (N, 3)
        Positions in metres of the scene: x east, y north, z up.
    ends : ndarray of int64, shape (M, 2)
        Point index of each segment's start and end.
    tangents : ndarray of float64, shape (M, 2, 3)
        Handles in metres, from the end's point to its control point, as stored.
    ups : ndarray of float64, shape (M, 2, 3)
        Up vectors at both ends.
    line : ndarray of int64, shape (M,)
        Source line of each segment, -1 = none.
    line_feature, line_part : ndarray of int64, shape (L,)
        Row in `features`, and part of its geometry (as in `LineStrings.part`), of each source line.
    features : Features
        Rows of the source layer.
    crs : pyproj.CRS or None
        The scene's frame; None when the scene has no place on Earth.
    source_crs : pyproj.CRS or None
        CRS that the source lines were in.
    planar : bool
        Whether the source had no heights, so that lines made from the graph shall have none either.
    row : ndarray of int64, shape (M,) or (0,)
        Where each segment stood when its sidecar was written, -1 = it is new; empty = where it stands.
        Segments of a line follow one another in this order, whatever an edit has done to their indices.
    changed : ndarray of bool, shape (M,) or (0,)
        Segments that were edited since then, but still are known by their index and one end; empty = none.
    source : Source or None
        The vertices that the graph was made of.
    spans : Spans or None
        Where source lines run, if they were merged before fitting; then `line` is that at a segment's start.
    """

    points: Floats
    ends: Ints
    tangents: Floats
    ups: Floats
    line: Ints
    line_feature: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    line_part: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    features: Features = field(default_factory=no_features)
    crs: CRS | None = None
    source_crs: CRS | None = None
    planar: bool = False
    row: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    changed: Bools = field(default_factory=lambda: np.zeros(0, bool))
    source: Source | None = None
    spans: Spans | None = None

    def __post_init__(self) -> None:
        _freeze(self, "points", np.asarray(self.points, np.float64), (-1, 3))
        _freeze(self, "ends", np.asarray(self.ends, np.int64), (-1, 2))
        segments = len(self.ends)
        _freeze(self, "tangents", np.asarray(self.tangents, np.float64), (segments, 2, 3))
        _freeze(self, "ups", np.asarray(self.ups, np.float64), (segments, 2, 3))
        _freeze(self, "line", np.asarray(self.line, np.int64), (segments,))
        _freeze(self, "row", np.asarray(self.row, np.int64), (segments if len(self.row) else 0,))
        _freeze(self, "changed", np.asarray(self.changed, bool), (segments if len(self.changed) else 0,))
        _freeze(self, "line_feature", np.asarray(self.line_feature, np.int64), (-1,))
        _freeze(self, "line_part", np.asarray(self.line_part, np.int64), (len(self.line_feature),))
        for name in ("points", "tangents", "ups"):
            numbers = getattr(self, name)
            if not np.isfinite(
                [numbers.min(initial=0.0), numbers.max(initial=0.0)]
            ).all():  # no array of bools
                raise GraphError(f"{name} must be finite numbers")
        _check_index(self.ends, len(self.points), 0, "point index")
        _check_index(self.line, len(self.line_feature), -1, "line")
        _check_index(self.line_feature, len(self.features), 0, "feature")
        if self.spans is not None:
            _check_index(self.spans.line, len(self.line_feature), 0, "line of a span")
            _check_index(self.spans.segment, len(self.ends), 0, "segment of a span")

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def order(self) -> Ints:
        """The row of each segment, shape (M,), also where `row` is empty."""
        return self.row if len(self.row) else np.arange(len(self))

    @property
    def origin(self) -> Ints:
        """Where each segment stood when its sidecar was written, -1 = it is new or changed; shape (M,)."""
        return np.where(self.changed, -1, self.order) if len(self.changed) else self.order


def spline_graph(
    points: ArrayLike, ends: ArrayLike, tangents: ArrayLike, ups: ArrayLike | None = None, **rest: Any
) -> SplineGraph:
    """Build a graph that comes from no source lines, with the default up vectors when `ups` is not given."""
    ends = np.asarray(ends, np.int64).reshape(-1, 2)
    if ups is None:
        ups = np.broadcast_to(UP, (len(ends), 2, 3))
    points = np.asarray(points, np.float64).reshape(-1, 3)
    tangents = np.asarray(tangents, np.float64).reshape(-1, 2, 3)
    return SplineGraph(points, ends, tangents, np.asarray(ups, np.float64), np.full(len(ends), -1), **rest)


def control_points(graph: SplineGraph) -> Floats:
    """Give the Bezier control points of each segment, shape (M, 4, 3), in scene metres.

    ``P1 = start + start_tangent`` and ``P2 = end + end_tangent``: a handle is stored whole, without a factor.
    """
    ends = graph.points[graph.ends]
    handles = ends + graph.tangents
    return np.stack([ends[:, 0], handles[:, 0], handles[:, 1], ends[:, 1]], axis=1)


def from_control_points(controls: Floats) -> Floats:
    """Give the tangents, shape (M, 2, 3), of control points, shape (M, 4, 3): undoes `control_points`."""
    tangents = np.empty((len(controls), 2, 3))
    np.subtract(controls[:, 1], controls[:, 0], out=tangents[:, 0])
    np.subtract(controls[:, 2], controls[:, 3], out=tangents[:, 1])
    return tangents


def _freeze(owner: object, name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Set a read-only array as an attribute; `shape` may have -1 for any size, () means one dimension."""
    wanted = shape or (-1,)
    fits = len(array.shape) == len(wanted) and all(w in (-1, n) for w, n in zip(wanted, array.shape))
    if not fits:
        raise GraphError(f"{name} has shape {array.shape}, not {wanted}")
    array = array.view()  # a view, so that big arrays are not copied; whoever made them keeps off
    array.flags.writeable = False
    object.__setattr__(owner, name, array)


def _check_index(index: Ints, size: int, least: int, what: str) -> None:
    if index.size and (index.min() < least or index.max() >= size):
        raise GraphError(f"{what} must lie between {least} and {size - 1}")
