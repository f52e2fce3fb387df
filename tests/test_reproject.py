"""Reprojection with a bound: curves against the true images of those before, sampled densely."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from pyproj import CRS

from benchmarks.convert import repeated
from spl_gis import bezier, convert, flatten, formats, frames
from spl_gis.convert.bounded import bounds
from spl_gis.cutting import cut
from spl_gis.errors import GeoreferenceError, OptionError
from spl_gis.formats import vector
from spl_gis.frames import Origin, map_frame, topocentric_frame
from spl_gis.model import Spans, SplineGraph, control_points, spline_graph
from spl_gis.report import Report
from spl_gis.topology import NetworkOptions

PLACE = Origin(lat=49.315, lon=14.425)
UTM = map_frame(CRS("EPSG:32633"), PLACE)
FAR = Origin(lat=49.315, lon=16.9)
"""Still in zone 33, and some 300 km from the middle of zone 34."""
TARGETS = {
    "Web Mercator": (PLACE, lambda place: map_frame(CRS("EPSG:3857"), place)),
    "next zone": (FAR, lambda place: map_frame(CRS("EPSG:32634"), place)),
    "topocentric": (PLACE, topocentric_frame),
    "Lambert-93": (PLACE, lambda place: map_frame(CRS("EPSG:2154"), place)),
}
T = np.linspace(0, 1, 101)
BERNSTEIN = np.stack([(1 - T) ** 3, 3 * T * (1 - T) ** 2, 3 * T**2 * (1 - T), T**3], axis=1)


def curve(controls: np.ndarray) -> np.ndarray:
    return np.einsum("tk,skc->stc", BERNSTEIN, controls)


def from_polyline(places: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Give the distances, shape (S, T), of places (S, T, 3) from polylines (S, V, 3), by brute force."""
    best = np.full(places.shape[:2], np.inf)
    for a, b in zip(np.moveaxis(vertices, 1, 0)[:-1], np.moveaxis(vertices, 1, 0)[1:]):
        chord = (b - a)[:, None]
        along = ((places - a[:, None]) * chord).sum(-1) / np.maximum((chord * chord).sum(-1), 1e-300)
        foot = a[:, None] + np.clip(along, 0, 1)[..., None] * chord
        best = np.minimum(best, np.linalg.norm(places - foot, axis=-1))
    return best


def chosen(graph: SplineGraph) -> np.ndarray:
    """Give up to 400 segments."""
    return np.random.default_rng(0).permutation(len(graph))[:400]


def achieved(old: SplineGraph, new: SplineGraph) -> tuple[np.ndarray, np.ndarray]:
    """Measure how far up to 400 segments are from their true images, both ways; and at equal parameters."""
    some = chosen(old)
    places = curve(control_points(old)[some])
    image = frames.transform(places.reshape(-1, 3), old.crs, new.crs).reshape(places.shape)
    drawn = curve(control_points(new)[some])
    few = slice(None, None, 7)
    ways = from_polyline(image[:, few], drawn).max(1), from_polyline(drawn[:, few], image).max(1)
    return np.maximum(*ways), np.linalg.norm(image - drawn, axis=-1).max(1)


def kinks(graph: SplineGraph) -> np.ndarray:
    """Give the angle [degrees] between both handles of each point that has two."""
    point, handle = graph.ends.ravel(), graph.tangents.reshape(-1, 3)
    two = np.flatnonzero(np.bincount(point) == 2)
    order = np.argsort(point, kind="stable")
    first = np.searchsorted(point[order], two)
    a, b = (handle[order[first + k]] for k in (0, 1))
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), -(a * b).sum(1)))


def doubted(report: Report) -> list[str]:
    """Give the warnings about deviations; others are about the frame."""
    return [warning for warning in report.warnings if "true images" in warning]


def still_smooth(old: SplineGraph, new: SplineGraph) -> bool:
    """Tell whether all joints that were smooth still are, within 1e-6 degrees more than they were."""
    before, after = kinks(old), kinks(new)
    smooth = before < 1e-5
    assert smooth.sum() > 10
    return bool((after[smooth] < before[smooth] + 1e-6).all())


@pytest.fixture(scope="module")
def town(sample_data) -> SplineGraph:
    """Give the sample town, on hills."""
    graph = convert.lines_to_graph(vector.read(sample_data / "town.gpkg"), UTM)
    x, y = graph.points[:, 0], graph.points[:, 1]
    heights = 300 + 20 * np.sin(x / 200) * np.cos(y / 300)
    return dataclasses.replace(graph, points=np.column_stack([x, y, heights]))


@pytest.fixture(scope="module")
def city(sample_data) -> SplineGraph:
    """Give 20 towns on a grid, 10 km wide."""
    lines = repeated(vector.read(sample_data / "town.gpkg"), 500)
    return convert.lines_to_graph(lines, UTM, fit="fast", network=NetworkOptions(through=False))


def at(graph: SplineGraph, place: Origin) -> SplineGraph:
    """Put a scene on another place of zone 33."""
    return dataclasses.replace(graph, crs=map_frame(CRS("EPSG:32633"), place))


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("scene", ["town", "city"])
def test_there_and_back_stays_within_the_bound_without_cuts(name, scene, request):
    place, frame = TARGETS[name]
    graph = at(request.getfixturevalue(scene), place)
    report = Report()
    there = convert.reproject(graph, frame(place), report=report)
    back = convert.reproject(there, graph.crs, report=report)
    for old, new in ((graph, there), (there, back)):
        assert np.array_equal(old.ends, new.ends)
        assert achieved(old, new)[0].max() < 0.01
        assert still_smooth(old, new)
    assert not doubted(report)
    assert "segments cut off" not in report.counts
    assert np.abs(back.points - graph.points).max() < 1e-6


@pytest.mark.parametrize("name", TARGETS)
def test_the_bound_holds_and_is_not_much_too_wide(name, town):
    place, frame = TARGETS[name]
    graph, report = at(town, place), Report()
    moved = convert.reproject(graph, frame(place), report=report)
    bound = np.array(report.deviations["reprojection deviation [m]"])[chosen(graph)]
    distance, apart = achieved(graph, moved)
    assert (distance <= bound + 1e-6).all()  # 6 decimals are kept
    assert report.measures["reprojection deviation [m]"] < 1.5 * distance.max() + 1e-6
    assert apart.max() < 0.01  # not even the parameters have moved


def test_real_streets(shared):
    lines = vector.read(
        shared / "frida-osnabrueck" / "strassen-joined.shp", bbox=[3432e3, 5793e3, 3435e3, 5796e3]
    )
    frame = frames.scene_frame(lines.coords, lines.crs)
    graph = convert.lines_to_graph(lines, frame, fit="fast", network=NetworkOptions(through=False))
    origin = Origin(lat=52.28, lon=8.05)
    for target in (map_frame(CRS("EPSG:3857"), origin), topocentric_frame(origin)):
        report = Report()
        moved = convert.reproject(graph, target, report=report)
        distance = achieved(graph, moved)[0]
        assert distance.max() <= report.measures["reprojection deviation [m]"] + 1e-6 < 0.01
        assert still_smooth(graph, moved)
        assert not doubted(report)


def bow(size: float) -> SplineGraph:
    """Give two curved segments with a smooth joint, and one that is straight."""
    points = np.array([[0, 0, 0], [1, 0.3, 0.01], [2, 0, 0], [3, 3, 0]]) * size
    tangents = np.array(
        [
            [[0.2, 0.5, 0], [-0.4, 0.1, 0]],
            [[0.4, -0.1, 0], [-0.3, -0.2, 0]],
            [[0.3, 0.9, 0], [-0.3, -0.9, 0]],
        ]
    )
    return spline_graph(points, [[0, 1], [1, 2], [2, 3]], tangents * size, crs=UTM)


def test_handles_are_refitted_beyond_the_tolerance_and_joints_stay_smooth():
    graph, report = bow(1500), Report()
    frame = map_frame(CRS("EPSG:3857"), PLACE)
    plain = convert.reproject(graph, frame, tolerance=100)
    moved = convert.reproject(graph, frame, report=report)
    assert achieved(graph, plain)[0].max() > 0.02
    assert achieved(graph, moved)[0].max() <= report.measures["reprojection deviation [m]"] < 0.01
    assert report.counts["segments refitted"] >= 1
    assert kinks(moved)[0] < kinks(graph)[0] + 1e-6
    both = plain.tangents, moved.tangents
    direction = [handles / np.linalg.norm(handles, axis=2, keepdims=True) for handles in both]
    assert np.allclose(*direction, atol=1e-12)
    assert not doubted(report)


def test_what_stays_beyond_the_tolerance_is_said_and_cut_only_when_allowed():
    graph, frame, report = bow(5000), topocentric_frame(PLACE), Report()
    moved = convert.reproject(graph, frame, report=report)
    assert len(moved) == 3
    assert "--allow-split" in report.warnings[-1]
    assert "$.segments[" in report.warnings[-1]
    report = Report()
    cut = convert.reproject(graph, frame, allow_split=True, report=report)
    assert report.measures["reprojection deviation [m]"] <= 0.01
    assert not any("--allow-split" in warning for warning in report.warnings)
    assert report.counts["segments cut off"] == len(cut) - 3
    assert np.array_equal(cut.points[:4], moved.points)
    assert np.array_equal(cut.ends[:3, 0], graph.ends[:, 0])
    assert kinks(cut).max() < kinks(graph).max() + 1e-6
    places = curve(control_points(graph))
    image = frames.transform(places.reshape(-1, 3), UTM, frame).reshape(places.shape)
    pieces = curve(control_points(cut))
    near = [from_polyline(image, np.broadcast_to(piece, (3, *piece.shape))) for piece in pieces]
    assert np.min(near, axis=0).max() < 0.1  # the pieces are sampled


def test_a_line_that_is_cut_comes_back_whole(town, tmp_path):
    pieces = cut(town, np.arange(len(town)) % 3 == 0)
    pieces = cut(pieces, np.arange(len(pieces)) % 4 == 0, 0.3)
    formats.write(pieces, tmp_path / "cut.spl")
    before, after = (convert.graph_to_lines(graph) for graph in (town, formats.read(tmp_path / "cut.spl")))
    assert len(before) == len(after)
    assert np.array_equal(before.feature, after.feature)
    assert np.array_equal(before.coords[before.offsets[:-1]], after.coords[after.offsets[:-1]])
    assert np.array_equal(before.coords[before.offsets[1:] - 1], after.coords[after.offsets[1:] - 1])


def test_kept_vertices_come_back_after_a_cut(sample_data):
    lines = vector.read(sample_data / "town.gpkg")
    graph = convert.keep_source(convert.lines_to_graph(lines, UTM), lines)
    pieces = cut(graph, np.arange(len(graph)) % 3 == 0)
    back = convert.graph_to_lines(pieces, exact=True)
    assert np.array_equal(back.coords, lines.coords, equal_nan=True)


def test_spans_follow_a_cut():
    graph = dataclasses.replace(
        spline_graph([[0, 0, 0], [90, 0, 0]], [[0, 1]], [[[30, 0, 0], [-30, 0, 0]]], crs=UTM),
        **{"line": [0], "line_feature": [0, 0], "line_part": [-1, -1]},
        features=vector.Features([7]),
        spans=Spans([0, 1], [0, 0], [[0, 0.7], [1, 0.7]]),
    )
    pieces = cut(graph, np.array([True]))
    assert pieces.spans.line.tolist() == [0, 0, 1]
    assert pieces.spans.segment.tolist() == [0, 1, 1]
    assert np.allclose(pieces.spans.parameters, [[0, 1], [0, 0.4], [1, 0.4]])
    assert pieces.line.tolist() == [0, 0]


def test_up_vectors_turn_with_the_vertical():
    far = 50_000.0
    graph = spline_graph([[0, 0, 0], [far, 0, 0]], [[0, 1]], [[[1e4, 0, 0], [-1e4, 0, 0]]], crs=UTM)
    ups = convert.reproject(graph, topocentric_frame(PLACE), allow_split=True).ups
    deflection = np.degrees(np.arccos(ups[..., 2].min()))
    assert deflection == pytest.approx(np.degrees(far / 6.39e6), rel=0.01)
    assert np.allclose(np.linalg.norm(ups, axis=2), 1)


def test_a_tolerance_is_a_positive_number():
    with pytest.raises(OptionError, match="tolerance"):
        convert.reproject(bow(10), UTM, tolerance=float("nan"))


def test_a_curve_that_leaves_the_projection_is_an_error():
    mercator, hemisphere = CRS("EPSG:3857"), CRS("+proj=ortho +lat_0=49 +lon_0=14 +ellps=WGS84")
    ends, handles = [[0, 0, 0], [0, 9e5, 0]], [[[0, -2e7, 0], [0, -2e7, 0]]]
    over = spline_graph(ends, [[0, 1]], handles, crs=map_frame(mercator, PLACE))
    with pytest.raises(GeoreferenceError, match=r"\$\.segments\[0\]"):
        convert.reproject(over, map_frame(hemisphere, PLACE))


def test_a_bound_of_functions_that_are_known():
    rows = np.arange(200)
    rate, phase = 0.1 + rows / 20, rows * 0.37

    def sample(some, t):
        wave = np.sin(rate[some, None] * t + phase[some, None]) * t * (1 - t)
        return np.stack([wave, 0.5 * wave, 0 * wave], axis=-1)

    true = np.linalg.norm(sample(rows, np.linspace(0, 1, 5001)), axis=-1).max(1)
    bound = bounds(sample, len(rows), 1e-9)
    assert (bound >= true).all()
    assert (bound < 1.25 * true).all()


def test_a_kink_widens_the_bound():
    def sample(some, t):
        kink = np.minimum(t / 0.3, (1 - t) / 0.7)
        return np.broadcast_to(np.stack([kink, 0 * t, 0 * t], axis=1), (len(some), len(t), 3))

    assert 1 <= bounds(sample, 1, 1e-9)[0] < 1.5


def target_line_distance(graph: SplineGraph, crs: CRS) -> float:
    """Draw lines in a CRS, densify their straight edges there, and measure both ways in the scene."""
    lines = convert.graph_to_lines(graph, kind="segments", to_crs=crs)
    worst = 0.0
    for k, controls in enumerate(control_points(graph)):
        vertices = lines.coords[lines.offsets[k] : lines.offsets[k + 1]]
        fine = np.linspace(0, 1, 40)[:, None]
        edges = [a + (b - a) * fine for a, b in zip(vertices[:-1], vertices[1:])]
        drawn = frames.transform(np.concatenate(edges), crs, graph.crs)[None]
        true = bezier.evaluate(controls, np.linspace(0, 1, 500))[None]
        ways = from_polyline(true[:, ::9], drawn), from_polyline(drawn[:, ::9], true)
        worst = max(worst, *(way.max() for way in ways))
    return worst


@pytest.mark.parametrize("crs", ["OGC:CRS84", "EPSG:3857", "EPSG:32635"])
def test_lines_are_flattened_where_they_are_drawn(crs):
    graph = bow(3000)
    straight = flatten.flatten(control_points(graph), 0.01)[0]
    assert target_line_distance(graph, CRS(crs)) <= 0.0101
    assert len(convert.graph_to_lines(graph, kind="segments", to_crs=CRS(crs)).coords) > len(straight)


def test_nothing_is_added_where_nothing_is_projected():
    graph = bow(3000)
    straight = flatten.flatten(control_points(graph), 0.01)[0]
    for crs in (UTM, CRS("EPSG:32633"), map_frame(CRS("EPSG:32633"), FAR)):
        assert frames.keeps_straight(UTM, crs)
        assert len(convert.graph_to_lines(graph, kind="segments", to_crs=crs).coords) == len(straight)
    assert not frames.keeps_straight(UTM, CRS("EPSG:3857"))
    assert not frames.keeps_straight(CRS("EPSG:4267"), CRS("EPSG:4326"))


def test_an_edge_that_a_crs_tears_ends_all_the_same():
    graph = dataclasses.replace(bow(1000), crs=map_frame(CRS("EPSG:32660"), Origin(lat=60, lon=179.999)))
    assert len(convert.graph_to_lines(graph, kind="segments", to_crs=CRS("EPSG:3857")).coords) < 500


def test_edges_in_degrees_go_the_short_way():
    origin = Origin(lat=60, lon=179.999)
    graph = dataclasses.replace(bow(1000), crs=map_frame(CRS("EPSG:32660"), origin))
    elsewhere = dataclasses.replace(graph, crs=map_frame(CRS("EPSG:32659"), Origin(lat=60, lon=173.999)))
    across, beside = (
        convert.graph_to_lines(some, kind="segments", to_crs=frames.WGS84) for some in (graph, elsewhere)
    )
    assert len(across.coords) == len(beside.coords)
