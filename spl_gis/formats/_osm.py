"""Tags of OpenStreetMap ways that matter for a road network, out of GDAL's bag of other tags."""

from __future__ import annotations

import re

import numpy as np

from ..model import Column

TAGS = ("bridge", "tunnel", "layer", "oneway", "maxspeed")
"""Tags that become columns of their own."""

BAG = "other_tags"
"""GDAL's column with all tags that have none, as hstore text: ``"bridge"=>"yes","lit"=>"no"``."""

_PAIR = re.compile(r'"(' + "|".join(TAGS) + r')"=>"((?:[^"\\]|\\.)*)"(?:,|$)')


def own_columns(columns: dict[str, Column]) -> dict[str, Column]:
    r"""Move the tags of `TAGS` from the bag to columns; the rest of the bag stays as it is.

    A quote inside a key or value is written ``\"``, so ``"bridge"=>`` can only be the key.
    """
    bag = columns.get(BAG)
    if bag is None or any(tag in columns for tag in TAGS):
        return columns
    found: dict[str, list[object]] = {tag: [None] * len(bag.values) for tag in TAGS}
    rest = bag.values.copy()
    for row, text in enumerate(bag.values.tolist()):
        pairs = _PAIR.findall(text)
        if pairs:
            rest[row] = _PAIR.sub("", text).rstrip(",")
        for tag, value in pairs:
            found[tag][row] = re.sub(r"\\(.)", r"\1", value)
    result = {name: column for name, column in columns.items() if name != BAG}
    result.update((tag, _column(values)) for tag, values in found.items())
    result[BAG] = Column(rest, bag.null | (rest == ""), bag.type, bag.subtype, bag.width)
    return result


def _column(values: list[object]) -> Column:
    null = np.array([value is None for value in values], bool)
    texts = np.empty(len(values), object)
    texts[:] = ["" if value is None else value for value in values]
    return Column(texts, null, "String")
