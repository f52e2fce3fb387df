"""The core's nouns to features of QGIS."""

from __future__ import annotations

import numpy as np
from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsGeometry,
    QgsProcessingException,
    QgsVectorDataProvider,
    QgsVectorFileWriter,
    QgsWkbTypes,
)

from ..spl_gis.model import Points
from ..spl_gis.report import silent
from ..spl_gis.tiles import Extents
from . import wkb
from .crs import to_qgis
from .table import attributes_of, fields_of

CHUNK = 1000
"""Features that are handed over at a time."""


def lines_type(lines):
    """Give the geometry type of a layer for lines, with Z if one has a height."""
    many = bool((lines.part >= 0).any()) or len(np.unique(lines.feature)) < len(lines)
    flat = QgsWkbTypes.Type.MultiLineString if many else QgsWkbTypes.Type.LineString
    return flat if lines.planar else QgsWkbTypes.addZ(flat)


def points_type(points):
    """Give the geometry type of a layer for points."""
    return QgsWkbTypes.Type.PointZ if _deep(points) else QgsWkbTypes.Type.Point


def _deep(points):
    return not np.isnan(points.coords[:, 2]).all()


def features_of(data):
    """Give geometries, as WKB, and attributes: of points, extents, or of the features that have lines."""
    if isinstance(data, Points):
        return wkb.point_blobs(data.coords, _deep(data)), attributes_of(data.features)
    if isinstance(data, Extents):
        return wkb.polygon_blobs(data.corners), attributes_of(data.features)
    order = np.lexsort([data.part, data.feature])
    deep = not data.planar
    blobs = wkb.line_blobs(data.coords, data.offsets, deep)
    rows, start = np.unique(data.feature[order], return_index=True)
    ends = np.append(start, len(order)).tolist()
    many = QgsWkbTypes.isMultiType(lines_type(data))
    shapes = [
        wkb.multiline_blob([blobs[i] for i in order[a:b].tolist()], deep) if many else blobs[order[a]]
        for a, b in zip(ends, ends[1:])
    ]
    return shapes, attributes_of(data.features.take(rows))


def write_features(sink, data, progress):
    """Hand lines, points or extents over to a sink.

    Raises
    ------
    QgsProcessingException
        When the sink refuses a feature.
    """
    # to a layer in memory the fields are not new, and it is quicker without them
    fields = QgsFields() if isinstance(sink, QgsVectorDataProvider) else fields_of(data.features)
    rows = list(zip(*features_of(data)))
    for start in range(0, len(rows), CHUNK):
        progress(start / len(rows), "writing")
        some = [_feature(fields, blob, values) for blob, values in rows[start : start + CHUNK]]
        if not sink.addFeatures(some, QgsFeatureSink.Flag.FastInsert):
            raise QgsProcessingException(sink.lastError())
    sink.flushBuffer()


def write_extents(data, path, context):
    """Write extents to a new GeoPackage.

    Parameters
    ----------
    data : Extents
        Of tiles.
    path : Path
        The file.
    context : QgsCoordinateTransformContext
        QGIS asks for it.

    Raises
    ------
    QgsProcessingException
        When it cannot be written.
    """
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.layerName = "GPKG", data.features.layer
    kind, crs = QgsWkbTypes.Type.Polygon, to_qgis(data.crs)
    writer = QgsVectorFileWriter.create(str(path), fields_of(data.features), kind, crs, context, options)
    if writer.hasError() != QgsVectorFileWriter.WriterError.NoError:
        raise QgsProcessingException(writer.errorMessage())
    write_features(writer, data, silent)


def _feature(fields, blob, values):
    feature = QgsFeature(fields)
    if blob:
        geometry = QgsGeometry()
        geometry.fromWkb(blob)
        feature.setGeometry(geometry)
    feature.setAttributes(values)
    return feature
