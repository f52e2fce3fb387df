"""Rasters of heights: where their cells are, and the height between them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Callable, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from ..model import Bools, Floats, Ints

BLOCK = 512
"""Cells are read in blocks of so many rows and columns."""

RIM = 1e-6
"""Places so many cells outside the outermost centres count as on them: what rounding does to coordinates."""


class Window(NamedTuple):
    """A box of cells; `bottom` and `right` are the first row and column below and right of it."""

    top: int
    left: int
    bottom: int
    right: int


Reader = Callable[[Window], Floats]
"""Gives the heights of a window inside a raster, shape (rows, columns); NaN = unknown."""


class Affine(NamedTuple):
    """Where cells are: ``x = a column + b row + c`` and ``y = d column + e row + f``, for cells' corners.

    The first cell's outer corner is at column 0, row 0, and its centre at 0.5, 0.5: GDAL gives every
    raster in this way, whatever its file says of "pixel is point".
    """

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float


class Raster(Protocol):
    """Heights in cells."""

    @property
    def name(self) -> str:
        """What to call it in sentences."""

    @property
    def affine(self) -> Affine:
        """Where the cells are, in `crs`."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    @property
    def crs(self) -> CRS | None:
        """That of the cells; None = the scene's own coordinates."""

    @property
    def unit(self) -> float:
        """Metres of one unit of heights; where `crs` says what heights are, that counts and this is 1."""

    def opened(self) -> AbstractContextManager[Reader]:
        """Open it for reading."""
        ...


def cell_places(affine: Affine, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Give rows and columns of places, counted from the centre of the first cell; exact for turned rasters.

    Parameters
    ----------
    affine : Affine
        Where cells are.
    x, y : ndarray, shape (N,)
        Places in the raster's CRS.
    """
    east, north = x - affine.c, y - affine.f
    size = affine.a * affine.e - affine.b * affine.d
    row = (north * affine.a - east * affine.d) / size - 0.5
    column = (east * affine.e - north * affine.b) / size - 0.5
    return row, column


def interpolated(raster: Raster, row: Floats, column: Floats, *, cubic: bool = False) -> Floats:
    """Give the height at places between the centres of cells, reading only the cells around them.

    Nothing is extrapolated: beyond the centres of the outermost cells the height is unknown, and so it is
    where one of the four cells around is.

    Parameters
    ----------
    raster : Raster
        Heights.
    row, column : ndarray, shape (N,)
        Places, as `cell_places` gives them; NaN is nowhere.
    cubic : bool
        By cubic convolution (Keys 1981, a = -1/2) of 16 cells, which gives back planes and paraboloids
        exactly; where one of the 16 is unknown, and without this, bilinear between four.
    """
    heights = np.full(len(row), np.nan)
    found = np.flatnonzero(_inside(row, raster.shape[0]) & _inside(column, raster.shape[1]))
    if len(found) == 0:
        return heights
    top, down = _split(row[found], raster.shape[0])
    left, right = _split(column[found], raster.shape[1])
    order, starts = _blocks(top, left, raster.shape[1])
    with raster.opened() as read:
        for part in np.split(order, starts[1:]):
            window = _around(top[part], left[part], 1 if cubic else 0)
            cells = _padded(read, window, raster.shape)
            at = top[part] - window.top, left[part] - window.left
            z = _convolved(cells, *at, _linear(down[part]), _linear(right[part]))
            if cubic:
                smooth = _convolved(cells, *at, _cubic(down[part]), _cubic(right[part]))
                z = np.where(np.isnan(smooth), z, smooth)
            heights[found[part]] = z
    return heights


def _inside(place: Floats, size: int) -> Bools:
    """Tell which places along an axis of `size` cells lie between the centres of the outermost."""
    middle = (size - 1) / 2
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(place - middle) <= middle + RIM)


def _around(top: Ints, left: Ints, margin: int) -> Window:
    """Give the window of the cells around places, by the cells before them."""
    first, last = -margin, 2 + margin
    return Window(
        int(top.min()) + first, int(left.min()) + first, int(top.max()) + last, int(left.max()) + last
    )


def _split(place: Floats, size: int) -> tuple[Ints, Floats]:
    """Give the cell before each place along an axis of `size` cells, and the share of the way to the next."""
    place = np.clip(place, 0, size - 1)
    before = np.clip(np.floor(place), 0, max(size - 2, 0)).astype(np.int64)
    return before, place - before


def _blocks(top: Ints, left: Ints, columns: int) -> tuple[Ints, Ints]:
    """Give an order of places in which those of one block follow each other, and where each block begins."""
    block = top // BLOCK * (columns // BLOCK + 1) + left // BLOCK
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.diff(block[order], prepend=-1))
    return order, starts


def _padded(read: Reader, window: Window, shape: tuple[int, int]) -> Floats:
    """Read a window that may reach over the edge of the raster; there is nothing known there."""
    cells = np.full((window.bottom - window.top, window.right - window.left), np.nan)
    inside = Window(
        max(window.top, 0), max(window.left, 0), min(window.bottom, shape[0]), min(window.right, shape[1])
    )
    rows = slice(inside.top - window.top, inside.bottom - window.top)
    columns = slice(inside.left - window.left, inside.right - window.left)
    cells[rows, columns] = read(inside)
    return cells


Weights = dict[int, NDArray[np.float64]]
"""Weights (N,) of cells along one axis, by their distance from the cell before the place."""


def _linear(share: Floats) -> Weights:
    return {0: 1 - share, 1: share}


def _cubic(t: Floats) -> Weights:
    return {
        -1: ((-0.5 * t + 1.0) * t - 0.5) * t,
        0: (1.5 * t - 2.5) * t * t + 1.0,
        1: ((-1.5 * t + 2.0) * t + 0.5) * t,
        2: (0.5 * t - 0.5) * t * t,
    }


def _convolved(cells: Floats, row: Ints, column: Ints, down: Weights, right: Weights) -> Floats:
    """Give the weighted mean of the cells around places; cells without weight need not be known.

    Weights do not quite add up to 1, so differences are weighted: what is level stays level to the bit.
    """
    level = np.nan_to_num(cells[row, column])
    z = np.zeros(len(row))
    for i, vertical in down.items():
        for j, horizontal in right.items():
            weight = vertical * horizontal
            used = np.flatnonzero(weight)
            z[used] += weight[used] * (cells[row[used] + i, column[used] + j] - level[used])
    return level + z
