"""Move lines from one CRS to another, and say what that does to them."""

from __future__ import annotations

import dataclasses

import numpy as np
from pyproj import CRS

from .. import frames
from ..model import Bools, Floats, Ints, LineStrings, select_lines
from ..report import Report
from .merge import remark
from .meridian import join_parts, without

ACCURATE = 2.0
"""Accuracy [m] of a datum shift that is worth a warning when it is worse."""

MOVED = 0.01
"""Datum shift [m] below which positions stay as they are."""

BORDER = 1e3
"""Distance [m] outside an area of use that means nothing, because these are rounded boxes."""

OUTSIDE = 50e3
"""Distance [m] outside an area of use that is worth a warning: up to it, a network crosses a border."""

_TORN = 20.0
"""An edge that is so many times longer than on the ground runs over the seam of a map."""

_LONG = 100e3
"""Length [m or other unit] of an edge from which on it is compared with that on the ground."""


def to_scene(
    lines: LineStrings, frame: CRS | None, report: Report, *, own_heights: bool = True
) -> LineStrings:
    """Move lines to a scene's frame.

    Features that have no place in it are refused, parts that end on both sides of 180 degrees are joined, and
    what the move does to positions is reported.

    Parameters
    ----------
    lines : LineStrings
        In any CRS.
    frame : pyproj.CRS or None
        The scene's frame.
    report : Report
        Told all that.
    own_heights : bool
        Whether heights are those of the source, so that what is doubtful about them is told.

    Raises
    ------
    GeoreferenceError
        When only one of both has a place on Earth, or PROJ knows no way between them.
    """
    coords = frames.transform(lines.coords, lines.crs, frame) + 0.0
    if own_heights and np.abs(np.nan_to_num(lines.coords[:, 2])).any():
        for trouble in (frames.heights_left(lines.crs, frame), frames.heights_in_feet(lines.crs)):
            if trouble:
                report.warn(trouble)
    good = frames.comes_back(lines.coords, coords, lines.crs, frame)
    if not lines.planar:
        coords[np.isnan(lines.coords[:, 2]), 2] = np.nan  # on a tangent plane they became heights of 0
    if not good.all():
        lost = np.unique(lines.feature[~whole_lines(good, lines.offsets)])
        remark(report.refuse, lines.features, lost, f"cannot be projected into the scene's frame{_of(frame)}")
        stay = ~np.isin(lines.feature, lost)
        coords = coords[np.repeat(stay, np.diff(lines.offsets))]
        lines = select_lines(lines, stay)
    joined, again = join_parts(lines, frame)
    scene = dataclasses.replace(joined, coords=coords, crs=frame)
    if again.any():
        report.count("parts joined at 180 degrees", int(again.sum()))
        scene = without(scene, again)
    tell_datum(scene.coords, lines.crs, frame, report)
    tell_place(lines, report, "CRS with --source-crs if the file's is wrong")
    if frames.area_of(frame) != frames.area_of(lines.crs):
        tell_place(scene, report, "--crs, or take a part with --bbox")
    tell_torn(scene, report)
    return scene


def whole_lines(good: Bools, offsets: Ints) -> Bools:
    """Tell which lines have only good vertices."""
    if len(offsets) == 1:
        return np.zeros(0, bool)
    return np.asarray(np.logical_and.reduceat(good, offsets[:-1]))


def tell_place(lines: LineStrings, report: Report, option: str) -> None:
    """Report lines outside the area that their CRS is for; `option` is what else to pass."""
    area = frames.area_of(lines.crs) if len(lines) else None
    if area is None or lines.crs is None:
        return
    distance = frames.outside(frames.own_lonlat(lines.coords, lines.crs), area)
    distance = np.where(np.isfinite(distance), distance, 0.0)
    far = float(distance.max())
    if far <= BORDER:
        return
    number = int((np.maximum.reduceat(distance, lines.offsets[:-1]) > BORDER).sum())
    sentence = (
        f"{number} of {len(lines)} lines reach up to {far / 1000:,.0f} km outside the area that "
        f"{frames.base_of(lines.crs).name} is for"
    )
    if far <= OUTSIDE:
        report.note(sentence)
    else:
        report.warn(f"{sentence}: pass another {option}")


def tell_torn(lines: LineStrings, report: Report) -> None:
    """Warn of lines that run over the seam of their map, such as 180 degrees in Web Mercator."""
    if lines.crs is None or lines.crs.is_engineering or lines.crs.is_geographic:
        return
    edge = np.hypot(*np.diff(lines.coords[:, :2], axis=0).T)
    edge[lines.offsets[1:-1] - 1] = 0.0
    long = np.flatnonzero(edge > _LONG)
    ends = [frames.own_lonlat(lines.coords[long + side], lines.crs) for side in (0, 1)]
    torn = long[edge[long] > _TORN * np.maximum(frames.ground_distance(*ends), 1.0)]
    if len(torn):
        number = len(np.unique(np.searchsorted(lines.offsets, torn, side="right")))
        report.warn(
            f"{number} lines are torn apart at the edge of the map {frames.base_of(lines.crs).name}, such as "
            "180 degrees of longitude: pass another --crs, or, when lines are written, another --to-crs"
        )


def tell_datum(coords: Floats, source: CRS | None, target: CRS | None, report: Report) -> None:
    """Report the datum shift that places went through on their way to `coords` (K, 3) in `target`.

    It is that at the middle of them.
    """
    if len(coords) == 0 or source is None or target is None:
        return
    middle = np.append((coords[:, :2].min(axis=0) + coords[:, :2].max(axis=0)) / 2, 0.0)[None]
    found = frames.account(source, target, frames.transform(middle, target, source))
    if found is None:
        return
    report.transformation = found.as_dict()
    report.note(_sentence(found))
    warning = _doubt(found)
    if warning:
        report.warn(warning)


def _sentence(found: frames.Account) -> str:
    accuracy = "of unknown accuracy" if found.accuracy is None else f"accurate to {found.accuracy:g} m"
    moved = "an unknown distance" if found.shift is None else f"{found.shift:.3g} m"
    return (
        f"positions go from the datum {found.source} to {found.target} by {found.name!r}, {accuracy}, "
        f"which moves them by {moved} here"
    )


def _doubt(found: frames.Account) -> str | None:
    """Say what is doubtful about a datum shift, None = it is as good as can be had."""
    between = f"from the datum {found.source} to {found.target}"
    if found.ballpark:
        return (
            f"PROJ knows no datum shift {between}: positions may be off by hundreds of metres; "
            "pass --source-crs with a CRS whose datum is known, or --crs with one of the same datum"
        )
    if found.missing is not None:
        grids = found.missing.grids
        reach = "unknown accuracy" if found.accuracy is None else f"an accuracy of {found.accuracy:g} m"
        return (
            f"the best datum shift {between} here, accurate to {found.missing.accuracy:g} m, needs the grid "
            f"{' and '.join(grids)}, which is not installed: {found.name!r} is used instead, with {reach}; "
            f"get the grid with: {'; '.join(f'projsync --file {grid}' for grid in grids)}"
        )
    advice = "check positions against a map, or pass --crs with a CRS of the same datum"
    if found.accuracy is None:
        return f"nobody says how accurate the datum shift {found.name!r} is: {advice}"
    if found.accuracy > ACCURATE and (found.shift is None or found.shift > MOVED):
        return f"the datum shift {found.name!r} is accurate to {found.accuracy:g} m only: {advice}"
    return None


def _of(frame: CRS | None) -> str:
    return "" if frame is None else f" ({frames.base_of(frame).name})"
