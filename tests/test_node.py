"""The frame of a node: against products of matrices, written separately."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Transformer

from spl_gis import frames
from spl_gis.errors import GeoreferenceError, OptionError
from spl_gis.frames import Node, Origin

LOCAL = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [0.0, 1000.0, 5.0], [-333.3, 777.7, -12.5]])
ORIGIN = Origin(lat=49.3, lon=14.43, h=210.0)


def matrix(node: Node) -> np.ndarray:
    """Give the 4 x 4 matrix of a node, by the book."""
    turn = math.radians(node.turn)
    rotation = np.array(
        [[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]
    )
    whole = np.eye(4)
    whole[:3, :3] = node.scale * rotation
    whole[:3, 3] = node.x, node.y, node.z
    return whole


def through(node: Node, local: np.ndarray) -> np.ndarray:
    return (matrix(node) @ np.column_stack([local, np.ones(len(local))]).T).T[:, :3]


SCENES = {
    "utm": lambda: frames.map_frame(CRS(32633), ORIGIN),
    "turned": lambda: frames.map_frame(CRS(32633), ORIGIN, 25.0),
    "no height": lambda: frames.map_frame(CRS(32633), Origin(lat=49.3, lon=14.43)),
    "krovak": lambda: frames.map_frame(CRS(5513), ORIGIN),
    "feet": lambda: frames.map_frame(CRS(2225), Origin(lat=40.0, lon=-122.0, h=10.0)),
    "egm96": lambda: frames.map_frame(CRS("EPSG:32633+5773"), ORIGIN),
    "plain crs": lambda: CRS(32633),
    "topocentric": lambda: frames.topocentric_frame(ORIGIN),
}
NODES = {
    "moved": Node(120.0, -45.5, 30.0),
    "turned": Node(1.0, 2.0, 0.0, 33.0),
    "scaled": Node(10.0, 20.0, 3.0, -120.0, 2.5),
    "high": Node(0.0, 0.0, 12.0),
}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("node", NODES)
def test_points_of_a_node_are_where_its_matrix_puts_them(scene, node):
    frame, node = SCENES[scene](), NODES[node]
    there = frames.transform(LOCAL, frames.at_node(frame, node), frame)
    assert np.abs(there - through(node, LOCAL)).max() < 2e-6
    back = frames.transform(through(node, LOCAL), frame, frames.at_node(frame, node))
    assert np.abs(back - LOCAL).max() < 2e-6


@pytest.mark.parametrize("node", NODES)
def test_a_node_in_utm_lies_where_pyproj_says(node):
    node = NODES[node]
    frame = frames.at_node(frames.map_frame(CRS(32633), ORIGIN), node)
    east, north = Transformer.from_crs(4326, 32633, always_xy=True).transform(ORIGIN.lon, ORIGIN.lat)
    expected = through(node, LOCAL) + np.array([east, north, 210.0])
    assert np.abs(frames.transform(LOCAL, frame, CRS(32633)) - expected).max() < 1e-6


def test_a_node_in_a_tangent_plane_lies_where_geocentric_arithmetic_says():
    node = NODES["scaled"]
    frame = frames.at_node(frames.topocentric_frame(ORIGIN), node)
    lat, lon = math.radians(ORIGIN.lat), math.radians(ORIGIN.lon)
    east = np.array([-math.sin(lon), math.cos(lon), 0.0])
    up = np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])
    basis = np.array([east, np.cross(up, east), up])
    start = np.array(Transformer.from_crs(4979, 4978).transform(ORIGIN.lat, ORIGIN.lon, ORIGIN.h))
    expected = through(node, LOCAL) @ basis + start
    lonlat = frames.transform(LOCAL, frame, CRS(4979))
    found = np.transpose(Transformer.from_crs(4979, 4978, always_xy=True).transform(*lonlat.T))
    assert np.abs(found - expected).max() < 1e-6


@pytest.mark.parametrize("scene", SCENES)
def test_what_the_node_is_can_be_read_from_the_frame_and_survives_files(scene):
    frame = frames.at_node(SCENES[scene](), NODES["scaled"])
    for again in (frame, CRS.from_json(frame.to_json()), CRS.from_wkt(frame.to_wkt())):
        assert frames.node_of(again) == NODES["scaled"]
        assert frames.node_of(frames.scene_of(again)) is None
        moved = frames.transform(LOCAL[1:2], frames.scene_of(again), SCENES[scene]())
        assert np.abs(moved - LOCAL[1]).max() < 1e-5
    told, scene_told = frames.describe(frame), frames.describe(frames.scene_of(frame))
    assert told.node == "x=10,y=20,z=3,turn=-120,scale=2.5"
    assert told._replace(node=None) == scene_told
    assert "relative to a node that stands at x=10,y=20,z=3" in str(told)


def test_another_node_replaces_the_first_and_none_gives_the_scene_again():
    scene = SCENES["utm"]()
    first = frames.at_node(scene, Node(100.0, 0.0, 0.0))
    second = frames.at_node(first, Node(0.0, 50.0, 7.0))
    assert np.allclose(frames.transform(np.zeros((1, 3)), second, scene), (0.0, 50.0, 7.0), atol=1e-6)
    gone = frames.at_node(second, Node())
    assert frames.node_of(gone) is None
    assert frames.describe(gone) == frames.describe(scene)


def test_2d_scenes_carry_heights_through_a_node():
    scene = SCENES["no height"]()
    frame = frames.at_node(scene, Node(5.0, 6.0, 100.0))
    lifted = frames.transform(np.array([[0.0, 0.0, 7.0]]), frame, CRS(32633))
    assert lifted[0, 2] == pytest.approx(107.0)
    plain = frames.at_node(scene, Node(5.0, 6.0, 0.0))
    assert len(plain.axis_info) == 2


def test_heights_of_two_scenes_differ_by_their_origins():
    low, high = (
        frames.map_frame(CRS("EPSG:32633+5773"), Origin(lat=49.3, lon=14.43, h=h)) for h in (110, 210)
    )
    assert frames.transform(np.zeros((1, 3)), low, high)[0, 2] == pytest.approx(-100.0)


@pytest.mark.parametrize("scene", ["utm", "no height", "egm96", "topocentric"])
@pytest.mark.parametrize("node", NODES)
def test_a_files_crs_without_the_origins_height_knows_the_node_still(scene, node):
    frame, node = frames.at_node(SCENES[scene](), NODES[node]), NODES[node]
    written = frames.without_height(frame)
    kept = scene == "topocentric" or node.scale != 1.0
    assert frames.node_of(written) == (node if kept else node._replace(z=0.0) if node.x else None)
    moved = frames.transform(LOCAL, frame, written)
    assert np.abs(moved[:, :2] - LOCAL[:, :2]).max() < 2e-6
    on_earth = frames.transform(frames.transform(LOCAL, frame, CRS(4979)), CRS(4979), written)
    again = frames.transform(
        frames.transform(moved, written, frames.scene_of(written)), frames.scene_of(written), frame
    )
    assert np.abs(on_earth - moved).max() < 1e-5
    assert np.abs(again - LOCAL).max() < 1e-5


def test_handles_turn_and_grow_with_the_node():
    scene, node = SCENES["utm"](), NODES["scaled"]
    vectors = np.array([[1.0, 0.0, 0.0], [0.0, 3.0, 0.5], [0.0, 0.0, 1.0]])
    turned = frames.transform_vectors(LOCAL[:3], vectors, frames.at_node(scene, node), scene)
    assert np.allclose(turned, vectors @ matrix(node)[:3, :3].T, atol=1e-6)


numbers = st.floats(-5000, 5000, allow_nan=False)
nodes = st.builds(Node, numbers, numbers, numbers, st.floats(-180, 180), st.floats(0.01, 100.0))


@given(nodes, nodes)
@settings(max_examples=200, deadline=None)
def test_nodes_nest_as_matrices_multiply(parent, child):
    both = matrix(parent.then(child))
    expected = matrix(parent) @ matrix(child)
    assert np.allclose(both, expected, rtol=1e-9, atol=1e-6)
    assert np.allclose(matrix(parent.inverse()) @ matrix(parent), np.eye(4), atol=1e-6)


@given(nodes)
@settings(max_examples=30, deadline=None)
def test_any_node_there_and_back(node):
    scene = SCENES["turned"]()
    frame = frames.at_node(scene, node)
    back = frames.transform(frames.transform(LOCAL, frame, scene), scene, frame)
    assert np.abs(back - LOCAL).max() < 1e-5
    assert frames.node_of(frame) == node or node == Node()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "120",
        "x=1",
        "x=1,z=2",
        "x=1,y=two",
        "x=1,y=nan",
        "x=1,y=2,y=3",
        "x=1,y=2,h=3",
        "x=1,y=1e999",
        "x=1e9,y=0",
    ],
)
def test_what_is_no_place_is_refused(text):
    with pytest.raises(OptionError, match="write x=120"):
        frames.parse_node(text)


def test_a_place_is_read_and_written():
    assert frames.parse_node("y=-4.5, x=12 ,z=1e3") == Node(12.0, -4.5, 1000.0)
    assert frames.parse_node("x=1,y=2") == Node(1.0, 2.0, 0.0)
    assert str(Node(1.0, 2.5, -0.0)) == "x=1,y=2.5,z=0"


def test_amid_the_data():
    coords = np.array([[458_000.4, 5_460_000.0, np.nan], [458_100.0, 5_460_300.0, 10.0], [np.nan] * 3])
    assert frames.node_amid(coords, CRS(32633), CRS(32633)) == Node(458_050.0, 5_460_150.0, 10.0)
    flat = coords * (1.0, 1.0, np.nan)
    assert frames.node_amid(flat, CRS(32633), CRS(32633)).z == 0.0
    with pytest.raises(GeoreferenceError, match="--node x="):
        frames.node_amid(coords[2:], CRS(32633), CRS(32633))


@pytest.mark.parametrize("scene", [None, frames.engineering_frame()])
def test_a_scene_without_a_place_cannot_keep_a_node(scene):
    with pytest.raises(GeoreferenceError, match="without a place"):
        frames.at_node(scene, Node(1.0, 2.0, 3.0))


def test_the_options_build_a_node_s_frame_again():
    scene = frames.map_frame(CRS("EPSG:32633"), frames.Origin(x=458_577.0, y=5_462_732.0, h=7.0), 12.0)
    there = frames.at_node(scene, frames.Node(100.0, 20.5, 5.0))
    options = frames.options_for(there)
    assert options[-2:] == ["--node", "x=100,y=20.5,z=5"]
    assert options[:-2] == frames.options_for(scene)
    assert frames.origin_in_base(there) == pytest.approx((458_577.0, 5_462_732.0), abs=1e-6)
    assert frames.options_for(frames.at_node(scene, frames.Node(1.0, 2.0, turn=30.0))) is None
