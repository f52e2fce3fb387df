"""Extents with attributes as a layer of polygons."""

from __future__ import annotations

from pathlib import Path

from pyproj import CRS

from ..model import Features, Floats
from ..report import Report
from . import vector
from ._drivers import driver_for
from ._geometry import polygons_to_wkb
from ._write import make_output, write_output


def write(
    corners: Floats,
    features: Features,
    crs: CRS | None,
    path: Path,
    report: Report,
    *,
    engine: str = "pyogrio",
) -> None:
    """Write polygons of four corners each, shape (F, 4, 2), to a new file; raises as `vector.write`."""
    machine = vector.machine_of(engine)
    output = make_output(
        features, polygons_to_wkb(corners), "Polygon", crs, path, machine=machine, report=report
    )
    write_output(output, path, driver_for(path), machine, len(features), report)
