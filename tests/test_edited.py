"""Layers of segments, points and handles become their graph again, also after edits."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert, formats
from spl_gis.errors import GeoreferenceError, OptionError
from spl_gis.formats import vector
from spl_gis.frames import Origin, map_frame, transform
from spl_gis.model import Column, Features, LineStrings, Points, SplineGraph, spline_graph
from spl_gis.report import Report

UTM = CRS("EPSG:32633")
FRAME = map_frame(UTM, Origin(x=500_000.0, y=5_500_000.0))
WAYS = [("segments",), ("points", "handles"), ("handles",)]


def network(*lines: list, height: float = 5.0) -> LineStrings:
    """Make named lines of places given in metres of the scene."""
    coords = np.array([[x + 500_000, y + 5_500_000, height] for line in lines for x, y in line])
    names = Column(
        np.array([f"road {i}" for i in range(len(lines))], object), np.zeros(len(lines), bool), "String"
    )
    features = Features(100 + np.arange(len(lines)), {"name": names, "length": names}, "roads")
    return LineStrings(
        coords,
        np.cumsum([0, *map(len, lines)]),
        np.arange(len(lines)),
        np.full(len(lines), -1),
        features,
        UTM,
    )


def cross() -> SplineGraph:
    """Give four bent roads that meet at (0, 0), of two segments each, numbered from the outside in."""
    arms = [
        [(90 * x + 9 * y, 90 * y), (45 * x, 45 * y), (0, 0)] for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))
    ]
    return convert.lines_to_graph(network(*arms), FRAME, fit="vertices")


def layers(graph: SplineGraph, way: tuple[str, ...], **options: object) -> list[LineStrings | Points]:
    return [
        convert.graph_to_points(graph, **options)
        if kind == "points"
        else convert.graph_to_lines(graph, kind=kind, **options)
        for kind in way
    ]


def again(made: list[LineStrings | Points], report: Report | None = None) -> SplineGraph:
    points = [data for data in made if isinstance(data, Points)]
    return convert.edited_to_graph(made[-1], points[0] if points else None, report=report)


def assert_same(first: SplineGraph, second: SplineGraph) -> None:
    """Compare all that a graph holds, but for the layer's own CRS."""
    for name in ("points", "ends", "tangents", "ups", "line", "line_feature", "line_part"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)
    assert first.crs == second.crs
    assert first.planar == second.planar
    assert_same_features(first.features, second.features)


def assert_same_features(first: Features, second: Features) -> None:
    assert first.fid.tolist() == second.fid.tolist()
    assert list(first.columns) == list(second.columns)
    assert first.layer == second.layer
    for name, column in first.columns.items():
        other = second.columns[name]
        assert (column.type, column.subtype, column.null.tolist()) == (
            other.type,
            other.subtype,
            other.null.tolist(),
        )
        assert column.values[~column.null].tolist() == other.values[~other.null].tolist()


def with_column(lines: LineStrings, name: str, row: int, value: object) -> LineStrings:
    """Type something into a field."""
    columns = dict(lines.features.columns)
    values, null = columns[name].values.copy(), columns[name].null.copy()
    values[row], null[row] = value, False
    columns[name] = dataclasses.replace(columns[name], values=values, null=null)
    return dataclasses.replace(lines, features=Features(lines.features.fid, columns, lines.features.layer))


def with_vertices(lines: LineStrings, moves: dict[tuple[int, int], tuple[float, float]]) -> LineStrings:
    """Move vertices, named by line and number in it, by metres."""
    coords = lines.coords.copy()
    for (line, vertex), (x, y) in moves.items():
        at = lines.offsets[line + (vertex < 0)] + vertex
        coords[at, :2] += (x, y)
    return dataclasses.replace(lines, coords=coords)


def without(lines: LineStrings, rows: list[int]) -> LineStrings:
    from spl_gis.model import select_lines

    return select_lines(lines, ~np.isin(lines.feature, rows))


def with_line(lines: LineStrings, *places: tuple[float, float], copy_of: int = -1) -> LineStrings:
    """Draw a line more, in a row without numbers, or in a copy of another row."""
    coords = np.array([[x + 500_000, y + 5_500_000, 5.0] for x, y in places])
    table = lines.features.take(np.append(np.arange(len(lines.features)), copy_of))
    return dataclasses.replace(
        lines,
        coords=np.concatenate([lines.coords, coords]),
        offsets=np.append(lines.offsets, len(lines.coords) + len(coords)),
        feature=np.append(lines.feature, len(table) - 1),
        part=np.append(lines.part, -1),
        features=table,
    )


def random_graph(seed: int) -> SplineGraph:
    """Give a tangle: shared points, lines in parts, segments of no line."""
    make = np.random.default_rng(seed)
    ends = np.array([make.choice(6, 2, replace=False) for _ in range(9)])
    ups = make.normal(size=(9, 2, 3))
    nulls = np.array([False, True, False])
    count = Column(np.array([2**53 + 1, 0, -1]), nulls, "Integer64")
    line = np.sort(make.integers(-1, 4, 9))
    used = np.unique(line[line >= 0], return_inverse=True)
    feature = np.unique(np.array([0, 1, 1, 2])[used[0]], return_inverse=True)
    line[line >= 0] = used[1]
    used_points = np.unique(ends, return_inverse=True)
    room = (1, 1, 0) if seed % 2 else (1, 1, 1)
    return SplineGraph(
        make.uniform(-500, 500, (len(used_points[0]), 3)) * room,
        used_points[1].reshape(-1, 2),
        make.uniform(-90, 90, (9, 2, 3)) * room,
        ups / np.linalg.norm(ups, axis=2, keepdims=True),
        line,
        feature[1],
        np.array([-1, 0, 1, -1])[used[0]],
        Features(
            np.array([7, 3, 5]), {"n": count, "source_x": count, "x": count, "fid": count}, "roads"
        ).take(feature[0]),
        FRAME,
        UTM,
        bool(seed % 2),
    )


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_a_graph_comes_back_as_it_was(way, seed):
    graph = random_graph(seed)
    report = Report()
    assert_same(again(layers(graph, way), report), graph)
    assert report.warnings == []


@pytest.mark.parametrize("engine", vector.ENGINES)
@pytest.mark.parametrize(("suffix", "way"), [(".gpkg", WAYS[0]), (".geojson", WAYS[0]), (".gpkg", WAYS[1])])
def test_the_town_comes_back_through_files(sample_data, tmp_path, engine, suffix, way):
    town = vector.read(sample_data / "town.gpkg")
    graph = convert.lines_to_graph(town, map_frame(UTM, Origin(lat=49.31, lon=14.42)), fit="vertices")
    crs = CRS("OGC:CRS84") if suffix == ".geojson" else None
    path = tmp_path / f"a{suffix}"
    vector.write(layers(graph, way, to_crs=crs), path, engine=engine)
    read = [
        vector.read_points(path, kind, engine=engine)
        if kind == "points"
        else vector.read(path, layer=kind if len(way) > 1 else None, engine=engine)
        for kind in way
    ]
    got = again(read)
    for name in ("points", "ends", "tangents", "ups", "line", "line_feature", "line_part"):
        np.testing.assert_array_equal(getattr(got, name), getattr(graph, name), name)
    assert got.crs == graph.crs
    assert got.features.fid.tolist() == graph.features.fid.tolist()
    assert list(got.features.columns) == list(graph.features.columns)
    for name, column in graph.features.columns.items():
        assert got.features.columns[name].null.tolist() == column.null.tolist()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3035", "EPSG:2154"])
def test_another_crs_changes_nothing(way, crs):
    graph = cross()
    moved = layers(graph, way, to_crs=CRS(crs))
    assert_same(again(moved), graph)


def test_unchanged_segments_are_bit_equal_beside_edited_ones():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    report = Report()
    got = again([with_column(lines, "start_ty", 2, 7.25)], report)
    assert got.tangents[2, 0, 1] == 7.25
    tangents = graph.tangents.copy()
    tangents[2, 0, 1] = 7.25
    assert_same(got, dataclasses.replace(graph, tangents=tangents))
    assert report.counts["segments edited"] == 1
    assert report.counts["segments unchanged"] == 7


def test_an_end_that_was_typed_in_moves_the_point_of_all():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    report = Report()
    got = again([with_column(lines, "end_x", 1, 3.0)], report)
    points = graph.points.copy()
    points[graph.ends[1, 1], 0] = 3.0
    assert_same(got, dataclasses.replace(graph, points=points))
    assert report.counts["points moved"] == 1


def test_a_line_that_was_redrawn_is_fitted_anew_and_keeps_its_index():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    middle = int(np.diff(lines.offsets)[2] // 2)
    report = Report()
    got = again([with_vertices(lines, {(2, middle): (3, 4)})], report)
    assert report.counts["segments fitted anew"] == 1
    pieces = np.diff(lines.offsets)[2] - 1
    assert len(got) == len(graph) + pieces - 1
    assert got.ends[2, 0] == graph.ends[2, 0]
    assert got.ends[-1, 1] == graph.ends[2, 1]
    others = np.delete(np.arange(8), 2)
    assert np.array_equal(got.ends[others], graph.ends[others])
    assert np.array_equal(got.tangents[others], graph.tangents[others])
    assert np.array_equal(got.points[: len(graph.points)], graph.points)
    new = transform(with_vertices(lines, {(2, middle): (3, 4)}).coords, UTM, FRAME)[lines.offsets[2] + middle]
    assert np.abs(got.points - new).max(axis=1).min() < 1e-6
    # the pieces belong to the line of the segment, and follow one another in it
    back = convert.graph_to_lines(got)
    assert back.part.tolist() == [-1] * 4
    assert back.features.columns["name"].values.tolist() == [f"road {i}" for i in range(4)]


def test_a_junction_moved_with_all_its_lines_stays_one_point_with_its_index():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    centre = graph.ends[1, 1]
    arms = [1, 3, 5, 7]
    assert (graph.ends[arms, 1] == centre).all()
    got = again([with_vertices(lines, {(arm, -1): (2, 1) for arm in arms})])
    assert got.points[centre] == pytest.approx([2, 1, 5], abs=1e-6)
    assert (got.ends == centre).sum() == 4
    assert len(np.unique(got.ends)) == len(got.points)


def test_one_end_moved_away_leaves_the_junction():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    got = again([with_vertices(lines, {(1, -1): (2, 1)})])
    centre = graph.ends[1, 1]
    assert np.array_equal(got.points[centre], graph.points[centre])
    assert (got.ends == centre).sum() == 3


def test_edited_numbers_go_before_a_redrawn_line():
    (lines,) = layers(cross(), WAYS[0])
    report = Report()
    got = again([with_column(with_vertices(lines, {(2, 1): (3, 4)}), "end_tz", 2, 1.5)], report)
    assert len(got) == 8
    assert got.tangents[2, 1, 2] == 1.5
    assert "1 segments have both" in report.warnings[0]


def test_new_lines_are_appended_and_meet_the_points_they_end_at():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    x, y = graph.points[graph.ends[0, 0], :2]
    report = Report()
    edited = with_column(with_line(lines, (x, y), (x + 30, y), (x + 60, y + 20)), "name", -1, "new road")
    got = again([edited], report)
    assert len(got) == 10
    assert got.ends[8, 0] == graph.ends[0, 0]
    assert np.array_equal(got.tangents[:8], graph.tangents)
    assert report.counts["lines added"] == 1
    assert got.line.tolist() == [*graph.line.tolist(), 4, 4]
    assert got.features.columns["name"].values[-1] == "new road"
    assert got.features.fid.tolist() == [100, 101, 102, 103, 104]


def test_deleted_segments_are_reported_and_later_ones_move_up():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    report = Report()
    got = again([without(lines, [2, 3, 7])], report)
    assert np.array_equal(got.tangents, graph.tangents[[0, 1, 4, 5, 6]])
    assert report.counts["segments deleted"] == 3
    assert "segment 2, 3, 7" in report.warnings[0]
    assert got.features.columns["name"].values.tolist() == ["road 0", "road 2", "road 3"]


def test_a_row_that_was_copied_is_a_new_segment_of_the_same_line():
    graph = cross()
    (lines,) = layers(graph, WAYS[0])
    got = again([with_line(lines, (-300, -300), (-300, -200), copy_of=4)])
    assert np.array_equal(got.tangents[:8], graph.tangents)
    assert len(got) == 9
    assert got.line[8] == graph.line[4]


def test_attributes_are_taken_over_and_disagreement_is_said():
    (lines,) = layers(cross(), WAYS[0])
    report = Report()
    got = again([with_column(with_column(lines, "name", 0, "A"), "name", 1, "A")], report)
    assert got.features.columns["name"].values[0] == "A"
    assert report.warnings == []
    again([with_column(lines, "name", 1, "A")], report)
    assert "column 'name': 1 segments" in report.warnings[0]


def test_row_numbers_of_an_export_are_no_attribute():
    (lines,) = layers(cross(), WAYS[0])
    columns = {"fid": lines.features.columns["segment"], **lines.features.columns}
    assert_same(again([dataclasses.replace(lines, features=Features(lines.features.fid, columns))]), cross())


def test_without_its_frame_a_layer_needs_one():
    (lines,) = layers(cross(), WAYS[0])
    columns = dict(lines.features.columns)
    columns["scene"] = dataclasses.replace(columns["scene"], null=np.ones(8, bool))
    lost = dataclasses.replace(lines, features=Features(lines.features.fid, columns, "segments"))
    with pytest.raises(GeoreferenceError, match="--frame"):
        convert.edited_to_graph(lost)
    got = convert.edited_to_graph(lost, frame=FRAME)
    assert np.array_equal(got.points, cross().points)


def test_another_frame_than_the_layers_own_is_refused():
    (lines,) = layers(cross(), WAYS[0])
    assert_same(convert.edited_to_graph(lines, frame=FRAME), cross())
    with pytest.raises(GeoreferenceError, match="reproject"):
        convert.edited_to_graph(lines, frame=map_frame(UTM, Origin(x=0.0, y=0.0)))


@pytest.mark.parametrize("way", WAYS)
def test_a_graph_without_segments(way):
    none = spline_graph(np.zeros((0, 3)), [], np.zeros((0, 2, 3)), crs=FRAME)
    made = layers(none, way)
    points = made[0] if len(made) > 1 else None
    assert len(convert.edited_to_graph(made[-1], points, frame=FRAME)) == 0


def test_a_segment_without_numbers_is_refused():
    (lines,) = layers(cross(), WAYS[0])
    report = Report()
    got = again([with_column(lines, "end_uz", 2, np.nan)], report)
    assert len(got) == 7
    assert [(remark.fid, remark.reason[:25]) for remark in report.refused] == [
        (2, "a segment with a missing ")
    ]


def test_moved_points_and_handles_are_taken_over():
    graph = cross()
    points, handles = layers(graph, WAYS[1])
    coords = points.coords.copy()
    coords[2, :2] += (1, -2)
    report = Report()
    got = again(
        [dataclasses.replace(points, coords=coords), with_vertices(handles, {(5, 1): (4, 0)})], report
    )
    wanted = graph.points.copy()
    wanted[2] += (1, -2, 0)
    assert got.points == pytest.approx(wanted, abs=1e-6)
    assert np.array_equal(np.delete(got.points, 2, 0), np.delete(graph.points, 2, 0))
    assert got.tangents[2, 1] == pytest.approx(graph.tangents[2, 1] + (4, 0, 0), abs=1e-6)
    untouched = np.ones((8, 2), bool)
    untouched[2, 1] = False
    assert np.array_equal(got.tangents[untouched], graph.tangents[untouched])
    assert (report.counts["points moved"], report.counts["handles moved"]) == (1, 1)


def test_half_a_segment_is_refused():
    points, handles = layers(cross(), WAYS[1])
    report = Report()
    got = again([points, without(handles, [5])], report)
    assert len(got) == 7
    assert [remark.fid for remark in report.refused] == [4]
    assert "segments were deleted" in report.warnings[0]


def test_handles_alone_move_their_points_and_themselves():
    graph = cross()
    (handles,) = layers(graph, ("handles",))
    assert_same(again([handles]), graph)
    centre = np.flatnonzero(graph.ends.ravel() == graph.ends[1, 1])
    report = Report()
    got = again([with_vertices(handles, {(line, 0): (3, -2) for line in centre} | {(5, 1): (4, 0)})], report)
    wanted = graph.points.copy()
    wanted[graph.ends[1, 1]] += (3, -2, 0)
    assert got.points == pytest.approx(wanted, abs=1e-6)
    controls, before = (each.points[each.ends] + each.tangents for each in (got, graph))
    before[2, 1, 0] += 4
    assert controls == pytest.approx(before, abs=1e-6)
    assert report.counts["points moved"] == 1
    assert not report.warnings


def test_a_place_typed_into_handles_moves_the_point_and_torn_ones_are_told():
    graph = cross()
    (handles,) = layers(graph, ("handles",))
    report = Report()
    moved = with_column(handles, "x", 0, 77.0)
    got = again([moved], report)
    assert got.points[graph.ends[0, 0]].tolist() == [77.0, *graph.points[graph.ends[0, 0], 1:]]
    assert np.array_equal(got.tangents, graph.tangents)
    assert report.counts["points moved"] == 1
    assert not report.warnings
    middle = np.flatnonzero(graph.ends.ravel() == graph.ends[0, 1])
    again([with_vertices(handles, {(middle[0], 0): (1, 0), (middle[1], 0): (2, 0)})], report)
    assert "place a shared point differently" in report.warnings[0]


def test_points_of_something_else_are_refused():
    points, handles = layers(cross(), WAYS[1])
    other = dataclasses.replace(points, features=Features(points.features.fid, {}, "trees"))
    with pytest.raises(OptionError, match="not those that spl-gis wrote"):
        again([other, handles])


def test_other_lines_are_not_taken_for_ours():
    assert convert.edited_kind(network([(0, 0), (9, 9)])) is None
    assert convert.edited_kind(convert.graph_to_lines(cross(), kind="chains")) is None


def test_chains_say_what_is_at_their_ends():
    graph = cross()
    lines = convert.graph_to_lines(graph, kind="chains")
    columns = lines.features.columns
    assert columns["start_degree"].values.tolist() == [1] * 4
    assert columns["end_degree"].values.tolist() == [4] * 4
    assert columns["feature_id"].values.tolist() == [100, 101, 102, 103]
    assert columns["start_tx"].values.tolist() == graph.tangents[::2, 0, 0].tolist()
    assert columns["end_ty"].values.tolist() == graph.tangents[1::2, 1, 1].tolist()
    assert columns["end_uz"].values.tolist() == [1] * 4


def test_a_large_layer_carries_the_frame_in_some_rows():
    line = [(float(x), 0.0) for x in range(2501)]
    graph = convert.lines_to_graph(network(line), FRAME, fit="vertices")
    (lines,) = layers(graph, WAYS[0])
    known = ~lines.features.columns["scene"].null
    assert 250 < known.sum() < 301
    assert_same(again([lines]), graph)


def test_a_sidecar_keeps_the_order_of_pieces(tmp_path):
    (lines,) = layers(cross(), WAYS[0])
    got = again([with_vertices(lines, {(2, 1): (3, 4)})])
    formats.write(got, tmp_path / "a.spl")
    back = convert.graph_to_lines(formats.read(tmp_path / "a.spl"))
    assert back.part.tolist() == [-1] * 4
