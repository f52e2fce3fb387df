"""Scale and convergence against PROJ's own factors and formulas, and the options that build a frame."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pyproj import CRS, Proj, Transformer

from spl_gis import frames
from spl_gis.errors import GeoreferenceError

PLACES = [
    *[("EPSG:32633", 18, 60), ("EPSG:27700", 1.7, 52.5), ("EPSG:3035", -9, 38), ("EPSG:3338", -156, 71)],
    *[("EPSG:5513", 17, 49.5), ("EPSG:5514", 17, 49.5), ("EPSG:2056", 10, 47), ("EPSG:2964", -150, 64)],
    *[("EPSG:2048", 18.5, -34), ("EPSG:31468", 11, 48), ("EPSG:5041", 30, 85), ("EPSG:2193", 174, -41)],
    *[("EPSG:28992", 5, 52), ("EPSG:2264", -79, 35), ("EPSG:5042", -120, -89)],
]


def at(code: str, lon: float, lat: float) -> tuple[CRS, float, float]:
    """Give a place in a CRS, longitude and latitude being those of its own datum."""
    crs = CRS(code)
    assert crs.geodetic_crs is not None
    x, y = Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True).transform(lon, lat)
    return crs, x, y


@pytest.mark.parametrize(("code", "lon", "lat"), PLACES)
def test_scale_and_convergence_are_those_of_proj(code: str, lon: float, lat: float) -> None:
    crs, x, y = at(code, lon, lat)
    known = Proj(crs).get_factors(lon, lat)
    found = frames.distortion(crs, np.array([[x, y]]))
    assert found.smallest[0] == pytest.approx(known.tissot_semiminor, abs=3e-8)
    assert found.largest[0] == pytest.approx(known.tissot_semimajor, abs=3e-8)
    assert found.convergence[0] == pytest.approx(known.meridian_convergence, abs=1e-6)


def test_grads_from_paris_are_turned_into_degrees() -> None:
    crs = CRS("EPSG:27572")
    x, y = Transformer.from_crs("OGC:CRS84", crs, always_xy=True).transform(5.0, 46.8)
    known = Proj("+proj=lcc +lat_1=46.8 +lat_0=46.8 +lon_0=0 +k_0=0.99987742 +a=6378249.2 +b=6356515")
    found = frames.distortion(crs, np.array([[x, y]]))
    factors = known.get_factors(5.0 - 2.33722917, 46.8)
    assert found.largest[0] == pytest.approx(factors.tissot_semimajor, abs=1e-7)
    assert found.convergence[0] == pytest.approx(factors.meridian_convergence, abs=1e-2)


def test_web_mercator_stretches_as_its_formula_says() -> None:
    crs, x, y = at("EPSG:3857", 10, 53.5)
    found = frames.distortion(crs, np.array([[x, y]]))
    lat, e2 = math.radians(53.5), 0.00669437999014
    w = math.sqrt(1 - e2 * math.sin(lat) ** 2)  # radii of curvature: a / w along, a (1 - e2) / w^3 across
    assert found.smallest[0] == pytest.approx(w / math.cos(lat), rel=1e-7)
    assert found.largest[0] == pytest.approx(w**3 / (1 - e2) / math.cos(lat), rel=1e-7)


@pytest.mark.parametrize("code", ["EPSG:32633", "EPSG:5513", "EPSG:2964", "EPSG:27572"])
def test_a_frame_has_the_scale_of_its_base_and_is_turned(code: str) -> None:
    lon, lat = {"EPSG:2964": (-150, 64), "EPSG:27572": (3, 46)}.get(code, (15.5, 49.5))
    base = CRS(code)
    x, y = Transformer.from_crs("OGC:CRS84", base, always_xy=True).transform(lon, lat)
    of_base = frames.distortion(base, np.array([[x, y]]))
    of_frame = frames.distortion(frames.map_frame(base, frames.Origin(x=x, y=y, h=9), 30), np.zeros((1, 3)))
    assert of_frame.largest[0] == pytest.approx(of_base.largest[0], abs=1e-8)
    assert of_frame.convergence[0] == pytest.approx(of_base.convergence[0] + 30, abs=1e-6)


def test_a_tangent_plane_has_scale_one_at_its_origin() -> None:
    frame = frames.topocentric_frame(frames.Origin(lat=60, lon=20, h=100))
    found = frames.distortion(frame, np.array([[0, 0, 0], [100_000, 0, 0], [2e7, 0, 0]]))
    assert found.smallest[0] == pytest.approx(1, abs=1e-9)
    assert found.smallest[1] == pytest.approx(math.cos(100_000 / 6.39e6), abs=1e-6)
    assert found.convergence[0] == pytest.approx(0, abs=1e-6)
    assert found.convergence[1] == pytest.approx(
        math.degrees(100_000 / 6.39e6 * math.tan(math.pi / 3)), rel=1e-2
    )


def test_degrees_and_no_place_have_neither() -> None:
    for crs in (CRS("EPSG:4326"), frames.engineering_frame()):
        with pytest.raises(GeoreferenceError, match="neither a scale"):
            frames.distortion(crs, np.zeros((1, 2)))


def test_where_nothing_can_be_computed_it_is_nan() -> None:
    found = frames.distortion(CRS("EPSG:32633"), np.array([[1e9, 1e9], [500_000.0, 0.0]]))
    assert np.isnan(found.largest[0]) and found.largest[1] == pytest.approx(0.9996)


BASES = {
    **{
        "EPSG:32633": (15.2, 49.3),
        "EPSG:5513": (17, 49.5),
        "EPSG:2048": (18.5, -34),
        "EPSG:2964": (-150, 64),
    },
    **{"EPSG:31468": (11, 48), "EPSG:27572": (3, 46), "EPSG:28992+5709": (5, 52), "EPSG:5042": (10, -88)},
    **{"EPSG:2193": (174, -41), "EPSG:3857": (-70, -30)},
}


def rebuilt(options: list[str]) -> CRS:
    """Build a frame as the command line does."""
    given = dict(zip(options[::2], options[1::2]))
    return frames.map_frame(
        frames.parse_crs(given["--crs"]),
        frames.parse_origin(given["--origin"]),
        float(given.get("--rotation", 0)),
    )


@pytest.mark.parametrize("rotation", [0.0, -33.3])
@pytest.mark.parametrize("code", BASES)
def test_the_options_of_a_frame_build_it_again(code: str, rotation: float) -> None:
    lon, lat = BASES[code]
    frame = frames.map_frame(CRS(code), frames.Origin(lat=lat, lon=lon, h=120.5), rotation)
    options = frames.options_for(frame)
    assert options is not None and options[:2] == ["--crs", code]
    ends = np.array([[0, 0, 0], [5000, 0, 0], [0, 5000, 0], [0, 0, 50]], float)
    moved = frames.transform(ends, frame, rebuilt(options))
    assert np.abs(moved - ends).max() <= 2e-8  # 15 digits of a northing are 1e-8 m


def test_round_origins_are_given_as_they_were() -> None:
    frame = frames.map_frame(CRS("EPSG:2264"), frames.Origin(x=2_000_000.5, y=454_929, h=3), 45)
    assert frames.origin_in_base(frame) == pytest.approx((2_000_000.5, 454_929), abs=1e-8)
    options = frames.options_for(frame)
    assert options is not None
    again = rebuilt(options)
    ends = 5000 * np.eye(3)
    assert np.abs(frames.transform(ends, frame, again) - ends).max() <= 1e-9


def test_frames_that_have_no_options() -> None:
    custom = CRS("+proj=tmerc +lat_0=49 +lon_0=14 +ellps=bessel +towgs84=1,2,3")
    assert frames.options_for(frames.map_frame(custom, frames.Origin(x=10, y=20))) is None
    assert frames.options_for(frames.engineering_frame()) is None
    assert frames.origin_in_base(CRS("EPSG:32633")) is None


def test_options_of_the_other_kinds() -> None:
    plane = frames.topocentric_frame(frames.Origin(lat=-12.5, lon=30.25, h=7))
    assert frames.options_for(plane) == ["--topocentric", "--origin", "lat=-12.5,lon=30.25,h=7"]
    assert frames.options_for(CRS("EPSG:25832")) == ["--crs", "EPSG:25832", "--origin", "x=0,y=0"]
