"""What GDAL hides when it reads: a look at the raw file, where that is cheap.

GDAL drops a geometry for one bad position, invents the height 0, takes an unknown CRS for WGS 84 and leaves
out ways whose nodes are not there, all in silence. The raw text of GeoJSON and OpenStreetMap files shows it.
"""

from __future__ import annotations

import zipfile
import zlib
from typing import Callable, NamedTuple

import numpy as np

from ..model import Bools, Ints
from ..report import Report
from . import _faults_geojson, _faults_osm
from ._geometry import Shapes
from ._layer import Query, RawLayer
from ._source import PathLike, whole_text

LIMIT = 100_000_000
"""Bytes of raw text, unpacked, that are looked at; a larger file is only read by GDAL."""


class Look(NamedTuple):
    """What a look at the raw file found.

    Attributes
    ----------
    shapes : Shapes
        The lines, without heights that GDAL invented.
    named : ndarray of bool, shape (R,)
        Features without lines whose fault the report already names.
    hidden : ndarray of int
        Ids of refused features that GDAL did not show at all.
    """

    shapes: Shapes
    named: Bools
    hidden: Ints


LOOKS: dict[str, Callable[[bytes, Query, RawLayer, Report], tuple[Shapes, Bools, Ints]]] = {
    ".geojson": _faults_geojson.collection,
    ".json": _faults_geojson.collection,
    ".geojsonl": _faults_geojson.sequence,
    ".geojsons": _faults_geojson.sequence,
    ".osm": _faults_osm.xml,
    ".pbf": _faults_osm.pbf,
}
"""How to look at a raw file, by the suffix of what GDAL reads."""


def look(path: PathLike, query: Query, raw: RawLayer, report: Report) -> Look:
    """Look for what GDAL hid of a layer, and report it; never an error.

    Parameters
    ----------
    path : path-like
        The file, which may be packed.
    query : Query
        What was read of it.
    raw : RawLayer
        What GDAL gave.
    report : Report
        Told about refused and mended features, and when a file could not be looked at.
    """
    nothing = Look(raw.shapes, np.zeros(len(raw.fid), bool), np.zeros(0, np.int64))
    name = query.path.lower()
    name = name[:-3] if name.endswith(".gz") else name
    found = [way for suffix, way in LOOKS.items() if name.endswith(suffix)]
    if not found:
        return nothing
    try:
        data = whole_text(path, query.path, LIMIT)
        if data is not None:
            return Look(*found[0](data, query, raw, report))
        report.note(f"the file is too large (over {LIMIT // 10**6} MB) to look for what GDAL hides of it")
    except (OSError, zipfile.BadZipFile, zlib.error, ValueError, LookupError) as error:
        # GDAL has read the file, so it is of use; only what it hides stays unknown
        report.note(f"GDAL reads the file, but it could not be looked at for what GDAL hides of it: {error}")
    return nothing
