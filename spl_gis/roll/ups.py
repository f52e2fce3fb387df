"""Up vectors of a graph: made of a wanted roll, and segments cut where the engine would miss it."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from .. import bezier
from ..cutting import cut
from ..errors import OptionError
from ..model import UP, Bools, Floats, Ints, SplineGraph, control_points
from ..report import Report
from ..terrain.surface import Surface, normals
from .along import Along, along, ways
from .angles import axes, lean
from .options import TERRAIN, VERTICAL, UpOptions
from .wanted import structures, wanted_roll

MISS = np.radians(0.75)
"""How far up vectors may be from the wanted roll in the places that are looked at: so they keep within a
degree everywhere."""
LEVEL = 1.5
"""A miss counts so much more where a road should be level, which is seen best."""
LOOKED_AT = np.arange(1, 16) / 16
"""Parameters at which that is looked at."""
SHORT = 1.0
"""No segment is cut nearer than this [m] to its ends."""
CUTS = 20
"""How often segments may be cut."""
_BATCH = 1 << 14
WIDTH = 10.0
"""The slope of the ground is that over the width of a road [m], or over a cell if that is larger."""


def with_ups(
    graph: SplineGraph,
    options: UpOptions,
    surface: Surface | None = None,
    report: Report | None = None,
) -> SplineGraph:
    """Give a graph up vectors.

    A road is what leads on through points of two segment ends in which it turns by no more than 10 degrees.
    Along it the roll changes within the runoff. Where roads end at junctions and kinks, up is vertical, or
    the normal of the ground; all segments that share a point share its up. A segment is cut in two where the
    engine's up (`bezier.up_between`) would be further than `MISS` from the wanted roll: its shape stays, the
    first part keeps the index, new points and second parts are appended.

    Parameters
    ----------
    graph : SplineGraph
        The graph, in the metres of its scene.
    options : UpOptions
        Where up vectors come from; `vertical` changes nothing.
    surface : Surface, optional
        The ground in the scene, for `terrain`.
    report : Report, optional
        Told where speeds come from, and how many segments were cut.

    Raises
    ------
    OptionError
        When `terrain` has no surface, a column is missing, or it holds something else than it should.
    """
    report = Report() if report is None else report
    if options.source == VERTICAL or len(graph) == 0:
        return graph
    if options.source == TERRAIN and surface is None:
        raise OptionError("up vectors of the terrain need a surface: pass --z with a DEM, or another --up")
    places = along(graph)
    if options.source == TERRAIN and surface is not None:
        ground, fixed = _on_ground(graph, places, surface, report)
    else:
        ground, fixed = None, np.broadcast_to(UP, graph.points.shape)
    roll = wanted_roll(graph, places, options, ground, report)
    at_stops, tips = fixed[graph.ends], places.tips
    roll[tips] = np.where(places.stop, lean(at_stops, places.way[tips]), roll[tips])
    ups = np.where(places.stop[..., None], at_stops, up_of(places.way[tips], roll[tips]))
    report.measures["greatest roll [degrees]"] = float(np.degrees(np.abs(roll).max(initial=0.0)))
    return _cut_where_missed(dataclasses.replace(graph, ups=ups), places.offsets, roll, report)


def up_of(way: Floats, roll: Floats) -> Floats:
    """Give unit up vectors (..., 3) with a roll (...) in radians about directions (..., 3).

    They are square to the way. Those without roll are vertical, whatever the grade: so the engine keeps what
    is level across level in curves, too.
    """
    right, upright = axes(way)
    up = np.cos(roll)[..., None] * upright + np.sin(roll)[..., None] * right
    return np.where((roll == 0)[..., None], UP, up)


def _on_ground(graph: SplineGraph, places: Along, surface: Surface, report: Report) -> tuple[Floats, Floats]:
    """Give the normals of the ground at all places and at all points; upright where it is not known.

    Points of bridges and tunnels are upright, too.
    """
    xy = bezier.evaluate(control_points(graph)[places.segment, :, :2], places.t)
    both = np.concatenate([xy, graph.points[:, :2]])
    found = normals(surface, both[:, 0], both[:, 1], WIDTH)
    unknown = np.asarray(np.isnan(found).any(axis=1))
    found[unknown] = UP
    if unknown.any():
        lost = len(np.unique(places.segment[unknown[: len(xy)]]))
        report.note(f"{lost} segments lie where the slope of the ground is not known: they are level there")
    found[len(xy) + graph.ends[structures(graph)]] = UP
    return found[: len(xy)], found[len(xy) :]


def _cut_where_missed(graph: SplineGraph, offsets: Ints, roll: Floats, report: Report) -> SplineGraph:
    """Cut segments until the engine's up is near the wanted roll."""
    whole = len(graph)
    pieces = _Pieces(np.arange(whole), np.zeros(whole), np.ones(whole))
    looked_at, missed, at = np.arange(whole), np.zeros(whole), np.full(whole, 0.5)
    for _ in range(CUTS):
        controls = control_points(graph)
        for some in np.array_split(looked_at, len(looked_at) // _BATCH + 1):
            part = pieces.take(some)
            missed[some], at[some] = _missed(controls[some], graph.ups[some], part, offsets, roll)
        which = missed > MISS
        if not which.any():
            break
        first = np.flatnonzero(which)
        second = len(graph) + np.arange(len(first))
        graph, pieces = cut(graph, which, at), pieces.cut(first, at[first])
        ups = graph.ups.copy()
        middle = _between(pieces.segment[first], pieces.stop[first], offsets, roll)
        way = ways(control_points(graph)[first], np.ones(len(first)))
        ups[first, 1] = ups[second, 0] = up_of(way, middle)
        graph = dataclasses.replace(graph, ups=ups)
        looked_at = np.concatenate([first, second])
        missed, at = (np.append(each, np.zeros(len(second))) for each in (missed, at))
    if len(graph) > whole:
        report.count("segments cut for their roll", len(graph) - whole)
    return graph


class _Pieces(NamedTuple):
    """Parts of the segments that there were: which one, from which parameter to which; shape (S,)."""

    segment: Ints
    start: Floats
    stop: Floats

    def take(self, rows: Ints) -> _Pieces:
        """Give some of them."""
        return _Pieces(self.segment[rows], self.start[rows], self.stop[rows])

    def cut(self, rows: Ints, at: Floats) -> _Pieces:
        """Give them with some cut, as `cutting.cut` does."""
        middle = self.start[rows] + (self.stop[rows] - self.start[rows]) * at
        stop = np.append(self.stop, self.stop[rows])
        stop[rows] = middle
        return _Pieces(np.append(self.segment, self.segment[rows]), np.append(self.start, middle), stop)


def _missed(
    controls: Floats, ups: Floats, pieces: _Pieces, offsets: Ints, roll: Floats
) -> tuple[Floats, Floats]:
    """Give how far, in radians, the engine's roll of segments is from the wanted one at most, and where.

    Places that are too near to the ends do not count.
    """
    start, stop = pieces.start[:, None], pieces.stop[:, None]
    wanted = _between(pieces.segment[:, None], start + (stop - start) * LOOKED_AT, offsets, roll)
    made = lean(bezier.up_between(ups[:, None], LOOKED_AT), ways(controls[:, None], LOOKED_AT))
    apart = np.abs((np.nan_to_num(made) - wanted + np.pi) % (2 * np.pi) - np.pi)
    apart = np.where(wanted == 0, LEVEL * apart, apart) * _inside(controls)
    worst = apart.argmax(axis=1)
    return apart[np.arange(len(worst)), worst], LOOKED_AT[worst]


def _inside(controls: Floats) -> Bools:
    """Tell which of the places that are looked at, shape (S, T), are not too near to the ends for a cut."""
    places = bezier.evaluate(controls[:, None], LOOKED_AT)
    near = [np.linalg.norm(places - controls[:, None, end], axis=-1) for end in (0, 3)]
    return np.asarray(np.minimum(*near) >= SHORT)


def _between(segment: Ints, t: Floats, offsets: Ints, roll: Floats) -> Floats:
    """Give the wanted roll at parameters of segments, straight between the places."""
    first, steps = offsets[segment], offsets[segment + 1] - offsets[segment] - 1
    before = np.minimum((t * steps).astype(np.int64), steps - 1)
    share = t * steps - before
    value: Floats = roll[first + before] * (1 - share) + roll[first + before + 1] * share
    return value
