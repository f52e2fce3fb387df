"""The noise of a layer."""

from __future__ import annotations

import numpy as np
import pytest

from spl_gis.fitting.noise import Noise, advice, noise


def road(rng, n, step):
    heading = np.cumsum(rng.normal(0, 0.02, n)).cumsum() * 0.1
    return np.cumsum(np.column_stack([np.cos(heading), np.sin(heading), np.zeros(n)]) * step, axis=0)


@pytest.mark.parametrize(("plan", "height"), [(0.1, 0.0), (0.02, 0.5), (0.0, 0.1)])
def test_noise_is_found(plan, height):
    rng = np.random.default_rng(1)
    coords = np.concatenate([road(rng, 200, 5.0) for _ in range(10)])
    coords += rng.normal(0, 1, coords.shape) * [plan, plan, height]
    found = noise(coords, np.arange(0, 2001, 200))
    assert found.plan == pytest.approx(plan, rel=0.2, abs=3e-3)
    assert found.height == pytest.approx(height, rel=0.2, abs=3e-3)


def test_coarse_bends_and_corners_are_no_noise():
    angle = np.arange(400) * 0.7
    loops = np.column_stack([20 * np.cos(angle), 20 * np.sin(angle), angle])
    stairs = np.column_stack([np.arange(400) // 2, np.arange(1, 401) // 2, np.zeros(400)]) * 50.0
    assert noise(loops, np.array([0, 400])).plan < 1e-3
    assert (
        noise(
            np.repeat(stairs, 4, axis=0) + np.tile(np.arange(4), 400)[:, None] * [1, 0, 0],
            np.array([0, 1600]),
        ).plan
        < 0.5
    )


def test_few_vertices_tell_nothing():
    assert noise(np.random.default_rng(0).normal(0, 1, (20, 3)), np.array([0, 20])) == Noise(0.0, 0.0)
    assert noise(np.zeros((0, 3)), np.zeros(1, np.int64)) == Noise(0.0, 0.0)


def test_a_vertical_edge_is_left_out():
    coords = np.zeros((60, 3))
    coords[:, 2] = np.arange(60)
    assert noise(coords, np.array([0, 60])) == Noise(0.0, 0.0)


def test_advice_names_a_tolerance_that_suits():
    assert advice(Noise(0.03, 0.03), 0.1, None) is None
    assert "0.3 m would suit" in advice(Noise(0.1, 0.0), 0.1, None)
    assert "z-tolerance of 1.5 m" in advice(Noise(0.0, 0.5), 0.1, 0.5)
