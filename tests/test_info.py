"""What a graph holds, counted in another way."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spl_gis import bezier, info, topology
from spl_gis.model import control_points, spline_graph

pairs = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30)


@given(pairs)
def test_components_are_those_of_networkx(ends: list[tuple[int, int]]) -> None:
    graph = networkx.Graph(ends)
    graph.add_nodes_from(range(20))
    label = topology.components(np.array(ends, np.int64).reshape(-1, 2), 20)
    for part in networkx.connected_components(graph):
        assert set(label[list(part)].tolist()) == {min(part)}


def test_a_network_in_numbers() -> None:
    points = [[0, 0, 0], [10, 0, 0], [20, 0, 0], [10, 10, 0], [50, 50, 0], [60, 50, 0]]
    ends = np.array([[0, 1], [1, 2], [1, 3], [4, 5]])
    chord = np.diff(np.array(points, float)[ends], axis=1) / 3
    graph = spline_graph(points, ends, np.concatenate([chord, -chord], axis=1))
    assert info.network(graph) == {
        **{"points": 6, "segments": 4, "junctions": 1, "components": 2},
        **{"points by degree": {1: 5, 3: 1}, "length [m]": pytest.approx(40)},
    }
    empty = info.network(spline_graph([], [], []))
    assert (empty["components"], empty["length [m]"], empty["points by degree"]) == (0, 0, {})


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_the_length_is_that_of_the_curves(handles: list[float]) -> None:
    tangents = np.add(np.reshape(handles, (1, 2, 3)), [[[4, 0, 0], [-4, 0, 0]]])
    graph = spline_graph([[0, 0, 0], [12, 0, 0]], [[0, 1]], tangents)
    exact = bezier.length(control_points(graph)).sum()
    assert info.network(graph)["length [m]"] == pytest.approx(exact, rel=1e-3)
