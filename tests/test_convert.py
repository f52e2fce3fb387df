"""The three jobs, on lines made here."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert
from spl_gis.errors import GeoreferenceError, OptionError
from spl_gis.fitting import FitOptions
from spl_gis.frames import Origin, map_frame, topocentric_frame, transform
from spl_gis.model import Features, LineStrings, control_points, spline_graph
from spl_gis.report import Report
from spl_gis.topology import NetworkOptions

UTM = CRS("EPSG:32633")
CENTRE = np.array([500_000.0, 5_500_000.0, 0])
FRAME = map_frame(UTM, Origin(x=CENTRE[0], y=CENTRE[1]))


def network(
    *lines: list, crs: CRS = UTM, part: list[int] | None = None, feature: list[int] | None = None
) -> LineStrings:
    """Make lines of places given in metres from the centre; a place may leave out its height."""
    rows = [[*place, np.nan][:3] for line in lines for place in line]
    feature = list(range(len(lines))) if feature is None else feature
    features = Features(100 + np.arange(max(feature) + 1), {}, "roads")
    offsets = np.cumsum([0, *map(len, lines)])
    return LineStrings(np.array(rows) + CENTRE, offsets, feature, part or [-1] * len(lines), features, crs)


T = network([(0, 0), (50, 0), (100, 0)], [(50, 0), (50, 80)])


def test_shared_vertices_share_one_point():
    graph = convert.lines_to_graph(T, FRAME, fit="vertices")
    assert graph.ends.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert graph.points.tolist() == [[0, 0, 0], [50, 0, 0], [100, 0, 0], [50, 80, 0]]
    assert graph.line.tolist() == [0, 0, 1]
    assert graph.crs == FRAME


def test_without_welding_each_line_has_its_own_points():
    graph = convert.lines_to_graph(T, FRAME, network=NetworkOptions(weld=None), fit="vertices")
    assert graph.ends.tolist() == [[0, 1], [1, 2], [3, 4]]
    assert len(graph.points) == 5


def test_a_bridge_and_the_road_below_never_meet():
    graph = convert.lines_to_graph(
        network([(-50, 0, 5), (50, 0, 5)], [(0, -50, 0), (0, 50, 0)]), FRAME, fit="vertices"
    )
    assert len(graph.points) == 4


def test_same_place_in_plan_but_another_height_is_another_point():
    graph = convert.lines_to_graph(
        network([(0, 0, 5), (50, 0, 5)], [(0, 0, 0), (0, 50, 0)]), FRAME, fit="vertices"
    )
    assert len(graph.points) == 4


def test_a_ring_is_smooth_at_its_seam():
    angle = np.linspace(0, 2 * np.pi, 13)[:-1]
    circle = [(20 * np.cos(a), 20 * np.sin(a)) for a in angle]
    graph = convert.lines_to_graph(network([*circle, circle[0]]), FRAME, fit="vertices")
    assert len(graph.points) == len(graph) == 12
    leaving, arriving = graph.tangents[0, 0], graph.tangents[-1, 1]
    assert np.allclose(np.cross(leaving, arriving), 0, atol=1e-12)
    assert leaving @ arriving < 0


def test_flat_lines_are_said_once_and_come_back_flat():
    report = Report()
    graph = convert.lines_to_graph(T, FRAME, report=report, fit="vertices")
    assert (graph.points[:, 2] == 0).all()
    assert report.notes.count("the lines have no heights: they lie at z = 0") == 1
    assert convert.graph_to_lines(graph).planar


def test_single_missing_heights_are_interpolated_and_reported():
    report = Report()
    lines = network([(0, 0, 10), (50, 0), (100, 0, 20)], [(0, 50, 1), (0, 90, 1)])
    graph = convert.lines_to_graph(lines, FRAME, report=report, fit="vertices")
    assert graph.points[1].tolist() == [50, 0, 15]
    assert [(remark.fid, remark.reason) for remark in report.repaired] == [
        (100, "missing heights were taken from its neighbours")
    ]


def test_repeated_vertices_are_left_out_and_lines_without_length_refused():
    report = Report()
    lines = network([(0, 0), (0, 0), (9, 0), (9, 0)], [(5, 5), (5, 5)])
    graph = convert.lines_to_graph(lines, FRAME, report=report, fit="vertices")
    assert len(graph) == 1
    assert graph.features.fid.tolist() == [100]
    assert [remark.fid for remark in report.repaired] == [100]
    assert [(remark.fid, remark.reason) for remark in report.refused] == [
        (101, "a line without length in the scene")
    ]


def test_a_feature_that_cannot_be_projected_is_refused_and_the_rest_goes_on():
    wgs84 = CRS("EPSG:4326")
    degrees = np.array([[15, 49, 0], [15.01, 49, 0], [15, 49, 0], [15, 200, 0]])
    lines = LineStrings(degrees, [0, 2, 4], [0, 1], [-1, -1], Features([7, 8]), wgs84)
    report = Report()
    graph = convert.lines_to_graph(lines, FRAME, report=report, fit="vertices")
    assert len(graph) == 1
    assert [remark.fid for remark in report.refused] == [8]


def test_lines_without_a_place_need_a_frame_without_one():
    lines = dataclasses.replace(T, crs=None)
    assert convert.lines_to_graph(lines, None, fit="vertices").crs is None
    with pytest.raises(GeoreferenceError, match="--source-crs"):
        convert.lines_to_graph(lines, FRAME, fit="vertices")


def test_features_come_back_with_their_parts():
    lines = network([(0, 0, 1), (30, 5, 1), (60, 0, 1)], [(0, 9, 1), (30, 9, 1)], part=[0, 1], feature=[0, 0])
    back = convert.graph_to_lines(convert.lines_to_graph(lines, FRAME, fit="vertices"))
    assert back.crs == UTM
    assert back.part.tolist() == [0, 1]
    assert back.feature.tolist() == [0, 0]
    assert np.abs(back.coords[back.offsets[:-1]] - lines.coords[lines.offsets[:-1]]).max() < 1e-6


def test_segments_without_a_feature_come_as_features_without_attributes():
    graph = convert.lines_to_graph(T, FRAME, fit="vertices")
    line = graph.line.copy()
    line[2] = -1
    report = Report()
    lines = convert.graph_to_lines(dataclasses.replace(graph, line=line), report=report)
    assert lines.features.fid[lines.feature].tolist() == [100, -1]
    assert "1 segments belong to no source feature" in report.notes[0]


def test_a_torn_line_comes_back_in_parts():
    graph = convert.lines_to_graph(network([(0, 0), (10, 0), (20, 0), (30, 0)]), FRAME, fit="vertices")
    stay = np.array([True, False, True])
    torn = dataclasses.replace(
        graph,
        ends=graph.ends[stay],
        tangents=graph.tangents[stay],
        ups=graph.ups[stay],
        line=graph.line[stay],
    )
    report = Report()
    lines = convert.graph_to_lines(torn, report=report)
    assert lines.part.tolist() == [0, 1]
    assert lines.feature.tolist() == [0, 0]
    assert "1 lines no longer hang together" in report.warnings[0]


def test_chains_and_segments_have_their_length_in_the_scene():
    graph = convert.lines_to_graph(T, FRAME, fit="vertices")
    chains = convert.graph_to_lines(graph, kind="chains")
    assert chains.features.columns["length"].values.tolist() == pytest.approx([50, 50, 80], abs=1e-9)
    assert chains.features.columns["start_index"].values.tolist() == [0, 1, 1]
    assert chains.features.columns["end_index"].values.tolist() == [1, 2, 3]
    segments = convert.graph_to_lines(graph, kind="segments")
    assert len(segments) == 3
    assert segments.features.columns["length"].values.sum() == pytest.approx(180, abs=1e-9)
    assert segments.features.columns["radius"].null.all()


def test_an_unknown_kind_is_a_sentence():
    with pytest.raises(OptionError, match="choose one of features, chains, segments"):
        convert.graph_to_lines(convert.lines_to_graph(T, FRAME, fit="vertices"), kind="roads")


places = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).map(lambda p: (p[0] * 40.0, p[1] * 40.0))
lines_strategy = st.lists(st.lists(places, min_size=2, max_size=6), min_size=1, max_size=6)


@given(lines_strategy)
def test_every_vertex_comes_back_within_the_tolerance(lines):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    source = network(*lines)
    back = convert.graph_to_lines(convert.lines_to_graph(source, FRAME, fit="vertices"), tolerance=0.01)
    assert len(back.features) == len(source.features)
    for i, line in enumerate(lines):
        got = np.concatenate(
            [back.coords[a:b, :2] for a, b, f in zip(back.offsets, back.offsets[1:], back.feature) if f == i]
        )
        for place in line:
            assert np.hypot(*(got - CENTRE[:2] - place).T).min() < 1e-6


@given(lines_strategy, st.randoms(use_true_random=False))
def test_the_order_of_features_does_not_matter(lines, random):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    shuffled = random.sample(lines, len(lines))
    own = NetworkOptions(through=False)  # of lines over each other the first goes on
    graphs = [
        convert.lines_to_graph(network(*some), FRAME, fit="vertices", network=own)
        for some in (lines, shuffled)
    ]
    controls = [np.sort(control_points(graph).reshape(-1, 12), axis=0) for graph in graphs]
    assert len(graphs[0].points) == len(graphs[1].points)
    assert np.array_equal(*controls)


def test_reprojection_moves_points_through_the_crs_and_keeps_their_order():
    graph = convert.lines_to_graph(T, FRAME, fit="vertices")
    there = map_frame(CRS("EPSG:32634"), Origin(lat=49.65, lon=15.0), rotation=30.0)
    moved = convert.reproject(graph, there)
    assert np.array_equal(moved.ends, graph.ends)
    assert np.allclose(moved.points, transform(graph.points, FRAME, there), rtol=0, atol=1e-9)
    back = convert.reproject(moved, FRAME)
    assert np.abs(back.points - graph.points).max() < 1e-6
    assert np.abs(back.tangents - graph.tangents).max() < 1e-6
    assert np.abs(back.ups - graph.ups).max() < 1e-9


def test_reprojection_maps_handles_by_the_derivative():
    graph = spline_graph(
        [[0, 0, 0], [5000, 3000, 0]], [[0, 1]], [[[1700, 1000, 0], [-1700, -1000, 0]]], crs=FRAME
    )
    mercator = map_frame(CRS("EPSG:3857"), Origin(lat=49.65, lon=15.0))
    moved = control_points(convert.reproject(graph, mercator, tolerance=1.0))[0]
    t = np.linspace(0, 1, 4001)[:, None]
    basis = np.hstack([(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3])
    image = transform(basis @ control_points(graph)[0], FRAME, mercator)
    curve = basis @ moved
    assert np.abs(image - curve).max() < 0.2
    nearest = np.sqrt(((image[::40, None] - curve[None]) ** 2).sum(axis=2)).min(axis=1)
    assert nearest.max() < 2.0


def test_up_vectors_turn_with_the_plane():
    graph = convert.lines_to_graph(network([(0, 0, 10), (50, 0, 10)]), FRAME, fit="vertices")
    far = topocentric_frame(Origin(lat=50.65, lon=15.0))
    moved = convert.reproject(graph, far)
    assert np.allclose(np.linalg.norm(moved.ups, axis=2), 1, atol=1e-12)
    lean = np.degrees(np.arccos(moved.ups[0, 0, 2]))
    assert lean == pytest.approx(1.0, abs=0.02)


def test_a_graph_without_a_place_cannot_be_reprojected():
    graph = spline_graph([[0, 0, 0], [9, 0, 0]], [[0, 1]], [[[3, 0, 0], [-3, 0, 0]]])
    with pytest.raises(GeoreferenceError, match="--origin"):
        convert.reproject(graph, FRAME)


def test_heights_that_were_added_to_a_flat_scene_are_kept():
    graph = convert.lines_to_graph(T, FRAME, fit="vertices")
    points = graph.points.copy()
    points[1, 2] = 25
    report = Report()
    lines = convert.graph_to_lines(dataclasses.replace(graph, points=points), report=report)
    assert lines.coords[:, 2].max() == 25
    assert "the source had no heights" in report.warnings[0]


@pytest.mark.parametrize(
    "frame", [topocentric_frame(Origin(lat=49.65, lon=15.0)), FRAME], ids=["plane", "map"]
)
def test_a_flat_scene_rewritten_in_float32_stays_flat(frame):
    graph = convert.lines_to_graph(network([(0, 0), (5000, 0), (9000, 4000)]), frame, fit="vertices")
    rewritten = dataclasses.replace(graph, points=graph.points.astype(np.float32))
    assert convert.graph_to_lines(rewritten).planar


def test_a_line_without_heights_takes_those_of_the_roads_that_it_meets():
    report = Report()
    lines = network([(0, 0, 200), (50, 0, 210)], [(50, 0), (90, 0)], [(500, 0), (600, 0)])
    graph = convert.lines_to_graph(lines, FRAME, report=report, fit="vertices")
    assert graph.ends.tolist() == [[0, 1], [1, 2], [3, 4]]
    assert graph.points[:, 2].tolist() == [200, 210, 210, 210, 210]
    assert [(remark.fid, remark.reason) for remark in report.repaired] == [
        (101, "missing heights were taken from its neighbours"),
        (102, "no vertex has a height: the line lies as high as the nearest that has one"),
    ]


def test_a_vertex_under_a_bridge_does_not_guess_its_height():
    lines = network([(0, 0, 5), (50, 0, 5)], [(0, 0, 0), (0, 50, 0)], [(0, 0), (-50, 0)])
    graph = convert.lines_to_graph(lines, FRAME, fit="vertices")
    assert graph.points[graph.ends[2], 2].tolist() == [0, 0]


def test_a_scene_far_from_its_origin_is_a_warning():
    report = Report()
    convert.lines_to_graph(T, map_frame(UTM, Origin(x=300_000, y=5_500_000)), report=report, fit="vertices")
    assert "200 km from its origin" in report.warnings[0]
    assert "--origin" in report.warnings[0]


def test_a_zero_up_vector_stays_one():
    graph = convert.lines_to_graph(T, FRAME, fit="vertices")
    ups = graph.ups.copy()
    ups[0, 0] = 0
    moved = convert.reproject(dataclasses.replace(graph, ups=ups), topocentric_frame(Origin(lat=50, lon=15)))
    assert moved.ups[0, 0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("fit", ["vertices", "unigine", "fast", "best"])
@pytest.mark.parametrize("tolerance", [0.1, 50.0])
def test_a_loop_at_the_end_of_a_road_is_no_self_loop(fit, tolerance):
    angle = np.linspace(0, 2 * np.pi, 13)[:-1]
    circle = [(20 * np.cos(a), 20 * np.sin(a)) for a in angle]
    lines = network([*circle, circle[0]], [(90, 0), circle[0]], [(0, 200), (30, 230), (0, 200)])
    graph = convert.lines_to_graph(lines, FRAME, fit=fit, options=FitOptions(tolerance=tolerance))
    assert (graph.ends[:, 0] != graph.ends[:, 1]).all()
    assert (np.abs(graph.tangents).max(axis=2) > 0).all()


@pytest.mark.parametrize("fit", ["vertices", "fast"])
def test_deviations_of_each_feature_are_reported(fit):
    report = Report()
    lines = network([(0, 0), (30, 1), (60, 0), (90, 3)], [(0, 50), (90, 50)])
    convert.lines_to_graph(lines, FRAME, fit=fit, options=FitOptions(tolerance=0.2), report=report)
    assert report.deviations["fid"] == [100, 101]
    assert report.deviations["curve deviation [m]"][1] == 0
    assert report.measures["curve deviation [m]"] == pytest.approx(
        max(report.deviations["curve deviation [m]"]), abs=1e-6
    )
    assert report.measures["vertex deviation [m]"] <= 0.2


def test_noise_above_a_third_of_the_tolerance_is_told():
    random = np.random.default_rng(5)
    x = np.arange(400) * 5.0
    y = 30 * np.sin(x / 90) + random.normal(0, 0.2, 400)
    report = Report()
    convert.lines_to_graph(network(list(zip(x, y))), FRAME, fit="fast", report=report)
    assert any("a tolerance of" in note for note in report.notes)


def test_a_feature_with_huge_coordinates_is_refused_and_the_rest_goes_on():
    coords = np.array([[0, 0, 0], [50, 1, 0], [90, 9, 0], [0, 0, 0], [1e13, 0, 0]])
    lines = LineStrings(coords, [0, 3, 5], [0, 1], [-1, -1], Features([7, 8]), None)
    report = Report()
    graph = convert.lines_to_graph(lines, None, report=report)
    assert np.unique(graph.line_feature[graph.line]).tolist() == [0]
    assert [remark.fid for remark in report.refused] == [8]
    assert "so large" in report.refused[0].reason
