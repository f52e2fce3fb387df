"""Laws of the mathematics of Bezier segments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad

from spl_gis import bezier
from spl_gis.errors import OptionError

NASTY = np.array(
    [
        [[0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]],  # there and back on a line
        [[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]],  # a cusp
        [[0, 0, 0], [4, 3, 0], [-3, 3, 0], [1, 0, 0]],  # a loop
        [[0, 0, 0], [2, 0, 0], [-1, 0, 0], [1, 0, 0]],  # handles beyond both ends
        [[5, 5, 5], [5, 5, 5], [5, 5, 5], [5, 5, 5]],  # nothing at all
        [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]],  # a needle
        [[0, 0, 0], [1e9, 0, 0], [0, 1e-3, 0], [1, 0, 0]],
    ],
    float,
)
numbers = st.integers(-1_000_000, 1_000_000).map(lambda number: number / 1000)
segments = arrays(float, (4, 3), elements=numbers) | st.sampled_from(list(NASTY))
parameters = st.floats(0, 1, allow_subnormal=False)


def size(controls):
    return np.abs(controls).max() + 1


def reference_length(controls):
    """Integrate between the places where a coordinate turns back, since that is where a cusp can be."""
    cuts = np.unique(np.append(bezier.extremes(controls), [0, 1]))

    def speed(t):
        return float(np.linalg.norm(bezier.derivative(controls, t)))

    return sum(quad(speed, a, b, epsabs=0, epsrel=1e-11, limit=200)[0] for a, b in zip(cuts, cuts[1:]))


@given(segments)
def test_the_ends_are_the_end_points_bit_for_bit(controls):
    assert (bezier.evaluate(controls, 0) == controls[0]).all()
    assert (bezier.evaluate(controls, 1) == controls[3]).all()


def test_evaluate_is_the_bernstein_form_and_broadcasts():
    controls = np.random.default_rng(1).normal(size=(5, 4, 3))
    t = np.linspace(0, 1, 7)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    expected = np.einsum("kt,skd->std", weights, controls)
    assert np.allclose(bezier.evaluate(controls[:, None], t), expected, rtol=0, atol=1e-14)
    assert bezier.evaluate(controls, 0.5).shape == (5, 3)
    assert bezier.evaluate(controls[0, :, :2], t).shape == (7, 2)


@given(segments, parameters)
def test_derivatives_are_those_of_the_polynomial(controls, t):
    matrix = np.array([[1, 0, 0, 0], [-3, 3, 0, 0], [3, -6, 3, 0], [-1, 3, -3, 1]])
    for column, coefficients in enumerate((matrix @ controls).T):
        polynomial = np.polynomial.Polynomial(coefficients)
        for order in (1, 2, 3):
            found = bezier.derivative(controls, t, order)[column]
            assert found == pytest.approx(polynomial.deriv(order)(t), abs=1e-12 * size(controls))


def test_derivative_broadcasts_in_every_order():
    controls = np.random.default_rng(1).normal(size=(5, 1, 4, 3))
    assert {bezier.derivative(controls, np.linspace(0, 1, 7), order).shape for order in (1, 2, 3)} == {
        (5, 7, 3)
    }
    with pytest.raises(OptionError, match="order 1, 2 or 3"):
        bezier.derivative(controls, 0, 4)


@given(segments, parameters, parameters)
def test_split_halves_are_the_curve(controls, cut, t):
    left, right = bezier.split(controls, cut)
    assert (left[0] == controls[0]).all()
    assert (right[3] == controls[3]).all()
    assert (left[3] == right[0]).all()
    near = {"rtol": 0, "atol": 1e-14 * size(controls)}
    assert np.allclose(bezier.evaluate(left, t), bezier.evaluate(controls, cut * t), **near)
    assert np.allclose(bezier.evaluate(right, t), bezier.evaluate(controls, cut + (1 - cut) * t), **near)


@given(segments, parameters, parameters)
def test_subsegment_backwards_is_the_reverse(controls, a, b):
    part, reverse = bezier.subsegment(controls, a, b), bezier.subsegment(controls, b, a)
    assert np.allclose(part[::-1], reverse, rtol=0, atol=1e-14 * size(controls))
    assert (bezier.subsegment(controls, 1, 0) == controls[::-1]).all()


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")  # the reference finds cusps hard
@settings(deadline=None, max_examples=50)
@given(segments)
def test_length_is_the_integral_of_speed(controls):
    assert bezier.length(controls) == pytest.approx(reference_length(controls), rel=1e-10, abs=1e-300)


@settings(deadline=None)
@given(segments)
def test_length_is_that_of_a_dense_polyline(controls):
    t = np.linspace(0, 1, 4097)
    dense = np.linalg.norm(np.diff(bezier.evaluate(controls, t), axis=0), axis=1).sum()
    whole = float(bezier.length(controls))
    assert dense <= whole * (1 + 1e-10)  # chords are shorter
    assert whole - dense <= 1e-5 * size(controls)


@settings(deadline=None)
@given(segments, parameters)
def test_lengths_of_halves_add_up(controls, cut):
    left, right = bezier.split(controls, cut)
    whole = float(bezier.length(controls))
    parts = float(bezier.length(left) + bezier.length(right))
    assert parts == pytest.approx(whole, rel=2e-10, abs=1e-13 * size(controls))


def test_a_turning_point_beside_the_last_quadrature_node_is_seen():
    backwards = np.array([[0, 0, 0], [1e9, 0, 0], [0, 0, 0], [0, 0, 0]], float)
    turn = 1 / 3
    for beyond in (1e-2, 1e-3, 1e-4, 1e-6):
        part = bezier.subsegment(backwards, 0, turn + beyond)
        peak = bezier.evaluate(backwards, turn)[0]
        expected = peak + (peak - bezier.evaluate(backwards, turn + beyond)[0])
        assert bezier.length(part) == pytest.approx(expected, rel=1e-10)


def test_length_keeps_leading_dimensions():
    controls = np.random.default_rng(2).normal(size=(2, 5, 4, 3))
    assert bezier.length(controls).shape == (2, 5)
    assert bezier.length(controls[:0]).shape == (0, 5)
    assert bezier.length(controls)[1, 2] == pytest.approx(bezier.length(controls[1, 2]), rel=1e-14)
    flat = controls * [1, 1, 0]
    assert np.allclose(bezier.length(flat), bezier.length(flat[..., :2]), rtol=1e-14, atol=0)


@settings(deadline=None)
@given(segments, parameters)
def test_parameter_at_undoes_length(controls, fraction):
    t = float(bezier.parameter_at(controls, fraction))
    assert 0 <= t <= 1
    behind = float(bezier.length(bezier.subsegment(controls, 0, t)))
    assert behind == pytest.approx(fraction * float(bezier.length(controls)), abs=1e-10 * size(controls))


def test_parameter_at_broadcasts_and_keeps_the_ends():
    t = bezier.parameter_at(NASTY[:, None], np.linspace(0, 1, 11))
    assert t.shape == (len(NASTY), 11)
    assert (t[:, 0] == 0).all()
    assert (t[:, -1] == 1).all()
    assert (np.diff(t, axis=1) > 0).all()


@pytest.mark.parametrize("fraction", [-0.1, 1.1, np.nan])
def test_parameter_at_refuses_what_is_no_fraction(fraction):
    with pytest.raises(OptionError, match="between 0 and 1"):
        bezier.parameter_at(NASTY[0], fraction)


@given(segments)
def test_bounds_contain_the_curve_and_are_touched(controls):
    low, high = bezier.bounds(controls)
    dense = bezier.evaluate(controls, np.linspace(0, 1, 1025))
    slack = 1e-14 * size(controls)
    assert (dense >= low - slack).all()
    assert (dense <= high + slack).all()
    step = np.abs(np.diff(dense, axis=0)).max(0) + slack
    assert (dense.min(0) <= low + step).all()
    assert (dense.max(0) >= high - step).all()


def test_curvature_of_an_arc_is_one_over_its_radius():
    handle = 4 / 3 * np.tan(np.pi / 32) * 50
    angle = np.pi / 8
    end = 50 * np.array([np.cos(angle), np.sin(angle), 0])
    arc = np.array(
        [[50, 0, 0], [50, handle, 0], end - handle * np.array([-np.sin(angle), np.cos(angle), 0]), end]
    )
    assert bezier.curvature(arc, np.linspace(0, 1, 9)) == pytest.approx(1 / 50, rel=1e-4)
    assert bezier.curvature(arc[:, :2], 0.5) == pytest.approx(1 / 50, rel=1e-4)


@given(segments, parameters)
def test_curvature_is_never_nan(controls, t):
    assert (bezier.curvature(controls, [0, t, 1]) >= 0).all()


def test_the_least_radius_is_one_over_the_greatest_curvature_in_plan():
    controls = np.random.default_rng(5).normal(size=(50, 4, 3))
    greatest = bezier.curvature(controls[:, None, :, :2], np.linspace(0, 1, 9)).max(axis=1)
    assert bezier.least_radius(controls) == pytest.approx(1 / greatest, rel=1e-9)
    assert bezier.least_radius(NASTY[[0, 4, 5]]).tolist() == [np.inf] * 3


def test_curvature_at_rest_is_its_limit():
    hook = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0]], float)
    assert bezier.curvature(hook, 0) == np.inf
    assert bezier.curvature(hook, 1e-9) > 1e6
    straight = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]], float)
    assert bezier.curvature(straight, 0) == 0
    assert bezier.curvature(NASTY[4], 0.5) == 0


directions = (
    arrays(float, 3, elements=st.integers(-50, 50).map(float))
    .filter(np.any)
    .map(lambda vector: vector / np.linalg.norm(vector))
)


@given(directions, directions, parameters)
def test_up_turns_evenly_from_one_end_to_the_other(start, end, t):
    ups = np.stack([start, end])
    up = bezier.up_between(ups, t)
    assert np.linalg.norm(up) == pytest.approx(1, abs=1e-12)
    assert (bezier.up_between(ups, 0) == start).all()
    assert (bezier.up_between(ups, 1) == end).all()

    def angle(a, b):
        return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)

    assert angle(start, up) == pytest.approx(t * angle(start, end), abs=1e-7)
    assert angle(up, end) == pytest.approx((1 - t) * angle(start, end), abs=1e-7)


def test_up_between_equal_and_opposite_ends():
    up = np.array([0.0, 0.0, 1.0])
    assert (bezier.up_between(np.stack([up, up]), 0.3) == up).all()
    halfway = bezier.up_between(np.stack([up, -up]), 0.5)
    assert halfway @ up == pytest.approx(0, abs=1e-15)
    assert np.linalg.norm(halfway) == pytest.approx(1)
    quarter = bezier.up_between(np.array([[0, 0, 1], [1, 0, 0]], float), 0.5)
    assert quarter == pytest.approx(np.array([1, 0, 1]) / np.sqrt(2))
