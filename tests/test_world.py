"""UNIGINE worlds: where they say they are, against matrices and projections computed here."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Transformer

from spl_gis import formats, frames
from spl_gis.errors import FileAccessError, FormatError, GeoreferenceError, SplGisError
from spl_gis.formats import world
from spl_gis.frames import Node
from spl_gis.report import Report
from tests.test_cli_back import done, refused, run

GUID = "2abc961b347454be06a8f505522062a070ffb57f"
LAT, LON, ALT = 49.3, 14.43, 210.0
LOCAL = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 1.0], [0.0, 1000.0, 5.0], [-333.3, 777.7, -12.5]])
LAMBERT = CRS(2154).to_wkt("WKT2_2019")


def columns(matrix: np.ndarray) -> str:
    """Write a matrix as the engine does."""
    return " ".join(repr(value) for value in matrix.T.ravel().tolist())


def placed(x=0.0, y=0.0, z=0.0, turn=0.0, scale=1.0, tilt=0.0) -> np.ndarray:
    """Give a 4 x 4 matrix, by the book."""
    a, b = math.radians(turn), math.radians(tilt)
    about_z = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]])
    whole = np.eye(4)
    whole[:3, :3] = scale * about_z @ about_x
    whole[:3, 3] = x, y, z
    return whole


def node(kind: str, name: str, inner: str = "", matrix: np.ndarray | None = None, more: str = "") -> str:
    transform = "" if matrix is None else f"<transform>{columns(matrix)}</transform>"
    return f'<node type="{kind}" id="7{len(name)}" name="{name}"{more}>{inner}{transform}</node>'


def terrain(epsg="32633", wkt="", origin=f"{LAT} {LON} {ALT}", axes="world", name="terrain") -> str:
    values = {
        "sandworm_epsg": epsg, "sandworm_projection": wkt.replace('"', "&quot;"), "sandworm_origin": origin,
        "coordinate_system": axes,
    }  # fmt: skip
    inner = "".join(f'<variable name="{key}">{value}</variable>' for key, value in values.items() if value)
    return node("ObjectLandscapeTerrain", name, inner)


def graph_node(name: str, matrix: np.ndarray | None = None, inner: str = "", guid: str = GUID) -> str:
    return node(
        "WorldSplineGraph", name, f"<spline_name>guid://{guid}</spline_name><point_nodes/>{inner}", matrix
    )


def pivot(inner: str, origin=f"{LAT} {LON} {ALT}", matrix: np.ndarray | None = None, more: str = "") -> str:
    return node("GeodeticPivot", "pivot", f"<origin>{origin}</origin>{inner}", matrix, more)


def write(folder: Path, *inside: str, head: str = "") -> Path:
    """Write a world, and beside it a graph that has a guid."""
    path = folder / "some.world"
    text = f'<?xml version="1.0"?>{head}<world version="2.19"><editor>{"".join(inside)}</editor></world>'
    path.write_text(text, encoding="utf-8")
    (folder / "roads.spl.meta").write_text(f"<asset><guid>{GUID}</guid></asset>", encoding="utf-8")
    return path


@functools.lru_cache
def origin_in(epsg: int) -> tuple[float, float]:
    return Transformer.from_crs(4326, epsg, always_xy=True).transform(LON, LAT)


def far_off(frame: CRS, matrix: np.ndarray, epsg: int = 32633) -> float:
    """Tell how far a node's points are from where its matrix puts them [m]."""
    expected = (matrix @ np.column_stack([LOCAL, np.ones(len(LOCAL))]).T).T[:, :3] + (*origin_in(epsg), ALT)
    return float(np.abs(frames.transform(LOCAL, frame, CRS(epsg)) - expected).max())


@pytest.mark.parametrize(
    ("said", "epsg"),
    [
        (terrain(), 32633),
        (terrain(origin=f"{LAT}, {LON}, {ALT}"), 32633),
        (terrain(epsg="", wkt=LAMBERT), 2154),
        (terrain(epsg="-1", wkt=LAMBERT), 2154),
        (terrain(epsg="31468"), 31468),  # northing first; laid out east and north
        (terrain(axes=""), 32633),
        (terrain(axes="source"), 32633),
        (terrain() + terrain(epsg="", origin="", axes="", name="other"), 32633),
        (terrain() + terrain(name="the same"), 32633),
    ],
)
def test_a_terrain_places_the_world(tmp_path, said, epsg):
    assert far_off(world.read(write(tmp_path, said)), np.eye(4), epsg) < 1e-3


@pytest.mark.parametrize(
    "spelled",
    [
        '<variable name="sandworm_epsg" value="32633"/>'
        '<variable name="sandworm_origin" value="49.3 14.43 210"/>',
        "<data name='sandworm_epsg'> 32633 </data><data name='sandworm_origin'>49.3 14.43 210</data>",
        "<variables><sandworm_epsg>32633</sandworm_epsg><sandworm_origin>49.3 14.43 210</sandworm_origin>"
        "</variables>",
    ],
)
def test_variables_are_found_however_they_are_spelled(tmp_path, spelled):
    frame = world.read(write(tmp_path, node("ObjectTerrainGlobal", "ground", spelled)))
    assert far_off(frame, np.eye(4)) < 1e-3


@pytest.mark.parametrize(
    ("matrices", "names"),
    [
        ([placed(100, -50, 12.5)], ["roads"]),
        ([placed(100, -50, 12.5, 30)], ["roads"]),
        ([placed(100, -50, 12.5, -170, 2.5)], ["roads"]),
        ([placed(5000, 300, 7, 45), placed(10, 20, 30, 90)], ["parent", "roads"]),
        (
            [placed(500, 300, 7, 45, 2), placed(10, 20, 30, -10, 0.25), placed(1, 1, 1, 5)],
            ["a", "b", "roads"],
        ),
        ([placed(1, 2, 3) + np.diag([3e-7, -8e-7, 5e-7, 0])], ["roads"]),
    ],
)
def test_a_node_lies_where_the_product_of_its_matrices_puts_it(tmp_path, matrices, names):
    inside = graph_node(names[-1], matrices[-1])
    for matrix, name in zip(matrices[-2::-1], names[-2::-1]):
        inside = node("NodeDummy", name, inside, matrix)
    report = Report()
    frame = world.read(write(tmp_path, terrain(), inside), graph=tmp_path / "roads.spl", report=report)
    assert far_off(frame, functools.reduce(np.matmul, matrices)) < 1e-3
    assert not report.warnings
    assert "some.world: the points are relative to node 'roads'" in report.notes


def test_a_scaled_node_says_so(tmp_path):
    report = Report()
    path = write(tmp_path, terrain(), graph_node("roads", placed(scale=2.0)))
    world.read(path, graph=tmp_path / "roads.spl", report=report)
    assert any("scaled by 2" in note for note in report.notes)


@pytest.mark.parametrize(
    "matrix",
    [
        placed(tilt=0.01),
        placed() @ np.diag([1.0, 1.0, 1.001, 1.0]),
        placed() @ np.diag([1.0, -1.0, 1.0, 1.0]),
        placed(scale=-1.0),
        placed(scale=0.0),
        placed() + np.array([[0, 1e-4, 0, 0], [0] * 4, [0] * 4, [0] * 4]),
        placed() + np.array([[0] * 4, [0] * 4, [0] * 4, [1e-3, 0, 0, 0]]),
        placed(scale=1e308),
        placed(scale=1e7),
        placed(scale=1e-300),
        placed(x=1e12),
    ],
)
def test_other_transforms_are_refused(tmp_path, matrix):
    path = write(tmp_path, terrain(), graph_node("roads", matrix))
    with pytest.raises((GeoreferenceError, FormatError), match="'roads'"):
        world.read(path, graph=tmp_path / "roads.spl")


@pytest.mark.parametrize("text", ["", "1 2 3", "nan " * 16, "inf " * 16, "1e999 " * 16, "x " * 16, "1 " * 17])
def test_transforms_that_are_no_matrix_are_refused(tmp_path, text):
    inside = graph_node("roads", inner=f"<transform>{text}</transform>")
    with pytest.raises(FormatError, match="should be 16 numbers"):
        world.read(write(tmp_path, terrain(), inside), graph=tmp_path / "roads.spl")


def test_a_node_that_is_not_used_may_be_tilted(tmp_path):
    path = write(tmp_path, terrain(), node("NodeDummy", "tree", matrix=placed(tilt=9)), graph_node("roads"))
    assert frames.node_of(world.read(path, graph=tmp_path / "roads.spl")) is None


def test_of_several_nodes_one_must_be_named(tmp_path):
    path = write(tmp_path, terrain(), graph_node("one", placed(1)), graph_node("other", placed(2)))
    with pytest.raises(GeoreferenceError, match=r"2 nodes show roads.spl: 'one' .* 'other' .*--node-name"):
        world.read(path, graph=tmp_path / "roads.spl")
    chosen = world.read(path, graph=tmp_path / "roads.spl", node_name="other")
    assert frames.node_of(chosen) == Node(2.0)
    with pytest.raises(
        GeoreferenceError, match=r"no node named 'third': its spline graphs are 'one', 'other'"
    ):
        world.read(path, node_name="third")
    same = write(tmp_path, terrain(), graph_node("one", placed(1)), graph_node("other", placed(1)))
    assert frames.node_of(world.read(same, graph=tmp_path / "roads.spl")) == Node(1.0)


@pytest.mark.parametrize("reading", [True, False])
@pytest.mark.parametrize("meta", [True, False])
def test_when_no_node_shows_the_graph_it_is_said(tmp_path, reading, meta):
    path = write(tmp_path, terrain(), graph_node("another", placed(1), guid="0" * 40))
    if not meta:
        (tmp_path / "roads.spl.meta").unlink()
    report = Report()
    frame = world.read(path, graph=tmp_path / "roads.spl", reading=reading, report=report)
    assert frames.node_of(frame) is None
    told = report.warnings if reading else report.notes
    assert len(told) == len(report.warnings + report.notes) == 1
    assert ("no node shows roads.spl" if meta else "no roads.spl.meta") in told[0]


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ([], "no terrain with sandworm_epsg"),
        ([node("NodeReference", "far", "<reference>guid://1</reference>")], "1 references to other files"),
        ([terrain(epsg="", wkt="")], "neither sandworm_epsg nor sandworm_projection"),
        ([terrain(origin="")], "no sandworm_origin"),
        ([terrain(origin="49.3 14.43")], "should be 3 numbers"),
        ([terrain(origin="49.3 14.43 nan")], "should be 3 numbers"),
        ([terrain(origin="493 14.43 0")], "lat=493"),
        ([terrain(epsg="99999")], "EPSG:99999"),
        ([terrain(epsg="32633.0")], "sandworm_epsg should be a number"),
        ([terrain(epsg="²")], "sandworm_epsg should be a number"),
        ([terrain(epsg="4326")], "not a projected CRS"),
        ([terrain(epsg="", wkt="PROJCRS[")], "not a known CRS"),
        ([terrain(epsg="2225", origin="40 -122 0")], "not in metres"),
        ([terrain(epsg="31468", axes="source")], "Coordinate System = World"),
        ([terrain(epsg="31468", axes="")], "'not set'"),
        ([terrain(), terrain(epsg="32634", name="second")], "'terrain', 'second' say different places"),
        ([pivot("")], "formula that is not published"),
        ([pivot("", matrix=placed(1)), terrain()], "formula that is not published"),
        ([pivot('<variable name="flat">1</variable>' + node("ObjectTerrainGlobal", "g"))], "not published"),
        ([pivot(node("ObjectTerrainGlobal", "g"), origin="")], "should be 3 numbers"),
        ([pivot("<semimajor_axis>6378</semimajor_axis>" + node("ObjectTerrainGlobal", "g"))], "ellipsoid"),
        (
            [pivot("<semimajor_axis>big</semimajor_axis>" + node("ObjectTerrainGlobal", "g"))],
            "should be 1 number",
        ),
        ([node("GeodeticPivot", "pivot", node("ObjectTerrainGlobal", "g"))], "no origin"),
    ],
)
def test_a_world_that_does_not_say_where_it_is(tmp_path, inside, says):
    with pytest.raises(SplGisError, match=re.escape(says)):
        world.read(write(tmp_path, *inside))


def geocentric(local: np.ndarray) -> np.ndarray:
    """Place points of the engine's tangent plane in space: east, and up from the centre of the Earth."""
    start = np.array(Transformer.from_crs(4979, 4978).transform(LAT, LON, ALT))
    up = start / np.linalg.norm(start)
    east = np.cross((0.0, 0.0, 1.0), up)
    east /= np.linalg.norm(east)
    return local @ np.array([east, np.cross(up, east), up]) + start


@pytest.mark.parametrize(
    ("above", "matrix"),
    [
        (np.eye(4), None),
        (np.eye(4), placed(3000, -2000, 50, 25, 2)),
        (placed(100, 200, 300), placed(10, 20, 30)),
        (placed(100, 200, 300, 40), placed(10, 20, 30, -80)),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_a_curved_world_is_a_tangent_plane_at_its_pivot(tmp_path, above, matrix, inside):
    ground, roads = node("ObjectTerrainGlobal", "ground"), graph_node("roads", matrix)
    path = write(tmp_path, pivot(ground + roads * inside, matrix=above), roads * (not inside))
    frame = world.read(path, graph=tmp_path / "roads.spl")
    whole = np.eye(4) if matrix is None else matrix
    to_pivot = whole if inside else np.linalg.inv(above) @ whole
    local = (to_pivot @ np.column_stack([LOCAL, np.ones(len(LOCAL))]).T).T[:, :3]
    lonlat = frames.transform(LOCAL, frame, CRS(4979))
    found = np.transpose(Transformer.from_crs(4979, 4978, always_xy=True).transform(*lonlat.T))
    assert np.abs(found - geocentric(local)).max() < 1e-3
    assert frames.describe(frame).kind == "topocentric=unigine"
    assert frames.describe(frame).lat == pytest.approx(LAT)


def test_a_disabled_pivot_does_not_count(tmp_path):
    assert far_off(world.read(write(tmp_path, pivot("", more=' enabled="0"'), terrain())), np.eye(4)) < 1e-3


BOMB = "<!DOCTYPE w [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + i)} '{('&' + chr(97 + i) + ';') * 10}'>" for i in range(9)
)
HOSTILE = {
    "billion laughs": "<?xml version='1.0'?>" + BOMB + "]><world>&j;</world>",
    "an entity": "<!DOCTYPE w [<!ENTITY a 'a'>]><world/>",
    "an external entity": "<!DOCTYPE w [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><world>&a;</world>",
    "an external document type": "<!DOCTYPE w SYSTEM 'http://127.0.0.1/x.dtd'><world/>",
    "a parameter entity": "<!DOCTYPE w [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]><world/>",
    "deep nesting": "<world>" + "<node type='NodeDummy'>" * 100_000,
    "nothing": "",
    "no world": "<html/>",
    "cut off": "<world><editor>",
    "unknown entity": "<world>&nope;</world>",
    "two roots": "<world/><world/>",
    "an unknown encoding": "<?xml version='1.0' encoding='klingon'?><world/>",
    "an encoding that expat cannot use": "<?xml version='1.0' encoding='shift_jis'?><world/>",
    "an encoding that is none": "<?xml version='1.0' encoding='hex'?><world/>",
    "a zero byte": "<world>\0</world>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_a_sentence(tmp_path, name):
    path = tmp_path / "bad.world"
    path.write_text(HOSTILE[name], encoding="utf-8")
    with pytest.raises(FormatError, match=r"bad\.world") as error:
        world.read(path)
    assert "passwd" not in str(error.value)


def test_files_that_are_too_large_or_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("spl_gis.formats._xml.MAX_SIZE", 100)
    with pytest.raises(FormatError, match="larger than"):
        world.read(write(tmp_path, terrain()))
    for path in (tmp_path, tmp_path / "none.world"):
        with pytest.raises(FileAccessError, match="cannot read"):
            world.read(path)


def test_a_meta_without_a_guid(tmp_path):
    path = write(tmp_path, terrain())
    (tmp_path / "roads.spl.meta").write_text("<asset/>", encoding="utf-8")
    with pytest.raises(FormatError, match="no <guid>"):
        world.read(path, graph=tmp_path / "roads.spl")


SOUND = "".join(
    [terrain(), node("NodeDummy", "up", graph_node("roads", placed(1, 2, 3, 30)), placed(4, 5, 6)), pivot("")]
)
SNIPPETS = [
    *("<node>", "</node>", "<node type='GeodeticPivot'>", "<transform>", "<variable name='sandworm_epsg'>"),
    *("nan", "1e400", "-", "&#0;", "<!--", "]]>", "<![CDATA[", '"', "<?x?>"),
]
snippets = st.sampled_from([*SNIPPETS, "9" * 400, "", " 0 ", "&"])


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), snippets | st.text(max_size=8)), max_size=6))
@settings(max_examples=80, deadline=None)
def test_mutated_worlds_give_a_frame_or_a_sentence(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("mutated", numbered=True)
    text = write(folder, SOUND).read_text(encoding="utf-8")
    for where, cut, put in changes:
        start = int(where * len(text))
        text = text[:start] + put + text[start + cut :]
    (folder / "some.world").write_text(text, encoding="utf-8", errors="replace")
    try:
        frame = world.read(folder / "some.world", graph=folder / "roads.spl")
    except SplGisError as error:
        assert str(error)
    else:
        assert np.isfinite(frames.describe(frame).lat)


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_random_bytes_give_a_sentence(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes", numbered=True) / "x.world"
    path.write_bytes(data)
    with pytest.raises(SplGisError):
        world.read(path)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=16, max_size=16))
@settings(max_examples=40, deadline=None)
def test_random_matrices_give_a_frame_or_a_sentence(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("matrices", numbered=True)
    path = write(folder, terrain(), graph_node("roads", np.reshape(values, (4, 4))))
    with pytest.raises(SplGisError):
        world.read(path, graph=folder / "roads.spl")


# as a user

QUICK = ("--fit", "vertices")


def test_lines_into_a_node_of_a_world_and_back(sample_data, tmp_path):
    spl, data = tmp_path / "town.spl", sample_data / "town.gpkg"
    said = done(
        "convert",
        data,
        spl,
        "--frame",
        sample_data / "town.world",
        "--node-name",
        "roads",
        "--strict",
        *QUICK,
    )
    assert "node 'roads'" in said
    assert "stands at x=80,y=-40,z=0" in said
    graph = formats.read_graph(spl)
    plain = tmp_path / "plain.spl"
    done("convert", data, plain, "--crs", "EPSG:32633", "--origin", "x=458300,y=5462700,h=200", *QUICK)
    moved = formats.read_graph(plain).points - (80.0, -40.0, 0.0)
    assert np.abs(graph.points - moved).max() < 1e-3
    done("convert", spl, tmp_path / "back.gpkg", "--as", "points")
    back = formats.vector.read_points(tmp_path / "back.gpkg", "points").coords
    there = np.array([80 + 458_300, -40 + 5_462_700, 200])
    assert np.abs(back - graph.points - there).max() < 1e-3


def test_a_graph_that_a_world_shows_needs_no_other_option(sample_data, tmp_path):
    out = tmp_path / "bridge.gpkg"
    said = done(
        "convert", sample_data / "bridge.spl", out, "--frame", sample_data / "town.world", "--as", "points"
    )
    assert "node 'footbridge'" in said
    matrix = placed(80, -40, 0) @ placed(-150, 210, 12.5, 30)
    local = formats.read_graph(sample_data / "bridge.spl").points
    expected = (matrix @ np.column_stack([local, np.ones(len(local))]).T).T[:, :3] + (458_300, 5_462_700, 200)
    found = formats.vector.read_points(out, "points").coords
    assert np.abs(found - expected).max() < 1e-3


def test_reproject_out_of_a_world_and_into_another(sample_data, tmp_path):
    sure = write(
        tmp_path, terrain(epsg="3035", origin="49.315 14.425 100"), graph_node("there", placed(7, 8, 9))
    )
    out = tmp_path / "moved.spl"
    done(
        "reproject", sample_data / "bridge.spl", out,
        "--from-frame", sample_data / "town.world", "--frame", sure, "--node-name", "there",
    )  # fmt: skip
    moved, start = formats.read_graph(out), formats.read_graph(sample_data / "bridge.spl")
    home = world.read(sample_data / "town.world", graph=sample_data / "bridge.spl")
    assert np.abs(frames.transform(moved.points, moved.crs, home) - start.points).max() < 1e-5
    assert "stands at x=7,y=8,z=9" in done("info", out).replace("node x", "stands at x")


def test_a_node_offset_is_undone_on_the_way_back(sample_data, tmp_path):
    data, spl = sample_data / "town.gpkg", tmp_path / "town.spl"
    where = ("--crs", "EPSG:32633", "--origin", "x=458000,y=5462000", *QUICK)
    done("convert", data, spl, *where, "--node", "x=300,y=700,z=212")
    done("convert", data, tmp_path / "plain.spl", *where)
    graph, plain = formats.read_graph(spl), formats.read_graph(tmp_path / "plain.spl")
    assert np.abs(plain.points - graph.points - (300, 700, 212)).max() < 1e-3
    assert '"node": "x=300,y=700,z=212"' in spl.with_name("town.spl.aux.json").read_text().replace(
        '":"', '": "'
    )
    for path in (spl, tmp_path / "plain.spl"):
        done("convert", path, path.with_suffix(".gpkg"))
    one, other = (formats.read(tmp_path / name).coords for name in ("town.gpkg", "plain.gpkg"))
    assert np.abs(one - other).max() < 1e-3


def test_auto_puts_the_node_amid_the_data(sample_data, tmp_path):
    spl = tmp_path / "town.spl"
    said = done("convert", sample_data / "town.geojson", spl, "--crs", "EPSG:32633", "--origin",
                "x=458000,y=5462000", "--node", "auto", *QUICK)  # fmt: skip
    found = re.search(r"stands at x=(\d+),y=(\d+),z=(\d+)$", said, flags=re.MULTILINE)
    assert found
    points = formats.read_graph(spl).points
    assert np.abs(points.min(axis=0) + points.max(axis=0)).max() < 4.0


def test_a_second_file_an_update_and_a_new_node_in_the_same_scene(sample_data, tmp_path):
    data, first, second = sample_data / "town.gpkg", tmp_path / "first.spl", tmp_path / "second.spl"
    done("convert", data, first, "--node", "x=100,y=200,z=0", "--keep-source", *QUICK)
    done("convert", data, second, "--frame", first, *QUICK)
    assert first.read_bytes() == second.read_bytes()
    done("convert", data, first, "--update")
    assert first.read_bytes() == second.read_bytes()
    done("reproject", first, tmp_path / "third.spl", "--node", "x=50,y=0")
    third, was = formats.read_graph(tmp_path / "third.spl"), formats.read_graph(first)
    assert np.abs(third.points - was.points - (50, 200, 0)).max() < 1e-6
    done("convert", first, tmp_path / "pieces.gpkg", "--as", "segments")
    done("convert", tmp_path / "pieces.gpkg", tmp_path / "again.spl")
    assert (tmp_path / "again.spl").read_bytes() == first.read_bytes()


def test_a_name_that_carries_the_nodes_place_is_a_hint(sample_data, tmp_path):
    named = tmp_path / "4_120.5_-45.25_8.spl"
    named.write_bytes((sample_data / "bridge.spl").read_bytes())
    assert "--node x=120.5,y=-45.25,z=8" in done("info", named)
    where = ("--crs", "EPSG:32633", "--origin", "x=458000,y=5462000")
    ignored = run("convert", named, tmp_path / "a.gpkg", *where)
    assert "--node x=120.5,y=-45.25,z=8" in ignored.stderr
    told = run("convert", named, tmp_path / "b.gpkg", *where, "--node", "x=120.5,y=-45.25,z=8", "--strict")
    assert told.returncode == 0
    one, other = (formats.read(tmp_path / name).coords for name in ("a.gpkg", "b.gpkg"))
    assert np.abs(other[:, :2] - one[:, :2] - (120.5, -45.25)).max() < 1e-6
    assert formats.frame.node_in_name(Path("roads_2024_05_01.spl")) is None


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["town.gpkg", "--node", "x=1"], 2, "write x=120"),
        (["town.gpkg", "--node-name", "roads"], 2, "pass that with --frame"),
        (["town.gpkg", "--node-name", "x", "--frame", "{data}/bridge.spl"], 2, "pass that with --frame"),
        (["town.gpkg", "--node-name", "no", "--frame", "{data}/town.world"], 1, "'roads', 'footbridge'"),
        (
            ["town.gpkg", "--node-name", "roads", "--node", "auto", "--frame", "{data}/town.world"],
            2,
            "leave out",
        ),
        (["town.gpkg", "--crs", "EPSG:32633", "--frame", "{data}/town.world"], 2, "leave out --crs"),
        (["town.gpkg", "--source-crs", "none", "--node", "auto"], 1, "without a place"),
    ],
)
def test_options_that_make_no_sense(sample_data, tmp_path, words, code, says):
    name, *more = [word.format(data=sample_data) for word in words]
    assert says in refused("convert", sample_data / name, tmp_path / "out.spl", *more, code=code)
    assert not (tmp_path / "out.spl").exists()


def test_the_spline_graphs_of_a_world_are_listed(tmp_path, sample_data):
    town = sample_data / "town.world"
    assert world.graph_nodes(town) == [("roads", "roads"), ("footbridge", "footbridge")]
    twice = tmp_path / "twice.world"
    twice.write_text(town.read_text(encoding="utf-8").replace("footbridge", "roads"), encoding="utf-8")
    assert world.graph_nodes(twice) == [("roads (id 1003)", "1003"), ("roads (id 1004)", "1004")]
    placed = [world.read(twice, node_name=word) for _, word in world.graph_nodes(twice)]
    assert placed[0] != placed[1]
