"""The picture of a tunnel and bridges in heights.md, written by ``make_pictures.py``."""

from __future__ import annotations

import numpy as np
from profile_picture import HEIGHT, LENGTH, LOW, WIDTH, Hills, at, axes, legend

from spl_gis import bezier, convert
from spl_gis.model import Column, Features, LineStrings, SplineGraph, control_points
from spl_gis.terrain import HeightOptions

ROAD = [0.0, 190.0, 430.0, 930.0, 970.0, LENGTH]
"""Where a road along the x axis changes: to a tunnel, out of it, to a bridge, off it."""
LAYERS = ["", "-1", "", "1", ""]
CROSSING = {310.0: "", 950.0: "", 690.0: "1"}
"""Where other roads cross it, and their layers."""


def network() -> SplineGraph:
    """Lay the road, and roads across it, over the hills."""
    pieces = [[(a, 0.0), (b, 0.0)] for a, b in zip(ROAD, ROAD[1:])]
    pieces += [[(x, -200.0), (x, 200.0)] for x in CROSSING]
    layers = np.array([*LAYERS, *CROSSING.values()], object)
    table = Features(np.arange(len(pieces)), {"layer": Column(layers, layers == "", "String")})
    coords = np.array([[*place, 0.0] for piece in pieces for place in piece])
    each = np.arange(len(pieces))
    lines = LineStrings(coords, 2 * np.arange(len(pieces) + 1), each, np.full(len(pieces), -1), table)
    return convert.lines_to_graph(lines, None, heights=HeightOptions(surface=Hills()))


def places(graph: SplineGraph, lines: np.ndarray) -> np.ndarray:
    """Give places (K, 3) on the segments of some lines, in their order."""
    some = np.isin(graph.line, lines)
    return bezier.evaluate(control_points(graph)[some][:, None], np.linspace(0, 1, 33)).reshape(-1, 3)


def stroke(place: np.ndarray, colour: str, width: float) -> str:
    """Draw a road along the x axis."""
    points = " ".join(at(place[:, 0], place[:, 2]))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def crossings(graph: SplineGraph) -> list[str]:
    """Draw where other roads cross, and the room between."""
    road, marks = places(graph, np.arange(len(LAYERS))), []
    for number, x in enumerate(CROSSING):
        line = places(graph, np.array([len(LAYERS) + number]))
        one = line[np.abs(line[:, 1]).argmin(), 2]
        other = np.interp(x, road[:, 0], road[:, 2])
        (spot,) = at(np.array([x]), np.array([one]))
        (text,) = at(np.array([x + 8]), np.array([(one + other) / 2 - 2]))
        left, top = spot.split(",")
        marks.append(f'<circle cx="{left}" cy="{top}" r="4.5" fill="#c0224b"/>')
        left, top = text.split(",")
        marks.append(f'<text x="{left}" y="{top}">{abs(one - other):.1f} m</text>')
    return marks


def decks() -> str:
    """Draw the ground, the road with tunnel and bridge, and what crosses it, as SVG."""
    x, ground, graph = np.linspace(0, LENGTH, 481), Hills(), network()
    shape = " ".join([*at(x, ground.heights(x, 0 * x)), *at(x[[-1, 0]], np.array([LOW, LOW]))])
    structures = [places(graph, np.array([line])) for line, layer in enumerate(LAYERS) if layer]
    rows = {
        "the ground": "#c9c3b5",
        "roads that cross": "#c0224b",
        "the road": "#1f6fb2",
        "tunnel and bridge": "#12365c",
    }
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
            f' height="{HEIGHT}" font-family="sans-serif" font-size="13">',
            '<rect width="100%" height="100%" fill="white"/>',
            *axes(),
            f'<polygon points="{shape}" fill="#c9c3b5"/>',
            stroke(places(graph, np.arange(len(LAYERS))), "#1f6fb2", 2.5),
            *(stroke(place, "#12365c", 5) for place in structures),
            *crossings(graph),
            *legend(rows),
            "</svg>",
            "",
        ]
    )
