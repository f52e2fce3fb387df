"""What GDAL hides of GeoJSON: broken positions, missing heights, members that are no features."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..model import Bools, Ints
from ..report import Report
from ._geometry import LINEAR, Shapes
from ._layer import Query, RawLayer

WGS84 = ("EPSG:4326", "OGC:CRS84", "EPSG:4979")
"""What GDAL says of GeoJSON whose CRS it does not know."""

GEOMETRIES = (*LINEAR, "Point", "MultiPoint", "Polygon", "MultiPolygon")
"""The types of geometry that GeoJSON has."""

BAD_POSITION = "a position that is not two or three numbers"

Found = tuple[Shapes, Bools, Ints]
"""See `_faults.Look`."""


def collection(data: bytes, query: Query, raw: RawLayer, report: Report) -> Found:
    """Look at a FeatureCollection, or at a single feature or geometry."""
    members, crs = _split(data)
    if members is None:
        return raw.shapes, np.zeros(len(raw.fid), bool), np.zeros(0, np.int64)
    if crs is not None and not query.placed:
        _check_crs(crs, raw.crs, report)
    return _look(members, query, raw, report)


def sequence(data: bytes, query: Query, raw: RawLayer, report: Report) -> Found:
    """Look at features that stand one in a line."""
    lines = (line.strip(b"\x1e \t\r") for line in data.split(b"\n"))
    return _look([line for line in lines if line], query, raw, report)


def _split(data: bytes) -> tuple[Sequence[Any] | None, bytes | None]:
    """Give the members of a collection, still as text if msgspec is there, and the text of its `crs`.

    The members are None in JSON of another kind, such as TopoJSON.
    """
    try:
        import msgspec
    except ImportError:
        return _split_slowly(data)
    lists: list[Any] = [
        ("type", str),
        ("features", list[msgspec.Raw]),
        ("crs", msgspec.Raw, msgspec.Raw(b"")),
    ]
    try:
        whole: Any = msgspec.json.decode(data, type=msgspec.defstruct("Collection", lists))
    except (msgspec.DecodeError, UnicodeDecodeError):  # NaN, a byte order mark, or no collection
        return _split_slowly(data)
    return whole.features, bytes(whole.crs) or None


def _split_slowly(data: bytes) -> tuple[Sequence[Any] | None, bytes | None]:
    whole = json.loads(data)
    if not isinstance(whole, dict) or whole.get("type") not in ("FeatureCollection", "Feature", *GEOMETRIES):
        return None, None
    crs = json.dumps(whole["crs"]).encode() if "crs" in whole else None
    return whole.get("features", [whole]), crs


def _value(member: Any) -> Any:
    """Give what a member says; None when it is not JSON."""
    if isinstance(member, (dict, list, str, int, float, type(None))):
        return member
    try:
        return json.loads(bytes(member))
    except ValueError:
        return None


def _check_crs(crs: bytes, given: str, report: Report) -> None:
    if given in WGS84 and not re.search(rb"CRS:?84|4326|4979|WGS.?84", crs):
        report.warn(
            f"GDAL does not know the CRS that the file names, {crs.decode()[:80]}, and takes it for WGS 84 "
            "longitude and latitude: pass --source-crs if it is not"
        )


def _look(members: Sequence[Any], query: Query, raw: RawLayer, report: Report) -> Found:
    """Look at the features that GDAL gave no lines, or heights of 0, or several parts."""
    named, none = np.zeros(len(raw.fid), bool), np.zeros(0, np.int64)
    whole = query.where is None and query.bbox is None
    if whole and len(members) != len(raw.fid):
        members = _features_only(members, report)
    at = _numbers(members, raw.fid, whole)
    if at is None:
        report.note("the features could not be found again in the file, to look for what GDAL hides of them")
        return raw.shapes, named, none
    shapes = raw.shapes
    flat = shapes.coords[:, 2] == 0
    suspect = (shapes.kind == "") | (np.isin(shapes.kind, LINEAR) & (shapes.kind != "LineString"))
    suspect[np.repeat(shapes.row, np.diff(shapes.offsets))[flat]] = True
    blank = np.zeros(len(shapes.coords), bool)
    for row in np.flatnonzero(suspect).tolist():
        geometry = _geometry(_value(members[at[row]]))
        if geometry is not None:
            named[row] = _judge(geometry, row, raw, blank, report)
    blank &= flat
    coords = shapes.coords.copy()
    coords[blank, 2] = np.nan
    _report_heights(blank, raw, report)
    return replace(shapes, coords=coords) if blank.any() else shapes, named, none


def _features_only(members: Sequence[Any], report: Report) -> list[Any]:
    """Leave out what is no feature, as GDAL does, and say so."""
    good = [isinstance(v, dict) and v.get("type") == "Feature" for v in map(_value, members)]
    bad = [str(number + 1) for number, fine in enumerate(good) if not fine]
    if bad:
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        report.warn(
            f"{len(bad)} of {len(members)} members of the file are no features, and left out: "
            f"number {', '.join(bad[:5])}{more}"
        )
    return [member for member, fine in zip(members, good) if fine]


def _numbers(members: Sequence[Any], fid: Ints, whole: bool) -> list[int] | None:
    """Find the member of each feature: by order, or by id when only some were asked for; None = unknown."""
    if whole:
        return list(range(len(fid))) if len(members) == len(fid) else None
    values = [_value(member) for member in members]
    ids = [value.get("id") if isinstance(value, dict) else None for value in values]
    if all(number is None for number in ids):
        ids = list(range(len(ids)))
    place = {number: at for at, number in enumerate(ids) if isinstance(number, int)}
    found = [place.get(number, -1) for number in fid.tolist()]
    return found if len(place) == len(ids) and min(found, default=0) >= 0 else None


def _geometry(member: Any) -> Any:
    """Give the geometry of a feature, or of a file that is nothing else."""
    if not isinstance(member, dict):
        return None
    return member.get("geometry") if member.get("type") == "Feature" else member


def _judge(geometry: Any, row: int, raw: RawLayer, blank: Bools, report: Report) -> bool:
    """Report what is wrong with a geometry, mark vertices without height; tell whether it was refused."""
    shapes, fid = raw.shapes, raw.fid[row : row + 1]
    first, last = np.searchsorted(shapes.row, [row, row + 1])
    strange: list[str] = []
    lines = list(_good_lines(geometry, strange))
    if strange and first == last:
        report.refuse(fid, strange[0])
        return True
    if strange:
        report.repair(fid, f"parts were left out: {strange[0]}")
    sizes = np.array([len(position) for line in lines for position in line])
    vertices = slice(shapes.offsets[first], shapes.offsets[last])
    if len(sizes) == shapes.offsets[last] - shapes.offsets[first]:
        blank[vertices] = sizes < 3
    return False


def _good_lines(geometry: Any, strange: list[str]) -> Iterator[list[Any]]:
    """Give the lines in which each position is two or three numbers; say in `strange` what else there is."""
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in GEOMETRIES:
        strange.append(f"a geometry of unknown type {kind!r}" if kind else "a geometry without type")
        return
    members = geometry.get("geometries" if kind == "GeometryCollection" else "coordinates")
    if not isinstance(members, list):
        strange.append("a geometry without coordinates")
    elif kind == "GeometryCollection":
        for member in members:
            yield from _good_lines(member, strange)
    elif kind in LINEAR:
        for line in [members] if kind == "LineString" else members:
            if isinstance(line, list) and all(map(_is_position, line)):
                yield line
            else:
                strange.append(BAD_POSITION)
    elif kind == "Point" and not _is_position(members):
        strange.append(BAD_POSITION)


def _is_position(position: Any) -> bool:
    return (
        isinstance(position, list)
        and len(position) >= 2
        and all(type(number) in (int, float) for number in position[:3])
    )


def _report_heights(blank: Bools, raw: RawLayer, report: Report) -> None:
    rows = np.unique(np.repeat(raw.shapes.row, np.diff(raw.shapes.offsets))[blank])
    report.repair(raw.fid[rows], "GDAL made the missing heights of some positions 0: they are missing again")
