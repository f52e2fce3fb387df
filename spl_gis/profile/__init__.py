"""Profiles: the heights along roads, and the curves that follow them."""

from .drape import fit_within_grade, road_heights
from .fit import Fitted, fit_heights
from .grade import limit_grade
from .missing import bridge_unknown
from .share import share_heights
from .smooth import smooth_along
from .stations import Roads, Stations, take_stations

__all__ = [
    "Fitted",
    "Roads",
    "Stations",
    "bridge_unknown",
    "fit_heights",
    "fit_within_grade",
    "limit_grade",
    "road_heights",
    "share_heights",
    "smooth_along",
    "take_stations",
]
