"""A polyline is within tolerance of its curve, both ways, by a check that shares no code with the room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spl_gis.errors import OptionError
from spl_gis.flatten import flatten, parameters

TOLERANCES = [1.0, 0.1, 0.01, 1e-3, 1e-4]
NASTY = {
    "S-curve whose middle is on the chord": [[0, 0, 0], [30, 60, 0], [60, -60, 0], [90, 0, 0]],
    "loop": [[0, 0, 0], [100, 80, 5], [-60, 80, 5], [40, 0, 0]],
    "cusp": [[0, 0, 0], [10, 10, 0], [0, 10, 0], [10, 0, 0]],
    "closed": [[0, 0, 0], [20, 30, 0], [-20, 30, 0], [0, 0, 0]],
    "needle": [[0, 0, 0], [30, 0, 0], [10, 0, 0], [0, 0, 0]],
    "handles beyond both ends": [[0, 0, 0], [30, 0, 0], [-10, 0, 0], [10, 0, 0]],
    "backward handles": [[0, 0, 0], [-20, 0, 0], [30, 0, 0], [10, 0, 0]],
    "backward and bent": [[0, 0, 0], [-20, 1, 3], [30, 0, -2], [10, 0, 0]],
    "handles without length": [[0, 0, 0], [0, 0, 0], [10, 10, 0], [10, 10, 0]],
    "one handle without length": [[0, 0, 0], [0, 0, 0], [10, 10, 5], [20, 0, 0]],
    "nothing": [[7, 7, 7]] * 4,
    "sharp at one end": [[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [300, 10, 20]],
    "far away": [[5e6, 4e6, 0], [5e6 + 20, 4e6 + 10, 1], [5e6 + 40, 4e6 - 10, 2], [5e6 + 60, 4e6, 0]],
}
numbers = st.integers(-50_000, 50_000).map(lambda number: number / 1000)
segments = arrays(float, (4, 3), elements=numbers) | st.sampled_from(
    [np.array(controls, float) for controls in NASTY.values()]
)


def places(controls, t):
    s = 1 - t
    return np.stack([s**3, 3 * s * s * t, 3 * s * t * t, t**3], axis=1) @ controls


def to_polyline(points, line):
    """Distances from points to the nearest place on a polyline."""
    start, edge = line[:-1], np.diff(line, axis=0)
    square = (edge * edge).sum(1)
    along = ((points[:, None] - start) * edge).sum(2) / np.where(square > 0, square, 1)
    nearest = start + np.clip(along, 0, 1)[..., None] * edge
    return np.linalg.norm(points[:, None] - nearest, axis=2).min(1)


def check(controls, tolerance):
    coords, offsets = flatten(controls[None], tolerance)
    assert offsets.tolist() == [0, len(coords)]
    assert (coords[0] == controls[0]).all()
    assert (coords[-1] == controls[3]).all()
    slack = 1e-14 * np.abs(controls).max()
    dense = places(controls, np.linspace(0, 1, 777))
    assert to_polyline(dense, coords).max() <= tolerance + slack
    # the way back: middles of edges against a polyline of the curve that is far finer than the tolerance
    some = np.linspace(0, len(coords) - 2, 40).astype(int)
    middles = (coords[some] + coords[some + 1]) / 2
    fine = places(controls, np.linspace(0, 1, 5001))
    sagitta = 6 * np.abs(np.diff(controls, 2, axis=0)).max() * np.sqrt(3) / (8 * 5000**2)
    assert to_polyline(middles, fine).max() <= tolerance + sagitta + slack
    return len(coords)


@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("controls", NASTY.values(), ids=NASTY)
def test_nasty_segments_are_within_tolerance(controls, tolerance):
    check(np.array(controls, float), tolerance)


@settings(deadline=None, max_examples=60)
@given(segments, st.sampled_from(TOLERANCES))
def test_any_segment_is_within_tolerance(controls, tolerance):
    check(controls, tolerance)


@given(
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers),
    st.floats(0, 1, allow_subnormal=False),
    st.floats(0, 1, allow_subnormal=False),
)
def test_a_straight_segment_has_two_vertices(start, end, one, two):
    start, end = np.array(start), np.array(end)
    controls = np.stack([start, start + one * (end - start), start + two * (end - start), end])
    coords, _ = flatten(controls[None], 1e-4)
    assert (coords == controls[[0, 3]]).all()


def test_a_straight_segment_beyond_its_ends_has_its_turning_points():
    controls = np.array([NASTY["handles beyond both ends"]], float)
    coords, _ = flatten(controls, 1e-4)
    dense = places(controls[0], np.linspace(0, 1, 100_001))
    assert len(coords) == 4
    assert coords[1, 0] == pytest.approx(dense[:, 0].max(), abs=1e-6)
    coords, _ = flatten(np.array([NASTY["needle"]], float), 1e-4)
    assert len(coords) == 3


@pytest.mark.parametrize(
    ("name", "tolerance"), [("S-curve whose middle is on the chord", 1.0), ("loop", 1.0)]
)
def test_it_is_not_mistaken_for_straight(name, tolerance):
    assert len(flatten(np.array([NASTY[name]], float), tolerance)[0]) > 4


def test_vertices_gather_where_the_curve_bends():
    controls = np.array(NASTY["sharp at one end"], float)
    second = 6 * np.linalg.norm(np.diff(controls, 2, axis=0), axis=1).max()
    uniform = np.ceil(np.sqrt(second / (8 * 1e-3)))  # equal parameter steps by the second-difference bound
    assert check(controls, 1e-3) - 1 < uniform / 3


@given(st.lists(segments, min_size=1, max_size=5), st.sampled_from(TOLERANCES[:3]))
@settings(deadline=None, max_examples=30)
def test_a_segment_does_not_depend_on_its_neighbours(many, tolerance):
    coords, offsets = flatten(np.array(many), tolerance)
    for controls, first, last in zip(many, offsets, offsets[1:]):
        assert np.allclose(coords[first:last], flatten(controls[None], tolerance)[0], rtol=0, atol=1e-6)


@settings(deadline=None)
@given(segments, st.sampled_from(TOLERANCES[:3]))
def test_parameters_run_from_0_to_1_and_give_the_vertices(controls, tolerance):
    t, offsets = parameters(controls[None], tolerance)
    coords, same = flatten(controls[None], tolerance)
    assert (t[0], t[-1]) == (0, 1)
    assert (np.diff(t) > 0).all()
    assert (offsets == same).all()
    assert np.allclose(coords, places(controls, t), rtol=0, atol=1e-8)


def test_many_segments_keep_their_order_across_batches():
    rng = np.random.default_rng(3)
    controls = rng.normal(size=(20_000, 4, 3)) * 10
    coords, offsets = flatten(controls, 1.0)
    assert (coords[offsets[:-1]] == controls[:, 0]).all()
    assert (coords[offsets[1:] - 1] == controls[:, 3]).all()


def test_no_segments():
    coords, offsets = flatten(np.zeros((0, 4, 3)), 0.1)
    assert coords.shape == (0, 3)
    assert offsets.tolist() == [0]


def test_a_tolerance_below_rounding_ends():
    controls = np.array([[1e6, 0, 0], [1e6 + 1e-3, 1e-3, 0], [1e6 + 2e-3, 1e-3, 0], [1e6 + 3e-3, 0, 0]])
    coords, _ = flatten(controls[None], 1e-300)
    assert 2 < len(coords) < 10_000


@pytest.mark.parametrize("tolerance", [0, -1, np.nan, np.inf])
def test_a_tolerance_must_be_positive(tolerance):
    with pytest.raises(OptionError, match="positive number of metres"):
        flatten(np.zeros((1, 4, 3)), tolerance)
