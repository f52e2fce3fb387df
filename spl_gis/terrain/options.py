"""What a job may say about heights."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import OptionError
from .surface import Surface

MODES = ("replace", "fill", "add")
"""What becomes of the lines' own heights: they are replaced, kept where there are some, or added to."""


@dataclass(frozen=True)
class HeightOptions:
    """Where heights come from.

    Attributes
    ----------
    source : str or float, optional
        A column of the features, or a number: heights as the lines could have them, in their CRS. Default:
        the lines' own heights.
    surface : Surface, optional
        Heights are those of the ground; instead of `source`.
    mode : str
        What becomes of the lines' own heights when there is a `source` or a `surface`: one of `MODES`.
    offset : float
        Added to all heights at the end, in metres of the scene.
    smooth : float, optional
        Length [m] along a road over which the profile of the ground is smoothed; 0 = none. Default: by the
        class of the road.
    max_grade : float, optional
        Greatest rise over run (0.08 = 8 %) of a road that lies on the ground. Default: no limit.
    clearance : float
        How far [m] a deck stays above the road that it crosses.
    """

    source: str | float | None = None
    surface: Surface | None = None
    mode: str = "replace"
    offset: float = 0.0
    smooth: float | None = None
    max_grade: float | None = None
    clearance: float = 5.0

    def __post_init__(self) -> None:
        if self.source is not None and self.surface is not None:
            raise OptionError("heights come from a surface, or from a column or number, not from both")
        if self.mode not in MODES:
            raise OptionError(f"the mode of heights must be one of {', '.join(MODES)}, not {self.mode!r}")
        for name in ("source", "offset"):
            value = getattr(self, name)
            if isinstance(value, (int, float)) and not math.isfinite(value):
                raise OptionError(f"{name} must be a finite height, not {value!r}")
        for name in ("smooth", "clearance"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise OptionError(f"{name} must be a length of 0 m or more, not {value!r}")
        if self.max_grade is not None and not 0 < self.max_grade < math.inf:
            raise OptionError(f"max_grade must be a rise over run above 0, not {self.max_grade!r}")
