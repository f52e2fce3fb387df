"""Roads whose curvature is known exactly: straights, clothoids and arcs, sampled like GIS lines."""

from __future__ import annotations

import numpy as np

from spl_gis.model import Features, LineStrings


def road(stations, curvatures, step, slope=0.0):
    """Give vertices every `step` metres along a road whose curvature is linear between stations.

    Its direction is integrated in closed form, its place by the midpoint rule in steps of 5 mm.
    """
    fine = np.arange(0, stations[-1] + 0.0025, 0.005)
    curvature = np.interp(fine, stations, curvatures)
    heading = np.append(0.0, np.cumsum((curvature[1:] + curvature[:-1]) / 2 * np.diff(fine)))
    middle = (heading[1:] + heading[:-1]) / 2
    plan = [np.append(0.0, np.cumsum(turn(middle) * np.diff(fine))) for turn in (np.cos, np.sin)]
    at = np.arange(0, stations[-1] + 1e-6, step)
    return np.column_stack([np.interp(at, fine, axis) for axis in plan] + [slope * at])


def clothoid_arc_clothoid(radius, spiral, arc, straight, step, slope=0.0):
    """Give a left turn: straight, clothoid, arc, clothoid, straight; and the stations of their ends."""
    stations = np.cumsum([0.0, straight, spiral, arc, spiral, straight])
    return road(stations, np.array([0, 0, 1, 1, 0, 0]) / radius, step, slope), stations


def as_lines(*polylines, **columns):
    """Give lines, each a feature of its own."""
    sizes = [len(each) for each in polylines]
    rows = np.arange(len(polylines))
    return LineStrings(
        np.concatenate(polylines),
        np.cumsum([0, *sizes]),
        rows,
        np.full(len(rows), -1),
        Features(rows, columns),
    )
