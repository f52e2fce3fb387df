"""Which features are the same road."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..model import Bools, Column, Features, Ints

NAMES = ("name", "ref")
"""Columns that name a road, in lower case; one of them must agree."""
CLASSES = ("highway", "railway", "waterway", "fclass", "class", "type", "kind")
"""Columns that say what kind of road it is, in lower case; all that there are must agree."""


def same_road(features: Features, first: Ints, second: Ints) -> Bools:
    """Say which pairs of features have one name or number, and one class.

    Parameters
    ----------
    features : Features
        Attributes; the columns of `NAMES` and `CLASSES` count, in any case.
    first, second : ndarray of int, shape (Q,)
        Rows of both features of each pair.
    """
    columns = {name.lower(): column for name, column in features.columns.items()}
    named = np.zeros(len(first), bool)
    for name in NAMES:
        if name in columns:
            label, empty = _labels(columns[name])
            named |= (label[first] == label[second]) & ~empty[first]
    for name in CLASSES:
        if name in columns:
            label, _ = _labels(columns[name])
            named &= label[first] == label[second]
    return named


def equal(features: Features, by: Sequence[str] | None, first: Ints, second: Ints) -> Bools:
    """Say which pairs of features agree in the columns `by` (None = all); null agrees with null only.

    Raises
    ------
    OptionError
        When there is no such column.
    """
    missing = [name for name in by or () if name not in features.columns]
    if missing:
        raise OptionError(
            f"there is no column {missing[0]!r} to merge by, only {', '.join(features.columns)}"
        )
    agree = np.ones(len(first), bool)
    for name in features.columns if by is None else by:
        column = features.columns[name]
        label, _ = _labels(column)
        agree &= (label[first] == label[second]) & (column.null[first] == column.null[second])
    return agree


def _labels(column: Column) -> tuple[Ints, Bools]:
    """Give equal values equal numbers, and say which are null or empty: those are equal, too."""
    texts: NDArray[np.str_] = np.where(column.null, "", column.values.astype(str))
    different, label = np.unique(texts, return_inverse=True)
    label = label.reshape(-1)
    return label, (different == "")[label]
