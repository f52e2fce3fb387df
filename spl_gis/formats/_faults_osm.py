"""What GDAL hides of OpenStreetMap data: ways whose nodes are not in the file."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ..model import Bools, Ints
from ..report import Report
from . import _pbf
from ._geometry import Shapes
from ._layer import Query, RawLayer

LAYER = "lines"
"""The layer that ways are read from."""

_NODE = re.compile(rb"<node\b[^>]*?\sid=[\"'](-?\d+)")
_WAY = re.compile(rb"[^>]*?\bid=[\"'](-?\d+)")
_REF = re.compile(rb"<nd\b[^>]*?ref=[\"'](-?\d+)")


class Ways(NamedTuple):
    """The ways of a file, and the ids of its nodes.

    Attributes
    ----------
    fid : ndarray of int, shape (W,)
        Ids of the ways.
    refs : ndarray of int
        Ids of the nodes of each way, one way after the other.
    offsets : ndarray of int, shape (W + 1,)
        Way ``i`` has the nodes ``refs[offsets[i]:offsets[i + 1]]``.
    tagged : ndarray of bool, shape (W,)
        Which ways have tags: GDAL makes no feature of the others.
    nodes : ndarray of int
        Ids of the nodes that the file has.
    """

    fid: Ints
    refs: Ints
    offsets: Ints
    tagged: Bools
    nodes: Ints


Found = tuple[Shapes, Bools, Ints]
"""See `_faults.Look`."""


def xml(data: bytes, query: Query, raw: RawLayer, report: Report) -> Found:
    """Look at OpenStreetMap XML."""
    return _look(_ways_of_xml(data) if query.layer == LAYER else None, query, raw, report)


def pbf(data: bytes, query: Query, raw: RawLayer, report: Report) -> Found:
    """Look at OpenStreetMap PBF."""
    return _look(Ways(*_pbf.ways(data)) if query.layer == LAYER else None, query, raw, report)


def _ways_of_xml(data: bytes) -> Ways:
    pieces = [_until_its_end(piece) for piece in data.split(b"<way ")[1:]]
    fid = [int(match[1]) if (match := _WAY.match(piece)) else 0 for piece in pieces]
    refs = [_REF.findall(piece) for piece in pieces]
    flat = [int(ref) for way in refs for ref in way]
    return Ways(
        np.array(fid, np.int64),
        np.array(flat, np.int64),
        np.cumsum([0, *map(len, refs)]),
        np.array([b"<tag " in piece for piece in pieces], bool),
        np.array(list(map(int, _NODE.findall(data))), np.int64),
    )


def _until_its_end(piece: bytes) -> bytes:
    """Cut off what follows a way, which may have nothing inside."""
    return piece.partition(b"</way>")[0].partition(b"<relation")[0]


def _look(ways: Ways | None, query: Query, raw: RawLayer, report: Report) -> Found:
    named, hidden = np.zeros(len(raw.fid), bool), np.zeros(0, np.int64)
    if ways is not None:
        absent = np.append(0, np.cumsum(~np.isin(ways.refs, ways.nodes)))[ways.offsets]
        lost = np.diff(absent)
        shown = np.isin(ways.fid, raw.fid)
        report.repair(ways.fid[shown & (lost > 0)], "nodes that are not in the file were left out")
        hidden = ways.fid[~shown & ways.tagged & (np.diff(ways.offsets) - lost < 2) & _open(ways)]
    if len(hidden) and (query.where is not None or query.bbox is not None):
        report.note(
            f"{len(hidden)} ways of the file have fewer than two nodes in it: nobody can tell whether they "
            "belong to what was asked for"
        )
        hidden = hidden[:0]
    report.refuse(hidden, "fewer than two of its nodes are in the file")
    return raw.shapes, named, hidden


def _open(ways: Ways) -> Bools:
    """Tell which ways do not end where they begin: of the others GDAL makes polygons, if of anything."""
    some = np.diff(ways.offsets) > 1
    same = np.zeros(len(some), bool)
    same[some] = ways.refs[ways.offsets[:-1][some]] == ways.refs[ways.offsets[1:][some] - 1]
    return ~same
