"""Polylines in, control points out: one file a method, and the table of methods."""

from __future__ import annotations

from typing import Callable

import numpy as np

from ..errors import FitError
from ..model import Bools, Floats, Ints
from . import best, fast, unigine, vertices
from .curves import Curves, FitOptions, batches, joined
from .measure import measured
from .noise import advice, noise

__all__ = ["KEEP_TOLERANCE", "METHODS", "Curves", "FitOptions", "advice", "fit", "noise"]

METHODS: dict[str, Callable[[Floats, Ints, Bools, FitOptions, Bools], Curves]] = {
    "best": best.fit,
    "fast": fast.fit,
    "vertices": vertices.fit,
    "unigine": unigine.fit,
}
"""Fit methods by the name a user gives; every module here that has a function `fit` has a line."""


KEEP_TOLERANCE = ("best", "fast")
"""Methods that prove each segment; the others have no tolerance, and are measured afterwards."""

BLOCK = 1 << 14
"""Vertices that go through one of the others at a time: what numpy's temporaries need stays in the cache."""


def fit(
    coords: Floats, offsets: Ints, closed: Bools, method: str, options: FitOptions, stops: Bools | None = None
) -> Curves:
    """Fit cubic Bezier segments to polylines.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices of all polylines in metres; finite, and each differs from the one before it in its polyline.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``, at least two.
    closed : ndarray of bool, shape (C,)
        Polylines whose last vertex equals their first and that go smoothly through it.
    method : str
        A key of `METHODS`.
    options : FitOptions
        Tolerances and the like; a method ignores what it has no use for.
    stops : ndarray of bool, shape (K,), optional
        Vertices inside polylines where a segment ends because others meet there; the curve goes smoothly
        through those that are no corners. At both ends of a closed polyline it says the same of its seam.
        Default: none.

    Returns
    -------
    Curves
        The segments of each piece of a polyline from stop to stop, in order, and how far they are from it.
        The first and last control point of a piece are bit-equal to its first and last vertex, and
        neighbouring segments share their joint bit for bit.

    Raises
    ------
    FitError
        When `method` is not in the table.
    """
    if method not in METHODS:
        raise FitError(f"there is no fit method {method!r}: choose one of {', '.join(METHODS)}")
    stops = np.zeros(len(coords), bool) if stops is None else stops
    if method in KEEP_TOLERANCE:
        return METHODS[method](coords, offsets, closed, options, stops)
    parts = []
    for rows, runs, some in batches(offsets, BLOCK):
        curves = METHODS[method](coords[rows], runs, closed[some], options, stops[rows])
        parts.append(measured(curves))
    return joined(parts)
