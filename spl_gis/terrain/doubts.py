"""What is read of a raster, without numbers that cannot be heights of any ground."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..model import Floats
from ..report import Report
from .cells import Reader, Window
from .sentinels import beside_zero, no_ground, zero_is_doubtful

UNITS = {
    **dict.fromkeys(("", "m", "metre", "meter", "metres", "meters"), 1.0),
    **dict.fromkeys(("dm", "decimetre", "decimeter"), 0.1),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), 0.01),
    **dict.fromkeys(("ft", "foot", "feet", "international foot"), 0.3048),
    **dict.fromkeys(("us-ft", "ftus", "us survey foot", "us_survey_foot", "foot_us"), 1200 / 3937),
}
"""Metres of what files call the unit of their heights."""


@contextmanager
def doubted(read: Reader, name: str, unit: float, declared: bool, report: Report) -> Iterator[Reader]:
    """Give a reader that takes out numbers that are no height of any ground; what is doubtful is told.

    Parameters
    ----------
    read : callable
        Reads heights, NaN where the raster says that they are unknown.
    name : str
        What to call the raster.
    unit : float
        Metres of one unit of heights.
    declared : bool
        Whether the raster, or the user, says which number stands for unknown: then 0 is a height.
    report : Report
        Told of numbers that are no heights, and of zeros that may be none.
    """
    beside = [np.zeros(0)]

    def known(window: Window) -> Floats:
        heights = read(window)
        bad = no_ground(heights, unit)
        if bad.any():
            report.note(
                f"{name} holds numbers that are no height of any ground (such as -9999) and that it does not "
                "declare as nodata: they are taken for unknown"
            )
            heights[bad] = np.nan
        if not declared:
            beside.append(beside_zero(heights))
        return heights

    yield known
    if zero_is_doubtful(np.concatenate(beside), unit):
        report.warn(
            f"{name} does not declare what is unknown, and has cells of 0 beside high ground: if 0 stands "
            "for unknown, pass --dem-nodata 0"
        )


def metres_of(said: str, name: str, report: Report) -> float:
    """Give the metres of one unit of heights by its name; one that is not known is a warning."""
    if said.lower() not in UNITS:
        report.warn(f"{name} gives its heights in {said!r}, which is not known: they are taken for metres")
    unit = UNITS.get(said.lower(), 1.0)
    if unit != 1.0:
        report.note(f"{name} gives its heights in {said}: they become metres")
    return unit
