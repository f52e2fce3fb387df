"""Heights that nobody gave: those that QGIS puts on vertices drawn where there is nothing to snap to."""

from __future__ import annotations

import dataclasses

import numpy as np
from qgis.core import QgsSettings

KEYS = ("qgis/digitizing/default-z-value", "digitizing/default-z-value")
"""Where QGIS keeps the height of new vertices, up to 3.28 and later."""

LEAST = 10.0
"""A height that is less than this [m] away from the others may be meant."""


def without_default_heights(lines, report):
    """Take the height that QGIS gives to new vertices for unknown, where it cannot be meant.

    That is where it is further away from all other heights than those are from one another, and than 10 m: a
    road drawn in a town 200 m above the sea does not go down to it.

    Parameters
    ----------
    lines : LineStrings
        A layer that was edited in QGIS.
    report : Report
        Told how many vertices there were.
    """
    default = _default()
    heights = lines.coords[:, 2]
    mine = heights == default
    others = heights[~mine & ~np.isnan(heights)]
    if not mine.any() or len(others) == 0:
        return lines
    away = max(others.min() - default, default - others.max())
    if away <= max(LEAST, float(np.ptp(others))):
        return lines
    report.note(
        f"{mine.sum()} vertices have the height {default:g}, which QGIS gives to new ones, far from all "
        "others: it is taken for unknown, and they get those of their neighbours"
    )
    coords = np.where(mine[:, None] & np.array([False, False, True]), np.nan, lines.coords)
    return dataclasses.replace(lines, coords=coords)


def _default():
    settings = QgsSettings()
    found = [settings.value(key) for key in KEYS if settings.contains(key)]
    return float(found[0]) if found else 0.0
