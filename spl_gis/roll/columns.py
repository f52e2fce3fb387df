"""The roll of roads as a column has it."""

from __future__ import annotations

import re

import numpy as np

from ..errors import OptionError
from ..model import Floats, SplineGraph
from .options import FIELD, PERCENT, UpOptions

NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?) ?(%|percent|°|deg|degrees)?", re.IGNORECASE)
STEEPEST = 89.0
"""Greatest roll in degrees."""


def read_rolls(graph: SplineGraph, options: UpOptions) -> Floats:
    """Give the roll of each segment that a column of its feature holds.

    Parameters
    ----------
    graph : SplineGraph
        The graph.
    options : UpOptions
        The column, and the unit of numbers in it; text such as "4 %" or "-2.5 deg" has its own.

    Returns
    -------
    ndarray, shape (M,)
        Radians, positive to the right of the segment's direction; 0 where there is none.

    Raises
    ------
    OptionError
        When there is no such column, or it holds something else than such numbers.
    """
    features, name = graph.features, options.source.removeprefix(FIELD)
    if name not in features.columns:
        there = ", ".join(features.columns) or "none"
        raise OptionError(
            f"there is no column {name!r} to take the roll from; there is {there}; the other "
            "sources of up vectors are vertical, terrain and bank"
        )
    column = features.columns[name]
    texts, row = np.unique(np.where(column.null, "", column.values.astype(str)), return_inverse=True)
    row = row.reshape(-1)
    values = np.array([_roll(text.strip(), options.unit == PERCENT) for text in texts.tolist()], float)[row]
    bad = np.flatnonzero(~(np.abs(values) <= STEEPEST))
    if len(bad):
        raise OptionError(
            f"feature {features.fid[bad[0]]}: {column.values[bad[0]]!r} in the column {name!r} is no roll: "
            f"give degrees of up to {STEEPEST:g}, or percent (--up-unit percent)"
        )
    feature = np.append(graph.line_feature, -1)[graph.line]
    return np.asarray(np.radians(np.append(values, 0.0)[feature]) * _directions(graph))


def _roll(text: str, percent: bool) -> float:
    """Read a roll in degrees; NaN = it is none."""
    if not text:
        return 0.0
    found = NUMBER.fullmatch(text)
    if found is None:
        return np.nan
    percent = found[2].lower() in ("%", "percent") if found[2] else percent
    return float(np.degrees(np.arctan(float(found[1]) / 100))) if percent else float(found[1])


def _directions(graph: SplineGraph) -> Floats:
    """Give 1, or -1 for segments that run against their line, as merged roads may."""
    signs = np.ones(len(graph))
    if graph.spans is not None:
        mine = graph.line[graph.spans.segment] == graph.spans.line
        against = graph.spans.parameters[:, 0] > graph.spans.parameters[:, 1]
        signs[graph.spans.segment[mine & against]] = -1.0
    return signs
