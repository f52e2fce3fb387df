"""Scene frames: a scene's coordinates are a CRS, so that PROJ, GDAL and QGIS can place it."""

from __future__ import annotations

from .build import engineering_frame, map_frame, topocentric_frame
from .choose import require_metres, scene_frame
from .crs import WGS84, parse_crs, same
from .describe import Description, base_of, describe
from .distortion import Distortion, distortion
from .misread import misread
from .operations import transform, transform_vectors
from .origin import Origin, parse_origin
from .recreate import options_for, origin_in_base

__all__ = [
    "WGS84",
    "Description",
    "Distortion",
    "Origin",
    "base_of",
    "describe",
    "distortion",
    "engineering_frame",
    "map_frame",
    "misread",
    "options_for",
    "origin_in_base",
    "parse_crs",
    "parse_origin",
    "require_metres",
    "same",
    "scene_frame",
    "topocentric_frame",
    "transform",
    "transform_vectors",
]
