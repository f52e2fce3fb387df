"""Frames: the right place on Earth, in true metres, never mirrored, whatever the base."""

from __future__ import annotations

import functools
import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Geod, Transformer, proj_version_str

from spl_gis import frames
from spl_gis.errors import GeoreferenceError, OptionError
from spl_gis.frames import WGS84, Origin

OLD_PROJ = tuple(map(int, proj_version_str.split(".")[:2])) < (9, 2)
"""Whether PROJ ranks datum shifts by other rules than the programs that it is compared with here."""

PLACES = {
    "EPSG:32637": (55.75, 37.61),
    "EPSG:32717": (-0.2, -78.5),  # at the equator
    "EPSG:32660": (52.0, 179.99),  # at the antimeridian
    "EPSG:5041": (88.0, -40.0),  # UPS
    "EPSG:5042": (-86.0, 100.0),
    "EPSG:32661": (87.0, 20.0),  # UPS, northing first
    "EPSG:2193": (-41.0, 174.0),  # northing first
    "EPSG:31467": (52.28, 8.05),  # northing first, datum shift
    "EPSG:5513": (50.0, 14.5),  # Krovak: southing, westing
    "EPSG:5514": (50.0, 14.5),  # Krovak: east, north, negative
    "EPSG:2048": (-33.9, 18.6),  # westing, southing
    "EPSG:29371": (-22.5, 17.1),  # westing, southing, German legal metres
    "EPSG:2263": (40.7, -74.0),  # US survey feet
    "EPSG:2222": (33.4, -110.2),  # international feet
    "EPSG:2964": (64.0, -150.0),  # US survey feet, NAD27
    "ESRI:102649": (33.4, -112.0),
    "EPSG:26713": (44.4, -103.7),  # NAD27
    "EPSG:2056": (46.95, 7.45),  # Swiss
    "EPSG:28992": (52.1, 5.3),  # Dutch
    "EPSG:27700": (51.5, -0.1),  # British
    "EPSG:2154": (48.8, 2.3),  # Lambert-93
    "EPSG:27572": (48.8, 2.3),  # Paris meridian, grads
    "EPSG:3857": (60.0, 20.0),
}
"""Bases, and a place in each: latitude and longitude."""

LENGTH = 1e-6  # metres: how near is the same place
ANGLE = LENGTH / 111e3  # degrees

near = st.floats(-20e3, 20e3)
metres = st.tuples(near, near, st.floats(-100, 3000))
laws = settings(deadline=None, max_examples=40)


@functools.cache
def frame_at(code: str, rotation: float = 0.0) -> CRS:
    lat, lon = PLACES[code]
    return frames.map_frame(frames.parse_crs(code), Origin(lat=lat, lon=lon), rotation)


def by_hand(base: CRS, origin: tuple[float, float], rotation: float, scene: np.ndarray) -> np.ndarray:
    """Compute coordinates in a base from those in a scene, by trigonometry and the base's declared axes."""
    angle = math.radians(rotation)
    x, y = scene[:, 0], scene[:, 1]
    east = x * math.cos(angle) + y * math.sin(angle)
    north = y * math.cos(angle) - x * math.sin(angle)
    directions = [axis.direction for axis in base.axis_info[:2]]
    if "west" in directions:  # such axes stay in their own order
        moved = {"west": -east, "south": -north}
        columns = [moved[direction] for direction in directions]
    else:
        columns = [east, north]
    return np.array(origin) + np.transpose(columns) / base.axis_info[0].unit_conversion_factor


def flat(coords: np.ndarray) -> np.ndarray:
    """Give coordinates without heights."""
    return np.column_stack([coords[:, :2], np.zeros(len(coords))])


def missing(program: str) -> None:
    """Skip for want of a program; where the tests must be complete, fail."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{program} is not here")


# --- what people write ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["EPSG:32637", "epsg:32637", "32637", "+proj=utm +zone=37 +datum=WGS84", "WGS 84"]
)
def test_a_crs_is_read_in_every_form(text: str) -> None:
    crs = frames.parse_crs(text)
    for written in (crs, crs.to_wkt(), crs.to_wkt("WKT1_GDAL"), crs.to_json()):
        assert frames.parse_crs(written).equals(crs, ignore_axis_order=True)


@pytest.mark.parametrize(
    "text", ["EPSG:99999", "New Zealand", "utm33", "", "lat=1,lon=2", "PROJCS[" + "x" * 500]
)
def test_an_unknown_crs_is_named_with_the_way_to_write_it(text: str) -> None:
    with pytest.raises(GeoreferenceError, match=r"not a known CRS.*EPSG:32637") as caught:
        frames.parse_crs(text)
    assert repr(text[:60])[1:-1] in str(caught.value)
    assert len(str(caught.value)) < 250


def test_an_origin_is_read() -> None:
    assert frames.parse_origin("lat=55.75,lon=37.61") == Origin(lat=55.75, lon=37.61)
    assert frames.parse_origin(" X=1e3 , y=-2, h=.5") == Origin(x=1000, y=-2, h=0.5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "55.75,37.61",
        "lat=55,75,lon=37,61",
        "lat=1",
        "lat=1,lon=2,x=3",
        "lat=1,y=2",
        "h=3",
        "lat=1,lat=1,lon=2",
        "lat=91,lon=0",
        "lat=0,lon=361",
        "lat=nan,lon=0",
        "x=inf,y=0",
        "x=1,y=2,z=3",
        "lat=1,lon=2,h=x",
    ],
)
def test_a_wrong_origin_is_an_error_that_shows_a_right_one(text: str) -> None:
    with pytest.raises(OptionError, match=r"lat|number"):
        frames.parse_origin(text)


# --- map frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", PLACES)
@pytest.mark.parametrize("rotation", [30.0, -145.5])
def test_a_map_frame_agrees_with_arithmetic_by_hand(code: str, rotation: float) -> None:
    base, (lat, lon) = frames.parse_crs(code), PLACES[code]
    frame = frame_at(code, rotation)
    origin = frames.transform(np.array([[lon, lat, 0.0]]), WGS84, base, (lon, lat))[0, :2]
    scene = np.array([[0, 0, 5.0], [10, 0, 5], [0, 10, 5], [-3000, 7000, 5]])
    there = frames.transform(scene, frame, base)
    assert np.abs(there[:, :2] - by_hand(base, origin, rotation, scene)).max() < 5 * LENGTH
    assert (there[:, 2] == 5).all()
    assert np.abs(frames.transform(there, base, frame) - scene).max() < LENGTH


@pytest.mark.parametrize("code", PLACES)
def test_a_scene_is_in_true_metres_and_not_mirrored(code: str) -> None:
    lat, lon = PLACES[code]
    lons, lats, _ = Geod(ellps="WGS84").fwd([lon] * 3, [lat] * 3, [0, 0, 90], [0, 100, 100])
    origin, north, east = frames.transform(np.transpose([lons, lats, np.zeros(3)]), WGS84, frame_at(code))
    assert np.abs(origin).max() < LENGTH
    (a, b, _), (c, d, _) = east, north
    stretched = 4.02 if code == "EPSG:3857" else 1.0
    assert a * d - b * c == pytest.approx(100 * 100 * stretched, rel=0.02)


@laws
@given(st.sampled_from(list(PLACES)), st.lists(metres, min_size=1, max_size=5), st.just(30.0))
def test_there_and_back_through_any_datum(
    code: str, coords: list[tuple[float, float, float]], rotation: float
) -> None:
    scene, frame = np.array(coords), frame_at(code, rotation)
    for other in (WGS84, frames.parse_crs(code), CRS("EPSG:4314")):
        back = frames.transform(frames.transform(scene, frame, other), other, frame)
        assert np.abs(back - scene).max() < LENGTH


def test_the_y_axis_turns_clockwise() -> None:
    base = CRS("EPSG:32633")
    frame = frames.map_frame(base, Origin(x=500_000, y=5_400_000), 90.0)
    moved = frames.transform(np.array([[500_100.0, 5_400_000, 0], [500_000, 5_400_100, 0]]), base, frame)
    np.testing.assert_allclose(moved, [[0, 100, 0], [-100, 0, 0]], atol=LENGTH)


@pytest.mark.parametrize("code", ["EPSG:2263", "EPSG:5513", "EPSG:2048", "EPSG:2193", "EPSG:28992"])
def test_an_origin_may_be_given_in_the_units_and_axes_of_the_base(code: str) -> None:
    base, (lat, lon) = frames.parse_crs(code), PLACES[code]
    x, y = frames.transform(np.array([[lon, lat, 0.0]]), WGS84, base, (lon, lat))[0, :2].tolist()
    frame = frames.map_frame(base, Origin(x=x, y=y))
    at = frames.describe(frame)
    assert at.lat == pytest.approx(lat, abs=ANGLE)
    assert at.lon == pytest.approx(lon, abs=ANGLE)


def test_latitude_and_longitude_of_an_origin_are_wgs_84_on_any_datum() -> None:
    frame = frame_at("EPSG:26713")  # NAD27: about 40 m from WGS 84 there
    lat, lon = PLACES["EPSG:26713"]
    nad27 = Transformer.from_crs("EPSG:4267", "EPSG:26713", always_xy=True).transform(lon, lat)
    place = frames.transform(np.array([[*nad27, 0.0]]), CRS("EPSG:26713"), frame)[0]
    assert 20 < math.hypot(*place[:2]) < 300


@pytest.mark.parametrize("code", PLACES)
def test_a_frame_survives_being_written(code: str) -> None:
    frame = frame_at(code, 12.5)
    scene = np.array([[0.0, 0, 0], [4000, -3000, 12]])
    from_json, from_wkt = CRS.from_json(frame.to_json()), CRS.from_wkt(frame.to_wkt())
    assert (frames.transform(scene, frame, from_json) == scene).all()
    lonlat = frames.transform(scene, frame, WGS84)
    assert (frames.transform(scene, from_json, WGS84) == lonlat).all()
    assert np.abs(frames.transform(lonlat, WGS84, from_wkt) - scene).max() < LENGTH


@pytest.mark.parametrize(
    ("code", "says"), [("EPSG:4326", "Geographic"), ("EPSG:4978", "Geodetic"), ("EPSG:5773", "Vertical")]
)
def test_a_base_that_is_not_projected_is_an_error(code: str, says: str) -> None:
    with pytest.raises(GeoreferenceError, match=f"projected CRS.*{says}.*--crs"):
        frames.map_frame(CRS(code), Origin(lat=1, lon=2))


def test_a_frame_is_no_base() -> None:
    with pytest.raises(GeoreferenceError, match="--frame"):
        frames.map_frame(frame_at("EPSG:32637"), Origin(lat=1, lon=2))


def test_an_origin_that_cannot_be_computed_is_an_error() -> None:
    with pytest.raises(GeoreferenceError, match=r"origin.*--origin"):
        frames.map_frame(CRS("EPSG:32633"), Origin(lat=0, lon=105))
    with pytest.raises(OptionError, match="rotation"):
        frames.map_frame(CRS("EPSG:32633"), Origin(lat=1, lon=2), math.nan)


def test_the_base_of_a_frame_may_be_a_3d_crs() -> None:
    frame = frames.map_frame(CRS("EPSG:32633").to_3d(), Origin(lat=49, lon=15))
    moved = frames.transform(np.array([[15.0, 49, 7]]), CRS("EPSG:4979"), frame)
    np.testing.assert_allclose(moved, [[0, 0, 7]], atol=LENGTH)


# --- heights --------------------------------------------------------------------------------------


def test_an_origin_height_is_taken_off_and_given_back() -> None:
    base = CRS("EPSG:32633")
    frame = frames.map_frame(base, Origin(x=500_000, y=5_400_000, h=120))
    for other in (base, CRS("EPSG:4326"), CRS("EPSG:4979"), CRS("EPSG:25833")):
        there = frames.transform(np.array([[10.0, 20, 5]]), frame, other)
        assert there[0, 2] == pytest.approx(125, abs=LENGTH)
        np.testing.assert_allclose(frames.transform(there, other, frame), [[10, 20, 5]], atol=LENGTH)
    assert frames.describe(CRS.from_wkt(frame.to_wkt())).h == 120


def test_heights_of_a_compound_crs_are_kept_and_come_in_metres() -> None:
    nap = CRS("EPSG:7415")
    frame = frames.map_frame(nap, Origin(x=150_000, y=450_000, h=2))
    for other in (nap, CRS("EPSG:28992")):
        there = frames.transform(np.array([[10.0, 20, 5]]), frame, other)
        np.testing.assert_allclose(there, [[150_010, 450_020, 7]], atol=LENGTH)
    feet = CRS("EPSG:2263+6360")
    frame = frames.map_frame(feet, Origin(x=984_000, y=200_000))
    up = frames.transform(np.array([[984_000.0, 200_000, 100]]), feet, frame)
    np.testing.assert_allclose(up, [[0, 0, 100 * 1200 / 3937]], atol=LENGTH)


def test_a_2d_frame_leaves_heights_alone() -> None:
    frame = frame_at("EPSG:31467")
    for source in ("EPSG:4979", "EPSG:4326", "EPSG:31467"):
        coords = np.array([[8.05, 52.28, 61.25]])
        coords = frames.transform(coords, WGS84, CRS(source)) if source == "EPSG:31467" else coords
        assert frames.transform(coords, CRS(source), frame)[0, 2] == 61.25


def test_a_missing_height_stays_missing_and_changes_nothing_else() -> None:
    coords = np.array([[15.0, 49, math.nan], [15.01, 49, 3], [15.01, 49, 0]])
    for frame in (frame_at("EPSG:31467"), frames.map_frame(CRS("EPSG:32633"), Origin(lat=49, lon=15, h=9))):
        moved = frames.transform(coords, WGS84, frame)
        assert np.isnan(moved[:, 2]).tolist() == [True, False, False]
        assert np.isfinite(moved[:, :2]).all()
    assert np.isnan(coords[0, 2]), "the argument is left alone"


# --- topocentric frames ---------------------------------------------------------------------------


def ecef(lon: np.ndarray, lat: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Compute geocentric coordinates on WGS 84 from the definition."""
    a, f = 6378137.0, 1 / 298.257223563
    lon, lat, square = np.radians(lon), np.radians(lat), f * (2 - f)
    normal = a / np.sqrt(1 - square * np.sin(lat) ** 2)
    flat = (normal + h) * np.cos(lat)
    return np.transpose([flat * np.cos(lon), flat * np.sin(lon), (normal * (1 - square) + h) * np.sin(lat)])


@pytest.mark.parametrize(
    ("lat", "lon"), [(55.75, 37.61), (-41.0, 174.0), (0.0, 0.0), (89.9, 10.0), (52.0, 179.99)]
)
def test_a_topocentric_frame_agrees_with_geocentric_arithmetic(lat: float, lon: float) -> None:
    frame = frames.topocentric_frame(Origin(lat=lat, lon=lon, h=100))
    lons, lats, _ = Geod(ellps="WGS84").fwd([lon] * 4, [lat] * 4, [0, 90, 200, 300], [0, 5e3, 2e4, 5e4])
    coords = np.transpose([lons, lats, [100.0, 0, 2000, 150]])
    s, c = math.sin(math.radians(lat)), math.cos(math.radians(lat))
    p, q = math.sin(math.radians(lon)), math.cos(math.radians(lon))
    east, north, up = [-p, q, 0], [-s * q, -s * p, c], [c * q, c * p, s]
    wanted = (ecef(*coords.T) - ecef(*np.array([[lon, lat, 100.0]]).T)) @ np.transpose([east, north, up])
    for other in (CRS("EPSG:4979"), CRS("EPSG:4326")):
        moved = frames.transform(coords, other, frame)
        assert np.abs(moved - wanted).max() < 1e-6
        back = frames.transform(moved, frame, other)
        assert np.abs(back[:, 1:] - coords[:, 1:]).max() < 1e-6
    again = CRS.from_wkt(frame.to_wkt())
    assert np.abs(frames.transform(moved, frame, again) - moved).max() < LENGTH
    assert frames.describe(again)[0] == "topocentric"
    assert frames.describe(again)[3:6] == pytest.approx((lat, lon, 100))


def test_a_topocentric_frame_is_reached_from_another_datum() -> None:
    frame = frames.topocentric_frame(Origin(lat=52.28, lon=8.05))
    coords = frames.transform(
        np.array([[8.05, 52.28, 0.0], [8.06, 52.29, 80]]), WGS84, CRS("EPSG:31467"), (8.05, 52.28)
    )
    moved = frames.transform(coords, CRS("EPSG:31467"), frame)
    assert np.abs(moved[0]).max() < (2.0 if OLD_PROJ else 0.01)
    assert np.abs(frames.transform(moved, frame, CRS("EPSG:31467")) - coords).max() < LENGTH


def test_scenes_move_from_one_topocentric_frame_to_another() -> None:
    source, target = (frames.topocentric_frame(Origin(lat=52.28, lon=lon)) for lon in (8.05, 8.15))
    scene = np.array([[0.0, 0, 0], [3000, -4000, 25]])
    moved = frames.transform(scene, source, target)
    assert -6900 < moved[0, 0] < -6800
    assert moved[0, 2] == pytest.approx(-(moved[0, 0] ** 2) / 2 / 6.39e6, rel=0.01)
    assert np.abs(frames.transform(moved, target, source) - scene).max() < LENGTH


def test_a_missing_height_counts_as_none_in_a_topocentric_frame() -> None:
    frame = frames.topocentric_frame(Origin(lat=52.28, lon=8.05))
    moved = frames.transform(np.array([[8.06, 52.28, math.nan], [8.06, 52.28, 0]]), WGS84, frame)
    assert (moved[0] == moved[1]).all()


# --- transform ------------------------------------------------------------------------------------


def test_scenes_without_a_place_go_only_to_each_other() -> None:
    coords = np.array([[0.1, 0.2, math.nan]])
    nowhere = frames.engineering_frame()
    for source, target in ((None, None), (None, nowhere), (nowhere, nowhere)):
        moved = frames.transform(coords, source, target)
        np.testing.assert_array_equal(moved, coords)
        assert moved is not coords
    for source, target in ((None, WGS84), (nowhere, WGS84), (WGS84, None)):
        with pytest.raises(GeoreferenceError, match=r"--source-crs.*--crs and --origin"):
            frames.transform(coords, source, target)


def test_what_cannot_be_projected_is_nan_and_nothing_is_infinite() -> None:
    coords = np.array([[15.0, 49, 1], [math.inf, 0, 1], [15.0, 91, 1], [math.nan, 49, 1], [105.0, 0, 1]])
    moved = frames.transform(coords, WGS84, frames.map_frame(CRS("EPSG:2154"), Origin(lat=47, lon=2)))
    assert not np.isinf(moved).any()
    assert np.isnan(moved).all(axis=1).tolist()[:4] == [False, True, True, True]


@laws
@given(st.sampled_from(["EPSG:31467", "EPSG:26713", "EPSG:5513", "EPSG:3857"]), st.randoms())
def test_equal_coordinates_stay_equal_wherever_they_stand(code: str, random) -> None:
    lat, lon = PLACES[code]
    coords = np.array([[lon + random.uniform(-1, 1), lat + random.uniform(-1, 1), 0.0] for _ in range(20)])
    frame, order = frame_at(code), random.choices(range(20), k=50)
    moved = frames.transform(coords, WGS84, frame)
    assert (frames.transform(coords[order], WGS84, frame) == moved[order]).all()
    assert (
        frames.transform(moved[order], frame, WGS84) == frames.transform(moved, frame, WGS84)[order]
    ).all()


def test_two_crss_without_a_way_between_are_an_error() -> None:
    with pytest.raises(GeoreferenceError, match="knows no way"):
        frames.transform(np.zeros((1, 3)), WGS84, CRS("EPSG:2296"))


# --- vectors --------------------------------------------------------------------------------------


def derivative(points: np.ndarray, vectors: np.ndarray, source: CRS, target: CRS) -> np.ndarray:
    """Compute the derivative another way: fourth order, a long step, along the axes."""
    step, pipeline = 1000.0, Transformer.from_crs(source, target, always_xy=True)
    columns = []
    for axis in np.eye(3):
        near, far = (
            np.subtract(
                *(np.transpose(pipeline.transform(*(points + s * axis).T)) for s in (k * step, -k * step))
            )
            for k in (1, 2)
        )
        columns.append((8 * near - far) / (12 * step))
    return sum(vectors[:, [i]] * column for i, column in enumerate(columns))


@pytest.mark.parametrize(
    ("first", "second", "lat", "lon"),
    [
        ("EPSG:32633", "EPSG:3857", 49, 15),
        ("EPSG:32633", "EPSG:32634", 49, 15),
        ("EPSG:2154", "EPSG:32631", 48, 2),
        ("EPSG:5041", "EPSG:3413", 88, 10),
        ("EPSG:2263", "EPSG:26918", 40.7, -74),
        ("EPSG:2048", "EPSG:32734", -34, 18.6),
    ],
)
def test_vectors_move_by_the_derivative(first: str, second: str, lat: float, lon: float) -> None:
    source = frames.map_frame(CRS(first), Origin(lat=lat, lon=lon))
    target = frames.map_frame(CRS(second), Origin(lat=lat + 0.01, lon=lon), 17.0)
    random = np.random.default_rng(1)
    points, vectors = random.uniform(-5e3, 5e3, (50, 3)), random.normal(size=(50, 3)) * 30
    wanted = derivative(points, vectors, source, target)
    moved = frames.transform_vectors(points, vectors, source, target)
    error = np.linalg.norm(moved - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    assert error.max() < 1e-9
    assert np.abs(moved[:, 2] - vectors[:, 2]).max() < 1e-9


def test_vectors_turn_with_the_frame_and_keep_their_shape() -> None:
    base = CRS("EPSG:32633")
    source = frames.map_frame(base, Origin(x=500_000, y=5_400_000))
    target = frames.map_frame(base, Origin(x=501_000, y=5_400_000), 90.0)
    points = np.zeros((2, 2, 3))
    vectors = np.array([[[1.0, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 0, 0]]])
    moved = frames.transform_vectors(points, vectors, source, target)
    np.testing.assert_allclose(moved, [[[0, 1, 0], [-1, 0, 0]], [[0, 0, 1], [0, 0, 0]]], atol=1e-9)
    assert (moved[1, 1] == 0).all()
    assert (frames.transform_vectors(points, vectors, source, source) == vectors).all()


def test_an_up_vector_leans_back_in_a_topocentric_frame() -> None:
    source = frames.map_frame(CRS("EPSG:32637"), Origin(lat=55.75, lon=37.61))
    target = frames.topocentric_frame(Origin(lat=55.75, lon=37.61))
    up = frames.transform_vectors(np.array([[10e3, 0, 0]]), np.array([[0.0, 0, 1]]), source, target)[0]
    assert np.linalg.norm(up) == pytest.approx(1, abs=1e-9)
    assert math.hypot(up[0], up[1]) == pytest.approx(10e3 / 6.39e6, rel=0.01)


# --- choosing -------------------------------------------------------------------------------------


def box(lon: float, lat: float, crs: str) -> np.ndarray:
    corners = np.array([[lon - 0.01, lat - 0.01, math.nan], [lon + 0.01, lat + 0.01, math.nan]])
    return frames.transform(corners, WGS84, CRS(crs), (lon, lat))


@pytest.mark.parametrize(
    ("crs", "lat", "lon", "base"),
    [
        ("EPSG:4326", 55.75, 37.61, "EPSG:32637"),
        ("EPSG:4326", -33.9, 18.6, "EPSG:32734"),
        ("EPSG:4326", 88.0, 20.0, "EPSG:5041"),
        ("EPSG:4326", -85.0, 20.0, "EPSG:5042"),
        ("EPSG:4979", 49.0, 15.0, "EPSG:32633"),
        ("EPSG:3857", 60.0, 20.0, "EPSG:32634"),
        ("EPSG:3857", 0.0, 20.0, "EPSG:32634"),  # true metres at the equator by chance
        ("EPSG:3395", 60.0, 20.0, "EPSG:32634"),
        ("EPSG:4087", 60.0, 20.0, "EPSG:32634"),
        ("EPSG:2263", 40.7, -74.0, "EPSG:32618"),  # feet
        ("EPSG:2193", -41.0, 174.0, "EPSG:2193"),
        ("EPSG:5513", 50.0, 14.5, "EPSG:5513"),
        ("EPSG:3035", 50.0, 8.0, "EPSG:3035"),
    ],
)
def test_a_frame_is_chosen_by_the_lines(crs: str, lat: float, lon: float, base: str) -> None:
    coords = box(lon, lat, crs)
    frame = frames.scene_frame(coords, CRS(crs))
    at = frames.describe(frame)
    assert (at.kind, at.code) == ("map", base)
    assert at.lat == pytest.approx(lat, abs=1e-3)
    middle = frames.transform(coords, CRS(crs), frame)[:, :2]
    assert np.abs(middle.min(axis=0) + middle.max(axis=0)).max() <= 1 + 1e-6, "the origin is the middle"
    grid = frames.transform(np.zeros((1, 3)), frame, frames.base_of(frame))[0, :2]
    assert np.abs(grid - np.rint(grid)).max() < 1e-6, "rounded to a metre"


def test_the_antimeridian_does_not_split_the_choice() -> None:
    lines = np.array([[179.97, -17.0, 0], [-179.97, -17.01, 0], [179.99, -17.02, 0]])
    frame = frames.scene_frame(lines, WGS84)
    assert frames.describe(frame).code in ("EPSG:32701", "EPSG:32760")
    assert np.abs(frames.transform(lines, WGS84, frame)[:, :2]).max() < 5000
    ring = np.array([[lon, 75.0, 0] for lon in range(-180, 180, 30)])
    assert frames.describe(frames.scene_frame(ring, WGS84)).code == "EPSG:5041"


def test_what_is_given_is_not_chosen() -> None:
    coords, crs, origin = box(8.05, 52.28, "EPSG:4326"), CRS("EPSG:4326"), Origin(lat=52.3, lon=8.1)
    at = frames.describe(frames.scene_frame(coords, crs, origin=origin, rotation=15))
    assert (at.code, at.rotation) == ("EPSG:32632", 15)
    assert (at.lat, at.lon) == pytest.approx((52.3, 8.1), abs=ANGLE)
    at = frames.describe(frames.scene_frame(coords, crs, base=CRS("EPSG:31467")))
    assert (at.code, at.lat) == ("EPSG:31467", pytest.approx(52.28, abs=1e-3))
    at = frames.describe(
        frames.scene_frame(coords, crs, origin=Origin(lat=1, lon=2, h=3), topocentric="normal")
    )
    assert at[3:6] == (1, 2, 3)
    at = frames.describe(frames.scene_frame(coords, crs, topocentric="normal"))
    assert (at.lat, at.lon) == pytest.approx((52.28, 8.05), abs=1e-5)
    at = frames.describe(frames.scene_frame(np.zeros((1, 3)), None, base=CRS("EPSG:32637"), origin=origin))
    assert at.code == "EPSG:32637"


def test_lines_in_a_scene_frame_stay_in_it_and_lines_without_a_place_too() -> None:
    frame = frame_at("EPSG:2263", 30)
    assert frames.scene_frame(np.zeros((1, 3)), frame) is frame
    assert frames.scene_frame(np.zeros((1, 3)), None) is None
    assert frames.scene_frame(np.zeros((1, 3)), frames.engineering_frame()) is None


@pytest.mark.parametrize(
    ("crs", "options", "says"),
    [
        (None, {"base": CRS("EPSG:32633")}, "--source-crs"),
        (None, {"topocentric": "normal"}, "--source-crs"),
        (None, {"rotation": 10.0}, "--source-crs"),
        (None, {"origin": Origin(x=1, y=2)}, "--crs"),
        (CRS("EPSG:4326"), {"origin": Origin(x=1, y=2)}, "projected"),
        (CRS("EPSG:4326"), {"topocentric": "normal", "rotation": 10.0}, "neither"),
        (CRS("EPSG:4326"), {"topocentric": "normal", "origin": Origin(x=1, y=2)}, "lat="),
    ],
)
def test_options_that_do_not_suffice_are_errors(crs: CRS, options: dict, says: str) -> None:
    with pytest.raises((GeoreferenceError, OptionError), match=says):
        frames.scene_frame(np.zeros((2, 3)), crs, **options)


def test_coordinates_that_are_not_on_earth_are_an_error() -> None:
    with pytest.raises(GeoreferenceError, match=r"no coordinate.*--source-crs"):
        frames.scene_frame(np.array([[400.0, 1200, 0]]), CRS("EPSG:4326"))


def test_a_scene_is_in_metres() -> None:
    for good in (CRS("EPSG:32633"), CRS("EPSG:2193"), frame_at("EPSG:2263"), frames.engineering_frame()):
        assert frames.require_metres(good) is good
    for bad in ("EPSG:4326", "EPSG:2263", "EPSG:5513", "EPSG:2048"):
        with pytest.raises(GeoreferenceError, match="--crs"):
            frames.require_metres(CRS(bad))


# --- telling --------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", PLACES)
def test_a_frame_tells_where_it_is(code: str) -> None:
    lat, lon = PLACES[code]
    for written in (frame_at(code, -30), CRS.from_wkt(frame_at(code, -30).to_wkt())):
        at = frames.describe(written)
        assert (at.kind, at.code, at.rotation, at.h) == ("map", code, -30, 0)
        assert (at.lat, at.lon) == pytest.approx((lat, lon), abs=ANGLE)
        assert at.base == frames.parse_crs(code).name
        assert frames.base_of(written) == frames.parse_crs(code)
    assert f"lat={lat:.9f},lon=" in str(frames.describe(frame_at(code)))


def test_what_is_no_scene_frame_says_so() -> None:
    assert frames.describe(None).kind == frames.describe(frames.engineering_frame()).kind == "engineering"
    assert "no place" in str(frames.describe(None))
    plain = frames.describe(CRS("EPSG:32633"))
    assert (plain.kind, plain.code, plain.lat) == ("crs", "EPSG:32633", None)
    assert "WGS 84 / UTM zone 33N (EPSG:32633)" in str(plain)
    assert frames.base_of(CRS("EPSG:32633")) == CRS("EPSG:32633")


# --- in other programs ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write for each base the same points twice: in a scene frame, and by hand in the base itself."""
    path = tmp_path_factory.mktemp("frames") / "places.gpkg"
    scene = np.array([[0.0, 0, 5], [3000, 4000, 5]])
    pyogrio.set_gdal_config_options({"OGR_SQLITE_SYNCHRONOUS": "OFF"})
    for number, (code, (lat, lon)) in enumerate(PLACES.items()):
        base = frames.parse_crs(code)
        origin = frames.transform(np.array([[lon, lat, 0.0]]), WGS84, base, (lon, lat))[0, :2]
        plain = by_hand(base, origin, 30.0, scene)
        for name, coords, crs in (("frame", scene, frame_at(code, 30.0)), ("base", plain, base)):
            wkb = np.array([shapely.to_wkb(shapely.MultiPoint(coords[:, :2]))], object)
            pyogrio.raw.write(
                path, wkb, [np.array([1])], ["id"], layer=f"{name}{number}", geometry_type="MultiPoint",
                crs=crs.to_wkt(), append=path.exists(),
            )  # fmt: skip
    pyogrio.set_gdal_config_options({"OGR_SQLITE_SYNCHRONOUS": None})
    return path


def read_points(path: Path, layer: str) -> list[list[float]]:
    return shapely.get_coordinates(shapely.from_wkb(pyogrio.raw.read(path, layer=layer)[2])).tolist()


def test_a_geopackage_keeps_the_frame(written: Path) -> None:
    scene = np.array([[0.0, 0, 0], [3000, 4000, 0]])
    for number, code in enumerate(PLACES):
        frame = CRS.from_wkt(pyogrio.read_info(written, layer=f"frame{number}")["crs"])
        assert frames.describe(frame).code == code
        moved = frames.transform(scene, frame, frame_at(code, 30.0))
        assert np.abs(moved - scene).max() < LENGTH, code


def test_gdal_lands_on_the_same_place(written: Path, tmp_path: Path) -> None:
    if shutil.which("ogr2ogr") is None:
        missing("ogr2ogr")
    subprocess.run(
        ["ogr2ogr", "-t_srs", "EPSG:4326", tmp_path / "lonlat.gpkg", written], check=True, capture_output=True
    )
    assert_same_places(
        {
            f"{name}{number}": read_points(tmp_path / "lonlat.gpkg", f"{name}{number}")
            for number in range(len(PLACES))
            for name in ("frame", "base")
        }
    )


def assert_same_places(found: dict[str, list[list[float]]]) -> None:
    """Check longitudes and latitudes that another program computed of `written`."""
    for number, (code, (lat, lon)) in enumerate(PLACES.items()):
        frame, base = np.array(found[f"frame{number}"]), np.array(found[f"base{number}"])
        here = frames.transform(np.array([[0.0, 0, 0], [3000, 4000, 0]]), frame_at(code, 30.0), WGS84)[:, :2]
        # other versions of PROJ know another shift for this datum: the program must agree with itself
        wanted = [base] if code == "EPSG:31467" else [here, base] if OLD_PROJ else [here]
        scale = 111e3 * np.array([math.cos(math.radians(lat)), 1])
        assert min((np.abs(frame - places) * scale).max() for places in wanted) < 1e-3, code
        assert np.abs(frame[0] - (lon, lat)).max() * 111e3 < 2, code


QGIS = """
import json, sys
from qgis.core import *
app = QgsApplication([], False)
app.initQgis()
wgs84, project, found = QgsCoordinateReferenceSystem("EPSG:4326"), QgsProject.instance(), {}
for number in range(int(sys.argv[2])):
    for name in ("frame", "base"):
        layer = QgsVectorLayer(f"{sys.argv[1]}|layername={name}{number}", name, "ogr")
        change = QgsCoordinateTransform(layer.crs(), wgs84, project)
        line = next(layer.getFeatures()).geometry()
        assert layer.crs().isValid() and line.transform(change) == 0
        found[f"{name}{number}"] = [[p.x(), p.y()] for p in line.vertices()]
print("found" + json.dumps(found), flush=True)
import os; os._exit(0)  # QGIS may crash while it closes
"""


def test_qgis_lands_on_the_same_place(written: Path) -> None:
    python = "/usr/bin/python3"
    probe = [python, "-c", "import qgis.core"]
    if not Path(python).exists() or subprocess.run(probe, capture_output=True, check=False).returncode:
        missing("QGIS")
    env = {"QT_QPA_PLATFORM": "offscreen", "PATH": os.environ["PATH"], "HOME": str(written.parent)}
    command = [python, "-c", QGIS, str(written), str(len(PLACES))]
    run = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert "found" in run.stdout, run.stderr
    assert_same_places(json.loads(run.stdout.partition("found")[2]))


# --- real files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("alaska-trails-usfeet/trails.shp", "EPSG:32605"),
        ("arizona-streets-usfeet/streets.shp", "EPSG:32612"),
        ("cape-roads-dem/roads_33S.shp", "EPSG:32733"),
        ("spearfish-roads-dem/roads.shp", "EPSG:26713"),
        ("frida-osnabrueck/strassen-joined.shp", None),
        ("natural-earth-lines/ne_50m_antarctic_ice_shelves_lines.json", "EPSG:5042"),
        ("geotools-small-shapes/dateline.shp", "EPSG:32601"),
    ],
)
def test_real_layers_get_a_frame_and_come_back(shared: Path, name: str, base: str) -> None:
    meta, _, wkb, _ = pyogrio.raw.read(shared / name, read_geometry=True)
    crs = frames.parse_crs(meta["crs"])
    coords = flat(shapely.get_coordinates(shapely.from_wkb(wkb)))
    frame = frames.scene_frame(coords, crs)
    assert frames.describe(frame).code == base
    moved = frames.transform(coords, crs, frame)
    assert np.isfinite(moved).all()
    back = frames.transform(moved, frame, crs)
    apart = np.abs(back - coords)[:, :2]
    apart[:, 0] = np.minimum(apart[:, 0], np.abs(apart[:, 0] - 360))
    assert apart.max() < (ANGLE * 10 if crs.is_geographic else 5 * LENGTH)


@pytest.mark.skipif(OLD_PROJ, reason="PROJ before 9.2 cannot read this .prj")
def test_a_prj_with_its_own_datum_shift_keeps_it(shared: Path) -> None:
    text = (shared / "frida-osnabrueck" / "strassen-joined.prj").read_text(encoding="latin-1")
    crs = frames.parse_crs(text)
    frame = frames.map_frame(crs, Origin(x=3_433_000, y=5_795_000))
    wanted = Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform(3_433_010, 5_795_020)
    lonlat = frames.transform(np.array([[10.0, 20, 0]]), frame, WGS84)[0, :2]
    assert np.abs(lonlat - wanted).max() < ANGLE
    grid = frames.transform(np.array([[*wanted, 0]]), WGS84, frames.base_of(frame))[0, :2]
    assert np.abs(grid - (3_433_010, 5_795_020)).max() < LENGTH


# --- what a tester broke ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "lat", "lon"), [("EPSG:3035", 28.1, -15.4), ("EPSG:6933", 50, 10), ("EPSG:8857", 50, 10)]
)
def test_projections_that_proj_inverts_by_a_short_series(code: str, lat: float, lon: float) -> None:
    frame = frames.map_frame(CRS(code), Origin(lat=lat, lon=lon))
    scene = np.array([[0.0, 0, 0], [3000, -4000, 0]])
    there = frames.transform(scene, frame, WGS84)
    assert np.abs(frames.transform(there, WGS84, frame) - scene).max() < LENGTH


@pytest.mark.parametrize("code", ["EPSG:27700", "EPSG:3844", "EPSG:31467", "EPSG:2263"])
def test_an_origin_height_does_not_move_a_scene_sideways(code: str) -> None:
    lat, lon = {"EPSG:27700": (52.6, -1.5), "EPSG:3844": (46.0, 25.0), **PLACES}[code]
    plane = frames.topocentric_frame(Origin(lat=lat, lon=lon))
    base = frames.parse_crs(code)
    high, low = (frames.map_frame(base, Origin(lat=lat, lon=lon, h=h)) for h in (250.0, None))
    scene = np.array([[10.0, 20, 5]])
    raised = frames.transform(scene + np.array([0, 0, 250]), low, plane)
    assert np.abs(frames.transform(scene, high, plane) - raised).max() < LENGTH
    assert np.abs(frames.transform(raised, plane, high) - scene).max() < LENGTH


@pytest.mark.parametrize("rotation", [math.inf, math.nan])
def test_a_rotation_is_a_number(rotation: float) -> None:
    with pytest.raises(OptionError, match="rotation"):
        frames.scene_frame(np.array([[500_000.0, 5e6, 0]]), CRS("EPSG:32633"), rotation=rotation)
