"""Ground that is level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Floats

ROUNDS = 4
"""In a topocentric frame the place under a point depends on its height: so often it is looked for again."""


@dataclass(frozen=True)
class Flat:
    """One height everywhere, as a `Surface`.

    Attributes
    ----------
    height : float
        As heights are in `crs`.
    crs, frame : pyproj.CRS or None
        That of the lines, and that of the scene.
    """

    height: float
    crs: CRS | None
    frame: CRS | None
    resolution: float = np.inf

    def heights(self, x: Floats, y: Floats) -> Floats:
        """Give z [m] at places of the scene; see `Surface`."""
        here = np.column_stack([x, y, np.zeros(len(x))])
        for _ in range(ROUNDS if frames.is_topocentric(self.frame) else 1):
            there = frames.transform(here, self.frame, self.crs)
            there[:, 2] = self.height
            here[:, 2] = frames.transform(there, self.crs, self.frame)[:, 2]
        return here[:, 2]
