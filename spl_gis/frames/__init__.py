"""Scene frames: a scene's coordinates are a CRS, so that PROJ, GDAL and QGIS can place it."""

from __future__ import annotations

from .build import engineering_frame, map_frame, topocentric_frame
from .choose import require_metres, scene_frame
from .crs import WGS84, parse_crs, same
from .describe import Description, base_of, describe
from .node import Node, at_node, node_amid, node_of, parse_node, scene_of
from .operations import transform, transform_vectors
from .origin import Origin, parse_origin

__all__ = [
    "WGS84",
    "Description",
    "Node",
    "Origin",
    "at_node",
    "base_of",
    "describe",
    "engineering_frame",
    "map_frame",
    "node_amid",
    "node_of",
    "parse_crs",
    "parse_node",
    "parse_origin",
    "require_metres",
    "same",
    "scene_frame",
    "scene_of",
    "topocentric_frame",
    "transform",
    "transform_vectors",
]
