"""Heights of frames: geoids, feet, origins with a height, and what is said when PROJ lacks a grid."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pyproj import CRS

from spl_gis import convert, frames
from spl_gis.frames import WGS84, Origin
from spl_gis.model import Features, LineStrings
from spl_gis.report import Report

UNDULATION = 46.5
"""Height [m] of the made-up geoid over the ellipsoid."""

LONLAT = [[15.001, 49.002, 400.0], [15.01, 49.0, 500.0]]
EGM96 = "EPSG:32633+5773"

TRIES = """
import json, sys
import numpy as np
from pyproj import CRS
from spl_gis import frames
from spl_gis.frames import Origin
origin, lonlat = Origin(lat=49, lon=15, h=100), np.array(json.loads(sys.argv[1]))
geoid, plane = frames.map_frame(CRS(sys.argv[2]), origin), frames.topocentric_frame(origin)
ellipsoid = CRS("EPSG:4979")
pairs = {"down": (ellipsoid, geoid), "across": (plane, geoid), "up": (geoid, plane)}
scene = frames.transform(lonlat, ellipsoid, geoid)
raised = frames.map_frame(CRS("EPSG:32633"), origin)
print(json.dumps({
    "scene": scene.tolist(),
    "back": frames.transform(scene, geoid, ellipsoid).tolist(),
    "across": frames.transform(frames.transform(lonlat, ellipsoid, plane), plane, geoid).tolist(),
    "flat": frames.transform(lonlat, ellipsoid, raised).tolist(),
    "plain": frames.heights_left(plane, ellipsoid),
    "said": {name: frames.heights_left(*pair) for name, pair in pairs.items()},
}))
"""


def tries(tmp_path: Path, *grids: str) -> dict:
    """Try heights in a process of its own, where PROJ has only these grids, all of them `UNDULATION`."""
    for grid in grids:
        header = struct.pack(
            ">4d2i", 40.0, 5.0, 10.0, 10.0, 3, 3
        )  # GTX: south west corner, steps, rows, columns
        (tmp_path / grid).write_bytes(header + struct.pack(">9f", *[UNDULATION] * 9))
    env = {**os.environ, "PROJ_NETWORK": "OFF", "PROJ_USER_WRITABLE_DIRECTORY": str(tmp_path)}
    command = [sys.executable, "-c", TRIES, json.dumps(LONLAT), EGM96]
    return json.loads(subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout)


def test_a_geoid_s_grid_is_used_and_nothing_is_said(tmp_path: Path) -> None:
    found = tries(tmp_path, "egm96_15.gtx")
    assert set(found["said"].values()) == {None}
    for heights in (found["scene"], found["across"]):
        np.testing.assert_allclose(np.array(heights)[:, 2], [300 - UNDULATION, 400 - UNDULATION], atol=1e-6)
    np.testing.assert_allclose(found["across"], found["scene"], atol=1e-6)
    np.testing.assert_allclose(found["back"], LONLAT, rtol=0, atol=1e-6)


def test_without_the_grid_heights_are_passed_on_and_that_is_said(tmp_path: Path) -> None:
    found = tries(tmp_path)
    np.testing.assert_allclose(found["scene"], found["flat"], atol=1e-6)
    np.testing.assert_allclose(found["across"], found["flat"], atol=1e-6)
    np.testing.assert_allclose(found["back"], LONLAT, rtol=0, atol=1e-6)
    assert found["plain"] is None
    for sentence in found["said"].values():
        assert "us_nga_egm96_15.tif" in sentence
        assert "pyproj sync --file" in sentence
        assert "EGM96 height" in sentence
        assert "height over the ellipsoid" in sentence


@pytest.mark.parametrize(
    ("code", "lat", "lon"),
    [("EPSG:27700+5701", 51.5, -0.1), ("EPSG:7415", 52.1, 5.3), ("EPSG:26713+5702", 44.4, -103.7)],
)
def test_a_missing_geoid_costs_no_datum_shift(code: str, lat: float, lon: float) -> None:
    """PROJ by itself would leave out both, which is a hundred metres on the map."""
    base, origin = CRS(code), Origin(lat=lat, lon=lon)
    plane, frame = frames.topocentric_frame(origin), frames.map_frame(base, origin)
    scene = np.array([[0.0, 0, 0], [300, -400, 25]])
    moved = frames.transform(scene, frame, plane)
    assert np.abs(moved[0]).max() < 0.1
    assert np.linalg.norm(moved[1] - moved[0]) == pytest.approx(np.linalg.norm(scene[1]), rel=1e-3)
    assert np.abs(frames.transform(moved, plane, frame) - scene).max() < 1e-6
    if os.environ.get("PROJ_NETWORK", "OFF") != "ON":
        assert "heights stay as they are" in (frames.heights_left(frame, plane) or "")


def test_a_way_that_proj_does_not_know_is_said_without_a_grid() -> None:
    origin = Origin(lat=44.4, lon=-103.7)
    frame = frames.map_frame(CRS("EPSG:26713+5702"), origin)
    sentence = frames.heights_left(frame, frames.topocentric_frame(origin))
    assert sentence is not None
    assert "NGVD29 height" in sentence
    assert "knows no way" in sentence
    assert "another vertical CRS" in sentence


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("EPSG:2263+6360", "EPSG:32618"),
        ("EPSG:2263+6360", "EPSG:32618+5703"),
        ("EPSG:2263+8228", "EPSG:32618+5703"),
        ("EPSG:2263", "EPSG:32618+5703"),
        ("EPSG:4979", "EPSG:32618"),
    ],
)
def test_nothing_is_said_of_heights_that_become_what_they_should(source: str, target: str) -> None:
    for h in (None, 20.0):
        frame = frames.map_frame(CRS(target), Origin(lat=40.7, lon=-74, h=h))
        assert frames.heights_left(CRS(source), frame) is None
        assert frames.heights_left(frame, CRS(source)) is None
    assert frames.heights_left(CRS(source), None) is None


@pytest.mark.parametrize(("vertical", "foot"), [("6360", 1200 / 3937), ("8228", 0.3048), ("5703", 1.0)])
@pytest.mark.parametrize("target", ["EPSG:32618", "EPSG:32618+5703", "EPSG:2263+6360", "EPSG:2263"])
@pytest.mark.parametrize("h", [None, 12.5])
def test_heights_in_feet_become_metres(vertical: str, foot: float, target: str, h: float | None) -> None:
    source = CRS(f"EPSG:2263+{vertical}")
    frame = frames.map_frame(CRS(target), Origin(lat=40.7, lon=-74, h=h))
    coords = np.array([[984_000.0, 194_000, 100], [984_500.0, 194_100, -7]])
    scene = frames.transform(coords, source, frame)
    np.testing.assert_allclose(scene[:, 2], coords[:, 2] * foot - (h or 0), atol=1e-6)
    np.testing.assert_allclose(frames.transform(scene, frame, source), coords, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "target",
    ["EPSG:32633", "EPSG:4326", "EPSG:4979", "EPSG:32633+5773", "EPSG:31468", "EPSG:3857", "OGC:CRS84"],
)
@pytest.mark.parametrize("base", ["EPSG:32633", "EPSG:5514", "local", "topocentric"])
def test_an_origin_s_height_takes_effect_with_any_crs(base: str, target: str) -> None:
    origin = Origin(lat=49.3, lon=14.4, h=321.5)
    topocentric = "normal" if base == "topocentric" else None
    crs = None if topocentric else base
    frame = frames.scene_frame(np.zeros((0, 3)), None, base=crs, origin=origin, topocentric=topocentric)
    for written in (frame, CRS.from_json(frame.to_json()), CRS.from_wkt(frame.to_wkt())):
        there = frames.transform(np.array([[0.0, 0, 0]]), written, CRS(target))
        assert there[0, 2] == pytest.approx(321.5, abs=1e-6)
        assert np.abs(frames.transform(there, CRS(target), written)).max() < 1e-6
        assert frames.describe(written).h == 321.5


def lines(crs: str, *places: tuple[float, ...]) -> LineStrings:
    rows = np.array([[*place, np.nan][:3] for place in places])
    features = Features(np.array([7]), {}, "roads")
    return LineStrings(rows, [0, len(rows)], [0], [-1], features, CRS(crs))


def warnings_of(source: LineStrings, frame: CRS) -> tuple[list[int], str]:
    report = Report()
    graph = convert.lines_to_graph(source, frame, fit="vertices", report=report)
    back = Report()
    convert.graph_to_lines(graph, to_crs=source.crs, report=back)
    again = Report()
    convert.reproject(graph, frames.topocentric_frame(Origin(lat=49, lon=15)), report=again)
    return [len(report.warnings), len(back.warnings), len(again.warnings)], "; ".join(report.warnings)


def test_jobs_warn_of_heights_that_stay() -> None:
    frame = frames.map_frame(CRS("EPSG:32633+5702"), Origin(lat=49, lon=15))
    high = lines("EPSG:4979", (15.0, 49.0, 400), (15.001, 49.0, 401))
    counts, said = warnings_of(high, frame)
    assert counts == [1, 1, 1]
    assert said.startswith("heights stay as they are")
    assert warnings_of(lines("EPSG:4979", (15.0, 49.0), (15.001, 49.0)), frame)[0] == [0, 0, 0]
    assert warnings_of(high, frames.map_frame(CRS("EPSG:32633"), Origin(lat=49, lon=15)))[0] == [0, 0, 0]


def test_a_layer_in_feet_that_does_not_say_what_its_heights_are_is_asked_for_them() -> None:
    frame = frames.map_frame(CRS("EPSG:26918"), Origin(lat=40.7, lon=-74))
    for vertical, trouble in (("", True), ("+6360", False)):
        report = Report()
        source = lines(f"EPSG:2263{vertical}", (984_000, 194_000, 100), (984_400, 194_000, 100))
        convert.lines_to_graph(source, frame, fit="vertices", report=report)
        said = "; ".join(report.warnings)
        assert ("--source-crs EPSG:2263+6360" in said) == trouble
        assert bool(said) == trouble
    for quiet in (None, WGS84, CRS("EPSG:32618")):
        assert frames.heights_in_feet(quiet) is None
