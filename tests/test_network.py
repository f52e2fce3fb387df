"""Lines become a network: one test for each picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert, topology
from spl_gis.errors import OptionError
from spl_gis.frames import Origin, map_frame
from spl_gis.model import Column, Features, LineStrings, SplineGraph, control_points
from spl_gis.report import Report
from spl_gis.topology import NetworkOptions

UTM = CRS("EPSG:32633")
CENTRE = np.array([500_000.0, 5_500_000.0, 0])
FRAME = map_frame(UTM, Origin(x=CENTRE[0], y=CENTRE[1]))

Place = tuple[float, ...]


def network(*lines: list[Place], feature: list[int] | None = None, **columns: list[object]) -> LineStrings:
    """Make lines of places in metres from the centre; a place may leave out its height."""
    rows = np.array([[*place, np.nan][:3] for line in lines for place in line])
    feature = list(range(len(lines))) if feature is None else feature
    table = {
        name: Column(
            np.array(["" if v is None else v for v in values], object), [v is None for v in values], "String"
        )
        for name, values in columns.items()
    }
    features = Features(100 + np.arange(max(feature) + 1), table, "roads")
    offsets = np.cumsum([0, *map(len, lines)])
    return LineStrings(rows + CENTRE, offsets, feature, [-1] * len(lines), features, UTM)


def joined(lines: LineStrings, report: Report | None = None, **options: object) -> SplineGraph:
    return convert.lines_to_graph(
        lines, FRAME, network=NetworkOptions(**options), report=report, fit="vertices"
    )


def degrees(graph: SplineGraph) -> list[int]:
    """Give how many points have degree 0, 1, 2, ..."""
    return np.bincount(topology.degrees(graph.ends, len(graph.points))).tolist()


def circle(radius: float, count: int = 12) -> list[Place]:
    angle = 2 * np.pi * np.arange(count) / count
    ring = [(radius * np.cos(a), radius * np.sin(a)) for a in angle]
    return [*ring, ring[0]]


def test_t():
    street = [(0.0, 0.0), (100.0, 0.0)]
    for end in (-0.008, 0.0, 0.008):
        graph = joined(network(street, [(50, end), (50, 80)]))
        assert degrees(graph) == [0, 3, 0, 1]
        assert len(graph) == 3
        assert graph.line.tolist() == [0, 0, 1]


def test_t_that_is_too_far_away_or_not_wanted():
    street = [(0.0, 0.0), (100.0, 0.0)]
    assert degrees(joined(network(street, [(50, 0.02), (50, 80)]))) == [0, 4]
    assert degrees(joined(network(street, [(50, 0.02), (50, 80)]), weld=0.05)) == [0, 3, 0, 1]
    assert degrees(joined(network(street, [(50, 0), (50, 80)]), snap_ends=False)) == [0, 4]


def test_t_under_a_bridge():
    street = [(0.0, 0.0, 6.0), (100.0, 0.0, 6.0)]
    assert degrees(joined(network(street, [(50, 0, 0), (50, 80, 0)]))) == [0, 4]
    assert degrees(joined(network(street, [(50, 0, 5), (50, 80, 0)]))) == [0, 3, 0, 1]
    flat = network([(0, 0), (100, 0)], [(50, 0), (50, 80)], bridge=["yes", None])
    assert degrees(joined(flat)) == [0, 4]


def test_a_tunnel_that_ends_under_a_street():
    report = Report()
    lines = network([(0, 0), (100, 0)], [(50, 0), (50, 80)], tunnel=[None, "yes"])
    assert degrees(joined(lines, report)) == [0, 4]
    assert [crossing.reason for crossing in report.crossings] == ["different levels"]


def test_a_bridge_comes_down_to_the_ground_at_a_shared_vertex():
    lines = network([(0, 0), (50, 0), (100, 0)], [(50, 0), (50, 80)], bridge=[None, "yes"])
    assert degrees(joined(lines)) == [0, 3, 0, 1]


def test_two_arms_at_one_t():
    graph = joined(network([(0, 0), (100, 0)], [(50, 0), (50, 80)], [(50, 0), (70, -80)]))
    assert degrees(graph) == [0, 4, 0, 0, 1]


X = ([(-50.0, 0.0), (50.0, 0.0)], [(0.0, -50.0), (0.0, 50.0)])


def test_x_on_one_level():
    assert degrees(joined(network(*X))) == [0, 4]
    graph = joined(network(*X), crossings="split")
    assert degrees(graph) == [0, 4, 0, 0, 1]
    assert graph.points[1].tolist() == [0, 0, 0]
    assert graph.line.tolist() == [0, 0, 1, 1]


def test_x_at_a_vertex_of_one_line():
    graph = joined(network([(-50, 0), (0, 0.004), (50, 0)], X[1]), crossings="split")
    assert degrees(graph) == [0, 4, 0, 0, 1]
    assert graph.points[1].tolist() == pytest.approx([0, 0.004, 0], abs=1e-8)


def test_three_lines_through_one_spot():
    lines = [[(-50 * np.cos(a), -50 * np.sin(a)), (50 * np.cos(a), 50 * np.sin(a))] for a in (0.1, 1.2, 2.3)]
    assert degrees(joined(network(*lines), crossings="split")) == [0, 6, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"layer": ["1", None]}, "different levels"),
        ({"layer": [None, "-1"]}, "different levels"),
        ({"bridge": ["viaduct", None]}, "different levels"),
        ({"tunnel": [None, "culvert"]}, "different levels"),
        ({"bridge": ["yes", "yes"]}, "a bridge or tunnel without a shared vertex"),
        ({"bridge": ["yes", None], "layer": ["0", "0"]}, "a bridge or tunnel without a shared vertex"),
    ],
)
def test_x_on_two_levels_of_openstreetmap(columns, reason):
    report = Report()
    assert degrees(joined(network(*X, **columns), report, crossings="split")) == [0, 4]
    assert [crossing.reason for crossing in report.crossings] == [reason]


@pytest.mark.parametrize("columns", [{"bridge": ["no", None]}, {"layer": ["0", None]}, {"layer": ["3", "3"]}])
def test_x_on_one_level_of_openstreetmap(columns):
    assert degrees(joined(network(*X, **columns), crossings="split")) == [0, 4, 0, 0, 1]


def test_x_on_two_levels_by_height():
    for height, expected in ((5.0, [0, 4]), (1.0, [0, 4, 0, 0, 1])):
        lines = network([(-50, 0, height), (50, 0, height)], [(0, -50, 0), (0, 50, 0)])
        graph = joined(lines, crossings="split")
        assert degrees(graph) == expected
    assert graph.points[1].tolist() == [0, 0, 0.5]


def test_x_on_two_levels_by_field():
    lines = network(*X, deck=["2", None], bridge=["yes", "yes"])
    assert degrees(joined(lines, crossings="split", level="deck")) == [0, 4]
    same = network(*X, deck=["2", "2"], bridge=["yes", "yes"])
    assert degrees(joined(same, crossings="split", level="deck")) == [0, 4, 0, 0, 1]


def test_a_level_that_is_no_number_or_no_column_is_a_sentence():
    with pytest.raises(OptionError, match="'upper' in the column 'deck' is not a number"):
        joined(network(*X, deck=["upper", None]), level="deck")
    with pytest.raises(OptionError, match="there is no column 'deck'"):
        joined(network(*X, height=["1", None]), level="deck")


def test_a_layer_that_is_no_number_counts_as_missing_and_is_said():
    report = Report()
    lines = network(*X, layer=["upper", None], bridge=["yes", None])
    assert degrees(joined(lines, report, crossings="split")) == [0, 4]
    assert "1 features have a layer that is not a number: it counts as missing" in report.notes


def test_crossings_left_apart_are_listed_with_their_place():
    report = Report()
    joined(network(*X, layer=["1", None]), report)
    (crossing,) = report.crossings
    assert crossing.fids == (100, 101)
    assert crossing.scene == (0, 0, 0)
    assert crossing.lonlat == pytest.approx((15.0, 49.6518), abs=1e-3)
    assert report.counts["crossings left apart"] == 1
    assert any("1 x different levels" in note for note in report.notes)
    assert report.to_dict()["crossings"][0]["reason"] == "different levels"


def test_crossings_that_could_be_split_are_said():
    report = Report()
    joined(network(*X), report)
    assert [crossing.reason for crossing in report.crossings] == ["same level"]
    assert any("--crossings split joins those" in note for note in report.notes)


def test_overshoot_is_no_crossing():
    report = Report()
    assert degrees(joined(network([(0, 0), (100, 0)], [(50, -0.005), (50, 80)]), report)) == [0, 3, 0, 1]
    assert report.crossings == []
    assert report.counts["ends joined to the inside of a line"] == 1


def test_a_line_that_crosses_itself():
    lines = network([(0, 0), (40, 40), (40, 0), (0, 40)])
    assert degrees(joined(lines)) == [0, 2, 2]
    assert degrees(joined(lines, crossings="split")) == [0, 2, 2, 0, 1]


def test_roundabout_with_three_arms():
    ring = circle(20)
    arms = [[ring[i], (3 * ring[i][0], 3 * ring[i][1])] for i in (1, 5, 9)]
    assert degrees(joined(network(ring, *arms))) == [0, 3, 9, 3]


def test_roundabout_whose_arms_end_on_its_edges():
    ring = np.array(circle(20))
    middle = (ring[:-1] + ring[1:]) / 2
    arms = [[tuple(1.0002 * middle[i]), tuple(3 * middle[i])] for i in (1, 5, 9)]
    assert degrees(joined(network(circle(20), *arms))) == [0, 3, 12, 3]


def test_double_link():
    lines = network([(0, 0), (20, 9), (40, 0)], [(0, 0), (20, -9), (40, 0.006)])
    graph = joined(lines)
    assert degrees(graph) == [0, 0, 4]
    assert len(graph) == 4


def test_lollipop():
    graph = joined(network([(0, 0), (40, 0), (70, 20), (70, -20), (40, 0.005)]))
    assert degrees(graph) == [0, 1, 2, 1]
    onto_edge = joined(network([(0, 0), (60, 0), (70, 20), (30, 20), (30, 0.005)]))
    assert degrees(onto_edge) == [0, 1, 3, 1]


def test_loop_through_one_vertex():
    assert degrees(joined(network([(0, 0), (30, 10), (30, -10), (0, 0.004)]))) == [0, 0, 3]
    eight = [(0, 0), (30, 10), (30, -10), (0.004, 0), (-30, 10), (-30, -10), (0, 0.004)]
    assert degrees(joined(network(eight))) == [0, 0, 4, 0, 1]


def test_near_miss():
    near = network([(0, 0), (50, 0)], [(50.006, 0.006), (90, 40)])
    assert degrees(joined(near)) == [0, 2, 1]
    assert degrees(joined(near, weld=0.0)) == [0, 4]
    assert degrees(joined(near, weld=None)) == [0, 4]
    high = network([(0, 0, 0), (50, 0, 0)], [(50, 0, 2.5), (90, 40, 0)])
    assert degrees(joined(high)) == [0, 4]
    assert degrees(joined(high, weld_z=3.0)) == [0, 2, 1]


@pytest.mark.parametrize(("bridge", "expected"), [("yes", [0, 4, 1]), ("no", [0, 3, 0, 1])])
def test_near_miss_of_a_bridge(bridge, expected):
    lines = network([(0, 0), (50, 0), (99, 0)], [(50.006, 0), (50, 60)], bridge=[bridge, None])
    assert degrees(joined(lines)) == expected


def test_short_link_beside_a_junction():
    lines = network(
        [(-50, 0), (0, 0)],
        [(0.004, 0), (0, -50)],
        [(0, 0), (0.008, 0.002)],
        [(0.008, 0.002), (50, 50)],
    )
    graph = joined(lines)
    assert degrees(graph) == [0, 3, 1, 1]
    assert len(graph) == 4
    link = graph.points[graph.ends[2]]
    assert np.allclose(link, [[0, 0, 0], [0.008, 0.002, 0]], rtol=0, atol=1e-8)


def test_three_ends_in_a_3_cm_triangle():
    corners = 0.03 / np.sqrt(3) * np.array([[0, 1], [-np.sqrt(0.75), -0.5], [np.sqrt(0.75), -0.5]])
    lines = network(*([tuple(corner), tuple(2000 * corner)] for corner in corners))
    assert degrees(joined(lines)) == [0, 6]
    assert degrees(joined(lines, weld=0.031)) == [0, 3, 0, 1]


def test_dual_carriageway_over_each_other():
    there, back = [(0.0, 0.0), (50.0, 0.0), (100.0, 0.0)], [(100.0, 0.0), (50.0, 0.0), (0.0, 0.0)]
    assert degrees(joined(network(there, back))) == [0, 0, 2, 0, 1]
    stacked = network([(*p, 6.0) for p in there], [(*p, 0.0) for p in back])
    assert degrees(joined(stacked, crossings="split")) == [0, 4, 2]


def test_duplicates_are_left_out_when_asked():
    lines = network([(0, 0), (50, 9), (90, 0)], [(90, 0), (50, 9.005), (0, 0)], [(0, 0), (90, 0)])
    assert len(joined(lines)) == 5
    report = Report()
    graph = joined(lines, report, drop_duplicates=True)
    assert graph.features.fid.tolist() == [100, 102]
    assert [(r.fid, r.reason) for r in report.refused] == [
        (101, "the same line as one before it (--drop-duplicates)")
    ]


words = st.lists(st.text("abcd", min_size=2, max_size=5), max_size=8)


@given(words)
def test_duplicates_have_the_same_places(lines):
    place = np.array([ord(letter) for letter in "".join(lines)], np.int64)
    drop = topology.duplicates(place, np.cumsum([0, *map(len, lines)]))
    assert drop.tolist() == [line in seen or line[::-1] in seen for line, seen in before(lines)]


def before(lines: list[str]) -> list[tuple[str, list[str]]]:
    return [(line, lines[:i]) for i, line in enumerate(lines)]


def test_small_components_are_left_out_when_asked():
    lines = network([(0, 0), (10, 0)], [(10, 0), (15, 0)], [(0, 50), (14, 50)])
    report = Report()
    assert joined(lines, report, min_component=14.5).features.fid.tolist() == [100, 101]
    assert [r.fid for r in report.refused] == [102]
    assert len(joined(lines, min_component=14.0)) == 3


def test_short_dead_ends_are_left_out_when_asked():
    lines = network(
        [(0, 0), (100, 0)],
        [(50, 0), (50, 3)],
        [(50, 3), (50, 4)],
        [(80, 0), (80, 9)],
        [(0, 50), (2, 50)],
        [(97, 0), (97, 50)],
    )
    report = Report()
    graph = joined(lines, report, min_dangle=5.0)
    assert graph.features.fid.tolist() == [100, 103, 104, 105]
    assert sorted(r.fid for r in report.refused) == [101, 102]
    assert [r.fid for r in report.repaired] == [100]  # its last 3 m
    assert graph.points[:, 0].max() == 97


def test_clean_up_needs_a_weld():
    with pytest.raises(OptionError, match="without a weld"):
        NetworkOptions(weld=None, min_dangle=1.0)


small = st.sampled_from([0.0, 0.0, 0.004, 0.007])
spots = st.tuples(st.integers(-2, 2), st.integers(-2, 2), small, small, st.sampled_from([0.0, 5.0])).map(
    lambda s: (20.0 * s[0] + s[2], 20.0 * s[1] + s[3], s[4])
)


@given(
    st.lists(st.lists(spots, min_size=2, max_size=5), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
def test_shuffled_features_give_the_same_graph_up_to_numbering(lines, random):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    shuffled = random.sample(lines, len(lines))
    graphs = [joined(network(*some), crossings="split", through=False) for some in (lines, shuffled)]
    segments = [sorted(map(tuple, control_points(g).reshape(-1, 12).tolist())) for g in graphs]
    assert segments[0] == segments[1]
    assert sorted(map(tuple, graphs[0].points.tolist())) == sorted(map(tuple, graphs[1].points.tolist()))
