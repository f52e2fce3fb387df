"""`NAME.spl.aux.json`: what a `.spl` file cannot hold, kept beside it.

The frame, the source's features with their attributes, and which line each segment came from. A segment is
known by its ends and tangents in float32, the engine's precision, not by its index (see `matching`): so a
graph that the engine has edited gets the right rows, and one that has nothing to do with the sidecar none.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS
from pyproj.exceptions import ProjError

from .. import frames
from ..errors import FileAccessError, FormatError, GraphError
from ..files import whole_file
from ..matching import Match, marks, match
from ..model import Bools, Column, Features, Ints, SplineGraph
from ..report import Report
from ._json import encode
from ._kept import source_from_json, source_to_json
from ._spans import spans_from_json, spans_to_json

FORMAT = "spl-gis sidecar"
VERSION = 1
CURE = "move it away to read the graph without it"

_ROWS = 1 << 14  # written at a time; their bytes are a multiple of the three that base64 takes together

NUMBERS = {"Integer": np.int32, "Integer64": np.int64, "Real": np.float64}
"""Array types of the OGR types that are numbers; all others are kept as objects."""


def beside(path: Path) -> Path:
    """Give the path of the sidecar of a `.spl` file."""
    return path.with_name(path.name + ".aux.json")


def find(path: Path) -> Path | None:
    """Give the sidecar that there is of a `.spl` file: a link may lie beside one, or lead to one."""
    places = (beside(path), beside(Path(os.path.realpath(path))))
    return next((place for place in places if place.exists()), None)


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
        "spans": spans_to_json(graph.spans) if graph.spans else None,
        "vertices": source_to_json(graph.source) if graph.source else None,
        "options": dict(options or {}),
        "report": (report or Report()).to_dict(),
        "segments": {
            "line": graph.line.tolist(),
            "changed": np.flatnonzero(graph.changed).tolist(),
            **({"row": graph.row.tolist()} if len(graph.row) else {}),
            "float32": "",
        },
    }
    text = encode(data)
    with whole_file(path, overwrite=overwrite) as scratch, scratch.open("wb") as file:
        file.write(text[:-3])
        for start in range(0, len(graph), _ROWS):  # much the longest: not all of it at once
            file.write(base64.b64encode(marks(graph, slice(start, start + _ROWS)).tobytes()))
        file.write(text[-3:])


def attach(graph: SplineGraph, path: Path, report: Report) -> SplineGraph:
    """Give a graph what its sidecar remembers.

    Parameters
    ----------
    graph : SplineGraph
        The graph as the `.spl` file holds it.
    path : Path
        The sidecar.
    report : Report
        Told which segments the sidecar does not know, which were changed, and how many are missing.

    Returns
    -------
    SplineGraph
        The same points and segments with frame, features and lines. Segments that the sidecar does not know
        belong to no line (see `matching.match`). A sidecar that knows none of the segments is left
        aside altogether.

    Raises
    ------
    FormatError
        When the file is not a sidecar that this version can read.
    """
    data = _load(path)
    try:
        known = np.frombuffer(base64.b64decode(data["segments"]["float32"]), "<f4").reshape(-1, 4, 3)
        line = np.asarray(data["segments"]["line"], np.int64)
        found = match(marks(graph), known, line)
        if len(graph) and (found.row < 0).all():
            report.warn(
                f"{path.name} does not belong to this file: no segment is in both, so it is left aside"
            )
            return graph
        _tell(found, len(known), path.name, report)
        vertices = data.get("vertices")
        return dataclasses.replace(
            graph,
            line=_taken(line, found.row),
            row=_taken(data["segments"].get("row", np.arange(len(known))), found.row),
            changed=found.changed | np.isin(found.row, data["segments"].get("changed", [])),
            source=source_from_json(vertices) if vertices else None,
            spans=spans_from_json(data["spans"], found, line, report) if data.get("spans") else None,
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


def _taken(values: ArrayLike, row: Ints) -> Ints:
    """Give each segment the value of its row, -1 = it has none."""
    values = np.asarray(values, np.int64)
    if row.max(initial=-1) >= len(values):
        raise ValueError("a list is shorter than the list of segments")
    return np.where(row < 0, -1, np.append(values, -1)[row])


def _tell(found: Match, known: int, name: str, report: Report) -> None:
    """Say what has happened to segments since the sidecar was written."""
    new, changed = np.flatnonzero(found.row < 0), np.flatnonzero(found.changed)
    gone = known - (found.row >= 0).sum()
    for kind, number in (("new", len(new)), ("changed", len(changed)), ("missing", gone)):
        if number:
            report.count(f"segments {kind}", number)
    if len(new):
        report.warn(
            f"{len(new)} of {len(found.row)} segments are new, {name} does not know them: {listed(new)}"
        )
    if len(changed):
        report.warn(
            f"{len(changed)} segments were changed, they keep their feature by index and one end: "
            f"{listed(changed)}"
        )
    if gone:
        report.warn(f"{gone} segments that {name} knows are no longer there as they were")


def listed(numbers: Ints, named: int = 10) -> str:
    """Name the first few segments."""
    more = f" and {len(numbers) - named} more" if len(numbers) > named else ""
    return "segment " + ", ".join(map(str, numbers[:named].tolist())) + more


def read_options(path: Path) -> dict[str, Any]:
    """Give the options that a sidecar was written with; raises `FormatError` like `attach`."""
    options = _load(path).get("options")
    if not isinstance(options, dict):
        raise FormatError("the sidecar does not say which options were used", path=path, location="$.options")
    return options


def read_deviations(path: Path) -> dict[str, list[Any]]:
    """Give the deviations in a sidecar's report, as `Report` has them; {} when there are none."""
    report = _load(path).get("report")
    found = report.get("deviations") if isinstance(report, dict) else None
    return found if isinstance(found, dict) else {}


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
    return None if data is None else frames.parse_crs(CRS.from_json_dict(data))


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
