"""Up vectors: banked curves against the formula, the ground's normal, columns, and what is never allowed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from roads import as_lines, clothoid_arc_clothoid, road
from surfaces import Paraboloid, Part, Plane, Saddle

import spl_gis
from spl_gis import bezier, checks, convert, formats, topology
from spl_gis.cli.group import cli
from spl_gis.errors import OptionError
from spl_gis.fitting.curves import FitOptions
from spl_gis.model import Column, control_points, select_lines, spline_graph
from spl_gis.report import Report
from spl_gis.roll import UpOptions, greatest, rolls, with_ups
from spl_gis.roll.speeds import read_speed
from spl_gis.roll.ups import MISS
from spl_gis.terrain import HeightOptions
from spl_gis.topology import NetworkOptions

G = 9.80665
CAP = np.degrees(np.arctan(0.08))
T = np.linspace(0, 1, 33)
ROADS = [
    (800.0, 80.0, 200.0, 80.0, 20.0),
    (800.0, 80.0, 200.0, 60.0, 20.0),
    (1500.0, 100.0, 400.0, 100.0, 25.0),
    (300.0, 60.0, 150.0, 40.0, 15.0),
    (60.0, 30.0, 60.0, 30.0, 8.0),
]
"""Radius, clothoid, arc [m], speed [km/h], distance of vertices [m]."""


def banked(lines, speed=80.0, fit="best", report=None, tolerance=0.1, **options):
    return convert.lines_to_graph(
        lines,
        None,
        fit=fit,
        options=FitOptions(tolerance=tolerance),
        up=UpOptions("bank", design_speed=speed, **options),
        report=report,
    )


def along(graph):
    """Give stations and rolls [degrees] at many places of a graph of one line, in its order."""
    places = bezier.evaluate(control_points(graph)[:, None], T)[..., :2].reshape(-1, 2)
    way = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1)))
    return way, rolls(graph, T).ravel()


def formula(speed, radius):
    return min(np.degrees(np.arctan((speed / 3.6) ** 2 / radius / G)), CAP)


def text(*values):
    array = np.array(["" if value is None else value for value in values], object)
    return Column(array, np.array([value is None for value in values]), "String")


def number(*values):
    return Column(np.array(values, float), np.isnan(values), "Real")


def sound(graph):
    """Hold that ups are unit vectors, square to the road or vertical, and shared by all at a point."""
    ways = bezier.derivative(control_points(graph)[:, None], np.array([0.0, 1.0]))
    ways /= np.linalg.norm(ways, axis=2, keepdims=True)
    vertical = (graph.ups == (0, 0, 1)).all(axis=2)
    shared = {}
    for point, up in zip(graph.ends.ravel().tolist(), graph.ups.reshape(-1, 3).tolist()):
        shared.setdefault(point, set()).add(tuple(up))
    assert np.allclose(np.linalg.norm(graph.ups, axis=2), 1, rtol=0, atol=1e-12)
    assert np.abs((graph.ups * ways).sum(axis=2))[~vertical].max(initial=0) < np.sin(np.radians(5.01))
    assert max(map(len, shared.values())) == 1
    assert not {each.code for each in checks.check(graph)} & {
        "zero-up",
        "up-not-unit",
        "parallel-up",
        "up-flip",
    }


@pytest.mark.parametrize("fit", ["best", "vertices"])
@pytest.mark.parametrize(("radius", "spiral", "arc", "speed", "step"), ROADS)
def test_a_banked_curve_equals_the_formula(radius, spiral, arc, speed, step, fit):
    vertices, stations = clothoid_arc_clothoid(radius, spiral, arc, 200.0, step)
    graph = banked(as_lines(vertices), speed, fit)
    way, roll = along(graph)
    middle = np.interp((stations[2] + stations[3]) / 2, way, roll)
    assert middle == pytest.approx(-formula(speed, radius), abs=0.5)  # a left turn leans to the left
    runoff = speed / 3.6 * 2
    for straight in (stations[1] - way, way - stations[4]):
        assert np.abs(roll[straight > runoff]).max() < (0.25 if fit == "best" else 1e-12)
    sound(graph)


@pytest.mark.parametrize(("radius", "spiral", "arc", "speed", "step"), ROADS[:3])
def test_a_mirrored_road_leans_to_the_other_side(radius, spiral, arc, speed, step):
    vertices, _ = clothoid_arc_clothoid(radius, spiral, arc, 200.0, step)
    left, right = (banked(as_lines(vertices * (1, side, 1)), speed) for side in (1, -1))
    assert np.array_equal(left.ends, right.ends)
    assert np.allclose(left.ups * (1, -1, 1), right.ups, rtol=0, atol=1e-6)


def test_up_does_not_depend_on_the_direction_of_travel():
    vertices, _ = clothoid_arc_clothoid(150.0, 50.0, 100.0, 200.0, 10.0)
    there, back = (banked(as_lines(line), fit="vertices") for line in (vertices, vertices[::-1]))
    assert np.allclose(there.ups, back.ups[::-1, ::-1], rtol=0, atol=1e-9)
    assert np.allclose(rolls(there), -rolls(back)[::-1, ::-1], rtol=0, atol=1e-7)


def test_curves_follow_the_formula_all_along_without_a_runoff():
    vertices, stations = clothoid_arc_clothoid(800.0, 80.0, 200.0, 200.0, 20.0)
    way, roll = along(banked(as_lines(vertices), fit="vertices", runoff=0.0))
    curvature = np.interp(way, stations, np.array([0, 0, 1, 1, 0, 0]) / 800)
    wanted = -np.degrees(np.arctan((80 / 3.6) ** 2 * curvature / G))
    assert np.abs(roll - wanted).max() < 1.0


def test_straight_roads_are_exactly_vertical():
    lines = as_lines(np.array([[0.0, 0, 0], [70, 30, 4], [140, 60, 9]]), np.array([[0.0, 9, 0], [99, 9, 0]]))
    assert (banked(lines, 130.0).ups == (0, 0, 1)).all()


def test_hairpins_are_banked_no_more_than_the_cap():
    tight = road(np.array([0, 40, 40.5, 52.5, 53, 93]), np.array([0, 0, 0.26, 0.26, 0, 0]), 1.0, 0.08)
    graph = banked(as_lines(tight), 30.0, max_superelevation=6.0)
    way, roll = along(graph)
    most = np.degrees(np.arctan(0.06))
    assert np.abs(roll).max() < most + 0.1
    assert np.interp(46.5, way, roll) == pytest.approx(-most, abs=1.0)
    sound(graph)


def test_the_runoff_is_the_length_over_which_a_road_leans_fully():
    arc = road(np.array([0, 200, 200.01, 400]), np.array([0, 0, 0.01, 0.01]), 5.0)
    way, roll = along(banked(as_lines(arc), 60.0, "vertices", runoff=80.0))
    full, half = (way[np.abs(roll) > part * CAP][0] for part in (0.98, 0.5))
    assert 60 < full - way[np.abs(roll) > 0.02 * CAP][0] < 95
    assert half == pytest.approx(200, abs=25)


def test_a_curve_to_the_other_side_passes_level():
    turns = road(np.array([0, 150, 150.01, 300]), np.array([5e-3, 5e-3, -5e-3, -5e-3]), 5.0)
    way, roll = along(banked(as_lines(turns), 60.0, "vertices"))
    assert np.interp(75, way, roll) == pytest.approx(-CAP, abs=0.3)
    assert np.interp(150, way, roll) == pytest.approx(0, abs=0.5)
    assert np.interp(225, way, roll) == pytest.approx(CAP, abs=0.3)


def ring(radius=100.0, count=40):
    angle = np.linspace(0, 2 * np.pi, count + 1)
    places = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle])
    places[-1] = places[0]
    return places


@pytest.mark.parametrize("fit", ["best", "vertices"])
def test_rings_lean_inwards_all_around(fit):
    graph = banked(as_lines(ring()), 50.0, fit)
    t = np.linspace(0, 1, 9)
    assert np.allclose(rolls(graph, t), -CAP, rtol=0, atol=1.05)
    assert np.allclose(rolls(graph, np.array([0.0, 1.0])), -CAP, rtol=0, atol=0.01)
    inwards = -graph.points[graph.ends] / 100
    assert ((graph.ups * inwards).sum(axis=2) > 0.07).all()
    sound(graph)


def test_roads_are_level_at_junctions_and_bank_between_them():
    main, _ = clothoid_arc_clothoid(100.0, 20.0, 200.0, 50.0, 5.0)
    side = main[40] + np.array([[0.0, 0, 0], [5, -30, 0], [30, -60, 0]])
    graph = banked(as_lines(main, side), 50.0)
    degree = topology.degrees(graph.ends, len(graph.points))
    (junction,) = np.flatnonzero(degree == 3)
    assert (graph.ups[graph.ends == junction] == (0, 0, 1)).all()
    assert np.abs(rolls(graph)).max() > 4
    sound(graph)


def test_corners_are_level():
    corner = np.array([[0.0, 0, 0], [50, 0, 4], [100, 0, 8], [100, 50, 12], [100, 100, 16]])
    graph = banked(as_lines(corner), 80.0, "best")
    assert (graph.ups[np.isin(graph.ends, np.flatnonzero(graph.points[:, 0] == 100)[:1])] == (0, 0, 1)).all()
    sound(graph)


def test_a_segment_is_cut_only_where_the_engine_would_miss():
    vertices, _ = clothoid_arc_clothoid(100.0, 20.0, 200.0, 100.0, 10.0)
    plain = convert.lines_to_graph(as_lines(vertices), None)
    report = Report()
    graph = with_ups(plain, UpOptions("bank", design_speed=60.0), None, report)
    extra = len(graph) - len(plain)
    assert report.counts == {"segments cut for their roll": extra}
    assert extra > 0
    assert np.array_equal(graph.points[: len(plain.points)], plain.points)
    assert np.array_equal(graph.ends[: len(plain), 0], plain.ends[:, 0])
    assert np.array_equal(with_ups(graph, UpOptions("bank", design_speed=60.0)).ends, graph.ends)
    places = bezier.evaluate(control_points(graph)[:, None], T).reshape(-1, 1, 3)
    dense = bezier.evaluate(control_points(plain)[:, None], np.linspace(0, 1, 4001)).reshape(1, -1, 3)
    assert np.linalg.norm(places[::7] - dense, axis=2).min(axis=1).max() < 0.06  # the curves are as they were


def test_pieces_of_a_new_graph_follow_their_line():
    vertices, _ = clothoid_arc_clothoid(100.0, 20.0, 200.0, 100.0, 10.0)
    lines = as_lines(vertices, vertices + np.array([0, 300, 0]))
    graph = banked(lines, 60.0)
    assert len(graph.row) == 0
    assert graph.line.tolist() == sorted(graph.line.tolist())
    assert (graph.ends[1:, 0] == graph.ends[:-1, 1]).sum() == len(graph) - 2
    assert np.array_equal(np.unique(graph.ends, return_index=True)[0], np.arange(len(graph.points)))


def test_banked_lines_come_back_as_they_were(tmp_path, sample_data):
    town = formats.vector.read(sample_data / "town.gpkg")
    lines = dataclasses.replace(town, crs=None)
    ups = (UpOptions("vertical"), UpOptions("bank"))
    plain, graph = (convert.lines_to_graph(lines, None, fit="fast", up=up) for up in ups)
    assert len(graph) > len(plain)
    formats.write(graph, tmp_path / "banked.spl")
    back = [convert.graph_to_lines(each) for each in (plain, formats.read(tmp_path / "banked.spl"))]
    assert np.array_equal(back[0].feature, back[1].feature)
    for one, two in zip(*(np.split(each.coords, each.offsets[1:-1]) for each in back)):
        assert np.allclose(one[[0, -1]], two[[0, -1]], rtol=0, atol=1e-9)
    kept = convert.keep_source(graph, lines)
    exact = convert.graph_to_lines(kept, exact=True)
    assert np.array_equal(np.nan_to_num(exact.coords), np.nan_to_num(lines.coords))


def test_merged_roads_come_back_as_their_lines():
    vertices, _ = clothoid_arc_clothoid(100.0, 20.0, 200.0, 100.0, 10.0)
    pieces = as_lines(vertices[:18], vertices[17:30][::-1], vertices[29:])
    merged = convert.lines_to_graph(
        pieces, None, network=NetworkOptions(merge=True), up=UpOptions("bank", design_speed=60.0)
    )
    assert merged.spans is not None
    assert np.abs(rolls(merged)).max() > 4
    back = convert.graph_to_lines(merged)
    for one, two in zip(
        np.split(pieces.coords, pieces.offsets[1:-1]), np.split(back.coords, back.offsets[1:-1])
    ):
        assert np.allclose(one[[0, -1]], two[[0, -1]], rtol=0, atol=0.2)


SURFACES = [Plane(east=0.2, north=-0.1), Saddle(scale=2e3), Paraboloid(radius=800.0)]


@pytest.mark.parametrize("surface", SURFACES, ids=lambda each: type(each).__name__)
def test_roads_lean_as_the_ground_does(surface):
    vertices, _ = clothoid_arc_clothoid(60.0, 30.0, 60.0, 100.0, 8.0)
    graph = convert.lines_to_graph(
        as_lines(vertices), None, heights=HeightOptions(surface=surface), up=UpOptions("terrain")
    )
    controls, t = control_points(graph)[:, None], np.linspace(0, 1, 9)
    places = bezier.evaluate(controls, t)
    step = 5.0
    east, north = (
        (
            surface.heights(*(places[..., :2] + each).transpose(2, 0, 1))
            - surface.heights(*(places[..., :2] - each).transpose(2, 0, 1))
        )
        / (2 * step)
        for each in ([step, 0], [0, step])
    )
    normal = np.stack([-east, -north, np.ones_like(east)], axis=-1)
    way = bezier.derivative(controls, t)
    right = np.stack([way[..., 1], -way[..., 0], 0 * way[..., 0]], axis=-1)
    upright = np.cross(right, way)
    wanted, made = (
        np.arctan2(
            (up * right).sum(-1) / np.linalg.norm(right, axis=-1),
            (up * upright).sum(-1) / np.linalg.norm(upright, axis=-1),
        )
        for up in (normal, bezier.up_between(graph.ups[:, None], t))
    )
    assert np.degrees(np.abs(wanted - made)).max() < np.degrees(MISS) + 0.05
    assert np.degrees(np.abs(made)).max() > 1
    sound(graph)


def test_roads_meet_on_the_normal_of_the_ground():
    surface = Plane(east=0.2, north=-0.1)
    lines = as_lines(
        np.array([[0.0, 0, 0], [50, 0, 0]]),
        np.array([[50.0, 0, 0], [90, 40, 0]]),
        np.array([[50.0, 0, 0], [60, -50, 0]]),
    )
    graph = convert.lines_to_graph(
        lines, None, heights=HeightOptions(surface=surface), up=UpOptions("terrain")
    )
    (junction,) = np.flatnonzero(topology.degrees(graph.ends, len(graph.points)) == 3)
    normal = np.array([-0.2, 0.1, 1]) / np.linalg.norm([-0.2, 0.1, 1])
    assert np.allclose(graph.ups[graph.ends == junction], normal, rtol=0, atol=1e-9)


def test_bridges_and_unknown_ground_are_level():
    surface, report = Part(Plane(east=0.0, north=0.2), (-10, -50, 250, 50)), Report()
    whole = np.column_stack([np.arange(0, 301, 10.0), np.zeros(31), np.zeros(31)])
    lines = as_lines(whole[:11], whole[10:16], whole[15:], bridge=text(None, "yes", None))
    graph = convert.lines_to_graph(
        lines,
        None,
        heights=HeightOptions(surface=surface),
        up=UpOptions("terrain", runoff=20.0),
        report=report,
    )
    x = graph.points[graph.ends][..., 0]
    roll = rolls(graph, np.array([0.0, 1.0]))
    lean = np.degrees(np.arctan(0.2))
    assert np.allclose(np.abs(roll[(x < 75)]), lean, rtol=0, atol=1.0)
    assert (roll[(x >= 100) & (x <= 150)] == 0).all()
    assert (roll[x > 260] == 0).all()
    assert any("slope of the ground is not known" in note for note in report.notes)


def test_a_column_with_degrees_or_percent():
    straight = np.column_stack([np.arange(0, 201, 20.0), np.zeros(11), np.zeros(11)])
    for values, unit, wanted in (
        (number(3.0), "degrees", 3.0),
        (number(-5.0), "percent", -np.degrees(np.arctan(0.05))),
        (text("4 %"), "degrees", np.degrees(np.arctan(0.04))),
        (text("-2.5 deg"), "percent", -2.5),
        (text(None), "degrees", 0.0),
    ):
        graph = convert.lines_to_graph(
            as_lines(straight, cant=values), None, up=UpOptions("cant", unit=unit, runoff=30.0)
        )
        way, roll = along(graph)
        assert np.interp(100, way, roll) == pytest.approx(wanted, abs=1e-9)


def test_a_column_is_signed_by_the_direction_of_the_line():
    straight = np.column_stack([np.arange(0, 201, 20.0), np.zeros(11), np.zeros(11)])
    pieces = as_lines(straight[:6], straight[5:][::-1], cant=number(3.0, -3.0))
    options = UpOptions("cant", runoff=30.0)
    alone = convert.lines_to_graph(pieces, None, up=options)
    merged = convert.lines_to_graph(pieces, None, network=NetworkOptions(merge=True, merge_by=[]), up=options)
    for graph in (alone, merged):
        assert np.allclose(graph.ups, [0, -np.sin(np.radians(3)), np.cos(np.radians(3))], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("said", "kmh"),
    [
        ("50", 50.0), ("30 mph", 48.28032), ("none", 130.0), ("80 km/h", 80.0), ("walk", 7.0),
        ("60;80", 60.0), ("", np.nan), ("signals", np.nan), ("DE:rural", np.nan), ("0", np.nan),
        ("30mph", 48.28032), ("NONE", 130.0), ("10 knots", 18.52), ("-5", np.nan), ("5 furlongs", np.nan),
    ],
)  # fmt: skip
def test_speed_limits_are_read(said, kmh):
    assert read_speed(said) == pytest.approx(kmh, nan_ok=True)


def test_speeds_come_from_limits_then_classes_then_one_for_all():
    arc = road(np.array([0.0, 300.0]), np.array([1 / 400, 1 / 400]), 10.0)
    lines = as_lines(
        *(arc + np.array([0, 1000.0 * row, 0]) for row in range(4)),
        maxspeed=text("30 mph", None, "signals", None),
        highway=text("residential", "residential", "track", None),
    )
    report = Report()
    graph = convert.lines_to_graph(lines, None, fit="vertices", up=UpOptions("bank"), report=report)
    middle = [np.median(rolls(graph)[graph.line == row]) for row in range(4)]
    assert middle == pytest.approx([-formula(v, 400) for v in (48.28, 30, 20, 50)], abs=0.05)
    assert report.notes[-1].startswith(
        "design speeds: from the column maxspeed for 1 features, by road class for 2 features, taken as 50"
    )


def test_what_cannot_be_is_said():
    lines = as_lines(ring(), name=text("Ring"), cant=number(99.0))
    for up, message in (
        (UpOptions("terrain"), "need a surface"),
        (UpOptions("cnat"), "no column 'cnat'"),
        (UpOptions("name"), "feature 0: 'Ring' in the column 'name' is no roll"),
        (UpOptions("cant"), "is no roll"),
        (UpOptions("bank", design_speed="limit"), "no column 'limit'"),
    ):
        with pytest.raises(OptionError, match=message):
            convert.lines_to_graph(lines, None, up=up)
    for bad in (
        {"unit": "grads"}, {"design_speed": 0.0}, {"max_superelevation": 0.0}, {"runoff": -1.0},
    ):  # fmt: skip
        with pytest.raises(OptionError):
            UpOptions("bank", **bad)


def test_vertical_changes_nothing():
    graph = convert.lines_to_graph(as_lines(ring()), None)
    assert with_ups(graph, UpOptions()) is graph
    assert (graph.ups == (0, 0, 1)).all()


def test_an_empty_network_has_no_ups():
    lines = as_lines(ring())
    empty = convert.lines_to_graph(select_lines(lines, np.array([False])), None, up=UpOptions("bank"))
    assert len(empty) == 0


finite = st.floats(-200, 200, allow_nan=False).map(lambda value: round(value, 6))  # micrometres


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(finite, finite, st.floats(-30, 30)), min_size=4, max_size=12, unique_by=lambda p: p[:2]
    ),
    st.booleans(),
    st.sampled_from([0.0, 20.0, None]),
)
def test_any_graph_gets_sound_ups(places, closed, runoff):
    """Also wild curves with steep, crossing and reversing segments."""
    points = np.array(places)
    count = len(points)
    ends = np.column_stack([np.arange(count), (np.arange(count) + 1) % count])[
        : count if closed else count - 1
    ]
    chord = points[ends[:, 1]] - points[ends[:, 0]]
    graph = spline_graph(points, ends, np.stack([chord / 3, -chord[:, [1, 0, 2]] / 3], axis=1))
    made = with_ups(graph, UpOptions("bank", design_speed=70.0, runoff=runoff))
    assert np.allclose(np.linalg.norm(made.ups, axis=2), 1, rtol=0, atol=1e-9)
    ways = bezier.derivative(control_points(made)[:, None], np.array([0.0, 1.0]))
    ways /= np.linalg.norm(ways, axis=2, keepdims=True)
    vertical = (made.ups == (0, 0, 1)).all(axis=2)
    assert np.abs((made.ups * ways).sum(axis=2))[~vertical].max(initial=0) < np.sin(np.radians(5.01))
    assert np.array_equal(made.ends[: len(graph), 0], graph.ends[:, 0])


def test_vertical_roads_have_sides_too():
    graph = spline_graph(
        [[0, 0, 0], [0, 0, 90], [20, 0, 100], [60, 30, 100]],
        [[0, 1], [1, 2], [2, 3]],
        [[[0, 0, 30], [0, 0, -30]], [[0, 0, 5], [-5, 0, 0]], [[15, 0, 0], [-5, -10, 0]]],
    )
    made = with_ups(graph, UpOptions("bank", design_speed=70.0))
    assert np.isfinite(made.ups).all()


def test_tables_tell_grade_and_roll():
    vertices, _ = clothoid_arc_clothoid(100.0, 20.0, 200.0, 100.0, 10.0, 0.05)
    graph = banked(as_lines(vertices), 60.0)
    segments = convert.graph_to_lines(graph, kind="segments").features.columns
    assert np.allclose(segments["start_roll"].values, rolls(graph)[:, 0])
    assert np.allclose(segments["max_roll"].values, greatest(rolls(graph)))
    assert np.allclose(segments["end_grade"].values, 5.0, atol=0.3)
    chains = convert.graph_to_lines(graph, kind="chains").features.columns
    assert chains["max_roll"].values[0] == pytest.approx(segments["max_roll"].values.min())
    assert chains["start_z"].values[0] == graph.points[0, 2]
    handles = convert.graph_to_lines(graph, kind="handles").features.columns
    assert np.allclose(handles["roll"].values[1::2], segments["end_roll"].values)
    back = convert.edited_to_graph(convert.graph_to_lines(graph, kind="segments"))
    assert np.array_equal(back.ups, graph.ups)


def test_a_chain_tells_grade_and_roll_in_its_direction():
    up = [0, -np.sin(0.1), np.cos(0.1)]
    graph = spline_graph(
        [[0, 0, 0], [30, 0, 3], [60, 0, 3]],
        [[0, 1], [2, 1]],
        [[[10, 0, 1], [-10, 0, -1]], [[-10, 0, 0], [10, 0, 0]]],
        [[up, up], [up, [0, 0, 1]]],
    )
    chain = convert.graph_to_lines(graph, kind="chains").features.columns
    assert chain["start_roll"].values[0] == pytest.approx(np.degrees(0.1), abs=0.03)
    assert chain["end_roll"].values[0] == pytest.approx(np.degrees(0.1))
    assert chain["start_grade"].values[0] == pytest.approx(10.0)
    assert chain["end_grade"].values[0] == 0.0
    vertical = spline_graph([[0, 0, 0], [0, 0, 9]], [[0, 1]], [[[0, 0, 3], [0, 0, -3]]])
    column = convert.graph_to_lines(vertical, kind="segments").features.columns["start_grade"]
    assert column.null.tolist() == [True]


def test_leaning_ups_are_drawn_as_ticks():
    quiver = pytest.importorskip("matplotlib.quiver")
    vertices, _ = clothoid_arc_clothoid(100.0, 20.0, 200.0, 100.0, 10.0)
    leaning, level = banked(as_lines(vertices), 60.0), convert.lines_to_graph(as_lines(vertices), None)
    ticks = []
    for graph in (leaning, level):
        shown = spl_gis.view(graph, findings=(), color_by="roll")
        (axes,) = spl_gis.preview.drawing_of(shown.scene, shown.colouring).axes
        ticks.append(sum(isinstance(each, quiver.Quiver) and len(each.U) for each in axes.collections))
    assert ticks == [(leaning.ups[..., 2] < 1).sum(), 0]


def run(*words):
    return CliRunner().invoke(cli, ["convert", *map(str, words)])


def test_the_command_line_banks_roads_and_an_update_remembers(sample_data, tmp_path):
    town, out = sample_data / "town.gpkg", tmp_path / "town.spl"
    done = run(town, out, "--fit", "vertices", "--up", "bank", "--design-speed", "speed", "--runoff", "20")
    assert done.exit_code == 0, done.output
    graph = formats.read(out)
    assert np.abs(rolls(graph, np.array([0.0, 1.0]))).max() == pytest.approx(CAP)
    again = run(town, out, "--update")
    assert again.exit_code == 0, again.output
    updated = formats.read(out)
    assert np.array_equal(updated.ups, graph.ups)
    assert np.array_equal(updated.ends, graph.ends)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runoff", "30"], "--runoff does nothing for --up vertical"),
        (["--up", "bank", "--up-unit", "percent"], "--up-unit does nothing for --up bank"),
        (["--up", "cant", "--max-superelevation", "4"], "--max-superelevation does nothing for --up cant"),
        (["--up", "terrain"], "need a surface: pass --z"),
        (["--up", "name"], "in the column 'name' is no roll"),
    ],
)
def test_the_command_line_refuses_what_does_nothing(sample_data, tmp_path, words, message):
    done = run(sample_data / "town.gpkg", tmp_path / "town.spl", "--fit", "vertices", *words)
    assert isinstance(done.exception, (OptionError, SystemExit))
    assert message in f"{done.exception} {done.output}"
    assert not (tmp_path / "town.spl").exists()


def test_segments_of_ours_keep_their_own_ups(sample_data, tmp_path):
    spl, layer = tmp_path / "town.spl", tmp_path / "segments.gpkg"
    assert run(sample_data / "town.gpkg", spl, "--fit", "vertices").exit_code == 0
    assert run(spl, layer, "--as", "segments").exit_code == 0
    done = run(layer, tmp_path / "again.spl", "--up", "bank")
    assert "up vectors of their own" in f"{done.exception} {done.output}"
