"""Arrays as short text, bit for bit."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model import Floats, Ints, Source

MOST = 12
"""Decimals that are looked for."""


def source_to_json(source: Source) -> dict[str, Any]:
    """Give the source's vertices as plain data."""
    decimals, numbers = zip(*(_whole(column) for column in source.coords.T))
    return {
        "decimals": list(decimals),
        "coords": pack(np.stack(numbers, axis=1)),
        "sizes": pack(np.diff(source.offsets)),
        "line": pack(source.line),
        "vertex": pack(source.vertex),
    }


def source_from_json(data: Mapping[str, Any]) -> Source:
    """Undo `source_to_json`; raises ValueError, KeyError or TypeError when the data is something else."""
    numbers = unpack(data["coords"], 3).T
    coords = [
        column.view("<f8") if places is None else column / 10.0**places
        for column, places in zip(numbers, data["decimals"])
    ]
    return Source(
        np.stack(coords, axis=1),
        np.append(0, np.cumsum(unpack(data["sizes"], 1))),
        unpack(data["line"], 1)[:, 0],
        unpack(data["vertex"], 2),
    )


def _whole(values: Floats) -> tuple[int | None, Ints]:
    """Give the fewest decimals that say all numbers, and these without the point; else None and bits."""
    bits = np.ascontiguousarray(values).view("<i8")
    for places in range(MOST + 1):
        scaled = values * 10.0**places
        if not (np.abs(scaled) < 2**53).all():
            break
        whole = np.rint(scaled).astype("<i8")
        if np.array_equal((whole / 10.0**places).view("<i8"), bits):
            return places, whole
    return None, bits


def pack(numbers: Ints) -> str:
    """Give whole numbers, shape (K,) or (K, columns), as text.

    Neighbours in a column are much alike, so what is kept is their difference, column by column, and of these
    all first bytes, all second bytes, and so on, which zlib makes short.
    """
    rows = (numbers if numbers.ndim == 2 else numbers[:, None]).astype("<i8")
    steps = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), "<i8")).T
    turned = (steps << 1) ^ (steps >> 63)  # small negative numbers have small bytes too
    planes = np.ascontiguousarray(turned).view(np.uint8).reshape(-1, 8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode("ascii")


def unpack(text: str, columns: int) -> Ints:
    """Undo `pack`, shape (K, columns); raises ValueError when the text is something else."""
    try:
        raw = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), np.uint8)
    except zlib.error as error:
        raise ValueError(f"not zlib data: {error}") from error
    turned = np.ascontiguousarray(raw.reshape(8, raw.size // 8).T).view("<u8").ravel()
    steps = (turned >> np.uint64(1)).view("<i8") ^ -(turned & np.uint64(1)).view("<i8")
    return np.ascontiguousarray(np.cumsum(steps.reshape(columns, raw.size // 8 // columns), axis=1).T)
