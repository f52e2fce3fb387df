"""Several tiles of one grid as one raster, so that there is no seam between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Floats
from .cells import Affine, Raster, Reader, Window

OPEN = 64
"""So many tiles are open at once."""

ALIGNED = 1e-3
"""Cells of tiles of one grid lie over each other within this part of a cell."""


@dataclass(frozen=True)
class Mosaic:
    """Tiles of one grid; where they overlap, the first that knows a height counts.

    Attributes
    ----------
    tiles : tuple of Raster
        All in one CRS and unit.
    places : tuple of tuple of int
        Row and column of each tile's first cell.
    affine, shape
        As of `Raster`.
    """

    tiles: tuple[Raster, ...]
    places: tuple[tuple[int, int], ...]
    affine: Affine
    shape: tuple[int, int]

    @property
    def name(self) -> str:
        """What to call it in sentences."""
        more = f" and {len(self.tiles) - 1} more" if len(self.tiles) > 1 else ""
        return f"{self.tiles[0].name}{more}"

    @property
    def crs(self) -> CRS | None:
        """That of all tiles."""
        return self.tiles[0].crs

    @property
    def unit(self) -> float:
        """That of all tiles."""
        return self.tiles[0].unit

    @contextmanager
    def opened(self) -> Iterator[Reader]:
        """Open tiles as they are needed."""
        with ExitStack() as stack:
            readers: dict[int, Reader] = {}

            def reader(number: int) -> Reader:
                if number not in readers:
                    if len(readers) == OPEN:
                        stack.close()
                        readers.clear()
                    readers[number] = stack.enter_context(self.tiles[number].opened())
                return readers[number]

            def read(window: Window) -> Floats:
                cells = np.full((window.bottom - window.top, window.right - window.left), np.nan)
                for number, (tile, place) in enumerate(zip(self.tiles, self.places)):
                    shared = _shared(window, place, tile.shape)
                    if shared is None:
                        continue
                    part = cells[
                        shared.top - window.top : shared.bottom - window.top,
                        shared.left - window.left : shared.right - window.left,
                    ]
                    if np.isnan(part).any():
                        found = reader(number)(_moved(shared, place))
                        part[...] = np.where(np.isnan(part), found, part)
                return cells

            yield read


def _shared(window: Window, place: tuple[int, int], shape: tuple[int, int]) -> Window | None:
    top, left = max(window.top, place[0]), max(window.left, place[1])
    bottom, right = min(window.bottom, place[0] + shape[0]), min(window.right, place[1] + shape[1])
    return Window(top, left, bottom, right) if top < bottom and left < right else None


def _moved(window: Window, place: tuple[int, int]) -> Window:
    return Window(
        window.top - place[0], window.left - place[1], window.bottom - place[0], window.right - place[1]
    )


def mosaics(rasters: Sequence[Raster]) -> list[Mosaic]:
    """Put rasters of one grid together; the order stays that of the first of each."""
    groups: list[list[tuple[Raster, tuple[int, int]]]] = []
    for raster in rasters:
        for group in groups:
            place = _place_in(group[0][0], raster)
            if place is not None:
                group.append((raster, place))
                break
        else:
            groups.append([(raster, (0, 0))])
    return [_together(group) for group in groups]


def _place_in(grid: Raster, other: Raster) -> tuple[int, int] | None:
    """Give row and column of a raster's first cell in the grid of another, None = it has another grid."""
    first, second = grid.affine, other.affine
    turn = np.array([[first.a, first.b], [first.d, first.e]])
    change = np.linalg.solve(turn, np.array([[second.a, second.b], [second.d, second.e]])) - np.eye(2)
    if grid.unit != other.unit or not frames.same(grid.crs, other.crs):
        return None
    column, row = np.linalg.solve(turn, [second.c - first.c, second.f - first.f])
    place = round(row), round(column)
    drift = np.abs(change).max() * max(other.shape)
    if max(abs(row - place[0]), abs(column - place[1]), drift) > ALIGNED:
        return None
    return place


def _together(group: Sequence[tuple[Raster, tuple[int, int]]]) -> Mosaic:
    tiles = tuple(raster for raster, _ in group)
    places = np.array([place for _, place in group])
    ends = places + np.array([raster.shape for raster in tiles])
    top, left = places.min(axis=0).tolist()
    bottom, right = ends.max(axis=0).tolist()
    first = tiles[0].affine
    corner = first._replace(
        c=first.c + first.a * left + first.b * top, f=first.f + first.d * left + first.e * top
    )
    moved = tuple((row - top, column - left) for row, column in places.tolist())
    return Mosaic(tiles, moved, corner, (bottom - top, right - left))
