"""The `best` fit: fewer segments than `fast`, each of them proved, whenever it ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_polylines import check_fit, circle, packed, random_polylines, winding

from spl_gis.fitting import fit
from spl_gis.fitting.curves import FitOptions

COARSE = FitOptions(tolerance=0.25)


def flat(plan):
    return np.column_stack([plan, np.zeros(len(plan))])


def roads(rng, number, noise=0.0):
    lines = [winding(rng, 60) for _ in range(number)]
    return packed([(flat(plan + rng.normal(0, noise, plan.shape)), False) for plan in lines])


@pytest.mark.parametrize("heights", [False, True])
@pytest.mark.parametrize("tolerance", [0.02, 0.25, 5.0])
def test_the_laws_hold_for_all_kinds_of_polylines(tolerance, heights):
    lines = random_polylines(np.random.default_rng(7 + round(100 * tolerance)), 33, heights)
    best = check_fit("best", lines, FitOptions(tolerance=tolerance), 20)
    fast = fit(*lines, "fast", FitOptions(tolerance=tolerance))
    assert (np.diff(best.offsets) <= np.diff(fast.offsets)).all()


@pytest.mark.parametrize("options", [FitOptions(0.1, bulge=0.0), FitOptions(0.1, z_tolerance=0.02)])
def test_the_laws_hold_for_other_options(options):
    check_fit("best", random_polylines(np.random.default_rng(4), 33, heights=True), options, 20)


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.3, 4.0]))
def test_the_laws_hold_for_any_seed(seed, tolerance):
    check_fit("best", random_polylines(np.random.default_rng(seed), 11), FitOptions(tolerance=tolerance), 11)


def test_segments_are_saved():
    lines = roads(np.random.default_rng(5), 8)
    best, fast = check_fit("best", lines, COARSE), fit(*lines, "fast", COARSE)
    assert len(best.controls) < 0.95 * len(fast.controls)


def test_noise_is_smoothed_over():
    lines = roads(np.random.default_rng(6), 5, noise=0.08)
    best, fast = check_fit("best", lines, COARSE), fit(*lines, "fast", COARSE)
    assert len(best.controls) < 0.75 * len(fast.controls)


def test_joints_need_not_be_at_vertices():
    coords, offsets, closed = roads(np.random.default_rng(6), 6, noise=0.08)
    joints = fit(coords, offsets, closed, "best", COARSE).controls[:, 3]
    off = np.abs(joints[:, None] - coords).max(axis=2).min(axis=1) > 1e-6
    assert off.sum() > 5


def test_rings_turn_their_seam():
    rng = np.random.default_rng(8)
    rings = packed([(flat(circle(rng, 30)[0]), True) for _ in range(20)])
    best, fast = check_fit("best", rings, COARSE), fit(*rings, "fast", COARSE)
    turned = 0
    for ring in range(20):
        a, b = best.controls[best.offsets[ring]], fast.controls[fast.offsets[ring]]
        arms = [(arm[1] - arm[0]) / np.linalg.norm(arm[1] - arm[0]) for arm in (a, b)]
        turned += np.linalg.norm(arms[0] - arms[1]) > 1e-6
    assert turned > 0
    assert len(best.controls) < len(fast.controls)


def test_without_time_it_is_the_fast_fit():
    lines = roads(np.random.default_rng(9), 4)
    hurried = fit(*lines, "best", FitOptions(0.25, seconds=0.0))
    assert np.array_equal(hurried.controls, fit(*lines, "fast", COARSE).controls)


def test_progress_grows_and_may_cancel():
    lines = roads(np.random.default_rng(9), 4)
    told = []
    fit(*lines, "best", FitOptions(0.25, progress=lambda fraction, what: told.append(fraction)))
    assert told == sorted(told)
    assert told[-1] == 1.0

    def cancel(fraction, what):
        if fraction > 0.1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(*lines, "best", FitOptions(0.25, progress=cancel))


def test_a_greatest_length_holds():
    lines = roads(np.random.default_rng(9), 4)
    parts = fit(*lines, "best", FitOptions(0.25, max_length=20.0))
    whole = fit(*lines, "best", COARSE)
    assert len(parts.controls) > len(whole.controls)
    assert np.array_equal(parts.vertex_deviation, whole.vertex_deviation)


@pytest.mark.parametrize("method", ["fast", "best"])
def test_a_curve_does_not_depend_on_the_lines_beside_it(method):
    coords, offsets, closed = random_polylines(np.random.default_rng(3), 33)
    whole = fit(coords, offsets, closed, method, COARSE)
    for i in range(5, 33, 9):
        alone = coords[offsets[i] : offsets[i + 1]]
        curves = fit(alone, np.array([0, len(alone)]), closed[i : i + 1], method, COARSE)
        assert np.array_equal(curves.controls, whole.controls[whole.offsets[i] : whole.offsets[i + 1]])
