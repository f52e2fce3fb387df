"""`--z` and its like: where heights come from, as it is written on the command line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
from pyproj import CRS

from .. import frames
from ..errors import OptionError
from ..model import LineStrings
from ..report import Report
from ..terrain import HeightOptions, read_terrain
from .options import refuse_given

OWN = "source"
"""The heights of the lines themselves."""
FIELD = "field:"
"""In front of a name, that it is a column."""
FOR_FILES = ("dem_crs", "dem_nodata", "dem_interpolation")
"""Options that say how files of heights are read."""
FOR_GROUND = ("smooth_profile", "max_grade", "clearance")
"""Options that say how roads lie on the ground."""


def heights_of(lines: LineStrings, frame: CRS | None, given: dict[str, Any], report: Report) -> HeightOptions:
    """Read where heights come from.

    Raises
    ------
    OptionError
        When a word is nothing, or several things.
    FileAccessError, FormatError, GeoreferenceError, MissingDependencyError
        As `read_terrain`.
    """
    words = [word for word in given["z"] if word != OWN] if len(given["z"]) == 1 else list(given["z"])
    files = [word for word in words if _is_file(word, lines)]
    if len(words) > 1 and len(files) < len(words):
        raise OptionError("only files of heights can be given together: pass one --z otherwise")
    context = click.get_current_context()
    if not words:
        refuse_given(context, ("z_mode",), "without a --z that is a column, a file of heights or a number")
    if not files:
        refuse_given(context, FOR_FILES, "without a --z that is a file of heights")
    if not files and (not words or _number(words[0]) is None):
        refuse_given(context, FOR_GROUND, "without a --z that is a file of heights or a number")
    if not words:
        return HeightOptions(offset=given["z_offset"])
    grade = None if given["max_grade"] is None else given["max_grade"] / 100
    some = {
        **{"mode": given["z_mode"], "offset": given["z_offset"], "smooth": given["smooth_profile"]},
        **{"max_grade": grade, "clearance": given["clearance"]},
    }
    if not files:
        return HeightOptions(source=_source(words[0], lines), **some)
    surface = read_terrain(
        files,
        frame,
        crs=None if given["dem_crs"] is None else frames.parse_crs(given["dem_crs"]),
        default_crs=lines.crs,
        nodata=given["dem_nodata"],
        cubic=given["dem_interpolation"] == "cubic",
        report=report,
    )
    return HeightOptions(surface=surface, **some)


def _is_file(word: str, lines: LineStrings) -> bool:
    """Tell whether a word is a file or a folder; a name that is a column as well is an error."""
    if word == OWN or word.startswith(FIELD) or _number(word) is not None or not Path(word).exists():
        return False
    if word in lines.features.columns:
        raise OptionError(
            f"--z {word} is a file and a column: write --z ./{word} for the file, --z {FIELD}{word} for the "
            "column"
        )
    return True


def _source(word: str, lines: LineStrings) -> str | float:
    """Read a column or a number."""
    number = _number(word)
    if number is not None:
        return number
    name = word.removeprefix(FIELD)
    if name not in lines.features.columns:
        there = ", ".join(lines.features.columns) or "none"
        raise OptionError(f"--z {word} is neither a file nor a column (there is {there}) nor a number")
    return name


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
