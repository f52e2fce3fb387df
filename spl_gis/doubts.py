"""What looks wrong about the place of data, said in one line with the number and the option that helps."""

from __future__ import annotations

import math

import numpy as np
from pyproj import CRS

from . import frames
from .model import Floats, LineStrings
from .report import Report

FINE = 0.001
"""Step [m] of the engine's float32 up to which nothing is seen; it is reached 16 km from the origin."""

STRETCH = 0.003
"""Part of a length that a frame may add or take: 3 m in a kilometre. UTM zones keep within 0.001, and
national grids within 0.003 in their country (Lambert-93 has most, in Corsica)."""

TURN = 10.0
"""Degrees between grid north and true north that a frame may have; Krovak has most of national grids, 9.6."""

FLAT = 490_000.0
"""Distance [m] from its origin at which even a local transverse Mercator stretches by more than `STRETCH`:
``1 + d**2 / 2R**2``."""


def about_lines(lines: LineStrings, report: Report) -> None:
    """Warn when coordinates do not look like those of the CRS that they are said to be in."""
    seems = None if lines.crs is None else frames.misread(lines.coords, lines.crs)
    if lines.crs is None or seems is None:
        return
    layer = f"layer {lines.features.layer!r}: " if lines.features.layer else ""
    least, most = lines.coords[:, :2].min(axis=0), lines.coords[:, :2].max(axis=0)
    box = ", ".join(f"{axis} {a:.10g} to {b:.10g}" for axis, a, b in zip("xy", least, most))
    report.warn(f"{layer}{_SEEMS[seems].format(box=box, crs=lines.crs.name)}")


_SEEMS = {
    "metres": "{box} are no coordinates of {crs}, rather metres of another CRS: pass it with --source-crs",
    "degrees": "{box} look like degrees, but are said to be in {crs}: pass --source-crs EPSG:4326 (or the "
    "geographic CRS that they are in)",
    "feet": "{box} lie outside the area of {crs}, as feet they would lie inside: pass the CRS in feet with "
    "--source-crs",
    "swapped": "{box}: x and y look swapped, because only the other way round {crs} is of use there: swap "
    "them before (in QGIS: 'Swap X and Y coordinates'), or pass the right CRS with --source-crs",
    "swapped degrees": "{box} look like latitude and longitude in degrees, but are said to be in {crs}: swap "
    "them before (in QGIS: 'Swap X and Y coordinates'), and pass --source-crs EPSG:4326",
}


def about_scene(points: Floats, frame: CRS | None, report: Report) -> None:
    """Say what the frame does to metres and to north, and warn where that, or float32, spoils a scene.

    Parameters
    ----------
    points : ndarray of float64, shape (K, 3)
        The points of the scene, in `frame` [m]. A missing height is NaN.
    frame : pyproj.CRS or None
        The frame.
    report : Report
        Told about scale, convergence and the step of float32.
    """
    _about_float32(points, report)
    places = profile(points, frame)
    if frame is None or places is None or not np.isfinite(places.convergence[0]):
        return
    what = frames.describe(frame)
    report.note(
        f"scale {_scale(places, slice(1))} at the origin, {_scale(places, slice(1, 5))} at the corners; "
        f"grid north is {_turned(places)} true north"
    )
    _about_scale(what, places, points, report)
    _about_north(what, places, report)


def profile(points: Floats, frame: CRS | None) -> frames.Distortion | None:
    """Give scale and convergence of a frame at `origin_and_corners` of some points.

    The convergence is that of the grid, without the frame's rotation. None when there is no place on Earth.
    """
    if frame is None or frame.is_engineering or not len(points):
        return None
    found = frames.distortion(frame, origin_and_corners(points))
    convergence = (found.convergence - frames.describe(frame).rotation + 180) % 360 - 180
    return found._replace(convergence=convergence)


def origin_and_corners(points: Floats) -> Floats:
    """Give the scene's (0, 0) and the corners of the points' box, shape (5, 2): SW, SE, NW, NE."""
    (x0, y0), (x1, y1) = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return np.array([(0.0, 0.0), (x0, y0), (x1, y0), (x0, y1), (x1, y1)])


def step(points: Floats) -> float:
    """Give the step [m] of float32 at the greatest coordinate."""
    return float(np.spacing(np.float32(_farthest(points))))


def _farthest(points: Floats) -> float:
    """Give the greatest coordinate; a missing height has none."""
    high, low = (reduced(points, axis=None, initial=0.0) for reduced in (np.fmax.reduce, np.fmin.reduce))
    return float(max(high, -low))


def _about_float32(points: Floats, report: Report) -> None:
    fine = step(points)
    if fine <= FINE:
        return
    far, half = _farthest(points), float(np.ptp(points[:, :2], axis=0).max()) / 2
    advice = "an --origin in its middle" if far > 2 * half else "a part of it with --bbox"
    report.warn(
        f"the scene reaches {far / 1000:,.0f} km from its origin, where the engine's float32 has steps "
        f"of {fine:.2g} m: choose {advice}"
    )


def _about_scale(what: frames.Description, places: frames.Distortion, points: Floats, report: Report) -> None:
    """Warn where roads become too long or too short; a tangent plane leaves no choice."""
    scales = np.concatenate([places.smallest, places.largest])
    worst = float(scales[np.nanargmax(np.abs(np.log(scales)))])
    if abs(math.log(worst)) <= STRETCH or what.kind.startswith("topocentric"):
        return
    far = float(np.hypot(*origin_and_corners(points).T).max())
    advice = "pass --crs local for metres that are metres"
    if far > FLAT:
        advice = f"no map keeps lengths over {far / 1000:,.0f} km, choose a part of it with --bbox"
    report.warn(
        f"{what.base} stretches lengths by a factor of up to {worst:.6g} in this scene, a kilometre of road "
        f"becomes {1000 * worst:,.0f} m: {advice}"
    )


def _about_north(what: frames.Description, places: frames.Distortion, report: Report) -> None:
    """Warn when a compass or the sun would be visibly wrong."""
    if abs(origin := float(places.convergence[0])) > TURN:
        report.warn(
            f"grid north of {what.base} is {_turned(places)} true north at the origin: pass "
            f"--rotation {-origin:.6g} for a scene whose y axis points north, or --crs local"
        )


def _scale(places: frames.Distortion, part: slice) -> str:
    scales = np.concatenate([places.smallest[part], places.largest[part]])
    if not (known := np.isfinite(scales)).any():
        return "unknown"
    least, most = (f"{value:.5f}" for value in (scales[known].min(), scales[known].max()))
    return least if least == most else f"{least} to {most}"


def _turned(places: frames.Distortion) -> str:
    angle = float(places.convergence[0])
    return f"{abs(angle):.2f} degrees {'clockwise' if angle >= 0 else 'anticlockwise'} from"
