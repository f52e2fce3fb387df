"""Each kind of frame in a GeoPackage, read by GDAL and by QGIS: the same place on Earth, heights too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import shapely
from pyproj import CRS

import spl_gis
from spl_gis import frames
from spl_gis.frames import Origin
from spl_gis.model import Features, LineStrings

ORIGIN, RAISED = Origin(lat=49.3, lon=14.4), Origin(lat=49.3, lon=14.4, h=400)
UTM = CRS("EPSG:32633")

KINDS = {
    "map": frames.map_frame(UTM, ORIGIN, 30),
    "raised": frames.map_frame(UTM, RAISED, 30),
    "local": frames.map_frame(frames.local_base(ORIGIN), ORIGIN),
    "local_raised": frames.map_frame(frames.local_base(RAISED), RAISED, 75),
    "topocentric": frames.topocentric_frame(RAISED),
    "topocentric_unigine": frames.topocentric_frame(RAISED, "unigine"),
}
GEOIDS = {
    "geoid": frames.map_frame(CRS("EPSG:32633+5773"), ORIGIN),
    "geoid_raised": frames.map_frame(CRS("EPSG:32633+5773"), RAISED),
}
"""Heights over a geoid, which needs a grid that a program has or has not."""

SHIFTED = {
    "krovak": frames.map_frame(CRS("EPSG:5513"), ORIGIN, -20),
    "krovak_raised": frames.map_frame(CRS("EPSG:5513"), RAISED, -20),
}
"""Frames over another datum; other versions of PROJ may know another shift."""

ALL = {**KINDS, **GEOIDS, **SHIFTED}

SCENE = np.array([[0.0, 0, 5], [3000, 4000, 7], [-9000, 2000, 120]])
ELLIPSOID = CRS("EPSG:4979")


def missing(program: str) -> None:
    """Skip for want of a program; where the tests must be complete, fail."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{program} is not here")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write one line in each kind of frame, as `--to-crs frame` does."""
    path = tmp_path_factory.mktemp("kinds") / "kinds.gpkg"
    some = {**ALL, "nowhere": frames.engineering_frame()}
    layers = [
        LineStrings(
            frames.transform(SCENE, crs, frames.without_height(crs)),
            [0, 3],
            [0],
            [-1],
            Features(np.array([1]), {}, name),
            frames.without_height(crs),
        )
        for name, crs in some.items()
    ]
    pyogrio.set_gdal_config_options({"OGR_SQLITE_SYNCHRONOUS": "OFF"})
    spl_gis.write(layers, path)
    pyogrio.set_gdal_config_options({"OGR_SQLITE_SYNCHRONOUS": None})
    return path


def assert_in_place(found: dict[str, list[list[float]]]) -> None:
    """Check the longitudes, latitudes and heights that another program computed of `written`."""
    metres = np.array([111e3 * np.cos(np.radians(49.3)), 111e3, 1])
    for name, frame in KINDS.items():
        wanted = frames.transform(SCENE, frame, ELLIPSOID)
        assert np.abs((np.array(found[name]) - wanted) * metres).max() < 1e-3, name
        assert abs(found[name][0][2] - frames.describe(frame).h - 5) < 1e-3, name
    for name, frame in GEOIDS.items():
        wanted = frames.transform(SCENE, frame, ELLIPSOID)
        apart = (np.array(found[name]) - wanted) * metres
        assert np.abs(apart[:, :2]).max() < 1e-3, name
        assert np.abs(apart[:, 2] - (0 if abs(apart[0, 2]) < 1 else 46)).max() < 2, name
    for name, frame in SHIFTED.items():
        apart = (np.array(found[name]) - frames.transform(SCENE, frame, frames.WGS84)) * metres
        assert np.abs(apart).max() < 2, name


def test_a_file_keeps_every_kind(written: Path) -> None:
    for name, frame in ALL.items():
        lines = spl_gis.read(written, layer=name)
        there, here = frames.describe(lines.crs), frames.describe(frame)
        assert (there.kind, there.rotation) == (here.kind, here.rotation)
        assert (there.lat, there.lon) == pytest.approx((here.lat, here.lon), abs=1e-11)
        assert np.abs(frames.transform(lines.coords, lines.crs, frame) - SCENE).max() < 1e-6, name
        assert frames.scene_frame(lines.coords, lines.crs) is lines.crs
    nowhere = spl_gis.read(written, layer="nowhere")
    assert frames.scene_frame(nowhere.coords, nowhere.crs) is None


def ogr2ogr(source: Path, target: Path, layer: str) -> subprocess.CompletedProcess[str]:
    command = ["ogr2ogr", "-t_srs", "EPSG:4979", target, source, layer]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_gdal_places_every_kind(written: Path, tmp_path: Path) -> None:
    if shutil.which("ogr2ogr") is None:
        missing("ogr2ogr")
    found = {}
    for name in ALL:
        target = tmp_path / f"{name}.gpkg"
        assert ogr2ogr(written, target, name).returncode == 0, name
        wkb = pyogrio.raw.read(target)[2]
        found[name] = shapely.get_coordinates(shapely.from_wkb(wkb), include_z=True).tolist()
    assert_in_place(found)
    refused = ogr2ogr(written, tmp_path / "nowhere.gpkg", "nowhere")
    assert refused.returncode != 0
    assert "Cannot find coordinate operations" in refused.stderr


QGIS = """
import json, os, sys
from qgis.core import *
app = QgsApplication([], False)
app.initQgis()
project, found = QgsProject.instance(), {}
target = QgsCoordinateReferenceSystem("EPSG:4979")
for name in sys.argv[2:]:
    layer = QgsVectorLayer(f"{sys.argv[1]}|layername={name}", name, "ogr")
    change = QgsCoordinateTransform(layer.crs(), target, project)
    line = next(layer.getFeatures()).geometry()
    assert layer.crs().isValid() and change.isValid()
    assert line.transform(change, QgsCoordinateTransform.ForwardTransform, True) == 0
    found[name] = [[p.x(), p.y(), p.z()] for p in line.vertices()]
print("found" + json.dumps(found), flush=True)
os._exit(0)  # QGIS may crash while it closes
"""


def test_qgis_places_every_kind(written: Path) -> None:
    python = "/usr/bin/python3"
    probe = [python, "-c", "import qgis.core"]
    if not Path(python).exists() or subprocess.run(probe, capture_output=True, check=False).returncode:
        missing("QGIS")
    env = {"QT_QPA_PLATFORM": "offscreen", "PATH": os.environ["PATH"], "HOME": str(written.parent)}
    command = [python, "-c", QGIS, str(written), *ALL]
    run = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert "found" in run.stdout, run.stderr
    assert_in_place(json.loads(run.stdout.partition("found")[2]))


@pytest.mark.parametrize("kind", ALL)
def test_a_graph_keeps_its_frame_beside_it(kind: str, tmp_path: Path) -> None:
    frame = ALL[kind]
    lines = LineStrings(SCENE, [0, 3], [0], [-1], Features(np.array([1]), {}, "roads"), frame)
    spl_gis.write(spl_gis.lines_to_graph(lines, frame, fit="vertices"), tmp_path / "roads.spl")
    graph = spl_gis.read(tmp_path / "roads.spl")
    assert frames.same(graph.crs, frame)
    assert (graph.points == SCENE).all()
