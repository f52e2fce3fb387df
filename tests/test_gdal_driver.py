"""The GDAL driver: in GDAL's own programs, and its parts in this Python."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spl_gis
from spl_gis import bezier, frames
from spl_gis.gdal_driver import FOLDER, NAME

ROOT = Path(__file__).parent.parent
TOWN = ROOT / "sample_data" / "town.gpkg"
BRIDGE = ROOT / "sample_data" / "bridge.spl"


def _load():
    """Load the script as GDAL does, with the classes that GDAL would give it."""
    module = types.ModuleType("gdal_python_driver")
    for name in ("BaseDriver", "BaseDataset"):
        setattr(module, name, type(name, (), {}))
    names = ("FastFeatureCount", "FastGetExtent", "RandomRead", "StringsAsUTF8")
    module.BaseLayer = type("BaseLayer", (), {name: name for name in names})
    spec = importlib.util.spec_from_file_location("ogr_spl", FOLDER / "ogr_spl.py")
    script = importlib.util.module_from_spec(spec)
    sys.modules["gdal_python_driver"], sys.modules["ogr_spl"] = module, script
    try:
        spec.loader.exec_module(script)
    finally:
        del sys.modules["gdal_python_driver"], sys.modules["ogr_spl"]
    return script


ogr_spl = _load()


def convert(path, **frame):
    lines = spl_gis.read(TOWN)
    graph = spl_gis.lines_to_graph(
        lines, spl_gis.scene_frame(lines.coords, lines.crs, **frame), fit="vertices"
    )
    spl_gis.write(graph, path)
    return graph


def opened(path, **options):
    with path.open("rb") as file:
        head = file.read(1024)
    return ogr_spl.Driver().open(str(path), head, 0, options)


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    path = tmp_path_factory.mktemp("town") / "town.spl"
    convert(path)
    return path


@pytest.fixture()
def gdal():
    """Run a program of GDAL with the driver; what it says, and its exit code."""
    if not shutil.which("ogr2ogr"):
        assert not os.environ.get("CI"), "CI must have ogr2ogr"
        pytest.skip("there is no ogr2ogr")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL"))}
    clean.update(GDAL_PYTHON_DRIVER_PATH=str(FOLDER), PATH="/usr/bin:/bin:" + clean["PATH"])

    def run(*words):
        done = subprocess.run(list(map(str, words)), env=clean, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


FRAMES = {
    "map": {"rotation": 20.0},
    "height": {"origin": frames.Origin(lat=49.315, lon=14.425, h=200.0)},
    "local": {"base": frames.LOCAL},
    "pivot": {"topocentric": frames.UNIGINE, "origin": frames.Origin(lat=49.315, lon=14.425, h=400.0)},
}


@pytest.mark.parametrize("name", FRAMES)
def test_gdal_puts_a_scene_where_the_command_line_does(gdal, tmp_path, name):
    graph = convert(tmp_path / "town.spl", **FRAMES[name])
    words = ("-t_srs", "EPSG:32633", tmp_path / "town.geojson", tmp_path / "town.spl", "-lco", "RFC7946=NO")
    code, said = gdal("ogr2ogr", "-f", "GeoJSON", "-lco", "COORDINATE_PRECISION=9", *words)
    assert code == 0, said
    features = json.loads((tmp_path / "town.geojson").read_text())["features"]
    whole = spl_gis.graph_to_lines(graph, kind="segments", to_crs=frames.parse_crs("EPSG:32633"))
    assert len(features) == len(whole)
    for feature, start, end in zip(features, whole.offsets, whole.offsets[1:]):
        line = np.array(feature["geometry"]["coordinates"])
        assert np.abs(line[[0, -1]] - whole.coords[[start, end - 1]]).max() < 1e-6


def test_attributes_come_with_their_types(gdal, town):
    code, said = gdal("ogrinfo", "-ro", "-al", "-where", "feature_id = 1", town)
    assert code == 0, said
    assert f"using driver `{NAME}'" in said
    for line in (
        "Feature Count: ",
        "bridge: Integer(Boolean)",
        "surveyed: DateTime",
        "name (String) = Hauptstraße",
    ):
        assert line in said
    assert "node (Integer64) = 9007199254740993" in said


def test_a_box_finds_what_meets_it(gdal, town):
    every = opened(town).layers[0]
    box = (0.0, 0.0, 50.0, 50.0)
    code, said = gdal("ogrinfo", "-ro", "-al", "-spat", *box, town)
    assert code == 0, said
    lines = [ogr_spl.flatten(every.controls(segment), 0.01) for segment in every.segments]
    near = sum(ogr_spl.meet(ogr_spl.bounds(line), box) for line in lines)
    assert 0 < said.count("OGRFeature(") <= near < len(lines)
    every.spatial_filter_extent = list(box)
    assert near <= len(list(every)) < len(lines)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"VIMspell2\x00\xff", ""),
        (b"\x1f\x8b\x08\x00", ""),
        (b'{"index": "main", "search": "*"}', ""),
        (b'{"points": [[0, 0, 0]]}', "there is no 'segments'"),
        (b'{"points": [[0, 0, NaN]], "segments": []}', "points[0] is not finite"),
        (b'{"points": [], "segments": [{"start_index": 0, "end_index": 1}]}', "points 0 and 1, of 0"),
        (b'{"points": [[0, 0', "delimiter"),
    ],
)
def test_what_is_no_graph_is_declined(gdal, tmp_path, content, sentence):
    path = tmp_path / "x.spl"
    path.write_bytes(content)
    code, said = gdal("ogrinfo", "-ro", "-q", path)
    assert code != 0
    assert "Traceback" not in said
    assert sentence in said and ("is not opened" in said) == bool(sentence)


def test_a_tolerance_that_makes_no_sense_is_refused(capsys):
    assert opened(BRIDGE, TOLERANCE="-1") is None
    assert "TOLERANCE must be a positive number" in capsys.readouterr().err
    fine, coarse = (opened(BRIDGE, TOLERANCE=tolerance).layers[0] for tolerance in ("0.001", "1"))
    assert len(fine.feature_by_id(0)["geometry_fields"][""]) > len(
        coarse.feature_by_id(0)["geometry_fields"][""]
    )


def test_only_programs_that_read_are_served():
    assert ogr_spl.Driver().open(str(BRIDGE), BRIDGE.read_bytes()[:1024], 1) is None
    assert not ogr_spl.Driver().identify("/vsizip/a.zip/a.spl", b'{"points"', 0)
    assert ogr_spl.Driver().identify("A.SPL", b'\xef\xbb\xbf\r\n{ "segments": [', 0)


def test_the_extent_is_that_of_the_lines():
    layer = opened(BRIDGE).layers[0]
    lines = [ogr_spl.flatten(layer.controls(segment), layer.tolerance) for segment in layer.segments]
    assert layer.extent(True) == ogr_spl.bounds([place for line in lines for place in line])
    assert layer.feature_count(True) == len(lines) and layer.feature_by_id(len(lines)) is None
    assert layer.test_capability("FastGetExtent") and not layer.test_capability("RandomWrite")


def test_segments_that_were_changed_lose_their_feature(town, tmp_path):
    changed = tmp_path / "town.spl"
    graph = json.loads(town.read_text())
    graph["segments"][3]["end_tangent"][0] += 1
    graph["segments"].append(graph["segments"].pop(0))
    changed.write_text(json.dumps(graph))
    shutil.copy(f"{town}.aux.json", f"{changed}.aux.json")
    before, after = (opened(path).layers[0].memory.rows for path in (town, changed))
    assert None not in before
    before[3] = None
    assert after == [*before[1:], before[0]]


def test_a_sidecar_of_another_file_is_left_aside_and_a_prj_taken(town, tmp_path):
    path = tmp_path / "bridge.spl"
    shutil.copy(BRIDGE, path)
    shutil.copy(f"{town}.aux.json", f"{path}.aux.json")
    assert opened(path).layers[0].memory == ogr_spl.Memory(None, 0.0, [], [], [None] * 4)
    path.with_suffix(".prj").write_text('PROJCS["x",GEOGCS["y"]]')
    assert opened(path).layers[0].geometry_fields[0]["srs"].startswith("PROJCS")
    path.with_suffix(".prj").write_text("http://example.com/crs")
    assert "srs" not in opened(path).layers[0].geometry_fields[0]
    path.with_name("bridge.spl.aux.json").write_text("{}")
    assert opened(path) is None


def test_values_that_gdal_has_no_word_for():
    column = {"name": "Segment", "type": "Real", "subtype": "None", "values": [None, "nan", 1.5]}
    name, kind, values = ogr_spl.column_of(column)
    assert (name, kind, values[0], values[2]) == ("Segment", "Real", None, 1.5) and np.isnan(values[1])
    column = {"name": "segment", "type": "IntegerList", "subtype": "None", "values": [[1, 2], None]}
    assert ogr_spl.column_of(column) == ("source_segment", "String", ["[1, 2]", None])
    column = {"name": "b", "type": "Binary", "subtype": "None", "values": ["AAE="]}
    assert ogr_spl.column_of(column)[2] == [b"\x00\x01"]


@given(st.lists(st.lists(st.floats(-100, 100), min_size=3, max_size=3), min_size=4, max_size=4))
def test_lines_are_within_the_tolerance_of_curves(controls):
    line = np.array(ogr_spl.flatten([tuple(control) for control in controls], 0.5))
    t = np.linspace(0, 1, 257)
    curve = bezier.evaluate(np.repeat(np.array([controls]), len(t), axis=0), t)
    along = np.linspace(0, 1, len(line))
    chords = np.stack([np.interp(t, along, line[:, axis]) for axis in range(3)], axis=1)
    assert np.linalg.norm(curve - chords, axis=1).max() <= 0.5 + 1e-9
    assert np.allclose(line[[0, -1]], np.array(controls)[[0, 3]])


def test_the_command_line_prints_the_folder():
    done = subprocess.run(
        [sys.executable, "-m", "spl_gis", "gdal-driver"], capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()) == FOLDER
    assert (FOLDER / "ogr_spl.py").read_text().startswith(f'# gdal: DRIVER_NAME = "{NAME}"')
