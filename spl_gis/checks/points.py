"""Checks of points: unused ones, several in one place, kinks, and those far away."""

from __future__ import annotations

import numpy as np

from ..model import Bools, SplineGraph
from .codes import Finding, finding, findings
from .limits import Limits
from .measure import Measured, angle, pairs_of_halves


def unreferenced(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find points that no segment uses."""
    rows = np.flatnonzero(measured.degree == 0)
    paths = [f"$.points[{row}]" for row in rows]
    return findings(
        "unreferenced-point", paths, ["no segment uses this point"] * len(rows), graph.points[rows], 0 * rows
    )


def unwelded(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find groups of points in one place."""
    order = np.argsort(measured.group, kind="stable")
    first, size = np.unique(measured.group[order], return_index=True, return_counts=True)[1:]
    found = []
    for start, number in zip(first[size > 1].tolist(), size[size > 1].tolist()):
        rows = order[start : start + number]
        here = graph.points[rows]
        apart = float(np.linalg.norm(here - here[0], axis=1).max())
        others = ", ".join(str(row) for row in rows[1:6].tolist()) + (" ..." if number > 6 else "")
        message = f"{number} points in one place are not one point (with point {others}; {apart:.2g} m apart)"
        found.append(finding("unwelded", f"$.points[{rows[0]}]", message, here[0], apart))
    return found


def kinks(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find points where two segments meet at an angle."""
    pairs = pairs_of_halves(graph.ends, measured.degree)
    ways = measured.leaving.reshape(-1, 3)[pairs]
    bend = angle(ways[:, 0], -ways[:, 1])
    known: Bools = (ways != 0).any(axis=2).all(axis=1) & ~measured.void[pairs // 2].any(axis=1)
    some = known & (bend > limits.kink)
    pairs, bend = pairs[some], bend[some]
    point = graph.ends.ravel()[pairs[:, 0]]
    messages = [
        f"segments {a} and {b} meet at an angle of {degrees:.3g} degrees"
        for (a, b), degrees in zip((pairs // 2).tolist(), bend.tolist())
    ]
    return findings("kink", [f"$.points[{row}]" for row in point], messages, graph.points[point], bend)


def far(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Say how many points are far from the origin, and what float32 does to them; once each, at the worst."""
    if not len(graph.points):
        return []
    away = np.linalg.norm(graph.points, axis=1)
    with np.errstate(over="ignore"):
        moved = np.linalg.norm(graph.points - graph.points.astype(np.float32), axis=1)
    moved = np.where(np.isfinite(moved), moved, away)  # beyond what float32 can hold at all
    found = []
    for code, values, limit, unit, name, what in (
        ("far-from-origin", away, limits.far, 1000, "km", "from the origin, the farthest"),
        ("float32-loss", moved, limits.rounding, 1, "m", "from where float32 puts them, the worst"),
    ):
        worst = int(values.argmax())
        number = int((values > limit).sum())
        if number:
            message = (
                f"{number} of {len(values)} points are more than {limit / unit:g} {name} {what} "
                f"{values[worst] / unit:.4g} {name}"
            )
            found.append(finding(code, f"$.points[{worst}]", message, graph.points[worst], values[worst]))
    return found
