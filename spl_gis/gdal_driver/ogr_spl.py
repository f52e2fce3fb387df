# gdal: DRIVER_NAME = "UNIGINE_SPL"
# gdal: DRIVER_SUPPORTED_API_VERSION = [1]
# gdal: DRIVER_DCAP_VECTOR = "YES"
# gdal: DRIVER_DMD_LONGNAME = "UNIGINE spline graph (.spl)"
# gdal: DRIVER_DMD_EXTENSIONS = "spl"
# gdal: DRIVER_DMD_OPENOPTIONLIST = "<OpenOptionList><Option name='TOLERANCE' type='float'/></OpenOptionList>"
"""A GDAL driver for spline graphs of UNIGINE: a line for each segment, with the attributes of its feature.

GDAL (3.1 and later) loads this file when GDAL_PYTHON_DRIVER_PATH names its folder. It runs in whatever Python
GDAL finds, so it has the standard library alone. docs/gdal.md says what it gives, and what it leaves out.
"""

from __future__ import annotations

import base64
import functools
import json
import math
import re
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gdal_python_driver import BaseDataset, BaseDriver, BaseLayer

Vector = tuple[float, float, float]
Box = tuple[float, float, float, float]
"""Least x and y, greatest x and y."""

SIDECAR, VERSION = "spl-gis sidecar", 1
TOLERANCE = 0.01
MOST = 10_000
"""Pieces that a segment is cut into at most."""

OWN = ("segment", "start_index", "end_index", "feature_id")
"""Fields of each segment; those of its feature follow."""

TYPES = {"Integer", "Integer64", "Real", "String", "Date", "Time", "DateTime", "Binary"}
"""OGR types that a driver in Python can give; all others are given as JSON in a text."""

SUBTYPES = {"Boolean": "Boolean", "Int16": "Integer16", "Float32": "Float32"}
"""What GDAL calls them here."""

UPDATE = 1
"""Bit of the open flags of GDAL for programs that want to write."""


class Segment(NamedTuple):
    """A segment as a `.spl` has it: two numbers of points, and the handles as vectors from them."""

    start: int
    end: int
    start_tangent: Vector
    end_tangent: Vector


class Graph(NamedTuple):
    """Points in metres of the scene, and segments in the order of the file."""

    points: list[Vector]
    segments: list[Segment]


class Memory(NamedTuple):
    """What lies beside a graph.

    Attributes
    ----------
    srs : str or None
        Where it is.
    height : float
        Height [m] of the scene's z = 0 in that CRS.
    fids : list of int
        Ids of the source's features.
    columns : list of (name, type, values)
        Their attributes.
    rows : list of int or None
        The feature of each segment: its place in the two lists.
    """

    srs: str | None
    height: float
    fids: list[int]
    columns: list[tuple[str, str, list[Any]]]
    rows: list[int | None]


class Driver(BaseDriver):
    """Says which files it opens."""

    def identify(
        self,
        filename: str,
        first_bytes: bytes,
        open_flags: int,
        open_options: dict[str, str] | None = None,
    ) -> bool:
        """Tell by name and first bytes alone: GDAL asks for each file, and Vim and Splunk have `.spl` too."""
        return (
            filename[-4:].lower() == ".spl"
            and not filename.startswith("/vsi")
            and first_bytes.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
            and (b'"points"' in first_bytes or b'"segments"' in first_bytes)
        )

    def open(
        self,
        filename: str,
        first_bytes: bytes,
        open_flags: int,
        open_options: dict[str, str] | None = None,
    ) -> Dataset | None:
        """Open a file, None when it is none of ours, or broken.

        GDAL would show users the traceback of an exception, so what is wrong is printed instead.
        """
        if open_flags & UPDATE or not self.identify(filename, first_bytes, open_flags):
            return None
        try:
            return Dataset(Path(filename), float((open_options or {}).get("TOLERANCE", TOLERANCE)))
        except (OSError, KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
            what = f"there is no {error}" if isinstance(error, KeyError) else error
            print(f"{filename} is not opened: {what}", file=sys.stderr)  # noqa: T201
            return None


class Dataset(BaseDataset):
    """A file: one layer."""

    def __init__(self, path: Path, tolerance: float) -> None:
        if not (math.isfinite(tolerance) and tolerance > 0):
            raise ValueError(f"TOLERANCE must be a positive number of metres, not {tolerance}")
        graph = read_graph(path)
        self.layers = [Layer(path.stem, graph, memory_of(path, graph), tolerance)]
        self.metadata: dict[str, str] = {}


class Layer(BaseLayer):
    """The segments; their numbers are the feature ids."""

    spatial_filter_extent: list[float] | None = None
    """Set by GDAL."""

    def __init__(self, name: str, graph: Graph, memory: Memory, tolerance: float) -> None:
        self.name, self.fid_name = name, ""
        self.metadata: dict[str, str] = {}
        self.points = [(x, y, z + memory.height) for x, y, z in graph.points]
        self.segments, self.memory, self.tolerance = graph.segments, memory, tolerance
        self.fields = [{"name": field, "type": "Integer64"} for field in OWN]
        self.fields += [{"name": field, "type": kind} for field, kind, _ in memory.columns]
        self.geometry_fields = [{"name": "", "type": "LineString Z"}]
        if memory.srs:
            self.geometry_fields[0]["srs"] = memory.srs

    def test_capability(self, capability: str) -> bool:
        """Say what is fast."""
        return capability in (
            BaseLayer.FastFeatureCount,
            BaseLayer.FastGetExtent,
            BaseLayer.RandomRead,
            BaseLayer.StringsAsUTF8,
        )

    def feature_count(self, force_computation: bool) -> int:
        """Count the segments."""
        return len(self.segments)

    def extent(self, force_computation: bool) -> Box | None:
        """Give the box of all lines: only those are made that may reach beyond the points."""
        used = [self.points[number] for segment in self.segments for number in segment[:2]]
        if not used:
            return None
        box = bounds(used)
        for segment in self.segments:
            controls = self.controls(segment)
            if not within(bounds(controls), box):
                box = bounds([(*box[:2], 0.0), (*box[2:], 0.0), *flatten(controls, self.tolerance)])
        return box

    def controls(self, segment: Segment) -> list[Vector]:
        """Give the four control points of a segment."""
        start, end = self.points[segment.start], self.points[segment.end]
        return [start, _sum(start, segment.start_tangent), _sum(end, segment.end_tangent), end]

    def feature_by_id(self, fid: int) -> dict[str, Any] | None:
        """Make the line of one segment."""
        if not 0 <= fid < len(self.segments):
            return None
        segment, row = self.segments[fid], self.memory.rows[fid]
        values: dict[str, Any] = dict(zip(OWN, (fid, segment.start, segment.end)))
        values["feature_id"] = None if row is None else self.memory.fids[row]
        for name, _, column in self.memory.columns:
            values[name] = None if row is None else column[row]
        places = flatten(self.controls(segment), self.tolerance)
        shape = f"LINESTRING Z ({','.join(f'{x!r} {y!r} {z!r}' for x, y, z in places)})"
        return {"type": "OGRFeature", "id": fid, "fields": values, "geometry_fields": {"": shape}}

    def __iter__(self) -> Iterator[dict[str, Any] | None]:
        # GDAL looks at each feature again, exactly, so boxes of control points are enough here
        wanted = self.spatial_filter_extent
        for fid, segment in enumerate(self.segments):
            if wanted is None or meet(bounds(self.controls(segment)), wanted):
                yield self.feature_by_id(fid)


def memory_of(path: Path, graph: Graph) -> Memory:
    """Read the sidecar of a `.spl`, unless it belongs to another one, and without it a `.prj`."""
    nothing = Memory(srs_of_prj(path), 0.0, [], [], [None] * len(graph.segments))
    beside = path.with_name(path.name + ".aux.json")
    if not beside.is_file():
        return nothing
    data = json.loads(beside.read_bytes())
    if data.get("format") != SIDECAR or data.get("version") != VERSION:
        raise ValueError(f"{beside.name} is of another kind or version: update spl-gis, or move it away")
    rows, strange = rows_of(data, graph)
    if strange:
        return nothing
    frame, height = raised(data["frame"]) if data["frame"] else (None, 0.0)
    columns = [column_of(column) for column in data["features"]["columns"]]
    srs = json.dumps(frame) if frame else nothing.srs
    return Memory(srs, height, data["features"]["fid"], columns, rows)


def raised(frame: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Give the CRS of a scene with the heights of the data, and how far they are above the scene's.

    GDAL would lose the height of an origin, without a word, on the way to a CRS that has no heights.
    """
    plan, height = frame.get("components", (frame, {}))
    if height.get("type") != "DerivedVerticalCRS":
        return frame, 0.0
    above = -height["conversion"]["parameters"][0]["value"]
    base = height["base_crs"]
    return ({**frame, "components": [plan, base]} if "id" in base else plan), above


def rows_of(data: Mapping[str, Any], graph: Graph) -> tuple[list[int | None], bool]:
    """Give the row of each segment's feature, and whether a sidecar knows none of the segments.

    None stands for a segment that was changed since, or is in doubt, or was drawn in the engine.
    """
    owners: dict[bytes | None, set[int | None]] = {}
    feature, lines = data["lines"]["feature"], data["segments"]["line"]
    marks = base64.b64decode(data["segments"]["float32"])
    for number, line in enumerate(lines):
        mark = marks[48 * number : 48 * number + 48]
        owners.setdefault(mark, set()).add(feature[line] if line >= 0 else None)
    found = [owners.get(mark_of(graph, segment), set()) for segment in graph.segments]
    rows = [next(iter(rows)) if len(rows) == 1 else None for rows in found]
    return rows, bool(lines and graph.segments and not any(found))


def mark_of(graph: Graph, segment: Segment) -> bytes | None:
    """Give ends and handles in the engine's precision, which a segment is known by."""
    start, end, *tangents = segment
    numbers = [
        number + 0.0 for vector in (graph.points[start], graph.points[end], *tangents) for number in vector
    ]
    try:
        return struct.pack("<12f", *numbers)
    except OverflowError:
        return None


def column_of(column: Mapping[str, Any]) -> tuple[str, str, list[Any]]:
    """Give the name, the type and the values of a column."""
    kind, name = column["type"], column["name"]
    name = f"source_{name}" if name in OWN else name
    subtype = SUBTYPES.get(column["subtype"], kind) if kind in TYPES else "String"
    return name, subtype, [None if value is None else _value(value, kind) for value in column["values"]]


def _value(value: Any, kind: str) -> Any:
    if kind not in TYPES:
        return json.dumps(value, ensure_ascii=False)
    if kind == "Real":
        return float(value)  # words stand for NaN and infinity
    return base64.b64decode(value) if kind == "Binary" else value


def srs_of_prj(path: Path) -> str | None:
    """Give the text of a `.prj` beside a `.spl`: WKT or PROJJSON, as GDAL takes addresses as well."""
    prj = path.with_suffix(".prj")
    if not prj.is_file() or path.with_suffix(".shp").is_file():
        return None
    text = prj.read_text(encoding="utf-8-sig").strip()
    return text if re.match(r"\{|[A-Za-z]\w*\s*\[", text) else None


def read_graph(path: Path) -> Graph:
    """Read a `.spl`; raises ValueError, KeyError or TypeError when it is none."""
    data = json.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    points = [vector_of(point, f"points[{row}]") for row, point in enumerate(data["points"])]
    return Graph(points, [segment_of(one, row, len(points)) for row, one in enumerate(data["segments"])])


def segment_of(data: Mapping[str, Any], row: int, size: int) -> Segment:
    """Read a segment; its ends must be two of `size` points."""
    start, end = data["start_index"], data["end_index"]
    if not all(0 <= number < size and number == int(number) for number in (start, end)):
        raise ValueError(f"segments[{row}] has the points {start} and {end}, of {size} points")
    tangents = (vector_of(data[f"{side}_tangent"], f"segments[{row}]") for side in ("start", "end"))
    return Segment(int(start), int(end), *tangents)


def vector_of(data: Iterable[float], where: str) -> Vector:
    """Read three finite numbers."""
    x, y, z = map(float, data)
    if not math.isfinite(x + y + z):
        raise ValueError(f"{where} is not finite")
    return x, y, z


def flatten(controls: Sequence[Vector], tolerance: float) -> list[Vector]:
    """Give the vertices of a polyline within the tolerance of a curve.

    Between parameters ``h`` apart a curve and the chord that is run along in step are no further apart than
    ``h**2 / 8`` times the greatest second derivative, which for a cubic is at one of its ends.
    """
    bends = (
        math.sqrt(sum((a - 2 * b + c) ** 2 for a, b, c in zip(*controls[first : first + 3])))
        for first in (0, 1)
    )
    pieces = min(max(math.ceil(math.sqrt(0.75 * max(bends) / tolerance)), 1), MOST)
    xs, ys, zs = zip(*controls)
    inner = [(_mix(xs, some), _mix(ys, some), _mix(zs, some)) for some in weights(pieces)]
    return [controls[0], *inner, controls[3]]


@functools.lru_cache(maxsize=256)
def weights(pieces: int) -> list[tuple[float, float, float, float]]:
    """Give the weights of the control points where a curve is cut into equal steps of its parameter."""
    steps = [step / pieces for step in range(1, pieces)]
    return [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in steps]


def _mix(numbers: Sequence[float], some: Sequence[float]) -> float:
    return some[0] * numbers[0] + some[1] * numbers[1] + some[2] * numbers[2] + some[3] * numbers[3]


def _sum(one: Vector, other: Vector) -> Vector:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def bounds(places: Iterable[Vector]) -> Box:
    """Give the box of places."""
    xs, ys, _ = zip(*places)
    return min(xs), min(ys), max(xs), max(ys)


def within(box: Box, other: Box) -> bool:
    """Tell whether a box lies inside another."""
    return box[0] >= other[0] and box[1] >= other[1] and box[2] <= other[2] and box[3] <= other[3]


def meet(box: Box, other: Sequence[float]) -> bool:
    """Tell whether two boxes meet."""
    return box[0] <= other[2] and box[1] <= other[3] and box[2] >= other[0] and box[3] >= other[1]
