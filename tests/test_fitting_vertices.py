"""The `vertices` fit: one smooth segment for each edge, without loops; and the corner rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spl_gis.fitting import fit
from spl_gis.fitting.corners import corners
from spl_gis.fitting.curves import FitOptions

numbers = st.integers(-100_000, 100_000).map(lambda number: number / 1000)
vertices = st.tuples(numbers, numbers, numbers)


def distinct(line):
    return [vertex for vertex, before in zip(line, [None, *line]) if vertex != before]


polylines = st.lists(vertices, min_size=2, max_size=12).map(distinct).filter(lambda line: len(line) > 1)
rings = polylines.filter(lambda line: len(line) > 2 and line[0] != line[-1]).map(
    lambda line: [*line, line[0]]
)


def fitted(coords, closed=False):
    coords = np.array(coords, float)
    curves = fit(coords, np.array([0, len(coords)]), np.array([closed]), "vertices", FitOptions())
    assert curves.offsets.tolist() == [0, len(coords) - 1]
    return curves.controls


def sharp(coords, closed=False):
    coords = np.array(coords, float)
    return corners(coords, np.array([0, len(coords)]), np.array([closed]))


def check_segments(coords, controls):
    """Joints are the vertices, and each curve runs forwards along its edge all the way."""
    coords = np.array(coords, float)
    assert (controls[:, 0] == coords[:-1]).all()
    assert (controls[:, 3] == coords[1:]).all()
    assert np.isfinite(controls).all()
    edge = np.diff(coords, axis=0)
    square = (edge * edge).sum(1)
    along = ((controls - controls[:, :1]) * edge[:, None]).sum(2) / square[:, None]
    slack = 1e-15 * np.abs(coords).max() / np.sqrt(square) + 1e-12
    assert (along[:, 1] > 0).all()
    assert (along[:, 1] <= 1 / 3 + slack).all()
    assert (along[:, 2] >= 2 / 3 - slack).all()
    assert (along[:, 2] < 1).all()
    # all steps of the control polygon go forwards, so x of the curve grows: no loop, no cusp
    assert (np.diff(along, axis=1) > 0).all()


def kinks(controls, closed):
    """The angle in degrees between the handles at each joint, and how much of it rounding can be."""
    into, out = controls[:, 3] - controls[:, 2], controls[:, 1] - controls[:, 0]
    out = np.roll(out, -1, axis=0)
    if not closed:
        into, out = into[:-1], out[:-1]
    angle = np.arctan2(np.linalg.norm(np.cross(into, out), axis=1), (into * out).sum(1))
    shorter = np.minimum(np.linalg.norm(into, axis=1), np.linalg.norm(out, axis=1))
    return np.degrees(angle), np.degrees(8 * np.finfo(float).eps * np.abs(controls).max() / shorter)


@settings(deadline=None)
@given(polylines)
def test_any_line_is_smooth_but_at_its_corners(line):
    controls = fitted(line)
    check_segments(line, controls)
    angle, rounding = kinks(controls, closed=False)
    smooth = ~sharp(line)[1:-1]
    assert (angle[smooth] <= 1e-9 + rounding[smooth]).all()


@settings(deadline=None)
@given(rings)
def test_any_ring_is_smooth_at_its_seam_too(ring):
    controls = fitted(ring, closed=True)
    check_segments(ring, controls)
    angle, rounding = kinks(controls, closed=True)
    smooth = ~sharp(ring, closed=True)[1:]
    assert (angle[smooth] <= 1e-9 + rounding[smooth]).all()


@settings(deadline=None)
@given(rings, st.integers(1, 10))
def test_a_ring_does_not_depend_on_where_it_starts(ring, shift):
    loop = np.array(ring[:-1])
    turned = np.roll(loop, -shift, axis=0)
    controls = fitted(ring, closed=True)
    moved = fitted([*turned, turned[0]], closed=True)
    assert np.allclose(np.roll(controls, -shift, axis=0), moved, rtol=0, atol=1e-9)


@settings(deadline=None)
@given(polylines)
def test_a_reversed_line_gives_the_reversed_curves(line):
    back = fitted(line[::-1])[::-1, ::-1]
    assert np.allclose(fitted(line), back, rtol=0, atol=1e-6)


whole = st.tuples(*[st.integers(-1000, 1000)] * 3)


@settings(deadline=None)
@given(whole, whole.filter(any), st.sets(st.integers(1, 1000), min_size=2, max_size=8))
def test_straight_lines_are_straight(start, step, along):
    controls = fitted(np.array(start) + np.array(sorted(along))[:, None] * np.array(step))
    third = (controls[:, 3] - controls[:, 0]) / 3
    assert (controls[:, 1] == controls[:, 0] + third).all()
    assert (controls[:, 2] == controls[:, 3] - third).all()


@pytest.mark.parametrize("step", [(1, 0, 0), (1, 1, 0), (3, 4, 12), (0, 0, 1), (0.1, 0.7, -0.3)])
def test_control_points_of_straight_edges_are_on_the_thirds_bit_for_bit(step):
    controls = fitted(np.array([[0], [1], [2.5], [7], [7.25]]) * step)
    third = (controls[:, 3] - controls[:, 0]) / 3
    assert (controls[:, 1] == controls[:, 0] + third).all()
    assert (controls[:, 2] == controls[:, 3] - third).all()


def test_two_vertices_make_a_straight_segment():
    controls = fitted([[1, 2, 3], [4, 8, 12]])
    assert (controls == [[[1, 2, 3], [2, 4, 6], [3, 6, 9], [4, 8, 12]]]).all()


@pytest.mark.parametrize("sides", [5, 8, 24])
@pytest.mark.parametrize("closed", [True, False])
def test_vertices_on_a_circle_give_the_circle(sides, closed):
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    radius = 3.0
    circle = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    circle[-1] = circle[0]
    controls = fitted(circle if closed else circle[:-1], closed)
    for t in (0.25, 0.5, 0.75):
        weights = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
        distance = np.linalg.norm(np.einsum("k,skd->sd", weights, controls), axis=1)
        assert distance == pytest.approx(radius, rel=1e-3)


def test_the_direction_is_that_of_the_circle_through_three_vertices():
    angle = np.array([0.1, 0.5, 0.65, 1.2])
    line = 10 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    out = fitted(line)[1:, 1] - line[1:3]
    assert np.abs((out * line[1:3]).sum(1)).max() < 1e-12  # at right angles to the radius


def test_a_corner_keeps_both_edges_straight_there():
    line = [[0, 0, 0], [50, 0, 0], [50, 50, 0]]
    assert sharp(line).tolist() == [False, True, False]
    controls = fitted(line)
    assert (controls[0] == [[0, 0, 0], [50 / 3, 0, 0], [50 - 50 / 3, 0, 0], [50, 0, 0]]).all()
    assert (controls[1, :, 0] == 50).all()


@pytest.mark.parametrize(
    ("turn", "spacing", "corner"),
    [
        (45, 5, False),  # a bend of a mountain road
        (45, 50, True),
        (24, 10_000, False),
        (26, 5, False),
        (26, 50, True),
        (99, 1, False),
        (101, 0.01, True),
        (180, 0.01, True),
    ],
)
def test_the_corner_rule(turn, spacing, corner):
    turn = np.radians(turn)
    line = spacing * np.array([[-1, 0, 0], [0, 0, 0], [np.cos(turn), np.sin(turn), 0]])
    assert sharp(line).tolist() == [False, corner, False]
    assert sharp(line[:, [0, 2, 1]]).tolist() == [False, corner, False]  # the same upright


def test_the_shorter_edge_decides():
    assert not sharp([[-5, 0, 0], [0, 0, 0], [500, 500, 0]])[1]
    assert sharp([[-50, 0, 0], [0, 0, 0], [500, 500, 0]])[1]


def test_the_seam_of_a_ring_can_be_a_corner_at_both_ends():
    square = [[0, 0, 0], [50, 0, 0], [50, 50, 0], [0, 50, 0], [0, 0, 0]]
    assert sharp(square, closed=True).all()
    assert sharp(square, closed=False).tolist() == [False, True, True, True, False]


@pytest.mark.parametrize(
    "line",
    [
        [[0, 0, 0], [10, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [1e-3, 0, 0], [1e-3, 1e-3, 0], [1e6, 1e6, 5]],
        [[0, 0, 0], [1e6, 0, 0], [1e6, 1e-3, 0], [2e6, 1e6, 0]],
        [[5e6, 4e6, 0], [5e6 + 1e-3, 4e6, 0], [5e6 + 2e-3, 4e6 + 1e-3, 0], [5e6 + 10, 4e6 + 20, 1]],
        [[0, 0, 0], [0, 0, 10], [0.5, 0, 20], [0, 0, 10]],
        [[0, 0, 0], [10, 0, 0], [10.01, 0.01, 0], [10.01, 10, 0]],
    ],
)
@pytest.mark.parametrize("closed", [True, False])
def test_extreme_lines(line, closed):
    line = [*line, line[0]] if closed and line[0] != line[-1] else line
    check_segments(line, fitted(line, closed))


def test_a_long_edge_beside_a_very_short_one_stays_at_its_chord():
    controls = fitted([[0, 0, 0], [1000, 0, 0], [1000.006, 0.008, 0], [1000.006, 0.02, 0]])
    assert np.abs(controls[0, :, 1]).max() <= 0.005 + 1e-12  # half the short edge of 10 mm


def test_a_handle_lost_in_rounding_becomes_the_whole_edge():
    start = 1e15
    controls = fitted([[start, 0, 0], [start + 0.125, 0, 0]])
    handles = controls[:, [1, 2]] - controls[:, [0, 3]]
    assert handles.any(-1).all()


def test_lines_do_not_depend_on_their_neighbours():
    lines = [
        np.array([[0, 0, 0], [3, 1, 0], [5, 5, 1]], float),
        np.array([[9, 9, 0], [8, 8, 0]], float),
        np.array([[0, 0, 0], [3, 1, 0], [2, 3, 1], [0, 0, 0]], float),
    ]
    offsets = np.cumsum([0, *map(len, lines)])
    closed = np.array([False, False, True])
    curves = fit(np.concatenate(lines), offsets, closed, "vertices", FitOptions())
    assert curves.offsets.tolist() == [0, 2, 3, 6]
    alone = np.concatenate([fitted(line, ring) for line, ring in zip(lines, closed)])
    assert np.allclose(curves.controls, alone, rtol=0, atol=1e-14)


def test_no_lines():
    curves = fit(np.zeros((0, 3)), np.zeros(1, int), np.zeros(0, bool), "vertices", FitOptions())
    assert curves.controls.shape == (0, 4, 3)
    assert curves.offsets.tolist() == [0]
