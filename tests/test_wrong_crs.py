"""A gallery of files that say wrongly, or not at all, where they are.

Each gives the right place, or an error or warning that names the cause; never another place without a word.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyproj import CRS, Transformer
from test_cli import done, refused, run

from spl_gis import frames
from spl_gis.errors import GeoreferenceError
from spl_gis.formats import vector
from spl_gis.model import Features, LineStrings
from spl_gis.report import Report

LON, LAT = 14.42, 49.315
"""A street in Bohemia: its first vertex."""

STREET = np.array([[LON, LAT], [LON + 0.004, LAT + 0.001], [LON + 0.007, LAT + 0.0005]])


def moved(code: str) -> np.ndarray:
    """Give the street in another CRS: x east and y north, in its units."""
    return np.column_stack(Transformer.from_crs("OGC:CRS84", code, always_xy=True).transform(*STREET.T))


def file(path: Path, xy: np.ndarray, claim: str | None, z: float | None = None) -> Path:
    """Write a street in coordinates as they are, with the claim of a CRS."""
    height = np.full((len(xy), 1), np.nan if z is None else z)
    crs = None if claim is None else CRS(claim)
    lines = LineStrings(np.hstack([xy, height]), [0, len(xy)], [0], [-1], Features([1], {}, "street"), crs)
    vector.write(lines, path)
    return path


def geojson(path: Path, xy: np.ndarray, name: str | None = None) -> Path:
    geometry = {"type": "LineString", "coordinates": xy.tolist()}
    data: dict[str, Any] = {"type": "FeatureCollection"}
    if name is not None:
        data["crs"] = {"type": "name", "properties": {"name": name}}
    data["features"] = [{"type": "Feature", "id": 1, "properties": {}, "geometry": geometry}]
    path.write_text(json.dumps(data))
    return path


def read(path: Path, **options: Any) -> tuple[LineStrings, list[str]]:
    report = Report()
    return vector.read(path, report=report, **options), report.warnings


def right(lines: LineStrings) -> bool:
    """Tell whether the street is in Bohemia, in the scene that would be chosen, within a metre."""
    frame = frames.scene_frame(lines.coords, lines.crs)
    scene = frames.transform(lines.coords, lines.crs, frame)
    place = frames.transform(scene, frame, frames.WGS84)
    return bool(np.abs(place[:, :2] - STREET).max() < 1e-5)


SUFFIXES = [".gpkg", ".shp", ".fgb"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("code", ["EPSG:4326", "EPSG:32633", "EPSG:5514", "EPSG:3857", "EPSG:4258"])
def test_a_file_that_tells_the_truth_has_no_warning(tmp_path: Path, code: str, suffix: str) -> None:
    lines, warnings = read(file(tmp_path / f"a{suffix}", moved(code), code))
    assert right(lines) and warnings == []


@pytest.mark.parametrize("suffix", [".gpkg", ".gml"])
@pytest.mark.parametrize("code", ["EPSG:3045", "EPSG:4258", "EPSG:5513"])
def test_northing_first_is_no_trouble(tmp_path: Path, code: str, suffix: str) -> None:
    first = CRS(code).axis_info[0].direction
    assert first in ("north", "south")
    lines, warnings = read(file(tmp_path / f"a{suffix}", moved(code), code))
    assert right(lines) and warnings == []


@pytest.mark.parametrize("code", ["EPSG:32633", "EPSG:25833", "EPSG:3045"])
def test_northing_stored_as_x_looks_swapped(tmp_path: Path, code: str) -> None:
    xy = moved(code)
    _, warnings = read(file(tmp_path / "a.shp", xy[:, ::-1], code))
    assert len(warnings) == 1 and "x and y look swapped" in warnings[0] and "--source-crs" in warnings[0]
    assert f"{xy[:, 1].min():.10g}" in warnings[0]


@pytest.mark.parametrize("code", ["EPSG:4258", "EPSG:4156"])
def test_swapped_degrees_are_seen_where_the_crs_has_an_area(tmp_path: Path, code: str) -> None:
    _, warnings = read(file(tmp_path / "a.gpkg", STREET[:, ::-1], code))
    assert len(warnings) == 1 and "x and y look swapped" in warnings[0]


def test_swapped_degrees_are_seen_when_a_latitude_is_beyond_the_pole(tmp_path: Path) -> None:
    seattle = STREET * [0, 0] + [[47.6, -122.3], [47.61, -122.3], [47.62, -122.31]]
    _, warnings = read(geojson(tmp_path / "a.geojson", seattle))
    assert len(warnings) == 1
    assert "x 47.6 to 47.62, y -122.31 to -122.3: x and y look swapped" in warnings[0]
    assert "look swapped" in run("info", tmp_path / "a.geojson").stderr


@pytest.mark.parametrize("code", ["EPSG:32633", "EPSG:5514", "EPSG:3857", "EPSG:2264"])
def test_degrees_in_a_file_that_claims_metres(tmp_path: Path, code: str) -> None:
    _, warnings = read(file(tmp_path / "a.shp", STREET, code))
    assert len(warnings) == 1 and "look like degrees" in warnings[0]
    assert "--source-crs EPSG:4326" in warnings[0] and "14.42 to 14.427" in warnings[0]
    lines, _ = read(tmp_path / "a.shp", source_crs="EPSG:4326")
    assert right(lines)


def test_swapped_degrees_in_a_file_that_claims_metres(tmp_path: Path) -> None:
    _, warnings = read(file(tmp_path / "a.shp", STREET[:, ::-1], "EPSG:5514"))
    assert len(warnings) == 1 and "latitude and longitude in degrees" in warnings[0]


@pytest.mark.parametrize("name", [None, "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326"])
def test_metres_in_geojson(tmp_path: Path, name: str | None) -> None:
    path = geojson(tmp_path / "a.geojson", moved("EPSG:32633"), name)
    _, warnings = read(path)
    assert len(warnings) == 1 and "rather metres of another CRS" in warnings[0]
    lines, _ = read(path)
    with pytest.raises(GeoreferenceError, match=r"the first is x 457.*degrees for metres, pass --source-crs"):
        frames.scene_frame(lines.coords, lines.crs)
    lines, _ = read(path, source_crs="EPSG:32633")
    assert right(lines)


def test_metres_in_a_shapefile_whose_prj_says_degrees(tmp_path: Path) -> None:
    path = file(tmp_path / "a.shp", moved("EPSG:32633"), "EPSG:4326")
    _, warnings = read(path)
    assert len(warnings) == 1 and "are no coordinates of WGS 84" in warnings[0]
    assert "degrees for metres" in refused("convert", path, tmp_path / "a.spl")
    assert not (tmp_path / "a.spl").exists()


@pytest.mark.parametrize("code", ["EPSG:5514", "EPSG:32633", "EPSG:4258"])
@pytest.mark.parametrize("form", ["urn:ogc:def:crs:EPSG::{}", "EPSG:{}"])
def test_a_crs_member_that_is_known(tmp_path: Path, code: str, form: str) -> None:
    path = geojson(tmp_path / "a.geojson", moved(code), form.format(code[5:]))
    lines, warnings = read(path)
    assert right(lines) and warnings == []


@pytest.mark.parametrize("xy", [STREET, moved("EPSG:5514")], ids=["degrees", "metres"])
@pytest.mark.parametrize("name", ["urn:ogc:def:crs:EPSG::999999", "the town's own grid"])
def test_a_crs_member_that_is_unknown(tmp_path: Path, name: str, xy: np.ndarray) -> None:
    path = geojson(tmp_path / "a.geojson", xy, name)
    _, warnings = read(path)
    assert "does not know the CRS" in warnings[0] and "--source-crs" in warnings[0]


@pytest.mark.parametrize("text", [None, "", "the town's own grid", 'PROJCS["broken'])
def test_a_prj_that_is_missing_or_says_nothing(tmp_path: Path, text: str | None) -> None:
    path = file(tmp_path / "a.shp", moved("EPSG:32633"), "EPSG:32633")
    prj = path.with_suffix(".prj")
    prj.unlink() if text is None else prj.write_text(text)
    with pytest.raises(GeoreferenceError, match="--source-crs"):
        read(path)
    if text is not None and "broken" in text:
        prj.unlink()
    lines, _ = read(path, source_crs="EPSG:32633")
    assert right(lines)


def test_info_shows_a_file_without_a_crs_and_says_what_is_missing(tmp_path: Path) -> None:
    path = file(tmp_path / "a.gpkg", moved("EPSG:32633"), None)
    shown = run("info", path)
    assert shown.returncode == 0 and "does not say in which" in shown.stderr
    assert "vertices" in shown.stdout


@pytest.mark.parametrize("code", ["EPSG:2222", "EPSG:2225"])
def test_feet_in_a_crs_of_feet_are_right_and_told_from_metres(tmp_path: Path, code: str) -> None:
    crs = CRS(code)
    area, foot = crs.area_of_use, crs.axis_info[0].unit_conversion_factor
    assert area is not None and foot < 0.31
    lon, lat = (area.west + area.east) / 2, (area.south + area.north) / 2
    street = STREET - STREET[0] + (lon, lat)
    feet = np.column_stack(Transformer.from_crs("OGC:CRS84", crs, always_xy=True).transform(*street.T))
    lines, warnings = read(file(tmp_path / "feet.shp", feet, code))
    frame = frames.scene_frame(lines.coords, lines.crs)
    scene = frames.transform(lines.coords, lines.crs, frame)
    assert warnings == []
    place = frames.transform(scene, frame, frames.WGS84)[:, :2]
    assert np.abs(place - street).max() < 5e-5  # which shift from NAD83 PROJ takes is a metre or two
    assert 500 < np.ptp(scene[:, 0]) < 800  # metres
    _, warnings = read(file(tmp_path / "metres.shp", feet * foot, code))
    assert len(warnings) == 1 and "rather metres" in warnings[0]


def test_feet_in_a_crs_of_metres(tmp_path: Path) -> None:
    street = STREET - STREET[0] + (-111.83, 33.41)
    feet = Transformer.from_crs("OGC:CRS84", "EPSG:2223", always_xy=True).transform(*street.T)
    _, warnings = read(file(tmp_path / "a.shp", np.column_stack(feet), "EPSG:26949"))
    assert len(warnings) == 1 and "as feet they would lie inside" in warnings[0]


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson"])
def test_an_empty_layer(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    none = LineStrings(np.zeros((0, 3)), [0], [], [], Features([]), CRS("EPSG:4326"))
    vector.write(none, path)
    _, warnings = read(path)
    assert "no lines were read" in warnings[0]
    assert "there are no lines to choose a place for" in refused("convert", path, tmp_path / "a.spl")
    assert json.loads(done("info", path, "--json"))["lines"] == 0


@pytest.mark.parametrize(
    ("said", "area"),
    [("EPSG:2180", "CS92"), ("EPSG:27700", "British National Grid"), ("EPSG:2154", "Lambert")],
)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_prj_that_lies_is_told_by_its_area(tmp_path: Path, said: str, area: str, suffix: str) -> None:
    """The street's metres in UTM 33, said to be those of a grid of another country."""
    path = file(tmp_path / f"a{suffix}", moved("EPSG:32633"), said)
    said_so = run("convert", path, tmp_path / "a.spl").stderr.splitlines()
    warnings = [line for line in said_so if line.startswith("warning") and "outside the area that" in line]
    assert warnings and area in warnings[0] and "--source-crs" in warnings[0]


def test_an_unknown_code(tmp_path: Path) -> None:
    path = file(tmp_path / "a.gpkg", STREET, "EPSG:4326")
    with pytest.raises(GeoreferenceError, match="'EPSG:999999' is not a known CRS"):
        read(path, source_crs="EPSG:999999")
    assert "EPSG:999999" in refused("convert", path, tmp_path / "a.spl", "--crs", "EPSG:999999")


def test_3d_geographic(tmp_path: Path) -> None:
    lines, warnings = read(file(tmp_path / "a.gpkg", STREET, "EPSG:4979", z=430.5))
    assert right(lines) and warnings == []
    frame = frames.scene_frame(lines.coords, lines.crs)
    assert frames.transform(lines.coords, lines.crs, frame)[:, 2] == pytest.approx(430.5)


def test_small_scenes_near_the_origin_of_a_grid_are_no_degrees(tmp_path: Path) -> None:
    local = np.array([[-20, -30], [15, 0.5], [80, 60]], float)
    frame = frames.map_frame(CRS("EPSG:32633"), frames.Origin(lat=LAT, lon=LON))
    lines = LineStrings(np.hstack([local, local[:, :1]]), [0, 3], [0], [-1], Features([1]), frame)
    vector.write(lines, tmp_path / "a.gpkg")
    assert read(tmp_path / "a.gpkg")[1] == []
    custom = "+proj=tmerc +lat_0=49 +lon_0=14 +ellps=GRS80 +units=m"
    assert frames.misread(lines.coords, CRS(custom)) is None
    assert frames.misread(lines.coords, CRS("EPSG:3031")) is None  # the pole is in its area
