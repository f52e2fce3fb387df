"""What a job may say about up vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import OptionError

VERTICAL, TERRAIN, BANK = "vertical", "terrain", "bank"
SOURCES = (VERTICAL, TERRAIN, BANK)
"""What up vectors are made of; any other word is a column of the features."""
FIELD = "field:"
"""May stand in front of a column, and must where that has one of these names."""
DEGREES, PERCENT = "degrees", "percent"
UNITS = (DEGREES, PERCENT)


@dataclass(frozen=True)
class UpOptions:
    """Where up vectors come from.

    Attributes
    ----------
    source : str
        ``vertical``: all are (0, 0, 1). ``terrain``: the normal of the surface. ``bank``: superelevation by
        curvature and design speed. Anything else is a column of the features with the roll, positive where
        the road leans to the right of its line's direction; ``field:bank`` is the column ``bank``.
    unit : str
        Unit of the numbers in such a column, one of `UNITS`: degrees, or percent (the tangent of the angle).
    design_speed : float or str, optional
        In km/h, or a column with speed limits. Default: the column ``maxspeed``, else by road class.
    max_superelevation : float
        Greatest superelevation of `bank` in percent.
    runoff : float, optional
        Length [m] along the road over which the roll changes. Default: what is driven in 2 s.
    """

    source: str = VERTICAL
    unit: str = DEGREES
    design_speed: float | str | None = None
    max_superelevation: float = 8.0
    runoff: float | None = None

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise OptionError(f"the unit of roll must be one of {', '.join(UNITS)}, not {self.unit!r}")
        speed, runoff = self.design_speed, self.runoff
        if isinstance(speed, (int, float)) and not 0 < speed < math.inf:
            raise OptionError(f"design_speed must be above 0 km/h, not {speed!r}")
        if not 0 < self.max_superelevation <= 100:
            raise OptionError(
                f"max_superelevation must be above 0 and up to 100 percent, not {self.max_superelevation!r}"
            )
        if runoff is not None and not 0 <= runoff < math.inf:
            raise OptionError(f"runoff must be a length of 0 m or more, not {runoff!r}")
