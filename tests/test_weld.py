"""Laws of welding by distance, and the search for near places behind it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spl_gis import topology
from spl_gis.topology import NetworkOptions, places

D, Z = 1.0, 2.0
NONE = np.zeros((0, 2), np.int64)

step = st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0, 1.3, 2.0, 5.0])
spot = st.tuples(step, step, st.sampled_from([0.0, 0.0, 1.5, 2.5]))
cloud = st.lists(spot, min_size=1, max_size=14)
walk = st.lists(st.tuples(step, step, st.just(0.0)), min_size=2, max_size=6)


def clustered(coords: np.ndarray, edges: np.ndarray = NONE) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the different places, what each becomes, and the place of each vertex."""
    place = places.ordered_places(coords)
    points = np.zeros((place.max() + 1, 3))
    points[place] = coords
    return points, topology.cluster(points, place[edges], D, Z), place


def joined(lines: list[list[tuple[float, float, float]]], **options: object) -> topology.Network:
    """Join lines of which some vertices may repeat."""
    lines = [[p for i, p in enumerate(line) if i == 0 or p != line[i - 1]] for line in lines]
    lines = [line for line in lines if len(line) > 1]
    coords = np.array([p for line in lines for p in line], float).reshape(-1, 3)
    offsets = np.cumsum([0, *map(len, lines)])
    zero = np.zeros(len(lines))
    levels = topology.Levels(zero, zero.astype(bool), "")
    return topology.join(coords, offsets, levels, NetworkOptions(weld=D, weld_z=Z, **options)).network


@given(cloud, st.sampled_from([0.0, 0.5, 1.0, 7.0]))
def test_near_pairs_are_all_near_pairs(spots, distance):
    points = np.array(spots)
    gap = points[:, None] - points[None]
    near = (gap[:, :, 0] ** 2 + gap[:, :, 1] ** 2 <= distance**2) & (np.abs(gap[:, :, 2]) <= Z)
    expected = np.argwhere(np.triu(near, 1))
    found = places.near_pairs(points, distance, Z)
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, expected.tolist()))


@given(cloud)
def test_no_two_members_of_a_cluster_are_further_apart_than_the_distance(spots):
    points, target, _ = clustered(np.array(spots))
    for place in np.unique(target):
        members = points[target == place]
        gap = members[:, None] - members[None]
        assert np.hypot(gap[:, :, 0], gap[:, :, 1]).max() <= D * (1 + 1e-12)
        assert np.abs(gap[:, :, 2]).max() <= Z


@given(cloud)
def test_every_vertex_moves_at_most_the_distance_to_another_vertex(spots):
    points, target, _ = clustered(np.array(spots))
    moved = points[target] - points
    assert np.hypot(moved[:, 0], moved[:, 1]).max() <= D * (1 + 1e-12)
    assert np.abs(moved[:, 2]).max() <= Z
    assert np.array_equal(target[target], target)


@given(cloud)
def test_weld_is_idempotent(spots):
    points, target, place = clustered(np.array(spots))
    again, still, _ = clustered(points[target][place])
    assert np.array_equal(still, np.arange(len(again)))


@given(cloud, st.randoms(use_true_random=False))
def test_weld_does_not_depend_on_order(spots, random):
    coords = np.array(spots)
    order = np.array(random.sample(range(len(coords)), len(coords)))
    points, target, place = clustered(coords)
    others, becomes, where = clustered(coords[order])
    assert np.array_equal(points[target][place][order], others[becomes][where])


@given(st.lists(walk, min_size=1, max_size=5))
def test_weld_of_lines_is_idempotent_and_swallows_no_edge(lines):
    first = joined(lines, snap_ends=False)
    assert (first.place[1:] != first.place[:-1])[np.diff(edge_owner(first)) == 0].all()
    coords = first.points[first.place]
    again = [list(map(tuple, coords[a:b].tolist())) for a, b in zip(first.offsets, first.offsets[1:])]
    second = joined(again, snap_ends=False)
    assert np.array_equal(second.points[second.place], coords)


def edge_owner(network: topology.Network) -> np.ndarray:
    return np.repeat(np.arange(len(network.offsets) - 1), np.diff(network.offsets))


@settings(max_examples=200)
@given(
    st.lists(walk, min_size=1, max_size=5),
    st.randoms(use_true_random=False),
    st.sampled_from(["none", "split"]),
)
def test_the_network_does_not_depend_on_the_order_or_direction_of_lines(lines, random, crossings):
    lines = [line for line in lines if len(set(line)) > 1]
    shuffled = [line[:: random.choice([1, -1])] for line in random.sample(lines, len(lines))]
    one, other = (ways(joined(some, crossings=crossings)) for some in (lines, shuffled))
    assert one == other


def ways(network: topology.Network) -> list[bytes]:
    """Give the coordinates along each line, without the line's direction, in an order of their own."""
    coords = network.points[network.place]
    lines = [coords[a:b] for a, b in zip(network.offsets, network.offsets[1:])]
    return sorted(min(line.tobytes(), line[::-1].tobytes()) for line in lines)


def test_a_chain_of_pairs_does_not_become_one_place():
    coords = np.array([[0, 0, 0], [0.9, 0, 0], [1.8, 0, 0], [2.7, 0, 0], [3.6, 0, 0]])
    points, target, _ = clustered(coords)
    assert len(np.unique(target)) == 3
    assert np.abs(points[target] - points).max() <= 0.9


def test_the_nearest_two_become_one_and_lie_where_nothing_else_is_near():
    points, target, _ = clustered(np.array([[0, 0, 0], [0.3, 0, 0], [1.2, 0, 0]]))
    assert points[target, 0].tolist() == [0, 0, 1.2]


def test_a_cluster_lies_at_its_most_used_member():
    coords = np.array([[0, 0, 0], [0.5, 0, 0], [9, 0, 0], [9, 9, 0], [0, 9, 0]])
    points, target, place = clustered(coords, np.array([[0, 2], [1, 3], [1, 4]]))
    assert points[target][place][:2].tolist() == [[0.5, 0, 0]] * 2


def test_a_line_with_vertices_close_together_stays_as_it_is():
    angle = np.linspace(0, 3, 400)
    coords = np.column_stack([20 * np.cos(angle), 20 * np.sin(angle), 0 * angle])
    edges = np.column_stack([np.arange(399), np.arange(1, 400)])
    points, target, _ = clustered(coords, edges)
    assert np.array_equal(target, np.arange(len(points)))


@pytest.mark.parametrize("name", ["weld", "weld_z", "min_component", "min_dangle"])
def test_a_length_is_not_negative(name):
    with pytest.raises(topology.network.OptionError, match=name):
        NetworkOptions(**{name: -1.0})
