"""Frames from files: another scene's sidecar, a `.prj`, or PROJJSON."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from pyproj import CRS

from ..errors import FileAccessError, GeoreferenceError, SplGisError
from ..frames import parse_crs, require_metres
from ..model import SplineGraph
from ..report import Report
from . import sidecar


def read(path: Path) -> CRS:
    """Read the frame of a scene.

    Parameters
    ----------
    path : Path
        A `.spl` with a sidecar or a `.prj` beside it, a sidecar, or a file with the WKT or PROJJSON of a CRS.

    Raises
    ------
    FileAccessError
        When there is no such file.
    GeoreferenceError
        When the file says nothing about a place on Earth.
    """
    if path.suffix.lower() == ".spl":
        beside = sidecar.beside(path)
        prj = path.with_suffix(".prj")
        if not beside.exists() and not prj.exists():
            raise GeoreferenceError(
                f"{path} has neither {beside.name} nor {prj.name} beside it to give its frame"
            )
        path = beside if beside.exists() else prj
    if not path.exists():
        raise FileAccessError(f"there is no file {path}")
    crs = sidecar.read_frame(path) if path.name.endswith(".aux.json") else _read_crs(path)
    if crs is None:
        raise GeoreferenceError(f"{path} does not say where its scene is: pass --crs and --origin")
    return crs


def attach_prj(graph: SplineGraph, path: Path, report: Report) -> SplineGraph:
    """Take the frame of a graph from a hand-made `.prj`, if there is one."""
    if not path.exists():
        return graph
    if path.with_suffix(".shp").exists():
        report.warn(f"{path.name} belongs to {path.stem}.shp: it is not taken for the frame of the scene")
        return graph
    try:
        crs = _read_crs(path)
    except SplGisError as error:
        report.warn(f"{path.name} is left aside: {error}")
        return graph
    report.note(f"the frame is taken from {path.name}")
    return dataclasses.replace(graph, crs=crs)


def _read_crs(path: Path) -> CRS:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileAccessError(f"cannot read a frame from {path}: {error}") from error
    return require_metres(parse_crs(text.strip()))
