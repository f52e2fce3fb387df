"""Fitted curves laid on the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier
from ..fitting.curves import Curves, FitOptions
from ..model import Bools, Floats, Ints, LineStrings
from ..profile import (
    Fitted,
    Limits,
    Roads,
    Stations,
    Steps,
    bridge_unknown,
    fit_heights,
    profile_of,
    road_heights,
    share_heights,
    take_stations,
)
from ..report import Report
from ..terrain import HeightOptions, Surface, fill_heights
from ..topology import Chains, Paths
from . import structures
from .merge import named, remark

SMOOTH = 25.0
"""Roads are smoothed over so many metres, unless said otherwise."""
FAST = {
    "motorway": 100.0,
    "motorway_link": 50.0,
    "trunk": 100.0,
    "trunk_link": 50.0,
    "primary": 50.0,
    "secondary": 50.0,
}
"""Roads of OpenStreetMap's classes that are smoothed over more."""
CLASS = "highway"
"""OpenStreetMap's column with the class of a road."""
CELLS = 2
"""They are smoothed over so many cells of the ground at least, unless said otherwise."""
STEP = 0.5
"""Distance between stations, in cells of the ground."""
COARSEST = 25.0
"""Stations are not further apart than this [m]."""


GRADES = {"median grade [%]": 0.5, "grade of 95 % of the length [%]": 0.95, "steepest grade [%]": 1.0}
"""What a report says of grades, from station to station: the share of the length that is no steeper."""
NEARLY = 1.001
"""What is too steep by less is not worth a warning."""


class Along(NamedTuple):
    """What curves are the curves of: lines, the place of each vertex, their chains, and paths along those."""

    scene: LineStrings
    place: Ints
    chains: Chains
    paths: Paths


class Draping(NamedTuple):
    """What it takes to lay curves on the ground.

    Attributes
    ----------
    surface : Surface
        The ground.
    draped : ndarray of bool, shape (L,)
        Lines whose heights come from it all along.
    heights : HeightOptions
        How.
    report : Report
        Told how far curves are from their profiles, and where the ground is unknown.
    kinds : Kinds, optional
        What bridges and tunnels there are.
    """

    surface: Surface
    draped: Bools
    heights: HeightOptions
    report: Report
    kinds: structures.Kinds | None = None


def drape(curves: Curves, of: Along, options: FitOptions, how: Draping) -> Curves:
    """Lay curves on the ground; in plan they stay the same.

    Parameters
    ----------
    curves : Curves
        Those of all chains, in the order and direction of the paths.
    of : Along
        What they are the curves of.
    options : FitOptions
        With the tolerance of heights.
    how : Draping
        The ground, and how curves lie on it.

    Returns
    -------
    Curves
        Cut into more segments where heights need them.
    """
    roads = Roads(of.paths.begin, of.paths.closed)
    stations = _stations(curves, of, options, how)
    tolerance, steepest = options.z_tolerance or options.tolerance, how.heights.max_grade
    ground = _ground(stations, curves.controls, of.scene, roads, how)
    z, apart = _heights(stations, ground, of.scene, roads, tolerance, how)
    steps = profile_of(stations, z, curves.controls, roads, steepest)
    limits = Limits(tolerance, steepest or np.inf, options.max_length or np.inf)
    fitted = fit_heights(stations, steps, curves.controls, limits)
    _tell(stations, steps, fitted, of.scene, how)
    if apart is not None:
        structures.tell(stations, fitted, of.scene, apart, how.report)
    places = np.interp(curves.places, fitted.bounds, np.arange(len(fitted.bounds)))
    return curves._replace(
        controls=fitted.controls, offsets=fitted.offsets, places=places, height_deviation=fitted.miss
    )


def _heights(
    stations: Stations, ground: Floats, scene: LineStrings, roads: Roads, tolerance: float, how: Draping
) -> tuple[Floats, structures.Cleared | None]:
    """Give the heights that roads are to have, and what room bridges and tunnels got."""
    smooth, steepest = _smoothing(stations, scene, roads, how), how.heights.max_grade
    if how.kinds is None:
        return road_heights(stations, ground, roads, smooth, steepest), None
    ground = structures.spanned(stations, ground, how.kinds)
    z = road_heights(stations, ground, roads, smooth, steepest)
    given, firm = (stations, z, roads, smooth, how.kinds), steepest is not None
    apart = structures.cleared(*given, tolerance=tolerance, firm=firm, report=how.report)
    return apart.z, apart


def _stations(curves: Curves, of: Along, options: FitOptions, how: Draping) -> Stations:
    """Put stations on the curves of all chains."""
    scene, place, chains, paths = of
    rows = chains.vertex[np.stack([chains.offsets[:-1], chains.offsets[1:] - 1], axis=1)]
    node = place[rows][paths.chain]
    node[paths.reverse] = node[paths.reverse, ::-1]
    line = np.searchsorted(scene.offsets, chains.vertex, side="right") - 1
    # a chain of several lines lies on the ground if all of them do
    draped = np.logical_and.reduceat(how.draped[line], chains.offsets[:-1])[paths.chain]
    coarsest = COARSEST if how.kinds is None else structures.STEP
    # no step is longer than a segment may be, as long as it is no steeper than 100 %
    step = min(STEP * how.surface.resolution, coarsest, (options.max_length or np.inf) / 2**0.5)
    return take_stations(curves.controls, curves.offsets, node, chains.line[paths.chain], step, draped)


def _ground(stations: Stations, controls: Floats, scene: LineStrings, roads: Roads, how: Draping) -> Floats:
    """Give the height of the ground below each station, or that of a curve that is not draped."""
    free = stations.draped[stations.chain]
    z = np.empty(len(stations))
    z[free] = how.surface.heights(*stations.xy[free].T) + how.heights.offset
    own = controls[stations.segment[~free], :, 2:]
    z[~free] = bezier.evaluate(own, stations.parameter[~free])[:, 0]
    unknown = np.isnan(z)
    if not unknown.any():
        return z
    z, lost = _from_neighbours(stations, bridge_unknown(stations, z, roads))
    _tell_unknown(stations, unknown, lost, scene, how.report)
    return share_heights(stations, z, roads)


def _from_neighbours(stations: Stations, z: Floats) -> tuple[Floats, Bools]:
    """Give roads that know no height those of roads that they meet, else that of the nearest.

    Also tell which chains are as high as the nearest.
    """
    chain, blank = stations.chain, np.isnan(z[stations.offsets[:-1]])
    if not blank.any():
        return z, blank
    used = blank[chain]
    used[stations.ends] = True
    offsets = np.append(0, np.cumsum(np.bincount(chain[used], minlength=len(blank))))
    coords, nearest = fill_heights(np.column_stack([stations.xy[used], z[used]]), offsets)
    z = z.copy()
    z[used] = coords[:, 2]
    return z, nearest


def _tell_unknown(
    stations: Stations, unknown: Bools, lost: Bools, scene: LineStrings, report: Report
) -> None:
    """Name the features below which the ground is unknown."""
    some = np.zeros(len(lost), bool)
    some[stations.chain[unknown]] = True
    features = np.unique(scene.feature[stations.line[some & ~lost]])
    reason = "the ground is unknown along a part of it: the heights there come from along the road"
    remark(report.repair, scene.features, features, reason)
    nowhere = np.unique(scene.feature[stations.line[lost]])
    if len(nowhere):
        report.warn(
            f"{len(nowhere):,} features lie where the ground is unknown, and so does all that they meet "
            f"({named(scene.features, nowhere)}): they are as high as the nearest road; pass a further --z "
            "that covers them"
        )


def _smoothing(stations: Stations, scene: LineStrings, roads: Roads, how: Draping) -> Floats:
    """Give the length [m] over which each road is smoothed: that of its fastest part."""
    if how.heights.smooth is not None:
        return np.full(len(roads.closed), how.heights.smooth)
    each = np.full(len(stations.line), SMOOTH)
    column = scene.features.columns.get(CLASS)
    if column is not None:
        names, row = np.unique(np.where(column.null, "", column.values.astype(str)), return_inverse=True)
        lengths = np.array([FAST.get(name, SMOOTH) for name in names.tolist()])
        each = lengths[row.reshape(-1)[scene.feature[stations.line]]]
    least = CELLS * how.surface.resolution
    longest: Floats = np.maximum.reduceat(each, roads.begin[:-1])
    return np.maximum(longest, least if np.isfinite(least) else 0.0)


def _tell(stations: Stations, steps: Steps, fitted: Fitted, scene: LineStrings, how: Draping) -> None:
    """Report how steep roads are, and which of them are too steep."""
    run = np.diff(stations.station, append=0.0)[steps.station]
    grade = np.divide(np.abs(steps.z[1] - steps.z[0]), run, out=np.zeros(len(run)), where=run > 0)
    order = np.argsort(grade)
    if len(order):
        share = np.cumsum(run[order]) / run.sum()
        for name, part in GRADES.items():
            at = min(int(np.searchsorted(share, part)), len(order) - 1)
            how.report.measures[name] = 100 * float(grade[order[at]])
    most = np.inf if how.heights.max_grade is None else how.heights.max_grade * NEARLY
    steep = np.flatnonzero(fitted.grade > most)
    if len(steep):
        features = np.unique(scene.feature[stations.line[stations.chain[steep]]])
        how.report.warn(
            f"{len(features):,} features are steeper than --max-grade allows "
            f"({named(scene.features, features)}): the heights at their ends must not change"
        )
