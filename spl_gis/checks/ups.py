"""Checks of up vectors."""

from __future__ import annotations

import numpy as np

from ..model import SplineGraph
from .codes import Finding, findings
from .limits import Limits
from .measure import Measured, angle, pairs_of_halves
from .segments import middles, of_ends, of_segments

UNIT = 1e-3
"""How far the length of a unit vector may be from 1: float32 and hand-typed decimals keep well below."""


def ups(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find up vectors without length, of another length than 1, and along the road."""
    size = np.linalg.norm(graph.ups, axis=2)
    none = size <= UNIT
    lean = angle(graph.ups, measured.leaving)
    lean = np.minimum(lean, 180 - lean)
    along = (lean < limits.up_angle) & ~none & measured.leaving.any(axis=2)
    other = (np.abs(size - 1) > UNIT) & ~none
    return [
        *of_ends("zero-up", graph, none, "up", size, "the {end} up vector has no length"),
        *of_ends("up-not-unit", graph, other, "up", size, "the {end} up vector is {value:.4g} long, not 1"),
        *of_ends(
            "parallel-up",
            graph,
            along,
            "up",
            lean,
            "the {end} up vector is {value:.2g} degrees from the road's direction",
        ),
    ]


def flips(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find up vectors that turn over inside a segment, or from one segment to the next."""
    turn = angle(graph.ups[:, 0], graph.ups[:, 1])
    inside = of_segments(
        "up-flip",
        turn > limits.flip,
        middles(measured),
        turn,
        "the up vector turns by {value:.0f} degrees on the way",
    )
    pairs = pairs_of_halves(graph.ends, measured.degree)
    jump = angle(*graph.ups.reshape(-1, 3)[pairs].transpose(1, 0, 2))
    pairs, jump = pairs[jump > limits.flip], jump[jump > limits.flip]
    point = graph.ends.ravel()[pairs[:, 0]]
    messages = [
        f"the up vector jumps by {degrees:.0f} degrees from segment {a} to segment {b}"
        for (a, b), degrees in zip((pairs // 2).tolist(), jump.tolist())
    ]
    paths = [f"$.points[{row}]" for row in point]
    return inside + findings("up-flip", paths, messages, graph.points[point], jump)
