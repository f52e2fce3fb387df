"""Scene frames: a scene's coordinates are a CRS, so that PROJ, GDAL and QGIS can place it."""

from __future__ import annotations

from .account import Account, account
from .build import LOCAL, engineering_frame, local_base, map_frame
from .choose import require_metres, scene_frame
from .crs import WGS84, parse_crs, place_of, same
from .describe import Description, base_of, describe
from .distortion import Distortion, distortion
from .heights import heights_in_feet, heights_left
from .misread import misread
from .node import FARTHEST, Node, at_node, node_amid, node_of, parse_node, scene_of, without_height
from .operations import is_topocentric, transform, transform_vectors
from .origin import Origin, parse_origin
from .places import ground_distance, own_lonlat
from .reach import area_of, comes_back, outside
from .recreate import options_for, origin_in_base
from .straight import keeps_straight
from .topocentric import NORMAL, UNIGINE, UPS, topocentric_frame

__all__ = [
    "FARTHEST",
    "LOCAL",
    "NORMAL",
    "UNIGINE",
    "UPS",
    "WGS84",
    "Account",
    "Description",
    "Distortion",
    "Node",
    "Origin",
    "account",
    "area_of",
    "at_node",
    "base_of",
    "comes_back",
    "describe",
    "distortion",
    "engineering_frame",
    "ground_distance",
    "heights_in_feet",
    "heights_left",
    "is_topocentric",
    "keeps_straight",
    "local_base",
    "map_frame",
    "misread",
    "node_amid",
    "node_of",
    "options_for",
    "origin_in_base",
    "outside",
    "own_lonlat",
    "parse_crs",
    "parse_node",
    "parse_origin",
    "place_of",
    "require_metres",
    "same",
    "scene_frame",
    "scene_of",
    "topocentric_frame",
    "transform",
    "transform_vectors",
    "without_height",
]
