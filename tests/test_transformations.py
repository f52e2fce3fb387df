"""What happens to positions between two CRSs: datum shifts, areas of use, the antimeridian, the poles."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Geod, Proj
from pyproj.transformer import TransformerGroup

from spl_gis import convert, frames
from spl_gis.cli.group import cli
from spl_gis.convert import meridian
from spl_gis.errors import GeoreferenceError
from spl_gis.frames import Origin, operations, places, reach
from spl_gis.model import Features, LineStrings, spline_graph
from spl_gis.report import Report

LONLAT = frames.WGS84
A, E2 = 6378137.0, 0.0066943799901413165  # WGS 84
UTM33 = frames.map_frame(CRS("EPSG:32633"), Origin(lat=50, lon=15))
MM = 1e-3
laws = settings(max_examples=60, deadline=None)


def lines_of(
    *lines: list[tuple[float, ...]],
    crs: CRS = LONLAT,
    feature: list[int] | None = None,
    part: list[int] | None = None,
) -> LineStrings:
    rows = [[*place, np.nan][:3] for line in lines for place in line]
    feature = list(range(len(lines))) if feature is None else feature
    offsets = np.cumsum([0, *map(len, lines)])
    features = Features(100 + np.arange(max(feature, default=-1) + 1), {}, "roads")
    return LineStrings(np.reshape(rows, (-1, 3)), offsets, feature, part or [-1] * len(lines), features, crs)


def rows(coords: list[tuple[float, float]]) -> np.ndarray:
    return np.column_stack([np.reshape(coords, (-1, 2)), np.zeros(len(coords))])


def to_graph(lines: LineStrings, frame: CRS | None = None) -> tuple[object, Report]:
    report = Report()
    frame = frames.scene_frame(lines.coords, lines.crs) if frame is None else frame
    return convert.lines_to_graph(lines, frame, fit="vertices", report=report), report


def in_space(lon: float, lat: float, axis: float, e2: float) -> np.ndarray:
    """Give geocentric coordinates, by the textbook."""
    lon, lat = math.radians(lon), math.radians(lat)
    normal = axis / math.sqrt(1 - e2 * math.sin(lat) ** 2)
    plan = normal * math.cos(lat)
    return np.array([plan * math.cos(lon), plan * math.sin(lon), normal * (1 - e2) * math.sin(lat)])


def on_ground(place: np.ndarray, axis: float, e2: float) -> tuple[float, float]:
    """Give longitude and latitude of geocentric coordinates, by iteration."""
    x, y, z = place
    lat = math.atan2(z, math.hypot(x, y) * (1 - e2))
    for _ in range(20):
        normal = axis / math.sqrt(1 - e2 * math.sin(lat) ** 2)
        lat = math.atan2(z + e2 * normal * math.sin(lat), math.hypot(x, y))
    return math.degrees(math.atan2(y, x)), math.degrees(lat)


# --- the datum ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lat", "lon"), [(50, 15), (-33, 151), (0, 179.9), (-75, -60)])
def test_a_datum_shift_is_as_far_as_geocentric_arithmetic_says(lat: float, lon: float) -> None:
    source = CRS("+proj=longlat +ellps=bessel +towgs84=598,74,418 +no_defs")
    bessel = 6377397.155, 2 / 299.1528128 - 299.1528128**-2
    moved = on_ground(in_space(lon, lat, *bessel) + np.array([598, 74, 418]), A, E2)
    expected = Geod(ellps="WGS84").inv(lon, lat, *moved)[2]
    frame = frames.map_frame(CRS("EPSG:32633" if lat > 0 else "EPSG:3857"), Origin(lat=lat, lon=lon))
    found = frames.account(source, frame, rows([(lon, lat)]))
    assert found is not None
    assert found.shift == pytest.approx(expected, rel=5e-4)  # what the height is counts
    assert expected > 100
    assert not found.ballpark
    back = frames.account(frame, source, frames.transform(rows([(lon, lat)]), source, frame))
    assert back is not None
    assert back.shift == found.shift
    assert back.name == found.name


@pytest.mark.parametrize(
    ("source", "frame"),
    [
        (LONLAT, UTM33),
        (CRS("EPSG:3857"), UTM33),
        (UTM33, CRS("EPSG:4326")),
        (CRS("EPSG:4979"), frames.topocentric_frame(Origin(lat=50, lon=15))),
        (CRS("EPSG:2154"), frames.map_frame(CRS("EPSG:2154"), Origin(lat=47, lon=2))),
        (None, None),
    ],
)
def test_one_datum_has_nothing_to_tell(source: CRS | None, frame: CRS | None) -> None:
    assert frames.account(source, frame, np.zeros((1, 3))) is None


PAIRS = [
    ("EPSG:4267", 40.0, -100.0),
    ("EPSG:27700", 52.0, -1.0),
    ("EPSG:31467", 52.0, 9.0),
    ("EPSG:28992", 52.0, 5.0),
    ("EPSG:4258", 50.0, 15.0),
    ("EPSG:4807", 47.0, 2.0),
]


@pytest.mark.parametrize(("code", "lat", "lon"), PAIRS)
def test_the_best_way_is_the_one_that_proj_names_best(code: str, lat: float, lon: float) -> None:
    source, frame = CRS(code), frames.scene_frame(rows([(lon, lat)]), LONLAT)
    assert frame is not None
    middle = frames.transform(np.zeros((1, 3)), frame, source)
    found = frames.account(source, frame, middle)
    group = operations.ranked(*operations.pairs(source, frame)[0][:2], None)
    assert isinstance(group, TransformerGroup)
    assert found is not None
    assert (found.missing is None) == group.best_available
    assert found.accuracy == pytest.approx(group.transformers[0].accuracy)
    assert "UTM" not in found.name
    assert "axis" not in found.name
    assert "Inverse" not in found.name


@pytest.mark.parametrize(("code", "lat", "lon"), PAIRS)
def test_the_report_tells_the_datum_shift_and_how_to_get_a_better_one(
    code: str, lat: float, lon: float
) -> None:
    source = CRS(code)
    frame = frames.scene_frame(rows([(lon, lat)]), LONLAT)
    ends = frames.transform(np.array([[0.0, 0, 0], [100, 50, 0]]), frame, source)
    _, report = to_graph(lines_of(*[[tuple(end[:2]) for end in ends]], crs=source), frame)
    told = report.transformation
    assert told is not None
    assert any(told["name"] in note and f"{told['accuracy [m]']:g} m" in note for note in report.notes)
    warned = " ".join(report.warnings)
    assert told["best"] == ("projsync --file" not in warned)
    for grid in told["missing"]["grids"] if told["missing"] else ():
        assert f"projsync --file {grid}" in warned
    if code == "EPSG:4258":  # an ordinary job
        assert (told["name"], told["accuracy [m]"], told["datum shift [m]"]) == ("ETRS89 to WGS 84 (1)", 1, 0)
        assert report.warnings == []


def test_an_unknown_datum_is_a_warning() -> None:
    _, report = to_graph(lines_of([(15, 50), (15.001, 50)], crs=CRS("+proj=longlat +ellps=bessel")), UTM33)
    assert report.transformation is not None
    assert report.transformation["ballpark"]
    assert report.transformation["accuracy [m]"] is None
    assert any("knows no datum shift" in warning for warning in report.warnings)


def test_the_way_back_and_the_way_to_another_frame_tell_as_well() -> None:
    graph = spline_graph([[0, 0, 0], [90, 0, 0]], [[0, 1]], [[[30, 0, 0], [-30, 0, 0]]], crs=UTM33)
    frame = frames.map_frame(CRS("EPSG:3035"), Origin(lat=50, lon=15))
    for job in (
        lambda report: convert.graph_to_lines(graph, kind="chains", to_crs=CRS("EPSG:3035"), report=report),
        lambda report: convert.graph_to_points(graph, to_crs=CRS("EPSG:3035"), report=report),
        lambda report: convert.reproject(graph, frame, report=report),
    ):
        report = Report()
        job(report)
        assert report.transformation is not None
        assert report.transformation["name"] == "ETRS89 to WGS 84 (1)"
        assert report.warnings == []


def test_on_the_way_home_nothing_is_said_again() -> None:
    source = CRS("EPSG:31467")
    ends = frames.transform(np.array([[9.0, 52, 0], [9.01, 52, 0]]), LONLAT, source)
    lines = lines_of([tuple(end[:2]) for end in ends], crs=source)
    graph, report = to_graph(lines, frames.scene_frame(np.array([[9.0, 52, 0]]), LONLAT))
    assert report.transformation is not None
    home = Report()
    back = convert.graph_to_lines(graph, report=home)
    assert np.abs(back.coords - lines.coords)[:, :2].max() < 1e-6
    assert home.transformation is None
    assert home.warnings == []


# --- the area of use ------------------------------------------------------------------------------


def test_the_distance_from_an_area_is_that_along_meridian_or_parallel() -> None:
    area = (12.0, 0.0, 18.0, 84.0)
    degree = math.pi * places.EARTH / 180
    lonlat = np.array([(15, 50), (12, 0), (15, -3), (15, 85), (18.01, 0.0), (11.99, 60.0)])
    expected = [0, 0, 3 * degree, degree, 0.01 * degree, 0.005 * degree]
    assert frames.outside(lonlat, area) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("code", "lat", "lon"), [("EPSG:4167", -44.2, -176.3), ("EPSG:3460", -17, 179.9)])
def test_an_area_may_cross_the_antimeridian(code: str, lat: float, lon: float) -> None:
    area = frames.area_of(CRS(code))
    assert area is not None
    inside = np.array([(lon, lat)])
    assert area[0] > area[2]
    assert frames.outside(inside, area) == 0
    assert frames.outside(inside * (0, 1), area) > 5e6


@laws
@given(
    st.floats(-180, 180), st.floats(1, 359), st.floats(-80, 0), st.floats(1, 80), st.floats(-180, 180),
    st.floats(-90, 90),
)  # fmt: skip
def test_nothing_is_outside_but_what_is(
    west: float, width: float, south: float, height: float, lon: float, lat: float
) -> None:
    area = west, south, (west + width + 180) % 360 - 180, south + height
    distance = float(frames.outside(np.array([(lon, lat)]), area)[0])
    inside = (lon - west) % 360 <= width and south <= lat <= south + height
    assert distance <= math.pi * places.EARTH
    if inside:
        assert distance < MM
    elif min((lon - west) % 360 - width, 360 - (lon - west) % 360) > 1 and abs(lat) < 89:
        assert distance > 0


def test_lines_outside_are_told_once_with_their_distance() -> None:
    near, far, away = [(15.0, 50.0), (15.01, 50)], [(18.2, 50.0), (18.3, 50)], [(21.0, 50.0), (22, 50)]
    _, report = to_graph(lines_of(near, near), UTM33)
    assert not any("outside" in said for said in report.warnings + report.notes)
    _, report = to_graph(lines_of(near, far), UTM33)
    assert any(note.startswith("1 of 2 lines reach up to 21 km outside") for note in report.notes)
    assert not any("outside" in warning for warning in report.warnings)
    _, report = to_graph(lines_of(near, far, away, away), UTM33)
    (warning,) = [warning for warning in report.warnings if "outside" in warning]
    kilometres = 4 * math.cos(math.radians(50)) * math.pi * places.EARTH / 180e3
    assert f"3 of 4 lines reach up to {kilometres:,.0f} km outside" in warning
    assert "WGS 84 / UTM zone 33N" in warning


def test_a_source_outside_its_own_area_is_told_too() -> None:
    wrong = lines_of([(500e3, -3e6), (501e3, -3e6)], crs=CRS("EPSG:27700"))
    _, report = to_graph(wrong, frames.map_frame(CRS("EPSG:27700"), Origin(x=500e3, y=-3e6)))
    (said,) = [said for said in report.warnings if "British National Grid" in said]  # not of the base again
    assert "--source-crs" in said


# --- what cannot be projected ---------------------------------------------------------------------


@laws
@given(st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), min_size=1, max_size=20))
def test_just_those_coordinates_are_good_that_come_back(at: list[tuple[float, float]]) -> None:
    coords = rows(at)
    good = frames.comes_back(coords, frames.transform(coords, LONLAT, UTM33), LONLAT, UTM33)
    zone = Proj("+proj=utm +zone=33 +datum=WGS84")
    for (lon, lat), well in zip(at, good):
        again = zone(*zone(lon, lat), inverse=True)
        miss = Geod(ellps="WGS84").inv(lon, lat, *again)[2] if np.isfinite(again).all() else math.inf
        assert well == (miss < reach.MISS) or 0.05 < miss < 0.2


@laws
@given(st.floats(-50, 50), st.floats(-85, 85))
def test_within_fifty_degrees_of_the_meridian_everything_is_good(east: float, lat: float) -> None:
    coords = rows([(15 + east, lat), (375 + east, lat)])  # any round of longitudes
    moved = frames.transform(coords, LONLAT, UTM33)
    assert frames.comes_back(coords, moved, LONLAT, UTM33).all()


def test_finite_nonsense_is_refused_by_feature_id() -> None:
    nonsense, infinite = (104.5, 10.0), (104.0, 0.0)
    moved = frames.transform(rows([nonsense, infinite]), LONLAT, UTM33)
    assert np.isfinite(moved[0]).all()
    assert not np.isfinite(moved[1]).any()
    lines = lines_of(
        [(15, 50), (15.1, 50)],
        [(15, 51), nonsense],
        [infinite, (15, 51)],
        [(15, 49), (15.1, 49)],
        [(15, 52), (15, 52.1)],
        feature=[0, 1, 2, 2, 3],
        part=[-1, -1, 0, 1, -1],
    )
    graph, report = to_graph(lines, UTM33)
    assert [remark.fid for remark in report.refused] == [101, 102]
    assert {remark.reason for remark in report.refused} == {
        "cannot be projected into the scene's frame (WGS 84 / UTM zone 33N)"
    }
    assert graph.features.fid.tolist() == [100, 103]
    assert report.counts["features converted"] == 2


def test_on_the_way_back_too_the_rest_comes() -> None:
    topocentric = frames.topocentric_frame(Origin(lat=0, lon=15))
    place = frames.transform(rows([(15, 0), (15.01, 0), (104.9, 9), (104.95, 9)]), LONLAT, topocentric)
    graph = spline_graph(place, [[0, 1], [2, 3]], np.ones((2, 2, 3)), crs=topocentric)
    report = Report()
    lines = convert.graph_to_lines(graph, kind="segments", to_crs=CRS("EPSG:32633"), report=report)
    assert [remark.fid for remark in report.refused] == [1]
    assert "WGS 84 / UTM zone 33N" in report.refused[0].reason
    assert len(lines) == 1
    points = convert.graph_to_points(graph, to_crs=CRS("EPSG:32633"), report=(told := Report()))
    assert len(points) == 2
    assert [remark.fid for remark in told.refused] == [2, 3]
    lost = spline_graph(place, [[2, 3]], np.ones((1, 2, 3)), crs=topocentric)
    with pytest.raises(GeoreferenceError, match="--to-crs"):
        convert.graph_to_points(
            spline_graph(lost.points[2:], [[0, 1]], np.ones((1, 2, 3)), crs=topocentric),
            to_crs=CRS("EPSG:32633"),
        )


def test_nonsense_does_not_move_the_origin() -> None:
    frame = frames.scene_frame(rows([(15, 50), (15.2, 50), (104.5, 10)]), LONLAT, base=CRS("EPSG:32633"))
    at = frames.describe(frame)
    assert (at.lat, at.lon) == pytest.approx((50, 15.1), abs=0.01)


# --- 180 degrees ----------------------------------------------------------------------------------

SPLIT = [(179.9, -17.0), (180.0, -17.02)], [(-180.0, -17.02), (-179.9, -17.0)]
FIJI = lines_of(*SPLIT, [(179.97, -16.9), (-179.97, -16.95)], [(-180.0, -17.02), (-179.98, -17.1)],
                feature=[0, 0, 1, 2], part=[0, 1, -1, -1])  # fmt: skip
BASES = [None, "EPSG:3832", "EPSG:3460", "EPSG:32660", "EPSG:32701", "EPSG:2193"]


@pytest.mark.parametrize("code", BASES)
def test_a_scene_across_180_degrees_is_one_scene(code: str | None) -> None:
    frame = frames.scene_frame(FIJI.coords, LONLAT, base=CRS(code) if code else None)
    at = frames.describe(frame)
    assert abs(at.lon or 0) == pytest.approx(180, abs=0.01)
    assert at.lat == pytest.approx(-17, abs=0.01)
    if code is None:
        assert at.code in ("EPSG:32760", "EPSG:32701")
    graph, report = to_graph(FIJI, frame)
    assert np.abs(graph.points).max() < 13e3
    assert report.counts["parts joined at 180 degrees"] == 1
    assert len(graph.line_feature) == 3
    assert len(graph.points) == 6  # the split line's three, which the last line joins, and the other's
    assert [int(number) for number in np.bincount(graph.line)] == [2, 1, 1]
    assert not report.repaired
    assert not any("torn" in warning for warning in report.warnings)


def test_across_180_degrees_mercator_is_as_by_hand() -> None:
    frame = frames.map_frame(CRS("EPSG:3832"), Origin(lat=0, lon=180))
    lon = np.array([179.9, 180, -180, -179.9, 181])
    moved = frames.transform(rows([(at, 0) for at in lon]), LONLAT, frame)
    assert moved[:, 0] == pytest.approx(A * np.radians([-0.1, 0, 0, 0.1, 1]), abs=MM)


@pytest.mark.parametrize("exact", [False, True])
def test_the_way_back_cuts_where_the_source_was_cut(exact: bool) -> None:
    graph, _ = to_graph(FIJI)
    graph = convert.keep_source(graph, FIJI) if exact else graph
    report = Report()
    lines = convert.graph_to_lines(graph, exact=exact, report=report)
    pieces = [piece.tolist() for piece in np.split(lines.coords[:, 0], lines.offsets[1:-1])]
    assert all(max(piece) - min(piece) < 1 for piece in pieces if not exact)
    of = [int((lines.feature == row).sum()) for row in range(3)]
    if exact:
        assert of == [2, 1, 1]
        assert lines.coords[:, :2].tolist() == FIJI.coords[:, :2].tolist()
        assert lines.part.tolist() == FIJI.part.tolist()
        return
    assert of == [2, 2, 1]  # RFC 7946 cuts the second one too
    assert lines.part.tolist() == [0, 1, 0, 1, -1]
    assert report.counts["lines cut at 180 degrees"] == 2
    assert pieces[0][-1] == 180
    assert pieces[1][0] == -180
    again, _ = to_graph(lines, graph.crs)
    assert len(again.line_feature) == 3


def test_segments_run_on_beyond_180_degrees_and_come_back_bit_for_bit() -> None:
    graph, _ = to_graph(FIJI)
    lines = convert.graph_to_lines(graph, kind="segments", to_crs=LONLAT)
    lon = lines.coords[:, 0]
    assert lon.max() > 180
    assert all(np.ptp(piece) < 1 for piece in np.split(lon, lines.offsets[1:-1]))
    again = convert.edited_to_graph(lines, report=(report := Report()))
    assert report.counts["segments unchanged"] == len(graph)
    assert again.tangents.tobytes() == graph.tangents.tobytes()


def test_a_map_that_ends_at_180_degrees_says_that_it_tears() -> None:
    frame = frames.scene_frame(FIJI.coords, LONLAT, base=CRS("EPSG:3857"))
    graph, report = to_graph(FIJI, frame)
    assert any(warning.startswith("1 lines are torn apart") for warning in report.warnings)
    assert "parts joined at 180 degrees" not in report.counts
    assert len(graph.line_feature) == 4


def test_web_mercator_is_joined_as_well() -> None:
    half = math.pi * A
    split = [(half - 1000, 0.0), (half, 5.0)], [(-half, 5.0), (-half + 1000, 0.0)]
    graph, report = to_graph(lines_of(*split, crs=CRS("EPSG:3857"), feature=[0, 0], part=[0, 1]))
    assert report.counts["parts joined at 180 degrees"] == 1
    assert len(graph.points) == 3
    assert not any("torn" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("second", "joined"),
    [
        ([(-180, -17.02), (-179, -17)], True),
        ([(-180, -17.03), (-179, -17)], False),  # another latitude
        ([(-180, -17.02, 5.0), (-179, -17)], False),  # another height
        ([(180, -17.02), (179.5, -17)], False),  # not over the meridian
        ([(-179, -17), (-180, -17.02)], False),  # another direction
    ],
)
def test_only_ends_that_meet_on_the_meridian_are_joined(second: list, joined: bool) -> None:
    lines = lines_of(SPLIT[0], second, feature=[0, 0], part=[0, 1])
    frame = frames.scene_frame(lines.coords, LONLAT)
    assert len(meridian.join_parts(lines, frame).lines) == 2 - joined
    others = lines_of(SPLIT[0], second)
    assert len(meridian.join_parts(others, frame).lines) == 2  # two features stay two


def wrapped(u: np.ndarray) -> np.ndarray:
    return (u + 180) % 360 - 180


walks = st.lists(st.floats(-80, 80), min_size=1, max_size=12)


@laws
@given(st.floats(-179, 179), walks, st.floats(-60, 60))
def test_a_cut_line_never_jumps_and_keeps_its_vertices(start: float, steps: list[float], lat: float) -> None:
    u = start + np.cumsum([0.0, *steps])
    u = np.round(u, 3) + 0.0005  # none on the meridian
    line = lines_of([(lon, lat + at) for at, lon in enumerate(wrapped(u))])
    parts = meridian.cut(line)
    pieces = np.split(parts.coords, parts.offsets[1:-1])
    crossings = int(np.abs(np.diff(np.floor((u + 180) / 360))).sum())
    assert len(pieces) == 1 + crossings
    assert all(np.abs(np.diff(piece[:, 0])).max() <= 180 for piece in pieces)
    for before, after in zip(pieces, pieces[1:]):
        assert abs(before[-1, 0]) == 180
        assert after[0, 0] == -before[-1, 0]
        assert after[0, 1] == before[-1, 1]
    inner = parts.coords[np.abs(parts.coords[:, 0]) != 180]
    assert inner[:, :2].tolist() == line.coords[:, :2].tolist()
    assert parts.part.tolist() == ([-1] if crossings == 0 else list(range(len(pieces))))
    whole = np.degrees(np.unwrap(np.radians(line.coords[:, 0])))
    assert meridian.unwrap(line).coords[:, 0] == pytest.approx(whole, abs=1e-9)


@laws
@given(st.floats(179.0, 179.9), st.lists(st.floats(-0.4, 0.6), min_size=1, max_size=8), st.floats(-75, 75))
def test_there_and_back_a_line_across_180_degrees_is_the_same_line(
    start: float, steps: list[float], lat: float
) -> None:
    u = np.round(start + np.cumsum([0.0, *steps]), 3) + 0.0005
    line = lines_of([(lon, lat + at / 20) for at, lon in enumerate(wrapped(u))])
    parts = meridian.cut(line)
    frame = frames.scene_frame(line.coords, LONLAT)
    joined = meridian.join_parts(parts, frame)
    assert len(joined.lines) == 1
    assert int(joined.again.sum()) == len(parts) - 1
    again = meridian.cut(joined.lines, exact=True)
    assert again.coords.tobytes() == parts.coords.tobytes()
    assert again.offsets.tolist() == parts.offsets.tolist()


def test_vertices_on_the_meridian_belong_to_the_line_around_them() -> None:
    along = lines_of([(180, 1), (-180, 2), (180, 3)])
    assert np.abs(np.ptp(meridian.cut(along).coords[:, 0])) == 0
    touch = lines_of([(-179, 1), (180, 2), (-179, 3)], [(-180, 0), (179, 0)])
    parts = meridian.cut(touch)
    assert parts.coords[:, 0].tolist() == [-179, -180, -179, 180, 179]
    assert len(parts) == 2
    over = meridian.cut(lines_of([(179, 1), (-180, 2), (-180, 3), (-179, 4)]))
    assert over.coords[:, 0].tolist() == [179, 180, 180, -180, -179]
    assert over.offsets.tolist() == [0, 3, 5]


def test_geojson_there_and_back_on_the_command_line(tmp_path: Path) -> None:
    shapes = [
        ("MultiLineString", [[list(place) for place in line] for line in SPLIT]),
        ("LineString", [[179.97, -16.9], [-179.97, -16.95]]),
    ]
    features = [
        {"type": "Feature", "id": 7 + at, "properties": {}, "geometry": {"type": kind, "coordinates": places}}
        for at, (kind, places) in enumerate(shapes)
    ]
    source = tmp_path / "fiji.geojson"
    source.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    for words in (
        ["convert", "fiji.geojson", "fiji.spl", "--keep-source", "--report", "report.json"],
        ["convert", "fiji.spl", "back.geojson"],
        ["convert", "fiji.spl", "exact.geojson", "--exact"],
    ):
        done = CliRunner().invoke(cli, [str(tmp_path / word) if "." in word else word for word in words])
        assert done.exit_code == 0, done.output
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["counts"]["parts joined at 180 degrees"] == 1
    assert report["transformation"] is None
    back, exact = (json.loads((tmp_path / f"{name}.geojson").read_text()) for name in ("back", "exact"))
    assert [len(feature["geometry"]["coordinates"]) for feature in back["features"]] == [2, 2]
    assert [(one["id"], one["geometry"]) for one in exact["features"]] == [
        (one["id"], one["geometry"]) for one in features
    ]


# --- poles ----------------------------------------------------------------------------------------


def polar(lon: float, lat: float) -> tuple[float, float]:
    """Give UPS east and north of the pole, for the north (Snyder 1987, equations 15-9 and 21-33)."""
    e, phi = math.sqrt(E2), math.radians(lat)
    conformal = math.tan(math.pi / 4 - phi / 2) / (
        (1 - e * math.sin(phi)) / (1 + e * math.sin(phi))
    ) ** (e / 2)  # fmt: skip
    radius = 2 * A * 0.994 * conformal / math.sqrt((1 + e) ** (1 + e) * (1 - e) ** (1 - e))
    return radius * math.sin(math.radians(lon)), -radius * math.cos(math.radians(lon))


@pytest.mark.parametrize("north", [1, -1])
def test_around_a_pole_the_scene_is_ups(north: int) -> None:
    around = [(lon, lat) for lat in (89.9, 88.0) for lon in (-180, -90, 0, 10, 90, 135, 180)]
    coords = rows([(lon, north * lat) for lon, lat in around])
    frame = frames.scene_frame(coords, LONLAT)
    at = frames.describe(frame)
    assert at.code == ("EPSG:5041" if north > 0 else "EPSG:5042")
    assert at.lat == pytest.approx(90 * north, abs=0.01)
    scene = frames.transform(coords, LONLAT, frame)[:, :2]
    pole = frames.transform(rows([(77, 90 * north)]), LONLAT, frame)[0, :2]
    expected = np.array([polar(lon, lat) for lon, lat in around]) * (1, north)
    assert np.abs(scene - pole - expected).max() < MM


def test_a_line_through_a_pole_is_straight_there_and_back() -> None:
    source = lines_of([(10, 89.9), (33, 90), (-170, 89.9)], [(-77, 90), (90, 89.95)], [(100, 89.9), (80, 90)])
    graph, report = to_graph(source)
    assert len(graph.points) == 5  # the pole once, whatever its longitude
    legs = graph.points[graph.ends[:2]]
    legs = legs[:, 1] - legs[:, 0]
    assert np.hypot(*(legs[0] - legs[1])[:2]) < MM
    assert not report.repaired
    lines = convert.graph_to_lines(graph)
    pieces = [piece[:, :2] for piece in np.split(lines.coords, lines.offsets[1:-1])]
    assert len(pieces) == 3
    assert pieces[0] == pytest.approx(np.array([(10, 89.9), (10, 90), (-170, 90), (-170, 89.9)]), abs=1e-7)
    assert pieces[1] == pytest.approx(np.array([(90, 90), (90, 89.95)]), abs=1e-7)
    assert pieces[2] == pytest.approx(np.array([(100, 89.9), (100, 90)]), abs=1e-7)
    again, _ = to_graph(lines, graph.crs)
    assert np.abs(again.points - graph.points).max() < MM


# --- real files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code", "refused"),
    [
        ("natural-earth-lines/ne_110m_geographic_lines.json", "EPSG:32609", 1),  # the equator goes round it
        ("natural-earth-lines/ne_50m_antarctic_ice_shelves_lines.json", "EPSG:5042", 0),
        ("geotools-small-shapes/dateline.shp", "EPSG:32601", 0),
    ],
)
def test_lines_around_the_world_come_through(shared: Path, path: str, code: str, refused: int) -> None:
    from spl_gis.formats import vector

    lines = vector.read(shared / path)
    graph, report = to_graph(lines)
    assert frames.describe(graph.crs).code == code
    assert len(report.refused) == refused
    back = convert.graph_to_lines(graph, kind="features", tolerance=1000.0)
    spread = np.array([np.abs(np.diff(x)).max() for x in np.split(back.coords[:, 0], back.offsets[1:-1])])
    assert spread.max() <= 180
    assert np.array_equal(np.unique(back.feature), np.arange(len(graph.features)))
