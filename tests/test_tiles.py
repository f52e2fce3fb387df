"""One network to many scenes, and back."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spl_gis import bezier, convert, formats, frames, tiles
from spl_gis.cli.group import cli
from spl_gis.errors import FileAccessError, FormatError, OptionError, SplGisError
from spl_gis.frames import Node
from spl_gis.model import SplineGraph, control_points, spline_graph
from spl_gis.report import Report
from spl_gis.tiles.cut import LEAST

HALF_STEP = tiles.STEP / 2


@pytest.fixture(scope="module")
def town(sample_data: Path) -> SplineGraph:
    lines = formats.read(sample_data / "town.gpkg")
    frame = frames.scene_frame(lines.coords, lines.crs)
    return convert.lines_to_graph(lines, frame, fit="fast")


def shift(tile: tiles.Tile) -> np.ndarray:
    return np.array([tile.node.x, tile.node.y, tile.node.z])


def in_scene(tile: tiles.Tile) -> np.ndarray:
    """Give the control points of a tile in the frame of the whole network."""
    return control_points(tile.graph) + shift(tile)


def points_in_scene(tile: tiles.Tile) -> np.ndarray:
    return tile.graph.points + shift(tile)


SIZES = [{"size": 100.0}, {"size": 333.0}, {"size": 5000.0}, {"max_segments": 10}, {"max_segments": 1000}]


@pytest.mark.parametrize("asked", SIZES, ids=str)
def test_each_segment_lies_in_its_tile(town: SplineGraph, asked: dict[str, float]) -> None:
    for tile in tiles.split(town, **asked):
        low, high = np.moveaxis(bezier.bounds(in_scene(tile))[..., :2], 1, 0)
        assert (low >= tile.bounds[:2] - LEAST - HALF_STEP).all()
        assert (high <= tile.bounds[2:] + LEAST + HALF_STEP).all()


@pytest.mark.parametrize("asked", SIZES, ids=str)
def test_the_union_is_the_network(town: SplineGraph, asked: dict[str, float]) -> None:
    parts = tiles.split(town, **asked)
    joined = tiles.join([tile.graph for tile in parts], [tile.node for tile in parts])
    before = convert.graph_to_lines(town, tolerance=1e-3)
    after = convert.graph_to_lines(joined, tolerance=1e-3)
    assert after.features.fid.tolist() == before.features.fid.tolist()
    for name, column in before.features.columns.items():
        assert after.features.columns[name].values.tolist() == column.values.tolist()
    assert after.part.tolist() == before.part.tolist()
    assert frames.same(joined.crs, town.crs)
    for line in range(len(before)):
        a, b = (got.coords[got.offsets[line] : got.offsets[line + 1]] for got in (before, after))
        lengths = [np.linalg.norm(np.diff(vertices[:, :2], axis=0), axis=1).sum() for vertices in (a, b)]
        assert lengths[0] == pytest.approx(lengths[1], abs=0.01 + 1e-5 * lengths[0])
        assert np.abs(a[[0, -1]] - b[[0, -1]]).max() < 2 * HALF_STEP


@pytest.mark.parametrize("asked", SIZES, ids=str)
def test_tiles_agree_on_the_points_they_share_in_float32(town: SplineGraph, asked: dict[str, float]) -> None:
    parts = tiles.split(town, **asked)
    whole = np.concatenate([points_in_scene(tile) for tile in parts])
    engine = np.concatenate(
        [tile.graph.points.astype(np.float32).astype(float) + shift(tile) for tile in parts]
    )
    _, same, times = np.unique(whole, axis=0, return_inverse=True, return_counts=True)
    shared = times[same.reshape(-1)] > 1
    assert shared.any() == (len(parts) > 1)
    assert (engine[shared] == whole[shared]).all()
    assert np.abs(engine - whole).max() < 1e-3


@pytest.mark.parametrize("asked", [{"size": 100.0}, {"max_segments": 10}], ids=str)
def test_roads_go_on_smoothly_across_borders(town: SplineGraph, asked: dict[str, float]) -> None:
    report = Report()
    parts = tiles.split(town, **asked, report=report)
    joined = tiles.join([tile.graph for tile in parts], [tile.node for tile in parts])
    handles = joined.tangents / np.linalg.norm(joined.tangents, axis=2, keepdims=True)
    order = np.argsort(joined.row)
    first, second = order[:-1], order[1:]
    follows = (joined.ends[first, 1] == joined.ends[second, 0]) & (joined.line[first] == joined.line[second])
    turn = np.linalg.norm(handles[first, 1] + handles[second, 0], axis=1)
    assert report.counts["segments cut at borders"] == len(joined) - len(town) > 10
    straight = np.linalg.norm(
        handles_of(town)[:-1, 1] + handles_of(town)[1:, 0], axis=1
    )  # of joints that the network has itself
    inner = (town.ends[:-1, 1] == town.ends[1:, 0]) & (town.line[:-1] == town.line[1:])
    assert (turn[follows] > 1e-7).sum() == (straight[inner] > 1e-7).sum()


def handles_of(graph: SplineGraph) -> np.ndarray:
    return graph.tangents / np.linalg.norm(graph.tangents, axis=2, keepdims=True)


def test_features_of_two_layers_with_the_same_ids_stay_apart(sample_data: Path) -> None:
    town = formats.read(sample_data / "town.gpkg")
    other = dataclasses.replace(
        town,
        coords=town.coords + np.array([5000.0, 0.0, 0.0]),
        features=dataclasses.replace(town.features, layer="other"),
    )
    both = convert.merge([town, other], Report())
    graph = convert.lines_to_graph(both, frames.scene_frame(both.coords, both.crs), fit="vertices")
    parts = tiles.split(graph, size=1000.0)
    joined = tiles.join([tile.graph for tile in parts], [tile.node for tile in parts])
    after = convert.graph_to_lines(joined)
    assert len(after.features) == len(graph.features) == 2 * len(town.features)
    assert len(after) == len(both)
    names = after.features.columns["source_layer"].values.tolist()
    assert sorted(names) == sorted(graph.features.columns["source_layer"].values.tolist())


def test_a_tile_has_no_more_segments_than_asked_for(town: SplineGraph) -> None:
    parts = tiles.split(town, max_segments=10)
    assert max(len(tile.graph) for tile in parts) <= 10
    assert len({tile.name for tile in parts}) == len(parts) > 4


def test_whole_segments_belong_to_the_tile_of_their_middle(town: SplineGraph) -> None:
    parts = tiles.split(town, size=200.0, cut=False)
    assert sum(len(tile.graph) for tile in parts) == len(town)
    for tile in parts:
        middle = bezier.evaluate(in_scene(tile), 0.5)[:, :2]
        assert (middle >= tile.bounds[:2] - 1e-3).all() and (middle <= tile.bounds[2:] + 1e-3).all()


def test_segments_at_the_same_place_keep_apart(town: SplineGraph) -> None:
    controls = np.array([[[-150.0, 5, 0], [-50, 5, 0], [50, 5, 0], [150, 5, 0]]] * 2)
    twice = spline_graph(
        controls[:, [0, 3]].reshape(-1, 3), [[0, 1], [2, 3]], [[[100, 0, 0], [-100, 0, 0]]] * 2, crs=town.crs
    )
    parts = tiles.split(twice, size=100.0)
    joined = tiles.join([tile.graph for tile in parts], [tile.node for tile in parts])
    degree = np.bincount(joined.ends.ravel())
    assert len(parts) == 4 and len(joined) == 8
    assert sorted(degree.tolist()) == [1] * 4 + [2] * 6


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.floats(3.0, 500.0),
    most=st.integers(1, 20),
    by_size=st.booleans(),
)
def test_any_curves_are_cut_without_loss(seed: int, size: float, most: int, by_size: bool) -> None:
    rng = np.random.default_rng(seed)
    controls = rng.normal(0, 200, (6, 4, 3)) + rng.normal(0, 1000, (6, 1, 3))
    graph = spline_graph(
        controls[:, [0, 3]].reshape(-1, 3),
        np.arange(12).reshape(-1, 2),
        np.stack([controls[:, 1] - controls[:, 0], controls[:, 2] - controls[:, 3]], axis=1),
    )
    parts = tiles.split(graph, **({"size": size} if by_size else {"max_segments": most}))
    assert sum(bezier.length(in_scene(tile)).sum() for tile in parts) == pytest.approx(
        bezier.length(controls).sum(), rel=1e-4
    )
    for tile in parts:
        low, high = np.moveaxis(bezier.bounds(in_scene(tile))[..., :2], 1, 0)
        # a curve that runs along a border may have a long part that leaves it by less than that
        assert (low >= tile.bounds[:2] - 3 * LEAST).all() and (high <= tile.bounds[2:] + 3 * LEAST).all()
        if not by_size:
            assert len(tile.graph) <= most or tile.bounds[2] - tile.bounds[0] < 2


def test_tiles_have_frames_of_their_own(town: SplineGraph) -> None:
    parts = tiles.split(town, size=300.0)
    for tile in parts:
        assert tile.graph.crs is not None and frames.node_of(tile.graph.crs) == tile.node
        there = frames.transform(tile.graph.points, tile.graph.crs, town.crs)
        assert np.abs(there - points_in_scene(tile)).max() < 1e-6


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "--size or --max-segments"),
        ({"size": 100.0, "max_segments": 3}, "--size or --max-segments"),
        ({"size": 0.5}, "at least 1 m"),
        ({"size": float("nan")}, "at least 1 m"),
        ({"max_segments": 0}, "room for a segment"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_a_sentence(town: SplineGraph, asked: dict[str, float], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        tiles.split(town, **asked)


def test_a_graph_on_a_node_is_a_sentence(town: SplineGraph) -> None:
    hung = dataclasses.replace(town, crs=frames.at_node(town.crs, Node(10, 20)))
    with pytest.raises(OptionError, match="hangs on a node"):
        tiles.split(hung, size=100.0)


def test_far_reaching_tiles_are_told(town: SplineGraph) -> None:
    far = dataclasses.replace(town, points=town.points * 100, tangents=town.tangents * 100)
    report = Report()
    tiles.split(far, size=100_000.0, report=report)
    assert "from their origin" in report.warnings[0]


def write(graph: SplineGraph, folder: Path, **more: object) -> None:
    tiles.write_tiles(tiles.split(graph, size=300.0), folder, graph.crs, **more)


def test_a_folder_of_tiles_comes_back(town: SplineGraph, tmp_path: Path) -> None:
    write(town, tmp_path / "town")
    joined = tiles.read_tiles(tmp_path / "town")
    index = json.loads((tmp_path / "town" / "tiles.json").read_text(encoding="utf-8"))
    assert sum(tile["segments"] for tile in index["tiles"]) == len(joined)
    before, after = convert.graph_to_lines(town), convert.graph_to_lines(joined)
    assert after.features.fid.tolist() == before.features.fid.tolist()
    one = tmp_path / "town" / index["tiles"][0]["file"]
    alone = convert.graph_to_lines(formats.read(one))
    assert set(alone.features.fid.tolist()) < set(before.features.fid.tolist())


def test_the_map_of_tiles_shows_their_extents(town: SplineGraph, tmp_path: Path) -> None:
    import pyogrio
    import shapely

    write(town, tmp_path / "town")
    meta, _, geometry, columns = pyogrio.raw.read(tmp_path / "town" / "tiles.gpkg", layer="tiles")
    index = json.loads((tmp_path / "town" / "tiles.json").read_text(encoding="utf-8"))
    assert meta["crs"] == "EPSG:32633"
    assert columns[0].tolist() == [tile["file"] for tile in index["tiles"]]
    assert shapely.area(shapely.from_wkb(geometry)) == pytest.approx(300.0**2)


def test_only_a_folder_of_tiles_is_replaced_and_only_when_asked(town: SplineGraph, tmp_path: Path) -> None:
    folder = tmp_path / "town"
    write(town, folder)
    with pytest.raises(FileAccessError, match="already exists"):
        write(town, folder)
    (folder / "stale.spl").write_text("old")
    write(town, folder, overwrite=True)
    assert not (folder / "stale.spl").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious.txt").write_text("mine")
    with pytest.raises(FileAccessError, match=r"no tiles\.json"):
        write(town, other, overwrite=True)
    assert (other / "precious.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "town"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an index"),
        ('{"format": "spl-gis tiles", "version": 9}', "update spl-gis"),
        ('{"format": "spl-gis tiles", "version": 1, "tiles": [{}]}', r"\$.tiles\[0\].*needs a file"),
        (
            '{"format": "spl-gis tiles", "version": 1, "tiles": [{"file": "a.spl", "node": [1, 2]}]}',
            "needs a file",
        ),
        ('{"format": "spl-gis tiles", "version": 1, "tiles": []}', "no tiles"),
    ],
)
def test_a_broken_index_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "tiles.json").write_text(text, encoding="utf-8")
    with pytest.raises((FormatError, SplGisError), match=said):
        tiles.read_tiles(tmp_path)


def test_an_index_reads_only_beside_itself(town: SplineGraph, tmp_path: Path) -> None:
    write(town, tmp_path / "town")
    index = tmp_path / "town" / "tiles.json"
    data = json.loads(index.read_text(encoding="utf-8"))
    data["tiles"] = [{**data["tiles"][0], "file": "../../" + data["tiles"][0]["file"]}]
    index.write_text(json.dumps(data), encoding="utf-8")
    assert len(tiles.read_tiles(index)) == data["tiles"][0]["segments"]


def test_the_command_divides_and_convert_joins(sample_data: Path, tmp_path: Path) -> None:
    folder, back = tmp_path / "town", tmp_path / "back.gpkg"
    asked = ["--size", "300", "--fit", "vertices", "--report", str(tmp_path / "r.json"), "--quiet"]
    cli.main(["tile", str(sample_data / "town.gpkg"), str(folder), *asked], standalone_mode=False)
    cli.main(["convert", str(folder), str(back), "--quiet"], standalone_mode=False)
    source, got = formats.read(sample_data / "town.gpkg"), formats.read(back)
    assert got.features.fid.tolist() == source.features.fid.tolist()
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["counts"]["tiles"] == len(list(folder.glob("*.spl")))


def test_options_of_lines_do_nothing_for_a_graph(sample_data: Path, tmp_path: Path) -> None:
    command = ["tile", str(sample_data / "bridge.spl"), str(tmp_path / "x"), "--size", "100", "--fit", "fast"]
    with pytest.raises(OptionError, match="--fit does nothing"):
        cli.main(command, standalone_mode=False)
    assert list(tmp_path.iterdir()) == []
