"""Up vectors: how roads lean."""

from .angles import PLACES, grades, greatest, rolls
from .options import BANK, DEGREES, PERCENT, SOURCES, TERRAIN, UNITS, VERTICAL, UpOptions
from .ups import with_ups

__all__ = [
    "BANK",
    "DEGREES",
    "PERCENT",
    "PLACES",
    "SOURCES",
    "TERRAIN",
    "UNITS",
    "VERTICAL",
    "UpOptions",
    "grades",
    "greatest",
    "rolls",
    "with_ups",
]
