"""Welding, cutting at nodes, and chains of a graph."""

from __future__ import annotations

import networkx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spl_gis import topology

coordinates = hnp.arrays(
    np.float64,
    st.tuples(st.integers(0, 40), st.just(3)),
    elements=st.sampled_from([-1.0, -0.0, 0.0, 1.0, 2.5]),
)


def chains_of(*lines: str) -> tuple[list[str], list[bool]]:
    """Cut lines given as words, one letter a place, and give the chains as words."""
    text = "".join(lines)
    letters = np.array([ord(letter) for letter in text])
    offsets = np.cumsum([0, *map(len, lines)])
    chains = topology.split_at_nodes(topology.renumber(letters), offsets)
    words = [
        "".join(text[v] for v in chains.vertex[a:b]) for a, b in zip(chains.offsets[:-1], chains.offsets[1:])
    ]
    return words, chains.closed.tolist()


@given(coordinates)
def test_equal_coordinates_are_one_place_and_others_are_not(coords):
    place = topology.weld(coords)
    equal = (coords[:, None] == coords[None]).all(axis=2)
    assert np.array_equal(place[:, None] == place[None], equal)


@given(coordinates)
def test_weld_is_idempotent(coords):
    place = topology.weld(coords)
    points = np.zeros((place.max(initial=-1) + 1, 3))
    points[place] = coords
    assert np.array_equal(topology.weld(points), np.arange(len(points)))
    assert np.array_equal(points[place], coords)


@given(coordinates, st.randoms(use_true_random=False))
def test_weld_does_not_depend_on_order(coords, random):
    order = np.array(random.sample(range(len(coords)), len(coords)), int)
    place = topology.weld(coords)
    shuffled = topology.weld(coords[order])
    assert np.array_equal(shuffled[:, None] == shuffled[None], place[order][:, None] == place[order][None])


def test_places_are_numbered_as_they_appear():
    assert topology.weld(np.array([[2.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])).tolist() == [0, 1, 0, 2]


def test_repeated_vertices_are_left_out():
    vertex, offsets = topology.distinct(np.array([0, 0, 1, 1, 1, 2, 2]), np.array([0, 5, 7]))
    assert vertex.tolist() == [0, 2, 5]
    assert offsets.tolist() == [0, 2, 3]


def test_crossing_at_a_shared_vertex_is_a_node():
    assert chains_of("abc", "dbe")[0] == ["ab", "bc", "db", "be"]


def test_crossing_without_a_shared_vertex_is_none():
    assert chains_of("abc", "def")[0] == ["abc", "def"]


def test_end_on_the_inside_of_a_line_is_a_node():
    assert chains_of("abcd", "cx")[0] == ["abc", "cd", "cx"]


def test_ring_that_meets_nothing_is_closed():
    assert chains_of("abca") == (["abca"], [True])


def test_ring_met_elsewhere_begins_at_the_node():
    assert chains_of("abcda", "xc") == (["cdabc", "xc"], [False, False])


def test_roundabout_with_three_arms():
    words, closed = chains_of("abcdefa", "xb", "yd", "fz")
    assert words == ["bcd", "def", "fab", "xb", "yd", "fz"]
    assert not any(closed)


def test_ring_met_at_its_first_vertex_stays_as_it_is():
    assert chains_of("abca", "xa") == (["abca", "xa"], [False, False])


def test_line_that_touches_itself_is_cut_there():
    assert chains_of("xabcay") == (["xa", "abca", "ay"], [False, False, False])


def test_figure_eight_through_its_first_vertex():
    assert chains_of("abcadea") == (["abca", "adea"], [False, False])


def test_parallel_links_stay_two():
    assert chains_of("axb", "ayb", "ab")[0] == ["axb", "ayb", "ab"]


def test_line_driven_twice_stays_two():
    assert chains_of("abc", "abc")[0] == ["ab", "bc", "ab", "bc"]


def test_there_and_back():
    assert chains_of("aba") == (["aba"], [True])


def test_two_rings_that_share_a_vertex():
    assert chains_of("abca", "dbed") == (["bcab", "bedb"], [False, False])


words = st.lists(st.text("abcdefg", min_size=2, max_size=8), min_size=1, max_size=5).map(
    lambda lines: [line for line in lines if all(a != b for a, b in zip(line, line[1:]))]
)


@given(words.filter(bool))
def test_chains_hold_every_edge_once_and_no_node_inside(lines):
    chains, closed = chains_of(*lines)
    edges = [line[i : i + 2] for line in lines for i in range(len(line) - 1)]
    assert sorted(c[i : i + 2] for c in chains for i in range(len(c) - 1)) == sorted(edges)
    uses = "".join(line[:-1] if line[0] == line[-1] else line for line in lines)
    for chain, ring in zip(chains, closed):
        inside = chain[:-1] if ring else chain[1:-1]
        assert all(uses.count(letter) == 1 for letter in inside)


segments = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=14)


@given(segments)
def test_graph_chains_against_networkx(ends):
    ends = np.array(ends, np.int64).reshape(-1, 2)
    runs = topology.graph_chains(ends)
    assert sorted(runs.segment.tolist()) == list(range(len(ends)))
    degree = topology.degrees(ends, 10)
    joined = networkx.Graph()
    joined.add_nodes_from(range(len(ends)))
    for point in np.flatnonzero(degree == 2):
        there = np.flatnonzero((ends == point).any(axis=1))
        joined.add_edge(there[0], there[-1])
    expected = sorted(sorted(part) for part in networkx.connected_components(joined))
    found = [runs.segment[a:b] for a, b in zip(runs.offsets[:-1], runs.offsets[1:])]
    assert sorted(sorted(run.tolist()) for run in found) == expected
    driven = np.where(runs.reverse[:, None], ends[runs.segment][:, ::-1], ends[runs.segment])
    for a, b in zip(runs.offsets[:-1], runs.offsets[1:]):
        assert np.array_equal(driven[a : b - 1, 1], driven[a + 1 : b, 0])
        assert not runs.reverse[a:b][np.argmin(runs.segment[a:b])]
