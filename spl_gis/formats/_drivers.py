"""What is written by which GDAL driver, and what each cannot hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..errors import FormatError

_LISTS = ("IntegerList", "Integer64List", "RealList", "StringList")


@dataclass(frozen=True)
class Driver:
    """One format for writing.

    Attributes
    ----------
    name : str
        GDAL's name of the driver.
    ids : bool
        Whether it keeps feature ids that it is given.
    blank_heights : bool
        Whether a vertex may have no height (NaN) among others that have one.
    mixed : bool
        Whether single and multiple lines may be in one layer.
    place : str
        How it says where it is: "wkt" = any CRS, "wkt1" = any but that of a scene, "name" = a CRS with a
        code, "code" = the same, and WGS 84 without, "wgs84" = it is always WGS 84 (GDAL transforms to it),
        "" = not at all.
    sorts : bool
        Whether it puts the features in an order of its own.
    layer : str, optional
        The only name that a layer can have.
    layers : bool
        Whether a file can hold several layers.
    types : tuple of str, optional
        OGR types and subtypes that it holds; None = the written file is asked.
    tells : bool
        Whether GDAL tells when the disk is full; if not, what was written is read again.
    options, layer_options : dict
        GDAL creation options.
    """

    name: str
    ids: bool = False
    blank_heights: bool = False
    mixed: bool = True
    place: str = "wkt"
    sorts: bool = False
    layer: str | None = None
    layers: bool = False
    types: tuple[str, ...] | None = None
    tells: bool = False
    options: dict[str, str] = field(default_factory=dict)
    layer_options: dict[str, str] = field(default_factory=dict)


_GEOJSON = (
    *(
        "Integer",
        "Integer64",
        "Real",
        "String",
        "Boolean",
        "JSON",
        "Date",
        "Time",
        "DateTime",
        "Int16",
        "Float32",
    ),
    *_LISTS,
)

DRIVERS = {
    ".gpkg": Driver("GPKG", ids=True, blank_heights=True, layers=True, tells=True),
    ".geojson": Driver("GeoJSON", ids=True, place="code", types=_GEOJSON),
    ".json": Driver("GeoJSON", ids=True, place="code", types=_GEOJSON),
    ".geojsonl": Driver("GeoJSONSeq", ids=True, place="wgs84", types=_GEOJSON),
    ".shp": Driver("ESRI Shapefile", place="wkt1", tells=True),
    ".fgb": Driver("FlatGeobuf", blank_heights=True, mixed=False, sorts=True),
    ".gml": Driver("GML", mixed=False, place="name"),
    ".kml": Driver("LIBKML", place="wgs84", types=("Integer", "Real", "String")),
    ".dxf": Driver("DXF", place="", layer="entities", types=()),
    ".parquet": Driver("Parquet"),
}
"""Drivers for writing, by suffix."""


def driver_for(path: Path) -> Driver:
    """Give the driver for the suffix of a file.

    Raises
    ------
    FormatError
        When the suffix says nothing; it lists the ones that do.
    """
    try:
        return DRIVERS[path.suffix.lower()]
    except KeyError:
        known = ", ".join(DRIVERS)
        raise FormatError(
            f"cannot tell the format from the suffix {path.suffix!r}: use one of {known}", path=path
        ) from None
