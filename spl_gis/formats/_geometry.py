"""Geometries of a layer to arrays of lines, and lines back to geometries, without a loop over vertices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Bools, Floats, Ints, LineStrings
from ..report import Report

KINDS = (
    *("Geometry", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"),
    *("GeometryCollection", "CircularString", "CompoundCurve", "CurvePolygon", "MultiCurve", "MultiSurface"),
    *("Curve", "Surface", "PolyhedralSurface", "TIN", "Triangle"),
)
"""Names of the WKB geometry types, by code."""

CURVED = (8, 9, 11, 13)
"""Codes of lines with curves."""

UNKNOWN, BROKEN = "geometry of unknown type", "broken geometry"
"""What stands for the name of a geometry type where there is none."""

LINEAR = ("LineString", "MultiLineString", "GeometryCollection")


@dataclass(frozen=True)
class Shapes:
    """The lines inside the geometries of R features, as the file has them: nothing is checked yet.

    Attributes
    ----------
    coords : ndarray, shape (K, 3)
        Vertices of all lines; a missing height is NaN.
    offsets : ndarray, shape (P + 1,)
        Line ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``; there may be none.
    row : ndarray, shape (P,)
        Feature of each line, not decreasing.
    kind : ndarray of str, shape (R,)
        Name of each feature's geometry type, "" when it has no geometry.
    others : ndarray, shape (R,)
        How many members of a collection are not lines.
    """

    coords: Floats
    offsets: Ints
    row: Ints
    kind: NDArray[Any]
    others: Ints


def codes(wkb: NDArray[Any]) -> tuple[Ints, Bools]:
    """Give the two-dimensional type code of WKB geometries (-1 = none), and whether each has heights."""
    head = np.frombuffer(b"".join(blob[:5] if blob else b"\1\0\0\0\0" for blob in wkb), np.uint8)
    head = head.reshape(-1, 5)
    code = np.where(
        head[:, 0] == 1,
        np.ascontiguousarray(head[:, 1:]).view("<u4")[:, 0],
        np.ascontiguousarray(head[:, 1:]).view(">u4")[:, 0],
    ).astype(np.int64)
    missing = np.array([not blob for blob in wkb], bool)
    flat = code & 0x0FFFFFFF
    heights = (code & 0x80000000 != 0) | np.isin(flat // 1000, (1, 3))
    return np.where(missing, -1, flat % 1000), heights


def from_wkb(wkb: NDArray[Any]) -> Shapes:
    """Take the lines out of WKB geometries that have no curves, shape (R,) of bytes or None."""
    import shapely

    code, heights = codes(wkb)
    bent = np.array([_has_curve(blob) if bag else False for blob, bag in zip(wkb, code == 7)], bool)
    linear = np.isin(code, (2, 5, 7)) & ~bent
    with np.errstate(invalid="ignore"):  # a coordinate that is no number is refused later, by feature
        shapes = shapely.from_wkb(
            [blob if use else None for blob, use in zip(wkb, linear)], on_invalid="ignore"
        )
    strange = np.flatnonzero(linear & shapely.is_missing(shapes))
    pieces, row, others = _lines_of(shapes)
    coords = shapely.get_coordinates(pieces, include_z=True)
    size = shapely.get_num_coordinates(pieces)
    # GEOS before 3.12 reads the M of a line without heights as its height
    coords[np.repeat(~heights[row], size), 2] = np.nan
    kind = np.array(["", UNKNOWN, *KINDS[1:]], object)[np.where(code < len(KINDS), code, 0) + 1]
    kind[bent] = "GeometryCollection with curves, which --engine fiona can read"
    known = Shapes(coords, np.append(0, np.cumsum(size)), row, kind, others)
    if len(strange) == 0:
        return known
    # a line with one vertex is no geometry for shapely, but the other parts of its feature may be good
    return _merge(known, from_mappings([_readable(bytes(wkb[i])) for i in strange]), strange)


def joined(parts: Sequence[Shapes]) -> Shapes:
    """Put the shapes of some features after those of others."""
    starts = np.cumsum([0, *(len(part.kind) for part in parts)])
    return Shapes(
        np.concatenate([part.coords for part in parts]),
        np.append(0, np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))),
        np.concatenate([part.row + start for part, start in zip(parts, starts)]),
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.others for part in parts]),
    )


def points_from_wkb(wkb: NDArray[Any]) -> Floats:
    """Give the places of WKB points, shape (R, 3); NaN for other geometries and missing heights."""
    import shapely

    code, heights = codes(wkb)
    shapes = shapely.from_wkb([blob if use else None for blob, use in zip(wkb, code == 1)])
    row = np.flatnonzero(shapely.get_num_coordinates(shapes) == 1)
    coords = np.full((len(wkb), 3), np.nan)
    coords[row] = shapely.get_coordinates(shapes, include_z=True)
    coords[~heights, 2] = np.nan
    return coords


def points_to_wkb(coords: Floats, deep: bool) -> NDArray[Any]:
    """Make WKB geometries of points, with heights if they are `deep`."""
    import shapely

    wide = 3 if deep else 2
    blobs: NDArray[Any] = shapely.to_wkb(
        shapely.points(coords[:, :wide], handle_nan="allow"), output_dimension=wide, flavor="iso"
    )
    return blobs


def polygons_to_wkb(corners: Floats) -> NDArray[Any]:
    """Make WKB polygons of rings, shape (F, C, 2), which need not be closed."""
    import shapely

    blobs: NDArray[Any] = shapely.to_wkb(shapely.polygons(corners), flavor="iso")
    return blobs


def outlines_from_wkb(wkb: NDArray[Any]) -> tuple[Floats, Ints, Ints, Ints]:
    """Give the outlines of geometries of any kind but curves, for a picture.

    Returns
    -------
    coords : ndarray, shape (K, 3)
        Vertices of all outlines; of a point its place twice.
    offsets : ndarray of int, shape (L + 1,)
        Outline ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.
    row, part : ndarray of int, shape (L,)
        Geometry of each outline, and its number within that.
    """
    import shapely

    code, _ = codes(wkb)
    plain = [(1 <= kind <= 6) or (kind == 7 and not _has_curve(blob)) for kind, blob in zip(code, wkb)]
    shapes = shapely.from_wkb([blob if use else None for blob, use in zip(wkb, plain)], on_invalid="ignore")
    row = np.arange(len(shapes))
    for take in (shapely.get_parts, shapely.get_parts, shapely.get_rings):
        shapes, row = _taken(shapes, row, take)
    coords, owner = shapely.get_coordinates(shapes, include_z=True, return_index=True)
    known = np.isfinite(coords[:, :2]).all(axis=1)
    coords, owner = coords[known], owner[known]
    sizes = np.bincount(owner, minlength=len(shapes))
    coords = np.repeat(coords, np.where(sizes == 1, 2, 1)[owner], axis=0)
    sizes = np.where(sizes == 1, 2, sizes)[sizes > 0]
    row = row[np.unique(owner)]
    part = np.arange(len(row)) - np.searchsorted(row, row)
    return coords, np.concatenate([[0], np.cumsum(sizes)]), row, part


def _taken(shapes: NDArray[Any], row: Ints, take: Any) -> tuple[NDArray[Any], Ints]:
    """Take geometries apart: collections into members, polygons into rings; others stay as they are."""
    import shapely

    kind = shapely.get_type_id(shapes)
    whole = kind != 3 if take is shapely.get_rings else kind < 4
    pieces, owner = take(shapes[~whole], return_index=True)
    rows = np.concatenate([row[whole], row[~whole][owner]])
    order = np.argsort(rows, kind="stable")
    return np.concatenate([shapes[whole], pieces])[order], rows[order]


def _has_curve(collection: bytes) -> bool:
    """Tell whether a member of a collection is a curve; shapely reads it, but can do nothing with it."""
    import shapely

    try:
        shapely.get_parts(shapely.from_wkb(collection, on_invalid="ignore"))
    except NotImplementedError:
        return True
    return False


def _lines_of(shapes: NDArray[Any]) -> tuple[NDArray[Any], Ints, Ints]:
    """Take the lines out of geometries: the lines, the geometry of each, how many other members there are."""
    import shapely

    row = np.flatnonzero(~shapely.is_missing(shapes))
    pieces = shapes[row]
    while (many := np.isin(shapely.get_type_id(pieces), (4, 5, 6, 7))).any():
        size = np.where(many, shapely.get_num_geometries(pieces), 1)
        members = np.repeat(np.arange(len(pieces)), size)
        rank = np.arange(len(members)) - np.repeat(np.cumsum(size) - size, size)
        parts = pieces[members]
        split = many[members]
        parts[split] = shapely.get_geometry(parts[split], rank[split])
        pieces, row = parts, row[members]
    line = np.isin(shapely.get_type_id(pieces), (1, 2))
    return pieces[line], row[line], np.bincount(row[~line], minlength=len(shapes))


def from_mappings(geometries: Sequence[Any]) -> Shapes:
    """Take the lines out of GeoJSON-like geometries, which may be None."""
    rows, lines = [], []
    others = np.zeros(len(geometries), np.int64)
    for row, geometry in enumerate(geometries):
        for member in _members(geometry) if geometry else ():
            if member is None:
                others[row] += 1
            else:
                rows.append(row)
                lines.append(member)
    size = np.array([len(line) for line in lines], np.int64)
    coords = np.array([(*vertex, np.nan)[:3] for line in lines for vertex in line], float).reshape(-1, 3)
    kind = np.array([geometry["type"] if geometry else "" for geometry in geometries], object)
    return Shapes(coords, np.append(0, np.cumsum(size)), np.array(rows, np.int64), kind, others)


def _members(geometry: Mapping[str, Any]) -> Iterator[Any]:
    """Give the vertices of each line in a GeoJSON-like geometry, and None for each other member."""
    if geometry["type"] == "LineString":
        yield geometry["coordinates"]
    elif geometry["type"] == "MultiLineString":
        yield from geometry["coordinates"]
    elif geometry["type"] == "GeometryCollection":
        for member in geometry["geometries"]:
            yield from _members(member)
    else:
        yield None


def _readable(wkb: bytes) -> dict[str, Any]:
    """Read a WKB geometry of lines that shapely does not take, if it is whole."""
    try:
        return _mapping(wkb, [0])
    except (ValueError, IndexError):  # it ends too early, or says that it has more than there is
        return {"type": BROKEN}


def _mapping(wkb: bytes, at: list[int]) -> dict[str, Any]:
    """Read a WKB geometry of lines that shapely does not take; `at` is where it starts, moved to its end."""
    order = "<" if wkb[at[0]] == 1 else ">"
    code = int(np.frombuffer(wkb, f"{order}u4", 1, at[0] + 1)[0])
    number = int(np.frombuffer(wkb, f"{order}u4", 1, at[0] + 5)[0])
    at[0] += 9
    flat = code & 0x0FFFFFFF
    kind = KINDS[flat % 1000]
    if kind == "LineString":
        height = bool(code & 0x80000000) or flat // 1000 in (1, 3)
        wide = 2 + height + (bool(code & 0x40000000) or flat // 1000 in (2, 3))
        numbers = np.frombuffer(wkb, f"{order}f8", number * wide, at[0]).reshape(number, wide)
        at[0] += numbers.nbytes
        return {"type": kind, "coordinates": numbers[:, : 2 + height].tolist()}
    if kind not in LINEAR:
        return {"type": kind}  # whatever follows in the collection cannot be found any more
    members: list[dict[str, Any]] = []
    while len(members) < number and (not members or members[-1]["type"] in LINEAR):
        members.append(_mapping(wkb, at))
    if kind == "MultiLineString":
        return {"type": kind, "coordinates": [member["coordinates"] for member in members]}
    return {"type": kind, "geometries": members}


def _merge(known: Shapes, more: Shapes, rows: Ints) -> Shapes:
    """Put the lines of `more`, which belong to the features `rows`, among the `known` ones."""
    row = np.concatenate([known.row, rows[more.row]])
    size = np.concatenate([np.diff(known.offsets), np.diff(more.offsets)])
    start = np.concatenate([known.offsets[:-1], more.offsets[:-1] + len(known.coords)])
    order = np.argsort(row, kind="stable")
    coords = np.concatenate([known.coords, more.coords])[runs(start[order], size[order])]
    others, kind = known.others.copy(), known.kind.copy()
    others[rows], kind[rows] = more.others, more.kind
    return Shapes(coords, np.append(0, np.cumsum(size[order])), row[order], kind, others)


def runs(start: Ints, size: Ints) -> Ints:
    """Give the indices of consecutive runs, each from ``start[i]`` on and ``size[i]`` long."""
    return np.asarray(np.arange(size.sum()) + np.repeat(start - np.cumsum(size) + size, size), np.int64)


def check(shapes: Shapes, fid: Ints, report: Report, named: Bools | None = None) -> tuple[Shapes, Ints]:
    """Leave out what is no line, and report it by feature id, except where `named` says that it is reported.

    Returns
    -------
    Shapes, ndarray
        The good lines, and the number of each within its feature, -1 when the feature is a single line.
    """
    size = np.diff(shapes.offsets)
    vertex_row = np.repeat(shapes.row, size)
    finite = np.isfinite(shapes.coords[:, :2]).all(axis=1) & ~np.isinf(shapes.coords[:, 2])
    broken = np.zeros(len(fid), bool)
    broken[vertex_row[~finite]] = True
    moves = _has_length(shapes.coords, shapes.offsets)
    good = moves & ~broken[shapes.row]
    named = np.zeros(len(fid), bool) if named is None else named
    _refuse(shapes, fid, broken, good, named, report=report)
    _mend(shapes, fid, moves, good, report)
    row = shapes.row[good]
    coords = shapes.coords[np.repeat(good, size)]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    part = np.where(shapes.kind[row] == "LineString", -1, rank)
    offsets = np.append(0, np.cumsum(size[good]))
    return Shapes(coords, offsets, row, shapes.kind, shapes.others), part


def _has_length(coords: Floats, offsets: Ints) -> Bools:
    """Tell which lines have two vertices that differ."""
    size = np.diff(offsets)
    place = np.nan_to_num(coords)
    first = np.repeat(offsets[:-1], size)
    differs = np.append(0, np.cumsum((place != place[first]).any(axis=1)))
    return np.asarray(differs[offsets[1:]] > differs[offsets[:-1]])


def _refuse(shapes: Shapes, fid: Ints, broken: Bools, good: Bools, named: Bools, *, report: Report) -> None:
    rows = len(fid)
    vertices = np.bincount(np.repeat(shapes.row, np.diff(shapes.offsets)), minlength=rows)
    kept = np.bincount(shapes.row[good], minlength=rows) > 0
    linear = np.isin(shapes.kind, LINEAR)
    report.refuse(fid[(shapes.kind == "") & ~named], "no geometry")
    for kind in sorted(set(shapes.kind[~linear]) - {""}):
        report.refuse(fid[shapes.kind == kind], f"a {kind}, not a line")
    report.refuse(fid[broken], "a coordinate that is not a finite number")
    bare = linear & ~kept & ~broken & ~named
    collection = bare & (vertices == 0) & (shapes.others > 0)
    report.refuse(fid[collection], "a GeometryCollection without lines")
    report.refuse(fid[bare & (vertices == 0) & ~collection], "an empty geometry")
    report.refuse(fid[bare & (vertices == 1)], "only one vertex")
    report.refuse(fid[bare & (vertices > 1)], "no length: all vertices of each part are equal")


def _mend(shapes: Shapes, fid: Ints, moves: Bools, good: Bools, report: Report) -> None:
    kept = np.bincount(shapes.row[good], minlength=len(fid)) > 0
    short = np.bincount(shapes.row[~moves], minlength=len(fid)) > 0
    report.repair(fid[kept & short], "parts with fewer than two different vertices were left out")
    report.repair(
        fid[kept & (shapes.others > 0)], "members of its collection that are no lines were left out"
    )


def to_wkb(lines: LineStrings, order: Ints, row: Ints, single: Bools, deep: bool) -> NDArray[Any]:
    """Make WKB geometries of lines.

    Parameters
    ----------
    lines : LineStrings
        The lines.
    order : ndarray, shape (L,)
        In which order they are taken.
    row : ndarray, shape (L,)
        Geometry of each taken line: 0, 1, ..., not decreasing.
    single : ndarray of bool
        Which geometries are a LineString; the others are a MultiLineString.
    deep : bool
        Whether the geometries have heights.
    """
    import shapely

    size = np.diff(lines.offsets)[order]
    coords = lines.coords[runs(lines.offsets[:-1][order], size)][:, : 3 if deep else 2]
    strings = shapely.linestrings(coords, indices=np.repeat(np.arange(len(order)), size), handle_nan="allow")
    shapes = np.empty(len(single), object)
    shapes[single] = strings[single[row]]
    many = ~single[row]
    _, compact = np.unique(row[many], return_inverse=True)
    shapes[~single] = shapely.multilinestrings(strings[many], indices=compact)
    blobs: NDArray[Any] = shapely.to_wkb(shapes, output_dimension=3 if deep else 2, flavor="iso")
    return blobs
