"""Straight edges of one CRS, seen in another."""

from __future__ import annotations

import numpy as np
from pyproj import CRS

from .. import frames
from ..flatten import Bent
from ..model import Floats, Ints
from .bounded import bounds
from .meridian import drawn

_DOUBTFUL = 1.0
"""An edge that strays further than this [m] is looked at: its ends may have no place in the other CRS."""


def bent(scene: CRS | None, target: CRS | None, enough: float) -> Bent:
    """Give what tells how far edges that are straight in another CRS are from straight in the scene.

    Their places are brought back to the scene and compared with those at the same fractions of the edges that
    are straight there; what is along the edge does not count. So the result is in metres, whatever the other
    CRS has. It is a bound, see `bounded.bounds`.

    Parameters
    ----------
    scene : pyproj.CRS or None
        The scene's frame, in metres.
    target : pyproj.CRS or None
        CRS in which edges are drawn.
    enough : float
        Uncertainty [m] that does not matter.
    """

    def stray(starts: Floats, ends: Floats) -> Floats:
        chord = ends - starts
        length = np.linalg.norm(chord, axis=1, keepdims=True)
        axis = (chord / np.where(length == 0, 1.0, length))[:, None]
        first, last = (frames.transform(places, scene, target) for places in (starts, ends))
        first, last = drawn(first, last, target)
        way = last - first

        def sample(rows: Ints, t: Floats) -> Floats:
            fraction = t[:, None]
            places = first[rows, None] + way[rows, None] * fraction
            back = frames.transform(places.reshape(-1, 3), target, scene).reshape(places.shape)
            miss = back - (starts[rows, None] + chord[rows, None] * fraction)
            across: Floats = miss - (miss * axis[rows]).sum(-1, keepdims=True) * axis[rows]
            return across

        bound = bounds(sample, len(starts), enough, degree=4)
        far = np.flatnonzero(bound > _DOUBTFUL)
        there = [frames.comes_back(a[far], b[far], scene, target) for a, b in ((starts, first), (ends, last))]
        bound[far[~(there[0] & there[1] & np.isfinite(bound[far]))]] = 0.0  # more vertices would not help
        return bound

    return stray
