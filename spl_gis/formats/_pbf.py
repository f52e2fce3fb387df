"""Ways and node ids of OpenStreetMap PBF, which GDAL does not show. Tags and places are left to GDAL.

The format: https://wiki.openstreetmap.org/wiki/PBF_Format; inside it are protocol buffers:
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..model import Bools, Ints
from ._geometry import runs

Bytes = NDArray[np.uint8]

# Numbers of fields, from fileformat.proto and osmformat.proto.
_HEADER_TYPE, _HEADER_SIZE = 1, 3
_RAW, _ZLIB = 1, 3
_GROUP = 2
_NODE, _DENSE, _WAY = 1, 2, 3
_ID, _KEYS, _REFS = 1, 2, 8

_VARINT, _LONG, _BYTES, _SHORT = 0, 1, 2, 5
"""Kinds of values: a number of any length, 8 bytes, a run of bytes, 4 bytes."""


def ways(data: bytes) -> tuple[Ints, Ints, Ints, Bools, Ints]:
    """Give ids, references, offsets, whether there are tags, and all node ids: see `_faults_osm.Ways`.

    Raises
    ------
    ValueError, IndexError, zlib.error
        When the bytes are not as they should be, or packed as the standard library cannot unpack.
    """
    fid, refs, sizes, tagged, nodes = ([np.zeros(0, np.int64)] for _ in range(5))
    for block in _blocks(data):
        for number, begin, end in _fields(block, 0, len(block)):
            if number == _GROUP:
                found = _group(block, begin, end)
                for total, part in zip((fid, refs, sizes, tagged, nodes), found):
                    total.append(part)
    offsets = np.append(0, np.cumsum(np.concatenate(sizes)))
    tags = np.concatenate(tagged) > 0
    return np.concatenate(fid), np.concatenate(refs), offsets, tags, np.concatenate(nodes)


def _blocks(data: bytes) -> Iterator[bytes]:
    """Unpack the blocks of data."""
    at = 0
    while at < len(data):
        start = at + 4 + int.from_bytes(data[at : at + 4], "big")
        header = {number: (a, b) for number, a, b in _fields(data, at + 4, start)}
        kind = data[slice(*header[_HEADER_TYPE])]
        at = start + header[_HEADER_SIZE][0]
        if kind != b"OSMData":
            continue
        blob = {number: (a, b) for number, a, b in _fields(data, start, at)}
        if _ZLIB in blob:
            yield zlib.decompress(data[slice(*blob[_ZLIB])])
        elif _RAW in blob:
            yield data[slice(*blob[_RAW])]
        else:
            raise ValueError("its blocks are packed in another way than zlib")


def _fields(data: bytes, at: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Give the fields of one message: number, and where a run of bytes begins and ends, or a value and -1."""
    while at < stop:
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _BYTES:
            size, at = _varint(data, at)
            yield key >> 3, at, at + size
            at += size
        elif kind == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value, -1
        elif kind in (_LONG, _SHORT):
            at += 8 if kind == _LONG else 4
        else:
            raise ValueError(f"there is no kind of value {kind} in a protocol buffer")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of any length; also give where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _group(block: bytes, begin: int, end: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Give the ways of a group of elements, one value or run for each, and its node ids."""
    inside = [item for item in _fields(block, begin, end) if item[0] in (_NODE, _DENSE, _WAY)]
    spans = {kind: np.array([item[1:] for item in inside if item[0] == kind], np.int64) for kind in (1, 2, 3)}
    octets = np.frombuffer(block + b"\0", np.uint8)  # so that one may look behind the last number
    way, node, dense = (spans[kind].reshape(-1, 2) for kind in (_WAY, _NODE, _DENSE))
    fid, keys, refs = _members(octets, way, (_ID, _KEYS, _REFS))
    flat, sizes = _deltas(octets, refs)
    (single,) = _members(octets, node, (_ID,))
    (packed,) = _members(octets, dense, (_ID,))
    nodes = np.concatenate([_signed(single[:, 0]), _deltas(octets, packed)[0]])
    return fid[:, 0], flat, sizes, (keys[:, 1] > keys[:, 0]).astype(np.int64), nodes


def _members(octets: Bytes, spans: Ints, wanted: tuple[int, ...]) -> list[Ints]:
    """Read many messages at once: of each wanted field its value, or where its bytes begin and end.

    Parameters
    ----------
    octets : ndarray of bytes
        What holds the messages.
    spans : ndarray of int, shape (M, 2)
        Where each begins and ends.
    wanted : tuple of int
        Numbers of fields.

    Returns
    -------
    list of ndarray of int, shape (M, 2)
        Zeros where a message does not have the field.
    """
    found = [np.zeros((len(spans), 2), np.int64) for _ in wanted]
    at = spans[:, 0].copy()
    while len(row := np.flatnonzero(at < spans[:, 1])):
        key, value_at = _varints(octets, at[row])
        value, after = _varints(octets, value_at)
        run = key & 7 == _BYTES
        if not (run | (key & 7 == _VARINT)).all():
            raise ValueError("there is a kind of value that OpenStreetMap data does not use")
        stop = np.where(run, after + value, after)
        pair = np.stack([np.where(run, after, value), np.where(run, stop, -1)], axis=1)
        for total, number in zip(found, wanted):
            mine = key >> 3 == number
            total[row[mine]] = pair[mine]
        at[row] = stop
    return found


def _varints(octets: Bytes, at: Ints) -> tuple[Ints, Ints]:
    """Read a number of any length at each place; also give where each ends."""
    value, at, more = np.zeros(len(at), np.int64), at.copy(), np.ones(len(at), bool)
    for shift in range(0, 70, 7):
        byte = octets[at].astype(np.int64)
        value += np.where(more, (byte & 0x7F) << shift, 0)
        at += more
        more &= byte >= 0x80
        if not more.any():
            return value, at
    raise ValueError("there is a number of more than 10 bytes")


def _deltas(octets: Bytes, spans: Ints) -> tuple[Ints, Ints]:
    """Read runs of numbers, each the difference to the one before; also give how many each run has."""
    size = spans[:, 1] - spans[:, 0]
    chosen = octets[runs(spans[:, 0], size)]
    last = chosen < 0x80
    end = np.flatnonzero(last)
    start = np.append(0, end + 1)[:-1]
    place = np.arange(len(chosen)) - np.repeat(start, end - start + 1)
    value = np.zeros(0, np.int64)
    if len(chosen):
        value = np.add.reduceat((chosen & 0x7F).astype(np.int64) << (7 * place), start)
    number = np.append(0, np.cumsum(last))[np.append(0, np.cumsum(size))]
    total = np.append(0, np.cumsum(_signed(value)))
    before = total[number[:-1]]
    return total[1:] - np.repeat(before, np.diff(number)), np.diff(number)


def _signed(value: Ints) -> Ints:
    """Undo the zigzag in which small negative numbers are short."""
    return (value >> 1) ^ -(value & 1)
