"""The design speed of each feature."""

from __future__ import annotations

import re
from typing import Callable

import numpy as np

from ..errors import OptionError
from ..model import Bools, Column, Features, Floats
from ..report import Report
from ..topology.likeness import CLASSES

LIMIT = "maxspeed"
"""OpenStreetMap's column of speed limits."""
ORDINARY = 50.0
"""Speed [km/h] of a road of which nothing is known."""
SPEEDS = {
    "motorway": 120.0, "motorway_link": 60.0, "trunk": 100.0, "trunk_link": 50.0, "primary": 80.0,
    "primary_link": 50.0, "secondary": 70.0, "secondary_link": 40.0, "tertiary": 60.0, "tertiary_link": 40.0,
    "unclassified": 50.0, "residential": 30.0, "living_street": 10.0, "service": 20.0, "track": 20.0,
    "cycleway": 15.0, "pedestrian": 0.0, "footway": 0.0, "path": 0.0, "steps": 0.0, "bridleway": 0.0,
    "raceway": 150.0, "rail": 100.0, "light_rail": 60.0, "subway": 60.0, "tram": 40.0, "narrow_gauge": 50.0,
    "river": 0.0, "stream": 0.0, "canal": 0.0, "drain": 0.0, "ditch": 0.0,
}  # fmt: skip
"""Speeds [km/h] that are usual on OpenStreetMap's classes of roads, rails and waters; some never bank."""
WORDS = {"none": 130.0, "walk": 7.0}
"""Speed limits in words: no limit is the speed that Germany recommends then."""
UNITS = {"": 1.0, "kmh": 1.0, "km/h": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}
NUMBER = re.compile(r"(\d+(?:\.\d+)?) ?([a-z/]*) ?(?:[;|,].*)?")


def design_speeds(features: Features, speed: float | str | None, report: Report) -> Floats:
    """Give the design speed of each feature in km/h, shape (F,).

    It is read off a column of speed limits; where that says nothing, the class of the road is looked up in
    `SPEEDS`, and what has no such class gets `ORDINARY`.

    Parameters
    ----------
    features : Features
        Attributes.
    speed : float or str, optional
        One speed for all, or the column; default: ``maxspeed``, if there is one.
    report : Report
        Told how many speeds came from where.

    Raises
    ------
    OptionError
        When there is no such column.
    """
    if isinstance(speed, (int, float)):
        return np.full(len(features), float(speed))
    if speed is not None and speed not in features.columns:
        there = ", ".join(features.columns) or "none"
        raise OptionError(f"there is no column {speed!r} to take the design speed from; there is {there}")
    column = features.columns.get(LIMIT if speed is None else speed)
    unknown = np.full(len(features), np.nan)
    limit = unknown if column is None else _looked_up(column, read_speed)
    usual = unknown
    for name in (name for name in features.columns if name.lower() in CLASSES):
        usual = np.where(np.isnan(usual), _looked_up(features.columns[name], _of_class), usual)
    _tell(limit, usual, LIMIT if speed is None else speed, report)
    speeds: Floats = np.where(np.isnan(limit), np.where(np.isnan(usual), ORDINARY, usual), limit)
    return speeds


def read_speed(text: str) -> float:
    """Read a speed limit in km/h as OpenStreetMap writes it: "50", "30 mph", "none"; NaN = it is none."""
    text = text.strip().lower()
    found = NUMBER.fullmatch(text)
    if found is None:
        return WORDS.get(text, np.nan)
    return float(found[1]) * UNITS.get(found[2], np.nan) or np.nan


def _of_class(text: str) -> float:
    return SPEEDS.get(text.strip().lower(), np.nan)


def _looked_up(column: Column, number: Callable[[str], float]) -> Floats:
    """Read each different value of a column once; NaN where there is none."""
    texts, row = np.unique(np.where(column.null, "", column.values.astype(str)), return_inverse=True)
    values: Floats = np.array([number(text) for text in texts.tolist()], float)[row.reshape(-1)]
    return values


def _tell(limit: Floats, usual: Floats, column: str, report: Report) -> None:
    read: Bools = ~np.isnan(limit)
    by_class = ~read & ~np.isnan(usual)
    sources = {
        f"from the column {column}": int(read.sum()),
        "by road class": int(by_class.sum()),
        f"taken as {ORDINARY:g} km/h": int((~read & ~by_class).sum()),
    }
    said = [f"{where} for {number} features" for where, number in sources.items() if number]
    if said:
        report.note(f"design speeds: {', '.join(said)} (--design-speed sets them)")
