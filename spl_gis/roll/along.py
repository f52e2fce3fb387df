"""Places along the roads of a graph, and what is averaged and limited from one to the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import bezier, topology
from ..model import Bools, Floats, Ints, SplineGraph, control_points
from ..topology import Runs

STEP = 5.0
"""Greatest distance of neighbouring places in metres, about."""
LEAST = 4
"""Least number of steps on a segment."""
KINK = np.radians(10.0)
"""Where two segments meet at a greater angle, one road ends and another begins."""
SHORTEST = 1e-3
"""Lengths [m] below this are none."""
STEEPEST = 1e-6
"""Least part of a way that lies in plan: so a vertical road has sides, too."""


class Along(NamedTuple):
    """Places on all segments, at equal steps of their parameters and with both ends.

    Attributes
    ----------
    offsets : ndarray of int, shape (M + 1,)
        Segment ``i`` has the places ``offsets[i]`` up to ``offsets[i + 1]``.
    segment : ndarray of int, shape (P,)
        Segment of each place.
    t : ndarray, shape (P,)
        Parameter of each place.
    way : ndarray, shape (P, 3)
        Direction of the segment there; where two segments of a road meet, the mean of both.
    stop : ndarray of bool, shape (M, 2)
        Segment ends at which a road ends: at junctions and kinks.
    driven : ndarray of int, shape (P,)
        The places in the order in which one can drive them, one road after the other.
    sign : ndarray, shape (P,)
        In driving order: 1, or -1 where the segment is driven backwards.
    station : ndarray, shape (P,)
        In driving order: distance in plan [m] from the begin of the first road; roads follow each other.
    begin : ndarray of int, shape (R + 1,)
        Road ``r`` has the places ``driven[begin[r]:begin[r + 1]]``.
    ring : ndarray of bool, shape (R,)
        Roads that end where they begin, with no other road there.
    """

    offsets: Ints
    segment: Ints
    t: Floats
    way: Floats
    stop: Bools
    driven: Ints
    sign: Floats
    station: Floats
    begin: Ints
    ring: Bools

    @property
    def tips(self) -> Ints:
        """Place at each segment's start and end, shape (M, 2)."""
        return np.stack([self.offsets[:-1], self.offsets[1:] - 1], axis=1)

    def at_ends(self, marked: Bools) -> Bools:
        """Tell which places, in driving order, are at segment ends (M, 2) that are marked."""
        there = np.zeros(len(self.t), bool)
        there[self.tips] = marked
        return there[self.driven]

    @property
    def road(self) -> Ints:
        """Road of each place, in driving order."""
        return np.repeat(np.arange(len(self.ring)), np.diff(self.begin))

    def in_order(self, driven: Floats) -> Floats:
        """Give values in the order of the segments that are given in driving order."""
        values = np.empty_like(driven)
        values[self.driven] = driven
        return values


def along(graph: SplineGraph) -> Along:
    """Lay places on the segments of a graph, and find its roads: segments that lead on without a junction."""
    controls = control_points(graph)
    offsets, segment, t = _parameters(controls)
    way = ways(controls[segment], t)
    tips = np.stack([offsets[:-1], offsets[1:] - 1], axis=1)
    degree = topology.degrees(graph.ends, len(graph.points))[graph.ends]
    kinked = _kinked(graph, way[tips], degree)
    apart = graph.ends.copy()  # ends at a kink are points of their own
    apart[kinked] = len(graph.points) + np.arange(kinked.sum())
    runs = topology.graph_chains(apart)
    driven, sign, begin = _driving(runs, offsets)
    ring = _rings(apart, runs)
    _share_ways(way, segment, driven, sign, begin, ring)
    plan = bezier.evaluate(controls[segment, :, :2], t)[driven]
    step = np.linalg.norm(np.diff(plan, axis=0, prepend=plan[:1]), axis=1)
    step[begin[:-1]] = 0.0
    stop = (degree > 2) | kinked
    return Along(offsets, segment, t, way, stop, driven, sign, np.cumsum(step), begin, ring)


def ways(controls: Floats, t: Floats) -> Floats:
    """Give unit directions of curves (..., 4, 3), shape (..., 3); none without an extent in plan.

    Where the curve stands still, or goes straight up, the direction in plan is that of its chord.
    """
    way, chord = bezier.derivative(controls, t), controls[..., 3, :] - controls[..., 0, :]
    way = np.where((way == 0).all(axis=-1, keepdims=True), chord, way)
    size = np.linalg.norm(way, axis=-1)
    steep = np.hypot(way[..., 0], way[..., 1]) <= STEEPEST * size
    across = np.hypot(chord[..., 0], chord[..., 1])
    heading = np.arctan2(chord[..., 1], chord[..., 0]) * (across > 0)
    least = np.where(size > 0, STEEPEST * size, 1.0)
    way[..., 0] = np.where(steep, least * np.cos(heading), way[..., 0])
    way[..., 1] = np.where(steep, least * np.sin(heading), way[..., 1])
    way = way / np.abs(way).max(axis=-1, keepdims=True)  # squares of the least numbers are 0
    unit: Floats = way / np.linalg.norm(way, axis=-1, keepdims=True)
    return unit


def _parameters(controls: Floats) -> tuple[Ints, Ints, Floats]:
    """Give where each segment's places begin, the segment of each place, and its parameter."""
    legs = np.linalg.norm(np.diff(controls[..., :2], axis=1), axis=2).sum(axis=1)
    steps = np.maximum(np.ceil(legs / STEP), LEAST).astype(np.int64)
    offsets = np.append(0, np.cumsum(steps + 1))
    segment = np.repeat(np.arange(len(steps)), steps + 1)
    return offsets, segment, (np.arange(offsets[-1]) - offsets[segment]) / steps[segment]


def _kinked(graph: SplineGraph, way: Floats, degree: Ints) -> Bools:
    """Tell which ends, shape (M, 2), meet one other end at more than `KINK`."""
    leaving = way * [[[1.0], [-1.0]]]
    total = np.stack([np.bincount(graph.ends.ravel(), leaving[..., i].ravel()) for i in range(3)], axis=1)
    # the sum of two unit vectors is twice the sine of half the angle between one and the other reversed
    return np.asarray((degree == 2) & (np.linalg.norm(total, axis=1) > 2 * np.sin(KINK / 2))[graph.ends])


def _driving(runs: Runs, offsets: Ints) -> tuple[Ints, Floats, Ints]:
    """Give the places in driving order, the sign of each, and where roads begin among them."""
    first, stop = offsets[runs.segment], offsets[runs.segment + 1]
    rows, bounds = topology.ranges(first, stop)
    back = np.repeat(runs.reverse, np.diff(bounds))
    driven = np.where(back, np.repeat(first + stop - 1, np.diff(bounds)) - rows, rows)
    return driven, np.where(back, -1.0, 1.0), bounds[runs.offsets]


def _rings(ends: Ints, runs: Runs) -> Bools:
    first, last = runs.offsets[:-1], runs.offsets[1:] - 1
    start = ends[runs.segment[first], runs.reverse[first].astype(np.int64)]
    stop = ends[runs.segment[last], 1 - runs.reverse[last]]
    return np.asarray((start == stop) & (np.bincount(ends.ravel(), minlength=1)[start] == 2))


def _share_ways(way: Floats, segment: Ints, driven: Ints, sign: Floats, begin: Ints, ring: Bools) -> None:
    """Give both places where two segments of a road meet one direction."""
    joint = np.ones(len(driven), bool)
    joint[1:] = segment[driven[1:]] != segment[driven[:-1]]
    joint[begin[:-1]] = False
    after = np.concatenate([np.flatnonzero(joint), begin[:-1][ring]])
    before = np.concatenate([np.flatnonzero(joint) - 1, begin[1:][ring] - 1])
    mean = sum(sign[rows, None] * way[driven[rows]] for rows in (before, after))
    mean = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    for rows in (before, after):
        way[driven[rows]] = sign[rows, None] * mean


def curvature(places: Along, controls: Floats, width: Floats) -> Floats:
    """Give the mean curvature in plan of the road around each place, in 1/m; a left turn is positive.

    It is how far the curves' direction turns over a length of the road, divided by that length: so it matters
    little what fitted curves do within their tolerance. Over no length it is the curvature in the place.

    Parameters
    ----------
    places : Along
        Places.
    controls : ndarray, shape (M, 4, 3)
        Control points of the segments.
    width : ndarray, shape (P,)
        Length about each place [m], in driving order. It is cut where the road ends.

    Returns
    -------
    ndarray, shape (P,)
        In driving order and direction.
    """
    forward = places.sign[:, None] * places.way[places.driven]
    heading = np.arctan2(forward[:, 1], forward[:, 0])
    turn = (np.diff(heading, prepend=heading[:1]) + np.pi) % (2 * np.pi) - np.pi
    turn[places.begin[:-1]] = 0.0
    turned = np.cumsum(turn)
    at, first, last = _apart(places)
    sides = [_turned_at(at + side * width / 2, at, turned, first, last, places) for side in (-1, 1)]
    length = sides[1][0] - sides[0][0]
    own = controls[places.segment[places.driven], :, :2]
    t = places.t[places.driven]
    one, two = bezier.derivative(own, t), bezier.derivative(own, t, 2)
    cube = np.linalg.norm(one, axis=1) ** 3
    across = places.sign * (one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0])
    bent = np.divide(across, cube, out=np.zeros_like(cube), where=cube > 0)
    mean: Floats = np.divide(sides[1][1] - sides[0][1], length, out=bent, where=length > SHORTEST)
    return mean


def _apart(places: Along) -> tuple[Floats, Floats, Floats]:
    """Give stations with a metre between roads, and those of the begin and end of each place's road."""
    at = places.station + places.road
    return at, at[places.begin[:-1]][places.road], at[places.begin[1:] - 1][places.road]


def _turned_at(
    where: Floats, at: Floats, turned: Floats, first: Floats, last: Floats, places: Along
) -> tuple[Floats, Floats]:
    """Give stations on their roads, and how far the road has turned there; a ring goes round and round."""
    ring = places.ring[places.road]
    size = np.maximum(last - first, SHORTEST)
    rounds = np.where(ring, np.floor((where - first) / size), 0.0)
    whole = (turned[places.begin[1:] - 1] - turned[places.begin[:-1]])[places.road]
    inside = np.clip(where - rounds * size, first, last)
    return inside + rounds * size, np.interp(inside, at, turned) + rounds * whole


def limited(places: Along, values: Floats, rate: Floats) -> Floats:
    """Lower values of 0 or more until they change along each road no faster than a rate.

    They are the greatest ones that do, and nowhere above the given ones: ``min over all places q of
    values[q] + the integral of the rate from here to q``.

    Parameters
    ----------
    places : Along
        Places.
    values : ndarray, shape (P,)
        In driving order; what is 0 stays 0.
    rate : ndarray, shape (P,)
        Greatest change in a metre, in driving order.
    """
    step = np.diff(places.station, prepend=places.station[:1])
    climb = np.cumsum(step * (rate + np.append(rate[:1], rate[:-1])) / 2)
    climb += places.road * (values.max(initial=0.0) + 1.0)  # so high that no road reaches over to the next
    first, last = places.begin[:-1][places.ring], places.begin[1:][places.ring] - 1
    for _ in range(2 if len(first) else 1):  # first to the seam of a ring, then on from there
        values = np.minimum.accumulate(values - climb) + climb
        values = np.minimum.accumulate((values + climb)[::-1])[::-1] - climb
        values[first] = values[last] = np.minimum(values[first], values[last])
    return values
