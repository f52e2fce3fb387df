"""Raster layers as the ground: the same heights as on the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from osgeo import gdal, osr
from qgis.core import QgsCoordinateTransformContext, QgsProcessingException, QgsRasterLayer

ROADS = ROOT / "sample_data" / "town.geojson"
X, Y = np.random.default_rng(5).uniform(-300, 300, (2, 300))


def plane(x, y):
    return 400 + 0.3 * x - 0.2 * y


def raster(path, affine, *, point=False, nodata=None, data=None, unit="", scale=None):
    """Write a plane, in metres from x = 458000, y = 5462000, as a GeoTIFF of 120 x 100 cells."""
    row, column = np.mgrid[:100, :120] + 0.5
    c, a, b, f, d, e = affine
    heights = plane(c + a * column + b * row, f + d * column + e * row)
    heights = heights if data is None else data(heights)
    kind = gdal.GDT_Int16 if heights.dtype == np.int16 else gdal.GDT_Float64
    file = gdal.GetDriverByName("GTiff").Create(str(path), 120, 100, 1, kind)
    file.SetGeoTransform((c + 458_000, a, b, f + 5_462_000, d, e))
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32633)
    file.SetProjection(crs.ExportToWkt())
    if point:
        file.SetMetadataItem("AREA_OR_POINT", "Point")
    band = file.GetRasterBand(1)
    band.WriteArray(heights)
    band.SetUnitType(unit)
    if nodata is not None:
        band.SetNoDataValue(nodata)
    if scale is not None:
        band.SetScale(scale)
    file = band = None
    return QgsRasterLayer(str(path), "ground", "gdal")


@pytest.fixture
def ground(plugin):
    """Make the ground of a scene of a layer."""
    from spl_tools.adapter import ground_of
    from spl_tools.spl_gis import frames
    from spl_tools.spl_gis.report import Report

    def ground(layer, report=None, **more):
        frame = frames.map_frame(frames.parse_crs("EPSG:32633"), frames.Origin(x=458_000, y=5_462_000))
        return ground_of(layer, frame, QgsCoordinateTransformContext(), report or Report(), **more)

    return ground


NORTH_UP = (-600, 10, 0, 500, 0, -10)


@pytest.mark.parametrize(
    "affine",
    [NORTH_UP, (-600, 10, 0, -500, 0, 10), (-600, 10, 0, 350, 0, -7)],
    ids=["north up", "south up", "oblong cells"],
)
@pytest.mark.parametrize("point", [False, True], ids=["area", "point"])
@pytest.mark.parametrize("cubic", [False, True], ids=["bilinear", "cubic"])
def test_a_plane_is_exact(ground, tmp_path, affine, point, cubic):
    z = ground(raster(tmp_path / "a.tif", affine, point=point), cubic=cubic).heights(X, Y)
    assert np.abs(z - plane(X, Y)).max() < 1e-8


def test_nothing_is_extrapolated(ground, tmp_path):
    surface = ground(raster(tmp_path / "a.tif", NORTH_UP))
    assert surface.resolution == pytest.approx(10)
    x, y = np.array([-595.0, 595.0, -596.0, 596.0, 0.0]), np.array([495.0, -495.0, 0.0, 0.0, 496.0])
    assert np.isnan(surface.heights(x, y)).tolist() == [False, False, True, True, True]


def holed(value, kind=np.float64):
    def data(heights):
        heights = heights.copy()
        heights[48:53, 68:73] = value
        return heights.astype(kind)

    return data


@pytest.mark.parametrize(
    ("data", "nodata", "asked"),
    [
        (holed(-1.0), -1.0, None),
        (holed(np.nan), None, None),
        (holed(-9999), None, None),
        (holed(-32768, np.int16), None, None),
        (holed(0), None, 0.0),
        (holed(float(np.finfo("f4").min)), float(np.finfo("f4").min), None),
    ],
    ids=["declared", "not a number", "-9999", "-32768", "0 as asked", "least float"],
)
def test_unknown_cells_have_no_part_in_any_height(ground, tmp_path, data, nodata, asked):
    surface = ground(raster(tmp_path / "a.tif", NORTH_UP, data=data, nodata=nodata), nodata=asked)
    x, y = (each.ravel() for each in np.meshgrid(np.linspace(60, 140, 81), np.linspace(-40, 40, 81)))
    z = surface.heights(x, y)
    inside = (np.abs(x - 105) < 30) & (np.abs(y + 5) < 30)
    assert np.isnan(z).tolist() == inside.tolist()
    assert np.abs(z - plane(x, y))[~inside].max() < (
        0.8 if data(np.zeros((99, 99))).dtype == np.int16 else 1e-8
    )


def test_units_and_scales_of_the_file_count(ground, tmp_path):
    from spl_tools.spl_gis.report import Report

    report = Report()
    layer = raster(tmp_path / "a.tif", NORTH_UP, data=lambda z: z / 0.3048 * 10, unit="ft", scale=0.1)
    assert np.abs(ground(layer, report).heights(X, Y) - plane(X, Y)).max() < 1e-3
    assert any("gives its heights in ft" in note for note in report.notes)


def read(path):
    return np.array(json.loads(Path(path).read_text())["points"])


def test_roads_lie_on_the_terrain_of_the_command_line(run, tmp_path, feedback):
    terrain = tmp_path / "town_dem.tif"  # a copy: QGIS writes statistics beside it
    terrain.write_bytes((ROOT / "sample_data" / "town_dem.tif").read_bytes())
    result = {"TERRAIN": str(terrain), "HEIGHT_OFFSET": 2.0, "OUTPUT": str(tmp_path / "q.spl")}
    run("lines_to_spl", INPUT=str(ROADS), FIT=2, **result)
    assert any("terrain from town_dem" in info for info in feedback.infos)
    python = os.environ.get("SPL_GIS_PYTHON")
    if not python:
        pytest.skip("SPL_GIS_PYTHON does not name a Python with spl-gis and all that it needs")
    words = ["--fit", "vertices", "--z", terrain, "--z-offset", "2"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "QT_", "QGIS_"))}
    command = [python, "-m", "spl_gis", "convert", ROADS, tmp_path / "cli.spl", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=clean)
    ours, theirs = read(tmp_path / "q.spl"), read(tmp_path / "cli.spl")
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-6


def test_a_field_gives_heights(run, town, tmp_path):
    run("lines_to_spl", INPUT=town, HEIGHT_FIELD="lanes", HEIGHT_OFFSET=10.0, OUTPUT=str(tmp_path / "q.spl"))
    z = read(tmp_path / "q.spl")[:, 2]
    assert {11.0, 12.0} <= set(np.round(z, 6))
    assert z.min() >= 11
    options = json.loads((tmp_path / "q.spl.aux.json").read_text())["options"]
    assert (options["z"], options["z_mode"], options["z_offset"]) == (["field:lanes"], "replace", 10.0)


def test_a_terrain_elsewhere_is_said(run, tmp_path):
    # its path, as an error would keep the layer for longer than QGIS lives
    far = raster(tmp_path / "a.tif", (900_000, 10, 0, 0, 0, -10)).source()
    with pytest.raises(QgsProcessingException, match="CRS of the raster layer"):
        run("lines_to_spl", INPUT=str(ROADS), TERRAIN=far, OUTPUT=str(tmp_path / "q.spl"))
