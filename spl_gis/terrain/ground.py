"""The ground of a scene: rasters, wherever they are on Earth, as heights over the scene's plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Floats
from .cells import Raster, cell_places, interpolated
from .mosaic import Mosaic, mosaics

Move = Callable[[Floats, "CRS | None", "CRS | None"], Floats]
"""Moves coordinates (N, 3) from one CRS to another, as `spl_gis.frames.transform` does."""

ROUNDS = 4
"""In a topocentric frame the place under a point depends on its height: so often it is looked for again."""


@dataclass(frozen=True)
class Ground:
    """Rasters as a `Surface`; where several know a height, the first counts.

    Attributes
    ----------
    rasters : sequence of Raster
        Rasters and tiles in any CRS; tiles of one grid are read without a seam.
    frame : pyproj.CRS or None
        The scene's frame.
    cubic : bool
        Smooth instead of bilinear between the cells.
    move : callable
        Moves coordinates between CRSs.
    """

    rasters: Sequence[Raster]
    frame: CRS | None
    cubic: bool = False
    move: Move = frames.transform
    parts: tuple[Mosaic, ...] = field(init=False, repr=False)
    resolution: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(mosaics(self.rasters)))
        object.__setattr__(self, "resolution", min(self.cell(part) for part in self.parts))

    def heights(self, x: Floats, y: Floats) -> Floats:
        """Give z [m] at places of the scene, NaN = unknown; see `Surface`."""
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        z = np.full(len(x), np.nan)
        for part in self.parts:
            left = np.flatnonzero(np.isnan(z))
            if len(left):
                z[left] = self._of(part, x[left], y[left])
        return z

    def _of(self, part: Mosaic, x: Floats, y: Floats) -> Floats:
        """Give the heights that one grid knows."""
        z = np.zeros(len(x))
        for _ in range(ROUNDS if frames.is_topocentric(self.frame) else 1):
            there = self.move(np.column_stack([x, y, np.nan_to_num(z)]), self.frame, part.crs)
            there[:, 0] = _turned(there[:, 0], part)
            places = cell_places(part.affine, there[:, 0], there[:, 1])
            there[:, 2] = interpolated(part, *places, cubic=self.cubic) * part.unit
            z = self._scene_heights(there, part.crs)
        return z

    def _scene_heights(self, there: Floats, crs: CRS | None) -> Floats:
        known = np.flatnonzero(~np.isnan(there[:, 2]))
        z = np.full(len(there), np.nan)
        z[known] = self.move(there[known], crs, self.frame)[:, 2]
        return z

    def cell(self, part: Mosaic) -> float:
        """Give the size of a cell [m of the scene], at the scene's origin, or else amid the raster."""
        affine = part.affine
        here = self.move(np.zeros((1, 3)), self.frame, part.crs)[0, :2]
        for place in (here, _middle(part)):
            steps = place + np.array([[0.0, 0.0], [affine.a, affine.d], [affine.b, affine.e]])
            x, y, _ = self.move(np.column_stack([steps, np.zeros(3)]), part.crs, self.frame).T
            sizes = np.hypot(x[1:] - x[0], y[1:] - y[0])
            if np.isfinite(sizes).all():
                return float(sizes.min())
        return float("inf")


def _turned(x: Floats, part: Mosaic) -> Floats:
    """Give longitudes as the raster counts them: no further than half the Earth from its middle."""
    if part.crs is None or not part.crs.is_geographic:
        return x
    turn = 2 * np.pi / part.crs.axis_info[0].unit_conversion_factor
    return np.asarray(x - turn * np.round((x - _middle(part)[0]) / turn))


def _middle(part: Mosaic) -> Floats:
    """Give x and y amid a raster."""
    (rows, columns), affine = part.shape, part.affine
    return np.array(
        [
            affine.a * columns / 2 + affine.b * rows / 2 + affine.c,
            affine.d * columns / 2 + affine.e * rows / 2 + affine.f,
        ]
    )
