"""The sample data is what its script makes, and holds what is hard to get right."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from spl_gis import convert, formats, frames, read_terrain, topology
from spl_gis.formats import vector


@pytest.fixture(scope="module")
def made(script):
    return script.town()


@pytest.fixture(scope="module")
def script(sample_data):
    spec = importlib.util.spec_from_file_location("make", sample_data / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["town.gpkg", "town.geojson"])
def test_the_files_are_what_the_script_makes(sample_data, made, name):
    lines = vector.read(sample_data / name)
    assert np.abs(frames.transform(lines.coords, lines.crs, made.crs) - made.coords).max() < 1e-3
    assert np.array_equal(lines.offsets, made.offsets)
    for title, column in made.features.columns.items():
        got = lines.features.columns[title]
        assert np.array_equal(got.null, column.null)
        assert [str(value) for value in got.values[~got.null]] == [
            str(v) for v in column.values[~column.null]
        ]


def test_openstreetmap_s_file_has_the_same_roads_and_junctions(sample_data, made):
    lines = vector.read(sample_data / "town.osm", layer="lines")
    assert len(lines) == len(made)
    assert np.array_equal(lines.offsets, made.offsets)
    flat = frames.transform(lines.coords, lines.crs, made.crs)[:, :2]
    assert np.abs(flat - made.coords[:, :2]).max() < 0.02
    frame = frames.scene_frame(lines.coords, lines.crs)
    graph = convert.lines_to_graph(lines, frame, fit="vertices")
    degree = topology.degrees(graph.ends, len(graph.points))
    assert dict(zip(*np.unique(degree, return_counts=True))) == {1: 15, 2: 557, 3: 9, 4: 2}


def test_the_network_is_what_the_picture_shows(made):
    graph = convert.lines_to_graph(made, frames.scene_frame(made.coords, made.crs), fit="vertices")
    degree = topology.degrees(graph.ends, len(graph.points))
    assert dict(zip(*np.unique(degree, return_counts=True))) == {1: 15, 2: 557, 3: 9, 4: 2}
    names = made.features.columns["name"]
    assert names.null.sum() == 1
    assert {"Мост дружбы", "北通り", ""} <= set(names.values[~names.null])
    closed = made.coords[made.offsets[:-1]] == made.coords[made.offsets[1:] - 1]
    assert closed.all(axis=1).sum() == 2


def test_the_terrain_is_that_of_the_script_and_carries_the_roads(sample_data, script, made):
    frame = frames.scene_frame(made.coords, made.crs)
    ground = read_terrain(sample_data / "town_dem.tif", frame)
    heights, affine = script.terrain()
    tile = ground.parts[0].tiles[0]
    assert (tile.affine, tile.shape) == (affine, heights.shape)
    x, y, z = frames.transform(made.coords, made.crs, frame).T
    flat = made.features.columns["class"].values[made.feature] == "residential"
    residential = np.repeat(flat, np.diff(made.offsets))
    assert np.abs(ground.heights(x, y) - z)[residential].max() < 0.15
    assert not np.isnan(ground.heights(x, y)).any()


def test_the_bridge_is_a_graph_of_two_roads_that_do_not_meet(sample_data):
    graph = formats.read(sample_data / "bridge.spl")
    assert len(topology.graph_chains(graph.ends).offsets) - 1 == 2


def test_the_world_is_what_the_script_makes(sample_data, script):
    assert (sample_data / "town.world").read_text(encoding="utf-8") == script.world()
    assert script.BRIDGE in (sample_data / "bridge.spl.meta").read_text(encoding="utf-8")
