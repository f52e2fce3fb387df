"""Tiles as a folder: each a `.spl` with its sidecar, and an index of them all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np
from pyproj import CRS

from .. import formats, frames
from ..errors import FileAccessError, FormatError
from ..files import whole_folder
from ..formats import extents
from ..frames import Node
from ..model import Column, Features, Floats, SplineGraph
from ..report import Progress, Report, silent
from .split import Tile, join

INDEX, MAP = "tiles.json", "tiles.gpkg"
FORMAT, VERSION = "spl-gis tiles", 1

Row = dict[str, Any]
"""What the index says of a tile."""


class Extents(NamedTuple):
    """Tiles as polygons, to look at in a GIS.

    Attributes
    ----------
    corners : ndarray, shape (T, 4, 2)
        Of each tile, counter-clockwise in its network's frame.
    features : Features
        File, node and counts of each tile.
    crs : pyproj.CRS or None
        What the network's frame lies over.
    """

    corners: Floats
    features: Features
    crs: CRS | None


Draw = Callable[[Extents, Path, Report], None]
"""Writes extents to a new file."""


def draw(tiles: Extents, path: Path, report: Report) -> None:
    """Write extents to a new file; raises as `formats.vector.write`."""
    extents.write(tiles.corners, tiles.features, tiles.crs, path, report)


def write_tiles(
    tiles: Sequence[Tile],
    folder: Path,
    frame: CRS | None,
    *,
    overwrite: bool = False,
    options: Mapping[str, Any] | None = None,
    report: Report | None = None,
    progress: Progress = silent,
    draw: Draw = draw,
) -> None:
    """Write tiles and their index; the folder appears whole or not at all.

    Parameters
    ----------
    tiles : sequence of Tile
        As `split` makes them.
    folder : Path
        The folder that shall appear.
    frame : pyproj.CRS or None
        The network's frame.
    overwrite : bool
        Replace a folder of tiles.
    options, report, progress
        As in `formats.write`.
    draw : callable
        Writes their extents; another one needs no library for files of GIS.

    Raises
    ------
    FileAccessError
        When the folder exists and is not to be replaced, or is not one of tiles.
    """
    report = Report() if report is None else report
    with whole_folder(folder, marked=INDEX, overwrite=overwrite) as scratch:
        for number, tile in enumerate(tiles):
            progress(number / len(tiles), "writing")
            formats.write(tile.graph, scratch / f"{tile.name}.spl", options=options)
        write_index([row_of(tile) for tile in tiles], scratch, frame, report, draw)


def write_index(
    rows: Sequence[Row], folder: Path, frame: CRS | None, report: Report, draw: Draw = draw
) -> None:
    """Write the index of tiles, for programs and for maps, into their folder."""
    index = {
        "format": FORMAT,
        "version": VERSION,
        "frame": frame.to_json_dict() if frame else None,
        "tiles": rows,
    }
    (folder / INDEX).write_text(json.dumps(index, ensure_ascii=False, indent=1), encoding="utf-8")
    if rows:
        draw(extents_of(rows, frame), folder / MAP, report)


def read_tiles(path: Path, *, report: Report | None = None, progress: Progress = silent) -> SplineGraph:
    """Read a folder of tiles as one network.

    Parameters
    ----------
    path : Path
        The folder, or its `tiles.json`.
    report, progress
        As in `formats.read_graph`.

    Raises
    ------
    FormatError
        When the index is not one that this version can read.
    FileAccessError
        When it, or a tile, cannot be read.
    """
    report = Report() if report is None else report
    path = path / INDEX if path.is_dir() else path
    rows = _rows(path)
    graphs = []
    for number, (file, _) in enumerate(rows):
        progress(number / len(rows), "reading")
        graphs.append(formats.read_graph(file, report=report))
    return join(graphs, [node for _, node in rows])


def row_of(tile: Tile) -> Row:
    """Give what the index says of a tile."""
    graph = tile.graph
    return {
        "file": f"{tile.name}.spl",
        "node": [tile.node.x, tile.node.y, tile.node.z],
        "bounds": tile.bounds.tolist(),
        "heights": [float(graph.points[:, 2].min()), float(graph.points[:, 2].max())],
        "points": len(graph.points),
        "segments": len(graph),
        "features": len(graph.features),
    }


def _rows(path: Path) -> list[tuple[Path, Node]]:
    """Give the file and the node of each tile in an index."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise FileAccessError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the index of tiles is not JSON ({error})", path=path) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError("this is not an index of tiles that spl-gis wrote", path=path, location="$.format")
    if data.get("version") != VERSION:
        said = f"this is version {data.get('version')!r}, the program knows version {VERSION}: update spl-gis"
        raise FormatError(said, path=path, location="$.version")
    rows = []
    for number, row in enumerate(data.get("tiles", [])):
        try:
            x, y, z = (float(value) for value in row["node"])
            rows.append((path.parent / Path(row["file"]).name, Node(x, y, z)))
        except (KeyError, TypeError, ValueError) as error:
            said = f"a tile needs a file and a node [x, y, z] ({type(error).__name__}: {error})"
            raise FormatError(said, path=path, location=f"$.tiles[{number}]") from error
    return rows


def extents_of(rows: Sequence[Row], frame: CRS | None) -> Extents:
    """Give the extents of tiles, in the CRS that the network's frame lies over."""
    none = np.zeros(len(rows), bool)
    names = np.array([row["file"] for row in rows], object)
    columns = {"file": Column(names, none, "String")}
    for number, axis in enumerate("xyz"):
        columns[f"node_{axis}"] = Column(np.array([row["node"][number] for row in rows]), none, "Real")
    for name in ("points", "segments", "features"):
        columns[name] = Column(np.array([row[name] for row in rows], np.int64), none, "Integer64")
    base = frames.base_of(frame) if frames.place_of(frame) is not None and frame is not None else None
    corners = np.array([_corners(*row["bounds"]) for row in rows])
    if base is not None:
        corners = frames.transform(corners.reshape(-1, 3), frame, base).reshape(corners.shape)
    return Extents(corners[..., :2], Features(np.arange(len(rows)) + 1, columns, "tiles"), base)


def _corners(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south, 0.0], [east, south, 0.0], [east, north, 0.0], [west, north, 0.0]]
