"""The certificate: exact known cases, laws, hostile inputs, and a duel with brute force."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_fits import Fits, chain, duel, random_fits, strictness

from spl_gis.fitting import certificate, proof
from spl_gis.fitting.allowance import allowance
from spl_gis.fitting.certificate import certify, certify_spans

OPEN, CLOSED = np.array([False]), np.array([True])
SEEDS = st.integers(0, 2**32 - 1)


def on_circle(radius, angles):
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles], axis=1)


def arc(radius, start, stop):
    """Give the cubic (4, 3) that is an arc of a circle to some parts in 1e6 for 45 degrees."""
    handle = 4 / 3 * np.tan((stop - start) / 4) * radius
    (p0, p3), at = on_circle(radius, np.array([start, stop])), np.array([start, stop])
    tangents = np.stack([-np.sin(at), np.cos(at), 0 * at], axis=1)
    return np.array([p0, p0 + handle * tangents[0], p3 - handle * tangents[1], p3])


def straight(a, b, u=1 / 3, v=2 / 3):
    a, b = np.array(a, float), np.array(b, float)
    return np.array([a, a + u * (b - a), a + v * (b - a), b])


def judge(coords, controls, tolerance, extra=0.0, **more):
    """Certify one polyline."""
    coords, controls = np.array(coords, float), np.array(controls, float).reshape(-1, 4, 3)
    runs = np.array([0, len(coords)]), controls, np.array([0, len(controls)])
    return certify(coords, *runs, np.full(len(coords), extra), tolerance, **more)


def road(seed, segments=4, per=8, noise=0.0):
    """Make a smooth road: its vertices, its curve and their parameters."""
    rng = np.random.default_rng(seed)
    controls = chain(rng, segments, True, 0.3)
    u = np.linspace(0, segments, segments * per + 1)
    seg = np.minimum(u.astype(int), segments - 1)
    coords = brute_force.evaluate(controls[seg], u - seg)
    coords[1:-1, :2] += rng.uniform(-noise, noise, (len(u) - 2, 2))
    return coords, controls, u


# --- allowance


def test_an_edge_may_bulge_as_much_as_the_arc_through_its_vertices():
    coords = on_circle(10.0, np.linspace(0, 2, 9))
    got = allowance(coords, np.array([0, 9]), OPEN)
    turn, length = 0.25, 20 * np.sin(0.125)
    np.testing.assert_allclose(got[1:7], 10 * (1 - np.cos(turn / 2)), rtol=1e-12)
    np.testing.assert_allclose(got[[0, 7]], length / 2 * np.tan(turn / 8), rtol=1e-12)
    assert got[8] == 0


def test_the_turn_at_the_seam_of_a_ring_counts():
    ring = on_circle(10.0, np.linspace(0, 2 * np.pi, 13))
    got = allowance(ring, np.array([0, 13]), CLOSED)
    np.testing.assert_allclose(got[:-1], 10 * (1 - np.cos(np.pi / 12)), rtol=1e-9)
    assert allowance(ring, np.array([0, 13]), OPEN)[0] < got[0] / 1.9


def test_no_bulge_where_turns_differ_or_there_are_none():
    zigzag = [[0, 0, 0], [10, 1, 0], [20, 0, 0], [30, 1, 0]]
    line = [[0, 0, 0], [10, 0, 5], [20, 0, 0]]
    tower = [[0, 0, 0], [10, 0, 0], [10, 0, 7], [10, 10, 7]]
    coords = np.array(zigzag + line + tower + [[0, 0, 0], [1, 1, 1]], float)
    got = allowance(coords, np.array([0, 4, 7, 11, 13]), np.zeros(4, bool))
    assert got[1] == 0
    assert (got[[0, 2]] > 0).all()
    np.testing.assert_allclose(got[4:], 0, atol=1e-15)


def test_a_bulge_is_capped_also_at_a_spike():
    spike = np.array([[0, 0, 0], [10, 0, 0], [0, 0, 0], [10, 0, 0]], float)
    runs = np.array([0, 4]), OPEN
    np.testing.assert_allclose(allowance(spike, *runs, 1.0)[1], 1.0)
    np.testing.assert_allclose(allowance(spike, *runs, 100.0)[1], 5.0)
    np.testing.assert_array_equal(allowance(spike, *runs, 0.0), 0)


def test_two_equal_vertices_have_no_bulge():
    coords = np.array([[0, 0, 0], [5, 1, 0], [5, 1, 0], [9, 4, 0]], float)
    assert (allowance(coords, np.array([0, 4]), OPEN)[1:3] == 0).all()


@given(SEEDS)
def test_a_bulge_knows_no_direction_and_no_neighbour(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 7, 4)
    lines = [rng.normal(0, 10, (n, 3)) for n in counts]
    for line in lines[::2]:
        line[-1] = line[0]
    closed = np.array([True, False, True, False])
    offsets = np.cumsum([0, *counts])
    together = allowance(np.concatenate(lines), offsets, closed, 3.0)
    for line, ring, start in zip(lines, closed, offsets):
        backward = allowance(line[::-1], np.array([0, len(line)]), np.array([ring]), 3.0)[:-1][::-1]
        np.testing.assert_allclose(together[start : start + len(line) - 1], backward, atol=1e-12)


# --- known cases


def test_a_straight_segment_through_its_vertices_is_exact():
    verdict = judge([[0, 0, 0], [3, 4, 0], [6, 8, 0], [30, 40, 0]], straight([0, 0, 0], [30, 40, 0]), 1e-9)
    assert verdict.passed.all()
    for deviation in verdict[1:]:
        assert deviation[0] < 1e-11


def test_uneven_handles_do_not_make_a_straight_segment_deviate():
    verdict = judge([[0, 0, 0], [300, 400, 0]], straight([0, 0, 0], [300, 400, 0], 0.1, 0.2), 1e-6)
    assert verdict.passed[0]
    assert verdict.curve_deviation[0] < 1e-9


def test_a_circle_through_vertices_is_passed_by_its_bulge_and_by_nothing_less():
    angles = np.linspace(0, np.pi / 4, 4)
    coords, curve = on_circle(100.0, angles), arc(100.0, 0, np.pi / 4)
    bulge = 100 * (1 - np.cos(np.pi / 24))
    verdict = judge(coords, curve, 0.001, bulge)
    assert verdict.passed[0]
    assert bulge - 1e-3 <= verdict.curve_deviation[0] <= 1.011 * bulge
    assert judge(coords, curve, bulge + 1e-3).passed[0]
    assert not judge(coords, curve, bulge - 1e-3).passed[0]
    assert not judge(coords, curve, 0.001, bulge - 0.002).passed[0]


def test_a_curve_that_overshoots_its_edge_is_far_from_it_though_on_its_line():
    edge, curve = [[0, 0, 0], [10, 0, 0]], [[0, 0, 0], [20, 0, 0], [20, 0, 0], [10, 0, 0]]
    x = brute_force.evaluate(np.array(curve, float), np.linspace(0, 1, 100_001))[:, 0].max()
    verdict = judge(edge, curve, x - 10 + 1e-6)
    assert verdict.passed[0]
    assert x - 10 <= verdict.curve_deviation[0] <= 1.011 * (x - 10)
    assert not judge(edge, curve, x - 10 - 1e-6).passed[0]


def test_an_s_bend_between_two_vertices_is_seen():
    edge, curve = [[0, 0, 0], [30, 0, 0]], [[0, 0, 0], [10, 9, 0], [20, -9, 0], [30, 0, 0]]
    top = np.sqrt(3) / 2 * 3  # the extremum of 27 (t - 3 t^2 + 2 t^3) at t = (3 - sqrt 3) / 6
    assert judge(edge, curve, top + 1e-6).passed[0]
    assert not judge(edge, curve, top - 1e-6).passed[0]


def test_deviation_counts_in_height_as_much_as_in_plan():
    edge = [[0, 0, 0], [30, 0, 0]]
    flat, tall = ([[0, 0, 0], [10, *bend], [20, *bend], [30, 0, 0]] for bend in ([4, 0], [0, 4]))
    for curve in (flat, tall):
        assert judge(edge, curve, 3.0001).passed[0]
        assert not judge(edge, curve, 2.9999).passed[0]
    assert judge(edge, tall, 1.0, z_scale=0.3333).passed[0]
    assert not judge(edge, tall, 1.0, z_scale=0.3334).passed[0]
    assert not judge(edge, flat, 1.0, z_scale=0.3333).passed[0]


def test_vertices_must_come_in_order():
    curve = straight([0, 0, 0], [30, 0, 0])
    assert judge([[0, 0, 0], [10, 0, 0], [20, 0, 0], [30, 0, 0]], curve, 0.1).passed[0]
    assert not judge([[0, 0, 0], [20, 0, 0], [10, 0, 0], [30, 0, 0]], curve, 4.9).passed[0]
    assert judge([[0, 0, 0], [20, 0, 0], [10, 0, 0], [30, 0, 0]], curve, 5.1).passed[0]


def test_a_loop_run_the_wrong_way_round_fails():
    angles = np.linspace(0, 2 * np.pi, 25)
    ring = on_circle(50.0, angles)
    curve = np.array([arc(50.0, i * np.pi / 4, (i + 1) * np.pi / 4) for i in range(8)])
    curve[1:, 0] = curve[:-1, 3]
    extra = allowance(ring, np.array([0, 25]), CLOSED)[0]
    assert judge(ring, curve, 0.01, extra).passed.all()
    assert not judge(ring[::-1], curve, 10.0, extra).passed.any()


def test_a_vertex_left_aside_is_missed():
    coords, curve, u = road(3)
    x, y = coords[14, :2] - coords[12, :2]
    coords[13, :2] += 10 * np.array([-y, x]) / np.hypot(x, y)
    verdict = judge(coords, curve, 1.0, 20.0, parameters=u)
    assert list(verdict.passed) == [True, False, True, True]
    assert 9 < verdict.vertex_deviation[1] <= 10.001


def test_joints_inside_an_edge_split_it():
    line = straight([0, 0, 0], [40, 0, 0])
    pieces = np.array([straight([10 * i, 0, 0], [10 * i + 10, 0, 0]) for i in range(4)])
    for curve in (line, pieces):
        assert judge([[0, 0, 0], [25, 0, 0], [40, 0, 0]], curve, 1e-6).passed.all()
    pieces[1, 1:3, 1] = 1.0
    assert list(judge([[0, 0, 0], [40, 0, 0]], pieces, 0.7).passed) == [True, False, True, True]
    assert judge([[0, 0, 0], [40, 0, 0]], pieces, 0.76).passed.all()


# --- hostile inputs


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_control_points_that_are_not_finite_fail(bad):
    coords, curve, u = road(5)
    curve[2, 1, 0] = bad
    verdict = judge(coords, curve, 1.0, 1.0, parameters=u)
    assert not verdict.passed[2]
    assert not any(np.isnan(values).any() for values in verdict)
    assert verdict.curve_deviation[2] == np.inf


def test_a_gap_at_a_joint_fails_both_sides():
    coords, curve, u = road(5)
    curve[2, 0, 0] = np.nextafter(curve[2, 0, 0], np.inf)
    assert list(judge(coords, curve, 1.0, 1.0, parameters=u).passed) == [True, False, False, True]


@pytest.mark.parametrize(
    "coords",
    [
        [[0, 0, 0], [0, 0, 0], [10, 0, 0], [10, 0, 0], [10, 0, 0]],
        [[0, 0, 0], [10, 0, 0], [10, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0], [10, 0, 0]],
    ],
)
def test_duplicate_vertices_are_no_trouble(coords):
    assert judge(coords, straight(coords[0], coords[-1]), 1e-6).passed[0]


def test_a_curve_that_stays_where_it_is_judged_too():
    assert judge([[1, 2, 3], [1, 2, 3]], np.tile([1.0, 2.0, 3.0], (4, 1)), 1e-6).passed[0]
    assert not judge([[1, 2, 3], [1, 2, 4]], np.tile([1.0, 2.0, 3.0], (4, 1)), 0.5).passed[0]


def test_a_spike_is_followed_there_and_back():
    spike = [[0, 0, 0], [10, 0, 0], [0, 0, 0]]
    assert judge(spike, [straight(*spike[:2]), straight(*spike[1:])], 1e-6).passed.all()
    assert not judge(spike, np.zeros((1, 4, 3)), 9.0).passed[0]


def test_nothing_in_nothing_out():
    empty = np.zeros((0, 3)), np.array([0]), np.zeros((0, 4, 3)), np.array([0]), np.zeros(0)
    assert len(certify(*empty, 0.1).passed) == len(certify(*empty, 0.1, parameters=np.zeros(0)).passed) == 0
    none = np.zeros(0, np.int64)
    assert len(certify_spans(empty[0], none, none, empty[2], np.zeros(0), np.zeros(0), 0.1)) == 0


@given(SEEDS, st.sampled_from(["random", "backward", "nan", "far", "same"]))
@settings(max_examples=60)
def test_a_wrong_hint_is_put_right_or_fails_but_never_passes_a_bad_fit(seed, kind):
    rng = np.random.default_rng(seed)
    fits = random_fits(rng, 4)
    u = fits.parameters
    hints = {
        "random": rng.uniform(-1, len(fits.controls) + 1, len(u)),
        "backward": u[::-1],
        "nan": np.where(rng.random(len(u)) < 0.5, np.nan, u),
        "far": u * 1e300,
        "same": np.zeros(len(u)),
    }
    wrong = fits._replace(parameters=hints[kind])
    for tolerance in (0.1, 2.0):
        assert not (wrong.certified(tolerance, True) & ~fits.admitted(tolerance * (1 + 1e-9))).any()


@given(SEEDS)
@settings(max_examples=30)
def test_a_hint_that_is_a_little_wrong_is_mended(seed):
    coords, curve, u = road(seed)
    rng = np.random.default_rng(seed)
    wrong = u + rng.uniform(-0.05, 0.05, len(u))
    right, mended = (judge(coords, curve, 0.5, 20.0, parameters=hint) for hint in (u, wrong))
    assert right.passed.all()
    assert mended.passed.all()
    assert mended.vertex_deviation.max() <= 0.5


@given(SEEDS, st.floats(0.05, 1.0))
@settings(max_examples=30)
def test_without_a_hint_vertices_are_found_even_when_noise_is_greater_than_spacing(seed, noise):
    coords, curve, _ = road(seed, segments=3, per=int(np.random.default_rng(seed).choice([3, 30, 150])))
    coords[1:-1, :2] += noise * np.random.default_rng(seed).uniform(-0.7, 0.7, (len(coords) - 2, 2))
    assert judge(coords, curve, 1.01 * noise, 20.0).passed.all()


# --- laws


@given(SEEDS, st.integers(-20, 20), st.booleans())
@settings(max_examples=40)
def test_scale_changes_nothing(seed, power, hint):
    fits = random_fits(np.random.default_rng(seed), 3, flat=False)
    factor = 2.0**power
    large = fits.scaled(np.full(3, factor))
    u = fits.parameters if hint else None
    tolerance = 2.0 ** min(
        0, -power
    )  # both tolerances at most a metre, where resolution is a fraction of them
    small_verdict = certify(*fits[:4], fits.allowance, tolerance, parameters=u)
    large_verdict = certify(*large[:4], large.allowance, tolerance * factor, parameters=u)
    np.testing.assert_array_equal(small_verdict.passed, large_verdict.passed)
    for small, great in zip(small_verdict[1:], large_verdict[1:]):
        np.testing.assert_array_equal(small * factor, great)


@given(SEEDS)
@settings(max_examples=30)
def test_coordinates_in_the_millions_do_not_matter(seed):
    coords, curve, u = road(seed, noise=0.05)
    shift = np.array([500_000.0, 5_400_000.0, 0.0])
    near = judge(coords, curve, 0.2, 20.0, parameters=u)
    far = judge(coords + shift, curve + shift, 0.2, 20.0, parameters=u)
    np.testing.assert_array_equal(near.passed, far.passed)
    np.testing.assert_allclose(near.vertex_deviation, far.vertex_deviation, atol=1e-8)
    np.testing.assert_allclose(near.curve_deviation, far.curve_deviation, rtol=0.02, atol=1e-3)


@pytest.mark.parametrize("size", [1e-3, 1e6])
def test_a_line_of_a_millimetre_and_one_of_a_thousand_kilometres(size):
    coords, curve, u = road(7, segments=8)
    factor = size / np.abs(coords).max()
    verdict = judge(coords * factor, curve * factor, 1e-7 * size, size, parameters=u)
    assert verdict.passed.all()
    assert verdict.vertex_deviation.max() < 1e-12 * size


@given(SEEDS)
@settings(max_examples=25)
def test_deviations_are_not_less_than_the_truth_and_hardly_more(seed):
    coords, curve, u = road(seed, segments=2, per=int(np.random.default_rng(seed).choice([1, 2, 5])))
    verdict = judge(coords, curve, np.inf, parameters=u)
    t, worst = np.linspace(0, 1, 1001), np.zeros(2)
    for a, b, start, stop in zip(coords, coords[1:], u, u[1:]):
        seg = int(start)
        places = brute_force.evaluate(curve[seg], (start - seg) + t * (stop - start))
        worst[seg] = max(worst[seg], brute_force.distance(places, a, b).max())
    assert (worst <= verdict.curve_deviation).all()
    assert (verdict.curve_deviation <= 1.011 * worst + 1.1e-3).all()


@given(SEEDS, st.integers(0, 7))
@settings(max_examples=40)
def test_rounding_is_on_the_safe_side(seed, power):
    rng = np.random.default_rng(seed)
    size = 10.0**power
    curve = rng.uniform(-size, size, (1, 4, 3))
    coords = curve[0, [0, 3]] + rng.uniform(-1e-3, 1e-3, (2, 3))
    verdict = judge(coords, curve, np.inf, parameters=np.array([0.0, 1.0]))
    exact, ends = curve.astype(np.longdouble)[0], coords.astype(np.longdouble)
    truth = brute_force.distance(brute_force.evaluate(exact, np.linspace(0, 1, 4001)), *ends).max()
    assert truth <= verdict.curve_deviation[0]
    assert np.linalg.norm(exact[[0, 3]] - ends, axis=1).max() <= verdict.vertex_deviation[0]


def test_it_does_not_matter_what_is_judged_together(monkeypatch):
    fits = random_fits(np.random.default_rng(11), 40)
    whole = certify(*fits[:4], fits.allowance, 1.0, parameters=fits.parameters)
    monkeypatch.setattr(certificate, "BLOCK", 7)
    monkeypatch.setattr(proof, "LIVE", 5)
    blocks = certify(*fits[:4], fits.allowance, 1.0, parameters=fits.parameters)
    np.testing.assert_array_equal(whole.passed, blocks.passed)
    np.testing.assert_array_equal(whole.vertex_deviation, blocks.vertex_deviation)
    assert whole.passed.any()
    assert not whole.passed.all()


# --- spans


@given(SEEDS, st.sampled_from([0.02, 0.3, 3.0]))
@settings(max_examples=40)
def test_spans_are_judged_like_polylines(seed, tolerance):
    fits = random_fits(np.random.default_rng(seed), 12, flat=bool(seed % 2))
    first, last = fits.offsets[:-1], fits.offsets[1:] - 1
    controls = fits.controls[fits.curve_offsets[:-1]].copy()
    controls[:, [0, 3]] = fits.coords[np.stack([first, last], axis=1)]
    count = np.diff(fits.offsets)
    t = np.arange(len(fits.coords)) - np.repeat(first, count)
    t = t / np.repeat(count - 1, count)
    inner = np.delete(t, np.concatenate([first, last]))
    got = certify_spans(fits.coords, first, last, controls, inner, fits.allowance, tolerance)
    singles = np.arange(len(controls) + 1)
    u = t + np.repeat(singles[:-1], count)
    verdict = certify(fits.coords, fits.offsets, controls, singles, fits.allowance, tolerance, parameters=u)
    assert not (got & ~verdict.passed).any()
    straightforward = brute_force.admits(
        fits.coords, fits.offsets, controls, singles, fits.allowance, tolerance * (1 + 1e-9)
    )
    assert not (got & ~straightforward).any()


def test_many_spans_of_one_road_pass_and_those_with_bad_parameters_do_not():
    coords, curve, _ = road(2, segments=5, per=6)
    first = np.arange(0, 30, 6)
    t = np.concatenate([np.arange(1, 6) / 6] * 5)
    arguments = coords, first, first + 6, curve
    assert certify_spans(*arguments, t, np.full(31, 20.0), 0.01).all()
    bad = t.copy()
    bad[[1, 2, 7, 15]] = bad[2], bad[1], np.nan, -0.1
    got = certify_spans(*arguments, bad, np.full(31, 20.0), 1000.0)
    assert list(got) == [False, False, True, False, True]
    curve[4, 1] = np.inf
    assert list(certify_spans(*arguments, t, np.full(31, 20.0), 0.01)) == [True] * 4 + [False]


# --- brute force


def test_brute_force_finds_what_a_shifted_line_needs():
    coords = np.array([[0, 0, 0], [5, 0, 0], [10, 0, 0]], float)
    curve = straight([0, 0.25, 0], [10, 0.25, 0])[None]
    assert brute_force.least_tolerance(coords, curve, np.zeros(3)) == pytest.approx(0.25, rel=1e-6)
    assert brute_force.least_tolerance(coords, curve, np.full(3, 0.1)) == pytest.approx(0.25, rel=1e-6)


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("with_parameters", [True, False])
def test_no_fit_on_the_brink_passes_that_brute_force_rejects(flat, with_parameters):
    segments, wrong = duel(2024 + flat, 2100, flat, with_parameters)
    assert segments > 5000
    assert wrong == 0


@pytest.mark.parametrize("with_parameters", [True, False])
def test_the_certificate_is_hardly_stricter_than_brute_force_even_on_nonsense(with_parameters):
    hardly, much = strictness(7, 700, True, with_parameters)
    assert hardly < 0.02
    assert much < 0.01


@pytest.mark.parametrize("with_parameters", [True, False])
def test_the_certificate_is_not_stricter_than_brute_force_on_roads(with_parameters):
    roads = [road(seed, segments=3, per=6, noise=0.1) for seed in range(60)]
    coords, controls, _ = (np.concatenate(part) for part in zip(*roads))
    offsets, curve_offsets = np.arange(61) * 19, np.arange(61) * 3
    u = np.concatenate([u + 3 * i for i, (_, _, u) in enumerate(roads)])
    extra = allowance(coords, offsets, np.zeros(60, bool))
    fits = Fits(coords, offsets, controls, curve_offsets, u, extra)
    for tolerance in (0.1, 0.2, 0.3, 0.5):
        np.testing.assert_array_equal(fits.certified(tolerance, with_parameters), fits.admitted(tolerance))


def test_places_are_found_where_a_walk_along_the_curve_loses_its_way():
    """A road of a real town that turns back beside itself."""
    vertices = [
        [0.0, 0.0],
        [20.15, -0.67],
        [28.62, -0.95],
        [36.53, -1.22],
        [53.75, -1.79],
        [79.05, -2.64],
        [88.51, -2.96],
        [91.7, -1.48],
        [118.65, 11.02],
        [120.71, 11.98],
        [148.87, 25.05],
        [154.09, 27.48],
        [199.27, 48.45],
        [222.68, 59.31],
        [225.51, 60.6],
        [230.82, 63.01],
        [233.88, 64.54],
        [249.28, 71.92],
        [289.6, 91.75],
        [290.83, 92.34],
        [318.21, 105.82],
        [319.36, 106.37],
        [321.96, 107.64],
        [375.42, 133.58],
        [378.64, 135.77],
        [384.82, 139.98],
        [456.31, 174.04],
        [493.74, 191.55],
        [505.25, 197.0],
        [508.51, 198.54],
    ]
    curve = [
        [[0.0, 0.0], [26.35, -0.88], [52.7, -1.76], [79.05, -2.64]],
        [[79.05, -2.64], [86.83, -2.9], [86.31, -3.98], [91.7, -1.48]],
        [[91.7, -1.48], [294.62, 92.48], [216.45, 56.29], [290.83, 92.34]],
        [[290.83, 92.34], [301.23, 97.39], [311.57, 102.57], [321.96, 107.64]],
        [[321.96, 107.64], [325.48, 109.35], [372.17, 131.4], [375.42, 133.58]],
        [[375.42, 133.58], [378.58, 135.68], [381.66, 137.89], [384.82, 139.98]],
        [[384.82, 139.98], [387.72, 141.9], [453.17, 172.56], [456.31, 174.04]],
        [[456.31, 174.04], [473.7, 182.23], [491.15, 190.3], [508.51, 198.54]],
    ]
    allowed = [
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.07,
        0.0,
        0.0,
        0.0,
        0.0,
    ]
    coords, controls = (
        np.pad(places, [(0, 0)] * (np.ndim(places) - 1) + [(0, 1)]) for places in (vertices, curve)
    )
    runs = np.array([0, len(coords)]), controls, np.array([0, len(controls)])
    assert certify(coords, *runs, np.array(allowed) + 0.01, 0.26).passed.all()
