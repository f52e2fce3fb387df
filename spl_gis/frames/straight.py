"""Which operations keep straight lines straight."""

from __future__ import annotations

import re

from pyproj import CRS

from .crs import lowered, place_of, same
from .operations import _both, _legs

_AFFINE = {"affine", "axisswap", "noop", "pipeline", "unitconvert"}
"""PROJ's steps between two CRSs of one projection."""


def keeps_straight(source: CRS | None, target: CRS | None) -> bool:
    """Tell whether straight lines stay straight on the way, because nothing is projected.

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
    legs = _legs(*_both(lowered(source)[0], lowered(target)[0]), None)
    steps = [set(re.findall(r"proj=(\w+)", operation.definition)) for operation, _ in legs]
    return all(step and step <= _AFFINE for step in steps)  # none where PROJ chooses for each point
