"""Surfaces whose heights are known exactly, everywhere: what draped curves are compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Plane:
    """z = base + east x + north y."""

    base: float = 100.0
    east: float = 0.03
    north: float = -0.05
    resolution: float = 10.0

    def heights(self, x, y):
        return self.base + self.east * np.asarray(x) + self.north * np.asarray(y)


@dataclass(frozen=True)
class Saddle:
    """z = base + x y / scale: straight along both axes, and along rows and columns of a raster."""

    base: float = 100.0
    scale: float = 20e3
    resolution: float = 10.0

    def heights(self, x, y):
        return self.base + np.asarray(x) * np.asarray(y) / self.scale


@dataclass(frozen=True)
class Paraboloid:
    """z = top - (x^2 + y^2) / (2 radius): a hill."""

    top: float = 300.0
    radius: float = 5e3
    resolution: float = 10.0

    def heights(self, x, y):
        return self.top - (np.asarray(x) ** 2 + np.asarray(y) ** 2) / (2 * self.radius)


@dataclass(frozen=True)
class Part:
    """Another surface in a box west, south, east, north; unknown outside."""

    whole: Plane | Saddle | Paraboloid
    box: tuple[float, float, float, float]

    @property
    def resolution(self):
        return self.whole.resolution

    def heights(self, x, y):
        west, south, east, north = self.box
        inside = (x >= west) & (x <= east) & (y >= south) & (y <= north)
        return np.where(inside, self.whole.heights(x, y), np.nan)
