"""The command line, run as a user runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from spl_gis.formats import vector

BRIDGE = ["--crs", "EPSG:32633", "--origin", "lat=49.315,lon=14.425"]


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spl_gis", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=120)


def done(*words: object, cwd: Path | None = None) -> str:
    result = run(*words, cwd=cwd)
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(*words: object, code: int = 1) -> str:
    """Run what must fail, and give its one sentence."""
    result = run(*words)
    assert result.returncode == code, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.fixture
def town(sample_data, tmp_path):
    done("convert", sample_data / "town.gpkg", tmp_path / "town.spl")
    return tmp_path / "town.spl"


def test_the_town_goes_there_and_back(town, sample_data, tmp_path):
    done("convert", town, tmp_path / "back.gpkg")
    source, back = vector.read(sample_data / "town.gpkg"), vector.read(tmp_path / "back.gpkg")
    assert np.array_equal(back.features.fid, source.features.fid)
    assert back.crs == source.crs
    for name, column in source.features.columns.items():
        got = back.features.columns[name]
        assert (got.type, got.subtype) == (column.type, column.subtype)
        assert np.array_equal(got.null, column.null)
        assert got.values[~got.null].tolist() == column.values[~column.null].tolist()


def test_it_says_what_it_chose(sample_data, tmp_path):
    said = done("convert", sample_data / "town.gpkg", tmp_path / "town.spl")
    assert "features read" in said
    assert "map frame over WGS 84 / UTM zone 33N (EPSG:32633), origin lat=" in said


def test_quiet_says_nothing(sample_data, tmp_path):
    assert done("convert", sample_data / "town.gpkg", tmp_path / "town.spl", "--quiet") == ""


def test_geojson_is_longitude_and_latitude(town, tmp_path):
    done("convert", town, tmp_path / "back.geojson")
    data = json.loads((tmp_path / "back.geojson").read_text(encoding="utf-8"))
    longitude, latitude = data["features"][0]["geometry"]["coordinates"][0][:2]
    assert (longitude, latitude) == pytest.approx((14.42, 49.31), abs=0.02)


def test_lines_in_the_scenes_own_coordinates(town, tmp_path):
    done("convert", town, tmp_path / "scene.gpkg", "--to-crs", "frame")
    lines = vector.read(tmp_path / "scene.gpkg")
    assert np.abs(lines.coords[:, :2]).max() < 1000
    assert lines.crs.is_derived


def test_a_graph_without_a_sidecar_is_placed_by_options(sample_data, tmp_path):
    done("convert", sample_data / "bridge.spl", tmp_path / "bridge.gpkg", *BRIDGE)
    lines = vector.read(tmp_path / "bridge.gpkg")
    assert lines.crs.to_authority() == ("EPSG", "32633")
    assert len(lines) == 2
    assert {"length", "start_index", "end_index"} <= set(lines.features.columns)


def test_a_graph_without_a_place_is_written_with_a_warning(sample_data, tmp_path):
    result = run("convert", sample_data / "bridge.spl", tmp_path / "bridge.gpkg")
    assert result.returncode == 0
    assert "no known place on Earth" in result.stderr


def test_several_files_share_a_scene(sample_data, tmp_path):
    done("convert", sample_data / "town.gpkg", tmp_path / "a.spl", "--origin", "lat=49.31,lon=14.42")
    done("convert", sample_data / "town.geojson", tmp_path / "b.spl", "--frame", tmp_path / "a.spl")
    frames = [json.loads((tmp_path / f"{name}.spl.aux.json").read_text())["frame"] for name in "ab"]
    assert frames[0] == frames[1]


def test_reprojection_keeps_the_order(town, tmp_path):
    done("reproject", town, tmp_path / "moved.spl", "--crs", "EPSG:3035", "--origin", "lat=49.3,lon=14.4")
    before, after = (json.loads(path.read_text()) for path in (town, tmp_path / "moved.spl"))
    ends = [[(s["start_index"], s["end_index"]) for s in graph["segments"]] for graph in (before, after)]
    assert ends[0] == ends[1]
    assert before["points"] != after["points"]
    done("convert", tmp_path / "moved.spl", tmp_path / "back.gpkg")
    assert len(vector.read(tmp_path / "back.gpkg").features) == 18


def test_info_for_people_and_for_machines(town, sample_data):
    assert "spline graph" in done("info", town)
    facts = json.loads(done("info", town, "--json"))
    assert facts["frame"]["code"] == "EPSG:32633"
    assert facts["source"]["features"] == 18
    lines = json.loads(done("info", sample_data / "town.geojson", "--json"))
    assert lines["lines"] == 19
    assert lines["heights"] == "all"


def test_the_report_is_written(sample_data, tmp_path):
    done("convert", sample_data / "town.gpkg", tmp_path / "a.spl", "--report", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["counts"]["features read"] == 18
    assert report["counts"]["segments"] > 50


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["convert", "nowhere.gpkg", "{out}"], 1, "nowhere.gpkg"),
        (["convert", "{data}/bridge.spl", "{out}"], 2, "reproject"),
        (["convert", "{data}/town.gpkg", "{dir}/a.gpkg"], 2, "ogr2ogr"),
        (["convert", "{data}/town.gpkg", "{out}", "--crs", "EPSG:99999"], 1, "EPSG:99999"),
        (["convert", "{data}/town.gpkg", "{out}", "--origin", "55,37"], 2, "lat=55.75,lon=37.61"),
        (["convert", "{data}/town.gpkg", "{out}", "--bbox", "1,2,3"], 2, "four numbers"),
        (["convert", "{data}/town.gpkg", "{out}", "--layer", "villages"], 1, "town"),
        (["convert", "{data}/town.gpkg", "{out}", "--crs", "EPSG:4326"], 1, "projected"),
        (["convert", "{data}/town.gpkg", "{out}", "--frame", "{data}/bridge.spl"], 1, "bridge.prj"),
        (["convert", "{data}/town.gpkg", "{out}", "--source-crs", "none", "--topocentric"], 1, "--source"),
        (["convert", "{data}/bridge.spl", "{dir}/a.geojson"], 1, "--origin"),
        (["convert", "{data}/bridge.spl", "{dir}/a.gpkg", "--to-crs", "EPSG:4326"], 1, "--origin"),
        (["convert", "{data}/bridge.spl", "{dir}/a.gpkg", "--crs", "EPSG:32633"], 2, "--origin"),
        (["convert", "{data}/bridge.spl", "{dir}/a.gpkg", "--tolerance", "0"], 2, "tolerance"),
        (["convert", "{data}/bridge.spl", "{dir}/a.xyz", *BRIDGE], 1, "xyz"),
        (["convert", "{data}/bridge.spl", "{dir}/a.gpkg", *BRIDGE, "--layer", "x"], 2, "does nothing"),
        (["convert", "{data}/town.gpkg", "{out}", "--to-crs", "EPSG:4326"], 2, "--to-crs does nothing"),
        (["info", "{data}/bridge.spl", "--where", "a = 1"], 2, "--where does nothing"),
        (["convert", "{data}/town.gpkg", "{out}", "--report", "{out}"], 2, "--report and OUT are the same"),
        (["convert", "{data}/town.gpkg", "{out}", "--report", "{data}/town.gpkg", "--overwrite"], 2, "IN"),
        (["convert", "{data}/town.gpkg", "{out}", "--rotation", "nan"], 2, "rotation"),
        (["reproject", "{data}/bridge.spl", "{out}", *BRIDGE], 1, "--from-origin"),
        (["info", "{data}/make.py"], 1, "make.py"),
    ],
)  # fmt: skip
def test_errors_are_one_sentence_and_leave_nothing_behind(words, code, sentence, sample_data, tmp_path):
    places = {"data": sample_data, "dir": tmp_path, "out": tmp_path / "out.spl"}
    said = refused(*(word.format(**places) for word in words), code=code)
    assert sentence in said
    assert list(tmp_path.iterdir()) == []


def test_an_existing_output_is_refused(town, sample_data):
    before = town.read_bytes()
    assert "--overwrite" in refused("convert", sample_data / "town.gpkg", town)
    assert town.read_bytes() == before
    done("convert", sample_data / "town.gpkg", town, "--overwrite")


def test_strict_makes_a_warning_an_error(sample_data, tmp_path):
    said = refused("convert", sample_data / "bridge.spl", tmp_path / "a.gpkg", "--strict")
    assert "no known place on Earth" in said
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_nothing_behind(sample_data, tmp_path):
    big = tmp_path / "big.gpkg"
    script = (
        "from benchmarks.convert import repeated; from spl_gis.formats import vector; import sys\n"
        "vector.write(repeated(vector.read(sys.argv[1]), 30000), sys.argv[2])"
    )
    root = sample_data.parent
    subprocess.run([sys.executable, "-c", script, sample_data / "town.gpkg", big], check=True, cwd=root)
    command = [sys.executable, "-m", "spl_gis", "convert", str(big), str(tmp_path / "big.spl")]
    job = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any(".part" in path.name for path in tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    job.send_signal(signal.SIGINT)
    _, said = job.communicate(timeout=90)
    assert job.returncode == 130
    assert "interrupted" in said
    assert [path.name for path in tmp_path.iterdir()] == ["big.gpkg"]


def test_version():
    assert done("--version").startswith("spl-gis 0.")
