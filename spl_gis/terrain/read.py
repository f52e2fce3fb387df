"""From files of heights to the ground of a scene."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import numpy as np
from pyproj import CRS

from .. import frames
from ..errors import GeoreferenceError
from ..report import Report
from .ground import Ground
from .mosaic import Mosaic
from .rasters import open_rasters


def read_terrain(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    frame: CRS | None,
    *,
    crs: CRS | None = None,
    default_crs: CRS | None = None,
    nodata: float | None = None,
    cubic: bool = False,
    report: Report | None = None,
) -> Ground:
    """Make the ground of a scene of files of heights.

    Nothing but their heads is read now; cells are read in blocks, where heights are asked for.

    Parameters
    ----------
    paths : path or iterable of paths
        Rasters that GDAL reads, also zipped, or folders of them. Where several know a height, the first
        counts; tiles of one grid are one raster, without a seam.
    frame : pyproj.CRS or None
        The scene's frame.
    crs : pyproj.CRS, optional
        CRS of all rasters, whatever they say.
    default_crs : pyproj.CRS, optional
        CRS of rasters that do not say it, such as that of the lines.
    nodata : float, optional
        A value that means unknown, besides what the rasters say.
    cubic : bool
        Smooth instead of bilinear between the cells.
    report : Report, optional
        Told what was assumed.

    Returns
    -------
    Ground
        A `Surface`; its heights are unknown outside the rasters, beyond the centres of their outermost cells.

    Raises
    ------
    FileAccessError, FormatError
        When a file is missing or is no raster of heights.
    GeoreferenceError
        When the rasters have a place on Earth and the scene has none, or the other way round.
    MissingDependencyError
        Without rasterio (the extra `terrain`).
    """
    report = Report() if report is None else report
    files = [paths] if isinstance(paths, (str, PathLike)) else paths
    rasters = open_rasters(map(Path, files), report, crs=crs, default_crs=default_crs, nodata=nodata)
    for raster in rasters:
        if (frames.place_of(raster.crs) is None) != (frames.place_of(frame) is None):
            raise GeoreferenceError(
                f"{raster.name} has no CRS: pass --dem-crs"
                if frames.place_of(raster.crs) is None
                else f"{raster.name} has a place on Earth, the scene has none: pass --source-crs for lines"
            )
    ground = Ground(rasters, frame, cubic)
    tell_ground(ground, report)
    return ground


def tell_ground(ground: Ground, report: Report) -> None:
    """Say what the rasters of a ground are, and what may be wrong with their place and their heights."""
    for part in ground.parts:
        rows, columns = part.shape
        report.note(
            f"terrain from {part.name}: {columns:,} x {rows:,} cells of {ground.cell(part):.3g} m; "
            f"{_kind(part.crs, ground.frame)}"
        )
        trouble = frames.heights_left(part.crs, ground.frame)
        if trouble is not None:
            report.warn(f"terrain {part.name}: {trouble}")
        trouble = _datum_doubt(part, ground)
        if trouble is not None:
            report.warn(f"terrain {part.name}: {trouble}")


def _kind(crs: CRS | None, frame: CRS | None) -> str:
    """Say what the heights of a raster are over."""
    if crs is not None and len(crs.axis_info) > 2:
        return f"heights as in {crs.name}"
    if frames.is_topocentric(frame):
        return (
            "it does not say what its heights are over: they are taken for heights over the ellipsoid, as "
            "the tangent plane has them; those over the sea are up to 100 m off (see --dem-crs)"
        )
    return "it does not say what its heights are over: they are taken for what the scene's are over"


def _datum_doubt(part: Mosaic, ground: Ground) -> str | None:
    """Say when the ground may lie beside its place by more than a cell."""
    if part.crs is None or ground.frame is None:
        return None
    found = frames.account(ground.frame, part.crs, np.zeros((1, 3)))
    if found is None:
        return None
    if found.ballpark:
        return (
            f"PROJ knows no datum shift between {found.source} and {found.target}: the ground may lie "
            "hundreds of metres beside the roads; pass --dem-crs with a CRS whose datum is known"
        )
    if found.accuracy is not None and found.accuracy > ground.cell(part):
        return f"the datum shift {found.name!r} is accurate to {found.accuracy:g} m only: more than a cell"
    return None
