"""Invented roads: alignments of straights, clothoids and arcs, sampled as surveys and maps do.

The order of the random numbers is part of the sets: published counts are for exactly these roads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

STEP = 0.25
"""Metres between the places of an alignment that vertices are interpolated from."""


class Roads(NamedTuple):
    """A set of roads.

    `spacing` of vertices and `noise` (standard deviation) in metres; `thinned` is the tolerance of a
    Douglas-Peucker simplification, 0 = none.
    """

    kind: str
    number: int
    length: float
    spacing: float
    seed: int
    noise: float = 0.0
    thinned: float = 0.0
    heights: bool = False


SETS = {
    "motorway_10m": Roads("motorway", 40, 4000, 10, 1),
    "rural_1m": Roads("rural", 8, 2000, 1, 2),
    "rural_10m": Roads("rural", 80, 2000, 10, 2),
    "rural_30m": Roads("rural", 80, 2000, 30, 2),
    "rural_5m_n10": Roads("rural", 60, 2000, 5, 3, noise=0.10),
    "rural_5m_n30": Roads("rural", 60, 2000, 5, 4, noise=0.30),
    "mountain_2m": Roads("mountain", 40, 1000, 2, 5),
    "mountain_5m": Roads("mountain", 60, 1000, 5, 5),
    "mountain_3m_n10": Roads("mountain", 60, 1000, 3, 6, noise=0.10),
    "mountain_thin": Roads("mountain", 80, 1000, 1, 7, thinned=0.15),
    "roundabout_3m": Roads("roundabout", 100, 0, 3, 8),
    "rural_10m_3d": Roads("rural", 60, 2000, 10, 9, heights=True),
}

_KINDS = {  # radius [m], turn of a bend [degrees], straight [m]
    "rural": ((80, 900), (8, 75), (20, 250)),
    "mountain": ((10, 90), (25, 190), (5, 70)),
    "motorway": ((500, 3000), (5, 40), (50, 600)),
}


def roads(which: Roads) -> list[np.ndarray]:
    """Make the roads of a set, each of shape (n, 3)."""
    rng = np.random.default_rng(which.seed)
    make = _roundabout if which.kind == "roundabout" else _road
    return [make(which, rng) for _ in range(which.number)]


def _road(which: Roads, rng: np.random.Generator) -> np.ndarray:
    pieces = _alignment(which.kind, which.length, rng)
    arc, plan = _integrated(pieces, rng.uniform(0, 6.28))
    count = max(2, round(arc[-1] / which.spacing))
    at = np.linspace(0, arc[-1], count + 1)
    at[1:-1] += rng.uniform(-0.3, 0.3, count - 1) * which.spacing
    vertices = np.column_stack(
        [np.interp(at, arc, plan[:, 0]), np.interp(at, arc, plan[:, 1]), np.zeros(count + 1)]
    )
    if which.heights:
        vertices[:, 2] = np.interp(at, arc, _heights(arc, rng))
    if which.noise:
        vertices[1:-1, :2] += rng.normal(0, which.noise, (count - 1, 2))
        if which.heights:
            vertices[1:-1, 2] += rng.normal(0, which.noise / 3, count - 1)
    return _simplified(vertices, which.thinned) if which.thinned else vertices


def _roundabout(which: Roads, rng: np.random.Generator) -> np.ndarray:
    radius = rng.uniform(10, 30)
    count = max(8, round(2 * np.pi * radius / which.spacing))
    angle = np.linspace(0, 2 * np.pi, count + 1)
    angle[1:-1] += rng.uniform(-0.3, 0.3, count - 1) * (2 * np.pi / count)
    vertices = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count + 1)])
    vertices[-1] = vertices[0]
    return vertices


def _alignment(kind: str, length: float, rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Give pieces (length, curvature at the start, at the end) of a road of about that length."""
    radii, turns, straights = _KINDS[kind]
    pieces: list[tuple[float, float, float]] = []
    side, total = 1, 0.0
    while total < length:
        radius = np.exp(rng.uniform(np.log(radii[0]), np.log(radii[1])))
        turn = np.deg2rad(rng.uniform(*turns))
        most = {"rural": max(25, radius / 3), "mountain": 12 + 0.15 * radius, "motorway": radius / 4}[kind]
        clothoid = min(radius * turn * (0.35 if kind == "mountain" else 0.4), most)
        straight = rng.uniform(*straights)
        side = -side if rng.random() < 0.6 else side
        bend = side / radius
        arc = max(radius * turn - clothoid, 1.0)
        pieces += [(straight, 0, 0), (clothoid, 0, bend), (arc, bend, bend), (clothoid, bend, 0)]
        total += straight + 2 * clothoid + arc
    return pieces


def _integrated(pieces: list[tuple[float, float, float]], heading: float) -> tuple[np.ndarray, np.ndarray]:
    """Give arc lengths and places along an alignment by Gauss-Legendre quadrature of its direction."""
    node, weight = np.polynomial.legendre.leggauss(6)
    node, weight = (node + 1) / 2, weight / 2
    arcs, places, start, place = [np.zeros(1)], [np.zeros((1, 2))], 0.0, np.zeros(2)
    for length, bend, other in pieces:
        edges = np.linspace(0, length, max(1, int(np.ceil(length / STEP))) + 1)
        at = edges[:-1, None] + np.diff(edges)[:, None] * node
        angle = heading + bend * at + (other - bend) * at * at / (2 * length)
        moves = np.stack([(np.cos(angle) * weight).sum(1), (np.sin(angle) * weight).sum(1)], 1)
        run = place + np.cumsum(moves * np.diff(edges)[:, None], 0)
        arcs.append(start + edges[1:])
        places.append(run)
        start, place, heading = start + length, run[-1], heading + (bend + other) * length / 2
    return np.concatenate(arcs), np.concatenate(places)


def _heights(arc: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Give heights of grades of up to 6 % with parabolic transitions."""
    count = max(2, int(arc[-1] / 200))
    grade = np.interp(arc, np.linspace(0, arc[-1], count + 1), rng.uniform(-0.06, 0.06, count + 1))
    return np.append(0.0, np.cumsum((grade[1:] + grade[:-1]) / 2 * np.diff(arc)))


def _simplified(vertices: np.ndarray, tolerance: float) -> np.ndarray:
    """Thin a polyline (Douglas and Peucker, 1973)."""
    keep = np.zeros(len(vertices), bool)
    keep[[0, -1]] = True
    stack = [(0, len(vertices) - 1)]
    while stack:
        first, last = stack.pop()
        if last <= first + 1:
            continue
        chord, seen = (
            (vertices[last] - vertices[first])[:2],
            (vertices[first + 1 : last] - vertices[first])[:, :2],
        )
        size = np.hypot(*chord)
        away = np.abs(chord[0] * seen[:, 1] - chord[1] * seen[:, 0]) / size if size > 0 else np.hypot(*seen.T)
        far = int(away.argmax())
        if away[far] > tolerance:
            keep[first + 1 + far] = True
            stack += [(first, first + 1 + far), (first + 1 + far, last)]
    return vertices[keep]
