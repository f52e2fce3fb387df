"""`NAME.spl.aux.json`: what a `.spl` file cannot hold, kept beside it.

The frame, the source's features with their attributes, and which line each segment came from. A segment is
known by its ends and tangents in float32, the engine's precision, not by its index: a graph that the engine
has reordered or cut down gets the right rows, and one that has nothing to do with the sidecar gets none.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS
from pyproj.exceptions import ProjError

from ..errors import FileAccessError, FormatError, GraphError
from ..files import whole_file
from ..model import Bools, Column, Features, Ints, SplineGraph
from ..report import Report

FORMAT = "spl-gis sidecar"
VERSION = 1
CURE = "move it away to read the graph without it"

NUMBERS = {"Integer": np.int32, "Integer64": np.int64, "Real": np.float64}
"""Array types of the OGR types that are numbers; all others are kept as objects."""


def beside(path: Path) -> Path:
    """Give the path of the sidecar of a `.spl` file."""
    return path.with_name(path.name + ".aux.json")


def write(
    graph: SplineGraph,
    path: Path,
    *,
    options: Mapping[str, Any] | None = None,
    report: Report | None = None,
    overwrite: bool = False,
) -> None:
    """Write the sidecar of a graph.

    Parameters
    ----------
    graph : SplineGraph
        The graph that the `.spl` file holds.
    path : Path
        The sidecar itself (see `beside`).
    options : mapping, optional
        What the job was asked for, kept for the record.
    report : Report, optional
        What the job did, kept for the record.
    overwrite : bool
        Replace an existing file.

    Raises
    ------
    FileAccessError
        When the file exists or cannot be written.
    """
    data = {
        "format": FORMAT,
        "version": VERSION,
        "frame": graph.crs.to_json_dict() if graph.crs else None,
        "source": {
            "crs": graph.source_crs.to_json_dict() if graph.source_crs else None,
            "layer": graph.features.layer,
            "planar": graph.planar,
        },
        "features": _features_to_json(graph.features),
        "lines": {"feature": graph.line_feature.tolist(), "part": graph.line_part.tolist()},
        "segments": {
            "line": graph.line.tolist(),
            "float32": base64.b64encode(_signature(graph).tobytes()).decode("ascii"),
        },
        "options": dict(options or {}),
        "report": (report or Report()).to_dict(),
    }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    with whole_file(path, overwrite=overwrite) as scratch:
        scratch.write_text(text, encoding="utf-8")


def attach(graph: SplineGraph, path: Path, report: Report) -> SplineGraph:
    """Give a graph what its sidecar remembers.

    Parameters
    ----------
    graph : SplineGraph
        The graph as the `.spl` file holds it.
    path : Path
        The sidecar.
    report : Report
        Told which segments the sidecar does not know.

    Returns
    -------
    SplineGraph
        The same points and segments with frame, features and lines. Segments that the sidecar does not know
        belong to no line. A sidecar that knows none of the segments is left aside altogether.

    Raises
    ------
    FormatError
        When the file is not a sidecar that this version can read.
    """
    data = _load(path)
    try:
        known = np.frombuffer(base64.b64decode(data["segments"]["float32"]), "<f4").reshape(-1, 12)
        line = np.asarray(data["segments"]["line"], np.int64)
        row = _rows(_signature(graph), known)
        if len(graph) and (row < 0).all():
            report.warn(
                f"{path.name} does not belong to this file: no segment is in both, so it is left aside"
            )
            return graph
        if (row < 0).any():
            report.warn(
                f"{(row < 0).sum()} of {len(row)} segments are new or changed: {path.name} does not know them"
            )
        return dataclasses.replace(
            graph,
            line=np.where(row < 0, -1, line[row]) if len(line) else graph.line,
            line_feature=data["lines"]["feature"],
            line_part=data["lines"]["part"],
            features=_features_from_json(data["features"], data["source"]["layer"]),
            crs=_crs(data["frame"]),
            source_crs=_crs(data["source"]["crs"]),
            planar=bool(data["source"]["planar"]),
        )
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, GraphError, ProjError) as error:
        what = f"{type(error).__name__}: {error}"
        raise FormatError(f"not a sidecar that this version can read ({what}); {CURE}", path=path) from error


def read_frame(path: Path) -> CRS | None:
    """Give the frame that a sidecar holds, None = no place on Earth; raises `FormatError` like `attach`."""
    try:
        return _crs(_load(path)["frame"])
    except (KeyError, TypeError, ValueError, ProjError) as error:
        raise FormatError(f"no readable frame ({error})", path=path, location="$.frame") from error


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise FileAccessError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the sidecar is not JSON ({error}); {CURE}", path=path) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(
            f'not a sidecar: it should say "format": "{FORMAT}"', path=path, location="$.format"
        )
    if data.get("version") != VERSION:
        raise FormatError(
            f"this is version {data.get('version')!r}, the program knows version {VERSION}: update spl-gis",
            path=path,
            location="$.version",
        )
    return data


def _crs(data: dict[str, Any] | None) -> CRS | None:
    return None if data is None else CRS.from_json_dict(data)


def _signature(graph: SplineGraph) -> NDArray[np.float32]:
    """Give both ends and both tangents of each segment in the engine's precision, shape (M, 12)."""
    with np.errstate(over="ignore"):  # beyond float32 is infinite there, and as good a mark as any
        ends = graph.points[graph.ends].astype("<f4")
        return np.concatenate([ends, graph.tangents.astype("<f4")], axis=1).reshape(-1, 12) + np.float32(0)


def _rows(found: NDArray[np.float32], known: NDArray[np.float32]) -> Ints:
    """Find each row of `found` in `known`, -1 = nowhere; equal rows are matched in their order."""
    if np.array_equal(found, known):
        return np.arange(len(found))
    _, label = np.unique(np.concatenate([known, found]), axis=0, return_inverse=True)
    label = label.reshape(-1)
    order = np.argsort(label, kind="stable")
    turn = np.empty(len(label), np.int64)  # how many equal rows of the same file stand before each
    for part in (order[order < len(known)], order[order >= len(known)]):
        turn[part] = np.arange(len(part)) - np.searchsorted(label[part], label[part])
    key = label * len(label) + turn
    mine, theirs = key[len(known) :], key[: len(known)]
    sorter = np.argsort(theirs)
    at = np.searchsorted(theirs, mine, sorter=sorter)
    candidate = np.append(sorter, -1)[at]
    return np.where((candidate >= 0) & (theirs[candidate] == mine), candidate, -1) if len(theirs) else at - 1


def _features_to_json(features: Features) -> dict[str, Any]:
    return {
        "fid": features.fid.tolist(),
        "columns": [
            {
                "name": name,
                "type": column.type,
                "subtype": column.subtype,
                "width": column.width,
                "precision": column.precision,
                "values": _values_to_json(column),
            }
            for name, column in features.columns.items()
        ],
    }


def _values_to_json(column: Column) -> list[Any]:
    """Give plain values, null where missing; base64 and words stand for the bytes and NaN that JSON lacks."""
    values = column.values.tolist()
    if column.type == "Binary":
        values = [base64.b64encode(v).decode("ascii") if isinstance(v, bytes) else None for v in values]
    elif column.type in ("Real", "RealList"):
        values = [_word(value) for value in values]
    return [None if null else value for value, null in zip(values, column.null.tolist())]


def _word(value: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_word(item) for item in value]
    return value if value is None or np.isfinite(value) else str(value)


def _features_from_json(data: Mapping[str, Any], layer: str) -> Features:
    columns = {
        column["name"]: _column_from_json(
            column["values"], column["type"], column["subtype"], column["width"], column["precision"]
        )
        for column in data["columns"]
    }
    return Features(np.asarray(data["fid"], np.int64), columns, layer)


def _column_from_json(values: list[Any], kind: str, subtype: str, width: int, precision: int) -> Column:
    null = np.fromiter((value is None for value in values), bool, len(values))
    if kind in NUMBERS:
        array = _numbers(values, null, _dtype(kind, subtype))
    else:
        array = np.empty(len(values), object)
        array[:] = [_thing(value, kind) for value in values]
    return Column(array, null, kind, subtype, width, precision)


def _dtype(kind: str, subtype: str) -> type[np.generic]:
    return {"Boolean": np.bool_, "Int16": np.int16, "Float32": np.float32}.get(subtype, NUMBERS[kind])


def _numbers(values: list[Any], null: Bools, dtype: type[np.generic]) -> NDArray[Any]:
    # float() reads the words that stand for NaN and infinity
    number = float if np.issubdtype(dtype, np.floating) else int
    return np.array([0 if value is None else number(value) for value in values], dtype)


def _thing(value: Any, kind: str) -> Any:
    if kind == "Binary" and value is not None:
        return base64.b64decode(value)
    if kind == "RealList" and value is not None:
        return [None if item is None else float(item) for item in value]
    return value
