"""What an edited layer gives: numbers out of columns, and the pieces of a graph."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Bools, Column, Features, Floats, Ints
from ..report import Report
from .tables import WRITTEN, in_numbers

REACH = 1e-3
"""Metres of the scene that a place may be off and still be the same: what a trip through a GIS may cost."""

ROUNDING = 1e-10
"""Part of a number, or of 1, that formats may round off."""


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


def taken(table: Features, names: Sequence[str]) -> tuple[Floats, Bools]:
    """Give the numbers of several columns, shape (R, C), NaN = none, and which rows were edited.

    A number that still is, but for rounding, what was written is given bit for bit as it was written.
    """
    now = np.stack([in_numbers(table.columns[name]) for name in names], axis=1)
    before = as_written(table, len(names))
    with np.errstate(invalid="ignore"):
        same = np.abs(now - before) <= ROUNDING * np.maximum(1.0, np.abs(before))
    return np.where(same, before, now), np.asarray(~same.all(axis=1))


def as_written(table: Features, count: int) -> Floats:
    """Give the numbers of each row as they were written, shape (R, count); NaN where that is lost."""
    column = table.columns.get(WRITTEN)
    lost = base64.b64encode(np.full(count, np.nan, "<f8").tobytes()).decode("ascii")
    if column is None:
        return np.full((len(table), count), np.nan)
    texts = np.where(column.null, lost, column.values).tolist()
    texts = [text if isinstance(text, str) and len(text) == len(lost) else lost for text in texts]
    try:
        return np.frombuffer(b"".join(map(base64.b64decode, texts)), "<f8").reshape(-1, count)
    except ValueError:  # somebody typed into it: none of it is to be relied on
        return np.full((len(table), count), np.nan)


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
