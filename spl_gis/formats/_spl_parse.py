"""The patient way into a `.spl`: standard library only, and every refusal says where and what was found."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import isfinite, isnan
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

SEGMENT_KEYS = tuple(f"{end}_{what}" for end in ("start", "end") for what in ("index", "tangent", "up"))
"""Keys of a segment in the documented order."""

_TWICE = object()  # stands for the value of a key that is written twice
_OTHERS = {
    b"VIMspell": "a Vim spell file",
    b"\xd0\xcf\x11\xe0": "a Windows Installer or Office file",
    b"\x1f\x8b": "gzip data, perhaps a Splunk app",
    b"PK\x03\x04": "a zip archive",
    b"FWS": "a FutureSplash animation",
    b"CWS": "a FutureSplash animation",
    b"\x1b%-12345X": "a printer spool file",
}
_NOT_OURS = "this is not a UNIGINE spline graph (other programs use the suffix .spl too)"


class Tables(NamedTuple):
    """What a `.spl` holds, as numbers.

    Attributes
    ----------
    points : ndarray of float64, shape (N, 3)
        Positions.
    ends : ndarray of float64, shape (M, 2, 7)
        For the start and the end of each segment: point index (not checked yet), tangent, up vector.
    unknown : Counter of str
        Keys that a `.spl` does not have, and how often each was met.
    """

    points: NDArray[np.float64]
    ends: NDArray[np.float64]
    unknown: Counter[str]


class BrokenError(Exception):
    """What is wrong with the content, and where in it; the caller knows the file's name.

    `code` is that of a finding (`spl_gis.checks`), for what is wrong with single values.
    """

    def __init__(self, message: str, location: str | None = None, code: str = "broken-value") -> None:
        self.message = message
        self.location = location
        self.code = code
        super().__init__(message)


def parse(data: bytes) -> Tables:
    """Read the bytes of a `.spl`, without a byte order mark.

    Raises
    ------
    BrokenError
        When they are not a spline graph, with the place of the first fault.
    """
    document = _document(data)
    unknown: Counter[str] = Counter()
    _check_keys(document, ("points", "segments"), "$", 0, unknown)
    points = _list(document["points"], "$.points")
    rows = [_vector(point, "$.points[{}]", row) for row, point in enumerate(points)]
    segments = _list(document["segments"], "$.segments")
    ends = [_segment(segment, row, unknown) for row, segment in enumerate(segments)]
    return Tables(np.array(rows).reshape(-1, 3), np.array(ends).reshape(-1, 2, 7), unknown)


def faults(data: bytes) -> list[BrokenError]:
    """List what is wrong with the values of a `.spl`: one fault for each point and each value of a segment.

    Raises
    ------
    BrokenError
        When the bytes are no JSON, or nothing like a spline graph.
    """
    document = _document(data)
    broken: list[BrokenError] = []

    def attempt(look: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return look(*arguments)
        except BrokenError as fault:
            broken.append(fault)
            return []

    points = attempt(_entry, document, "points")
    for row, point in enumerate(points):
        attempt(_vector, point, "$.points[{}]", row)
    for row, segment in enumerate(attempt(_entry, document, "segments")):
        if not isinstance(segment, dict):
            attempt(_segment, segment, row, Counter())
            continue
        for key in SEGMENT_KEYS:
            attempt(_check_keys, segment, (key,), "$.segments[{}]", row, Counter())
            value = attempt(_value, segment, key, row) if key in segment else []
            if len(value) == 1:
                attempt(check_index, value[0], len(points), row, key)
    return broken


def _entry(document: dict[str, Any], key: str) -> list[Any]:
    _check_keys(document, (key,), "$", 0, Counter())
    return _list(document[key], f"$.{key}")


def check_index(index: float, size: int, row: int, key: str) -> None:
    """Refuse what is not the number of one of `size` points."""
    if not (0 <= index < size and index == int(index)):
        wanted = f"a whole number from 0 to {size - 1}" if size else "no segment, as there are no points"
        raise BrokenError(f"expected {wanted}, found {found(index)}", f"$.segments[{row}].{key}", "bad-index")


def _document(data: bytes) -> dict[str, Any]:
    """Give the object that the bytes of a `.spl` hold, if it is anything like a spline graph."""
    document = _load(_text(data))
    if not isinstance(document, dict):
        raise BrokenError(
            f"expected an object with points and segments, found {found(document)}; {_NOT_OURS}", "$"
        )
    if not {"points", "segments"} & document.keys():
        raise BrokenError(f"neither points nor segments in it; {_NOT_OURS}", "$")
    return document


def _text(data: bytes) -> str:
    """Decode UTF-8; decline what is certainly something else."""
    if not data.strip():
        raise BrokenError("the file is empty")
    for start, name in _OTHERS.items():
        if data.startswith(start):
            raise BrokenError(f"this looks like {name}, not like a UNIGINE spline graph")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or re.match(rb"\0[\s{]|[\s{]\0", data):
        raise BrokenError("this is UTF-16 or UTF-32 text: save it as UTF-8")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8 text{_perhaps_other(data)}"
        raise BrokenError(message, f"line {line}, column {column}") from None


def _perhaps_other(data: bytes) -> str:
    return "" if data.lstrip().startswith(b"{") else f"; {_NOT_OURS}"


def _load(text: str) -> Any:
    """Parse JSON; every number becomes a float, NaN and Infinity too (refused later, with their place)."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=float)
    except RecursionError:
        raise BrokenError("brackets are nested too deeply for a spline graph") from None
    except json.JSONDecodeError as error:
        location = f"line {error.lineno}, column {error.colno}"
        raise BrokenError(_explain(error) + _perhaps_other(text[:100].encode()), location) from None


def _integer(text: str) -> float:
    return float(text) + 0.0  # "-0" is the integer 0 to JSON decoders; only "-0.0" has a sign


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        entries.update(
            (key, _TWICE) for key, number in Counter(key for key, _ in pairs).items() if number > 1
        )
    return entries


def _explain(error: json.JSONDecodeError) -> str:
    """Say what is wrong with JSON text, guessing at the usual accidents."""
    before = error.doc[max(error.pos - 40, 0) : error.pos]
    after = error.doc[error.pos : error.pos + 40]
    if not after.strip() or error.msg.startswith("Unterminated"):
        return "not JSON: the text ends in the middle; was the file cut off?"
    if "trailing comma" in error.msg or (before.rstrip().endswith(",") and after[0] in "]}"):
        return "not JSON: there is a comma before a closing bracket"
    comma = re.search(r"\d,0$", before) and after[0].isdigit()
    hint = " (a decimal comma? write 0.5, not 0,5)" if comma else ""
    what = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"not JSON: {what}, found {after.split()[0][:20]!r}{hint}"


def _segment(segment: Any, row: int, unknown: Counter[str]) -> list[float]:
    """Give the 14 numbers of one segment."""
    if not isinstance(segment, dict):
        raise BrokenError(f"expected an object, found {found(segment)}", f"$.segments[{row}]")
    _check_keys(segment, SEGMENT_KEYS, "$.segments[{}]", row, unknown)
    return [number for key in SEGMENT_KEYS for number in _value(segment, key, row)]


def _value(segment: dict[str, Any], key: str, row: int) -> list[float]:
    """Give the numbers of one value of a segment: an index, or a vector."""
    value, place = segment[key], f"$.segments[{{}}].{key}"
    return [_number(value, place, row)] if key.endswith("index") else _vector(value, place, row)


def _check_keys(
    entries: dict[str, Any], keys: tuple[str, ...], place: str, row: int, unknown: Counter[str]
) -> None:
    for key in keys:
        if key not in entries:
            raise BrokenError(f"the key {key!r} is missing", place.format(row))
    if len(entries) > len(keys):
        unknown.update(key for key in entries if key not in keys)


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise BrokenError(f"expected a list, found {found(value)}", place)
    return value


def _vector(value: Any, place: str, row: int) -> list[float]:
    """Give three finite numbers; `place` has a gap for `row`."""
    if not isinstance(value, list) or len(value) != 3:
        comma = isinstance(value, list) and 4 <= len(value) <= 6
        hint = " (decimal commas? write 0.5, not 0,5)" if comma else ""
        raise BrokenError(f"expected a list of 3 numbers, found {found(value)}{hint}", place.format(row))
    for axis, number in enumerate(value):
        if type(number) is not float or not isfinite(number):
            _number(number, f"{place}[{axis}]", row)
    return value


def _number(value: Any, place: str, row: int) -> float:
    if type(value) is not float or not isfinite(value):
        code = "non-finite" if type(value) is float else "broken-value"
        raise BrokenError(f"expected a finite number, found {found(value)}", place.format(row), code)
    return value


def found(value: Any) -> str:
    """Name a wrong value in a few words."""
    if value is _TWICE:
        return "the key written twice"
    if isinstance(value, (list, dict)):
        return f"a list of {len(value)}" if isinstance(value, list) else "an object"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, float):
        return _found_number(value)
    return json.dumps(value)


def _found_number(value: float) -> str:
    if isfinite(value):
        return repr(value).removesuffix(".0")
    return "NaN" if isnan(value) else "Infinity, or a number too large for a double"
