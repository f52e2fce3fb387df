"""What segments can be coloured by: which class each belongs to, and what classes are called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..model import Column, Floats, Ints
from .measures import Measures
from .scene import Scene, Shown

MOST = 8
"""Values of a field that get a colour of their own."""
NONE = 255
"""Class of what has no value."""


class Colours(NamedTuple):
    """The same colours for a light and a dark background."""

    light: tuple[str, ...]
    dark: tuple[str, ...]


PALETTE = Colours(
    ("#1f6fb2", "#d9660a", "#2a8f3c", "#c2185b", "#7350d0", "#8c5a2b", "#00838f", "#94820a", "#7d838c"),
    ("#5fb0f0", "#ff9f4a", "#5fd068", "#ff6fa5", "#b39dff", "#d6a06a", "#3fd0d0", "#d8c840", "#8a919c"),
)
"""For things without an order; the last one is for all others."""
RAMP = Colours(
    ("#69c95c", "#3fb373", "#249a80", "#2b7f8c", "#355f8d", "#433a84", "#440154"),
    ("#3d78a8", "#27889a", "#1e9b8a", "#32b67a", "#69cd5b", "#b2dd2d", "#fde725"),
)
"""From weak to strong, after viridis."""
SIDES = Colours(
    ("#0b4f9c", "#2f82c9", "#7fb0d8", "#9aa0a8", "#e59a63", "#d4601f", "#9c2c06"),
    ("#4aa3ff", "#6cb6f5", "#8cb4d4", "#8a919c", "#d9a37c", "#ff9350", "#ff6a2b"),
)
"""From one side over level to the other."""

RADII = (15.0, 30.0, 60.0, 120.0, 250.0, 1000.0)
GRADES = (1.0, 2.0, 4.0, 6.0, 8.0, 12.0)
ROLLS = (-8.0, -4.0, -0.5, 0.5, 4.0, 8.0)
DEVIATIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Colouring:
    """One way to colour.

    Attributes
    ----------
    name : str
        What it is by.
    labels : list of str
        What each class is called.
    per : str
        What `index` counts: "input", "feature" or "segment".
    index : list of ndarray of uint8, or None
        For each input the class of each of those; `NONE` = no value. None = the input is not coloured.
    colours : Colours
        One for each class.
    """

    name: str
    labels: list[str]
    per: str
    index: list[NDArray[np.uint8] | None]
    colours: Colours

    def classes(self, number: int, shown: Shown) -> NDArray[np.uint8] | None:
        """Give the class of each segment, or line, of an input."""
        index = self.index[number]
        if index is None:
            return None
        if self.per == "segment":
            return index
        if self.per == "input":
            return np.broadcast_to(index, len(shown.data))
        return np.append(index, np.uint8(NONE))[shown.feature]


def colourings(scene: Scene, measures: Sequence[Measures | None]) -> list[Colouring]:
    """List what the inputs of a scene can be coloured by: the graphs, or without graphs the lines.

    Parameters
    ----------
    scene : Scene
        What is shown.
    measures : sequence
        What was measured on each input that is a graph.
    """
    kind = "graph" if scene.graphs else "lines"
    coloured = [each if each.kind == kind else None for each in scene.shown]
    found = [_by_input(coloured)]
    if scene.graphs:
        found += _by_measure(measures)
    taken = {colouring.name for colouring in found} | {"deviation"}
    names = dict.fromkeys(name for each in coloured if each for name in each.data.features.columns)
    for name in names:
        found.append(_by_field(name, f"field {name}" if name in taken else name, coloured))
    return found


def choose(found: Sequence[Colouring], name: str | None) -> Colouring:
    """Give the colouring of that name; raises `OptionError` when there is none."""
    for colouring in found:
        if name is None or colouring.name == name:
            return colouring
    why = " (it needs the source lines as another input)" if name == "deviation" else ""
    raise OptionError(
        f"there is nothing to colour by that is called {name!r}{why}; there are: "
        + ", ".join(colouring.name for colouring in found)
    )


def _by_input(coloured: Sequence[Shown | None]) -> Colouring:
    inputs = [each.name for each in coloured if each]
    index: list[NDArray[np.uint8] | None] = []
    for each in coloured:
        before = sum(other is not None for other in index)
        index.append(np.array([min(before, MOST)], np.uint8) if each else None)
    labels = inputs if len(inputs) <= MOST + 1 else [*inputs[:MOST], "other inputs"]
    return Colouring("input", labels, "input", index, _some(PALETTE, len(labels)))


def _by_measure(measures: Sequence[Measures | None]) -> list[Colouring]:
    strong_first = Colours(RAMP.light[::-1], RAMP.dark[::-1])
    found = [
        _binned("curvature", [m and m.radius for m in measures], RADII, "m", strong_first),
        _binned("grade", [m and m.grade for m in measures], GRADES, "%", RAMP),
        _binned("roll", [m and m.roll for m in measures], ROLLS, "°", SIDES),
    ]
    deviations = [m.deviation if m else None for m in measures]
    if any(each is not None for each in deviations):
        found.append(_binned("deviation", deviations, DEVIATIONS, "m", RAMP))
    found[0].labels[:] = [f"radius {label}" for label in found[0].labels]
    return found


def _binned(
    name: str, values: Sequence[Floats | None], edges: Sequence[float], unit: str, colours: Colours
) -> Colouring:
    return Colouring(
        name,
        _ranges(edges, unit),
        "segment",
        [None if each is None else _bins(each, edges) for each in values],
        colours,
    )


def _bins(values: Floats, edges: Sequence[float]) -> NDArray[np.uint8]:
    found = np.searchsorted(np.asarray(edges), values, side="right")
    return np.where(np.isnan(values), NONE, found).astype(np.uint8)


def _ranges(edges: Sequence[float], unit: str = "") -> list[str]:
    unit = unit if unit in ("", "°") else f"\u00a0{unit}"
    between = [f"{low:.6g} to {high:.6g}{unit}" for low, high in zip(edges[:-1], edges[1:])]
    return [f"below {edges[0]:.6g}{unit}", *between, f"{edges[-1]:.6g}{unit} and more"]


def _by_field(name: str, title: str, coloured: Sequence[Shown | None]) -> Colouring:
    """Colour by a field: numbers with many values in ranges, all else by value."""
    columns = [each.data.features.columns.get(name) if each else None for each in coloured]
    used = [
        _uses(each) if each is not None and column is not None else None
        for each, column in zip(coloured, columns)
    ]
    known = [(column, uses) for column, uses in zip(columns, used) if column is not None and uses is not None]
    if all(column.values.dtype.kind in "iuf" for column, _ in known):
        values = np.concatenate([column.values[_there(column)] for column, _ in known]).astype(np.float64)
        if len(np.unique(values)) > MOST + 1:
            return _by_number(title, columns, values)
    texts = [None if column is None else value_texts(column) for column in columns]
    return _by_value(title, texts, used)


def _there(column: Column) -> NDArray[np.bool_]:
    there = ~column.null
    if column.values.dtype.kind == "f":
        there = there & np.isfinite(column.values)
    return there


def _by_number(title: str, columns: Sequence[Column | None], values: Floats) -> Colouring:
    """Make ranges that hold about as many values each, with round limits."""
    quantiles = np.quantile(values, np.arange(1, 7) / 7)
    step = 10.0 ** np.floor(np.log10((values.max() - values.min()) / 20))
    edges = np.unique(np.round(quantiles / step) * step)
    index: list[NDArray[np.uint8] | None] = [
        None
        if column is None
        else np.where(_there(column), np.searchsorted(edges, column.values, side="right"), NONE).astype(
            np.uint8
        )
        for column in columns
    ]
    spread = np.linspace(0, len(RAMP.light) - 1, len(edges) + 1).round().astype(int)
    colours = Colours(tuple(RAMP.light[i] for i in spread), tuple(RAMP.dark[i] for i in spread))
    return Colouring(title, _ranges(edges.tolist()), "feature", index, colours)


def _by_value(title: str, texts: Sequence[list[str] | None], used: Sequence[Ints | None]) -> Colouring:
    """Give each of the values that are seen most a colour, and one to all others."""
    seen: dict[str, int] = {}
    for values, uses in zip(texts, used):
        for value, number in zip(values or [], uses if uses is not None else []):
            if value and number:
                seen[value] = seen.get(value, 0) + int(number)
    order = sorted(seen, key=lambda value: (-seen[value], value))
    labels = order if len(order) <= MOST + 1 else [*order[:MOST], f"{len(order) - MOST} other values"]
    number = {value: min(at, MOST) for at, value in enumerate(order)}
    index: list[NDArray[np.uint8] | None] = [
        None if values is None else np.array([number.get(value, NONE) for value in values], np.uint8)
        for values in texts
    ]
    return Colouring(title, labels, "feature", index, _some(PALETTE, len(labels)))


def _uses(shown: Shown) -> Ints:
    """Count the segments, or lines, of each feature."""
    return np.bincount(shown.feature[shown.feature >= 0], minlength=len(shown.data.features))


def _some(colours: Colours, number: int) -> Colours:
    return Colours(colours.light[:number], colours.dark[:number])


def value_texts(column: Column) -> list[str]:
    """Write the values of a column for people; "" where there is none."""
    return ["" if null else _text(value) for value, null in zip(column.values.tolist(), column.null.tolist())]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.10g}"
    return str(value)
