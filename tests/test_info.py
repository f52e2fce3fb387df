"""What a graph holds, counted in another way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS, Proj, Transformer
from test_cli import done, run

from spl_gis import bezier, convert, frames, info, topology
from spl_gis.cli.terminal import Table, show
from spl_gis.formats import read_graph, vector
from spl_gis.model import Features, LineStrings, SplineGraph, control_points, spline_graph
from spl_gis.report import Report

pairs = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30)


@given(pairs)
def test_components_are_those_of_networkx(ends: list[tuple[int, int]]) -> None:
    graph = networkx.Graph(ends)
    graph.add_nodes_from(range(20))
    label = topology.components(np.array(ends, np.int64).reshape(-1, 2), 20)
    for part in networkx.connected_components(graph):
        assert set(label[list(part)].tolist()) == {min(part)}


def test_a_network_in_numbers() -> None:
    points = [[0, 0, 0], [10, 0, 0], [20, 0, 0], [10, 10, 0], [50, 50, 0], [60, 50, 0]]
    ends = np.array([[0, 1], [1, 2], [1, 3], [4, 5]])
    chord = np.diff(np.array(points, float)[ends], axis=1) / 3
    graph = spline_graph(points, ends, np.concatenate([chord, -chord], axis=1))
    assert info.network(graph) == {
        **{"points": 6, "segments": 4, "junctions": 1, "components": 2},
        **{"points by degree": {1: 5, 3: 1}, "length [m]": pytest.approx(40)},
    }
    empty = info.network(spline_graph([], [], []))
    assert (empty["components"], empty["length [m]"], empty["points by degree"]) == (0, 0, {})


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_the_length_is_that_of_the_curves(handles: list[float]) -> None:
    tangents = np.add(np.reshape(handles, (1, 2, 3)), [[[4, 0, 0], [-4, 0, 0]]])
    graph = spline_graph([[0, 0, 0], [12, 0, 0]], [[0, 1]], tangents)
    exact = bezier.length(control_points(graph)).sum()
    assert info.network(graph)["length [m]"] == pytest.approx(exact, rel=1e-3)


FRAME = frames.map_frame(CRS("EPSG:32633"), frames.Origin(lat=49.315, lon=14.425, h=200), 30)


def street(x: float, y: float, layer: str = "") -> LineStrings:
    """Give one line of degrees."""
    coords = [[x, y, np.nan], [x + 0.7, y + 0.5, np.nan]]
    return LineStrings(np.array(coords), [0, 2], [0], [-1], Features([7], {}, layer), CRS("EPSG:4326"))


def square(frame: CRS | None) -> SplineGraph:
    points = np.array([[-300, -200, 5], [300, -200, 6], [300, 200, 7]], float)
    ends = np.array([[0, 1], [1, 2]])
    chord = np.diff(points[ends], axis=1) / 3
    return spline_graph(points, ends, np.concatenate([chord, -chord], axis=1), crs=frame)


def test_all_about_a_frame() -> None:
    report = Report()
    facts = info.facts(square(FRAME), report)
    frame = facts["frame"]
    assert (frame["kind"], frame["code"], frame["h"], frame["rotation"]) == ("map", "EPSG:32633", 200, 30)
    x, y = Transformer.from_crs("OGC:CRS84", "EPSG:32633", always_xy=True).transform(14.425, 49.315)
    assert frame["origin in base"] == {
        "x": pytest.approx(x, abs=1e-6),
        "y": pytest.approx(y, abs=1e-6),
        "unit": "metre",
    }
    assert frame["extent [m]"] == pytest.approx([-300, -200, 5, 300, 200, 7])
    west, south, east, north = frame["extent [degrees]"]
    assert west < 14.425 < east and south < 49.315 < north and 0.004 < east - west < 0.01
    assert [place["place"] for place in frame["places"]] == list(info.PLACES)
    known = Proj("EPSG:32633").get_factors(14.425, 49.315)
    assert frame["places"][0]["scale"] == pytest.approx([known.meridional_scale] * 2, abs=1e-7)
    assert frame["places"][0]["convergence"] == pytest.approx(known.meridian_convergence, abs=1e-5)
    assert frame["float32 step [m]"] == np.spacing(np.float32(300))
    assert frame["options"][:2] == ["--crs", "EPSG:32633"]
    assert report.warnings == []
    assert json.loads(json.dumps(facts)) is not None


def test_a_scene_without_a_place_says_how_to_give_it_one() -> None:
    report = Report()
    assert info.facts(square(None), report)["frame"] is None
    assert "--crs and --origin" in report.notes[0]


def test_an_extent_across_the_antimeridian_goes_from_west_to_east() -> None:
    frame = frames.map_frame(CRS("EPSG:3832"), frames.Origin(lat=-17, lon=180))
    west, _, east, _ = info.facts(square(frame), Report())["frame"]["extent [degrees]"]
    assert 179.99 < west < 180 and -180 < east < -179.99


def test_lines_tell_the_frame_that_would_be_chosen_and_its_warnings() -> None:
    lines = street(14.2, 49.0)
    report = Report()
    facts = info.facts(lines, report)
    assert facts["frame"]["code"] == "EPSG:32633" and facts["heights"] == "none"
    assert facts["bounds"] == [14.2, 49.0, None, pytest.approx(14.9), 49.5, None]
    assert facts["crs"] == {"name": "WGS 84", "code": "EPSG:4326", "unit": "degree"}
    assert "float32" in report.warnings[0]
    graph = convert.lines_to_graph(lines, frames.scene_frame(lines.coords, lines.crs), report=Report())
    assert frames.describe(graph.crs).lat == pytest.approx(facts["frame"]["lat"], abs=1e-9)


def test_what_would_stop_a_conversion_is_a_warning() -> None:
    lines = street(900, 950)
    report = Report()
    assert info.facts(lines, report)["frame"] is None
    assert "no coordinate has a place on Earth" in report.warnings[0]


def test_every_key_is_documented() -> None:
    page = (Path(__file__).parent.parent / "docs" / "info.md").read_text(encoding="utf-8")
    lines = street(15, 15)
    for data in (square(FRAME), lines):
        facts = info.facts(data, Report())
        frame = facts["frame"]
        for key in [*facts, *frame, *frame["places"][0], *facts["source"], "layers", "report"]:
            assert f"`{key}`" in page, key


def test_the_options_of_a_frame_make_the_same_frame(sample_data: Path, tmp_path: Path) -> None:
    place = ["--crs", "EPSG:32633", "--origin", "x=458200.25,y=5462600.5,h=210.5", "--rotation", "-12.5"]
    done("convert", sample_data / "town.gpkg", tmp_path / "a.spl", "--fit", "vertices", *place)
    options = json.loads(done("info", tmp_path / "a.spl", "--json"))["frame"]["options"]
    done("convert", sample_data / "town.gpkg", tmp_path / "b.spl", "--fit", "vertices", *options)
    first, second = read_graph(tmp_path / "a.spl"), read_graph(tmp_path / "b.spl")
    assert np.abs(first.points - second.points).max() <= 1e-9
    assert np.abs(frames.transform(first.points, second.crs, first.crs) - first.points).max() <= 1e-9


def test_layers_are_listed_when_one_must_be_chosen(tmp_path: Path) -> None:
    layers = [street(15, 15, name) for name in ("roads", "rails")]
    vector.write(layers, tmp_path / "a.gpkg")
    shown = run("info", tmp_path / "a.gpkg")
    assert shown.returncode == 0 and "choose one with --layer" in shown.stderr
    assert "roads" in shown.stdout and "rails" in shown.stdout
    facts = json.loads(done("info", tmp_path / "a.gpkg", "--layer", "rails", "--json"))
    assert [layer["name"] for layer in facts["layers"]] == ["roads", "rails"]
    assert facts["source"]["layer"] == "rails"
    assert run("info", tmp_path / "a.gpkg", "--layer", "paths").returncode == 1


def test_a_terminal_gets_drawn_tables(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [Table("fields", ("name", "type"), [("[a]", "String")]), Table("none", (), [])]
    show(tables)
    assert capsys.readouterr().out == "fields\n  name  type\n  [a]   String\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show(tables)
    drawn = capsys.readouterr().out
    assert "[a]" in drawn and "━" in drawn and "none" not in drawn
