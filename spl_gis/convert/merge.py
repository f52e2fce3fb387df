"""Several layers as one network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from ..errors import GeoreferenceError
from ..model import Column, Features, Ints, LineStrings
from ..report import Report

ORIGIN = "source_layer"
"""Column that says which layer a feature came from."""

NAMED = 5
"""So many features are named in a warning."""


def merge(layers: Sequence[LineStrings], report: Report) -> LineStrings:
    """Put the lines of several layers into one, with the columns of all.

    A feature is null in the columns that its layer does not have. A column that has another type than one of
    the same name before it gets the name of its layer in front. `ORIGIN` names the feature's layer.

    Parameters
    ----------
    layers : sequence of LineStrings
        At least one, all in the same CRS.
    report : Report
        Told which columns were renamed.

    Raises
    ------
    GeoreferenceError
        When the layers are in different CRSs.
    """
    if len(layers) == 1:
        return layers[0]
    for lines in layers[1:]:
        if lines.crs != layers[0].crs:
            raise GeoreferenceError(
                f"the layers {layers[0].features.layer} and {lines.features.layer} are in different CRSs: "
                "convert them one by one, with --frame for one scene"
            )
    rows = np.cumsum([0, *(len(lines.features) for lines in layers)])
    vertices = np.cumsum([0, *(len(lines.coords) for lines in layers)])
    offsets = [lines.offsets[1:] + start for lines, start in zip(layers, vertices)]
    return LineStrings(
        np.concatenate([lines.coords for lines in layers]),
        np.concatenate([[0], *offsets]),
        np.concatenate([lines.feature + start for lines, start in zip(layers, rows)]),
        np.concatenate([lines.part for lines in layers]),
        merged_features([lines.features for lines in layers], report),
        layers[0].crs,
    )


class _Tell(Protocol):
    def __call__(self, fids: Iterable[int], reason: str, layer: str) -> None: ...


def layers_of(features: Features) -> list[str]:
    """Give the name of the layer that each feature came from."""
    origin = features.columns.get(ORIGIN)
    return [features.layer] * len(features) if origin is None else list(origin.values)


def keys_of(features: Features, feature: Ints, part: Ints) -> list[tuple[int, int, str]]:
    """Give what tells lines (L,) from each other: id of the feature, part, and layer."""
    layer = features.columns[ORIGIN].values[feature] if ORIGIN in features.columns else [""] * len(feature)
    return list(zip(features.fid[feature].tolist(), part.tolist(), layer))


def remark(tell: _Tell, features: Features, rows: Ints, reason: str) -> None:
    """Report features with the layer that each came from.

    Parameters
    ----------
    tell : callable
        `Report.refuse` or `Report.repair`.
    features : Features
        Of one layer, or merged.
    rows : ndarray of int
        Rows of `features`, without repetition.
    reason : str
        What was wrong with them.
    """
    layer = np.array(layers_of(features), object)
    for name in dict.fromkeys(layer[rows].tolist()):
        tell(features.fid[rows[layer[rows] == name]], reason, name)


def merged_features(tables: Sequence[Features], report: Report) -> Features:
    """Put the rows of several tables below each other, with the columns of all; see `merge`."""
    columns: dict[str, list[tuple[int, Column]]] = {}
    for number, table in enumerate(tables):
        for name, column in table.columns.items():
            title = name
            if name in columns and _kind(columns[name][0][1]) != _kind(column):
                title = f"{table.layer}_{name}"
                report.note(
                    f"the column {name} of the layer {table.layer} has another type: it is called {title}"
                )
            columns.setdefault(title, []).append((number, column))
    starts = np.cumsum([0, *map(len, tables)])
    merged = {name: _stacked(found, starts) for name, found in columns.items()}
    layer = np.repeat(np.array([table.layer for table in tables], object), np.diff(starts))
    if ORIGIN in merged:
        report.warn(f"a column {ORIGIN} of the source gives way to the names of the layers")
    merged[ORIGIN] = Column(layer, np.zeros(len(layer), bool), "String")
    fid = np.concatenate([table.fid for table in tables])
    return Features(fid, merged, "_".join(table.layer for table in tables))


def _kind(column: Column) -> tuple[Any, ...]:
    return column.type, column.subtype, column.values.dtype


def _stacked(found: Sequence[tuple[int, Column]], starts: Ints) -> Column:
    """Lay the columns of one name below each other, null where a layer does not have it."""
    first = found[0][1]
    values = np.zeros(starts[-1], first.values.dtype)
    null = np.ones(starts[-1], bool)
    for number, column in found:
        values[starts[number] : starts[number + 1]] = column.values
        null[starts[number] : starts[number + 1]] = column.null
    width = 0 if any(column.width == 0 for _, column in found) else max(column.width for _, column in found)
    return Column(values, null, first.type, first.subtype, width, first.precision)


def named(features: Features, rows: Ints) -> str:
    """Name the first few of some features in a sentence."""
    fids = ", ".join(map(str, features.fid[rows[:NAMED]].tolist()))
    return f"feature {fids}" + (f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else "")
