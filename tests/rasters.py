"""Files of heights that hold an exact surface, written in all the ways that people write them."""

from __future__ import annotations

import gzip
import zipfile

import numpy as np
import rasterio
from rasterio.transform import Affine as RasterioAffine

from spl_gis import frames
from spl_gis.terrain import Affine

NORTH_UP = Affine(10, 0, -600, 0, -10, 500)
"""120 x 100 cells of 10 m around the scene's origin."""

COS, SIN = 10 * np.cos(np.radians(30)), 10 * np.sin(np.radians(30))
ORIENTATIONS = {
    "north up": NORTH_UP,
    "south up": Affine(10, 0, -600, 0, 10, -500),
    "west up": Affine(-10, 0, 600, 0, -10, 500),
    "oblong cells": Affine(10, 0, -600, 0, -7, 350),
    "turned": Affine(COS, -SIN, -200, -SIN, -COS, 700),
    "sheared": Affine(10, 3, -700, -2, -9, 550),
}
SHAPE = 100, 120


def centres(affine, shape=SHAPE):
    """Give x and y of the centres of all cells."""
    row, column = np.mgrid[: shape[0], : shape[1]] + 0.5
    return affine.a * column + affine.b * row + affine.c, affine.d * column + affine.e * row + affine.f


def cells(surface, affine, shape=SHAPE, crs=None, frame=None):
    """Give the heights of a surface of the scene at the centres of cells."""
    x, y = (each.ravel() for each in centres(affine, shape))
    if crs is not None:
        x, y, _ = frames.transform(np.column_stack([x, y, np.zeros(len(x))]), crs, frame).T
    return surface.heights(x, y).reshape(shape)


def tiff(
    path, data, affine=NORTH_UP, crs=None, *, point=False, unit=None, driver="GTiff", scale=None, **more
):
    """Write a GeoTIFF (or another format) of one band."""
    more = {"dtype": str(data.dtype), "nodata": None, **more}
    crs = None if crs is None else crs.to_wkt("WKT2_2019")
    rows, columns = data.shape
    with rasterio.open(
        path,
        "w",
        driver=driver,
        width=columns,
        height=rows,
        count=1,
        transform=RasterioAffine(*affine),
        crs=crs,
        **more,
    ) as file:
        if point:
            file.update_tags(AREA_OR_POINT="Point")
        if unit is not None:
            file.units = (unit,)
        if scale is not None:
            file.scales, file.offsets = (scale[0],), (scale[1],)
        file.write(data, 1)
    return path


def text(data):
    return "\n".join(" ".join(f"{value:.17g}" for value in row) for row in data.tolist()) + "\n"


def esri(path, data, affine=NORTH_UP, *, centre=False, nodata=None):
    """Write an ESRI ASCII grid, placed by the corner or the centre of its cell in the south-west."""
    west, south, word = affine.c, affine.f + affine.e * len(data), "corner"
    if centre:
        west, south, word = west + affine.a / 2, south + affine.a / 2, "center"
    head = f"ncols {data.shape[1]}\nnrows {len(data)}\nxll{word} {west}\nyll{word} {south}\n"
    head += f"cellsize {affine.a}\n"
    head += "" if nodata is None else f"NODATA_value {nodata}\n"
    path.write_text(head + text(data))
    return path


def grass(path, data, affine=NORTH_UP, null=None):
    """Write a GRASS ASCII grid, zipped; unknown cells are stars unless there is a number for them."""
    north, south = affine.f, affine.f + affine.e * len(data)
    east, west = affine.c + affine.a * data.shape[1], affine.c
    head = f"north: {north}\nsouth: {south}\neast: {east}\nwest: {west}\n"
    head += f"rows: {len(data)}\ncols: {data.shape[1]}\n"
    head += "" if null is None else f"null: {null}\n"
    with gzip.open(path, "wt") as file:
        file.write(head + text(data).replace("nan", "*" if null is None else str(null)))
    return path


def hgt(path, data):
    """Write a tile of SRTM with 1201 x 1201 heights on whole seconds, both edges included, in a zip file."""
    assert data.shape == (1201, 1201)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("N49E014.hgt", data.astype(">i2").tobytes())
    return path
