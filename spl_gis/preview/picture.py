"""A drawing for documents, by matplotlib."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import frames, topology
from ..errors import MissingDependencyError
from ..model import Bools, Floats, LineStrings, SplineGraph, control_points
from ..report import Report
from .colours import NONE, Colouring
from .scene import Scene, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline

WIDTH = 10.0
"""Width of a drawing in inches."""
DPI = 150
INK, PALE, REJECTED, UP_INK = "#2a2f36", "#9aa0a8", "#c2185b", "#00838f"
LONGEST = 0.4
"""Length [inches] of an up vector that lies flat; it goes with the root of the lean, as on the page."""
STYLES = {"lines": (PALE, "solid", 2), "rejects": (REJECTED, "dashed", 4)}
"""Colour, line style and height of what has no classes."""
SEVERITIES = {"warning": "#c77700", "error": "#c62828"}


def save(scene: Scene, colouring: Colouring, path: Path, report: Report) -> None:
    """Write a drawing as the suffix of `path` says; the same scene always gives the same bytes."""
    figure = drawing_of(scene, colouring)
    import matplotlib as mpl

    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
    fixed = {"svg.hashsalt": "spl-gis", "svg.fonttype": "none"}
    with mpl.rc_context(fixed), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure.savefig(path, metadata=metadata, bbox_inches="tight", dpi=DPI)
    if any("Glyph" in str(each.message) for each in said):
        report.note(f"{path.name}: some characters of the legend are not in matplotlib's fonts")
    for each in said:
        if "Glyph" not in str(each.message):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def drawing_of(
    scene: Scene, colouring: Colouring, box: tuple[float, float, float, float] | None = None
) -> Figure:
    """Draw a scene on a light background.

    Parameters
    ----------
    scene : Scene
        What is shown.
    colouring : Colouring
        What it is coloured by.
    box : four floats, optional
        The part of the scene that is drawn: x0, y0, x1, y1 [m]. Default: all of it.

    Raises
    ------
    MissingDependencyError
        When matplotlib is not there.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError(
            ".svg and .png are drawn by matplotlib, which is not installed: run "
            "pip install 'spl-gis[view]', or write .html, which needs nothing"
        ) from error
    x0, y0, x1, y1 = box or _framed(scene.bounds)
    height = float(np.clip(WIDTH * (y1 - y0) / (x1 - x0), 3.0, 12.0))
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    above = len(scene.graphs)
    for number, shown in enumerate(scene.shown):
        above -= shown.kind == "graph"
        _draw(axes, shown, colouring.classes(number, shown), colouring, 1.4 * (1 + above))
    _draw_findings(axes, scene)
    axes.set(xlim=(x0, x1), ylim=(y0, y1), aspect="equal")
    axes.set_axis_off()
    _scale_bar(axes, x0, y0, x1, y1)
    axes.set_title(_caption(scene), fontsize=8, color=INK, loc="left")
    _legend(axes, scene, colouring)
    return figure


def _framed(bounds: Floats) -> tuple[float, float, float, float]:
    (x0, y0, _), (x1, y1, _) = bounds.tolist()
    margin = 0.03 * max(x1 - x0, y1 - y0, 10.0)
    return x0 - margin, y0 - margin, x1 + margin, y1 + margin


def _draw(axes: Axes, shown: Shown, classes: Any, colouring: Colouring, width: float) -> None:
    """Draw one input, each class as one path; graphs below others are wider, so that all are seen."""
    if isinstance(shown.data, LineStrings):
        _draw_lines(axes, shown, classes, colouring)
        return
    controls = control_points(shown.data)[..., :2]
    for number, colour in _strokes(colouring):
        mine = classes == number
        if mine.any():
            _stroke(axes, _curves(controls[mine]), colour, width, zorder=3)
    _draw_ups(axes, shown.data)
    _draw_points(axes, shown.data)


def _strokes(colouring: Colouring) -> list[tuple[int, str]]:
    return [*enumerate(colouring.colours.light), (NONE, PALE)]


def _draw_lines(axes: Axes, shown: Shown, classes: Any, colouring: Colouring) -> None:
    lines = shown.data
    assert isinstance(lines, LineStrings)  # nosec B101  # for mypy
    everything = np.ones(len(lines), bool)
    if classes is None:
        colour, style, zorder = STYLES[shown.kind]
        _stroke(axes, _polylines(lines, everything), colour, 0.7, linestyle=style, zorder=zorder)
        if shown.kind == "rejects":  # they may be points, or too short to be seen
            first = lines.coords[lines.offsets[:-1]]
            axes.plot(first[:, 0], first[:, 1], "o", color=colour, fillstyle="none", zorder=4)
        return
    for number, colour in _strokes(colouring):
        _stroke(axes, _polylines(lines, classes == number), colour, 1.2, zorder=2)


def _curves(controls: Floats) -> Outline:
    """Give cubic Beziers (S, 4, 2) as one path."""
    from matplotlib.path import Path as Outline

    codes = np.tile([Outline.MOVETO, Outline.CURVE4, Outline.CURVE4, Outline.CURVE4], len(controls))
    return Outline(controls.reshape(-1, 2), codes)


def _polylines(lines: LineStrings, mine: Bools) -> Outline:
    from matplotlib.path import Path as Outline

    codes = np.full(len(lines.coords), Outline.LINETO, np.uint8)
    codes[lines.offsets[:-1]] = Outline.MOVETO
    drawn = np.repeat(mine, np.diff(lines.offsets))
    return Outline(lines.coords[drawn, :2], codes[drawn])


def _stroke(axes: Axes, outline: Outline, colour: str, width: float, **style: Any) -> None:
    from matplotlib.patches import PathPatch

    if np.size(outline.vertices):
        # add_patch, and a layout, would ask for the curves' bounds, which takes matplotlib a millisecond each
        patch = PathPatch(outline, fill=False, edgecolor=colour, linewidth=width, in_layout=False, **style)
        axes.add_artist(patch)


def _draw_ups(axes: Axes, graph: SplineGraph) -> None:
    """Draw up vectors that lean, as seen from above, if that leaves the roads to be seen."""
    plan, place = graph.ups.reshape(-1, 3)[:, :2], graph.points[graph.ends].reshape(-1, 3)[:, :2]
    lean = np.linalg.norm(plan, axis=1)
    leaning = lean > 0
    if 0 < leaning.sum() <= 3000:
        ticks = plan[leaning] / np.sqrt(lean[leaning, None])
        axes.quiver(
            *place[leaning].T, *ticks.T, color=UP_INK, scale=1 / LONGEST, scale_units="inches",
            units="inches", width=0.012, headwidth=0, headlength=0, headaxislength=0, zorder=3.5,
        )  # fmt: skip


def _draw_points(axes: Axes, graph: SplineGraph) -> None:
    """Mark where roads end and where they meet, if that leaves the roads to be seen."""
    degree = topology.degrees(graph.ends, len(graph.points))
    marked = graph.points[degree != 2][:, :2]
    if 0 < len(marked) <= 1500:
        size = 9.0 if len(marked) < 300 else 3.0
        axes.scatter(marked[:, 0], marked[:, 1], s=size, c="white", edgecolors=INK, linewidths=0.7, zorder=4)


def _draw_findings(axes: Axes, scene: Scene) -> None:
    """Mark errors, and warnings if that leaves the roads to be seen."""
    for severity, colour in SEVERITIES.items():
        mine = (each for each in scene.findings if each.severity == severity)
        places = np.array([each.place for each in mine if each.place is not None]).reshape(-1, 3)
        if severity == "error" or len(places) <= 200:
            label = f"{severity} of check" if len(places) else None
            axes.plot(places[:, 0], places[:, 1], "x", color=colour, markersize=6, zorder=5, label=label)


def _scale_bar(axes: Axes, x0: float, y0: float, x1: float, y1: float) -> None:
    """Draw a bar of 1, 2 or 5 times a power of ten metres below the lower left corner."""
    longest = (x1 - x0) / 4
    power = 10.0 ** np.floor(np.log10(longest))
    size = power * max(step for step in (1, 2, 5) if step * power <= longest)
    y = y0 - 0.015 * (y1 - y0)
    axes.plot([x0, x0 + size], [y, y], color=INK, linewidth=2, clip_on=False, solid_capstyle="butt")
    text = f"{size / 1000:g} km" if size >= 1000 else f"{size:g} m"
    axes.annotate(
        text, (x0 + size, y), (4, 0), textcoords="offset points", va="center", fontsize=8, color=INK
    ).set_annotation_clip(False)


def _caption(scene: Scene) -> str:
    return f"{scene.title}\n{frames.describe(scene.crs)}".replace("$", r"\$")


def _legend(axes: Axes, scene: Scene, colouring: Colouring) -> None:
    from matplotlib.lines import Line2D

    classes = [
        found
        for number, shown in enumerate(scene.shown)
        if (found := colouring.classes(number, shown)) is not None
    ]
    used = np.unique(np.concatenate(classes)) if classes else np.zeros(0, int)
    names = {NONE: "no value", **dict(enumerate(colouring.labels))}
    colours = dict(_strokes(colouring))
    entries = [(names[number], colours[number], "solid") for number in used.tolist()]
    if scene.graphs:
        entries += [(each.name, *STYLES[each.kind][:2]) for each in scene.shown if each.kind in STYLES]
    lines = [Line2D([], [], color=colour, ls=style) for _, colour, style in entries]
    labels = [name.replace("$", r"\$") for name, _, _ in entries]
    marks, meanings = axes.get_legend_handles_labels()
    handles, labels = [*lines, *marks], [*labels, *meanings]
    if len(labels) > 1:
        title = "" if colouring.per == "input" else colouring.name.replace("$", r"\$")
        axes.legend(
            handles, labels, title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8,
            title_fontsize=8, frameon=False,
        )  # fmt: skip
