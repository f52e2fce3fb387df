"""What is measured on each segment: length, curvature, grade, roll, and distance from the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .. import bezier, roll
from ..model import Floats, LineStrings, SplineGraph, control_points


class Measures(NamedTuple):
    """What is measured on each segment of a graph, arrays of shape (M,).

    Attributes
    ----------
    length : ndarray
        Arc length in space [m].
    radius : ndarray
        Least radius of curvature in plan [m], at 17 places; infinity where the segment is straight.
    grade : ndarray
        Steepest grade [%], without a sign, at 17 places; infinity where it is vertical.
    roll : ndarray
        Greatest lean of the up vector [degrees], at 17 places, positive to the right of the direction from
        start to end; NaN where it cannot be told.
    deviation : ndarray or None
        Greatest distance in plan [m] from 17 places on the segment to the nearest source line; None when no
        source lines are shown.
    """

    length: Floats
    radius: Floats
    grade: Floats
    roll: Floats
    deviation: Floats | None


def measure(graph: SplineGraph, sources: Sequence[LineStrings]) -> Measures:
    """Measure the segments of a graph; `sources` are lines in the frame of the graph."""
    controls = control_points(graph)
    with np.errstate(divide="ignore"):
        radius = 1 / bezier.curvature(controls[:, None, :, :2], roll.PLACES).max(axis=1, initial=0.0)
    grade = np.abs(roll.grades(controls)).max(axis=1, initial=0.0)
    lean = roll.greatest(roll.rolls(graph))
    return Measures(bezier.length(controls), radius, grade, lean, _deviation(controls, sources))


def _deviation(controls: Floats, sources: Sequence[LineStrings]) -> Floats | None:
    """Find the nearest edge of all source lines at each place, through a tree of the edges' boxes."""
    edges = [_edges(lines) for lines in sources if len(lines)]
    if not edges or not len(controls):
        return None
    import shapely

    tree = shapely.STRtree(shapely.linestrings(np.concatenate(edges)))
    places = bezier.evaluate(controls[:, None, :, :2], roll.PLACES).reshape(-1, 2)
    (place, _), distance = tree.query_nearest(shapely.points(places), return_distance=True, all_matches=False)
    nearest = np.zeros(len(places))
    nearest[place] = distance
    greatest: Floats = nearest.reshape(len(controls), -1).max(axis=1)
    return greatest


def _edges(lines: LineStrings) -> Floats:
    """Give the edges of lines in plan, shape (E, 2, 2)."""
    first = np.ones(len(lines.coords), bool)
    first[lines.offsets[1:] - 1] = False
    start = np.flatnonzero(first)
    return np.stack([lines.coords[start, :2], lines.coords[start + 1, :2]], axis=1)
