"""Which operations keep straight lines straight."""

from __future__ import annotations

import re

from pyproj import CRS

from .crs import lowered, place_of, same
from .operations import operation, pairs
from .places import place_between

_AFFINE = {"affine", "axisswap", "noop", "pipeline", "unitconvert"}
"""PROJ's steps between two CRSs of one projection."""


def keeps_straight(source: CRS | None, target: CRS | None) -> bool:
    """Tell whether straight lines stay straight on the way, because nothing is projected.

    False also where only one of both has a place on Earth, so that there is no way.

    Parameters
    ----------
    source, target : pyproj.CRS or None
        As in `transform`.

    Raises
    ------
    GeoreferenceError
        As `transform`.
    """
    source, target = place_of(source), place_of(target)
    if same(source, target):
        return True
    first, last = lowered(source)[0], lowered(target)[0]
    if first is None or last is None:
        return False
    place = place_between(first, last)
    ways = [operation(one, other, place).definition for one, other, _ in pairs(first, last)]
    steps = [set(re.findall(r"proj=(\w+)", way)) for way in ways]
    return all(step and step <= _AFFINE for step in steps)  # none where PROJ chooses for each point
