"""Layers of QGIS to the core's nouns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from qgis.core import QgsFeatureRequest, QgsGeometry, QgsProcessingFeatureSource, QgsWkbTypes

from ..spl_gis import doubts
from ..spl_gis.formats._geometry import Shapes
from ..spl_gis.formats._osm import own_columns
from ..spl_gis.formats.vector import lines_of
from ..spl_gis.model import Features, Points
from . import wkb
from .crs import to_pyproj
from .table import columns_of

ARC_STEP = math.radians(0.25)
"""Angle between two vertices of an arc: the core's own step when it reads with GDAL."""


class Layer(NamedTuple):
    """A layer as QGIS gives it.

    Attributes
    ----------
    features : Features
        All rows.
    geometries : list of QgsGeometry
        Their geometries.
    crs : pyproj.CRS or None
        CRS of the geometries.
    """

    features: Features
    geometries: list
    crs: object


def read_layer(source, progress, layer=None):
    """Read all features of a source.

    Parameters
    ----------
    source : QgsFeatureSource
        A layer, or the selected features of one.
    progress : Progress
        Told how far it is; may raise to cancel.
    layer : QgsVectorLayer, optional
        Where the source comes from. Of a file, the column that QGIS makes of the feature ids is left out.
    """
    total = max(source.featureCount(), 1)
    fid, values, geometries = [], [], []
    for number, feature in enumerate(_features(source)):
        if number % 500 == 0:
            progress(min(number / total, 1.0), "reading")
        fid.append(feature.id())
        values.append(feature.attributes())
        geometries.append(feature.geometry())
    fids = np.array(fid, np.int64)
    columns = columns_of(source.fields(), values)
    for name in _id_fields(layer):
        columns.pop(name, None)
    columns = own_columns(columns) if {"osm_id", "other_tags"} <= set(columns) else columns
    return Layer(Features(fids, columns, source.sourceName()), geometries, to_pyproj(source.sourceCrs()))


def _features(source):
    """Give all features: the core says what is wrong with a geometry, and which."""
    if isinstance(source, QgsProcessingFeatureSource):
        unchecked = QgsProcessingFeatureSource.Flag.FlagSkipGeometryValidityChecks
        return source.getFeatures(QgsFeatureRequest(), unchecked)
    return source.getFeatures()


def _id_fields(layer):
    """Name the fields that hold the feature ids of a file, as GeoPackages have them."""
    if layer is None or layer.providerType() != "ogr":
        return []
    return [layer.fields()[number].name() for number in layer.primaryKeyAttributes()]


def read_lines(layer: Layer, report):
    """Take the lines of a layer; what is no line is refused or mended, and the report told."""
    said = type(report)()
    lines = lines_of(_shapes(layer.geometries), layer.features, layer.crs, said)
    doubts.about_lines(lines, said)
    report.add(said, layer.features.layer)
    return lines


def read_points(layer: Layer):
    """Take the points of a layer; features without one are left out."""
    blobs = [_blob(geometry) for geometry in layer.geometries]
    coords = wkb.point_coords(blobs)
    good = np.flatnonzero(np.isfinite(coords[:, :2]).all(axis=1))
    return Points(coords[good], layer.features.take(good), layer.crs)


def _blob(geometry):
    return b"" if geometry.isNull() else geometry.asWkb().data()


def _shapes(geometries) -> Shapes:
    """Give the lines in geometries; arcs become polylines."""
    blobs, rows, others = [], [], np.zeros(len(geometries), np.int64)
    kinds = np.empty(len(geometries), object)
    for row, geometry in enumerate(geometries):
        kinds[row], members, others[row] = _members(geometry)
        blobs += members
        rows += [row] * len(members)
    coords, offsets = wkb.line_coords(blobs)
    return Shapes(coords, offsets, np.array(rows, np.int64), kinds, others)


def _members(geometry):
    """Give the name of a geometry's type, the WKB of its lines, and how many other members it has."""
    if geometry.isNull():
        return "", [], 0
    kind = QgsWkbTypes.flatType(geometry.wkbType())
    name = QgsWkbTypes.displayString(kind)
    if name == "GeometryCollection":
        found = [_members(member) for member in geometry.asGeometryCollection()]
        lines = [blob for _, blobs, _ in found for blob in blobs]
        return name, lines, sum(not blobs for _, blobs, _ in found)
    if name in ("CircularString", "CompoundCurve", "MultiCurve"):
        geometry = QgsGeometry(geometry.constGet().segmentize(ARC_STEP))
        name = QgsWkbTypes.displayString(QgsWkbTypes.flatType(geometry.wkbType()))
    if name in ("LineString", "MultiLineString"):
        return name, wkb.parts(_blob(geometry)), 0
    return name, [], 0
