"""The quick way into a faultless `.spl` with the standard library alone; `_spl_parse` is for all others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from ..model import Floats
from ._spl_parse import SEGMENT_KEYS, Tables


class _FaultyError(Exception):
    """Something is not as it should be."""


def parse_plain(data: bytes) -> Tables | None:
    """Read a faultless `.spl` without unknown keys; None when it is not one."""
    try:
        graph = json.loads(data.decode())
        _require(type(graph) is dict and graph.keys() == {"points", "segments"})
        points, segments = (_list(graph[key]) for key in ("points", "segments"))
        # no texts but keys, and none of them twice, of which the decoder would give the last
        _require(data.count(b'"') == 2 * (2 + len(SEGMENT_KEYS) * len(segments)))
        return Tables(_vectors(points), _ends(segments), Counter())
    except (ValueError, RecursionError, OverflowError, KeyError, _FaultyError):
        return None


def _require(good: bool) -> None:
    if not good:
        raise _FaultyError


def _list(value: Any) -> list[Any]:
    _require(type(value) is list)
    return list(value)


def _vectors(vectors: Sequence[Any]) -> Floats:
    _require(set(map(type, vectors)) <= {list} and set(map(len, vectors)) <= {3})
    return _numbers(list(chain.from_iterable(vectors))).reshape(-1, 3)


def _numbers(values: list[Any]) -> Floats:
    _require(set(map(type, values)) <= {int, float})  # no booleans, which are numbers to numpy
    numbers = np.array(values, np.float64)
    _require(bool(np.isfinite(numbers).all()))
    return numbers


def _ends(segments: list[Any]) -> Floats:
    """Give the 7 numbers of both ends of segments, shape (M, 2, 7)."""
    _require(set(map(type, segments)) <= {dict} and set(map(len, segments)) <= {len(SEGMENT_KEYS)})
    table = np.empty((len(segments), 14))
    for key, column in zip(SEGMENT_KEYS, (0, 1, 4, 7, 8, 11)):
        values = list(map(itemgetter(key), segments))
        if key.endswith("index"):
            table[:, column] = _numbers(values)
        else:
            table[:, column : column + 3] = _vectors(values)
    return table.reshape(-1, 2, 7)
