"""The two nouns keep their promises."""

from __future__ import annotations

import numpy as np
import pytest

from spl_gis.errors import GraphError
from spl_gis.model import (
    Column,
    Features,
    LineStrings,
    control_points,
    from_control_points,
    select_lines,
    spline_graph,
)


def three_lines() -> LineStrings:
    coords = np.arange(24.0).reshape(8, 3)
    columns = {"n": Column(np.array([5, 6]), np.array([False, True]), "Integer64")}
    features = Features(np.array([10, 20]), columns, "roads")
    return LineStrings(coords, [0, 2, 5, 8], [0, 1, 1], [-1, 0, 1], features)


def one_segment(**changed):
    arrays = {"points": [[0, 0, 0], [9, 0, 0]], "ends": [[0, 1]], "tangents": [[[3, 0, 0], [-3, 1, 0]]]}
    return spline_graph(**{**arrays, **changed})


def arrays_of(noun: object) -> list[np.ndarray]:
    return [value for value in vars(noun).values() if isinstance(value, np.ndarray)]


@pytest.mark.parametrize(
    "noun", [three_lines(), three_lines().features, three_lines().features.columns["n"], one_segment()]
)
def test_arrays_refuse_writes(noun):
    arrays = arrays_of(noun)
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"points": [[0, 0, 0], [np.nan, 0, 0]]}, "points must be finite"),
        ({"tangents": [[[np.inf, 0, 0], [0, 0, 1]]]}, "tangents must be finite"),
        ({"ends": [[0, 2]]}, "point index must lie between 0 and 1"),
        ({"ends": [[-1, 1]]}, "point index must lie between 0 and 1"),
        ({"ends": [[0, 1], [1, 0]]}, "tangents has shape"),
        ({"ups": [[[0, 0, 1]]]}, "ups has shape"),
    ],
)
def test_a_broken_graph_is_refused(changed, message):
    with pytest.raises(GraphError, match=message):
        one_segment(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"offsets": [0, 2, 5, 7]}, "offsets must run"),
        ({"offsets": [0, 1, 5, 8]}, "at least two vertices"),
        ({"coords": np.full((8, 3), np.inf)}, "must be finite"),
        ({"feature": [0, 1, 2]}, "feature must lie between"),
        ({"part": [0]}, "part has shape"),
    ],
)
def test_broken_lines_are_refused(changed, message):
    good = {
        name: getattr(three_lines(), name) for name in ("coords", "offsets", "feature", "part", "features")
    }
    with pytest.raises(GraphError, match=message):
        LineStrings(**{**good, **changed})


def test_a_column_of_the_wrong_length_is_refused():
    with pytest.raises(GraphError, match="column 'n' has 1 rows, not 2"):
        Features([1, 2], {"n": Column([5], [False], "Integer")})


def test_missing_heights_are_planar():
    coords = np.column_stack([np.zeros((8, 2)), np.full(8, np.nan)])
    lines = three_lines()
    assert LineStrings(coords, lines.offsets, lines.feature, lines.part, lines.features).planar
    assert not lines.planar


def test_control_points_and_back():
    graph = one_segment()
    assert control_points(graph).tolist() == [[[0, 0, 0], [3, 0, 0], [6, 1, 0], [9, 0, 0]]]
    assert np.array_equal(from_control_points(control_points(graph)), graph.tangents)


def test_features_taken_by_row_and_nulls_for_none():
    taken = three_lines().features.take([1, -1, 0])
    assert taken.fid.tolist() == [20, -1, 10]
    assert taken.columns["n"].null.tolist() == [True, True, False]
    assert taken.columns["n"].values[2] == 5


def test_selected_lines_keep_their_features():
    lines = select_lines(three_lines(), np.array([False, True, False]))
    assert lines.offsets.tolist() == [0, 3]
    assert lines.features.fid.tolist() == [20]
    assert lines.feature.tolist() == [0]
    assert lines.part.tolist() == [0]
    assert np.array_equal(lines.coords, three_lines().coords[2:5])
