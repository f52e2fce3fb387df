"""Where the vertices of lines get their heights from, before they become a network."""

from __future__ import annotations

import dataclasses

import numpy as np
from pyproj import CRS

from .. import frames, terrain
from ..errors import OptionError
from ..model import Bools, Features, Floats, LineStrings
from ..report import Report
from ..terrain import HeightOptions, Surface
from .merge import keys_of, named, remark

ROUNDS = 3
"""On a tangent plane the place of a vertex depends on its height: so often it is looked for again."""


def with_heights(
    lines: LineStrings, frame: CRS | None, options: HeightOptions, report: Report
) -> tuple[LineStrings, Bools]:
    """Give vertices the heights that are asked for, as the lines could have had them in their own CRS.

    Numbers that stand for "no height" are missing. Missing is also what the ground does not know.

    Parameters
    ----------
    lines : LineStrings
        As they were read.
    frame : pyproj.CRS or None
        The scene's frame, in which the ground is known.
    options : HeightOptions
        Where heights come from.
    report : Report
        Told of numbers that stand for "no height", and of features with vertices where the ground is unknown.

    Returns
    -------
    lines : LineStrings
        With heights wherever they are known.
    draped : ndarray of bool, shape (L,)
        Lines that lie on the ground all along, because they have no heights of their own that count.

    Raises
    ------
    OptionError
        When there is no such column, or it holds something else than numbers; when the ground is unknown
        at all vertices.
    """
    given = lines.coords[:, 2]
    own = _without_sentinels(given, "heights", report)
    bare = _all_missing(own, lines)
    if options.mode == "fill" and len(lines):
        own = terrain.shared_heights(np.column_stack([lines.coords[:, :2], own]))[:, 2]
    draped = np.zeros(len(lines), bool)
    if options.surface is not None and len(lines):
        wanted = np.isnan(own) if options.mode == "fill" else np.ones(len(own), bool)
        other = np.full(len(own), np.nan)
        other[wanted] = _ground(lines.coords[wanted], lines.crs, frame, options.surface)
        _tell_unknown(lines, np.isnan(other), wanted, report)
        z = _mixed(own, other, options.mode)
        draped = {"replace": ~draped, "fill": bare, "add": draped}[options.mode]
    elif options.source is not None:
        z = _mixed(own, _asked(lines, options.source, report), options.mode)
    else:
        z = own
    if z is given:
        return lines, draped
    return dataclasses.replace(lines, coords=np.column_stack([lines.coords[:, :2], z])), draped


def still_draped(draped: Bools, lines: LineStrings, scene: LineStrings) -> Bools:
    """Tell which lines of a scene lie on the ground, after some were left out.

    Parameters
    ----------
    draped : ndarray of bool, shape (L,)
        That of the lines before.
    lines, scene : LineStrings
        The lines before and after.
    """
    if draped.all() or not draped.any():
        return np.full(len(scene), bool(draped.any()))
    before, after = (keys_of(each.features, each.feature, each.part) for each in (lines, scene))
    some = {key for key, lies in zip(before, draped.tolist()) if lies}
    return np.array([key in some for key in after], bool)


def _all_missing(z: Floats, lines: LineStrings) -> Bools:
    if len(lines) == 0:
        return np.zeros(0, bool)
    return np.asarray(np.logical_and.reduceat(np.isnan(z), lines.offsets[:-1]))


def _ground(coords: Floats, crs: CRS | None, frame: CRS | None, surface: Surface) -> Floats:
    """Give the height of the ground below vertices in a CRS, as that CRS has heights; NaN = unknown."""
    coords = coords.copy()
    coords[:, 2] = 0.0
    for _ in range(ROUNDS if frames.is_topocentric(frame) else 1):
        there = frames.transform(coords, crs, frame)
        there[:, 2] = surface.heights(there[:, 0], there[:, 1])
        unknown = np.isnan(there[:, 2])
        coords[:, 2] = frames.transform(there, frame, crs)[:, 2]
        coords[unknown, 2] = 0.0
    return np.where(unknown, np.nan, coords[:, 2])


def _asked(lines: LineStrings, source: str | float, report: Report) -> Floats:
    """Give the height of each vertex by a column or a number."""
    if not isinstance(source, str):
        return np.full(len(lines.coords), float(source))
    each = _numbers(lines.features, source)
    each = _without_sentinels(each, f"numbers in the column {source!r}", report)
    return np.repeat(each[lines.feature], np.diff(lines.offsets))


def _mixed(own: Floats, other: Floats, mode: str) -> Floats:
    """Put a line's own heights and others together; NaN = missing."""
    if mode == "replace":
        return other
    return own + other if mode == "add" else np.where(np.isnan(own), other, own)


def _without_sentinels(heights: Floats, what: str, report: Report) -> Floats:
    found = terrain.sentinels(heights)
    for value, number in found.items():
        report.count(f"{what} of {value:.6g} taken for none", number)
    return np.where(np.isin(heights, list(found)), np.nan, heights) if found else heights


def _numbers(features: Features, name: str) -> Floats:
    """Read a column of numbers, also from text; null and empty text are missing."""
    if name not in features.columns:
        raise OptionError(
            f"there is no column {name!r} to take heights from, only {', '.join(features.columns)}"
        )
    column = features.columns[name]
    texts = np.where(column.null, "", column.values.astype(str))
    different, row = np.unique(texts, return_inverse=True)
    numbers = np.array([_number(text, name) for text in different.tolist()], np.float64)
    return np.asarray(numbers[row.reshape(-1)])


def _number(text: str, name: str) -> float:
    if not text.strip():
        return np.nan
    try:
        value = float(text)
    except ValueError:
        value = np.inf
    if np.isinf(value):
        raise OptionError(f"{text!r} in the column {name!r} is no height: it should be a number")
    return value


def _tell_unknown(lines: LineStrings, unknown: Bools, wanted: Bools, report: Report) -> None:
    """Name the features with vertices where the ground is wanted, but unknown."""
    unknown = unknown & wanted
    if not unknown.any():
        return
    if unknown.sum() == wanted.sum():
        raise OptionError(
            "the terrain knows no height at any of the vertices: is it of this area, and is its CRS right "
            "(--dem-crs)?"
        )
    where = np.logical_or.reduceat(unknown, lines.offsets[:-1])
    features = named(lines.features, np.unique(lines.feature[where]))
    report.warn(
        f"{int(unknown.sum()):,} of {len(unknown):,} vertices lie outside the terrain, or where it knows no "
        f"height ({features}): they get the heights of their "
        "neighbours along the roads; pass a further --z that covers them, or take a part with --bbox"
    )


def filled(scene: LineStrings, report: Report) -> LineStrings:
    """Give vertices without a height that of the place, else along the line, else of lines that are near."""
    known = terrain.shared_heights(scene.coords)
    coords, blank = terrain.fill_heights(known, scene.offsets)
    if len(coords) and blank.all():
        report.note("the lines have no heights: they lie at z = 0")
    elif np.isnan(scene.coords[:, 2]).any():
        missing = np.logical_or.reduceat(np.isnan(scene.coords[:, 2]), scene.offsets[:-1])
        for lines, reason in (
            (missing & ~blank, "missing heights were taken from its neighbours"),
            (blank, "no vertex has a height: the line lies as high as the nearest that has one"),
        ):
            remark(report.repair, scene.features, np.unique(scene.feature[lines]), reason)
    return dataclasses.replace(scene, coords=coords)


def flat(scene: LineStrings) -> LineStrings:
    """Take the heights away: roads on the ground meet in plan."""
    return dataclasses.replace(
        scene, coords=np.column_stack([scene.coords[:, :2], np.zeros(len(scene.coords))])
    )


def raised(scene: LineStrings, offset: float) -> LineStrings:
    """Add a number of metres to all heights."""
    return dataclasses.replace(scene, coords=scene.coords + np.array([0.0, 0.0, offset]))
