"""Between QGIS (layers, fields, CRSs) and the core's nouns (LineStrings, Points, Features).

Geometries pass as WKB and arrays, so that no Python runs for each vertex.
"""

from .crs import to_pyproj, to_qgis
from .haste import quickly
from .heights import without_default_heights
from .raster import ground_of
from .sinks import features_of, lines_type, points_type, write_extents, write_features
from .sources import Layer, read_layer, read_lines, read_points
from .table import fields_of
from .transforms import user_transform

__all__ = [
    "Layer",
    "features_of",
    "fields_of",
    "ground_of",
    "lines_type",
    "points_type",
    "quickly",
    "read_layer",
    "read_lines",
    "read_points",
    "to_pyproj",
    "to_qgis",
    "user_transform",
    "without_default_heights",
    "write_extents",
    "write_features",
]
