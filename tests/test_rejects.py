"""`--rejects`, `--report` and what `--strict` does with them, as a user runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import shapely

from spl_gis import convert
from spl_gis.errors import OptionError
from spl_gis.formats import rejects, vector
from spl_gis.frames import scene_frame
from spl_gis.report import Report

ROOT = Path(__file__).parent.parent
ENGINES = list(vector.ENGINES)
SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))


def run(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spl_gis", *map(str, words)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == code, result.stdout + result.stderr
    return result


def line(*positions: Any) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": list(positions)}


SHAPES = [
    line([14.0, 49.0], [14.001, 49.0]),
    line([14.001, 49.0], [14.001, None]),
    {"type": "Point", "coordinates": [14.0, 49.0]},
    line([14.001, 49.0], [14.001, 49.0], [14.001, 49.001]),
    None,
    line([14.001, 49.0], [14.001, 49.0]),
]
REASONS = {
    11: ("refused", "a position that is not two or three numbers", None),
    12: ("refused", "a Point, not a line", "Point"),
    13: ("repaired", "repeated vertices were left out", "LineString"),
    14: ("refused", "no geometry", None),
    15: ("refused", "no length: all vertices of each part are equal", "LineString"),
}


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Give a file in which two of six features become segments."""
    members = [
        {
            "type": "Feature",
            "id": 10 + i,
            "properties": {"name": f"road {i}", "reject": i},
            "geometry": geometry,
        }
        for i, geometry in enumerate(SHAPES)
    ]
    path = tmp_path / "bad.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": members}))
    return path


def rows(path: Path) -> dict[int, dict[str, Any]]:
    """Give the rejects in a file by the ids that they had."""
    meta, _, shapes, values = pyogrio.raw.read(path, layer="rejects")
    table = [dict(zip(meta["fields"], row)) for row in zip(*values)]
    for row, blob in zip(table, shapes):
        row["geometry"] = None if blob is None else shapely.from_wkb(blob).geom_type
    return {row["reject_fid"]: row for row in table}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".geojsonl"])
def test_refused_and_repaired_features_are_written_with_id_and_reason(
    bad: Path, tmp_path: Path, engine: str, suffix: str
) -> None:
    report = Report()
    lines = vector.read(bad, engine=engine, report=report)
    convert.lines_to_graph(lines, scene_frame(lines.coords, lines.crs), report=report, fit="vertices")
    found = rejects.find(bad, None, report, engine=engine)
    path = tmp_path / f"rejects{suffix}"
    rejects.write(found, path, engine=engine, overwrite=False, report=report)
    layer = None if suffix == ".geojsonl" else "rejects"
    meta, _, shapes, values = pyogrio.raw.read(path, layer=layer)
    columns = dict(zip(meta["fields"], values))
    assert list(meta["fields"]) == [
        *("reject_fid", "reject_layer", "reject", "reject_reason", "name", "source_reject")
    ]
    kinds = [None if blob is None else shapely.from_wkb(blob).geom_type for blob in shapes]
    got = zip(columns["reject_fid"], columns["reject"], columns["reject_reason"], kinds)
    assert {int(fid): tuple(rest) for fid, *rest in got} == REASONS
    assert set(columns["reject_layer"]) == {"bad"}
    assert columns["name"].tolist() == [f"road {i}" for i in range(1, 6)]
    assert columns["source_reject"].tolist() == [1, 2, 3, 4, 5]
    if suffix == ".gpkg":
        assert vector.layers(path)[0].name == "rejects"


def test_from_the_command_line(bad: Path, tmp_path: Path) -> None:
    out, report, file = tmp_path / "a.spl", tmp_path / "a.json", tmp_path / "a.gpkg"
    said = run("convert", bad, out, "--report", report, "--rejects", file).stdout
    assert {
        fid: (row["reject"], row["reject_reason"], row["geometry"]) for fid, row in rows(file).items()
    } == REASONS
    data = json.loads(report.read_text())
    assert data["counts"] == {
        **{"features read": 6, "features refused": 4, "features repaired": 1, "features converted": 2},
        **{"lines read": 2, "points": 3, "segments": 2, "junctions": 0},
    }
    assert data["refused_by_reason"]["no geometry"] == 1
    assert data["network"]["points by degree"] == {"1": 2, "2": 1}
    assert data["network"]["components"] == 1
    assert data["network"]["length [m]"] == pytest.approx(73.1 + 111.2, abs=0.5)
    assert data["frame"]["kind"] == "map"
    assert re.search(r"features converted +2\n", said) and "1 x no geometry" in said and "frame" in said


def test_rejects_are_written_even_when_there_are_none(sample_data: Path, tmp_path: Path) -> None:
    run("convert", sample_data / "town.gpkg", tmp_path / "a.spl", "--rejects", tmp_path / "a.gpkg")
    info = pyogrio.read_info(tmp_path / "a.gpkg")
    assert info["features"] == 0 and list(info["fields"][:2]) == ["reject_fid", "reject_layer"]


def test_strict_leaves_the_report_and_the_rejects(bad: Path, tmp_path: Path) -> None:
    words = ["--strict", "--report", tmp_path / "a.json", "--rejects", tmp_path / "a.gpkg"]
    error = run("convert", bad, tmp_path / "a.spl", *words, code=1).stderr
    assert error.startswith("error: --strict: ") and "no geometry" in error
    assert {path.name for path in tmp_path.iterdir()} == {"bad.geojson", "a.json", "a.gpkg"}
    assert set(rows(tmp_path / "a.gpkg")) == set(REASONS)


def test_rejects_that_cannot_be_written_are_refused_before_anything_is_done(
    bad: Path, sample_data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a.spl"
    assert ".gpkg, .geojson" in run("convert", bad, out, "--rejects", tmp_path / "a.shp", code=2).stderr
    assert "are the same file" in run("convert", bad, out, "--rejects", bad, code=2).stderr
    there = sample_data / "town.geojson"
    assert "--overwrite" in run("convert", bad, out, "--rejects", there, code=1).stderr
    assert "--overwrite" in run("convert", bad, out, "--report", there, code=1).stderr
    spl = sample_data / "bridge.spl"
    assert (
        "--rejects does nothing"
        in run("convert", spl, tmp_path / "a.gpkg", "--rejects", tmp_path / "b.gpkg", code=2).stderr
    )
    assert [path.name for path in tmp_path.iterdir()] == ["bad.geojson"]
    with pytest.raises(OptionError, match="geometries of every kind"):
        rejects.check_suffix(tmp_path / "a.fgb")


def test_rejects_of_several_layers_know_their_layer(bad: Path, tmp_path: Path) -> None:
    source = tmp_path / "two.gpkg"
    _, _, shapes, _ = pyogrio.raw.read(bad)
    for layer, column in (("a", "name"), ("b", "width")):
        blobs = np.array([shapes[3], shapes[2], shapes[0]], object)
        values = [np.array(["x", "y", "z"], object) if column == "name" else np.arange(3.0)]
        options = {"layer": layer, "driver": "GPKG", "geometry_type": "Unknown", "crs": "EPSG:4326"}
        pyogrio.raw.write(source, blobs, values, [column], append=source.exists(), **options)
    words = [
        "--layer",
        "a",
        "--layer",
        "b",
        "--report",
        tmp_path / "a.json",
        "--rejects",
        tmp_path / "a.geojson",
    ]
    run("convert", source, tmp_path / "a.spl", *words)
    features = json.loads((tmp_path / "a.geojson").read_text())["features"]
    found = [
        tuple(each["properties"][name] for name in ("reject_fid", "reject_layer", "name", "width"))
        for each in features
    ]
    assert found == [(1, "a", "x", None), (2, "a", "y", None), (1, "b", None, 0), (2, "b", None, 1)]
    remarks = json.loads((tmp_path / "a.json").read_text())
    assert [(each["fid"], each["layer"]) for each in remarks["refused"]] == [(2, "a"), (2, "b")]
    assert [(each["fid"], each["layer"]) for each in remarks["repaired"]] == [(1, "a"), (1, "b")]
    assert remarks["counts"]["features refused"] == 2


def test_ways_that_gdal_does_not_show_are_rows_without_attributes(tmp_path: Path) -> None:
    (tmp_path / "a.osm").write_text(
        '<osm version="0.6"><node id="1" lat="42.5" lon="1.5"/><node id="2" lat="42.6" lon="1.6"/>'
        '<way id="7"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/></way>'
        '<way id="8"><nd ref="2"/><nd ref="98"/><tag k="highway" v="service"/></way></osm>'
    )
    run("convert", tmp_path / "a.osm", tmp_path / "a.spl", "--rejects", tmp_path / "a.gpkg")
    row = rows(tmp_path / "a.gpkg")[8]
    assert row["reject"] == "refused" and row["geometry"] is None and row["highway"] is None


KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "number": (int, float),
    "null": type(None),
}


def faults(data: Any, schema: dict[str, Any], at: str = "$") -> list[str]:
    """Check data against the few words of JSON Schema that the schema of the report uses."""
    if "$ref" in schema:
        return faults(data, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], at)
    known = {"type", "const", "enum", "minimum", "required", "properties", "additionalProperties", "items"}
    assert set(schema) - known <= {"$schema", "$defs", "title"}, schema
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    found = []
    if kinds and not any(isinstance(data, KINDS[kind]) for kind in kinds):
        return [f"{at} is a {type(data).__name__}"]
    if ("const" in schema and data != schema["const"]) or ("enum" in schema and data not in schema["enum"]):
        found.append(f"{at} is {data!r}")
    if "minimum" in schema and data < schema["minimum"]:
        found.append(f"{at} is {data}")
    if isinstance(data, list):
        found += [
            fault for i, item in enumerate(data) for fault in faults(item, schema["items"], f"{at}[{i}]")
        ]
    if isinstance(data, dict):
        found += [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in data]
        for name, value in data.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            found += (
                [f"{at}.{name} is not known"] if rule is False else faults(value, rule or {}, f"{at}.{name}")
            )
    return found


def test_reports_are_as_the_schema_says(bad: Path, sample_data: Path, tmp_path: Path) -> None:
    jobs = [
        ("convert", bad, tmp_path / "a.spl"),
        (
            "convert",
            sample_data / "town.gpkg",
            tmp_path / "b.spl",
            "--topocentric",
            "--origin",
            "lat=49.3,lon=14.4",
        ),
        ("convert", tmp_path / "b.spl", tmp_path / "b.gpkg"),
        (
            "reproject",
            tmp_path / "b.spl",
            tmp_path / "c.spl",
            "--crs",
            "EPSG:3035",
            "--origin",
            "lat=49.3,lon=14.4",
        ),
        ("convert", sample_data / "bridge.spl", tmp_path / "d.gpkg"),
        ("convert", sample_data / "town.gpkg", tmp_path / "e.spl", "--source-crs", "none"),
    ]
    for number, words in enumerate(jobs):
        path = tmp_path / f"{number}.json"
        run(*words, "--report", path)
        report = json.loads(path.read_text(encoding="utf-8"))
        assert faults(report, SCHEMA) == []
        assert (report["network"] is None) == (words[2].suffix != ".spl")
    report["counts"]["points"] = -1
    report["more"] = 1
    del report["notes"]
    assert faults(report, SCHEMA) == ["$.notes is missing", "$.counts.points is -1", "$.more is not known"]
