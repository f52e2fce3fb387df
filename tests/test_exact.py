"""The source's own vertices, kept and given back."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis import convert, formats
from spl_gis.errors import FormatError, OptionError
from spl_gis.formats import _kept, vector
from spl_gis.frames import Origin, map_frame
from spl_gis.model import Features, LineStrings, Source, SplineGraph
from spl_gis.topology import NetworkOptions

UTM = CRS("EPSG:32633")
FRAME = map_frame(UTM, Origin(x=500_000.0, y=5_500_000.0))


def network(*lines: list, part: list[int] | None = None, feature: list[int] | None = None) -> LineStrings:
    rows = [[*place, np.nan][:3] for line in lines for place in line]
    feature = list(range(len(lines))) if feature is None else feature
    coords = np.add(rows, [500_000.1, 5_500_000.1, 0])
    features = Features(100 + np.arange(max(feature) + 1))
    return LineStrings(
        coords, np.cumsum([0, *map(len, lines)]), feature, part or [-1] * len(lines), features, UTM
    )


def kept(lines: LineStrings, **options: object) -> SplineGraph:
    return convert.keep_source(convert.lines_to_graph(lines, FRAME, **options, fit="vertices"), lines)


def assert_same_lines(first: LineStrings, second: LineStrings) -> None:
    np.testing.assert_array_equal(first.coords, second.coords)
    for name in ("offsets", "feature", "part"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)


def without(graph: SplineGraph, gone: int) -> SplineGraph:
    """Delete a segment as the engine does: the last one moves into the gap."""
    rows = np.arange(len(graph) - 1)
    if gone < len(rows):
        rows[gone] = len(graph) - 1
    names = ("ends", "tangents", "ups", "line")
    return dataclasses.replace(graph, **{name: getattr(graph, name)[rows] for name in names}, row=rows)


numbers = st.floats(width=64, allow_nan=True, allow_infinity=True)


def packed(rows: list) -> None:
    coords = np.array(rows, float).reshape(-1, 3)
    source = Source(coords, [0, len(coords)], [0], [[0, -1]])
    data = json.loads(json.dumps(_kept.source_to_json(source)))
    assert _kept.source_from_json(data).coords.tobytes() == coords.tobytes()


@given(st.lists(st.tuples(numbers, numbers, numbers), max_size=20))
def test_numbers_are_kept_bit_for_bit(rows):
    packed(rows)


@given(
    st.lists(st.tuples(st.integers(-(10**9), 10**9), st.sampled_from([0.0, -0.0]), numbers), max_size=20),
    st.integers(0, 9),
)
def test_decimal_numbers_too(rows, places):
    packed([(x / 10**places, y, z) for x, y, z in rows])


def test_vertices_are_kept_compactly(sample_data):
    town = vector.read(sample_data / "town.gpkg")
    data = _kept.source_to_json(Source(town.coords, town.offsets, [0], [[0, -1]]))
    assert data["decimals"] == [3, 3, 3]
    assert len(data["coords"]) < town.coords.nbytes / 3


places = st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([np.nan, 0.5, 7.25]))


@settings(max_examples=60)
@given(st.lists(st.lists(places, min_size=2, max_size=6), min_size=1, max_size=5), st.booleans())
def test_all_lines_come_back_exactly(lines, weld):
    """Also rings, lines that touch themselves, and repeated vertices."""
    lines = [line for line in lines if len({place[:2] for place in line}) > 1]
    source = network(*[[(9.7 * x, 9.7 * y, z) for x, y, z in line] for line in lines]) if lines else None
    if source is None:
        return
    graph = kept(source, network=NetworkOptions(weld=0.01 if weld else None))
    back = convert.graph_to_lines(graph, exact=True)
    np.testing.assert_array_equal(back.coords[:, :2], source.coords[:, :2])
    if not graph.planar:
        np.testing.assert_array_equal(back.coords, source.coords)
    for name in ("offsets", "feature", "part"):
        np.testing.assert_array_equal(getattr(back, name), getattr(source, name), name)
    again = convert.lines_to_graph(
        back, FRAME, network=NetworkOptions(weld=0.01 if weld else None), fit="vertices"
    )
    for name in ("points", "ends", "tangents", "ups", "line", "line_feature", "line_part"):
        np.testing.assert_array_equal(getattr(again, name), getattr(graph, name), name)


def test_it_survives_the_sidecar(sample_data, tmp_path):
    town = vector.read(sample_data / "town.gpkg")
    graph = convert.lines_to_graph(town, map_frame(UTM, Origin(lat=49.31, lon=14.42)), fit="vertices")
    formats.write(convert.keep_source(graph, town), tmp_path / "a.spl")
    read = formats.read(tmp_path / "a.spl")
    assert_same_lines(convert.graph_to_lines(read, exact=True), town)
    vector.write(convert.graph_to_lines(read, exact=True), tmp_path / "b.gpkg")
    assert_same_lines(vector.read(tmp_path / "b.gpkg"), town)


def test_a_refused_feature_leaves_the_others_exact():
    places = [(0, 0), (9, 0)], [(5, 5), (5, 5)], [(0, 9), (9, 9)], [(1, 3), (2, 3)]
    lines = network(*places, part=[-1, 0, 1, -1], feature=[0, 1, 1, 2])
    back = convert.graph_to_lines(kept(lines), exact=True)
    assert back.coords[:, :2].tolist() == np.delete(lines.coords[:, :2], [2, 3], 0).tolist()
    assert back.features.fid.tolist() == [100, 101, 102]


def test_beside_a_changed_segment_the_others_stay_exact():
    lines = network([(0, 0), (10, 3), (20, 0), (30, 4), (40, 0)])
    graph = kept(lines)
    points = graph.points.copy()
    points[4] += (0, 5, 0)
    changed = dataclasses.replace(graph, points=points, changed=np.array([False, False, False, True]))
    back = convert.graph_to_lines(changed, exact=True)
    assert np.array_equal(back.coords[:4, :2], lines.coords[:4, :2])
    assert len(back.coords) > 5
    assert back.coords[-1, :2] == pytest.approx(lines.coords[4, :2] + (0, 5), abs=1e-6)


@pytest.mark.parametrize("gone", range(4))
def test_what_is_left_of_a_line_is_exact(gone):
    lines = network([(0, 0), (10, 3), (20, 0), (30, 4), (40, 0)])
    back = convert.graph_to_lines(without(kept(lines), gone), exact=True)
    first, second = lines.coords[: gone + 1, :2].tolist(), lines.coords[gone + 1 :, :2].tolist()
    parts = [part for part in (first, second) if len(part) > 1]
    assert back.coords[:, :2].tolist() == [place for part in parts for place in part]
    assert len(back) == len(parts)


def test_a_part_of_a_ring_is_exact_through_its_first_vertex():
    ring = [(10, 0), (20, 0), (30, 10), (20, 20), (10, 20), (0, 10), (10, 0)]
    lines = network(ring, [(20, 20), (20, 40)])  # it begins at (20, 20) in the graph
    graph = kept(lines)
    assert np.array_equal(convert.graph_to_lines(graph, exact=True).coords[:, :2], lines.coords[:, :2])
    back = convert.graph_to_lines(without(graph, 0), exact=True)
    wanted = [lines.coords[i, :2].tolist() for i in (4, 5, 0, 1, 2, 3)]
    assert back.coords[back.offsets[0] : back.offsets[1], :2].tolist() == wanted


def test_near_misses_and_ends_on_edges_come_back_as_they_were():
    lines = network(
        [(0, 0), (50, 0), (100, 0)],
        [(50.004, 0.003), (50, 60)],
        [(75, 0.005), (75, -40)],
        [(100, 0), (130, 9)],
    )
    graph = kept(lines)
    assert len(graph) > 5  # the first line was cut at (75, 0), where no vertex was
    back = convert.graph_to_lines(graph, exact=True)
    assert np.array_equal(back.coords[:, :2], lines.coords[:, :2])
    assert np.array_equal(back.offsets, lines.offsets)


def test_exact_needs_kept_vertices_and_features():
    lines = network([(0, 0), (10, 3)])
    with pytest.raises(OptionError, match="--keep-source"):
        convert.graph_to_lines(convert.lines_to_graph(lines, FRAME, fit="vertices"), exact=True)
    with pytest.raises(OptionError, match="features"):
        convert.graph_to_lines(kept(lines), kind="segments", exact=True)


def test_broken_vertices_in_a_sidecar_are_a_sentence(tmp_path):
    formats.write(kept(network([(0, 0), (10, 3)])), tmp_path / "a.spl")
    beside = tmp_path / "a.spl.aux.json"
    data = json.loads(beside.read_text())
    data["vertices"]["coords"] = "AAAA"
    beside.write_text(json.dumps(data))
    with pytest.raises(FormatError, match="move it away"):
        formats.read(tmp_path / "a.spl")
