"""What a surface of heights is, and what can be known of any of them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..model import Floats


class Surface(Protocol):
    """Heights over the plane of a scene."""

    @property
    def resolution(self) -> float:
        """Distance [m] of the scene over which the surface says something new: the size of its cells."""
        ...

    def heights(self, x: Floats, y: Floats) -> Floats:
        """Give the height at each place.

        Parameters
        ----------
        x, y : ndarray of float64, shape (N,)
            Places in metres of the scene.

        Returns
        -------
        ndarray of float64, shape (N,)
            z in metres of the scene; NaN = unknown.
        """
        ...


def normals(surface: Surface, x: Floats, y: Floats, width: float = 0.0) -> Floats:
    """Give the upward unit normal of a surface, by central differences over one cell, or more.

    Parameters
    ----------
    surface : Surface
        Heights.
    x, y : ndarray of float64, shape (N,)
        Places in metres of the scene.
    width : float
        Least distance [m] over which heights are compared; what is narrower does not matter.

    Returns
    -------
    ndarray of float64, shape (N, 3)
        NaN where one of the four heights around is unknown.
    """
    step = max(surface.resolution, width) / 2
    around = np.array([[step, 0.0], [-step, 0.0], [0.0, step], [0.0, -step]])
    places = np.stack([x, y], axis=-1)[None] + around[:, None]
    east, west, north, south = surface.heights(*places.reshape(-1, 2).T).reshape(4, -1)
    rise = np.stack([west - east, south - north, np.full(len(east), 2 * step)], axis=1)
    unit: Floats = rise / np.linalg.norm(rise, axis=1, keepdims=True)
    return unit
