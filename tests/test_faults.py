"""One bad feature never stops the rest, and what GDAL hides is reported."""

from __future__ import annotations

import gzip
import json
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert
from spl_gis.formats import _faults, _faults_geojson, _faults_osm, _pbf, vector
from spl_gis.model import Features, LineStrings
from spl_gis.report import Report

ENGINES = list(vector.ENGINES)
BAD = "a position that is not two or three numbers"
HEIGHTS = "GDAL made the missing heights of some positions 0: they are missing again"
NODES = "fewer than two of its nodes are in the file"


def line(*positions: Any) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": list(positions)}


def feature(fid: Any, geometry: Any) -> dict[str, Any]:
    return {"type": "Feature", "id": fid, "properties": {"n": 1}, "geometry": geometry}


def geojson(path: Path, *members: Any, **more: Any) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", **more, "features": list(members)}))
    return path


def heard(path: Path, engine: str = "pyogrio", **options: Any) -> tuple[LineStrings, Report]:
    report = Report()
    return vector.read(path, engine=engine, report=report, **options), report


def reasons(remarks: Any) -> dict[int, str]:
    return {remark.fid: remark.reason for remark in remarks}


GOOD = feature(1, line([0, 0], [1, 1]))

BROKEN = {
    "null in a position": (line([0, 0], [None, 1]), BAD),
    "null as a position": (line([0, 0], None), BAD),
    "text": (line([0, 0], ["a", 1]), BAD),
    "digits as text": (line(["0", "0"], ["1", "1"]), BAD),
    "one number": (line([0, 0], [1]), BAD),
    "no number": (line([0, 0], []), BAD),
    "null as height": (line([0, 0, None], [1, 1, 4]), BAD),
    "truth": (line([True, False], [1, 1]), BAD),
    "too deep": (line([[0, 0], [1, 1]]), BAD),
    "unknown type": ({"type": "LineStrung", "coordinates": [[0, 0], [1, 1]]}, "a geometry of unknown type"),
    "no coordinates": ({"type": "LineString"}, "a geometry without coordinates"),
    "no geometry object": ("LINESTRING (0 0, 1 1)", "a geometry without type"),
    "no geometry": (None, "no geometry"),
    "all parts": ({"type": "MultiLineString", "coordinates": [[[0, None], [1, 1]]]}, BAD),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_broken_geometries_of_geojson_are_refused_with_their_reason(tmp_path: Path, engine: str) -> None:
    members = [feature(10 + i, geometry) for i, (geometry, _) in enumerate(BROKEN.values())]
    lines, report = heard(geojson(tmp_path / "a.geojson", GOOD, *members), engine)
    assert lines.features.fid.tolist() == [1]
    said = reasons(report.refused)
    assert len(report.refused) == len(BROKEN)
    for fid, (name, (_, reason)) in enumerate(BROKEN.items(), 10):
        assert said[fid].startswith(reason), name


@pytest.mark.parametrize("engine", ENGINES)
def test_broken_parts_of_geojson_are_said(tmp_path: Path, engine: str) -> None:
    good = [[0, 0], [1, 1]]
    bag = {"type": "GeometryCollection", "geometries": [line(*good), line([0, 0], [None, 1])]}
    path = geojson(
        tmp_path / "a.geojson",
        feature(5, {"type": "MultiLineString", "coordinates": [good, [[0, 0], [None, 2]]]}),
        feature(6, bag),
        feature(7, {"type": "MultiLineString", "coordinates": [good, [[2, 2], [3, 3]]]}),
    )
    lines, report = heard(path, engine)
    assert reasons(report.repaired) == {5: f"parts were left out: {BAD}", 6: f"parts were left out: {BAD}"}
    assert lines.features.fid[lines.feature].tolist() == [5, 6, 7, 7]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_position_without_height_has_none(tmp_path: Path, engine: str) -> None:
    path = geojson(
        tmp_path / "a.geojson",
        feature(5, line([0, 0, 5], [1, 1], [2, 2, 7])),
        feature(6, line([5, 0, 0], [6, 1, 0])),
        feature(7, line([5, 5], [6, 6])),
        feature(8, {"type": "MultiLineString", "coordinates": [[[0, 5], [1, 6]], [[2, 7, 4], [3, 8, 0]]]}),
    )
    lines, report = heard(path, engine)
    nan = np.nan
    np.testing.assert_array_equal(lines.coords[:, 2], [5, nan, 7, 0, 0, nan, nan, nan, nan, 4, 0])
    assert reasons(report.repaired) == {5: HEIGHTS, 8: HEIGHTS}
    graph = convert.lines_to_graph(lines, CRS("EPSG:32631"), report=report, fit="vertices")
    assert graph.points[graph.ends[0, 1], 2] == pytest.approx(6, abs=0.01)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["foo", "urn:ogc:def:crs:EPSG::999999", None])
def test_a_crs_that_gdal_does_not_know_is_said(tmp_path: Path, engine: str, name: str | None) -> None:
    crs = {"type": "name", "properties": {"name": name}}
    path = geojson(tmp_path / "a.geojson", GOOD, crs=crs)
    _, report = heard(path, engine)
    assert "does not know the CRS" in report.warnings[0] and "--source-crs" in report.warnings[0]
    _, report = heard(path, engine, source_crs="EPSG:32633")
    assert "does not know" not in " ".join(report.warnings)


@pytest.mark.parametrize("name", ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "EPSG:32633", "OGC:CRS84"])
def test_a_crs_that_gdal_knows_is_fine(tmp_path: Path, name: str) -> None:
    crs = {"type": "name", "properties": {"name": name}}
    warnings = heard(geojson(tmp_path / "a.geojson", GOOD, crs=crs))[1].warnings
    assert "does not know" not in " ".join(warnings)


@pytest.mark.parametrize("engine", ENGINES)
def test_members_that_are_no_features_are_said_by_number(tmp_path: Path, engine: str) -> None:
    path = geojson(
        tmp_path / "a.geojson", None, GOOD, 5, {"type": "Thing"}, line([0, 0], [1, 1]), feature(7, BROKEN)
    )
    lines, report = heard(path, engine)
    assert lines.features.fid.tolist() == [1]
    assert any("4 of 6 members" in said and "number 1, 3, 4, 5" in said for said in report.warnings)
    assert reasons(report.refused) == {7: "a geometry without type"}


@pytest.mark.parametrize("engine", ENGINES)
def test_features_one_in_a_line(tmp_path: Path, engine: str) -> None:
    members = [GOOD, feature(2, line([0, 0], [None, 1])), feature(3, line([0, 0], [1, 1]))]
    texts = [json.dumps(member) for member in members]
    (tmp_path / "a.geojsonl").write_text("\n".join([*texts[:2], '{"type": "Feature", broken', texts[2], ""]))
    lines, report = heard(tmp_path / "a.geojsonl", engine)
    assert lines.features.fid.tolist() == [1, 3]
    assert reasons(report.refused) == {2: BAD}
    assert any("1 of 4 members" in said and "number 3" in said for said in report.warnings)


@pytest.mark.parametrize("ids", [[5, 3, 9], [None, None, None], ["a", "b", "c"], [5, None, "x"], [4, 4, 5]])
def test_features_are_found_whatever_their_ids(tmp_path: Path, ids: list[Any]) -> None:
    shapes = [line([0, 0, 1], [1, 1]), line([2, 0], [3, None]), line([4, 0], [5, 1])]
    members = [feature(fid, shape) for fid, shape in zip(ids, shapes)]
    for member, fid in zip(members, ids):
        if fid is None:
            del member["id"]
    lines, report = heard(geojson(tmp_path / "a.geojson", *members))
    assert lines.coords[:, 0].tolist() == [0, 1, 4, 5]
    assert [remark.reason for remark in report.refused + report.repaired] == [BAD, HEIGHTS]
    lines, report = heard(tmp_path / "a.geojson", bbox=(-1, -1, 2, 2))
    assert lines.coords[:, 0].tolist() == [0, 1]
    looked = not any("could not be found again" in note for note in report.notes)
    assert [remark.reason for remark in report.repaired] == ([HEIGHTS] if looked else [])
    assert looked == (ids in ([5, 3, 9], [None, None, None]))


def test_packed_files_are_looked_at(tmp_path: Path) -> None:
    path = geojson(tmp_path / "a.geojson", GOOD, feature(2, line([0, 0], [1])))
    (tmp_path / "b.geojson.gz").write_bytes(gzip.compress(path.read_bytes()))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.write(path, "folder/a.geojson")
    for name in ("b.geojson.gz", "c.zip"):
        assert reasons(heard(tmp_path / name)[1].refused) == {2: BAD}, name


def test_single_features_and_other_json_are_left_alone(tmp_path: Path) -> None:
    for text in (json.dumps(GOOD), json.dumps(GOOD["geometry"])):
        (tmp_path / "a.geojson").write_text(text)
        lines, report = heard(tmp_path / "a.geojson")
        assert len(lines) == 1 and report.warnings == [] and report.refused == []
    topology = {
        "type": "Topology",
        "objects": {"a": {"type": "LineString", "arcs": [0]}},
        "arcs": [[[0, 0], [1, 1]]],
    }
    (tmp_path / "b.json").write_text(json.dumps(topology))
    lines, report = heard(tmp_path / "b.json", source_crs="none")
    assert len(lines) == 1 and report.warnings == []


def test_it_works_without_msgspec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "msgspec", None)
    path = geojson(tmp_path / "a.geojson", GOOD, feature(2, line([0, 0], [1])), crs="foo")
    _, report = heard(path)
    assert reasons(report.refused) == {2: BAD}
    assert "does not know the CRS" in report.warnings[-1]


def test_what_cannot_be_looked_at_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = geojson(tmp_path / "a.geojson", GOOD)
    monkeypatch.setattr(_faults, "LIMIT", 10)
    lines, report = heard(path)
    assert len(lines) == 1 and "too large" in report.notes[-1]

    def fails(*_: Any) -> Any:
        raise ValueError("odd")

    monkeypatch.undo()
    monkeypatch.setitem(_faults.LOOKS, ".geojson", fails)
    lines, report = heard(path)
    assert len(lines) == 1 and "could not be looked at" in report.notes[-1]


number = st.one_of(st.integers(-3, 3), st.just(0.5), st.none(), st.just("x"))
position = st.one_of(st.lists(number, max_size=4), st.none(), st.just(1))
shape = st.one_of(
    st.builds(lambda c: {"type": "LineString", "coordinates": c}, st.lists(position, max_size=4)),
    st.builds(
        lambda c: {"type": "MultiLineString", "coordinates": c},
        st.lists(st.lists(position, max_size=4), max_size=3),
    ),
    st.just(line([0, 0], [1, 1])),
    st.none(),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@given(shapes=st.lists(shape, max_size=6))
def test_every_feature_is_read_or_refused(folder: Path, shapes: list[Any]) -> None:
    members = [GOOD, *(feature(10 + i, geometry) for i, geometry in enumerate(shapes))]
    lines, report = heard(geojson(folder / "a.geojson", *members))
    refused = {remark.fid for remark in report.refused}
    assert sorted([*lines.features.fid.tolist(), *refused]) == [1, *range(10, 10 + len(shapes))]
    assert report.counts["features read"] == len(members)
    assert report.counts["features refused"] == len(refused)


OSM = """<?xml version='1.0'?><osm version="0.6">
<node id="1" lat="42.5" lon="1.5"/><node lat="42.6" id="2" lon="1.6"/>
<node id='3' lat="42.7" lon="1.7"><tag k="name" v="3 > 2"/></node>
<way id="7"><nd ref="1"/><nd ref="2"/><nd ref="99"/><tag k="highway" v="primary"/></way>
<way id="8"><nd ref="2"/><nd ref="98"/><tag k="highway" v="service"/></way>
<way visible="true" id="9"><nd ref="97"/><nd ref="98"/><tag k="highway" v="service"/></way>
<way id="10"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="service"/></way>
<way id="11"><nd ref="1"/><nd ref="99"/></way>
<way id="12"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/><tag k="building" v="x"/></way>
<way id="13"><nd ref="99"/><nd ref="98"/><nd ref="99"/><tag k="building" v="x"/></way>
<way id="14"/>
<relation id="20"><member type="way" ref="97" role=""/><tag k="type" v="route"/></relation>
</osm>"""


def osm_pbf(ways: dict[int, tuple[list[int], bool]], nodes: list[int], packed: bool = True) -> bytes:
    """Write the little of PBF that ways and their nodes need; of a way: references, whether it has tags."""

    def varint(value: int) -> bytes:
        value &= 2**64 - 1
        low = value & 0x7F
        return bytes([low]) if value < 0x80 else bytes([low | 0x80]) + varint(value >> 7)

    def field(number: int, value: int | bytes) -> bytes:
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        return varint(number << 3 | 2) + varint(len(value)) + value

    def deltas(values: list[int]) -> bytes:
        steps = [after - before for before, after in zip([0, *values], values)]
        return b"".join(varint(step << 1 if step >= 0 else (-step << 1) - 1) for step in steps)

    def blob(kind: bytes, content: bytes) -> bytes:
        body = field(2, len(content)) + field(3, zlib.compress(content)) if packed else field(1, content)
        head = field(1, kind) + field(3, len(body))
        return struct.pack(">I", len(head)) + head + body

    places = deltas([10**6 * (row + 1) for row in range(len(nodes))])
    dense = field(1, deltas(nodes)) + field(8, places) + field(9, places)
    some = [
        field(1, fid) + (field(2, b"\1") + field(3, b"\2") if tagged else b"") + field(8, deltas(refs))
        for fid, (refs, tagged) in ways.items()
    ]
    group = b"".join(field(3, way) for way in some)
    strings = field(1, field(1, b"") + field(1, b"highway") + field(1, b"primary"))
    block = strings + field(2, field(2, dense)) + field(2, group)
    return blob(b"OSMHeader", field(4, b"OsmSchema-V0.6") + field(4, b"DenseNodes")) + blob(b"OSMData", block)


WAYS = {
    7: ([1, 2, 99], True),
    8: ([2, 98], True),
    9: ([97, 98], True),
    10: ([1, 2, 3], True),
    11: ([1, 99], False),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["a.osm", "a.osm.gz", "a.osm.pbf", "raw.osm.pbf"])
def test_ways_without_their_nodes(tmp_path: Path, engine: str, name: str) -> None:
    content = osm_pbf(WAYS, [1, 2, 3], packed=name == "a.osm.pbf") if name.endswith("pbf") else OSM.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    lines, report = heard(tmp_path / name, engine)
    assert lines.features.fid.tolist() == [7, 10]
    assert reasons(report.refused) == {8: NODES, 9: NODES}
    assert reasons(report.repaired) == {7: "nodes that are not in the file were left out"}
    assert (report.counts["features read"], report.counts["features refused"]) == (4, 2)
    lines, report = heard(tmp_path / name, engine, where="highway = 'primary'")
    assert report.refused == [] and report.repaired[0].fid == 7
    assert "2 ways" in report.notes[-1]
    if "pbf" not in name:
        assert heard(tmp_path / name, engine, layer="multilinestrings")[1].refused == []


ids = st.integers(-(2**40), 2**40)


@given(
    st.dictionaries(ids, st.tuples(st.lists(ids, max_size=5), st.booleans()), max_size=5),
    st.lists(ids),
    st.booleans(),
)
def test_pbf_gives_ways_and_nodes(
    ways: dict[int, tuple[list[int], bool]], nodes: list[int], packed: bool
) -> None:
    found = _faults_osm.Ways(*_pbf.ways(osm_pbf(ways, nodes, packed)))
    assert found.fid.tolist() == list(ways)
    assert found.tagged.tolist() == [tagged for _, tagged in ways.values()]
    assert found.nodes.tolist() == nodes
    refs = np.split(found.refs, found.offsets[1:-1]) if ways else []
    assert [part.tolist() for part in refs] == [part for part, _ in ways.values()]


@given(st.binary(max_size=60))
def test_nonsense_instead_of_pbf_is_an_error_that_the_look_expects(data: bytes) -> None:
    try:
        _pbf.ways(data)
    except (ValueError, LookupError, zlib.error) as error:
        assert str(error)


def test_xml_and_pbf_say_the_same() -> None:
    xml = _faults_osm._ways_of_xml(OSM.encode())
    assert xml.fid.tolist() == [7, 8, 9, 10, 11, 12, 13, 14]
    assert xml.tagged.tolist() == [True] * 4 + [False, True, True, False]
    assert sorted(xml.nodes.tolist()) == [1, 2, 3]
    assert np.diff(xml.offsets).tolist() == [3, 2, 2, 3, 2, 4, 3, 0]


def numbered(rows: int) -> LineStrings:
    coords = np.array([[10.0 * i + 5 * k, 5 * k, k] for i in range(rows) for k in (0, 1)])
    features = Features(np.arange(rows) + 1, {}, "roads")
    return LineStrings(
        coords, 2 * np.arange(rows + 1), np.arange(rows), [-1] * rows, features, CRS("EPSG:32633")
    )


def blobs(blob: bytes) -> dict[int, bytes | None]:
    """Give what may stand in a GeoPackage instead of a geometry, made of the blob of a good line."""
    header = blob[:3] + bytes([blob[3] & 0xF1]) + blob[4:8]
    with np.errstate(invalid="ignore"):
        nan = shapely.to_wkb(shapely.linestrings([[0, 0], [np.nan, 1]], handle_nan="allow"))
    return {
        2: blob[: len(blob) - 20],
        3: b"garbage",
        4: header + b"\1" + struct.pack("<I", 99) + b"123",
        5: header + b"\1" + struct.pack("<II", 2, 2**31 - 1) + b"\0" * 64,
        6: header + nan,
        7: b"",
        8: header,
        9: None,
        10: header + struct.pack("<BIIBII", 1, 5, 2, 1, 2, 9) + b"\0" * 40,
        11: header + struct.pack("<BII", 1, 3, 1) + struct.pack("<I6d", 3, 0, 0, 1, 0, 1, 1),
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_broken_blobs_of_a_geopackage_stop_nothing(tmp_path: Path, engine: str) -> None:
    vector.write(numbered(12), tmp_path / "a.gpkg")
    with sqlite3.connect(tmp_path / "a.gpkg") as base:
        for (name,) in base.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            base.execute(f'drop trigger "{name}"')
        good = base.execute("select geom from roads where fid = 1").fetchone()[0]
        bad = blobs(good)
        base.executemany(
            "update roads set geom = ? where fid = ?", [(blob, fid) for fid, blob in bad.items()]
        )
    base.close()
    lines, report = heard(tmp_path / "a.gpkg", engine)
    assert lines.features.fid.tolist() == [1, 12]
    assert {remark.fid for remark in report.refused} == set(bad)
    assert len(report.refused) == len(bad)
    assert reasons(report.refused)[6] == "a coordinate that is not a finite number"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", [0, 3, 9])
def test_a_geopackage_that_counts_wrongly_is_read_whole_and_once(
    tmp_path: Path, engine: str, count: int
) -> None:
    vector.write(numbered(9), tmp_path / "a.gpkg")
    with sqlite3.connect(tmp_path / "a.gpkg") as base:
        for (name,) in base.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            base.execute(f'drop trigger "{name}"')
        base.execute("delete from roads where fid between 3 and 6")
        base.execute("update gpkg_ogr_contents set feature_count = ?", (count,))
    base.close()
    lines, _ = heard(tmp_path / "a.gpkg", engine)
    assert lines.features.fid.tolist() == [1, 2, 7, 8, 9]
    assert lines.coords[::2, 0].tolist() == [0, 10, 60, 70, 80]


SHAPES = {  # where in a record of two vertices with heights, and what stands there
    "null shape": (8, struct.pack("<i", 0)),
    "unknown type": (8, struct.pack("<i", 77)),
    "too many parts": (44, struct.pack("<i", 2**30)),
    "too many vertices": (48, struct.pack("<i", 2**30)),
    "not a number": (56, struct.pack("<d", np.nan)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SHAPES)
def test_a_broken_record_of_a_shapefile_stops_nothing(tmp_path: Path, engine: str, name: str) -> None:
    vector.write(numbered(6), tmp_path / "a.shp")
    data = bytearray((tmp_path / "a.shp").read_bytes())
    at, what = SHAPES[name]
    at += 100 + 2 * (len(data) - 100) // 6
    data[at : at + len(what)] = what
    (tmp_path / "a.shp").write_bytes(data)
    lines, report = heard(tmp_path / "a.shp", engine)
    assert lines.features.fid.tolist() == [0, 1, 3, 4, 5]
    assert [remark.fid for remark in report.refused] == [2]


def test_truth_is_no_number() -> None:
    assert _faults_geojson._is_position([1, 2.5]) and _faults_geojson._is_position([1, 2, 3, "x"])
    assert not _faults_geojson._is_position([True, 2]) and not _faults_geojson._is_position("12")
