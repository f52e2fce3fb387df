"""Polylines in, control points out: one file a method, and the table of methods."""

from __future__ import annotations

from typing import Callable

import numpy as np

from ..errors import FitError
from ..model import Bools, Floats, Ints
from . import best, fast, unigine, vertices
from .allowance import allowance
from .certificate import certify
from .curves import Curves, FitOptions
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
    curves = METHODS[method](coords, offsets, closed, options, stops)
    if curves.vertex_deviation is not None or len(offsets) == 1:
        return curves
    return _measured(curves, coords, offsets, closed, options)


def _measured(curves: Curves, coords: Floats, offsets: Ints, closed: Bools, options: FitOptions) -> Curves:
    """Measure the curves of a method with one segment for each edge; it has no tolerance to keep."""
    verdict = certify(
        coords,
        offsets,
        curves.controls,
        offsets - np.arange(len(offsets)),
        allowance(coords, offsets, closed, options.bulge),
        np.inf,
        parameters=curves.places,
    )
    vertex, curve = (
        np.maximum.reduceat(deviation, curves.offsets[:-1])
        for deviation in (verdict.vertex_deviation, verdict.curve_deviation)
    )
    return curves._replace(vertex_deviation=vertex, curve_deviation=curve)
