"""Roads, not pieces: lines that were cut for no reason that matters are fitted as one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .. import topology
from ..fitting.curves import Curves
from ..model import Floats, Ints, LineStrings, Spans, SplineGraph
from ..report import Report
from ..topology import Chains, Paths

NEAR = 1e-9
"""A place that is no further than this from a joint, in parameters, is the joint."""
LEAST = 1e-6
"""Least extent of a line on its curve, in parameters."""


def merge_lines(
    scene: LineStrings, place: Ints, chains: Chains, by: Sequence[str] | None, report: Report
) -> tuple[Paths, Chains]:
    """Join chains where two of them meet, and nothing else, and their features agree.

    Parameters
    ----------
    scene : LineStrings
        The lines.
    place : ndarray of int, shape (K,)
        Place of each vertex.
    chains : Chains
        Pieces of the lines between nodes.
    by : sequence of str, optional
        Columns in which the features must agree; None = all.
    report : Report
        Told how many joints there are.

    Returns
    -------
    paths : Paths
        Which chains each road is made of.
    roads : Chains
        The roads, each with the line of its first chain.

    Raises
    ------
    OptionError
        When there is no such column.
    """
    links = topology.link_pieces(scene, place, chains, by)
    report.count("line ends merged", len(links))
    if by is None and len(scene) > 1 and len(links) == 0:
        report.note("no lines were merged: no two that meet agree in all columns (--merge-by chooses some)")
    paths = topology.follow_links(place, chains, links)
    line = chains.line[paths.chain[paths.begin[:-1]]]
    return paths, Chains(paths.vertex, paths.offsets, line, paths.closed)


def with_spans(graph: SplineGraph, chains: Chains, paths: Paths, curves: Curves) -> SplineGraph:
    """Say where on a graph of roads each line runs.

    Parameters
    ----------
    graph : SplineGraph
        The graph of the curves.
    chains : Chains
        The pieces of lines.
    paths : Paths
        As `merge_lines` gives them.
    curves : Curves
        Those of the roads.
    """
    low, high = _extents(chains, paths, curves.places)
    order = np.argsort(paths.chain)
    first = np.floor(low).astype(np.int64)[order]
    last = np.ceil(high).astype(np.int64)[order] - 1
    segment, bounds = topology.ranges(first, last + 1)
    member = np.repeat(order, np.diff(bounds))
    back = paths.reverse[member]
    segment = np.where(back, np.repeat(first + last, np.diff(bounds)) - segment, segment)
    inside = np.stack([low[member] - segment, high[member] - segment], axis=1).clip(0.0, 1.0)
    owner, line = chains.line[paths.chain[member]], graph.line.copy()
    at_start = inside[:, 0] == 0
    line[segment[at_start]] = owner[at_start]
    inside[back] = inside[back, ::-1]
    return dataclasses.replace(graph, line=line, spans=Spans(owner, segment, inside))


def _extents(chains: Chains, paths: Paths, places: Floats) -> tuple[Floats, Floats]:
    """Give where the chains of all paths begin and end: segment + parameter, in the order of the paths."""
    near = np.rint(places)
    places = np.where(np.abs(places - near) <= NEAR, near, places)
    size, number = np.diff(paths.begin), np.arange(len(paths.chain))
    steps = np.diff(chains.offsets)[paths.chain] - 1
    ahead = np.cumsum(steps) - steps
    first = ahead + np.repeat(paths.offsets[:-1] - ahead[paths.begin[:-1]], size)
    stop = places[paths.offsets[1:] - 1]
    # A fit may put several vertices at one place; a line keeps a bit of the curve all the same.
    low = np.minimum(
        places[first], np.repeat(stop, size) - LEAST * (np.repeat(paths.begin[1:], size) - number)
    )
    pushed = np.maximum.accumulate(low - LEAST * number) + LEAST * number
    low = np.where(pushed - low > LEAST / 2, pushed, low)
    high = np.append(low[1:], 0.0)
    high[paths.begin[1:] - 1] = stop
    return low, high
