"""Make the pictures of curves.md from the sample town: ``python docs/make_pictures.py``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from spl_gis import convert, frames
from spl_gis.fitting import FitOptions
from spl_gis.formats import vector
from spl_gis.model import LineStrings, SplineGraph, control_points, select_lines

HERE = Path(__file__).parent
TOWN = HERE.parent / "sample_data" / "town.gpkg"
WIDTH = 760
COLOURS = ("#1f6fb2", "#d9822b")
"""Neighbouring segments have different colours."""


class Scene(NamedTuple):
    """What a picture shows: roads by name, with a tolerance, in a part of the scene (x0, y0, x1, y1 in m)."""

    names: tuple[str, ...]
    tolerance: float
    box: tuple[float, float, float, float] | None = None


SCENES = {
    "roundabout": Scene(("Kreisel", "Hauptstraße", "Ostring", "北通り"), 0.1, (-60, -45, 60, 60)),
    "hairpins": Scene(("Serpentine à l'Été",), 0.1),
    "interchange": Scene(("Zubringer", "A 99", "Auffahrt", "Ausfahrt"), 0.1, (-250, -120, 270, 330)),
    "noisy-track": Scene(("GPS-Spur",), 1.0),
}


def roads(names: tuple[str, ...]) -> LineStrings:
    """Give the roads of the town that have one of these names."""
    town = vector.read(TOWN)
    wanted = np.isin(town.features.columns["name"].values.astype(str), names)
    return select_lines(town, wanted[town.feature])


def picture(scene: Scene) -> str:
    """Draw a scene as SVG: source vertices, segments, joints and handles."""
    lines = roads(scene.names)
    middle = frames.Origin(*np.round((lines.coords.min(axis=0) + lines.coords.max(axis=0)) / 2)[:2].tolist())
    if "Kreisel" in scene.names:
        middle = frames.Origin(458_300.0, 5_462_700.0)
    frame = frames.map_frame(lines.crs, middle)
    options = FitOptions(tolerance=scene.tolerance)
    graph = convert.lines_to_graph(lines, frame, fit="best", options=options)
    source = frames.transform(lines.coords, lines.crs, frame)
    return svg(graph, source, scene)


def svg(graph: SplineGraph, source: np.ndarray, scene: Scene) -> str:
    """Write SVG; y points up in the scene and down in SVG."""
    x0, y0, x1, y1 = scene.box or (*source[:, :2].min(axis=0) - (15, 45), *source[:, :2].max(axis=0) + 25)
    unit = (x1 - x0) / WIDTH  # metres in a pixel
    height = round((y1 - y0) / unit)

    def at(place: np.ndarray) -> str:
        return f"{(place[0] - x0) / unit:.1f},{(y1 - place[1]) / unit:.1f}"

    def dots(places: np.ndarray, radius: float, style: str) -> list[str]:
        pixels = np.column_stack([places[:, 0] - x0, y1 - places[:, 1]]) / unit
        return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {style}/>' for x, y in pixels]

    controls = control_points(graph)
    curves = [
        f'<path d="M{at(p0)} C{at(p1)} {at(p2)} {at(p3)}" stroke="{COLOURS[number % 2]}"/>'
        for number, (p0, p1, p2, p3) in enumerate(controls)
    ]
    handles = [
        f'<path d="M{at(end)} L{at(control)}"/>'
        for segment in controls
        for end, control in ((segment[0], segment[1]), (segment[3], segment[2]))
    ]
    bar = 10 ** np.floor(np.log10((x1 - x0) / 4))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
            f' height="{height}" font-family="sans-serif" font-size="13">',
            '<rect width="100%" height="100%" fill="white"/>',
            '<g fill="none" stroke="#999" stroke-width="1">',
            *handles,
            "</g>",
            '<g fill="none" stroke-width="2.4">',
            *curves,
            "</g>",
            *dots(controls[:, 1:3].reshape(-1, 3), 2.2, 'fill="white" stroke="#999"'),
            *dots(source, 1.8, 'fill="#222"'),
            *dots(graph.points, 4.2, 'fill="none" stroke="#c0224b" stroke-width="1.8"'),
            f'<path d="M14,{height - 14} h{bar / unit:.1f}" stroke="#222" stroke-width="2"/>',
            f'<text x="14" y="{height - 20}">{bar:g} m</text>',
            f'<text x="14" y="20">{len(source)} vertices, {len(graph)} segments, '
            f"tolerance {scene.tolerance:g} m</text>",
            "</svg>",
            "",
        ]
    )


def main() -> None:
    """Write the pictures."""
    (HERE / "pictures").mkdir(exist_ok=True)
    for name, scene in SCENES.items():
        (HERE / "pictures" / f"{name}.svg").write_text(picture(scene), encoding="utf-8")


if __name__ == "__main__":
    main()
