"""The search tree finds what comparing all boxes finds."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from spl_gis.topology import boxes
from spl_gis.topology.boxes import box_tree, meeting_boxes

NUMBERS = st.integers(-6, 6) | st.floats(-1e6, 1e6, allow_nan=False)
CORNERS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=40)


def sides(corners):
    corners = np.array(corners, np.float64).reshape(-1, 2, 2)
    return corners.min(axis=1), corners.max(axis=1)


def pairs(found):
    return sorted(zip(*(rows.tolist() for rows in found)))


@given(CORNERS, CORNERS)
def test_all_boxes_that_meet_are_found_once(corners, others):
    low, high = sides(corners)
    other_low, other_high = sides(others)
    meet = (other_low[:, None] <= high) & (low <= other_high[:, None])
    assert pairs(meeting_boxes(box_tree(low, high), other_low, other_high)) == pairs(
        np.nonzero(meet.all(axis=2))
    )


@pytest.mark.parametrize("crowd", [1.0, 1e-6])
def test_a_crowd_beside_long_edges_is_as_shapely_finds_it(crowd, monkeypatch):
    monkeypatch.setattr(boxes, "_BATCH", 700)
    rng = np.random.default_rng(3)
    low = rng.random((2000, 2)) * np.where(np.arange(2000)[:, None] < 1000, 1e4, crowd)
    high = low + rng.random((2000, 2)) * np.where(np.arange(2000)[:, None] < 1000, 300, crowd / 50)
    low[0], high[0] = (0.0, 5e3), (1e6, 5e3)
    shapes = shapely.box(*low.T, *high.T)
    expected = pairs(shapely.STRtree(shapes).query(shapes))
    assert pairs(meeting_boxes(box_tree(low, high), low, high)) == expected


def test_nothing_wanted_finds_nothing():
    tree = box_tree(np.zeros((3, 2)), np.ones((3, 2)))
    assert [len(rows) for rows in meeting_boxes(tree, np.zeros((0, 2)), np.zeros((0, 2)))] == [0, 0]
