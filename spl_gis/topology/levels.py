"""On which level each line runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..model import Bools, Column, Features, Floats, Ints

TAGS = ("layer", "bridge", "tunnel")
"""OpenStreetMap's columns that say on which level a way runs."""

ON_GROUND = ("building_passage",)
"""Values of `tunnel` for ways on the ground."""

_NO = ("", "0", "f", "false", "n", "no", "none")


class Levels(NamedTuple):
    """Levels of lines.

    Attributes
    ----------
    level : ndarray, shape (L,)
        0 is the ground.
    structure : ndarray of bool, shape (L,)
        Bridges and tunnels: they meet other lines only at shared vertices.
    source : str
        Columns that say so; empty when there are none, and all lines are on level 0.
    unread : int
        How many features have a `layer` that is no number, and counts as missing.
    """

    level: Floats
    structure: Bools
    source: str
    unread: int = 0


def line_levels(features: Features, feature: Ints, field: str | None) -> Levels:
    """Read the level of each line off its feature.

    Without a field, OpenStreetMap's columns are used: `layer`; where it is missing or no number, a bridge
    is on level 1 and a tunnel on level -1. A passage through a building is no tunnel.

    Parameters
    ----------
    features : Features
        Attributes.
    feature : ndarray of int, shape (L,)
        Row of each line's feature.
    field : str, optional
        Column with the level as a number; null is 0.

    Raises
    ------
    OptionError
        When there is no such column, or it holds something else than numbers.
    """
    columns = features.columns
    if field is None:
        found = [name for name in TAGS if name in columns]
        level, structure, unread = _osm(columns, len(features))
        return Levels(level[feature], structure[feature], ", ".join(found), unread)
    if field not in columns:
        raise OptionError(f"there is no column {field!r} to take the level from, only {', '.join(columns)}")
    level, known = _numbers(columns[field])
    bad = ~known & ~columns[field].null
    if bad.any():
        found_text = columns[field].values[np.flatnonzero(bad)[0]]
        raise OptionError(f"the level {found_text!r} in the column {field!r} is not a number")
    return Levels(level[feature], np.zeros(len(feature), bool), field)


def _osm(columns: Mapping[str, Column], rows: int) -> tuple[Floats, Bools, int]:
    blank = Column(np.full(rows, "", object), np.ones(rows, bool), "String")
    layer, bridge, tunnel = (columns.get(name, blank) for name in TAGS)
    level, known = _numbers(layer)
    on_bridge, in_tunnel = _yes(bridge, _NO), _yes(tunnel, _NO + ON_GROUND)
    guess = on_bridge.astype(float) - (in_tunnel & ~on_bridge)
    unread = int((~known & ~layer.null).sum())
    return np.where(known, level, guess), on_bridge | in_tunnel, unread


def _texts(column: Column) -> tuple[NDArray[np.str_], Ints]:
    """Give the different values of a column as text, and which of them each row has; null is empty."""
    texts = np.where(column.null, "", column.values.astype(str))
    different, row = np.unique(texts, return_inverse=True)
    return different, row.reshape(-1)


def _yes(column: Column, no: tuple[str, ...]) -> Bools:
    texts, row = _texts(column)
    return np.array([text.strip().lower() not in no for text in texts], bool)[row]


def _numbers(column: Column) -> tuple[Floats, Bools]:
    """Read numbers, also from text; also give where there is one."""
    texts, row = _texts(column)
    values = np.array([_number(text) for text in texts.tolist()], float)[row]
    return np.nan_to_num(values, posinf=0.0, neginf=0.0), np.isfinite(values)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
