"""What passes between the two engines and `vector`: layers as the file has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

from numpy.typing import NDArray

from ..model import Column, Ints
from ._geometry import Shapes

ARC_STEP = 0.25
"""Degrees between two vertices of a linearised arc: the polyline stays within 2.4e-6 radii of the arc."""

READ_OPTIONS = {"OGR_ARC_STEPSIZE": str(ARC_STEP), "OSM_USE_CUSTOM_INDEXING": "NO", "GPX_ELE_AS_25D": "YES"}
"""GDAL configuration while a file is read."""


class LayerInfo(NamedTuple):
    """Name of a layer, its geometry type ("" = it has none), and how many features it has (-1 = unknown)."""

    name: str
    geometry: str
    features: int


@dataclass(frozen=True)
class Query:
    """What to read: a GDAL path, a layer, what limits it, and whether the user says in which CRS it is."""

    path: str
    layer: str
    where: str | None = None
    bbox: tuple[float, float, float, float] | None = None
    encoding: str | None = None
    placed: bool = False


@dataclass(frozen=True)
class RawLayer:
    """A layer as an engine gives it.

    Attributes
    ----------
    fid, columns
        As in `Features`.
    shapes : Shapes
        The lines in its geometries.
    crs : str
        Authority code, WKT2 or PROJJSON; "" when the file names none.
    geometries : callable
        Gives the whole geometries of some rows as WKB, None where there is none.
    """

    fid: Ints
    columns: Mapping[str, Column]
    shapes: Shapes
    crs: str
    geometries: Callable[[Ints], NDArray[Any]]


@dataclass(frozen=True)
class Output:
    """What an engine shall write.

    Attributes
    ----------
    path, layer, driver : str
        File, layer and GDAL driver.
    geometry : str
        Geometry type of the layer, such as ``LineString Z``.
    wkb : ndarray of bytes, shape (R,)
        Geometries.
    columns : mapping of str to Column
        Attributes.
    fid : ndarray, shape (R,), or None
        Feature ids, None = the driver numbers them.
    crs : str
        Authority code or WKT2, "" = none.
    dataset_options, layer_options : mapping of str to str
        GDAL creation options.
    """

    path: str
    layer: str
    driver: str
    geometry: str
    wkb: NDArray[Any]
    columns: Mapping[str, Column]
    fid: Ints | None
    crs: str
    dataset_options: Mapping[str, str]
    layer_options: Mapping[str, str]
