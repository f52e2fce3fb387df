"""Raster layers of QGIS as the ground."""

from __future__ import annotations

import warnings

import numpy as np
from qgis.core import Qgis, QgsRectangle

from ..spl_gis import frames
from ..spl_gis.errors import FormatError
from ..spl_gis.model import Features, Points
from ..spl_gis.terrain import Affine, Ground, doubted, metres_of, tell_ground
from .crs import to_pyproj
from .transforms import chosen, user_transform


class RasterLayer:
    """The first band of a layer as a `Raster` of the core; QGIS gives it in blocks, without turns.

    Parameters
    ----------
    layer : QgsRasterLayer
        The heights.
    report : Report
        Told what has to be assumed of them.
    default_crs : pyproj.CRS or None
        CRS of a layer that has none.
    nodata : float, optional
        A number that means unknown, besides what the layer says.
    """

    def __init__(self, layer, report, default_crs=None, nodata=None):
        provider, extent = layer.dataProvider(), layer.extent()
        self.name = layer.name()
        self.shape = provider.ySize(), provider.xSize()
        if not all(self.shape):
            raise FormatError("the layer has no cells of its own to take heights from", path=self.name)
        rows, columns = self.shape
        self.affine = Affine(
            *(extent.width() / columns, 0.0, extent.xMinimum()),
            *(0.0, -extent.height() / rows, extent.yMaximum()),
        )
        own = to_pyproj(layer.crs())
        self.crs = default_crs if own is None else own
        if own is None and default_crs is not None:
            report.note(f"{self.name} has no CRS: taken for that of the lines, {default_crs.name}")
        deep = self.crs is not None and len(self.crs.axis_info) > 2
        self.unit = 1.0 if deep else metres_of(_unit(layer), self.name, report)
        self._provider = provider.clone()  # providers belong to one thread
        self._nodata, self._report = nodata, report

    def opened(self):
        """Open it for reading."""
        declared = self._nodata is not None or self._provider.sourceHasNoDataValue(1)
        return doubted(self._read, self.name, self.unit, declared, self._report)

    def _read(self, window):
        size = window.right - window.left, window.bottom - window.top
        left, right = (self.affine.c + self.affine.a * column for column in (window.left, window.right))
        top, bottom = (self.affine.f + self.affine.e * row for row in (window.top, window.bottom))
        block = self._provider.block(1, QgsRectangle(left, bottom, right, top), *size)
        if not block.isValid() or not block.convert(Qgis.DataType.Float64):
            raise FormatError("the layer cannot be read", path=self.name)
        heights = np.frombuffer(block.data().data(), np.float64).reshape(size[::-1]).copy()
        unknown = [block.noDataValue()] if block.hasNoDataValue() else []
        for number in [*unknown, *([] if self._nodata is None else [self._nodata])]:
            heights[np.isclose(heights, number, rtol=1e-6, atol=0.0)] = np.nan
        return heights


def _unit(layer):
    """Give what a layer's file calls the unit of its heights; QGIS does not say it, GDAL does."""
    if layer.providerType() != "gdal":
        return ""
    from osgeo import gdal

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of GDAL 3.7 and later: errors will be exceptions
        data = gdal.Open(layer.source())
    return "" if data is None else data.GetRasterBand(1).GetUnitType() or ""


def ground_of(layer, frame, context, report, *, default_crs=None, nodata=None, cubic=False):
    """Make the ground of a scene of a raster layer.

    Parameters
    ----------
    layer : QgsRasterLayer
        The heights.
    frame : pyproj.CRS or None
        The scene's frame.
    context : QgsCoordinateTransformContext
        The datum shifts that the project's user chose.
    report, default_crs, nodata, cubic
        As of `spl_gis.read_terrain`.
    """
    raster = RasterLayer(layer, report, default_crs, nodata)
    ground = Ground([raster], frame, cubic, move=_mover(context))
    tell_ground(ground, report)
    return ground


def _mover(context):
    """Give what moves coordinates: by the operation that the user chose, else by PROJ's best."""

    def move(coords, source, target):
        ends = [None if crs is None else frames.base_of(crs) for crs in (source, target)]
        if None in ends or not chosen(*ends, context):
            return frames.transform(coords, source, target)
        there = frames.transform(coords, source, ends[0])
        points = Points(there, Features(np.arange(len(there))), ends[0])
        return frames.transform(user_transform(points, ends[1], context).coords, ends[1], target)

    return move
