"""Profiles: stations along plan curves, and what becomes of the heights there."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from surfaces import Paraboloid, Plane, Saddle

from spl_gis import bezier
from spl_gis.profile import (
    Limits,
    Roads,
    bridge_unknown,
    fit_heights,
    limit_grade,
    profile_of,
    road_heights,
    share_heights,
    smooth_along,
    take_stations,
)


def straight(*places):
    """Give the control points, shape (n, 4, 2), of straight segments from place to place."""
    places = np.asarray(places, float)
    share = np.arange(4)[:, None] / 3
    return places[:-1, None] * (1 - share) + places[1:, None] * share


def bent(seed, count):
    """Give the control points of a chain of curves that meet end to end."""
    rng = np.random.default_rng(seed)
    heading = np.cumsum(rng.uniform(-0.5, 0.5, count + 1))
    way = np.column_stack([np.cos(heading), np.sin(heading)])
    size = rng.uniform(5, 200, count)
    joint = np.concatenate([[[0.0, 0.0]], np.cumsum(size[:, None] * way[:-1], axis=0)])
    handle = size[:, None] * rng.uniform(0.2, 0.5, (2, count, 1))
    return np.stack(
        [joint[:-1], joint[:-1] + handle[0] * way[:-1], joint[1:] - handle[1] * way[1:], joint[1:]], axis=1
    )


def stations_of(controls, offsets=None, node=None, step=5.0, **rest):
    """Give stations of chains; one chain of all segments with ends of its own unless said otherwise."""
    offsets = np.array([0, len(controls)]) if offsets is None else np.asarray(offsets)
    chains = len(offsets) - 1
    node = np.arange(2 * chains).reshape(-1, 2) if node is None else np.asarray(node)
    return take_stations(controls, offsets, node, np.arange(chains), step, **rest)


def test_stations_are_no_further_apart_than_asked_and_include_all_joints():
    controls = bent(1, 20)
    stations = stations_of(controls, [0, 7, 8, 20])
    for chain, (first, last) in enumerate(stations.ends):
        steps = np.diff(stations.station[first : last + 1])
        assert steps.min() > 0 and steps.max() <= 5.0
        assert stations.station[first] == 0 and stations.parameter[last] == 1
        assert (stations.chain[first : last + 1] == chain).all()
    at_joints = stations.parameter == 0
    assert stations.segment[at_joints].tolist() == list(range(20))
    assert (stations.xy[at_joints] == controls[:, 0]).all()
    assert (stations.xy == bezier.evaluate(controls[stations.segment], stations.parameter)).all()


def test_distances_along_a_chain_are_arc_lengths():
    controls = bent(2, 12)
    stations = stations_of(controls, [0, 5, 12], step=20.0)
    lengths = bezier.length(controls)
    expected = [lengths[:5].sum(), lengths[5:].sum()]
    np.testing.assert_allclose(stations.lengths, expected, rtol=1e-7)


def test_a_short_segment_has_a_station_inside():
    stations = stations_of(straight([0, 0], [0.5, 0]), step=100.0)
    assert stations.station == pytest.approx([0, 0.25, 0.5])


def roads_of(begin, closed=None):
    """Give roads that drive along chains."""
    closed = np.zeros(len(begin) - 1, bool) if closed is None else np.asarray(closed)
    return Roads(np.asarray(begin), closed)


def lifted(plan):
    """Give plan curves at z = 0."""
    return np.concatenate([plan, np.zeros((*plan.shape[:2], 1))], axis=2)


def fitted(stations, z, controls, roads, tolerance=0.05, max_grade=None, **limits):
    """Fit heights to plan curves."""
    steps = profile_of(stations, z, controls, roads, max_grade)
    return fit_heights(stations, steps, controls, Limits(tolerance, max_grade or np.inf, **limits))


def dense(controls, number=101):
    """Give many places on each segment, shape (n, number, D)."""
    return bezier.evaluate(controls[:, None], np.linspace(0, 1, number))


def dense_grades(controls):
    """Give the rise over run at many places of each segment."""
    d = bezier.derivative(controls[:, None], np.linspace(0, 1, 101))
    return d[..., 2] / np.hypot(d[..., 0], d[..., 1])


@pytest.mark.parametrize("surface", [Plane(), Saddle(), Paraboloid()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_draped_curves_are_within_the_tolerance_of_the_true_surface_everywhere(surface, seed):
    controls = lifted(bent(seed, 40))
    stations, roads = stations_of(controls, [0, 10, 40]), roads_of([0, 2])
    found = fitted(stations, surface.heights(*stations.xy.T), controls, roads)
    x, y, z = np.moveaxis(dense(found.controls), -1, 0)
    assert np.abs(z - surface.heights(x, y)).max() < 0.0505  # half a millimetre for what stations do not see
    assert found.miss.max() <= 0.05
    assert len(found.controls) < 80


def test_the_plan_stays_as_it_was_to_the_last_bit_at_joints_and_in_form():
    controls = lifted(bent(5, 30))
    stations = stations_of(controls, [0, 12, 30])
    found = fitted(stations, Paraboloid().heights(*stations.xy.T), controls, roads_of([0, 1, 2]), 0.01)
    segment = np.floor(found.bounds[:-1]).astype(int)
    whole = np.bincount(segment)[segment] == 1
    assert whole.any() and not whole.all()
    assert (found.controls[whole][..., :2] == controls[segment[whole], :, :2]).all()
    first, last = found.bounds[:-1] == segment, np.append(found.bounds[1:] % 1 == 0, True)[: len(segment)]
    assert (found.controls[first, 0, :2] == controls[:, 0, :2]).all()
    assert (found.controls[last, 3, :2] == controls[:, 3, :2]).all()
    t = np.append(found.bounds[1:] - segment, 1)[: len(segment)]
    middle = bezier.evaluate(controls[segment], (found.bounds[:-1] - segment + t) / 2)
    np.testing.assert_allclose(bezier.evaluate(found.controls, 0.5)[:, :2], middle[:, :2], atol=1e-9)
    assert found.offsets.tolist() == [0, np.searchsorted(segment, 12), len(segment)]


def test_a_straight_ramp_stays_one_exact_segment():
    controls = lifted(straight([0, 0], [300, 400]))
    controls[0, 1] = [30, 40, 0]  # handles of different lengths: a straight line with an uneven speed
    stations = stations_of(controls)
    found = fitted(stations, Plane().heights(*stations.xy.T), controls, roads_of([0, 1]), 1e-6)
    assert len(found.controls) == 1 and found.miss.max() < 1e-10
    x, y, z = np.moveaxis(dense(found.controls), -1, 0)
    np.testing.assert_allclose(z, Plane().heights(x, y), atol=1e-10)


def test_curves_have_one_height_and_one_slope_at_each_joint_of_a_road():
    controls = lifted(bent(7, 25))
    stations, roads = stations_of(controls, [0, 6, 25]), roads_of([0, 2])
    z = np.random.default_rng(1).normal(0, 2, len(stations))
    z[stations.ends[1, 0]] = z[stations.ends[0, 1]]
    found = fitted(stations, z, controls, roads)
    before, after = found.controls[:-1], found.controls[1:]
    assert (before[:, 3] == after[:, 0]).all()
    arriving, leaving = before[:, 3] - before[:, 2], after[:, 1] - after[:, 0]
    slope = [d[:, 2] / np.hypot(d[:, 0], d[:, 1]) for d in (arriving, leaving)]
    np.testing.assert_allclose(*slope, atol=1e-9)


def test_a_closed_road_has_one_slope_at_its_seam():
    angle = np.linspace(0, 2 * np.pi, 9)
    way = np.column_stack([-np.sin(angle), np.cos(angle)])
    at = 100 * np.column_stack([np.cos(angle), np.sin(angle)])
    at[-1] = at[0]
    handle = 100 * 4 / 3 * np.tan(np.pi / 16)
    plan = np.stack([at[:-1], at[:-1] + handle * way[:-1], at[1:] - handle * way[1:], at[1:]], axis=1)
    controls = lifted(plan)
    stations = stations_of(controls, node=[[0, 0]])
    found = fitted(stations, Plane().heights(*stations.xy.T), controls, roads_of([0, 1], [True]))
    seam = found.controls[-1, 3] - found.controls[-1, 2], found.controls[0, 1] - found.controls[0, 0]
    np.testing.assert_allclose(*[d / np.linalg.norm(d) for d in seam], atol=1e-9)


def test_segments_that_are_too_long_in_space_are_cut():
    controls = lifted(straight([0, 0], [100, 0]))
    stations = stations_of(controls)
    found = fitted(stations, 0.5 * stations.xy[:, 0], controls, roads_of([0, 1]), length=105.0)
    assert len(found.controls) == 2
    assert bezier.length(found.controls).max() <= 105


heights_along = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(heights_along, st.sampled_from([0.0, 7.0, 30.0, 1e4]), st.booleans())
def test_smoothing_makes_nothing_steeper_and_keeps_ends(rng, length, closed):
    controls = lifted(bent(3, 12))
    stations, roads = stations_of(controls, [0, 4, 12]), roads_of([0, 2], [closed])
    along = stations.along(roads)
    z = np.interp(along, np.linspace(0, along[-1], 40), rng.normal(0, 3, 40))
    if closed:
        z += (z[0] - z[-1]) * along / along[-1]
    smooth = smooth_along(stations, z, roads, np.array([length]))
    run = np.diff(along)
    some = run > 1e-6
    steepest = np.abs(np.diff(z)[some] / run[some]).max()
    assert np.abs(np.diff(smooth)[some] / run[some]).max() <= steepest + 1e-6
    if not closed:
        np.testing.assert_allclose(smooth[[0, -1]], z[[0, -1]], atol=1e-9)
    assert (smooth == z).all() == (length == 0)


def test_smoothing_keeps_what_is_straight_and_takes_out_what_is_short():
    controls = lifted(straight([0, 0], [200, 0], [1000, 0]))
    stations, roads = stations_of(controls, [0, 1, 2]), roads_of([0, 2])
    ramp = 100 + 0.07 * stations.along(roads)
    np.testing.assert_allclose(smooth_along(stations, ramp, roads, np.array([50.0])), ramp, atol=1e-9)
    wave = np.sin(2 * np.pi * stations.along(roads) / 20)
    assert np.abs(smooth_along(stations, wave, roads, np.array([80.0]))).max() < 0.05


def test_a_closed_road_is_smoothed_round_its_seam():
    controls = lifted(straight([0, 0], [100, 0], [100, 100], [0, 100], [0, 0]))
    stations = stations_of(controls, node=[[0, 0]])
    z = np.maximum(0, 20 - np.minimum(stations.station, 400 - stations.station))
    smooth = smooth_along(stations, z, roads_of([0, 1], [True]), np.array([60.0]))
    np.testing.assert_allclose(smooth, smooth[::-1], atol=1e-9)
    assert 5 < smooth[0] < 15


def star(*, arms=4, length=100.0, through=True):
    """Give straight arms that end at node 0; the first two are one road through it."""
    angle = np.arange(arms) * np.pi / arms * 2
    out = length * np.column_stack([np.cos(angle), np.sin(angle)])
    inward = np.concatenate([straight(tip, [0.0, 0.0]) for tip in out])
    inward[1] = inward[1][::-1]  # the second arm leads away from the node
    node = [[arm + 1, 0] for arm in range(arms)]
    node[1] = [0, 2]
    controls = lifted(inward)
    stations = stations_of(controls, np.arange(arms + 1), node)
    begin = [0, *range(2, arms + 1)] if through else np.arange(arms + 1)
    return stations, controls, roads_of(begin)


def test_a_node_has_the_height_of_the_road_through_it():
    stations, _, roads = star()
    z = np.where(stations.chain < 2, 10.0, 12.0)
    shared = share_heights(stations, z, roads)
    at_node = stations.ends[stations.node == 0]
    assert (shared[at_node] == 10).all()
    assert (shared[stations.chain < 2] == 10).all()
    branch = shared[stations.chain == 2]
    assert branch[0] == 12 and (np.diff(branch) <= 0).all()
    assert np.abs(np.diff(branch)).max() / 5 < 0.06


def test_a_node_has_the_height_of_a_line_with_its_own():
    stations, _, roads = star()
    stations = dataclasses.replace(stations, draped=np.array([True, True, True, False]))
    z = np.where(stations.chain == 3, 12.0, 10.0)
    shared = share_heights(stations, z, roads)
    assert (shared[stations.ends[stations.node == 0]] == 12).all()
    assert (shared[stations.chain == 3] == 12).all()
    assert shared[stations.ends[0, 0]] == 10


def test_unknown_ground_is_bridged_along_the_road():
    controls = lifted(straight([0, 0], [100, 0], [200, 0]))
    stations, roads = stations_of(controls, [0, 1, 2], [[0, 1], [1, 2]]), roads_of([0, 2])
    along = stations.along(roads)
    z = np.where((along > 51) & (along < 149), np.nan, 5 + 0.1 * along)
    z[along < 19] = np.nan
    filled = bridge_unknown(stations, z, roads)
    np.testing.assert_allclose(filled, 5 + 0.1 * np.maximum(along, 20), atol=1e-9)


def test_unknown_heights_get_from_road_to_road_and_the_nearer_counts_more():
    controls = lifted(straight([0, 0], [100, 0], [100, 100], [100, 1000], [900, 1000]))
    stations = stations_of(controls, np.arange(5), [[0, 1], [1, 2], [2, 3], [7, 8]])
    z = np.full(len(stations), np.nan)
    z[(stations.chain == 0) & (stations.station < 88)] = 7.0
    z[(stations.chain == 2) & (stations.station > 500)] = 17.0
    filled = bridge_unknown(stations, z, roads_of(np.arange(5)))
    assert filled[stations.chain == 0] == pytest.approx(7)
    node = filled[stations.ends[1, 1]]
    assert 7 < node < 8 and filled[stations.ends[2, 0]] == node
    assert np.isnan(filled[stations.chain == 3]).all()


def lattice(rng, size=3):
    """Give the streets of a small town, each chain a road of its own, and heights with shared nodes."""
    places = 60.0 * np.stack(np.meshgrid(np.arange(size), np.arange(size)), axis=-1).reshape(-1, 2)
    places += rng.uniform(-20, 20, places.shape)
    number = np.arange(size * size).reshape(size, size)
    right = np.column_stack([number[:, :-1].ravel(), number[:, 1:].ravel()])
    up = np.column_stack([number[:-1].ravel(), number[1:].ravel()])
    node = np.concatenate([right, up])
    controls = lifted(np.concatenate([straight(places[a], places[b]) for a, b in node]))
    stations = stations_of(controls, np.arange(len(node) + 1), node, step=12.0)
    high = rng.normal(0, 5, size * size)
    z = rng.normal(0, 2, len(stations))
    z[stations.ends] = high[node]
    return stations, controls, z


def allowed(stations, z, limit):
    """Give the middle of the highest heights below and the lowest above, the slow way."""
    rows = len(z)
    far = np.full((rows, rows), np.inf)
    np.fill_diagonal(far, 0)
    for first, last in stations.ends:
        for row in range(first, last):
            far[row, row + 1] = far[row + 1, row] = stations.station[row + 1] - stations.station[row]
    ends, node = stations.ends.ravel(), stations.node.ravel()
    far[np.ix_(ends, ends)] = np.where(node[:, None] == node, 0, far[np.ix_(ends, ends)])
    for middle in range(rows):
        far = np.minimum(far, far[:, middle, None] + far[middle])
    return ((z + limit * far).min(axis=1) + (z - limit * far).max(axis=1)) / 2


@settings(deadline=None, max_examples=25)
@given(heights_along, st.sampled_from([0.02, 0.1, 0.5, 5.0]))
def test_limited_heights_are_the_nearest_that_keep_the_limit(rng, limit):
    stations, _, z = lattice(rng)
    limited = limit_grade(stations, z, limit)
    np.testing.assert_allclose(limited, allowed(stations, z, limit), atol=1e-8)
    inner = np.ones(len(z), bool)
    inner[stations.ends[:, 1]] = False
    rows = np.flatnonzero(inner)
    steep = np.abs(limited[rows + 1] - limited[rows]) / (stations.station[rows + 1] - stations.station[rows])
    assert steep.max() <= limit + 1e-8
    heights = np.full(stations.node.max() + 1, np.nan)
    heights[stations.node] = limited[stations.ends]
    assert (heights[stations.node] == limited[stations.ends]).all()


@settings(deadline=None, max_examples=25)
@given(heights_along, st.sampled_from([0.05, 0.2]))
def test_curves_are_nowhere_steeper_than_the_limit(rng, limit):
    stations, controls, z = lattice(rng)
    roads = roads_of(np.arange(len(stations.line) + 1))
    z = road_heights(stations, z, roads, np.full(len(stations.line), 25.0), limit)
    found = fitted(stations, z, controls, roads, 0.05, limit)
    assert np.abs(dense_grades(found.controls)).max() <= limit * (1 + 1e-9)
    ends = found.controls[found.offsets[:-1], 0], found.controls[found.offsets[1:] - 1, 3]
    heights = np.full(stations.node.max() + 1, np.nan)
    heights[stations.node] = np.column_stack([ends[0][:, 2], ends[1][:, 2]])
    assert (heights[stations.node[:, 0]] == ends[0][:, 2]).all()
    assert (heights[stations.node[:, 1]] == ends[1][:, 2]).all()


def test_a_bent_road_over_steep_ground_keeps_the_limit_too():
    controls = lifted(bent(11, 40))
    stations, roads = stations_of(controls, [0, 9, 40], [[0, 1], [1, 2]]), roads_of([0, 2])
    ground = 8 * np.sin(stations.along(roads) / 15)
    z = road_heights(stations, ground, roads, np.array([25.0]), 0.08)
    found = fitted(stations, z, controls, roads, 0.1, 0.08)
    assert np.abs(dense_grades(found.controls)).max() <= 0.08 * 1.005  # between the places that are looked at
    assert found.grade.max() <= 0.08


def test_heights_that_are_fixed_stay_and_roads_ramp_up_to_them():
    controls = lifted(straight([0, 0], [500, 0]))
    stations = stations_of(controls)
    fixed = (stations.xy[:, 0] >= 200) & (stations.xy[:, 0] <= 300)
    z = np.where(fixed, 10.0, 0.0)
    limited = limit_grade(stations, z, 0.1, fixed)
    away = np.maximum(np.maximum(200 - stations.xy[:, 0], stations.xy[:, 0] - 300), 0)
    np.testing.assert_allclose(limited, np.maximum(10 - 0.1 * away, 0), atol=0.51)
    assert (limited[fixed] == 10).all()
    assert (limited[away > 105] == 0).all()


def test_chains_with_their_own_heights_keep_them_and_give_their_slope():
    controls = lifted(straight([0, 0], [100, 0], [200, 0]))
    controls[0, :, 2] = [0, 5, 10, 15]
    stations = stations_of(controls, [0, 1, 2], [[0, 1], [1, 2]], draped=np.array([False, True]))
    z = np.where(stations.chain == 0, 0.15 * stations.station, 15.0)
    found = fitted(stations, z, controls, roads_of([0, 2]))
    assert (found.controls[0] == controls[0]).all()
    leaving = found.controls[1, 1] - found.controls[1, 0]
    assert abs(leaving[2] / leaving[0] - 0.15) < 1e-9
    assert found.miss[0] == 0 and (found.grade[stations.chain == 0] == 0).all()
