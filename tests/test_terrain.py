"""Heights."""

from __future__ import annotations

import numpy as np

from spl_gis.terrain import fill_heights

N = np.nan


def network(*lines):
    coords = np.array([(x, 0.0, z) for line in lines for x, z in line])
    return coords, np.cumsum([0, *map(len, lines)])


def filled(*lines):
    return fill_heights(*network(*lines))[0][:, 2].tolist()


def test_between_known_heights_it_runs_straight_with_the_length_in_plan():
    assert filled([(0, 10), (1, N), (3, N), (4, 18)]) == [10, 12, 16, 18]


def test_beyond_known_heights_it_stays():
    assert filled([(0, N), (1, 5), (2, 7), (3, N), (4, N)]) == [5, 5, 7, 7, 7]


def test_lines_do_not_borrow_from_each_other():
    assert filled([(0, 1), (1, N)], [(0, N), (1, 9)]) == [1, 1, 9, 9]


def test_without_any_height_lines_lie_at_zero():
    assert filled([(0, N), (1, N)], [(3, N), (4, N)]) == [0, 0, 0, 0]


def test_lines_that_nothing_is_known_of_lie_as_high_as_the_nearest():
    """Those that hang together on one height, whichever each is nearest to."""
    lines = [(4, N), (5, N)], [(5, N), (9, N)], [(2, 7), (3, 8)], [(10, 1), (11, 2)], [(-9, N), (0, N)]
    assert filled(*lines) == [8, 8, 8, 8, 7, 8, 1, 2, 7, 7]


def test_no_vertices():
    coords, blank = fill_heights(np.zeros((0, 3)), np.zeros(1, int))
    assert len(coords) == len(blank) == 0


def test_known_heights_stay_bit_for_bit():
    coords = np.random.default_rng(1).normal(size=(9, 3))
    coords[4, 2] = N
    got, blank = fill_heights(coords, np.array([0, 4, 9]))
    known = np.arange(9) != 4
    assert np.array_equal(got[known], coords[known])
    assert not blank.any()


def test_heights_go_from_line_to_line_where_lines_meet():
    """Three roads in a row, of which the middle one knows nothing; a fourth meets none of them."""
    lines = [(0, 10), (1, N)], [(1, N), (3, N)], [(3, N), (4, 18)], [(8, N), (9, N)]
    assert filled(*lines) == [10, 10, 10, 18, 18, 18, 18, 18]
    assert fill_heights(*network(*lines))[1].tolist() == [False, False, False, True]


def test_lines_that_meet_have_one_height_there():
    assert filled([(0, 10), (1, N)], [(1, N), (2, 20)]) == [10, 15, 15, 20]
