"""The picture of a road on the ground in heights.md, written by ``make_pictures.py``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spl_gis import bezier, convert
from spl_gis.fitting import FitOptions
from spl_gis.model import Features, LineStrings, SplineGraph, control_points
from spl_gis.terrain import HeightOptions

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 46, 44, 54, 40
LENGTH = 1200.0
LOW, HIGH = 180.0, 250.0
VERTICES = np.array([0.0, 190, 420, 560, 800, 1010, LENGTH])


class Hills:
    """Two hills in cells of 10 m, each some 0.2 m off, as measured terrain is."""

    resolution = 10.0

    def heights(self, x: Floats, y: Floats) -> Floats:
        """Give heights, straight between the middles of cells."""
        cell = np.arange(-50.0, LENGTH + 60, self.resolution)
        hills = 42 * np.exp(-(((cell - 310) / 90) ** 2)) + 30 * np.exp(-(((cell - 690) / 60) ** 2))
        rough = np.random.default_rng(5).normal(0, 0.2, len(cell))
        return np.interp(x, cell, 195 + hills + 0.006 * cell + rough)


def on_hills(**options: float) -> SplineGraph:
    """Lay a straight road over the hills."""
    coords = np.column_stack([VERTICES, np.zeros((len(VERTICES), 2))])
    road = LineStrings(coords, [0, len(coords)], [0], [-1], Features([1]))
    heights = HeightOptions(surface=Hills(), **options)
    return convert.lines_to_graph(road, None, options=FitOptions(tolerance=0.1), heights=heights)


def at(x: Floats, z: Floats) -> list[str]:
    """Give places of the picture; heights are drawn larger than lengths."""
    across = LEFT + x / LENGTH * (WIDTH - LEFT - RIGHT)
    down = TOP + (HIGH - z) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM)
    return [f"{a:.1f},{b:.1f}" for a, b in zip(across, down)]


def road(graph: SplineGraph, colour: str) -> list[str]:
    """Draw the curves of a road and its points."""
    x, _, z = np.moveaxis(bezier.evaluate(control_points(graph)[:, None], np.linspace(0, 1, 33)), -1, 0)
    curves = [f'<polyline points="{" ".join(at(*each))}"/>' for each in zip(x, z)]
    dots = [
        f'<circle cx="{place.split(",")[0]}" cy="{place.split(",")[1]}" r="3.2" fill="white"/>'
        for place in at(graph.points[:, 0], graph.points[:, 2])
    ]
    return [f'<g fill="none" stroke="{colour}" stroke-width="2">', *curves, *dots, "</g>"]


def axes() -> list[str]:
    """Draw lines at heights, and name heights and lengths."""
    marks = []
    for z in np.arange(LOW, HIGH + 1, 20.0):
        start, stop = at(np.array([0.0, LENGTH]), np.array([z, z]))
        marks.append(f'<path d="M{start} L{stop}" stroke="#ddd"/>')
        marks.append(f'<text x="6" y="{float(start.split(",")[1]) + 4:.1f}">{z:g} m</text>')
    for x in np.arange(0.0, LENGTH + 1, 300):
        (place,) = at(np.array([x]), np.array([LOW]))
        marks.append(f'<text x="{float(place.split(",")[0]) - 12:.1f}" y="{HEIGHT - 14}">{x:g} m</text>')
    return marks


def legend(rows: dict[str, str]) -> list[str]:
    """Say what has which colour."""
    return [
        f'<rect x="{14 + 372 * (row % 2)}" y="{8 + 20 * (row // 2)}" width="22" height="10" fill="{colour}"/>'
        f'<text x="{42 + 372 * (row % 2)}" y="{18 + 20 * (row // 2)}">{words}</text>'
        for row, (words, colour) in enumerate(rows.items())
    ]


def profile() -> str:
    """Draw the ground, its heights at the vertices alone, and roads on it, as SVG."""
    x = np.linspace(0, LENGTH, 481)
    ground, graph, flatter = Hills(), on_hills(), on_hills(max_grade=0.1)
    draped = at(VERTICES, ground.heights(VERTICES, 0 * VERTICES))
    shape = " ".join([*at(x, ground.heights(x, 0 * x)), *at(x[[-1, 0]], np.array([LOW, LOW]))])
    rows = {
        "the ground": "#c9c3b5",
        "its heights at the vertices only": "#c0224b",
        f"the road: {len(graph)} segments": "#1f6fb2",
        f"with --max-grade 10: {len(flatter)} segments": "#2e8b57",
    }
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
            f' height="{HEIGHT}" font-family="sans-serif" font-size="13">',
            '<rect width="100%" height="100%" fill="white"/>',
            *axes(),
            f'<polygon points="{shape}" fill="#c9c3b5"/>',
            f'<polyline points="{" ".join(draped)}" fill="none" stroke="#c0224b" stroke-width="1.5"'
            ' stroke-dasharray="6 4"/>',
            *road(flatter, "#2e8b57"),
            *road(graph, "#1f6fb2"),
            *legend(rows),
            "</svg>",
            "",
        ]
    )
