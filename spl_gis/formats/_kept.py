"""Arrays as short text, bit for bit."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Source


def source_to_json(source: Source) -> dict[str, str]:
    """Give the source's vertices as plain text."""
    numbers = (source.coords, np.diff(source.offsets), source.line, source.vertex)
    return dict(zip(("coords", "sizes", "line", "vertex"), map(pack, numbers)))


def source_from_json(data: Mapping[str, Any]) -> Source:
    """Undo `source_to_json`; raises ValueError, KeyError or TypeError when the text is something else."""
    return Source(
        unpack(data["coords"], 3).view("<f8"),
        np.append(0, np.cumsum(unpack(data["sizes"], 1))),
        unpack(data["line"], 1)[:, 0],
        unpack(data["vertex"], 2),
    )


def pack(numbers: NDArray[Any]) -> str:
    """Give 64-bit numbers as text.

    Neighbours in a column are much alike, so what is kept is the difference of their bits, column by column,
    and of these all first bytes, all second bytes, and so on, which zlib makes short.
    """
    rows = np.ascontiguousarray(numbers)
    bits = rows.view("<i8").reshape(len(rows), -1)
    steps = np.diff(bits, axis=0, prepend=0).T.astype("<i8")
    planes = np.ascontiguousarray(steps).view(np.uint8).reshape(-1, 8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 6)).decode("ascii")


def unpack(text: str, columns: int) -> NDArray[np.int64]:
    """Undo `pack`, shape (K, columns), as integers; raises ValueError when the text is something else."""
    try:
        raw = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), np.uint8)
    except zlib.error as error:
        raise ValueError(f"not zlib data: {error}") from error
    steps = np.ascontiguousarray(raw.reshape(8, -1).T).view("<i8").reshape(columns, -1)
    return np.ascontiguousarray(np.cumsum(steps, axis=1).T)
