"""Networks laid on the ground: what lines_to_graph and the command line make of a surface."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from surfaces import Paraboloid, Part, Plane, Saddle
from test_cli import done, refused
from test_network import CENTRE, FRAME, circle, network

from spl_gis import bezier, convert
from spl_gis.fitting.curves import FitOptions
from spl_gis.model import control_points
from spl_gis.report import Report
from spl_gis.terrain import HeightOptions
from spl_gis.topology import NetworkOptions

HILL = Paraboloid(300.0, 400.0)
RAVINE = Saddle(100.0, 500.0)
ROAD = [(-300, -40), (-150, 10), (0, 0), (150, 30), (300, -20)]
SIDE = [(0, 0), (20, 120), (-10, 260)]


def draped(lines, surface, *, fit="best", report=None, network=None, max_length=None, **options):
    """Make a graph on a surface."""
    return convert.lines_to_graph(
        lines,
        FRAME,
        fit=fit,
        network=network or NetworkOptions(),
        options=FitOptions(tolerance=0.05, max_length=max_length),
        heights=HeightOptions(surface=surface, **options),
        report=report,
    )


def off(graph, surface):
    """Give how far curves are from a surface, at many places of each."""
    x, y, z = np.moveaxis(bezier.evaluate(control_points(graph)[:, None], np.linspace(0, 1, 51)), -1, 0)
    return np.abs(z - surface.heights(x, y))


@pytest.mark.parametrize("fit", ["best", "fast", "vertices", "unigine"])
@pytest.mark.parametrize("surface", [Plane(), RAVINE, HILL], ids=lambda s: type(s).__name__)
def test_curves_lie_on_an_exact_surface_everywhere(fit, surface):
    lines = network(ROAD, SIDE, [(60 + x, 80 + y) for x, y in circle(30)])
    report = Report()
    graph = draped(lines, surface, fit=fit, smooth=0.0, report=report)
    assert off(graph, surface).max() < 0.06
    assert 0 < report.measures["height deviation [m]"] <= 0.05
    assert not graph.planar


def test_few_segments_are_added_and_the_plan_is_that_of_the_flat_network():
    lines = network(ROAD, SIDE)
    flat = convert.lines_to_graph(lines, FRAME, options=FitOptions(tolerance=0.05))
    graph = draped(lines, HILL, smooth=0.0)
    assert len(flat) < len(graph) < 4 * len(flat)
    plan = {tuple(point) for point in graph.points[:, :2].tolist()}
    assert {tuple(point) for point in flat.points[:, :2].tolist()} <= plan
    length = bezier.length(control_points(graph)[..., :2]).sum()
    assert length == pytest.approx(bezier.length(control_points(flat)).sum(), rel=1e-9)


def directions(graph, place):
    """Give the handles that leave a place, as unit vectors in space."""
    (point,) = np.flatnonzero(np.hypot(*(graph.points[:, :2] - place).T) < 1e-6)
    handles = graph.tangents[graph.ends == point]
    return handles / np.linalg.norm(handles, axis=1)[:, None]


@pytest.mark.parametrize("surface", [Plane(), HILL], ids=lambda s: type(s).__name__)
def test_the_road_through_a_junction_has_one_direction_there_in_space(surface):
    graph = draped(network(ROAD, SIDE), surface)
    ways = directions(graph, (0, 0))
    assert len(ways) == 3
    assert (ways @ ways.T).min() == pytest.approx(-1, abs=1e-12)
    assert np.abs(ways[:, 2]).max() > 1e-3


def test_every_joint_of_a_bent_road_is_smooth_in_space():
    graph = draped(network(circle(200, 72)[:40]), HILL, fit="fast")
    joints = np.flatnonzero(np.bincount(graph.ends.ravel()) == 2)
    assert len(joints) > 3
    for joint in joints:
        handles = graph.tangents[graph.ends == joint]
        one, two = handles / np.linalg.norm(handles, axis=1)[:, None]
        assert one @ two == pytest.approx(-1, abs=1e-12)


def test_a_street_corner_on_a_slope_has_a_slope_on_each_side():
    graph = draped(network([(0, 0), (100, 0), (100, 100)]), Plane(0, 0.1, -0.1), fit="fast", smooth=0.0)
    assert len(graph) == 2
    east, north = directions(graph, (100, 0))
    assert sorted([east[2], north[2]]) == pytest.approx([-0.0995, -0.0995], abs=1e-3)


def test_no_curve_is_steeper_than_the_limit_and_the_report_says_so():
    report = Report()
    steep = draped(network(ROAD, SIDE), RAVINE)
    graph = draped(network(ROAD, SIDE), RAVINE, max_grade=0.08, report=report)
    for one, most in ((steep, np.inf), (graph, 0.08)):
        d = bezier.derivative(control_points(one)[:, None], np.linspace(0, 1, 51))
        grade = np.abs(d[..., 2]) / np.hypot(d[..., 0], d[..., 1])
        assert 0.079 < grade.max() < most + 1e-5
    assert report.measures["steepest grade [%]"] == pytest.approx(8, abs=0.1)
    assert report.measures["median grade [%]"] < report.measures["grade of 95 % of the length [%]"] < 8
    assert not report.warnings


def test_smoothing_takes_out_bumps_that_are_short():
    class Bumps(Plane):
        def heights(self, x, y):
            return super().heights(x, y) + 0.5 * np.sin(np.asarray(x))

    line = network([(0, 0), (200, 0)])
    rough, smooth = (draped(line, Bumps(resolution=1.0), smooth=length) for length in (0.0, 25.0))
    assert len(smooth) < len(rough) / 10
    assert off(smooth, Plane())[:, 0].max() < 0.06


def test_fast_roads_are_smoothed_over_more_unless_said_otherwise():
    class Hump(Plane):
        def heights(self, x, y):
            return np.maximum(0, 5 - np.abs(np.asarray(x)) / 4)

    tops = {}
    for name in ("motorway", "residential"):
        lines = network([(-200, 0), (200, 0)], highway=[name])
        for smooth in (None, 0.0):
            tops[name, smooth] = control_points(draped(lines, Hump(), smooth=smooth))[..., 2].max()
    assert tops["motorway", None] < tops["residential", None] - 1
    assert tops["residential", None] < 4.5 < tops["motorway", 0.0]
    assert tops["motorway", 0.0] == tops["residential", 0.0]


def test_a_surface_of_large_cells_is_smoothed_over_two_of_them():
    class Steps(Plane):
        def heights(self, x, y):
            return np.where(np.asarray(x) < 0, 0.0, 1.0)

    steepest = []
    for cell in (5.0, 100.0):
        report = Report()
        draped(network([(-500, 0), (500, 0)]), Steps(resolution=cell), report=report)
        steepest.append(report.measures["steepest grade [%]"])
    assert steepest[1] < 1.5 < 6 < steepest[0]


def test_unknown_ground_below_a_part_is_bridged_and_named():
    report = Report()
    hole = Part(Plane(), (-1000, -1000, 50, 1000))
    line = network([(0, 0), (100, 0)], [(0, 50), (40, 50)])
    graph = draped(line, hole, report=report, smooth=0.0, fit="fast")
    (end,) = np.flatnonzero(graph.points[:, 0] == 100)
    assert graph.points[end, 2] == pytest.approx(Plane().heights(50, 0), abs=0.2)
    assert [remark.fid for remark in report.repaired] == [100]


def test_roads_without_any_ground_are_named_and_follow_the_nearest():
    report = Report()
    hole = Part(Plane(base=400.0), (-1000, -1000, 50, 1000))
    graph = draped(network([(0, 0), (40, 0)], [(60, 0), (90, 0)], [(90, 0), (90, 50)]), hole, report=report)
    far = graph.points[graph.points[:, 0] > 50]
    assert len(far) >= 3
    assert far[:, 2] == pytest.approx(Plane(base=400.0).heights(40, 0), abs=1e-6)
    assert any("2 features lie where the ground is unknown" in warning for warning in report.warnings)


def test_lines_with_own_heights_keep_them_and_others_meet_them():
    """A line at z = 20 above ground at 0: what joins it comes down to the ground."""
    own = [(x, y, 20.0) for x, y in ROAD]
    graph = draped(network(own, SIDE), Plane(0, 0, 0), mode="fill")
    alone = convert.lines_to_graph(network(own), FRAME, options=FitOptions(tolerance=0.05))
    mine = graph.line == 0
    length = bezier.length(control_points(graph)[mine]).sum()
    assert length == pytest.approx(bezier.length(control_points(alone)).sum(), rel=1e-4)
    assert (control_points(graph)[mine][..., 2] == 20).all()
    (foot,) = np.flatnonzero(graph.points[:, 1] == 260)
    assert graph.points[foot, 2] == pytest.approx(0, abs=1e-9)
    ends = graph.points[graph.ends[~mine]]
    assert ends[..., 2].max() == 20


def test_merged_lines_know_where_they_run_on_the_ground():
    lines = network(ROAD[:3], ROAD[2:], name=["a", "a"])
    graph = draped(lines, HILL, network=NetworkOptions(merge=True, merge_by=("name",)), smooth=0.0)
    assert graph.spans is not None
    back = convert.graph_to_lines(graph, to_crs=FRAME)
    assert len(back) == 2
    for line, wanted in enumerate((ROAD[:3], ROAD[2:])):
        coords = back.coords[back.offsets[line] : back.offsets[line + 1]]
        assert coords[[0, -1], :2] == pytest.approx(np.array([wanted[0], wanted[-1]]), abs=1e-3)
        assert np.abs(coords[:, 2] - HILL.heights(*coords[:, :2].T)).max() < 0.1


def test_the_source_is_kept_and_given_back():
    lines = network(ROAD, SIDE)
    graph = convert.keep_source(draped(lines, HILL), lines)
    back = convert.graph_to_lines(graph, exact=True)
    assert (back.coords[:, :2] == lines.coords[:, :2]).all()


def test_segments_keep_their_greatest_length_in_space():
    graph = draped(network([(0, 0), (400, 0)]), Plane(0, 0.6, 0), max_length=50.0, smooth=0.0)
    assert bezier.length(control_points(graph)).max() <= 50


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 0.06]), st.booleans())
def test_points_are_shared_and_finite_whatever_the_network(seed, limit, through):
    rng = np.random.default_rng(seed)
    places = rng.uniform(-200, 200, (8, 2)).round(1)
    lines = network(*[places[rng.permutation(8)[: rng.integers(2, 6)]].tolist() for _ in range(4)])
    graph = draped(lines, HILL, max_grade=limit, network=NetworkOptions(through=through), fit="fast")
    for place in lines.coords[:, :2] - CENTRE[:2]:
        assert (np.hypot(*(graph.points[:, :2] - place).T) < 1e-6).sum() <= 1
    d = bezier.derivative(control_points(graph)[:, None], np.linspace(0, 1, 33))
    if limit is not None:
        assert (np.abs(d[..., 2]) <= limit * np.hypot(d[..., 0], d[..., 1]) * 1.01 + 1e-6).all()


def test_the_command_line_has_the_options(sample_data, tmp_path):
    target = tmp_path / "town.spl"
    town = "convert", sample_data / "town.gpkg", target, "--z", sample_data / "town_dem.tif"
    done(*town, "--smooth-profile", 40, "--max-grade", 6, "--report", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["measures"]["steepest grade [%]"] <= 6
    assert "max_grade must be" in refused(*town, "--max-grade", 0, "--overwrite", code=2)
    assert "smooth must be" in refused(*town, "--smooth-profile", -1, "--overwrite", code=2)


def test_the_options_are_for_roads_on_the_ground(sample_data, tmp_path):
    told = refused("convert", sample_data / "town.gpkg", tmp_path / "town.spl", "--max-grade", 6, code=2)
    assert "--max-grade does nothing" in told
