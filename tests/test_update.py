"""A graph is brought up to date with its source, and what is unchanged keeps its index."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert
from spl_gis.errors import GraphError
from spl_gis.frames import Origin, map_frame
from spl_gis.model import Features, LineStrings, SplineGraph, select_lines
from spl_gis.report import Report
from spl_gis.topology import NetworkOptions

UTM = CRS("EPSG:32633")
FRAME = map_frame(UTM, Origin(x=500_000.0, y=5_500_000.0))
ROADS = [[(0, 0), (50, 9), (100, 0)], [(100, 0), (150, 9), (200, 0)], [(0, 50), (100, 60)]]


def network(*lines: list) -> LineStrings:
    coords = np.array([[x + 500_000, y + 5_500_000, 0] for line in lines for x, y in line], float)
    number = np.arange(len(lines))
    offsets = np.cumsum([0, *map(len, lines)])
    return LineStrings(coords, offsets, number, np.full(len(lines), -1), Features(100 + number), UTM)


def graph_of(*lines: list, through: bool = True) -> SplineGraph:
    wanted = NetworkOptions(through=through)
    return convert.lines_to_graph(network(*lines), FRAME, fit="vertices", network=wanted)


def in_float32(graph: SplineGraph) -> SplineGraph:
    single = {name: getattr(graph, name).astype(np.float32) for name in ("points", "tangents", "ups")}
    return dataclasses.replace(graph, **single)


def test_nothing_new_changes_nothing():
    old = in_float32(graph_of(*ROADS))
    report = Report()
    got = convert.update(graph_of(*ROADS), old, report=report)
    for name in ("points", "ends", "tangents", "ups", "line"):
        assert np.array_equal(getattr(got, name), getattr(old, name)), name
    assert report.warnings == []
    assert report.counts["segments unchanged"] == len(old)


def test_new_roads_are_appended_wherever_they_are_in_the_source():
    old = graph_of(*ROADS)
    got = convert.update(graph_of([(0, 200), (9, 250), (0, 300)], *ROADS), old)
    assert np.array_equal(got.points[: len(old.points)], old.points)
    assert np.array_equal(got.ends[: len(old)], old.ends)
    assert np.array_equal(got.tangents[: len(old)], old.tangents)
    assert got.line.tolist() == [1, 1, 2, 2, 3, 0, 0]
    assert got.ends[len(old) :].tolist() == [[7, 8], [8, 9]]


def test_a_side_road_leaves_the_road_that_it_joins_as_it_was():
    old = graph_of(*ROADS)
    report = Report()
    got = convert.update(graph_of(*ROADS, [(50, 9), (50, 90)]), old, report=report)
    assert np.array_equal(got.tangents[: len(old)], old.tangents)
    assert len(got) == len(old) + 1
    assert report.counts["segments changed"] == 0


def test_a_side_road_changes_handles_but_no_index():
    old = graph_of(*ROADS, through=False)
    report = Report()
    new = graph_of(*ROADS, [(50, 9), (50, 90)], through=False)
    got = convert.update(new, old, report=report)
    assert np.array_equal(got.ends[: len(old)], old.ends)
    assert len(got) == len(old) + 1
    assert report.counts["segments changed"] > 0
    assert "0, 1" in report.warnings[0]


def test_of_a_segment_that_a_junction_cuts_the_first_piece_keeps_the_index():
    old = graph_of(*ROADS)
    got = convert.update(graph_of(*ROADS, [(50, 55), (50, 90)]), old)
    assert np.array_equal(got.ends[:4], old.ends[:4])
    assert got.ends[4, 0] == old.ends[4, 0]
    assert got.ends[5, 1] == old.ends[4, 1]
    assert got.ends[4, 1] == got.ends[5, 0] == got.ends[6, 0] == len(old.points)
    assert convert.graph_to_lines(got).part.tolist() == [-1] * 4


def test_deleted_segments_are_refused_unless_numbers_may_move():
    old = graph_of(*ROADS)
    fewer = graph_of(ROADS[0], ROADS[2])
    with pytest.raises(GraphError, match=r"2 segments are gone: 2, 3.*--allow-renumber"):
        convert.update(fewer, old)
    report = Report()
    got = convert.update(fewer, old, allow_renumber=True, report=report)
    assert np.array_equal(got.tangents[0], old.tangents[0])
    assert np.array_equal(got.tangents[2], old.tangents[4])
    assert len(got.points) == 5
    assert report.counts["segments deleted"] == 2
    assert report.counts["segments changed"] == 1  # it went on into one that is gone


def test_points_that_no_segment_used_stay():
    old = graph_of(*ROADS)
    points = np.concatenate([old.points[:2], [[7, 7, 7]], old.points[2:]])
    loose = dataclasses.replace(old, points=points, ends=np.where(old.ends >= 2, old.ends + 1, old.ends))
    got = convert.update(graph_of(*ROADS), loose)
    assert np.array_equal(got.points, points)
    assert np.array_equal(got.ends, loose.ends)


def test_a_line_that_grows_is_followed_in_its_own_order():
    old = graph_of(*ROADS)
    longer = [(-50, 9), *ROADS[0]]
    got = convert.update(graph_of(longer, *ROADS[1:]), old)
    assert np.array_equal(got.ends[: len(old)], old.ends)
    back = convert.graph_to_lines(got)
    assert back.part.tolist() == [-1] * 3
    assert back.coords[0, :2] == pytest.approx([499_950, 5_500_009], abs=1e-6)


place = st.tuples(st.integers(0, 6), st.integers(0, 6))
lines = st.lists(st.lists(place, min_size=2, max_size=5, unique=True), min_size=2, max_size=6)


@settings(max_examples=60)
@given(lines, st.data())
def test_references_by_index_stay_true(roads, data):
    source = network(*[[(20 * x, 20 * y) for x, y in road] for road in roads])
    some = data.draw(st.integers(1, len(roads)))
    before, after = (
        convert.lines_to_graph(
            lines, FRAME, network=NetworkOptions(weld=0.0, snap_ends=False), fit="vertices"
        )
        for lines in (select_lines(source, np.arange(len(roads)) < some), source)
    )
    got = convert.update(after, before, allow_renumber=True)
    assert np.array_equal(got.points[: len(before.points)], before.points)
    assert np.array_equal(got.points[got.ends[: len(before)]], before.points[before.ends])
    assert len(got) == len(after)
    inverse = np.argsort(got.row) if len(got.row) else np.arange(len(got))
    assert np.array_equal(got.points[got.ends][inverse], after.points[after.ends])
    assert np.array_equal(got.tangents[inverse], after.tangents)
    assert np.array_equal(got.line[inverse], after.line)
