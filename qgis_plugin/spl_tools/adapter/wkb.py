"""WKB of lines and points to arrays and back, and of polygons, with numpy alone."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

LINE, POLYGON, MULTILINE = 2, 3, 5
"""Codes of types."""


def parts(blob: bytes) -> list[bytes]:
    """Give the WKB of each line in a LineString or a MultiLineString (little endian, as QGIS writes it)."""
    code, number = struct.unpack_from("<II", blob, 1)
    if _flat(code) == LINE:
        return [blob]
    found, at = [], 9
    for _ in range(number):
        code, vertices = struct.unpack_from("<II", blob, at + 1)
        end = at + 9 + 8 * vertices * _width(code)
        found.append(blob[at:end])
        at = end
    return found


def line_coords(blobs: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Give the vertices of lines.

    Parameters
    ----------
    blobs : sequence of bytes
        WKB of LineStrings, of any dimension.

    Returns
    -------
    coords : ndarray, shape (K, 3)
        Vertices of all lines; a missing height is NaN. M is left out.
    offsets : ndarray of int, shape (L + 1,)
        Line ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.
    """
    heads = np.frombuffer(b"".join(blob[1:9] for blob in blobs), "<u4").reshape(-1, 2)
    size = heads[:, 1].astype(np.int64)
    coords = np.full((size.sum(), 3), np.nan)
    for code in np.unique(heads[:, 0]).tolist():
        here = heads[:, 0] == code
        data = b"".join(blobs[i][9:] for i in np.flatnonzero(here).tolist())
        numbers = np.frombuffer(data, "<f8").reshape(-1, _width(code))
        wide = 3 if _has_height(code) else 2
        coords[np.repeat(here, size), :wide] = numbers[:, :wide]
    return coords, np.append(0, np.cumsum(size))


def point_coords(blobs: Sequence[bytes]) -> np.ndarray:
    """Give the places of WKB points, shape (R, 3); NaN for anything else and for missing heights."""
    coords = np.full((len(blobs), 3), np.nan)
    for row, blob in enumerate(blobs):
        code = struct.unpack_from("<I", blob, 1)[0] if blob else 0
        if _flat(code) == 1:
            wide = 3 if _has_height(code) else 2
            coords[row, :wide] = struct.unpack_from(f"<{wide}d", blob, 5)
    return coords


def line_blobs(coords: np.ndarray, offsets: np.ndarray, deep: bool) -> list[bytes]:
    """Make the WKB of lines, with heights if they are `deep`."""
    wide, code = (3, LINE + 1000) if deep else (2, LINE)
    data = np.ascontiguousarray(coords[:, :wide], "<f8").tobytes()
    ends = offsets.tolist()
    return [
        struct.pack("<BII", 1, code, end - start) + data[8 * wide * start : 8 * wide * end]
        for start, end in zip(ends, ends[1:])
    ]


def multiline_blob(lines: Sequence[bytes], deep: bool) -> bytes:
    """Make the WKB of a MultiLineString of the WKB of its lines."""
    return struct.pack("<BII", 1, MULTILINE + (1000 if deep else 0), len(lines)) + b"".join(lines)


def point_blobs(coords: np.ndarray, deep: bool) -> list[bytes]:
    """Make the WKB of points, with heights if they are `deep`; an empty one where there is no place."""
    wide, code = (3, 1001) if deep else (2, 1)
    head = struct.pack("<BI", 1, code)
    return [
        head + row.tobytes() if known else b""
        for row, known in zip(np.ascontiguousarray(coords[:, :wide], "<f8"), np.isfinite(coords[:, 0]))
    ]


def polygon_blobs(corners: np.ndarray) -> list[bytes]:
    """Make the WKB of polygons without holes and heights, shape (F, C, 2), whose rings are not closed."""
    rings = np.ascontiguousarray(np.concatenate([corners, corners[:, :1]], axis=1), "<f8")
    head = struct.pack("<BIII", 1, POLYGON, 1, rings.shape[1])
    return [head + ring.tobytes() for ring in rings]


def _flat(code: int) -> int:
    return (code & 0x0FFFFFFF) % 1000


def _has_height(code: int) -> bool:
    return bool(code & 0x80000000) or (code & 0x0FFFFFFF) // 1000 in (1, 3)


def _width(code: int) -> int:
    return 2 + _has_height(code) + (bool(code & 0x40000000) or (code & 0x0FFFFFFF) // 1000 in (2, 3))
