"""Heights: where they come from, and what is known of the ground."""

from .cells import Affine, Raster, Reader, Window
from .doubts import doubted, metres_of
from .flat import Flat
from .ground import Ground
from .missing import fill_heights, shared_heights
from .options import MODES, HeightOptions
from .read import read_terrain, tell_ground
from .sentinels import sentinels
from .surface import Surface, normals

__all__ = [
    "MODES",
    "Affine",
    "Flat",
    "Ground",
    "HeightOptions",
    "Raster",
    "Reader",
    "Surface",
    "Window",
    "doubted",
    "fill_heights",
    "metres_of",
    "normals",
    "read_terrain",
    "sentinels",
    "shared_heights",
    "tell_ground",
]
