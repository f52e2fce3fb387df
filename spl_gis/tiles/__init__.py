"""One network to many scenes, for worlds that are too large for one, and back."""

from .files import INDEX, Extents, read_tiles, write_index, write_tiles
from .split import REACH, STEP, Tile, check_sizes, join, split

__all__ = [
    "INDEX",
    "REACH",
    "STEP",
    "Extents",
    "Tile",
    "check_sizes",
    "join",
    "read_tiles",
    "split",
    "write_index",
    "write_tiles",
]
