"""How far roads should lean: by curvature and speed, by a column, or by the ground."""

from __future__ import annotations

import numpy as np

from .. import topology
from ..model import Bools, Floats, SplineGraph, control_points
from ..report import Report
from .along import SHORTEST, Along, curvature, limited
from .angles import lean
from .columns import read_rolls
from .options import BANK, TERRAIN, UpOptions
from .speeds import ORDINARY, design_speeds

GRAVITY = 9.80665
"""Standard gravity [m/s2]."""
LEAST = 0.005
"""A superelevation below this, half a percent, is none: straight roads are level although curves waver."""
WINDOW = 1.5
"""Curvature is the mean over so many runoffs. Over less, roads roll as their curves waver within the usual
tolerance; over more, short curves lose their superelevation."""
SECONDS = 2.0
"""The runoff is what is driven in this time, as the least one of older editions of AASHTO's "A Policy on
Geometric Design of Highways and Streets"."""


def wanted_roll(
    graph: SplineGraph, places: Along, options: UpOptions, ground: Floats | None, report: Report
) -> Floats:
    """Give the wanted roll at each place, in radians, positive to the right of the segment's direction.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    places : Along
        Places on it.
    options : UpOptions
        What is wanted, other than vertical.
    ground : ndarray, shape (P, 3), optional
        The ground's normal at each place in the order of the segments, for `terrain`.
    report : Report
        Told where speeds come from.

    Returns
    -------
    ndarray, shape (P,)
        In the order of the segments.

    Raises
    ------
    OptionError
        When a column is missing, or holds something else than numbers.
    """
    segment = places.segment[places.driven]
    speed = np.zeros(len(graph))
    if options.source == BANK or options.runoff is None:
        speed = _speeds(graph, options, report)
    speed = speed[segment]
    runoff = speed * SECONDS if options.runoff is None else np.full(len(speed), options.runoff)
    runoff = np.maximum(runoff, SHORTEST)
    if options.source == TERRAIN and ground is not None:
        return _on_ground(graph, places, ground, 1 / runoff)
    if options.source == BANK:
        roll = _banked(graph, places, speed, runoff, options.max_superelevation / 100)
        most = np.full(len(roll), np.arctan(options.max_superelevation / 100))
    else:
        roll = places.sign * read_rolls(graph, options)[segment]
        most = np.maximum.reduceat(np.abs(roll), places.begin[:-1])[places.road]
    roll[places.at_ends(places.stop)] = 0.0
    right, left = (limited(places, np.maximum(side * roll, 0.0), most / runoff) for side in (1, -1))
    return places.in_order(places.sign * (right - left)) + 0.0


def _speeds(graph: SplineGraph, options: UpOptions, report: Report) -> Floats:
    """Give the design speed on each segment in m/s."""
    speeds = design_speeds(graph.features, options.design_speed, report)
    usual = options.design_speed if isinstance(options.design_speed, (int, float)) else ORDINARY
    return np.asarray(np.append(speeds, usual)[np.append(graph.line_feature, -1)[graph.line]] / 3.6)


def _banked(graph: SplineGraph, places: Along, speed: Floats, runoff: Floats, most: float) -> Floats:
    """Give the roll in which gravity alone keeps a vehicle in its curve, up to a greatest slope."""
    turn = curvature(places, control_points(graph), np.where(runoff > SHORTEST, WINDOW * runoff, 0.0))
    slope = np.clip(speed**2 * turn / GRAVITY, -most, most)
    roll: Floats = -np.arctan(np.where(np.abs(slope) < LEAST, 0.0, slope))
    return roll


def _on_ground(graph: SplineGraph, places: Along, ground: Floats, rate: Floats) -> Floats:
    """Give the roll of the ground; bridges and tunnels are level, and the ground's roll fades before them."""
    raised = structures(graph)
    share = np.where(raised[places.segment[places.driven]], 0.0, 1.0)
    share[places.at_ends(np.isin(graph.ends, graph.ends[raised]))] = 0.0
    roll = np.nan_to_num(lean(ground, places.way))
    return np.asarray(places.in_order(limited(places, share, rate)) * roll)


def structures(graph: SplineGraph) -> Bools:
    """Tell which segments are bridges or tunnels, shape (M,)."""
    feature = np.append(graph.line_feature, -1)[graph.line]
    raised = topology.line_levels(graph.features, np.arange(len(graph.features)), None).structure
    return np.asarray(np.append(raised, False)[feature])
