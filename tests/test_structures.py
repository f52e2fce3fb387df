"""Bridges and tunnels: from abutment to abutment, clear of what they cross, with ramps."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from surfaces import Paraboloid, Plane, Saddle
from test_cli import done, refused
from test_network import CENTRE, FRAME, network

from spl_gis import bezier, convert
from spl_gis.errors import OptionError
from spl_gis.formats import vector
from spl_gis.frames import Origin, topocentric_frame
from spl_gis.model import LineStrings, SplineGraph, control_points
from spl_gis.profile import Ramps, Roads, keep_clearance, overpasses, span_structures, take_stations
from spl_gis.profile.clearance import FINENESS, LEAST, STEEPEST, TRIES
from spl_gis.report import Report
from spl_gis.terrain import HeightOptions
from spl_gis.topology import NetworkOptions

FLAT = Plane(100.0, 0.0, 0.0)
STEEPEST_RAMP = "steepest ramp but stairs [%]"
STEEPEST_RAMPS = STEEPEST * np.exp(1 / FINENESS)
T = np.linspace(0, 1, 401)

GROUND_ROAD = [(-700.0, 0.0), (700.0, 0.0)]
NORTH = [(0.0, -700.0), (0.0, -40.0)], [(0.0, -40.0), (0.0, 40.0)], [(0.0, 40.0), (0.0, 700.0)]
DIAGONAL = [(-600.0, -500.0), (-48.0, -40.0)], [(-48.0, -40.0), (48.0, 40.0)], [(48.0, 40.0), (600.0, 500.0)]
LINK = [(0.0, 300.0), (60.0, 230.0), (120.0, 110.0), (230.0, 30.0), (400.0, 0.0)]
"""From the bridge over the ground road down to that road."""


def interchange(layers=(None, None, "1", None, None, "2", None, None)) -> LineStrings:
    """Give a road on the ground, one above it, one above both, and a link between the first two."""
    west, east = GROUND_ROAD[0], GROUND_ROAD[1]
    lines = [west, LINK[-1], east], NORTH[0], NORTH[1], [NORTH[2][0], LINK[0], NORTH[2][1]], *DIAGONAL, LINK
    bridge = [None if layer is None else "yes" for layer in layers]
    order = [0, 1, 2, 3, 4, 5, 6, 7]
    return network(*lines, bridge=[bridge[i] for i in order], layer=[layers[i] for i in order])


def laid(lines, surface=FLAT, report=None, merge=False, merge_by=None, level=None, **options) -> SplineGraph:
    return convert.lines_to_graph(
        lines,
        FRAME,
        network=NetworkOptions(level=level, merge=merge, merge_by=merge_by),
        heights=HeightOptions(surface=surface, **options),
        report=report,
    )


def curves(graph: SplineGraph, feature: int) -> np.ndarray:
    """Give places (..., 3) along the segments of a feature."""
    some = graph.line_feature[graph.line] == feature
    return bezier.evaluate(control_points(graph)[some][:, None], T)


def height(graph: SplineGraph, feature: int, x: float, y: float) -> float:
    """Give the height of a feature where it is nearest to a place in plan."""
    places = curves(graph, feature).reshape(-1, 3)
    return float(places[np.hypot(places[:, 0] - x, places[:, 1] - y).argmin(), 2])


def grades(graph: SplineGraph) -> np.ndarray:
    """Give the steepest rise over run of each segment."""
    speed = bezier.derivative(control_points(graph)[:, None], T[1:-1])
    return np.abs(speed[..., 2] / np.hypot(speed[..., 0], speed[..., 1])).max(axis=1)


def least_room(graph: SplineGraph, lower: int, upper: int) -> float:
    """Give the least distance in height where the curves of two features cross in plan."""
    lines = [curves(graph, feature).reshape(-1, 3) for feature in (lower, upper)]
    shapes = [shapely.LineString(line[:, :2]) for line in lines]
    spots = shapely.get_coordinates(shapely.intersection(*shapes))
    ends = np.concatenate([line[[0, -1], :2] for line in lines])
    spots = [spot for spot in spots if np.hypot(*(ends - spot).T).min() > 1.0]
    assert spots
    return min(height(graph, upper, x, y) - height(graph, lower, x, y) for x, y in spots)


def shared_heights_hold(graph: SplineGraph) -> None:
    """Check that no two points are at one place in plan."""
    points = np.round(graph.points[:, :2], 6)
    assert len(np.unique(points, axis=0)) == len(points)


SURFACES = [FLAT, Plane(100.0, 0.01, -0.015), Saddle(100.0, 60e3), Paraboloid(300.0, 40e3)]


@pytest.mark.parametrize("surface", SURFACES, ids=["flat", "plane", "saddle", "hill"])
def test_interchange_of_three_levels(surface):
    report = Report()
    graph = laid(interchange(), surface, report)
    assert report.warnings == []
    assert least_room(graph, 0, 2) >= 5
    assert least_room(graph, 0, 5) >= 5
    assert least_room(graph, 2, 5) >= 5
    assert report.measures["least clearance [m]"] >= 5
    assert height(graph, 0, -100, 0) == pytest.approx(surface.heights(-100, 0), abs=0.2)
    assert grades(graph).max() < 0.06
    assert 100 * grades(graph).max() == pytest.approx(report.measures[STEEPEST_RAMP], abs=0.2)
    shared_heights_hold(graph)
    for end in (-700, 700):  # ramps have an end
        assert height(graph, 0, end, 0) == pytest.approx(surface.heights(end, 0), abs=0.1)


def test_decks_are_no_higher_than_needed():
    graph = laid(interchange())
    assert height(graph, 2, 0, 0) < 105.6
    assert height(graph, 5, 0, 0) < 111.2


@pytest.mark.parametrize(("clearance", "grade"), [(0.0, None), (3.0, 0.03), (8.0, 0.08)])
def test_clearance_and_grade_that_are_asked_for(clearance, grade):
    graph = laid(interchange(), clearance=clearance, max_grade=grade)
    assert least_room(graph, 0, 2) >= clearance
    assert grades(graph).max() <= (grade or 1e-9)
    assert height(graph, 5, 0, 0) == pytest.approx(100 + 2 * clearance, abs=0.1 + 0.15 * clearance)


def test_the_order_and_direction_of_lines_do_not_matter():
    lines = interchange()
    turned = interchange()
    coords = np.concatenate([part[::-1] for part in np.split(turned.coords, turned.offsets[1:-1])])
    turned = LineStrings(coords, turned.offsets, turned.feature, turned.part, turned.features, turned.crs)
    for feature, x, y in ((2, 0, 0), (5, 0, 0), (7, 230, 30), (3, 0, 120)):
        one, two = (height(laid(some), feature, x, y) for some in (lines, turned))
        assert one == pytest.approx(two, abs=0.15)


def test_ramps_lead_through_junctions():
    graph = laid(interchange())
    near, far = height(graph, 7, 0, 300), height(graph, 3, 0, 60)
    assert far > 101.5
    assert near == pytest.approx(height(graph, 3, 0, 300), abs=1e-6)


HILL = Paraboloid(200.0, 2000.0)


def tunnel(*others: list, **columns: list) -> LineStrings:
    road = [(-900.0, 0.0), (-500.0, 0.0)], [(-500.0, 0.0), (500.0, 0.0)], [(500.0, 0.0), (900.0, 0.0)]
    return network(*road, *others, **columns)


def test_tunnel_under_a_hill():
    over = [(0.0, -300.0), (0.0, 300.0)]
    report = Report()
    graph = laid(tunnel(over, tunnel=[None, "yes", None, None]), HILL, report)
    portal = HILL.heights(500, 0)
    inside = curves(graph, 1)[..., 2]
    assert np.abs(inside - portal).max() < 8  # the portals are rounded off
    assert height(graph, 1, 0, 0) == pytest.approx(portal, abs=0.2)
    assert height(graph, 3, 0, 0) == pytest.approx(200, abs=0.3)
    assert report.warnings == []
    slope = 400 / 2000
    assert grades(graph).max() < 0.45 + slope  # the ground's own
    shared_heights_hold(graph)


def test_tunnels_under_each_other_and_a_street():
    street, below = [(-300.0, 0.0), (300.0, 0.0)], [(0.0, -60.0), (0.0, 60.0)]
    deeper = [(-60.0, -60.0), (60.0, 60.0)]
    ramps = [(0.0, -500.0), (0.0, -60.0)], [(0.0, 60.0), (0.0, 500.0)]
    more = [(-500.0, -500.0), (-60.0, -60.0)], [(60.0, 60.0), (500.0, 500.0)]
    lines = network(street, below, deeper, *ramps, *more, layer=[None, "-1", "-2", None, None, None, None])
    report = Report()
    graph = laid(lines, report=report)
    assert np.abs(curves(graph, 0)[..., 2] - 100).max() < 1e-6
    assert least_room(graph, 1, 0) >= 5
    assert least_room(graph, 2, 1) >= 5
    assert grades(graph).max() < 0.06
    assert report.warnings == []


def test_a_run_of_pieces_is_one_bridge_over_a_valley():
    valley = Paraboloid(0.0, -500.0)
    road = [(-400.0, 0.0), (-200.0, 0.0)], [(200.0, 0.0), (400.0, 0.0)]
    pieces = [[(a, 0.0), (a + 100.0, 0.0)] for a in (-200.0, -100.0, 0.0, 100.0)]
    lines = network(*road, *pieces, bridge=[None, None, "yes", "viaduct", "yes", "yes"])
    graph = laid(lines, valley, smooth=0.0)
    ends = valley.heights(200, 0)
    for feature in range(2, 6):
        assert np.abs(curves(graph, feature)[..., 2] - ends).max() < 0.2


def test_stairs_from_the_ground_do_not_pull_a_bridge_down():
    valley = Paraboloid(0.0, -500.0)
    road = [(-400.0, 0.0), (-200.0, 0.0)], [(200.0, 0.0), (400.0, 0.0)]
    deck = [(-200.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (200.0, 0.0)]
    stairs = [(0.0, 0.0), (0.0, 300.0)]
    ways = ["primary"] * 4 + ["steps"]
    lines = network(*road, *deck, stairs, bridge=[None, None, "yes", "yes", None], highway=ways)
    graph = laid(lines, valley, smooth=0.0)
    assert height(graph, 2, 0, 0) == pytest.approx(valley.heights(200, 0), abs=0.1)
    assert height(graph, 4, 0, 0) == pytest.approx(valley.heights(200, 0), abs=0.1)
    assert height(graph, 4, 0, 200) == pytest.approx(valley.heights(0, 200), abs=0.3)


def test_branching_decks_and_decks_without_abutments():
    deck = [(0.0, 0.0), (100.0, 0.0)], [(100.0, 0.0), (200.0, 50.0)], [(100.0, 0.0), (200.0, -50.0)]
    graph = laid(network(*deck, bridge=["yes"] * 3), Plane(100, 0.05, 0.0), smooth=0.0)
    middle = height(graph, 0, 100, 0)
    assert (middle - 100) / 100 == pytest.approx(2 * (110 - middle) / np.hypot(100, 50), abs=1e-3)
    ring = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 0.0)]
    graph = laid(network(ring, bridge=["yes"]), HILL)
    assert np.isfinite(graph.points).all()


def test_without_terrain_a_number_is_enough():
    lines, report = interchange(), Report()
    options = HeightOptions(source=20.0)
    graph = convert.lines_to_graph(lines, FRAME, heights=options, report=report)
    assert least_room(graph, 0, 2) >= 5
    assert least_room(graph, 2, 5) >= 5
    assert np.abs(curves(graph, 0)[..., 2].min() - 20) < 0.01
    plain = convert.lines_to_graph(lines, FRAME)
    assert (plain.points[:, 2] == 0).all()
    assert "least clearance [m]" in report.measures
    firm = convert.lines_to_graph(network(GROUND_ROAD), FRAME, heights=options)
    assert (firm.points[:, 2] == 20).all()


@pytest.mark.parametrize(("mode", "deck"), [("fill", 0.0), ("add", 20.0)])
def test_heights_of_the_lines_themselves_are_never_changed(mode, deck):
    lines = interchange()
    coords = np.where([False, False, True], 0.0, lines.coords)
    lines = LineStrings(coords, lines.offsets, lines.feature, lines.part, lines.features, lines.crs)
    graph = convert.lines_to_graph(lines, FRAME, heights=HeightOptions(source=20.0, mode=mode))
    assert (graph.points[:, 2] == deck).all()


def test_on_a_tangent_plane_a_number_is_over_the_ellipsoid():
    frame = topocentric_frame(Origin(lat=49.65, lon=15.0, h=300.0))
    graph = convert.lines_to_graph(interchange(), frame, heights=HeightOptions(source=320.0))
    ground = graph.points[graph.ends[graph.line_feature[graph.line] == 0]][..., 2]
    assert np.abs(ground - 20).max() < 0.1
    assert graph.points[:, 2].max() > 29


def test_levels_of_a_column():
    lines = interchange()
    columns = {"floor": [None if v is None else v for v in lines.features.columns["layer"].values]}
    parts = np.split(lines.coords[:, :2] - CENTRE[:2], lines.offsets[1:-1])
    floors = network(*(list(map(tuple, part)) for part in parts), floor=[v or None for v in columns["floor"]])
    graph = laid(floors, level="floor")
    assert least_room(graph, 0, 2) >= 5
    assert least_room(graph, 2, 5) >= 5
    with pytest.raises(OptionError, match="no column 'storey'"):
        laid(floors, level="storey")


def crossing(one: dict, two: dict, report=None, **options) -> float:
    """Give how far the second of two crossing roads is above the first."""
    names = [*one, *(name for name in two if name not in one)]
    columns = {name: [one.get(name), two.get(name)] for name in names}
    lines = network([(-200.0, 0.0), (200.0, 0.0)], [(0.0, -200.0), (0.0, 200.0)], **columns)
    return least_room(laid(lines, report=report, **options), 0, 1)


def test_what_needs_room_and_what_does_not():
    road, bridge = {"highway": "primary"}, {"highway": "primary", "bridge": "yes"}
    assert crossing(road, bridge) >= 5
    assert crossing({"waterway": "river"}, bridge) == pytest.approx(2.2, abs=0.3)
    assert crossing(road, {"waterway": "stream", "tunnel": "culvert"}) == pytest.approx(-2.2, abs=0.3)
    assert crossing({"barrier": "fence"}, bridge) == pytest.approx(0, abs=1e-6)
    assert crossing(road, {"highway": "footway", "tunnel": "building_passage"}) == pytest.approx(0, abs=1e-6)
    assert crossing(road, {"highway": "primary", "bridge": "no"}) == pytest.approx(0, abs=1e-6)


def test_nothing_is_guessed_about_roads_on_one_level():
    report = Report()
    assert crossing({"bridge": "yes"}, {"bridge": "yes"}, report) == pytest.approx(0, abs=1e-6)
    assert any("on one level get no clearance" in note for note in report.notes)


SHORT = [
    [(-300.0, 0.0), (-20.0, 0.0)],
    [(-20.0, 0.0), (20.0, 0.0)],
    [(20.0, 0.0), (40.0, 8.0), (50.0, 25.0), (40.0, 42.0), (20.0, 45.0), (5.0, 30.0), (0.0, -60.0)],
]
"""A road that goes below its own bridge after a loop of 130 m."""


def test_a_loop_that_is_too_short_gets_steeper_or_gives_way():
    lines = network(*SHORT, bridge=[None, "yes", None])
    report = Report()
    graph = laid(lines, report=report)
    assert least_room(graph, 2, 1) >= 5 or any("less room" in warning for warning in report.warnings)
    report = Report()
    graph = laid(lines, report=report, max_grade=0.02)
    assert grades(graph).max() <= 0.02 * 1.001
    warning = next(warning for warning in report.warnings if "less room than --clearance" in warning)
    assert "101 over 102" in warning


def test_steeper_ramps_are_told():
    lines = network(*SHORT, bridge=[None, "yes", None], highway=["motorway"] * 3)
    report = Report()
    graph = laid(lines, report=report)
    assert least_room(graph, 2, 1) >= 5
    assert any("ramps had to be steeper than usual" in warning for warning in report.warnings)
    assert grades(graph).max() < 0.16


def test_merged_roads_end_where_bridges_begin():
    lines = network(*NORTH, GROUND_ROAD, bridge=[None, "yes", None, None], name=["a", "a", "a", "b"])
    graph = laid(lines, merge=True, merge_by=["name"])
    assert least_room(graph, 3, 1) >= 5


def test_on_the_command_line(tmp_path):
    vector.write(interchange(), tmp_path / "a.gpkg")
    out = tmp_path / "a.spl"
    said = done("convert", tmp_path / "a.gpkg", out, "--z", "0")
    assert "least clearance [m]" in said
    job = "convert", tmp_path / "a.gpkg", tmp_path / "b.spl", "--clearance"
    assert "does nothing" in refused(*job, "3", code=2)
    said = refused(*job, "-3", "--z", "0", code=2)
    assert "clearance must be" in said


def straight(lines: list, node: list):
    """Give stations of straight chains, each a road of its own."""
    places = np.asarray(lines, float)
    share = np.arange(4)[:, None] / 3
    controls = places[:, :1] * (1 - share) + places[:, 1:] * share
    each = np.arange(len(lines) + 1)
    stations = take_stations(controls, each, np.asarray(node), each[:-1], 10.0)
    return stations, Roads(each, np.zeros(len(lines), bool))


def test_flow_of_slopes_at_a_branch():
    lines = [[(0, 0), (100, 0)], [(100, 0), (150, 0)], [(100, 0), (100, 200)]]
    stations, _ = straight(lines, [[0, 1], [1, 2], [1, 3]])
    ground = np.where(stations.chain == 0, 0.0, np.where(stations.chain == 1, 30.0, 60.0))
    ground[stations.ends[:, 0]] = 0.0
    z = span_structures(stations, ground, np.ones(3, bool), np.full(3, 0.06))
    middle = z[stations.ends[0, 1]]
    assert (middle - 0) / 100 == pytest.approx((30 - middle) / 50 + (60 - middle) / 200)
    assert (z[stations.ends[1:, 0]] == middle).all()


coordinate = st.integers(-30, 30).map(lambda i: 10.0 * i)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[coordinate] * 4, st.integers(-2, 2)), min_size=1, max_size=9),
    st.booleans(),
    st.integers(0, 99),
)
def test_random_crossings(rows, firm, seed):
    rows = [row for row in rows if row[:2] != row[2:4]]
    if not rows:
        return
    lines = [[row[:2], row[2:4]] for row in rows]
    ends = np.array(lines).reshape(-1, 2)
    _, node = np.unique(ends, axis=0, return_inverse=True)
    stations, roads = straight(lines, node.reshape(-1, 2))
    level = np.array([row[4] for row in rows], float)
    base = np.random.default_rng(seed).uniform(-3, 3, node.max() + 1)[stations.node]
    share = stations.station / stations.lengths[stations.chain]
    z = base[stations.chain, 0] + share * (base[stations.chain, 1] - base[stations.chain, 0])
    z[stations.ends] = base
    over, _ = overpasses(stations, level)
    grade = np.full(len(rows), 0.1)
    ramps = Ramps(stations, roads, grade, np.full(len(rows), 20.0), firm)
    room = np.full(len(over.row), 5.0)
    found = keep_clearance(z, over, level, room, ramps)
    assert np.isfinite(found.z).all()
    first = np.empty(node.max() + 1)
    first[stations.node] = found.z[stations.ends]
    assert (first[stations.node] == found.z[stations.ends]).all()
    if not len(over.row):
        assert np.array_equal(found.z, z)
    run = np.diff(stations.station)
    inside = run > 0
    slope, before = (np.abs(np.diff(heights))[inside] / run[inside] for heights in (found.z, z))
    steepest = 0.1 * (STEEPEST_RAMPS if found.steep.any() else 1.0)
    # each of a few turns may add a third of the grade to what is as steep already
    assert (slope <= np.maximum(before, steepest) + 2 * TRIES * LEAST * steepest + 1e-6).all()
    alone = ~np.isin(stations.chain, stations.chain[over.row]) & ~np.isin(
        stations.node[stations.chain], stations.node[stations.chain[over.row]]
    ).any(axis=1)
    met = np.bincount(stations.node.ravel())[stations.node[stations.chain]].max(axis=1) > 1
    assert np.array_equal(found.z[alone & ~met], z[alone & ~met])
