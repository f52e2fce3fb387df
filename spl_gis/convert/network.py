"""Lines of a scene to chains between nodes, and what a report says about the network."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
from pyproj import CRS

from .. import frames, topology
from ..model import Bools, Floats, Ints, LineStrings, select_lines
from ..report import Crossing, Report
from ..topology import Chains, Joined, NetworkOptions
from .merge import remark

LISTED = 1000
"""So many crossings are listed in a report; all are counted."""


def make_network(
    scene: LineStrings, options: NetworkOptions, report: Report
) -> tuple[LineStrings, Ints, Chains]:
    """Weld lines and cut them where they meet.

    Parameters
    ----------
    scene : LineStrings
        In the scene's frame, with all heights.
    options : NetworkOptions
        What becomes one, and what is left out.
    report : Report
        Told what was refused, repaired and found.

    Returns
    -------
    scene : LineStrings
        The lines that stay, through welded vertices.
    place : ndarray of int, shape (K,)
        Place of each vertex.
    chains : Chains
        Pieces of the lines between nodes.
    """
    scene = _without_repeats(scene, report)
    if options.weld is None:
        place = np.arange(len(scene.coords))
        return scene, place, topology.split_at_nodes(place, scene.offsets)
    levels = topology.line_levels(scene.features, scene.feature, options.level)
    if levels.source:
        report.note(f"levels come from the columns: {levels.source}")
    if levels.unread:
        report.note(f"{levels.unread} features have a layer that is not a number: it counts as missing")
    joined = topology.join(scene.coords, scene.offsets, levels, options)
    _tell(scene, joined, options, report)
    points, place, offsets = joined.network
    scene = dataclasses.replace(scene, coords=points[place], offsets=offsets)
    if options.drop_duplicates:
        scene, place = _without_duplicates(scene, place, report)
    chains = topology.split_at_nodes(place, scene.offsets)
    chains = _without_dangles(scene, place, chains, options.min_dangle, report)
    chains = _without_small_parts(scene, place, chains, options.min_component, report)
    return _only_used(scene, place, chains)


def _without_repeats(scene: LineStrings, report: Report) -> LineStrings:
    """Leave out vertices that stand where the one before them stands, and lines without length."""
    moves = (scene.coords[1:] != scene.coords[:-1]).any(axis=1)
    place = np.concatenate([[0], np.cumsum(moves)])[: len(scene.coords)]  # equal only for neighbours that are
    vertex, offsets = topology.distinct(place, scene.offsets)
    short = np.diff(offsets) < 2
    reasons = "a line without length in the scene", "parts without length were left out"
    _leave_out(scene, scene.feature, short, reasons, report)
    repeated = np.unique(scene.feature[(np.diff(offsets) < np.diff(scene.offsets)) & ~short])
    remark(report.repair, scene.features, repeated, "repeated vertices were left out")
    if len(vertex) == len(place):
        return scene
    return select_lines(scene, ~short, np.isin(np.arange(len(place)), vertex))


def _leave_out(
    scene: LineStrings, feature: Ints, drop: Bools, reasons: tuple[str, str], report: Report
) -> None:
    """Report features of which all lines are left out as refused, and those that keep some as repaired."""
    gone, left = np.unique(feature[drop]), feature[~drop]
    remark(report.refuse, scene.features, np.setdiff1d(gone, left), reasons[0])
    remark(report.repair, scene.features, np.intersect1d(gone, left), reasons[1])


def _without_duplicates(scene: LineStrings, place: Ints, report: Report) -> tuple[LineStrings, Ints]:
    drop = topology.duplicates(place, scene.offsets)
    reasons = (
        "the same line as one before it (--drop-duplicates)",
        "parts that are the same as a line before them were left out (--drop-duplicates)",
    )
    _leave_out(scene, scene.feature, drop, reasons, report)
    return select_lines(scene, ~drop), place[np.repeat(~drop, np.diff(scene.offsets))]


def _without_dangles(scene: LineStrings, place: Ints, chains: Chains, least: float, report: Report) -> Chains:
    if least == 0:
        return chains
    drop = topology.short_dangles(*_measured(scene, place, chains), least)
    reasons = "a dead end that is too short (--min-dangle)", "short dead ends were cut off (--min-dangle)"
    _leave_out(scene, scene.feature[chains.line], drop, reasons, report)
    return _kept(chains, ~drop)


def _without_small_parts(
    scene: LineStrings, place: Ints, chains: Chains, least: float, report: Report
) -> Chains:
    if least == 0:
        return chains
    drop = topology.small_components(*_measured(scene, place, chains), least)
    reasons = (
        "part of a network that is too short (--min-component)",
        "parts of a network that is too short were left out (--min-component)",
    )
    _leave_out(scene, scene.feature[chains.line], drop, reasons, report)
    return _kept(chains, ~drop)


def _measured(scene: LineStrings, place: Ints, chains: Chains) -> tuple[Ints, Floats]:
    """Give the places at the ends of each chain, and its length [m]."""
    first, last = chains.vertex[chains.offsets[:-1]], chains.vertex[chains.offsets[1:] - 1]
    ends = np.column_stack([place[first], place[last]])
    return ends, topology.lengths(scene.coords, chains.vertex, chains.offsets)


def _kept(chains: Chains, keep: Bools) -> Chains:
    rows, offsets = topology.ranges(chains.offsets[:-1][keep], chains.offsets[1:][keep])
    return Chains(chains.vertex[rows], offsets, chains.line[keep], chains.closed[keep])


def _only_used(scene: LineStrings, place: Ints, chains: Chains) -> tuple[LineStrings, Ints, Chains]:
    """Leave out the lines of which no chain is left."""
    used = np.bincount(chains.line, minlength=len(scene)) > 0
    if used.all():
        return scene, place, chains
    vertices = np.repeat(used, np.diff(scene.offsets))
    moved = chains._replace(
        vertex=(np.cumsum(vertices) - 1)[chains.vertex], line=(np.cumsum(used) - 1)[chains.line]
    )
    return select_lines(scene, used), place[vertices], moved


def _tell(scene: LineStrings, joined: Joined, options: NetworkOptions, report: Report) -> None:
    """Report what was joined, and list the crossings that were not."""
    found, split = joined.crossings, options.crossings == "split"
    fid = np.sort(scene.features.fid[scene.feature[joined.crossing_lines]], axis=1)
    # Two edges that meet in a vertex touch another line in the same spot: that is one crossing.
    same = np.column_stack([fid, np.round(found.spots, 6)])
    once = np.unique(same, axis=0, return_index=True)[1]
    joins = found.reason[once] == topology.JOINED
    apart = once[~joins | (not split)]
    totals = {
        "vertices welded to near ones": joined.welded,
        "ends joined to the inside of a line": joined.snapped,
        "crossings split": len(once) - len(apart),
        "crossings left apart": len(apart),
    }
    for name, number in totals.items():
        if number:
            report.count(name, number)
    if len(apart) == 0:
        return
    reasons = [topology.REASONS[reason] for reason in found.reason[apart].tolist()]
    parts = [f"{number} x {reason}" for reason, number in sorted(Counter(reasons).items())]
    advice = "" if split or not joins.any() else " (--crossings split joins those of the same level)"
    report.note(f"lines cross without a shared vertex and stay apart: {', '.join(parts)}{advice}")
    listed = apart[:LISTED]
    _list(fid[listed], reasons, found.spots[listed], scene.crs, report)


def _list(fids: Ints, reasons: list[str], spots: Floats, crs: CRS | None, report: Report) -> None:
    """List crossings with their place, in the order given."""
    known = crs is not None and not crs.is_engineering
    lonlat = frames.transform(spots, crs, frames.WGS84)[:, :2].tolist() if known else [None] * len(spots)
    for pair, reason, (x, y, z), place in zip(fids.tolist(), reasons, spots.tolist(), lonlat):
        where = None if place is None else (place[0], place[1])
        report.crossings.append(Crossing((pair[0], pair[1]), reason, (x, y, z), where))
