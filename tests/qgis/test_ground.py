"""What the algorithms make of a ground: profiles, bridges, banked roads, draped lines, tiles."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from qgis.core import (
    QgsFeature,
    QgsGeometry,
    QgsProcessingContext,
    QgsProcessingException,
    QgsVectorLayer,
    QgsWkbTypes,
)
from qgis.PyQt import sip

ROADS = str(ROOT / "sample_data" / "town.geojson")


@pytest.fixture()
def terrain(tmp_path):
    """A copy: QGIS writes statistics beside it."""
    copy = tmp_path / "town_dem.tif"
    copy.write_bytes((ROOT / "sample_data" / "town_dem.tif").read_bytes())
    return str(copy)


@pytest.fixture()
def crossing():
    """A road over another one, on flat ground, with the roads that lead to the bridge."""
    layer = QgsVectorLayer(
        "LineString?crs=EPSG:32633&field=bridge:string&field=cant:string", "roads", "memory"
    )
    for bridge, cant, wkt in (
        ("", "4 %", "458000 5463000,458500 5463000"),
        ("yes", "", "458500 5463000,458540 5463000"),
        ("", "", "458540 5463000,459000 5463000"),
        ("", "", "458520 5462900,458520 5463100"),
    ):
        feature = QgsFeature(layer.fields())
        feature.setAttributes([bridge, cant])
        feature.setGeometry(QgsGeometry.fromWkt(f"LineString({wkt})"))
        assert layer.dataProvider().addFeatures([feature])[0]
    yield layer
    sip.delete(layer)  # pytest would keep it longer than QGIS lives


def read(path):
    return json.loads(Path(path).read_text())


def options(path):
    return read(f"{path}.aux.json")["options"]


def numbers(path):
    graph = read(path)
    vectors = ("start_tangent", "end_tangent", "start_up", "end_up")
    return np.array(graph["points"]), np.array([[s[name] for name in vectors] for s in graph["segments"]])


def command_line(*words):
    python = os.environ.get("SPL_GIS_PYTHON")
    if not python:
        pytest.skip("SPL_GIS_PYTHON does not name a Python with spl-gis and all that it needs")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "QT_", "QGIS_"))}
    command = [python, "-m", "spl_gis", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=clean)


FAST = ["--design-speed", "60", "--runoff", "25"]
SAME = {
    "banked": (
        {
            "MAX_GRADE": 7.0,
            "SMOOTH_PROFILE": 40.0,
            "CLEARANCE": 6.0,
            "UP": 2,
            "DESIGN_SPEED": 60.0,
            "RUNOFF": 25.0,
        },
        ["--max-grade", "7", "--smooth-profile", "40", "--clearance", "6", "--up", "bank", *FAST],
    ),
    "leaning": ({"UP": 1}, ["--up", "terrain"]),
    "by a field": (
        {"UP": 2, "DESIGN_SPEED_FIELD": "lanes", "MAX_SUPERELEVATION": 5.0},
        ["--up", "bank", "--design-speed", "lanes", "--max-superelevation", 5],
    ),
}
"""Parameters, and the words of the command line that mean the same."""


@pytest.mark.parametrize("name", SAME)
def test_the_command_line_makes_the_same_of_a_terrain(run, terrain, tmp_path, name):
    parameters, words = SAME[name]
    ours, theirs = tmp_path / "qgis.spl", tmp_path / "cli.spl"
    run("lines_to_spl", INPUT=ROADS, FIT=2, TERRAIN=terrain, OUTPUT=str(ours), **parameters)
    command_line("convert", ROADS, theirs, "--fit", "vertices", "--z", terrain, *words)
    for one, other in zip(numbers(ours), numbers(theirs)):
        assert one.shape == other.shape
        assert np.abs(one - other).max() < 1e-6
    assert np.ptp(numbers(ours)[1][:, 2:, :2]) > 0.01  # roads lean
    recorded = options(theirs)
    usual = {
        "tolerance": 0.1,
        "bulge": 1.0,
        "fields": None,
    }  # the command line does not say what it was not told
    differ = {key: value for key, value in options(ours).items() if value != recorded.get(key)}
    assert differ.items() <= usual.items()


def test_the_command_line_goes_on_with_what_was_recorded(run, terrain, tmp_path):
    path = tmp_path / "town.spl"
    banked = {"MAX_GRADE": 8.0, "UP": 2, "DESIGN_SPEED": 50.0}
    run("lines_to_spl", INPUT=ROADS, FIT=2, TERRAIN=terrain, OUTPUT=str(path), **banked)
    before = read(path)
    command_line("convert", ROADS, path, "--update")
    assert read(path) == before


def test_other_heights_and_ups_are_told_when_a_graph_is_brought_up_to_date(run, terrain, tmp_path, feedback):
    path = str(tmp_path / "town.spl")
    first = {"INPUT": ROADS, "FIT": 2, "TERRAIN": terrain, "MAX_GRADE": 8.0, "OUTPUT": path}
    run("lines_to_spl", **first)
    run("lines_to_spl", **first, UPDATE=path)
    assert not [sentence for sentence in feedback.warned if "other options" in sentence]
    changed = {**first, "MAX_GRADE": None, "UP": 2, "ALLOW_RENUMBER": True}
    run("lines_to_spl", **changed, UPDATE=path)
    [said] = [sentence for sentence in feedback.warned if "other options" in sentence]
    assert "“Greatest grade [%]” 8.0" in said and "“Roads lean” vertical" in said


def test_a_graph_of_the_command_line_was_made_with_the_same_options(run, tmp_path, feedback):
    path = tmp_path / "town.spl"
    command_line("convert", ROADS, path, "--fit", "vertices", "--z", "lanes", "--up", "bank")
    same = {"INPUT": ROADS, "FIT": 2, "HEIGHT_FIELD": "lanes", "UP": 2}
    before = read(path)
    run("lines_to_spl", **same, UPDATE=str(path), OUTPUT=str(path))
    assert not [sentence for sentence in feedback.warned if "other options" in sentence]
    assert read(path) == before


def test_a_bridge_is_clear_of_the_road_below_on_flat_ground(run, crossing, tmp_path):
    path = tmp_path / "deck.spl"
    run("lines_to_spl", INPUT=crossing, HEIGHT=100.0, CLEARANCE=6.0, OUTPUT=str(path))
    deck = run("spl_to_lines", INPUT=str(path), FEATURES="memory:")["FEATURES"]
    z = {f["bridge"] or "": [v.z() for v in f.geometry().vertices()] for f in deck.getFeatures()}
    assert min(z[""]) == pytest.approx(100, abs=0.1)
    assert 105.95 < max(z["yes"]) < 106.5
    assert (options(path)["z"], options(path)["clearance"]) == (["100"], 6.0)


def test_a_field_says_how_roads_lean(run, crossing, tmp_path):
    path = tmp_path / "cant.spl"
    run("lines_to_spl", INPUT=crossing, UP=3, UP_FIELD="cant", OUTPUT=str(path))
    ups = numbers(path)[1][:, 2:]
    across = np.abs(ups[..., 1] / ups[..., 2])  # the road goes east
    assert across.max() == pytest.approx(0.04)
    assert options(path)["up"] == "field:cant"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"MAX_GRADE": 5.0}, "“Greatest grade [%]” does nothing without a terrain"),
        ({"SMOOTH_PROFILE": 5.0, "HEIGHT_FIELD": "lanes"}, "“Smooth heights over” does nothing"),
        ({"CLEARANCE": 7.0}, "“Clearance” does nothing"),
        ({"MAX_GRADE": 0.0, "HEIGHT": 3.0}, "“Greatest grade [%]” must be"),
        ({"HEIGHT": 3.0, "HEIGHT_FIELD": "lanes"}, "choose one of them"),
        ({"UP": 1}, "choose a “Terrain”"),
        ({"UP": 3}, "the roll field"),
        ({"UP_FIELD": "lanes"}, "the roll field"),
        ({"UP": 2, "UP_UNIT": 1}, "“Unit of the roll” does nothing"),
        ({"DESIGN_SPEED": 50.0}, "“Design speed [km/h]” does nothing"),
        ({"UP": 2, "DESIGN_SPEED": 0.0}, "“Design speed [km/h]” must be"),
        ({"UP": 2, "DESIGN_SPEED": 50.0, "DESIGN_SPEED_FIELD": "lanes"}, "not both"),
        ({"MAX_SUPERELEVATION": 5.0}, "“Greatest superelevation [%]” does nothing"),
    ],
)
def test_what_makes_no_sense_is_said_before_the_run(plugin, town, tmp_path, parameters, sentence):
    from qgis.core import QgsApplication

    given = {"INPUT": town, "OUTPUT": str(tmp_path / "a.spl"), **parameters}
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("spl:lines_to_spl")
    good, said = algorithm.checkParameterValues(given, QgsProcessingContext())
    assert not good and sentence in said and "--" not in said


def test_edited_segments_keep_their_own_up_vectors(run, crossing, tmp_path):
    run("lines_to_spl", INPUT=crossing, OUTPUT=str(tmp_path / "a.spl"))
    segments = run("spl_to_lines", INPUT=str(tmp_path / "a.spl"), SEGMENTS="memory:")["SEGMENTS"]
    with pytest.raises(QgsProcessingException, match="“Roads lean” is for the lines of a source"):
        run("lines_to_spl", INPUT=segments, UP=2, OUTPUT=str(tmp_path / "b.spl"))


def test_draped_lines_have_the_heights_of_the_graph(run, terrain, tmp_path):
    ground = {"INPUT": ROADS, "TERRAIN": terrain, "MAX_GRADE": 6.0}
    result = run("drape_lines", **ground, OUTPUT="memory:")
    layer = result["OUTPUT"]
    run("lines_to_spl", **ground, OUTPUT=str(tmp_path / "a.spl"))
    back = run("spl_to_lines", INPUT=str(tmp_path / "a.spl"), FEATURES="memory:")["FEATURES"]
    assert QgsWkbTypes.hasZ(layer.wkbType()) and layer.crs() == back.crs()
    assert layer.featureCount() == back.featureCount()
    for ours, theirs in zip(layer.getFeatures(), back.getFeatures()):
        assert ours.attributes()[1:] == theirs.attributes()
        assert 0 <= ours["max_grade"] < 6.01
        one, other = ([(v.x(), v.y(), v.z()) for v in f.geometry().vertices()] for f in (ours, theirs))
        assert np.abs(np.array([one[0], one[-1]]) - np.array([other[0], other[-1]])).max() < 1e-6
    assert result["MAX_GRADE"] == max(feature["max_grade"] for feature in layer.getFeatures()) > 5


def test_draped_lines_need_a_ground(run, crossing):
    with pytest.raises(QgsProcessingException, match="choose a terrain"):
        run("drape_lines", INPUT=crossing, HEIGHT_OFFSET=2.0, OUTPUT="memory:")
    layer = run("drape_lines", INPUT=crossing, HEIGHT=0.0, OUTPUT="memory:")["OUTPUT"]
    heights = {f["bridge"] or "": max(v.z() for v in f.geometry().vertices()) for f in layer.getFeatures()}
    assert heights["yes"] > 5


@pytest.fixture()
def spl(run, tmp_path):
    path = tmp_path / "town.spl"
    run("lines_to_spl", INPUT=ROADS, FIT=2, OUTPUT=str(path))
    return path


def test_tiles_are_those_of_the_command_line(run, spl, tmp_path):
    result = run("tile_spl", INPUT=str(spl), SIZE=500.0, OUTPUT=str(tmp_path / "tiles"), EXTENTS="memory:")
    index, layer = read(tmp_path / "tiles" / "tiles.json"), result["EXTENTS"]
    assert result["TILE_COUNT"] == len(index["tiles"]) == layer.featureCount() > 3
    for tile, shown in zip(index["tiles"], layer.getFeatures()):
        assert (shown["file"], shown["segments"]) == (tile["file"], tile["segments"])
        assert [shown[f"node_{axis}"] for axis in "xyz"] == tile["node"]
        assert shown.geometry().area() == pytest.approx(500.0**2)
    drawn = QgsVectorLayer(str(tmp_path / "tiles" / "tiles.gpkg"), "tiles", "ogr")
    assert drawn.crs() == layer.crs() and drawn.extent() == layer.extent()
    assert drawn.featureCount() == layer.featureCount()
    first = str(tmp_path / "tiles" / index["tiles"][0]["file"])
    one = run("spl_to_lines", INPUT=first, FEATURES="memory:", TARGET_CRS=layer.crs())["FEATURES"]
    assert layer.extent().buffered(1).contains(one.extent())
    command_line("tile", spl, tmp_path / "theirs", "--size", 500)
    assert read(tmp_path / "theirs" / "tiles.json") == index
    for tile in index["tiles"]:
        ours, theirs = (tmp_path / folder / tile["file"] for folder in ("tiles", "theirs"))
        assert read(ours) == read(theirs)
    command_line("convert", tmp_path / "tiles", tmp_path / "back.gpkg")


def test_tiles_by_number_replace_only_tiles(run, spl, tmp_path):
    folder = tmp_path / "tiles"
    run("tile_spl", INPUT=str(spl), MAX_SEGMENTS=40, NO_CUT=True, OUTPUT=str(folder))
    tiles = read(folder / "tiles.json")["tiles"]
    assert sum(tile["segments"] for tile in tiles) == len(read(spl)["segments"])
    assert max(tile["segments"] for tile in tiles) <= 40
    run("tile_spl", INPUT=str(spl), MAX_SEGMENTS=1000, OUTPUT=str(folder))
    assert len(read(folder / "tiles.json")["tiles"]) == 1
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(QgsProcessingException, match=r"no tiles\.json"):
        run("tile_spl", INPUT=str(spl), SIZE=500.0, OUTPUT=str(other))
    assert [file.name for file in other.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("sizes", [{}, {"SIZE": 500.0, "MAX_SEGMENTS": 5}])
def test_one_size_of_tiles_is_asked_for(run, spl, tmp_path, sizes):
    with pytest.raises(QgsProcessingException, match="“Side of the tiles” or “Most segments in a tile”"):
        run("tile_spl", INPUT=str(spl), OUTPUT=str(tmp_path / "tiles"), **sizes)


def test_a_graph_without_a_place_has_tiles_without_one(run, tmp_path):
    bare = ROOT / "sample_data" / "bridge.spl"
    result = run("tile_spl", INPUT=str(bare), SIZE=10.0, OUTPUT=str(tmp_path / "tiles"), EXTENTS="memory:")
    assert result["EXTENTS"].crs().description() == "scene without a place"
    assert result["TILE_COUNT"] > 1
