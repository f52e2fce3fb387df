"""Profiles: the heights along roads, and the curves that follow them."""

from .drape import profile_of, road_heights
from .fit import Fitted, Limits, fit_heights
from .grade import limit_grade
from .missing import bridge_unknown
from .share import share_heights
from .smooth import smooth_along
from .stations import Roads, Stations, take_stations
from .steps import Steps

__all__ = [
    "Fitted",
    "Limits",
    "Roads",
    "Stations",
    "Steps",
    "bridge_unknown",
    "fit_heights",
    "limit_grade",
    "profile_of",
    "road_heights",
    "share_heights",
    "smooth_along",
    "take_stations",
]
