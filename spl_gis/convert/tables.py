"""What the rows of segments, chains, points and handles say; `edited` reads the same back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .. import bezier, roll, topology
from ..model import Bools, Column, Features, Floats, Ints, SplineGraph, control_points
from ..topology import Runs

SIDES = ("start", "end")
AXES = ("x", "y", "z")

PLACES = [f"{side}_{axis}" for side in SIDES for axis in AXES]
TANGENTS = [f"{side}_t{axis}" for side in SIDES for axis in AXES]
UPS = [f"{side}_u{axis}" for side in SIDES for axis in AXES]
INDICES = [f"{side}_index" for side in SIDES]
DEGREES = [f"{side}_degree" for side in SIDES]
GRADES, ROLLS = ([*(f"{side}_{what}" for side in SIDES), f"max_{what}"] for what in ("grade", "roll"))
OWNER = ["line", "part", "feature", "feature_id"]
SHAPE = ["vertices", "shape", "shape_z"]

SEGMENT = ["segment", *INDICES, *PLACES, *TANGENTS, *UPS]
"""What a segment is, in numbers of the scene."""
HANDLE = ["segment", "side", "point", *AXES, "tx", "ty", "tz", "ux", "uy", "uz"]
"""What a handle is: where its point is, and its tangent and up vector there; `side` is start or end."""
POINT = ["point", *AXES]
"""What a point is."""

SCENE, WRITTEN = "scene", "written"
"""Columns of the frame as JSON, and of all numbers of a row as they were written, which shows edits."""

SCENES = 300
"""About how many rows carry the frame: enough to survive deletions, and few enough for large layers."""

# a GIS that exports a layer makes a column of its row numbers, called fid
OWN = {
    *SEGMENT,
    *HANDLE,
    *POINT,
    *DEGREES,
    *OWNER,
    *SHAPE,
    *GRADES,
    *ROLLS,
    SCENE,
    WRITTEN,
    "length",
    "grade",
    "roll",
    "radius",
    "deviation",
    "changed",
    "degree",
    "fid",
}
SOURCE = "source_"
"""Stands before names of source columns that are names of ours."""


def segment_table(graph: SplineGraph, coords: Floats, offsets: Ints) -> Features:
    """Make a row for each segment, with all that is needed to make the segment again.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    coords, offsets : ndarray
        Each segment's line in the scene.
    """
    number = np.arange(len(graph))
    ends = graph.points[graph.ends]
    controls = control_points(graph)
    columns = {
        "segment": integers(number),
        **_named(INDICES, graph.ends, integers),
        **_named(PLACES, ends),
        **_named(TANGENTS, graph.tangents),
        **_named(UPS, graph.ups),
        "length": reals(bezier.length(controls)),
        "radius": _radius(controls),
        **_named(DEGREES, topology.degrees(graph.ends, len(graph.points))[graph.ends], integers),
        **_named(GRADES, _with_greatest(roll.grades(control_points(graph))), angles),
        **_named(ROLLS, _with_greatest(roll.rolls(graph)), angles),
        "changed": Column(_changed(graph), np.zeros(len(graph), bool), "Integer", "Boolean"),
        **_owner(graph),
        **dict(zip(SHAPE, _shape_columns(coords, offsets))),
    }
    return _finished("segments", columns, SEGMENT, graph, graph.line)


def handle_table(graph: SplineGraph) -> Features:
    """Make a row for each handle: of each segment the one at its start, and the one at its end."""
    number = np.repeat(np.arange(len(graph)), 2)
    side = np.tile(np.array(SIDES, object), len(graph))
    columns = {
        "segment": integers(number),
        "side": Column(side, np.zeros(len(side), bool), "String"),
        "point": integers(graph.ends.ravel()),
        **_named(AXES, graph.points[graph.ends.ravel()]),
        **_named(HANDLE[6:9], graph.tangents.reshape(-1, 3)),
        **_named(HANDLE[9:], graph.ups.reshape(-1, 3)),
        "grade": angles(roll.grades(control_points(graph))[:, [0, -1]].ravel()),
        "roll": angles(roll.rolls(graph)[:, [0, -1]].ravel()),
        **{name: column.take(number) for name, column in _owner(graph).items()},
    }
    return _finished("handles", columns, HANDLE, graph, np.repeat(graph.line, 2))


def point_table(graph: SplineGraph) -> Features:
    """Make a row for each point."""
    columns = {
        "point": integers(np.arange(len(graph.points))),
        **_named(AXES, graph.points),
        "degree": integers(topology.degrees(graph.ends, len(graph.points))),
    }
    return _finished("points", columns, POINT, graph, None)


def chain_table(graph: SplineGraph, runs: Runs) -> Features:
    """Make a row for each chain: what is at its ends, its length, and its feature if it has only one."""
    first, last = runs.offsets[:-1], runs.offsets[1:] - 1
    at = np.stack([runs.segment[first], runs.segment[last]], axis=1)
    side = np.stack([runs.reverse[first], ~runs.reverse[last]], axis=1).astype(int)
    ends = graph.ends[at, side]
    lengths = bezier.length(control_points(graph)[runs.segment])
    grades, rolls = (_driven(each, runs) for each in (roll.grades(control_points(graph)), roll.rolls(graph)))
    columns = {
        **_named(INDICES, ends, integers),
        **_named([f"{side}_z" for side in SIDES], graph.points[ends, 2]),
        "segments": integers(np.diff(runs.offsets)),
        "length": reals(np.add.reduceat(lengths, first) if len(first) else np.zeros(0)),
        **_named(TANGENTS, graph.tangents[at, side]),
        **_named(UPS, graph.ups[at, side]),
        **_named(DEGREES, topology.degrees(graph.ends, len(graph.points))[ends], integers),
        **_named(GRADES, grades, angles),
        **_named(ROLLS, rolls, angles),
        "feature_id": _one_feature(graph, runs),
    }
    return Features(np.arange(len(first)), columns, "chains")


def _with_greatest(values: Floats) -> Floats:
    """Give what is at both ends of segments, and what is greatest in between, of values (M, T)."""
    return np.column_stack([values[:, 0], values[:, -1], roll.greatest(values)])


def _driven(values: Floats, runs: Runs) -> Floats:
    """Give what is at both ends of runs, and what is greatest in between, in the direction of each run."""
    first, last = runs.offsets[:-1], runs.offsets[1:] - 1
    along = np.where(runs.reverse[:, None], -values[runs.segment, ::-1], values[runs.segment]) + 0.0
    worst = roll.greatest(along)
    size = np.nan_to_num(np.abs(worst), nan=-1.0)
    most = np.maximum.reduceat(size, first) if len(first) else size
    at = np.flatnonzero(size == np.repeat(most, np.diff(runs.offsets)))
    at = at[np.searchsorted(at, first)]
    return np.column_stack([along[first, 0], along[last, -1], worst[at]])


def _one_feature(graph: SplineGraph, runs: Runs) -> Column:
    """Give the id of the feature that all segments of a chain belong to, null when there is no such one."""
    feature = _feature(graph)[runs.segment]
    starts = runs.offsets[:-1]
    if len(starts) == 0:
        return integers(np.zeros(0, np.int64))
    low, high = np.minimum.reduceat(feature, starts), np.maximum.reduceat(feature, starts)
    one = (low == high) & (low >= 0)
    return integers(graph.features.take(np.where(one, low, -1)).fid, ~one)


def _feature(graph: SplineGraph) -> Ints:
    """Give the row of each segment's feature, -1 = none."""
    return np.append(graph.line_feature, -1)[graph.line]


def _owner(graph: SplineGraph) -> dict[str, Column]:
    none = graph.line < 0
    feature = _feature(graph)
    values = (
        graph.line,
        np.append(graph.line_part, -1)[graph.line],
        feature,
        graph.features.take(feature).fid,
    )
    return {name: integers(value, none) for name, value in zip(OWNER, values)}


def _radius(controls: Floats) -> Column:
    """Give the least radius in plan, null for what is straight there."""
    radius = bezier.least_radius(controls)
    straight = np.isinf(radius)
    return Column(np.where(straight, 0.0, radius), straight, "Real")


def _changed(graph: SplineGraph) -> Bools:
    return graph.changed if len(graph.changed) else np.zeros(len(graph), bool)


def _finished(
    layer: str, columns: dict[str, Column], named: list[str], graph: SplineGraph, line: Ints | None
) -> Features:
    """Add the numbers as written, the source's attributes, and the frame."""
    rows = len(next(iter(columns.values())).values)
    columns[WRITTEN] = written(np.column_stack([in_numbers(columns[name]) for name in named]))
    columns[SCENE] = _scene(graph, rows)
    if line is not None:
        table = graph.features.take(np.append(graph.line_feature, -1)[line])
        columns.update({aside(name): column for name, column in table.columns.items()})
    return Features(np.arange(rows), columns, layer)


def aside(name: str) -> str:
    """Give a source column's name in our layers; `home` undoes it."""
    return SOURCE + name if _bare(name) in OWN else name


def home(name: str) -> str:
    """Undo `aside`."""
    return name[len(SOURCE) :] if name.startswith(SOURCE) and _bare(name) in OWN else name


def _bare(name: str) -> str:
    while name.startswith(SOURCE):
        name = name[len(SOURCE) :]
    return name


def _scene(graph: SplineGraph, rows: int) -> Column:
    """Give the frame and the sizes of the graph, in each row of a small layer and in some of a large one."""
    text = json.dumps(
        {
            "frame": graph.crs.to_json_dict() if graph.crs else None,
            "points": len(graph.points),
            "segments": len(graph),
            "layer": graph.features.layer,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
    null = np.arange(rows) % (1 + rows // SCENES) != 0
    texts = np.full(rows, "", object)  # an array of text proper would keep room for the long one in each row
    texts[~null] = text
    return Column(texts, null, "String")


def written(values: Floats) -> Column:
    """Give the numbers of each row as text, bit for bit: many formats round numbers."""
    lines = [base64.b64encode(row.tobytes()).decode("ascii") for row in values.astype("<f8")]
    return Column(np.array(lines, object), np.zeros(len(lines), bool), "String")


def shape_of(coords: Floats, offsets: Ints) -> tuple[Ints, Floats, Floats]:
    """Give numbers that change when a vertex of a line does: how many there are, one for the plan, one for z.

    A vertex that moves changes its number by about as much, so that rounding does not matter. Each vertex is
    weighed in a direction of its own, a golden angle on from the one before.
    """
    size = np.diff(offsets)
    angle = 0.5 + 2.399963229728653 * (np.arange(len(coords)) - np.repeat(offsets[:-1], size))
    plan = coords[:, 0] * np.cos(angle) + coords[:, 1] * np.sin(angle)
    height = coords[:, 2] * (1.5 + np.cos(angle))
    if len(size) == 0:
        return size, np.zeros(0), np.zeros(0)
    return size, np.add.reduceat(plan, offsets[:-1]), np.add.reduceat(height, offsets[:-1])


def _shape_columns(coords: Floats, offsets: Ints) -> tuple[Column, Column, Column]:
    size, plan, height = shape_of(coords, offsets)
    return integers(size), reals(plan), reals(height)


def _named(names: Iterable[str], values: Any, make: Any = None) -> dict[str, Column]:
    """Make a column of each number of an array's rows."""
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    return {name: (make or reals)(flat[:, at]) for at, name in enumerate(names)}


def in_numbers(column: Column) -> Floats:
    """Give the numbers of a column, and 0 and 1 for the sides; NaN where there is no such thing."""
    values = np.full(len(column.null), np.nan)
    if column.values.dtype == object:
        for number, side in enumerate(SIDES):
            values[column.values == side] = number
    else:
        values[:] = column.values
    return np.where(column.null, np.nan, values)


def integers(values: Ints, null: Bools | None = None) -> Column:
    """Make a column of whole numbers."""
    return Column(values, np.zeros(len(values), bool) if null is None else null, "Integer64")


def reals(values: Floats) -> Column:
    """Make a column of real numbers."""
    return Column(values, np.zeros(len(values), bool), "Real")


def angles(values: Floats) -> Column:
    """Make a column of real numbers, null where there is none: a vertical road has no grade and no roll."""
    return Column(np.nan_to_num(values, posinf=0.0, neginf=0.0), ~np.isfinite(values), "Real")


def has(columns: Mapping[str, Column], names: Iterable[str]) -> bool:
    """Tell whether a table has all these columns."""
    return all(name in columns for name in names)
