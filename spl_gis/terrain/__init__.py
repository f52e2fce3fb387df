"""Heights: where they come from, and what is known of the ground."""

from .missing import fill_heights, shared_heights
from .options import MODES, HeightOptions
from .surface import Surface, normals

__all__ = ["MODES", "HeightOptions", "Surface", "fill_heights", "normals", "shared_heights"]
