"""Rasters of exact surfaces: wherever heights are known, they are those of the surface."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
import zipfile

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS
from rasterio.errors import NotGeoreferencedWarning
from rasterio.shutil import copy
from rasters import NORTH_UP, ORIENTATIONS, cells, esri, grass, hgt, tiff
from surfaces import Paraboloid, Plane, Saddle

from spl_gis import frames
from spl_gis.errors import FileAccessError, FormatError, GeoreferenceError
from spl_gis.frames import Origin, map_frame, topocentric_frame
from spl_gis.report import Report
from spl_gis.terrain import Affine, Ground, read_terrain
from spl_gis.terrain.cells import BLOCK, cell_places, interpolated

UTM = CRS("EPSG:32633")
FRAME = map_frame(UTM, Origin(x=458_000, y=5_462_000))
WGS84 = CRS("EPSG:4326")
X, Y = np.random.default_rng(5).uniform(-300, 300, (2, 500))
STEEP = Plane(400.0, 0.3, -0.2)
"""Half a cell of 10 m beside its place it is 1.5 m off."""


def here(affine):
    """Place an affine of the scene in UTM."""
    return Affine(affine.a, affine.b, affine.c + 458_000, affine.d, affine.e, affine.f + 5_462_000)


def off(surface, ground, x=X, y=Y):
    """Give the greatest error; unknown heights are infinitely wrong."""
    return float(np.nan_to_num(np.abs(ground.heights(x, y) - surface.heights(x, y)), nan=np.inf).max())


@pytest.mark.parametrize("name", ORIENTATIONS)
@pytest.mark.parametrize("point", [False, True], ids=["area", "point"])
def test_a_plane_is_exact_in_every_orientation(tmp_path, name, point):
    affine = ORIENTATIONS[name]
    path = tiff(tmp_path / "a.tif", cells(STEEP, affine), here(affine), UTM, point=point)
    ground = read_terrain(path, FRAME)
    assert off(STEEP, ground) < 1e-8
    assert ground.resolution == pytest.approx(min(np.hypot(affine.a, affine.d), np.hypot(affine.b, affine.e)))


@pytest.mark.parametrize("name", ["north up", "south up", "west up", "oblong cells"])
def test_a_saddle_is_exact_along_rows_and_columns(tmp_path, name):
    saddle, affine = Saddle(scale=2000.0), ORIENTATIONS[name]
    assert (
        off(saddle, read_terrain(tiff(tmp_path / "a.tif", cells(saddle, affine), here(affine), UTM), FRAME))
        < 1e-8
    )


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_hill_is_exact_by_cubic_convolution_and_near_without(tmp_path, name):
    """Bilinear heights of a parabola are low by at most (cell size)^2 / (8 radius) along each axis."""
    hill, affine = Paraboloid(radius=500.0), ORIENTATIONS[name]
    path = tiff(tmp_path / "a.tif", cells(hill, affine), here(affine), UTM)
    assert off(hill, read_terrain(path, FRAME, cubic=True)) < 1e-8
    assert 0.01 < off(hill, read_terrain(path, FRAME)) < (110 + 110) / (8 * 500)


def written(folder, kind, data):
    """Write heights in one of the formats."""
    if kind == "vrt":
        copy(tiff(folder / "a.tif", data, here(NORTH_UP), UTM), folder / "a.vrt", driver="VRT")
        return folder / "a.vrt"
    return {
        "esri corner": lambda: esri(folder / "a.asc", data, here(NORTH_UP)),
        "esri centre": lambda: esri(folder / "a.asc", data, here(NORTH_UP), centre=True),
        "grass": lambda: grass(folder / "a.asc.gz", data, here(NORTH_UP)),
        "float32": lambda: tiff(folder / "a.tif", data.astype("f4"), here(NORTH_UP), UTM),
        "tiles": lambda: tiff(
            folder / "a.tif", data, here(NORTH_UP), UTM, tiled=True, blockxsize=16, blockysize=16
        ),
        "scaled": lambda: tiff(
            folder / "a.tif",
            np.round((data - 100) * 100).astype("i4"),
            here(NORTH_UP),
            UTM,
            scale=(0.01, 100.0),
        ),
    }[kind]()


@pytest.mark.parametrize("kind", ["esri corner", "esri centre", "grass", "float32", "tiles", "scaled", "vrt"])
def test_each_format_says_where_its_cells_are(tmp_path, kind):
    path = written(tmp_path, kind, cells(STEEP, NORTH_UP))
    error = off(STEEP, read_terrain(path, FRAME, default_crs=UTM))
    assert error < {"float32": 1e-4, "scaled": 0.006}.get(kind, 1e-8)


def test_srtm_tiles_have_their_heights_on_whole_seconds(tmp_path):
    """Heights in whole metres: up to half a metre off; half a cell beside its place it would be 2 m."""
    frame = map_frame(UTM, Origin(lat=49.5, lon=14.5))
    affine = Affine(1 / 1200, 0, 14 - 0.5 / 1200, 0, -1 / 1200, 50 + 0.5 / 1200)
    plane = Plane(4000.0, 0.03, -0.04)
    data = cells(plane, affine, (1201, 1201), WGS84, frame)
    ground = read_terrain(hgt(tmp_path / "N49E014.hgt.zip", np.round(data)), frame)
    assert off(plane, ground, X * 100, Y * 100) < 0.6
    edges = np.array([[14.0, 50.0, 0], [15.0, 49.0, 0], [14.0, 50.0002, 0], [13.9998, 49.5, 0]])
    x, y, _ = frames.transform(edges, WGS84, frame).T
    assert np.isnan(ground.heights(x, y)).tolist() == [False, False, True, True]


def test_longitudes_and_latitudes_of_another_datum(tmp_path):
    """A raster on NAD27 under a scene on NAD83, where the shift is 200 m."""
    nad27, frame = CRS("EPSG:4267"), map_frame(CRS("EPSG:26913"), Origin(lat=44.44, lon=-103.75))
    x, y, _ = frames.transform(np.zeros((1, 3)), frame, nad27)[0]
    affine = Affine(1e-4, 0, x - 0.006, 0, -1e-4, y + 0.006)
    path = tiff(tmp_path / "a.tif", cells(STEEP, affine, (120, 120), nad27, frame), affine, nad27)
    ground = read_terrain(path, frame)
    assert off(STEEP, ground) < 1e-3
    assert ground.resolution == pytest.approx(7.95, abs=0.1)


def test_nothing_is_extrapolated_and_nothing_wraps(tmp_path):
    """Unknown beyond the centres of the outermost cells, on all sides."""
    ground = read_terrain(tiff(tmp_path / "a.tif", cells(STEEP, NORTH_UP), here(NORTH_UP), UTM), FRAME)
    west, east, south, north = -595.0, 595.0, -495.0, 495.0
    inside = np.array([[west, south], [west, north], [east, south], [east, north], [west, 0.0], [0.0, north]])
    assert off(STEEP, ground, *inside.T) < 1e-8
    outside = inside * 1.001
    assert np.isnan(ground.heights(*outside.T)).all()
    assert np.isnan(ground.heights(np.array([1e9, np.nan, -1e4]), np.zeros(3))).all()


@pytest.mark.parametrize("cubic", [False, True])
def test_a_raster_of_one_cell_or_row(tmp_path, cubic):
    data = np.full((1, 3), 7.0)
    path = tiff(tmp_path / "a.tif", data, here(Affine(10, 0, -15, 0, -10, 5)), UTM)
    ground = read_terrain(path, FRAME, cubic=cubic)
    assert ground.heights(np.array([0.0, 4.0, 10.0]), np.zeros(3)).tolist() == [7, 7, 7]
    assert np.isnan(ground.heights(np.zeros(2), np.array([1.0, -1.0]))).all()


def holes(value, dtype="f8"):
    """Give heights with a hole around (100, 0), and one at a corner; unknown cells hold `value`."""
    data = cells(STEEP, NORTH_UP)
    data[48:53, 68:73] = np.nan
    data[:3, :3] = np.nan
    return np.where(np.isnan(data), value, data).astype(dtype)


LOW = float(np.finfo("f4").min)


def holed(value, dtype="f8", **more):
    """Give what writes heights with holes to a folder."""
    return lambda folder: tiff(folder / "a.tif", holes(value, dtype), here(NORTH_UP), UTM, **more)


def holed_text(write, value, **more):
    return lambda folder: write(folder / "a.asc.gz", holes(value), here(NORTH_UP), **more)


NODATA = {
    "declared": (holed(-1.0, nodata=-1.0), None),
    "not a number": (holed(np.nan), None),
    "least float": (holed(LOW, "f4", nodata=LOW), None),
    "least float, undeclared": (holed(LOW, "f4"), None),
    "-9999, undeclared": (holed(-9999), None),
    "-32768, undeclared": (holed(-32768, "i2"), None),
    "another is declared": (holed(-9999, nodata=0), None),
    "0, as asked": (holed(0), 0.0),
    "-3.4e38, as asked": (holed(LOW), -3.4028235e38),
    "esri": (lambda folder: esri(folder / "a.asc", holes(-7), here(NORTH_UP), nodata=-7), None),
    "stars": (holed_text(grass, np.nan), None),
    "grass null": (holed_text(grass, np.nan, null=-5), None),
}


@pytest.mark.parametrize("name", NODATA)
def test_unknown_cells_have_no_part_in_any_height(tmp_path, name):
    write, nodata = NODATA[name]
    ground = read_terrain(write(tmp_path), FRAME, default_crs=UTM, nodata=nodata)
    x, y = np.meshgrid(np.linspace(60, 140, 81), np.linspace(-40, 40, 81))
    z = ground.heights(x.ravel(), y.ravel())
    inside = (np.abs(x.ravel() - 105) < 30) & (np.abs(y.ravel() + 5) < 30)
    assert np.isnan(z).tolist() == inside.tolist()
    wrong = np.abs(z - STEEP.heights(x, y).ravel())[~inside]
    assert wrong.max() < (0.8 if "-32768" in name else 1e-4)
    assert np.isnan(ground.heights(np.array([-590.0]), np.array([490.0]))).all()


def test_a_mask_beside_the_heights_counts(tmp_path):
    path = tiff(tmp_path / "a.tif", holes(5.0), here(NORTH_UP), UTM)
    with rasterio.open(path, "r+") as file:
        file.write_mask(holes(0.0) != 0)
    assert np.isnan(read_terrain(path, FRAME).heights(np.array([105.0]), np.array([-5.0]))).all()


def test_numbers_that_are_no_heights_are_told_once(tmp_path):
    report = Report()
    ground = read_terrain(tiff(tmp_path / "a.tif", holes(-9999), here(NORTH_UP), UTM), FRAME, report=report)
    before = len(report.notes)
    ground.heights(X, Y)
    ground.heights(X, Y)
    assert len(report.notes) == before + 1
    assert "a.tif holds numbers that are no height" in report.notes[-1]


@pytest.mark.parametrize(("base", "doubted"), [(1000.0, True), (60.0, False)], ids=["mountains", "coast"])
def test_zeros_beside_high_ground_are_doubted_those_at_a_coast_are_not(tmp_path, base, doubted):
    report = Report()
    data = np.maximum(cells(Plane(base, 0.2, 0.0), NORTH_UP), 0.0)
    data[:, :5] = 0
    path = tiff(tmp_path / "a.tif", data, here(NORTH_UP), UTM)
    read_terrain(path, FRAME, report=report).heights(X * 1.9, Y)
    assert [("--dem-nodata 0" in warning) for warning in report.warnings] == [True] * doubted
    read_terrain(path, FRAME, nodata=0, report=report).heights(X * 1.9, Y)
    assert len(report.warnings) == doubted


def test_cubic_falls_back_where_a_cell_around_is_unknown(tmp_path):
    path = tiff(tmp_path / "a.tif", holes(np.nan), here(NORTH_UP), UTM)
    smooth, plain = (read_terrain(path, FRAME, cubic=cubic) for cubic in (True, False))
    x, y = np.meshgrid(np.linspace(40, 160, 121), np.linspace(-60, 60, 121))
    z = np.array([ground.heights(x.ravel(), y.ravel()) for ground in (smooth, plain)])
    assert (np.isnan(z[0]) == np.isnan(z[1])).all()
    assert np.nanmax(np.abs(z[0] - z[1])) < 1e-8


def split(folder, data, rows, columns, *, overlap=0, **more):
    """Write heights as tiles."""
    paths = []
    for top in range(0, len(data), rows):
        for left in range(0, data.shape[1], columns):
            part = data[top : top + rows + overlap, left : left + columns + overlap]
            affine = here(NORTH_UP)
            corner = Affine(10, 0, affine.c + 10 * left, 0, -10, affine.f - 10 * top)
            paths.append(
                tiff(folder / f"{top:03}_{left:03}.tif", np.ascontiguousarray(part), corner, UTM, **more)
            )
    return paths


@pytest.mark.parametrize("overlap", [0, 1])
@pytest.mark.parametrize("cubic", [False, True])
def test_tiles_have_no_seam(tmp_path, overlap, cubic):
    hill = Paraboloid(radius=500.0)
    data = cells(hill, NORTH_UP)
    (tmp_path / "tiles").mkdir()
    split(tmp_path / "tiles", data, 30, 50, overlap=overlap)
    whole = read_terrain(tiff(tmp_path / "whole.tif", data, here(NORTH_UP), UTM), FRAME, cubic=cubic)
    tiles = read_terrain(tmp_path / "tiles", FRAME, cubic=cubic)
    assert len(tiles.parts) == 1
    x, y = np.random.default_rng(6).uniform(-700, 700, (2, 5000))
    assert np.array_equal(tiles.heights(x, y), whole.heights(x, y), equal_nan=True)


def test_many_tiles_are_not_all_open_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("spl_gis.terrain.mosaic.OPEN", 3)
    ground = read_terrain(split(tmp_path, cells(STEEP, NORTH_UP), 25, 30), FRAME)
    assert off(STEEP, ground) < 1e-8


def test_a_zip_file_of_tiles_and_other_things(tmp_path):
    with zipfile.ZipFile(tmp_path / "tiles.zip", "w") as archive:
        for path in split(tmp_path, cells(STEEP, NORTH_UP), 50, 60):
            archive.write(path, f"data/{path.name}")
        archive.writestr("data/readme.txt", "these are tiles")
        archive.writestr("__MACOSX/data/._000_000.tif", "this is none")
    ground = read_terrain(tmp_path / "tiles.zip", FRAME)
    assert len(ground.parts[0].tiles) == 4
    assert off(STEEP, ground) < 1e-8


def test_where_a_tile_is_missing_nothing_is_known(tmp_path):
    paths = split(tmp_path, cells(STEEP, NORTH_UP), 50, 60)
    ground = read_terrain(paths[1:], FRAME)
    z = ground.heights(np.array([-300.0, 300.0, -300.0]), np.array([250.0, 250.0, -250.0]))
    assert np.isnan(z).tolist() == [True, False, False]


def test_of_several_rasters_the_first_that_knows_a_height_counts(tmp_path):
    fine = Affine(2, 0, -100, 0, -2, 100)
    low = Plane(10.0, 0.1, 0.1)
    paths = [
        tiff(tmp_path / "fine.tif", cells(low, fine, (100, 100)), here(fine), UTM),
        tiff(tmp_path / "coarse.tif", cells(STEEP, NORTH_UP), here(NORTH_UP), UTM),
    ]
    ground = read_terrain(paths, FRAME)
    assert ground.resolution == pytest.approx(2.0)
    inside = np.maximum(np.abs(X), np.abs(Y)) <= 99
    assert off(low, ground, X[inside], Y[inside]) < 1e-8
    assert off(STEEP, ground, X[~inside], Y[~inside]) < 1e-8


def test_longitudes_beyond_180_degrees(tmp_path):
    """A raster from 179 to 181 degrees east, and a scene around -179.9."""
    frame = map_frame(CRS("EPSG:32701"), Origin(lat=-17.0, lon=-179.98))
    affine = Affine(0.001, 0, 179.5, 0, -0.001, -16.5)
    data = cells(STEEP, affine, (1000, 1000), WGS84, frame)
    ground = read_terrain(tiff(tmp_path / "a.tif", data, affine, WGS84), frame)
    assert off(STEEP, ground, X * 10, Y * 10) < 0.05


def test_heights_in_feet_and_an_origin_with_a_height(tmp_path):
    frame = map_frame(UTM, Origin(x=458_000, y=5_462_000, h=400.0))
    report = Report()
    path = tiff(tmp_path / "a.tif", cells(STEEP, NORTH_UP) / 0.3048, here(NORTH_UP), UTM, unit="ft")
    above = dataclasses.replace(STEEP, base=STEEP.base - 400)
    assert off(above, read_terrain(path, frame, report=report)) < 1e-8
    assert any("a.tif gives its heights in ft" in note for note in report.notes)


def test_a_crs_with_heights_in_feet(tmp_path):
    """Californian feet (ftUS), with NAVD88 heights in them, under a scene in metres."""
    feet, frame = CRS("EPSG:2225+6360"), map_frame(CRS("EPSG:26910"), Origin(lat=40.5, lon=-122.5))
    x, y, _ = frames.transform(np.zeros((1, 3)), frame, CRS("EPSG:2225"))[0]
    affine = Affine(30, 0, x - 1800, 0, -30, y + 1800)
    data = cells(STEEP, affine, (120, 120), CRS("EPSG:2225"), frame) * 3937 / 1200
    report = Report()
    ground = read_terrain(tiff(tmp_path / "a.tif", data, affine, feet), frame, report=report)
    assert off(STEEP, ground) < 1e-3
    assert report.warnings == []
    assert any("heights as in NAD83 / California zone 1 (ftUS) + NAVD88" in note for note in report.notes)


def test_on_a_tangent_plane_the_ground_is_met_straight_below(tmp_path):
    frame = topocentric_frame(Origin(lat=49.315, lon=14.425, h=0.0))
    affine = Affine(0.002, 0, 14.0, 0, -0.002, 49.7)
    data = np.fromfunction(lambda row, column: 2000.0 + 3.0 * column - 2.0 * row, (400, 400))
    ground = read_terrain(tiff(tmp_path / "a.tif", data, affine, WGS84), frame)
    x, y = X * 60, Y * 60
    z = ground.heights(x, y)
    lon, lat, h = frames.transform(np.column_stack([x, y, z]), frame, CRS("EPSG:4979")).T
    wanted = 2000 + 3 * ((lon - 14) / 0.002 - 0.5) - 2 * ((49.7 - lat) / 0.002 - 0.5)
    assert np.abs(h - wanted).max() < 1e-3


def test_a_crs_that_does_not_name_its_datum_is_known_by_its_numbers(tmp_path):
    nameless = CRS(
        "+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 "
        "+ellps=bessel +units=m"
    )
    report = Report()
    affine = Affine(25, 0, 185_000, 0, -25, 406_250)
    path = tiff(tmp_path / "a.tif", np.ones((9, 9)), affine, nameless)
    read_terrain(path, map_frame(CRS("EPSG:28992"), Origin(x=185_100, y=406_100)), report=report)
    assert any("by its numbers it is EPSG:28992" in note for note in report.notes)
    assert report.warnings == []


def test_a_crs_of_its_own_gives_way_to_the_one_asked_for(tmp_path):
    report = Report()
    path = tiff(tmp_path / "a.tif", cells(STEEP, NORTH_UP), here(NORTH_UP), CRS("EPSG:32634"))
    assert off(STEEP, read_terrain(path, FRAME, crs=UTM, report=report)) < 1e-8
    assert any("WGS 84 / UTM zone 33N is used instead" in note for note in report.notes)


def picture(path):
    """Write a raster that is nowhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(path, "w", driver="PNG", width=2, height=2, count=1, dtype="uint8") as file:
            file.write(np.ones((1, 2, 2), "u1"))
    return path


@pytest.mark.parametrize(
    ("write", "frame", "error", "sentence"),
    [
        (lambda folder: folder / "none.tif", FRAME, FileAccessError, "there is no file"),
        (lambda folder: folder, FRAME, FileAccessError, "no raster of heights in the folder"),
        (lambda folder: esri(folder / "a.asc", np.ones((2, 2))), FRAME, GeoreferenceError, "pass --dem-crs"),
        (
            lambda folder: tiff(folder / "a.tif", np.ones((2, 2)), here(NORTH_UP), UTM),
            None,
            GeoreferenceError,
            "pass --source-crs",
        ),
        (
            lambda folder: picture(folder / "a.png"),
            None,
            FormatError,
            "does not say where it lies",
        ),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, write, frame, error, sentence):
    with pytest.raises(error, match=sentence):
        read_terrain(write(tmp_path), frame)


@pytest.mark.parametrize("name", ["text.tif", "text.zip", "text.asc.gz"])
def test_what_is_no_raster_is_said_with_its_name(tmp_path, name):
    (tmp_path / name).write_text("these are no heights")
    with pytest.raises(FormatError, match=name):
        read_terrain(tmp_path / name, FRAME)


SIMPLE = Affine(1.0, 0.0, 0.0, 0.0, -1.0, 0.0)


@dataclasses.dataclass(frozen=True)
class Endless:
    """A raster as large as no memory is, which notes what is read of it."""

    read: list
    name: str = "endless"
    affine: Affine = SIMPLE
    shape: tuple = (10**6, 10**6)
    crs: None = None
    unit: float = 1.0

    def opened(self):
        def read(window):
            self.read.append((window.bottom - window.top) * (window.right - window.left))
            row, column = np.mgrid[window.top : window.bottom, window.left : window.right]
            return 2.0 * row + column

        return contextlib.nullcontext(read)


def test_only_cells_around_the_places_are_read():
    raster = Endless([])
    x = np.concatenate([np.linspace(1000, 5000, 4001), [900_000.25]])
    z = Ground([raster], None).heights(x, -x)
    assert z == pytest.approx(2 * (x - 0.5) + x - 0.5)
    assert max(raster.read) <= (BLOCK + 1) ** 2
    assert raster.read[-1] == 4
    assert sum(raster.read) < 10 * (BLOCK + 1) ** 2


@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.lists(st.integers(-8, 56).map(lambda eighths: eighths / 8), min_size=2),
    st.randoms(),
)
def test_bilinear_heights_lie_between_those_of_the_cells_around(rows, columns, places, random):
    data = np.array([[random.uniform(-10, 10) for _ in range(columns)] for _ in range(rows)])
    raster = dataclasses.replace(Endless([]), shape=(rows, columns))
    object.__setattr__(
        raster, "opened", lambda: contextlib.nullcontext(lambda w: data[w.top : w.bottom, w.left : w.right])
    )
    row, column = np.array(places), np.array(places[::-1])
    z = interpolated(raster, row, column)
    known = (row >= 0) & (row <= rows - 1) & (column >= 0) & (column <= columns - 1)
    assert (~np.isnan(z)).tolist() == known.tolist()
    for value, r, c in zip(z[known], row[known], column[known]):
        around = data[int(np.floor(r)) : int(np.ceil(r)) + 1, int(np.floor(c)) : int(np.ceil(c)) + 1]
        assert around.min() - 1e-9 <= value <= around.max() + 1e-9


def test_places_of_cells_are_counted_from_the_first_centre():
    affine = ORIENTATIONS["turned"]
    x, y = 3.5 * affine.a + 7.5 * affine.b + affine.c, 3.5 * affine.d + 7.5 * affine.e + affine.f
    row, column = cell_places(affine, np.array([x]), np.array([y]))
    assert (row[0], column[0]) == pytest.approx((7.0, 3.0))
