"""Profiles: the heights along roads, and the curves that follow them."""

from .clearance import Ramps, keep_clearance
from .drape import fit_within_grade, road_heights
from .fit import Fitted, fit_heights
from .grade import limit_grade
from .missing import bridge_unknown
from .over import Overpasses, overpasses
from .share import share_heights
from .smooth import smooth_along
from .spans import span_structures
from .stations import Roads, Stations, take_stations

__all__ = [
    "Fitted",
    "Overpasses",
    "Ramps",
    "Roads",
    "Stations",
    "bridge_unknown",
    "fit_heights",
    "fit_within_grade",
    "keep_clearance",
    "limit_grade",
    "overpasses",
    "road_heights",
    "share_heights",
    "smooth_along",
    "span_structures",
    "take_stations",
]
