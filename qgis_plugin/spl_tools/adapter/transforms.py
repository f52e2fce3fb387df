"""Datum shifts that the user chose in the project."""

from __future__ import annotations

import dataclasses

import numpy as np
from qgis.core import QgsCoordinateTransform, QgsCsException, QgsGeometry

from ..spl_gis.errors import GeoreferenceError
from . import wkb
from .crs import to_qgis


def user_transform(data, target, context):
    """Move lines or points to another CRS by the operation that the project's user chose for it.

    Parameters
    ----------
    data : LineStrings or Points
        In their CRS.
    target : pyproj.CRS or None
        The CRS wanted.
    context : QgsCoordinateTransformContext
        What the user chose.

    Returns
    -------
    LineStrings or Points
        In `target`; as they were where the user has chosen nothing, so that the core, like QGIS, takes the
        operation that PROJ finds best.
    """
    if data.crs is None or target is None or not len(data):
        return data
    if not chosen(data.crs, target, context):
        return data
    return dataclasses.replace(data, coords=shifted(data.coords, data.crs, target, context), crs=target)


def shifted(coords, source, target, context):
    """Move places, shape (K, 3), by the operation that the user chose; heights stay.

    Raises
    ------
    GeoreferenceError
        When it fails.
    """
    coords = np.array(coords)
    flat = QgsGeometry()
    flat.fromWkb(wkb.line_blobs(coords, np.array([0, len(coords)]), deep=False)[0])
    try:
        step = QgsCoordinateTransform(to_qgis(source), to_qgis(target), context)
        flat.transform(step)  # noqa: QGS201 (it raises)
    except QgsCsException as error:
        raise GeoreferenceError(f"the project's datum shift from {source.name} fails: {error}") from error
    coords[:, :2] = wkb.line_coords([flat.asWkb().data()])[0][:, :2]
    return coords


def chosen(source, target, context):
    """Tell whether the user chose an operation between two CRSs of pyproj."""
    start, aim = to_qgis(source), to_qgis(target)
    return start != aim and context.hasTransform(start, aim)
