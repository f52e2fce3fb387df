"""Warnings about the place of a scene: sound scenes have none, others one with a number and an option."""

from __future__ import annotations

import numpy as np
import pytest
from pyproj import CRS

from spl_gis import doubts, frames
from spl_gis.report import Report

TOWN = np.array([[-2000, -1500, 100], [2000, -1500, 120], [2000, 1500, 90], [-2000, 1500, 80]], float)


def said(frame: CRS | None, points: np.ndarray = TOWN) -> Report:
    report = Report()
    doubts.about_scene(points, frame, report)
    return report


def placed(code: str, lon: float, lat: float, rotation: float = 0.0) -> CRS:
    return frames.map_frame(CRS(code), frames.Origin(lat=lat, lon=lon), rotation)


SOUND = [
    *[("EPSG:32633", 18, 0), ("EPSG:32633", 12, 60), ("EPSG:32760", 179.9, -45), ("EPSG:2154", 9.2, 41.4)],
    *[("EPSG:2154", 2.5, 51), ("EPSG:27700", 1.7, 52.5), ("EPSG:2193", 178, -38), ("EPSG:5514", 12.2, 50.2)],
    *[("EPSG:28992", 7, 53.3), ("EPSG:2056", 10, 47), ("EPSG:2048", 18.5, -34), ("EPSG:2264", -79, 35.5)],
    *[("EPSG:3006", 24, 68), ("EPSG:3067", 31, 62.9), ("EPSG:26713", -103.8, 44.4), ("EPSG:31468", 11, 48)],
]


@pytest.mark.parametrize("rotation", [0, 137])
@pytest.mark.parametrize(("code", "lon", "lat"), SOUND)
def test_national_grids_in_their_country_have_no_warning(
    code: str, lon: float, lat: float, rotation: float
) -> None:
    report = said(placed(code, lon, lat, rotation))
    assert report.warnings == []
    assert report.notes[0].startswith("scale ") and "grid north is" in report.notes[0]


def test_the_scale_of_a_utm_zone_is_a_note() -> None:
    report = said(placed("EPSG:32633", 15, 0))
    assert report.notes == [
        "scale 0.99960 at the origin, 0.99960 at the corners; "
        "grid north is 0.00 degrees clockwise from true north"
    ]


def test_web_mercator_has_its_factor_and_the_option() -> None:
    (warning,) = said(placed("EPSG:3857", 10, 53.5)).warnings
    assert "Pseudo-Mercator stretches lengths by a factor of up to 1.68" in warning
    assert warning.endswith("pass --crs local for metres that are metres")


def test_a_continental_grid_far_from_its_middle_has_a_warning() -> None:
    warnings = said(placed("EPSG:3035", -9, 38)).warnings
    assert "0.986" in warnings[0] or "1.014" in warnings[0]
    assert "12.79 degrees anticlockwise" in warnings[1] and "--rotation 12.78" in warnings[1]


def test_the_rotation_that_a_warning_names_turns_the_scene_to_the_north() -> None:
    (scale, north) = said(placed("EPSG:5041", 100, 88)).warnings
    assert "0.994" in scale
    named = float(north.split("--rotation ")[1].split()[0])
    frame = placed("EPSG:5041", 100, 88, named)
    assert frames.distortion(frame, np.zeros((1, 2))).convergence[0] == pytest.approx(0, abs=1e-3)


def test_a_scene_too_large_for_any_map_is_not_sent_to_another_map() -> None:
    report = said(placed("EPSG:32633", 15, 50), TOWN * 400)
    assert "0.062 m: choose a part of it with --bbox" in report.warnings[0]
    assert "no map keeps lengths over 1,000 km, choose a part of it with --bbox" in report.warnings[1]


def test_float32_is_warned_of_when_it_loses_a_millimetre() -> None:
    assert said(None, TOWN * 8).warnings == []
    assert "steps of 0.002 m: choose a part of it with --bbox" in said(None, TOWN * 9).warnings[0]
    (far,) = said(None, np.add(TOWN, (500_000, 5_400_000, 0))).warnings
    assert "5,402 km from its origin" in far and "0.5 m: choose an --origin in its middle" in far


def test_a_tangent_plane_has_no_other_map_to_choose() -> None:
    plane = frames.topocentric_frame(frames.Origin(lat=50, lon=10))
    assert said(plane).warnings == []
    assert all("--crs" not in warning for warning in said(plane, TOWN * 400).warnings)


def test_places_that_cannot_be_computed_are_left_out() -> None:
    points = np.array([[0, 0, 0], [3e7, 3e7, 0]], float)
    report = said(CRS("EPSG:32633"), points)
    assert report.warnings and "nan" not in " ".join(report.warnings + report.notes)
    assert said(CRS("EPSG:32633"), np.zeros((0, 3))).notes == []


def test_a_missing_height_is_no_distance() -> None:
    assert said(placed("EPSG:32633", 15, 50), TOWN * (1, 1, np.nan)).warnings == []
