"""What an edited layer gives: numbers out of columns, and the pieces of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Bools, Column, Features, Floats, Ints
from ..report import Report
from .tables import CHECK, check_sum

REACH = 1e-3
"""Metres of the scene that a place may be off and still be the same: what a trip through a GIS may cost."""


class Pieces(NamedTuple):
    """A graph whose segments know the row that they come from.

    Attributes
    ----------
    points, ends, tangents, ups : ndarray
        As in `SplineGraph`.
    row : ndarray of int, shape (M,)
        Row of the layer that each segment comes from.
    source : ndarray of int, shape (M,)
        Line of the layer that it comes from.
    segment : ndarray of int, shape (M,)
        Which segment it was, -1 = it is new. Of the pieces of one, all have its number.
    order : ndarray of int, shape (M,) or (0,)
        Where it stands when its line is followed; empty = where it stands.
    known_points : int
        How many points the layer knows.
    """

    points: Floats
    ends: Ints
    tangents: Floats
    ups: Floats
    row: Ints
    source: Ints
    segment: Ints
    order: Ints
    known_points: int


def numbers(column: Column | None, rows: int, blank: int) -> Ints:
    """Give whole numbers of a column, `blank` where there are none."""
    values = np.full(rows, blank, np.int64)
    if column is not None:
        known = ~column.null
        values[known] = column.values[known].astype(
            np.float64 if column.values.dtype.kind == "f" else np.int64
        )
    return values


def reals(table: Features, names: Sequence[str]) -> Floats:
    """Give the numbers of several columns, shape (R, C); NaN where there are none."""
    values = np.full((len(table), len(names)), np.nan)
    for at, name in enumerate(names):
        column = table.columns[name]
        values[~column.null, at] = column.values[~column.null].astype(np.float64)
    return values


def touched(table: Features, names: Sequence[str], exact: Sequence[str]) -> Bools:
    """Tell which rows have other numbers than were written, by their check; `exact` are not real numbers."""
    check = numbers(table.columns.get(CHECK), len(table), -1)
    columns = []
    for name in names:
        column = table.columns[name]
        blank = np.zeros(len(table), np.float64)
        if name == "side":
            columns.append(column)
            continue
        blank[~column.null] = column.values[~column.null].astype(np.float64)
        values = blank.astype(np.int64) if name in exact else blank
        columns.append(Column(values, column.null, "Real"))
    return np.asarray(check_sum(columns) != check)


def in_scene(coords: Floats, crs: CRS | None, frame: CRS | None) -> Floats:
    """Move places of a layer to the frame; what cannot be moved becomes NaN."""
    moved = frames.transform(coords, crs, frame)
    moved[~np.isfinite(moved[:, :2]).all(axis=1)] = np.nan
    return moved


def far(difference: Floats) -> Bools:
    """Tell which differences, shape (K, 3), are beyond reach; a height that is not known is not looked at."""
    size = np.abs(np.where(np.isnan(difference), 0.0, difference)).max(axis=1, initial=0.0)
    return np.asarray((size > REACH) | np.isnan(difference[:, :2]).any(axis=1))


def sound(fid: Ints, numbers_: Floats, ends: Ints, tangents: Floats, report: Report) -> Bools:
    """Tell which rows make a segment, and refuse the others."""
    finite = np.isfinite(numbers_).all(axis=1)
    loop = finite & (ends[:, 0] == ends[:, 1])
    flat = finite & (tangents == 0).all(axis=2).any(axis=1)
    report.refuse(fid[~finite], "a segment with a missing or infinite number")
    report.refuse(fid[loop], "a segment that ends at the point where it starts")
    report.refuse(fid[flat & ~loop], "a segment with a handle without length")
    return np.asarray(finite & ~loop & ~flat)
