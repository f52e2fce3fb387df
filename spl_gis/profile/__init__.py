"""Profiles: the heights along roads, and the curves that follow them."""

from .stations import Roads, Stations, take_stations

__all__ = ["Roads", "Stations", "take_stations"]
