"""Frames from files: another scene's sidecar, a UNIGINE world, a `.prj`, or PROJJSON."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from pyproj import CRS

from ..errors import FileAccessError, GeoreferenceError, SplGisError
from ..frames import parse_crs, require_metres
from ..model import SplineGraph
from ..report import Report
from . import sidecar, world


def read(path: Path, **of_world: Any) -> CRS:
    """Read the frame of a scene.

    Parameters
    ----------
    path : Path
        A `.spl` with a sidecar or a `.prj` beside it, a sidecar, a `.world`, or a file with the WKT or
        PROJJSON of a CRS.
    **of_world
        For a `.world`, the keyword arguments of `world.read`, which say what node is meant.

    Raises
    ------
    FileAccessError
        When there is no such file.
    FormatError
        When the file is not what its name says.
    GeoreferenceError
        When the file says nothing about a place on Earth.
    """
    if path.suffix.lower() == world.SUFFIX:
        return world.read(path, **of_world)
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


def node_in_name(path: Path) -> str | None:
    """Give where a `.spl` says by its name that its node stands, as ``x=..,y=..,z=..``.

    Some exporters name files ``X_Y_Z.spl``. Three whole numbers are not taken for that: they may be a date.
    """
    found = re.search(r"(?:^|_)(-?\d+(?:\.\d+)?)_(-?\d+(?:\.\d+)?)_(-?\d+(?:\.\d+)?)$", path.stem)
    if found is None or "." not in found[0]:
        return None
    return "x={},y={},z={}".format(*found.groups())


def _read_crs(path: Path) -> CRS:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileAccessError(f"cannot read a frame from {path}: {error}") from error
    return require_metres(parse_crs(text.strip()))
