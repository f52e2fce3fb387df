"""Profiles: the heights along roads, and the curves that follow them."""

from .clearance import Ramps, keep_clearance
from .drape import profile_of, road_heights
from .fit import Fitted, Limits, fit_heights
from .grade import limit_grade
from .loops import falls_between
from .missing import bridge_unknown
from .over import Overpasses, overpasses
from .share import share_heights
from .smooth import smooth_along
from .spans import span_structures
from .stations import Roads, Stations, take_stations
from .steps import Steps

__all__ = [
    "Fitted",
    "Limits",
    "Overpasses",
    "Ramps",
    "Roads",
    "Stations",
    "Steps",
    "bridge_unknown",
    "falls_between",
    "fit_heights",
    "keep_clearance",
    "limit_grade",
    "overpasses",
    "profile_of",
    "road_heights",
    "share_heights",
    "smooth_along",
    "span_structures",
    "take_stations",
]
