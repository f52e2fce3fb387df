"""One network to many scenes, for worlds that are too large for one, and back."""

from .files import INDEX, read_tiles, write_index, write_tiles
from .split import REACH, STEP, Tile, join, split

__all__ = ["INDEX", "REACH", "STEP", "Tile", "join", "read_tiles", "split", "write_index", "write_tiles"]
