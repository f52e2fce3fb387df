"""CRSs of QGIS and of pyproj."""

from __future__ import annotations

from qgis.core import QgsCoordinateReferenceSystem

from ..spl_gis.errors import GeoreferenceError
from ..spl_gis.frames import engineering_frame, parse_crs

WKT2 = QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED


def to_pyproj(crs):
    """Give the pyproj CRS of a QGIS CRS, None for an invalid one and for one without a place on Earth."""
    if not crs.isValid():
        return None
    known = crs.authid().partition(":")[0] not in ("", "USER", "CUSTOM")
    found = parse_crs(crs.authid() if known else crs.toWkt(WKT2))
    return None if found.is_engineering else found


def to_qgis(crs):
    """Give the QGIS CRS of a pyproj CRS; for a scene without a place one that QGIS does not transform.

    An invalid one would do, but layers in memory take that for longitude and latitude.

    Raises
    ------
    GeoreferenceError
        When QGIS does not understand the CRS.
    """
    crs = engineering_frame() if crs is None else crs
    identity = crs.to_json_dict().get("id")
    if identity:
        found = QgsCoordinateReferenceSystem(f"{identity['authority']}:{identity['code']}")
        if found.isValid():
            return found
    found = QgsCoordinateReferenceSystem.fromWkt(crs.to_wkt("WKT2_2019"))
    if not found.isValid():
        raise GeoreferenceError(f"QGIS does not understand the CRS {crs.name!r}: choose another --to-crs")
    return found
