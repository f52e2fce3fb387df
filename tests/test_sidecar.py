"""What lies beside a `.spl` file."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert, formats
from spl_gis.errors import FileAccessError, FormatError
from spl_gis.formats import sidecar, vector
from spl_gis.frames import Origin, map_frame, parse_crs
from spl_gis.model import Column, Features, SplineGraph
from spl_gis.report import Report

FRAME = map_frame(parse_crs("EPSG:32633"), Origin(lat=49.3, lon=14.4))


def things(*values: object) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


NULL = np.array([False, True, False])
COLUMNS = {
    "text": Column(things("äöü 中", None, ""), NULL, "String", width=80),
    "whole": Column(np.array([2**53 + 1, 0, -(2**63)]), NULL, "Integer64"),
    "small": Column(np.array([1, 0, -7], np.int32), NULL, "Integer"),
    "tiny": Column(np.array([1, 0, -7], np.int16), NULL, "Integer", "Int16"),
    "flag": Column(np.array([True, False, False]), NULL, "Integer", "Boolean"),
    "real": Column(np.array([0.1, 0.0, np.inf]), NULL, "Real", width=10, precision=3),
    "float": Column(np.array([0.1, 0.0, 3.4e38], np.float32), NULL, "Real", "Float32"),
    "day": Column(things("2024-02-29", None, "1902-11-03"), NULL, "Date"),
    "moment": Column(things("2024-03-31T02:30:00+02:00", None, "2024-01-01T00:00:00Z"), NULL, "DateTime"),
    "bytes": Column(things(b"\x00\xff", None, b""), NULL, "Binary"),
    "names": Column(things(["a", "b"], None, []), NULL, "StringList"),
    "reals": Column(things([0.5, 1e300], None, [np.inf]), NULL, "RealList"),
    "whole numbers": Column(things([1, 2**60], None, []), NULL, "Integer64List"),
}


def graph() -> SplineGraph:
    """Give six segments of three features, one of them in two parts."""
    corners = np.arange(7.0)
    points = np.column_stack([corners * 30, np.sin(corners) * 9, corners])
    tangents = np.stack([np.tile([9.0, 1, 0.1], (6, 1)), np.tile([-9.0, 1, 0], (6, 1))], axis=1)
    return SplineGraph(
        points,
        np.column_stack([np.arange(6), np.arange(1, 7)]),
        tangents,
        np.tile([0.0, 0, 1], (6, 2, 1)),
        [0, 0, 1, 2, 3, 3],
        [0, 1, 1, 2],
        [-1, 0, 1, -1],
        Features([5, 6, 70_000_000_000], COLUMNS, "roads"),
        FRAME,
        parse_crs("EPSG:4326"),
        True,
    )


def edited(keep: np.ndarray) -> SplineGraph:
    """Give the graph as a `.spl` file would hold it after an edit: in float32, segments at other indices."""
    whole = graph()
    return SplineGraph(
        whole.points.astype(np.float32),
        whole.ends[keep],
        whole.tangents[keep].astype(np.float32),
        whole.ups[keep],
        np.full(len(keep), -1),
    )


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.spl.aux.json"
    sidecar.write(graph(), path)
    return path


def test_all_comes_back(path):
    report = Report()
    got = sidecar.attach(edited(np.arange(6)), path, report)
    whole = graph()
    assert report.warnings == []
    for name in ("line", "line_feature", "line_part"):
        assert np.array_equal(getattr(got, name), getattr(whole, name))
    assert (got.crs, got.source_crs, got.planar) == (whole.crs, whole.source_crs, True)
    assert got.features.layer == "roads"
    assert np.array_equal(got.features.fid, whole.features.fid)
    assert list(got.features.columns) == list(COLUMNS)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_keep_type_values_and_nulls(path, name):
    got, given = sidecar.attach(edited(np.arange(6)), path, Report()).features.columns[name], COLUMNS[name]
    assert (got.type, got.subtype, got.width, got.precision) == (
        given.type,
        given.subtype,
        given.width,
        given.precision,
    )
    assert got.values.dtype == given.values.dtype
    assert np.array_equal(got.null, NULL)
    assert got.values[~NULL].tolist() == given.values[~NULL].tolist()


@given(st.permutations(range(6)), st.integers(1, 6))
def test_segments_find_their_line_whatever_their_index(tmp_path_factory, order, number):
    path = tmp_path_factory.mktemp("sidecar") / "a.spl.aux.json"
    sidecar.write(graph(), path)
    keep = np.array(order[:number])
    got = sidecar.attach(edited(keep), path, Report())
    assert np.array_equal(got.line, graph().line[keep])
    assert np.array_equal(got.origin, keep)


def test_a_changed_segment_keeps_its_feature_and_is_flagged(path):
    moved = edited(np.arange(6))
    points = moved.points.copy()
    points[6] += 1
    report = Report()
    got = sidecar.attach(dataclasses.replace(moved, points=points), path, report)
    assert got.line.tolist() == [0, 0, 1, 2, 3, 3]
    assert got.changed.tolist() == [False] * 5 + [True]
    assert got.origin.tolist() == [0, 1, 2, 3, 4, -1]
    assert "1 segments were changed" in report.warnings[0]
    assert report.counts == {"segments changed": 1}


def test_flags_outlive_the_next_sidecar(path, tmp_path):
    moved = edited(np.arange(6)[::-1])
    points = moved.points.copy()
    points[0] += 1
    got = sidecar.attach(dataclasses.replace(moved, points=points), path, Report())
    formats.write(got, tmp_path / "b.spl")
    again = formats.read(tmp_path / "b.spl")
    assert again.origin.tolist() == got.origin.tolist() == [5, 4, 3, 2, 1, -1]


def test_a_sidecar_of_another_file_is_left_aside(path):
    other = edited(np.arange(6))
    report = Report()
    got = sidecar.attach(dataclasses.replace(other, points=other.points + 5), path, report)
    assert (got.line == -1).all()
    assert got.crs is None
    assert len(got.features) == 0
    assert "does not belong to this file" in report.warnings[0]


def without_unit(crs: CRS) -> dict[str, Any]:
    """Break a CRS deep inside, where PROJ looks only when it is asked."""
    data = crs.to_json_dict()
    data["base_crs"]["coordinate_system"]["axis"][0].pop("unit")
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("format"), "not a sidecar"),
        (lambda data: data.update(version=99), "version 99.*update spl-gis"),
        (lambda data: data.pop("segments"), "KeyError.*move it away"),
        (lambda data: data["segments"].update(float32="AAAA"), "move it away"),
        (lambda data: data["segments"]["line"].pop(), "move it away"),
        (lambda data: data["features"]["columns"][1]["values"].pop(), "move it away"),
        (lambda data: data["features"]["columns"][1]["values"].__setitem__(0, "x"), "move it away"),
        (lambda data: data.update(frame={"type": "nonsense"}), "move it away"),
        (lambda data: data.update(lines=None), "move it away"),
        (lambda data: data.update(frame=without_unit(parse_crs("EPSG:32633"))), "move it away"),
    ],
)
def test_a_broken_sidecar_is_a_sentence(path, change, message):
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        sidecar.attach(edited(np.arange(6)), path, Report())


@pytest.mark.parametrize("text", ["", "{", "[1]", "\xff", "[" * 100_000])
def test_a_file_that_is_no_sidecar_is_a_sentence(path, text):
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match="sidecar"):
        sidecar.attach(edited(np.arange(6)), path, Report())


def test_a_graph_is_written_with_its_sidecar_and_read_with_it(tmp_path):
    formats.write(graph(), tmp_path / "a.spl")
    got = formats.read(tmp_path / "a.spl")
    assert isinstance(got, SplineGraph)
    assert np.array_equal(got.points, graph().points)
    assert got.line.tolist() == graph().line.tolist()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.spl", "a.spl.aux.json"]


@pytest.mark.parametrize("existing", ["a.spl", "a.spl.aux.json"])
def test_neither_file_is_replaced_unasked(tmp_path, existing):
    (tmp_path / existing).write_text("old")
    with pytest.raises(FileAccessError, match="already exists"):
        formats.write(graph(), tmp_path / "a.spl")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(existing, "old")]
    formats.write(graph(), tmp_path / "a.spl", overwrite=True)
    assert len(formats.read(tmp_path / "a.spl")) == 6


def test_a_prj_gives_the_frame_where_there_is_no_sidecar(tmp_path):
    formats.write(graph(), tmp_path / "a.spl")
    (tmp_path / "a.spl.aux.json").unlink()
    (tmp_path / "a.prj").write_text(FRAME.to_wkt())
    report = Report()
    got = formats.read(tmp_path / "a.spl", report=report)
    lines = convert.graph_to_lines(got, kind="chains", to_crs=parse_crs("EPSG:4326"))
    assert lines.coords[0, :2] == pytest.approx([14.4, 49.3], abs=1e-8)
    assert report.notes == ["the frame is taken from a.prj"]


def test_a_frame_is_read_from_another_scene(tmp_path):
    formats.write(graph(), tmp_path / "a.spl")
    assert formats.frame.read(tmp_path / "a.spl") == FRAME
    assert formats.frame.read(tmp_path / "a.spl.aux.json") == FRAME


def test_the_sample_town_comes_back(sample_data, tmp_path):
    town = vector.read(sample_data / "town.gpkg")
    formats.write(convert.lines_to_graph(town, FRAME, fit="vertices"), tmp_path / "a.spl")
    back = convert.graph_to_lines(formats.read(tmp_path / "a.spl"))
    assert np.array_equal(back.features.fid, town.features.fid)
    for name, column in town.features.columns.items():
        assert np.array_equal(back.features.columns[name].null, column.null)
        known = ~column.null
        assert back.features.columns[name].values[known].tolist() == column.values[known].tolist()


def test_deviations_are_read_from_the_report(path):
    assert sidecar.read_deviations(path) == {}
    data = json.loads(path.read_text(encoding="utf-8"))
    data["report"]["deviations"] = {"fid": [1], "curve deviation [m]": [0.5]}
    path.write_text(json.dumps(data), encoding="utf-8")
    assert sidecar.read_deviations(path) == {"fid": [1], "curve deviation [m]": [0.5]}
    path.write_text(json.dumps({**data, "report": None}), encoding="utf-8")
    assert sidecar.read_deviations(path) == {}
