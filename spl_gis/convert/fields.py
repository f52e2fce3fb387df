"""Which columns are kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

from ..errors import OptionError
from ..model import Features, LineStrings, SplineGraph

Noun = TypeVar("Noun", LineStrings, SplineGraph)


def keep_fields(data: Noun, names: Sequence[str]) -> Noun:
    """Give lines or a graph with only some of the columns of their features, in the order of the source.

    Raises
    ------
    OptionError
        When there is no such column; it lists those that there are.
    """
    table = data.features
    missing = [name for name in names if name not in table.columns]
    if missing:
        there = ", ".join(table.columns) or "none"
        raise OptionError(f"there is no column {missing[0]!r} to keep; there is {there}")
    kept = {name: column for name, column in table.columns.items() if name in names}
    return dataclasses.replace(data, features=Features(table.fid, kept, table.layer))
