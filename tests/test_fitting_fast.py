"""The `fast` fit: the longest segments that fit, each of them proved."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_polylines import check_fit, packed, random_polylines

from spl_gis import bezier
from spl_gis.errors import FitError
from spl_gis.fitting import fit
from spl_gis.fitting.curves import FitOptions

COARSE = FitOptions(tolerance=0.25)


def one(coords, options=COARSE, closed=False):
    coords = np.array(coords, float)
    if coords.shape[1] == 2:
        coords = np.column_stack([coords, np.zeros(len(coords))])
    return check_fit("fast", packed([(coords, closed)]), options).controls


def arc(radius, angle, n, start=0.0):
    at = start + np.linspace(0, angle, n)
    return radius * np.column_stack([np.sin(at), 1 - np.cos(at)])


@pytest.mark.parametrize("heights", [False, True])
@pytest.mark.parametrize("tolerance", [0.02, 0.25, 5.0])
def test_the_laws_hold_for_all_kinds_of_polylines(tolerance, heights):
    lines = random_polylines(np.random.default_rng(round(100 * tolerance)), 88, heights)
    check_fit("fast", lines, FitOptions(tolerance=tolerance))


@pytest.mark.parametrize("options", [FitOptions(0.1, bulge=0.0), FitOptions(0.1, z_tolerance=0.02)])
def test_the_laws_hold_for_other_options(options):
    check_fit("fast", random_polylines(np.random.default_rng(3), 66, heights=True), options)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=12),
    st.sampled_from([0.01, 0.3, 4.0]),
)
def test_the_laws_hold_on_grids(vertices, tolerance):
    kept = [v for v, before in zip(vertices, [None, *vertices]) if v != before]
    if len(kept) > 1:
        one(kept, FitOptions(tolerance=tolerance))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("n", [2, 3, 50])
def test_a_straight_road_is_one_segment_with_its_handles_on_the_thirds(size, n):
    ends = np.array([[3.0, 4.0, 5.0], [3.0 + size, 4.0 - 2 * size, 5.0 + size / 10]])
    controls = one(ends[0] + np.linspace(0, 1, n)[:, None] * (ends[1] - ends[0]))
    assert len(controls) == 1
    thirds = ends[0] + np.array([[1], [2]]) / 3 * (ends[1] - ends[0])
    assert np.allclose(controls[0, 1:3], thirds, rtol=0, atol=1e-9 * size)


def test_many_vertices_become_few_segments():
    assert len(one(arc(200.0, 1.5, 100))) == 1
    there = arc(100.0, 1.2, 60)
    back = there[-1] + (there[-1] - there[::-1])[1:]
    assert len(one(np.concatenate([there, back]))) <= 3


def test_a_circle_is_smooth_at_its_seam():
    ring = arc(20.0, 2 * np.pi, 40)
    ring[-1] = ring[0]
    controls = one(ring, closed=True)
    assert 2 <= len(controls) <= 4
    leaving, arriving = controls[0, 1] - controls[0, 0], controls[-1, 3] - controls[-1, 2]
    assert np.linalg.norm(np.cross(leaving, arriving)) < 1e-12 * np.linalg.norm(leaving) ** 2 + 1e-12


def test_corners_stay_sharp_and_bends_do_not():
    street = one([[0, 0], [50, 0], [100, 0], [100, 50], [100, 100]])
    assert len(street) == 2
    assert np.allclose(street[0, 3], [100, 0, 0])
    assert np.allclose(street[0, 1:3, 1], 0)
    bend = one(np.concatenate([[[-30, 0]], arc(4.0, np.pi, 9), [[-30, 8]]]))
    kinks = bezier.derivative(bend[:-1], 1.0), bezier.derivative(bend[1:], 0.0)
    assert (np.sum(kinks[0] * kinks[1], axis=1) > 0).all()


@pytest.mark.parametrize(("corner", "sharp"), [(10.0, True), (90.0, False)])
def test_the_corner_angle_can_be_chosen(corner, sharp):
    coords = np.array([[0, 0, 0], [30, 0, 0], [55, 17, 0]], float)
    options = FitOptions(0.25, corner=corner)
    controls = fit(coords, np.array([0, 3]), np.array([False]), "fast", options).controls
    arriving, leaving = controls[:-1, 3] - controls[:-1, 2], controls[1:, 1] - controls[1:, 0]
    assert sharp == (np.linalg.norm(np.cross(arriving, leaving), axis=1) > 1e-9).any()


def test_where_nothing_fits_each_edge_is_a_segment():
    zigzag = np.column_stack([np.arange(20) * 3.0, np.arange(20) % 2 * 1.0])
    assert len(one(zigzag, FitOptions(tolerance=1e-3, bulge=0.0))) == 19


def test_far_from_the_origin_the_fit_is_the_same():
    road = np.column_stack([arc(100.0, 2.0, 50), np.zeros(50)])
    near = one(road)
    moved = np.array([4e6, 5e6, 0])
    far = one(road + moved) - moved
    assert near.shape == far.shape
    assert np.allclose(near, far, atol=1e-3)


def test_heights_have_their_own_tolerance():
    rng = np.random.default_rng(1)
    road = np.column_stack([arc(300.0, 1.0, 120), rng.normal(0, 0.2, 120)])
    strict, loose = one(road, FitOptions(0.25, z_tolerance=0.1)), one(road, FitOptions(0.25, z_tolerance=2.0))
    assert len(loose) < len(strict)


def test_a_greatest_length_cuts_segments_without_changing_the_curve():
    road = arc(200.0, 1.5, 100)
    whole, parts = one(road), one(road, FitOptions(0.25, max_length=40.0))
    lengths = bezier.length(parts)
    assert len(parts) == 8
    assert lengths.max() - lengths.min() < 1e-6
    assert np.allclose(bezier.evaluate(whole, bezier.parameter_at(whole, 0.5)), parts[3, 3], atol=1e-6)
    assert np.isclose(lengths.sum(), bezier.length(whole).sum())


def test_a_long_line_is_fitted_in_pieces():
    rng = np.random.default_rng(2)
    heading = np.cumsum(rng.normal(0, 0.02, 2500))
    road = np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)
    assert len(one(road)) < 250


def test_nothing_gives_nothing():
    curves = fit(np.zeros((0, 3)), np.zeros(1, np.int64), np.zeros(0, bool), "fast", COARSE)
    assert curves.controls.shape == (0, 4, 3)
    assert curves.offsets.tolist() == [0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"tolerance": 0.0},
        {"tolerance": float("nan")},
        {"z_tolerance": -1.0},
        {"bulge": -1.0},
        {"max_length": 0.0},
        {"corner": 181.0},
    ],
)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(FitError, match=next(iter(wrong))):
        FitOptions(**wrong)


def test_real_roads(shared):
    path = next((shared / "tartu-geojson-crs-utm").glob("*.*json"))
    lines = []
    for feature in json.loads(path.read_text(encoding="utf-8"))["features"][:150]:
        geometry = feature["geometry"]
        for part in (
            [geometry["coordinates"]] if geometry["type"] == "LineString" else geometry["coordinates"]
        ):
            plan = np.array(part, float)[:, :2]
            plan = plan[np.append(True, (np.diff(plan, axis=0) != 0).any(axis=1))]
            if len(plan) > 1:
                lines.append((np.column_stack([plan, np.zeros(len(plan))]), False))
    curves = check_fit("fast", packed(lines), COARSE)
    assert len(curves.controls) < 0.7 * sum(len(coords) - 1 for coords, _ in lines)


def test_a_straight_edge_before_a_bend_stays_straight_and_the_bend_round():
    before = [(0.0, -40.0), (0.0, -26.0), (0.0, 0.0)]
    bend = [(6.4, 4.0), (13.0, 7.3), (20.0, 9.9), (27.3, 11.8), (34.7, 12.9), (42.0, 13.3)]
    for coords in (before + bend, [(-x, y) for x, y in before + bend], (before + bend)[::-1]):
        controls = one(coords, FitOptions(tolerance=0.1))
        t = np.linspace(0, 1, 65)
        curvature = np.abs(bezier.curvature(controls[:, None], np.broadcast_to(t, (len(controls), 65))))
        assert curvature.max() < 1 / 0.03  # with the directions of circles alone there is a radius of 4 mm
