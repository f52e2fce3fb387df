"""The road that goes on stays smooth through its junctions: one test for each picture."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from test_network import CENTRE, FRAME, circle, network, spots

from spl_gis import bezier, convert, fitting, topology
from spl_gis.errors import FitError
from spl_gis.fitting.allowance import allowance
from spl_gis.fitting.certificate import certify
from spl_gis.fitting.corners import corners
from spl_gis.fitting.curves import FitOptions, piece_starts
from spl_gis.model import SplineGraph, control_points, select_lines
from spl_gis.topology import NetworkOptions
from spl_gis.topology.links import _greedy

METHODS = ("vertices", "unigine", "fast", "best")
SMOOTH = 1e-9
"""Directions that differ by less than this many degrees are one."""
KINK = 1.0
"""Degrees that nobody takes for smooth."""


def graph_of(lines, fit="vertices", through=True, **options) -> SplineGraph:
    return convert.lines_to_graph(
        lines, FRAME, fit=fit, network=NetworkOptions(through=through), options=FitOptions(**options)
    )


def same(one: np.ndarray, two: np.ndarray) -> bool:
    """Tell whether numbers are equal but for rounding: sums over a whole batch may round otherwise."""
    return one.shape == two.shape and np.allclose(one, two, rtol=0, atol=1e-9)


def bends(graph: SplineGraph, x: float, y: float) -> list[float]:
    """Give, for each segment end at a place, how far from straight on its best partner there is [deg]."""
    (point,) = np.flatnonzero(np.hypot(*(graph.points[:, :2] - (x, y)).T) < 1e-6)
    handles = graph.tangents[graph.ends == point]
    directions = handles / np.linalg.norm(handles, axis=1)[:, None]
    cross = np.linalg.norm(np.cross(directions[:, None], directions), axis=2)
    turn = np.degrees(np.arctan2(cross, -(directions @ directions.T)))
    return sorted(turn.min(axis=1).tolist())


ROAD = [(-40.0, -12.0), (-20.0, -3.0), (0.0, 0.0), (20.0, -3.0), (40.0, -12.0)]
SIDE = [(0.0, 0.0), (2.0, 20.0), (9.0, 40.0)]


@pytest.mark.parametrize("fit", METHODS)
def test_main_road_through_a_t(fit):
    smooth, own = (graph_of(network(ROAD, SIDE), fit, through) for through in (True, False))
    assert bends(smooth, 0, 0)[:2] == pytest.approx([0, 0], abs=SMOOTH)
    assert bends(smooth, 0, 0)[2] > 60
    assert bends(own, 0, 0)[0] > (KINK if fit != "vertices" else 1e-3)
    assert smooth.ends.tolist() == own.ends.tolist() or fit in ("fast", "best")
    assert smooth.line.max() == 1


@pytest.mark.parametrize("fit", METHODS)
def test_side_road_keeps_its_own(fit):
    graph, alone = graph_of(network(ROAD, SIDE), fit), graph_of(network(SIDE), fit)
    assert same(control_points(graph)[graph.line == 1], control_points(alone))


@pytest.mark.parametrize("fit", METHODS)
def test_both_roads_through_an_x(fit):
    other = [(y, x) for x, y in ROAD]
    graph = graph_of(network(ROAD, other), fit)
    assert bends(graph, 0, 0) == pytest.approx([0] * 4, abs=SMOOTH)


@pytest.mark.parametrize("fit", METHODS)
def test_an_x_of_four_features(fit):
    other = [(y, x) for x, y in ROAD]
    graph = graph_of(network(ROAD[:3], ROAD[2:], other[:3], other[2:]), fit)
    assert bends(graph, 0, 0) == pytest.approx([0] * 4, abs=SMOOTH)
    assert sorted(set(graph.line.tolist())) == [0, 1, 2, 3]


@pytest.mark.parametrize("fit", METHODS)
@pytest.mark.parametrize("first", [0, 1, 4])
def test_roundabout_stays_round_at_its_arms(fit, first):
    ring = circle(20)[:-1]
    arms = [[ring[i], (3 * ring[i][0], 3 * ring[i][1])] for i in (1, 5, 9)]
    begun = [*ring[first:], *ring[: first + 1]]
    graph = graph_of(network(begun, *arms), fit)
    for i in (1, 5, 9):
        assert bends(graph, *ring[i])[:2] == pytest.approx([0, 0], abs=SMOOTH)
        assert bends(graph, *ring[i])[2] > 60
    places = bezier.evaluate(control_points(graph)[graph.line == 0], np.linspace(0, 1, 9)[:, None])
    assert np.abs(np.hypot(places[..., 0], places[..., 1]) - 20).max() < (2.5 if fit == "unigine" else 0.25)
    assert same(graph.tangents[graph.line == 1], graph_of(network(arms[0]), fit).tangents)


@pytest.mark.parametrize("fit", METHODS)
def test_a_loop_at_the_end_of_a_road(fit):
    loop = [(0.0, 0.0), (12.0, 3.0), (18.0, 14.0), (8.0, 22.0), (-4.0, 14.0), (0.0, 0.0)]
    graph = graph_of(network([(-30.0, -4.0), (-15.0, -2.0), *loop]), fit)
    assert bends(graph, 0, 0)[:2] == pytest.approx([0, 0], abs=SMOOTH)
    alone = graph_of(network(loop, [(-30.0, 4.0), (0.0, 0.0)]), fit)
    assert len(bends(alone, 0, 0)) == 3


@pytest.mark.parametrize("fit", METHODS)
def test_ramp_that_leaves_a_motorway(fit):
    motorway = [[(-80.0, -8.0), (-40.0, -2.0), (0.0, 0.0)], [(0.0, 0.0), (40.0, -2.0), (80.0, -8.0)]]
    ramp = [(0.0, 0.0), (40.0, -1.0), (80.0, 3.0)]  # straighter on than the motorway
    ref, kind = ["A 1", "A 1", None], ["motorway", "motorway", "motorway_link"]
    named = graph_of(network(*motorway, ramp, ref=ref, highway=kind), fit)
    alone = graph_of(network(ramp), fit)
    assert same(named.tangents[named.line == 2], alone.tangents)
    assert bends(named, 0, 0)[:2] == pytest.approx([0, 0], abs=SMOOTH)
    nameless = graph_of(network(*motorway, ramp), fit)
    main = nameless.tangents[nameless.line == 1]
    assert same(main, graph_of(network(motorway[1]), fit).tangents)
    assert bends(nameless, 0, 0)[:2] == pytest.approx([0, 0], abs=SMOOTH)


BENT = ([(-8.0, 0.0), (-4.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (2.8, 2.8), (5.6, 5.6)])  # by 45 degrees


@pytest.mark.parametrize(
    ("columns", "smooth"),
    [
        ({"Name": ["Ring", "Ring"]}, True),
        ({"name": ["Ring", "Lane"]}, False),
        ({"name": [None, None]}, False),
        ({"name": ["", ""]}, False),
        ({}, False),
        ({"name": ["Ring", "Lane"], "ref": ["B 5", "B 5"]}, True),
        ({"name": ["Ring", "Ring"], "highway": ["primary", "primary"]}, True),
        ({"name": ["Ring", "Ring"], "highway": ["primary", "footway"]}, False),
        ({"name": ["Ring", "Ring"], "fclass": [None, "footway"]}, False),
        ({"highway": ["primary", "primary"]}, False),
    ],
)
@pytest.mark.parametrize("fit", METHODS)
def test_two_features_end_to_end(columns, smooth, fit):
    bend = bends(graph_of(network(*BENT, **columns), fit), 0, 0)
    assert bend == pytest.approx([0, 0], abs=SMOOTH) if smooth else min(bend) > 20


def test_two_parts_of_one_feature():
    assert bends(graph_of(network(*BENT, feature=[0, 0])), 0, 0) == pytest.approx([0, 0], abs=SMOOTH)


@pytest.mark.parametrize("fit", METHODS)
def test_a_sharp_corner_at_a_node_stays_sharp(fit):
    road = [(-60.0, 0.0), (-30.0, 0.0), (0.0, 0.0), (10.0, 30.0), (20.0, 60.0)]  # 72 degrees, wide apart
    graph = graph_of(network(road, [(0.0, 0.0), (20.0, -40.0)]), fit)
    if fit == "unigine":  # knows no corners
        assert bends(graph, 0, 0)[0] == pytest.approx(0, abs=SMOOTH)
    else:
        assert bends(graph, 0, 0)[0] > 40
    hairpin = [(-60.0, 0.0), (0.0, 0.0), (-60.0, 20.0)]
    onward = graph_of(network(hairpin, [(0.0, 0.0), (60.0, 3.0)], name=["Up", "On"]), fit)
    assert bends(onward, 0, 0)[0] == pytest.approx(0, abs=SMOOTH)  # what turns back leaves its end free


@pytest.mark.parametrize("fit", METHODS)
@pytest.mark.parametrize("turned", [(0,), (1,), (0, 2), (1, 2)])
def test_neighbours_that_run_the_other_way(fit, turned):
    road = [
        (-40.0, -12.0),
        (-20.0, -3.0),
        (0.0, 0.0),
        (20.0, -3.0),
        (40.0, -12.0),
        (60.0, -30.0),
        (70.0, -60.0),
    ]
    parts = [road[:3], road[2:5], road[4:]]
    names = {"name": ["Ring"] * 3}
    straight = graph_of(network(*parts, **names), fit)
    mixed = graph_of(network(*(p[::-1] if i in turned else p for i, p in enumerate(parts)), **names), fit)
    for x, y in (road[2], road[4]):
        assert bends(mixed, x, y) == pytest.approx([0, 0], abs=SMOOTH)
    for i in range(3):
        ends = mixed.points[mixed.ends[mixed.line == i]]
        want = parts[i][::-1] if i in turned else parts[i]
        assert np.allclose([ends[0, 0, :2], ends[-1, 1, :2]], [want[0], want[-1]], rtol=0, atol=1e-6)
        assert (ends[1:, 0] == ends[:-1, 1]).all()
    if fit == "vertices":
        forwards = control_points(straight).round(9).tolist()
        both = control_points(mixed).round(9).tolist() + control_points(mixed)[:, ::-1].round(9).tolist()
        assert all(segment in both for segment in forwards)


def test_a_square_that_meets_itself_has_no_links():
    square = [(0.0, 0.0), (60.0, 0.0), (60.0, 60.0), (0.0, 60.0), (0.0, 0.0)]
    graph = graph_of(network(square, [(0.0, 0.0), (-40.0, -50.0)]))
    assert len(bends(graph, 0, 0)) == 3
    assert bends(graph, 0, 0)[0] > 30


def test_not_through():
    lines = network(*BENT, name=["Ring", "Ring"])
    assert min(bends(graph_of(lines, through=False), 0, 0)) > 20


curvy = st.lists(
    st.lists(spots, min_size=2, max_size=6),
    min_size=1,
    max_size=6,
)


def lie_over_each_other(lines: list) -> bool:
    """Tell whether an edge occurs twice, but for what a weld takes away."""
    ways = [[tuple(np.round(place).tolist()) for place in line] for line in lines]
    edges = [frozenset(edge) for way in ways for edge in zip(way, way[1:]) if edge[0] != edge[1]]
    return len(set(edges)) < len(edges)


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(curvy, st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_the_order_of_the_features_does_not_matter(lines, fit, random):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    assume(not lie_over_each_other(lines))  # of equal ones the first goes on
    names = [random.choice(["a", "b", None]) for _ in lines]
    order = random.sample(range(len(lines)), len(lines))
    one = graph_of(network(*lines, name=names), fit)
    two = graph_of(network(*(lines[i] for i in order), name=[names[i] for i in order]), fit)
    segments = [sorted(map(tuple, control_points(g).reshape(-1, 12).tolist())) for g in (one, two)]
    if fit in ("vertices", "unigine"):
        assert segments[0] == segments[1]
    else:
        first, second = map(np.array, segments)
        near = np.abs(first[:, None] - second).max(axis=2) < 1e-9  # sorting breaks ties by rounding
        assert len(first) == len(second)
        assert near.any(axis=0).all()
        assert near.any(axis=1).all()


@settings(max_examples=40)
@given(curvy, st.sampled_from(["fast", "best"]), st.sampled_from([0.05, 0.5]), st.integers(0, 99))
def test_smooth_and_within_the_tolerance(lines, fit, tolerance, seed):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    scene = convert.to_graph.filled(dataclasses.replace(network(*lines), crs=None), convert.to_graph.Report())
    scene, place, chains = convert.to_graph.make_network(scene, NetworkOptions(), convert.to_graph.Report())
    links = topology.link(scene, place, chains)
    paths = topology.follow_links(place, chains, links)
    options = FitOptions(tolerance=tolerance, bulge=0.0)
    curves = convert.to_graph.fit_chains(scene, place, chains, True, fit, options)
    coords = scene.coords[chains.vertex]
    assert np.array_equal(curves.controls[curves.offsets[:-1], 0], coords[chains.offsets[:-1]])
    assert np.array_equal(curves.controls[curves.offsets[1:] - 1, 3], coords[chains.offsets[1:] - 1])
    verdict = certify(
        coords, chains.offsets, curves.controls, curves.offsets, np.zeros(len(coords)), tolerance
    )
    assert verdict.passed.all()
    assert sorted(paths.chain.tolist()) == list(range(len(chains.line)))
    assert np.bincount(links.ravel(), minlength=1).max() <= 1


@settings(max_examples=40)
@given(curvy, st.sampled_from(METHODS))
def test_both_sides_of_a_link_share_their_direction(lines, fit):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    scene = dataclasses.replace(network(*lines), crs=None)
    scene = dataclasses.replace(scene, coords=np.nan_to_num(scene.coords - CENTRE))
    place = topology.weld(scene.coords)
    vertex, offsets = topology.distinct(place, scene.offsets)
    scene = select_lines(scene, np.diff(offsets) > 1, np.isin(np.arange(len(place)), vertex))
    place = topology.weld(scene.coords)
    chains = topology.split_at_nodes(place, scene.offsets)
    paths = topology.follow_links(place, chains, topology.link(scene, place, chains))
    coords = scene.coords[paths.vertex]
    curves = fitting.fit(coords, paths.offsets, paths.closed, fit, FitOptions(), paths.stops)
    inner = paths.stops.copy()
    inner[paths.offsets[:-1]] = inner[paths.offsets[1:] - 1] = False
    rows = np.flatnonzero(inner & ~corners(coords, paths.offsets, paths.closed))
    first = curves.offsets[:-1][np.cumsum(piece_starts(paths.offsets, paths.stops))[rows] - 1]
    assert np.array_equal(curves.controls[first, 0], coords[rows])
    into = curves.controls[first, 0] - curves.controls[first - 1, 2]
    onward = curves.controls[first, 1] - curves.controls[first, 0]
    longer = np.maximum(*(np.linalg.norm(handle, axis=1) for handle in (into, onward)))
    assert (np.linalg.norm(np.cross(into, onward), axis=1) <= 1e-13 * longer).all()
    assert ((into * onward).sum(axis=1) > 0).all()


def test_no_allowance_is_lost_at_a_junction():
    ring = np.array([(*place, 0.0) for place in circle(20)])
    stops = np.zeros(13, bool)
    stops[[0, 4, 8, 12]] = True
    offsets, closed = np.array([0, 13]), np.array([True])
    options = FitOptions(tolerance=0.05)
    curves = fitting.fit(ring, offsets, closed, "best", options, stops)
    assert len(curves.offsets) == 4
    allowed = allowance(ring, offsets, closed)
    for i in range(3):
        part = slice(4 * i, 4 * i + 5)
        some = curves.controls[curves.offsets[i] : curves.offsets[i + 1]]
        runs = np.array([0, 5]), np.array([0, len(some)])
        assert certify(ring[part], runs[0], some, runs[1], allowed[part], 0.05).passed.all()
    assert len(curves.controls) <= 6


def test_pieces_end_at_stops_for_every_method():
    coords = np.array([(10.0 * i, 0.2 * i * i, 0.0) for i in range(9)])
    stops = np.zeros(9, bool)
    stops[[3, 4, 7]] = True
    for method in fitting.METHODS:
        curves = fitting.fit(
            np.concatenate([coords, coords + 500]),
            np.array([0, 9, 18]),
            np.zeros(2, bool),
            method,
            FitOptions(max_length=12.0),
            np.concatenate([stops, np.zeros(9, bool)]),
        )
        starts = curves.controls[curves.offsets[:-1], 0]
        assert np.array_equal(starts, np.concatenate([coords[[0, 3, 4, 7]], coords[:1] + 500]))
    with pytest.raises(FitError, match="no fit method"):
        fitting.fit(coords, np.array([0, 9]), np.zeros(1, bool), "spiral", FitOptions())


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]), max_size=40))
def test_greedy_pairs_are_those_of_one_after_the_other(pairs):
    used: set[int] = set()
    want = []
    for pair in pairs:
        if not used & set(pair):
            used |= set(pair)
            want.append(pair)
    found = _greedy(np.array(pairs, np.int64).reshape(-1, 2), 10)
    assert sorted(map(tuple, found.tolist())) == sorted(want)
