"""Each kind of frame all over the world, against arithmetic that knows nothing of CRSs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pyproj import CRS, Geod, Proj

from spl_gis import frames
from spl_gis.errors import GeoreferenceError, OptionError
from spl_gis.frames import WGS84, Origin

MILLIMETRE, MICROMETRE = 1e-3, 1e-6
US_FOOT, LINK, CHAIN, YARD = 1200 / 3937, 0.201166195164, 20.1167651215526, 0.914398530744441

EAST_NORTH, SOUTH_WEST, WEST_SOUTH = ((1, 0), (0, 1)), ((0, -1), (-1, 0)), ((-1, 0), (0, -1))

GRIDS = {
    # code: latitude and longitude, the grid in metres, the length of its unit, its x and y of east and north
    "EPSG:32637": (55.75, 37.61, "utm +zone=37 +ellps=WGS84", 1, EAST_NORTH),
    "EPSG:32717": (0.0, -78.5, "utm +zone=17 +south +ellps=WGS84", 1, EAST_NORTH),  # on the equator
    "EPSG:32660": (52.0, 179.99, "utm +zone=60 +ellps=WGS84", 1, EAST_NORTH),  # across the antimeridian
    "EPSG:5041": (88.0, -40.0, "stere +lat_0=90 +k=.994 +x_0=2e6 +y_0=2e6 +ellps=WGS84", 1, EAST_NORTH),
    "EPSG:32661": (90.0, 0.0, "stere +lat_0=90 +k=.994 +x_0=2e6 +y_0=2e6 +ellps=WGS84", 1, EAST_NORTH),
    "EPSG:5042": (-86.0, 100.0, "stere +lat_0=-90 +k=.994 +x_0=2e6 +y_0=2e6 +ellps=WGS84", 1, EAST_NORTH),
    "EPSG:2193": (-41.0, 174.0, "tmerc +lon_0=173 +k=.9996 +x_0=16e5 +y_0=1e7 +ellps=GRS80", 1, EAST_NORTH),
    "EPSG:2263": (
        40.7, -74.0, "lcc +lat_1=41d2 +lat_2=40d40 +lat_0=40d10 +lon_0=-74 +x_0=3e5 +ellps=GRS80",
        US_FOOT, EAST_NORTH,
    ),
    "EPSG:2222": (
        33.4, -110.2, "tmerc +lat_0=31 +lon_0=-110d10 +k=.9999 +x_0=213360 +ellps=GRS80", 0.3048, EAST_NORTH
    ),
    "EPSG:26713": (44.4, -103.7, "utm +zone=13 +ellps=clrk66", 1, EAST_NORTH),  # NAD27
    "EPSG:5513": (50.0, 14.5, "krovak +lat_0=49.5 +lon_0=24d50 +k=.9999 +ellps=bessel", 1, SOUTH_WEST),
    "EPSG:5514": (50.0, 14.5, "krovak +lat_0=49.5 +lon_0=24d50 +k=.9999 +ellps=bessel", 1, EAST_NORTH),
    "EPSG:2048": (-33.9, 18.6, "tmerc +lon_0=19 +ellps=WGS84", 1, WEST_SOUTH),  # South African Lo
    "EPSG:2056": (
        46.95, 7.45, "somerc +lat_0=46d57'8.66 +lon_0=7d26'22.5 +x_0=26e5 +y_0=12e5 +ellps=bessel",
        1, EAST_NORTH,
    ),
    "EPSG:28992": (
        52.1, 5.3, "sterea +lat_0=52d9'22.178 +lon_0=5d23'15.5 +k=.9999079 +x_0=155e3 +y_0=463e3"
        " +ellps=bessel", 1, EAST_NORTH,
    ),
    "EPSG:27700": (
        51.5, -0.1, "tmerc +lat_0=49 +lon_0=-2 +k=.9996012717 +x_0=4e5 +y_0=-1e5 +ellps=airy", 1, EAST_NORTH
    ),
    "EPSG:2154": (
        48.8, 2.3, "lcc +lat_1=49 +lat_2=44 +lat_0=46.5 +lon_0=3 +x_0=7e5 +y_0=66e5 +ellps=GRS80",
        1, EAST_NORTH,
    ),
    "EPSG:29871": (
        4.0, 114.0, "omerc +lat_0=4 +lonc=115 +alpha=53d18'56.9537 +gamma=53d7'48.3685 +k=.99984"
        " +x_0=590476.87146304 +y_0=442857.653094361 +ellps=evrstSS", CHAIN, EAST_NORTH,
    ),
    "EPSG:30200": (
        10.5, -61.2, "cass +lat_0=10d26'30 +lon_0=-61d20 +x_0=86501.46392052 +y_0=65379.0134283"
        " +a=6378293.645208759 +b=6356617.987679838", LINK, EAST_NORTH,
    ),
    "EPSG:24370": (
        36.0, 74.0, "lcc +lat_1=39.5 +lat_0=39.5 +lon_0=68 +k_0=.99846154 +x_0=2153865.73916853"
        " +y_0=2368292.194628102 +a=6377299.36559538 +b=6356098.359005157", YARD, EAST_NORTH,
    ),
}  # fmt: skip

PLACES = [
    (55.75, 37.61),
    (0.0, -78.5),
    (0.0, 0.0),
    (52.0, 179.99),
    (-17.0, -179.98),
    (90.0, 0.0),
    (-90.0, 0.0),
    (88.0, -40.0),
    (-86.0, 100.0),
    (-41.0, 174.0),
    (40.7, -74.0),
    (46.95, 7.45),
]


def around(lat: float, lon: float, reach: float = 20e3) -> np.ndarray:
    """Give longitudes, latitudes and heights of places up to so many metres from one, that one first."""
    turns, steps = np.meshgrid(np.arange(0, 360, 40.0), [0.003, 0.3, 1.0])
    count = turns.size
    lons, lats, _ = Geod(ellps="WGS84").fwd(
        np.full(count, lon), np.full(count, lat), turns.ravel(), reach * steps.ravel()
    )
    heights = np.resize([0.0, 40, 1500, -30], count)
    return np.concatenate([[[lon, lat, 0.0]], np.transpose([lons, lats, heights])])


def turned(plane: np.ndarray, rotation: float) -> np.ndarray:
    """Turn places on a plane so that a line to the azimuth `rotation` leads along y."""
    x, y = plane.T
    sine, cosine = math.sin(math.radians(rotation)), math.cos(math.radians(rotation))
    return np.transpose([x * cosine - y * sine, x * sine + y * cosine])


def degrees_of(crs: CRS) -> CRS:
    """Give longitude and latitude on the datum of a CRS, so that no datum shift has a part in a test."""
    assert crs.geodetic_crs is not None
    return crs.geodetic_crs


def assert_there_and_back(lonlat: np.ndarray, degrees: CRS, frame: CRS, wanted: np.ndarray) -> None:
    scene = frames.transform(lonlat, degrees, frame)
    assert np.abs(scene - wanted).max() < MILLIMETRE
    for written in (frame, CRS.from_json(frame.to_json()), CRS.from_wkt(frame.to_wkt())):
        assert np.abs(frames.transform(lonlat, degrees, written) - wanted).max() < MILLIMETRE
        back = frames.transform(scene, written, degrees)
        again = frames.transform(back, degrees, written)
        assert np.abs(again - scene).max() < MICROMETRE
        apart = np.abs(back - lonlat)
        apart[:, 0] = np.minimum(apart[:, 0] % 360, -apart[:, 0] % 360) * np.cos(np.radians(lonlat[:, 1]))
        assert (apart.max(axis=0) < [MICROMETRE / 111e3, MICROMETRE / 111e3, MICROMETRE]).all()


# --- map frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", GRIDS)
@pytest.mark.parametrize("rotation", [0.0, -147.0])
def test_a_map_frame_is_its_grid_moved_and_turned(code: str, rotation: float) -> None:
    lat, lon, definition, unit, axes = GRIDS[code]
    grid, lonlat = Proj(f"+proj={definition}"), around(lat, lon)
    plane = np.transpose(grid(*lonlat[:, :2].T))
    x, y = (np.array(axes) @ plane[0] / unit).tolist()
    base = CRS(code)
    frame = frames.map_frame(base, Origin(x=x, y=y), rotation)
    wanted = np.column_stack([turned(plane - plane[0], rotation), lonlat[:, 2]])
    assert_there_and_back(lonlat, degrees_of(base), frame, wanted)


def test_a_map_frame_over_kilometres() -> None:
    base, metres = CRS("+proj=utm +zone=33 +ellps=WGS84 +units=km"), Proj("+proj=utm +zone=33 +ellps=WGS84")
    lonlat = around(49.0, 15.5)
    plane = np.transpose(metres(*lonlat[:, :2].T))
    frame = frames.map_frame(base, Origin(x=plane[0, 0] / 1000, y=plane[0, 1] / 1000))
    assert_there_and_back(lonlat, degrees_of(base), frame, np.column_stack([plane - plane[0], lonlat[:, 2]]))


@pytest.mark.parametrize("code", ["EPSG:3053", "EPSG:22300", "EPSG:32600"])
def test_a_base_that_proj_cannot_compute_is_an_error(code: str) -> None:
    with pytest.raises(GeoreferenceError, match=r"PROJ knows no way.*choose another CRS"):
        frames.map_frame(CRS(code), Origin(x=500_000, y=500_000))


@pytest.mark.parametrize(("lat", "lon"), PLACES)
def test_utm_or_ups_is_chosen_by_the_place(lat: float, lon: float) -> None:
    lonlat = around(lat, lon, 3000.0)
    frame = frames.scene_frame(lonlat, WGS84, origin=Origin(lat=lat, lon=lon))
    if abs(lat) > 84:
        grid = f"+proj=stere +lat_0={math.copysign(90, lat)} +k=.994 +x_0=2e6 +y_0=2e6 +ellps=WGS84"
    else:
        grid = f"+proj=tmerc +lon_0={math.floor(lon / 6) * 6 + 3} +k=.9996 +x_0=500000 +ellps=WGS84"
    plane = np.transpose(Proj(grid)(*lonlat[:, :2].T))
    assert_there_and_back(lonlat, WGS84, frame, np.column_stack([plane - plane[0], lonlat[:, 2]]))


# --- --crs local ----------------------------------------------------------------------------------


def kruger(lonlat: np.ndarray, lat0: float, lon0: float) -> np.ndarray:
    """Compute the transverse Mercator of WGS 84 by Kruger's series, see Karney (2011)."""
    a, f = 6378137.0, 1 / 298.257223563
    n, e = f / (2 - f), math.sqrt(f * (2 - f))
    radius = a / (1 + n) * (1 + n**2 / 4 + n**4 / 64)
    series = (
        n / 2 - 2 * n**2 / 3 + 5 * n**3 / 16 + 41 * n**4 / 180,
        13 * n**2 / 48 - 3 * n**3 / 5 + 557 * n**4 / 1440,
        61 * n**3 / 240 - 103 * n**4 / 140,
        49561 * n**4 / 161280,
    )

    def stretched(lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        sine = np.sin(np.radians(lat))
        conformal = np.arctan(np.sinh(np.arctanh(sine) - e * np.arctanh(e * sine)))
        east = np.radians(lon - lon0)
        xi = np.arctan2(np.tan(conformal), np.cos(east))
        eta = np.arcsinh(np.sin(east) / np.hypot(np.tan(conformal), np.cos(east)))
        zeta = xi + 1j * eta
        whole = zeta + sum(factor * np.sin(2 * (k + 1) * zeta) for k, factor in enumerate(series))
        return radius * np.transpose([whole.imag, whole.real])

    return stretched(*lonlat[:, :2].T) - stretched(np.array([lon0]), np.array([lat0]))


@pytest.mark.parametrize(("lat", "lon"), [place for place in PLACES if abs(place[0]) < 90])
def test_a_local_frame_is_a_transverse_mercator_at_its_origin(lat: float, lon: float) -> None:
    lonlat = around(lat, lon)
    frame = frames.scene_frame(np.zeros((0, 3)), None, base="local", origin=Origin(lat=lat, lon=lon))
    assert_there_and_back(lonlat, WGS84, frame, np.column_stack([kruger(lonlat, lat, lon), lonlat[:, 2]]))
    assert frames.describe(frame)[2:6] == ("local", pytest.approx(lat), pytest.approx(lon), 0)


@pytest.mark.parametrize(("lat", "lon"), PLACES)
def test_metres_of_a_local_frame_are_metres(lat: float, lon: float) -> None:
    frame = frames.scene_frame(around(lat, lon), WGS84, base="local", origin=Origin(lat=lat, lon=lon, h=12))
    azimuth = np.array([0.0, 90, 200, 300])
    lons, lats, _ = Geod(ellps="WGS84").fwd([lon] * 4, [lat] * 4, azimuth, [1000.0] * 4)
    scene = frames.transform(np.transpose([lons, lats, np.full(4, 12.0)]), WGS84, frame)
    assert np.abs(np.linalg.norm(scene, axis=1) - 1000).max() < 2e-5
    wanted = 1000 * np.transpose([np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))])
    assert np.abs(scene[:, :2] - wanted).max() < MILLIMETRE


def test_a_local_frame_lies_at_the_centre_of_the_data_and_may_be_turned() -> None:
    utm = CRS("EPSG:32633")
    lines = np.array([[500_000.0, 5_400_000, 3], [504_000, 5_402_000, 9]])
    at = frames.describe(frames.scene_frame(lines, utm, base="LOCAL", rotation=30))
    lon, lat = Proj(utm)(502_000, 5_401_000, inverse=True)
    assert (at.kind, at.code, at.rotation) == ("map", "local", 30)
    assert (at.lat, at.lon) == pytest.approx((lat, lon), abs=1e-5)
    again = frames.scene_frame(lines, None, base=at.code, origin=Origin(lat=at.lat, lon=at.lon), rotation=30)
    frame = frames.scene_frame(lines, utm, base="local", rotation=30)
    assert np.abs(frames.transform(lines * [0, 0, 1], frame, again) - lines * [0, 0, 1]).max() < MICROMETRE


def test_a_local_frame_needs_latitude_and_longitude() -> None:
    with pytest.raises(OptionError, match=r"--crs local.*lat="):
        frames.scene_frame(np.zeros((1, 3)), WGS84, base="local", origin=Origin(x=1, y=2))
    with pytest.raises(GeoreferenceError, match="--source-crs"):
        frames.scene_frame(np.zeros((1, 3)), None, base="local")


# --- topocentric frames ---------------------------------------------------------------------------


def ecef(lon: np.ndarray, lat: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Compute geocentric coordinates on WGS 84 from their definition."""
    a, f = 6378137.0, 1 / 298.257223563
    lon, lat, square = np.radians(lon), np.radians(lat), f * (2 - f)
    normal = a / np.sqrt(1 - square * np.sin(lat) ** 2)
    flat = (normal + h) * np.cos(lat)
    return np.transpose([flat * np.cos(lon), flat * np.sin(lon), (normal * (1 - square) + h) * np.sin(lat)])


def on_plane(lonlat: np.ndarray, lat: float, lon: float, h: float, up: str) -> np.ndarray:
    """Compute east, north and up from their definition; up leads from the Earth's centre for ``unigine``."""
    origin = ecef(*np.array([[lon, lat, h]]).T)[0]
    east = np.array([-math.sin(math.radians(lon)), math.cos(math.radians(lon)), 0.0])
    if up == "unigine":
        upward = origin / np.linalg.norm(origin)
    else:
        flat = math.cos(math.radians(lat))
        upward = np.array([flat * east[1], -flat * east[0], math.sin(math.radians(lat))])
    return (ecef(*lonlat.T) - origin) @ np.transpose([east, np.cross(upward, east), upward])


@pytest.mark.parametrize("up", frames.UPS)
@pytest.mark.parametrize(("lat", "lon"), PLACES)
def test_a_topocentric_frame_is_east_north_up(lat: float, lon: float, up: str) -> None:
    frame = frames.topocentric_frame(Origin(lat=lat, lon=lon, h=120), up)
    lonlat = around(lat, lon, 50e3)
    lonlat = lonlat[1:] if abs(lat) == 90 else lonlat  # a pole has no longitude to come back with
    wanted = on_plane(lonlat, lat, lon, 120, up)
    degrees = CRS("EPSG:4979")
    assert_there_and_back(lonlat, degrees, frame, wanted)
    assert np.abs(frames.transform(lonlat, degrees, frame) - wanted).max() < MICROMETRE
    for written in (frame, CRS.from_wkt(frame.to_wkt("WKT2_2015")), CRS.from_wkt(frame.to_wkt())):
        at = frames.describe(written)
        assert at.kind == ("topocentric" if up == "normal" else "topocentric=unigine")
        assert (at.lat, at.lon, at.h) == pytest.approx((lat, lon, 120), abs=1e-9)


def test_up_from_the_centre_is_another_up() -> None:
    origin = Origin(lat=45, lon=10, h=100)
    normal, centre = (frames.topocentric_frame(origin, up) for up in frames.UPS)
    up = frames.transform_vectors(np.zeros((1, 3)), np.array([[0.0, 0, 1]]), normal, centre)[0]
    assert math.degrees(math.atan2(up[1], up[2])) == pytest.approx(0.19242, abs=1e-4), (
        "the normal leans north"
    )
    assert np.linalg.norm(up) == pytest.approx(1, abs=1e-9)
    assert frames.require_metres(centre) is centre
    assert "up from the Earth's centre" in str(frames.describe(centre))
    with pytest.raises(OptionError, match="normal, unigine"):
        frames.topocentric_frame(origin, "geoid")


@pytest.mark.parametrize("up", frames.UPS)
def test_a_topocentric_frame_over_another_datum_takes_one_shift_for_all(up: str) -> None:
    frame = frames.topocentric_frame(Origin(lat=52.28, lon=8.05), up)
    scene = np.array([[0.0, 0, 0], [4000, -3000, 20], [-4000, 3000, 20]])
    dhdn = frames.transform(scene, frame, CRS("EPSG:4314"))
    shifted = frames.transform(dhdn, CRS("EPSG:4314"), CRS("EPSG:4979"), (8.05, 52.28))
    straight = frames.transform(scene, frame, CRS("EPSG:4979"))
    assert np.abs(shifted - straight)[:, :2].max() < 1e-9
    assert np.abs(frames.transform(dhdn, CRS("EPSG:4314"), frame) - scene).max() < MICROMETRE


@pytest.mark.parametrize(
    ("base", "here", "there"),
    [("EPSG:5514", (49.49, 18.41), (49.71, 18.90)), ("EPSG:31467", (50.55, 10.27), (50.82, 9.90))],
)
def test_neighbouring_scenes_take_one_shift_though_others_are_best_at_each(
    base: str, here: tuple[float, float], there: tuple[float, float]
) -> None:
    first = frames.map_frame(CRS("EPSG:32633"), Origin(lat=here[0], lon=here[1]))
    second = frames.map_frame(CRS(base), Origin(lat=there[0], lon=there[1]))
    points = np.array([[0.0, 0.0, 0.0], [1000.0, -500.0, 100.0], [-2000.0, 300.0, 50.0]])
    back = frames.transform(frames.transform(points, first, second), second, first)
    assert np.abs(back - points).max() < MICROMETRE
