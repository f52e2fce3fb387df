"""Make the pictures of the documentation: ``python docs/make_pictures.py``.

Those of curves.md and up.md are of the sample town, those of heights.md are of made up places. Those of real
places in view.md are made when the real files lie beside the project, and screenshots when playwright and
Debian's chromium are there.
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from decks_picture import decks
from profile_picture import profile

import spl_gis
from spl_gis import bezier, convert, frames, preview
from spl_gis.cutting import in_order
from spl_gis.fitting import FitOptions
from spl_gis.formats import vector
from spl_gis.model import LineStrings, SplineGraph, control_points, select_lines
from spl_gis.report import Report
from spl_gis.roll import UpOptions, rolls, with_ups
from spl_gis.roll.along import along
from spl_gis.roll.wanted import wanted_roll

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


BANKED = "Auffahrt"
"""The road whose roll is drawn along it."""


def draw_roll(name: str) -> None:
    """Draw the roll along a banked road: what is wanted, and what the engine makes of it."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    lines = roads((BANKED,))
    lines = select_lines(lines, np.arange(len(lines)) == 0)
    plain = convert.lines_to_graph(lines, frames.scene_frame(lines.coords, lines.crs))
    options, report = UpOptions("bank", design_speed=60.0), Report()
    places = along(plain)
    wanted = np.degrees(wanted_roll(plain, places, options, None, report))[places.driven] * places.sign
    cut = in_order(with_ups(plain, options, None, report))
    ends = rolls(cut, np.array([0.0, 1.0]))
    corners = np.flatnonzero(np.isin(cut.points[cut.ends[:, 0]], plain.points).all(axis=1))
    uncut = dataclasses.replace(plain, ups=_ups_of(cut, corners))
    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(places.station, wanted, color="#222", linewidth=4, alpha=0.25, label="wanted")
    for graph, style, label in (
        (
            uncut,
            {"color": COLOURS[1], "linestyle": "dashed"},
            f"the engine's, {len(plain)} segments as fitted",
        ),
        (cut, {"color": COLOURS[0]}, f"the engine's, {len(cut)} segments as written"),
    ):
        axes.plot(*roll_along(graph), linewidth=1.8, label=label, **style)
    way = roll_along(cut)[0].reshape(len(cut), -1)
    axes.plot(
        np.append(way[:, 0], way[-1, -1]), np.append(ends[:, 0], ends[-1, 1]), "o", color=COLOURS[0], ms=4
    )
    axes.set(
        xlabel="along the road [m]",
        ylabel="roll [degrees], right side down",
        xlim=(0, way[-1, -1]),
        ylim=(-0.3, 5.2),
    )
    axes.grid(color="#ddd")
    axes.legend(frameon=False)
    with mpl.rc_context({"svg.hashsalt": "spl-gis", "svg.fonttype": "none"}):
        figure.savefig(HERE / "pictures" / f"{name}.svg", metadata={"Date": None})


def _ups_of(cut: SplineGraph, first: np.ndarray) -> np.ndarray:
    """Give the ups at the ends of the segments that were cut, of the first part of each."""
    last = np.append(first[1:], len(cut)) - 1
    return np.stack([cut.ups[first, 0], cut.ups[last, 1]], axis=1)


def roll_along(graph: SplineGraph) -> tuple[np.ndarray, np.ndarray]:
    """Give stations [m] and the engine's roll [degrees] along a graph of one road, in its order."""
    t = np.linspace(0, 1, 65)
    places = bezier.evaluate(control_points(graph)[:, None], t)[..., :2].reshape(-1, 2)
    return np.append(0.0, np.cumsum(np.hypot(*np.diff(places, axis=0).T))), rolls(graph, t).ravel()


class Place(NamedTuple):
    """A real network: its file, how it is read, what it is coloured by, and the part drawn (None = all)."""

    file: str
    reading: Mapping[str, Any]
    color_by: str
    box: tuple[float, float, float, float] | None = None


REAL = HERE.parent.parent / "shared" / "data"
PLACES = {
    "frida": Place(
        "frida-osnabrueck/strassen-joined.shp",
        {"encoding": "ISO-8859-1"},
        "deviation",
        (-1200, -800, 1200, 800),
    ),
    "andorra": Place("osm-andorra-mountain-dem/andorra.osm.gz", {"where": "highway IS NOT NULL"}, "highway"),
}
LARGEST = 190_000
DOTS = 80
"""Dots in an inch, so that pictures stay small."""


def preview_of(lines: LineStrings, color_by: str) -> preview.Preview:
    """Convert lines as the command line does by default, and show source and result."""
    graph = convert.lines_to_graph(lines, frames.scene_frame(lines.coords, lines.crs), fit="best")
    return spl_gis.view(lines, graph, names=["source", "curves"], color_by=color_by, findings=())


def draw(shown: preview.Preview, name: str, box: tuple[float, float, float, float] | None) -> None:
    """Draw a part of a preview as PNG."""
    figure = preview.drawing_of(shown.scene, shown.colouring, box)
    figure.savefig(HERE / "pictures" / f"{name}.png", dpi=DOTS, bbox_inches="tight")
    shrink(HERE / "pictures" / f"{name}.png")


def shrink(path: Path) -> None:
    """Leave a PNG of more than `LARGEST` bytes no more than 256 colours, among them those of the legend."""
    from PIL import Image

    if path.stat().st_size > LARGEST:
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE)
        small.save(path, optimize=True)


def photograph(shown: preview.Preview, name: str, scheme: str, segment: int | None = None) -> None:
    """Open the page of a preview in Chromium, pick a segment, and take a screenshot."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as machine:
        shown.save(Path(folder) / "page.html")
        chromium = machine.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1000, "height": 640}, color_scheme=scheme)
        page.goto((Path(folder) / "page.html").as_uri())
        if segment is not None:
            page.get_by_label("Go to segment").fill(str(segment))
            page.get_by_role("button", name="Go", exact=True).click()
            page.mouse.move(500, 200)
            for _ in range(3):
                page.get_by_label("Zoom out").click()
        page.wait_for_timeout(1500)
        page.screenshot(path=HERE / "pictures" / f"{name}.png")
        chromium.close()
    shrink(HERE / "pictures" / f"{name}.png")


def main() -> None:
    """Write the pictures."""
    (HERE / "pictures").mkdir(exist_ok=True)
    for name, scene in SCENES.items():
        (HERE / "pictures" / f"{name}.svg").write_text(picture(scene), encoding="utf-8")
    draw_roll("roll")
    (HERE / "pictures" / "profile.svg").write_text(profile(), encoding="utf-8")
    (HERE / "pictures" / "decks.svg").write_text(decks(), encoding="utf-8")
    camera = shutil.which("chromium") is not None
    town = preview_of(vector.read(TOWN), "class")
    if camera:
        photograph(town, "page", "light", segment=55)
    for name, place in PLACES.items():
        if not REAL.is_dir():
            sys.exit(f"{REAL} is not there: the pictures of real places were not made")
        shown = preview_of(vector.read(REAL / place.file, **place.reading), place.color_by)
        draw(shown, name, place.box)
        if camera:
            photograph(shown, f"{name}-page", "dark")


if __name__ == "__main__":
    main()
