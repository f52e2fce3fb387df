"""Surfaces: what is known of any of them."""

from __future__ import annotations

import numpy as np
import pytest
from surfaces import Paraboloid, Part, Plane, Saddle

from spl_gis.terrain import normals

X, Y = np.random.default_rng(3).uniform(-500, 500, (2, 50))


@pytest.mark.parametrize("surface", [Plane(), Saddle(), Paraboloid()], ids=lambda s: type(s).__name__)
def test_normals_are_those_of_the_surface(surface):
    """Central differences are exact up to the second order, which is all that these have."""
    step = 1e-3
    slope_x = (surface.heights(X + step, Y) - surface.heights(X - step, Y)) / (2 * step)
    slope_y = (surface.heights(X, Y + step) - surface.heights(X, Y - step)) / (2 * step)
    wanted = np.stack([-slope_x, -slope_y, np.ones(len(X))], axis=1)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.abs(normals(surface, X, Y) - wanted).max() < 1e-7


def test_there_is_no_normal_where_heights_around_are_unknown():
    surface = Part(Plane(), (-100, -100, 100, 100))
    got = normals(surface, np.array([0.0, 94.0, 96.0]), np.zeros(3))
    assert np.isnan(got).all(axis=1).tolist() == [False, False, True]


def test_no_places():
    assert normals(Plane(), np.zeros(0), np.zeros(0)).shape == (0, 3)
