"""Roads, not pieces: lines that meet end to end are fitted as one, and come back as they were."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cli_back import done, refused
from test_network import CENTRE, FRAME, degrees, network, spots

from spl_gis import convert, formats, frames, topology
from spl_gis.convert import roads
from spl_gis.errors import GraphError, OptionError
from spl_gis.fitting.curves import FitOptions
from spl_gis.formats import vector
from spl_gis.model import LineStrings, Spans, SplineGraph
from spl_gis.report import Report
from spl_gis.topology import NetworkOptions

METHODS = ("vertices", "unigine", "fast", "best")
BOW = [(100 * np.sin(a), 100 - 100 * np.cos(a)) for a in np.linspace(0, 1.2, 49)]
PIECES = [BOW[2 * i : 2 * i + 3] for i in range(24)]


def graph_of(lines, fit="best", report=None, merge_by=None, merge=True, **options) -> SplineGraph:
    wanted = NetworkOptions(merge=merge, merge_by=merge_by)
    return convert.lines_to_graph(
        lines, FRAME, fit=fit, network=wanted, options=FitOptions(**options), report=report
    )


def line_shapes(lines: LineStrings) -> list:
    return [
        shapely.LineString(lines.coords[a:b, :2] - CENTRE[:2])
        for a, b in zip(lines.offsets, lines.offsets[1:])
    ]


def assert_comes_back(graph: SplineGraph, source: LineStrings, tolerance: float = 0.13) -> None:
    back = convert.graph_to_lines(graph, tolerance=0.01)
    assert back.feature.tolist() == source.feature.tolist()
    assert back.part.tolist() == source.part.tolist()
    for want, got in zip(line_shapes(source), line_shapes(back)):
        assert want.hausdorff_distance(got) < tolerance
        ends = np.array(want.coords)[[0, -1]] - np.array(got.coords)[[0, -1]]
        assert np.hypot(*ends.T).max() < tolerance


@pytest.mark.parametrize("fit", METHODS)
def test_pieces_of_5_m_are_one_road(fit):
    source = network(*PIECES)
    report = Report()
    graph = graph_of(source, fit, report)
    if fit in ("fast", "best"):
        assert len(graph) <= 3
        assert len(graph_of(source, fit, merge=False)) == 24
        assert degrees(graph) == [0, 2, len(graph) - 1][: len(graph) + 1]
    else:
        assert len(graph) == 48
    assert report.counts["line ends merged"] == 23
    assert_comes_back(graph, source, 0.3 if fit == "unigine" else 0.13)


@pytest.mark.parametrize("turned", [(0,), (1, 3, 5), (0, 1, 2, 22, 23), range(24)])
@pytest.mark.parametrize("max_length", [None, 7.0])
def test_pieces_that_run_the_other_way(turned, max_length):
    source = network(*(p[::-1] if i in turned else p for i, p in enumerate(PIECES)))
    graph = graph_of(source, max_length=max_length)
    assert len(graph) < 24
    assert_comes_back(graph, source)


def test_neighbours_share_the_place_where_they_meet():
    back = convert.graph_to_lines(graph_of(network(*PIECES)), tolerance=0.01)
    first, last = back.coords[back.offsets[:-1]], back.coords[back.offsets[1:] - 1]
    assert np.array_equal(first[1:, :2], last[:-1, :2])


def test_attributes_say_what_is_one_road():
    names = ["a"] * 12 + ["b"] * 12
    width = ["7"] * 18 + [None] * 6
    source = network(*PIECES, name=names, width=width)
    ends = {"name": [24], "width": [36], "all": [24, 36]}
    for by, cuts in (("name", ends["name"]), ("width", ends["width"]), (None, ends["all"])):
        graph = graph_of(source, merge_by=None if by is None else [by])
        for i in cuts:
            assert np.abs(graph.points[:, :2] - BOW[i]).max(axis=1).min() < 1e-6
        assert len(graph) < 24
        assert_comes_back(graph, source)
    empty = graph_of(network(*PIECES[:2], name=["", None]))
    assert len(empty) == 2  # a null is not an empty name


def test_nothing_that_agrees_is_said():
    report = Report()
    graph_of(network(*PIECES, osm_id=[str(i) for i in range(24)]), report=report)
    assert any("--merge-by" in note for note in report.notes)


def test_junctions_stay_points():
    side = [BOW[20], (BOW[20][0] + 9, BOW[20][1] - 30)]
    graph = graph_of(network(*PIECES, side))
    assert degrees(graph)[3] == 1
    assert_comes_back(graph, network(*PIECES, side))


def test_ring_of_pieces():
    angle = np.linspace(0, 2 * np.pi, 49)
    ring = [(40 * np.cos(a), 40 * np.sin(a)) for a in angle[:-1]]
    ring.append(ring[0])
    source = network(*(ring[4 * i : 4 * i + 5] for i in range(12)))
    graph = graph_of(source)
    assert len(graph) <= 8
    assert_comes_back(graph, source, 0.2)  # an arc over 5 m bulges by 0.09 m


def test_two_parts_of_one_feature():
    source = network(*PIECES[:2], [(0, 90), (9, 99)], feature=[0, 0, 1])
    source = dataclasses.replace(source, part=np.array([0, 1, -1]))
    graph = graph_of(source)
    assert len(graph) == 2
    assert_comes_back(graph, source)


@pytest.mark.parametrize("fit", METHODS)
def test_a_straight_road_of_pieces(fit):
    source = network(*([(x, x / 2), (x + 4, x / 2 + 2), (x + 10, x / 2 + 5)] for x in range(0, 100, 10)))
    graph = graph_of(source, fit)
    assert len(graph) == (1 if fit in ("fast", "best") else 20)
    back = convert.graph_to_lines(graph)
    assert [shape.length for shape in line_shapes(back)] == pytest.approx([np.hypot(10, 5)] * 10, abs=0.01)


def test_vertices_at_one_place_of_the_curve_leave_no_line_without_extent():
    chains = topology.Chains(np.arange(8), np.array([0, 2, 4, 6, 8]), np.arange(4), np.zeros(4, bool))
    paths = topology.Paths(
        np.arange(4), np.zeros(4, bool), np.array([0, 3, 4]), np.arange(6), np.array([0, 4, 6]),
        np.zeros(2, bool), np.zeros(6, bool),
    )  # fmt: skip
    low, high = roads._extents(chains, paths, np.array([0.0, 1.0, 1.0, 1.0, 1.0, 2.0]))
    assert (high > low).all()
    assert np.allclose(low, [0, 1, 1, 1], rtol=0, atol=1e-5)
    assert np.array_equal(high[:-2], low[1:-1])
    assert high[[2, 3]].tolist() == [1, 2]
    assert low[[0, 3]].tolist() == [0, 1]


def test_on_the_command_line(tmp_path):
    source = network(*PIECES, name=["a"] * 24, number=[str(i) for i in range(24)])
    vector.write(source, tmp_path / "a.gpkg")
    out = tmp_path / "a.spl"
    done("convert", tmp_path / "a.gpkg", out, "--merge", "--merge-by", "name")
    graph = formats.read_graph(out)
    assert len(graph) < 24
    assert "segments unchanged" in done("convert", tmp_path / "a.gpkg", out, "--update")
    assert len(formats.read_graph(out)) == len(graph)
    done("convert", out, tmp_path / "b.gpkg")
    back = vector.read(tmp_path / "b.gpkg")
    assert list(back.features.columns["number"].values) == [str(i) for i in range(24)]
    assert "feature at its start" in done("convert", out, tmp_path / "c.gpkg", "--as", "segments")
    said = refused("convert", tmp_path / "a.gpkg", tmp_path / "d.spl", "--merge", "--keep-source", code=2)
    assert "--merge or --keep-source" in said
    assert "does nothing" in refused("convert", out, tmp_path / "e.gpkg", "--no-through", code=2)


def test_a_bend_back_is_no_road():
    graph = graph_of(network([(0, 0), (50, 0)], [(50, 0), (1, 2)]))
    assert len(graph) == 2


def test_heights_come_back():
    hill = [[(x, y, x / 10) for x, y in p] for p in PIECES]
    source = network(*hill)
    back = convert.graph_to_lines(graph_of(source))
    assert np.abs(back.coords[:, 2] - (back.coords[:, 0] - CENTRE[0]) / 10).max() < 0.11


def test_the_sidecar_knows_where_each_line_runs(tmp_path):
    source = network(*PIECES, [BOW[20], (BOW[20][0] + 9, BOW[20][1] - 30)])
    graph = graph_of(source)
    formats.write(graph, tmp_path / "a.spl")
    again = formats.read_graph(tmp_path / "a.spl")
    for name in ("line", "segment", "parameters"):
        assert np.array_equal(getattr(again.spans, name), getattr(graph.spans, name)), name
    assert_comes_back(again, source)
    moved = convert.reproject(again, again.crs)
    assert_comes_back(moved, source)


def edited(graph: SplineGraph, tmp_path, **changes) -> tuple[SplineGraph, Report]:
    """Write a graph, and another without a sidecar over it, as the engine does; read it again."""
    formats.write(graph, tmp_path / "a.spl", overwrite=True)
    kept = (tmp_path / "a.spl.aux.json").read_bytes()
    formats.write(dataclasses.replace(graph, spans=None, **changes), tmp_path / "a.spl", overwrite=True)
    (tmp_path / "a.spl.aux.json").write_bytes(kept)
    report = Report()
    return formats.read_graph(tmp_path / "a.spl", report=report), report


def test_after_an_edit_in_the_engine(tmp_path):
    graph = graph_of(network(*PIECES), max_length=20.0)
    tangents = graph.tangents.copy()
    tangents[2] *= 1.1
    got, report = edited(graph, tmp_path, tangents=tangents)
    assert any("lines have lost parts" in warning for warning in report.warnings)
    whole = got.spans.segment == 2
    assert whole.sum() == 1
    assert got.spans.parameters[whole].tolist() == [[0, 1]]
    assert got.spans.line[whole] == got.line[2]
    rest = graph.spans.segment != 2
    assert np.array_equal(got.spans.parameters[~whole], graph.spans.parameters[rest])
    back = convert.graph_to_lines(got)
    assert sum(shape.length for shape in line_shapes(back)) == pytest.approx(120, abs=1)


def test_after_a_segment_was_deleted_in_the_engine(tmp_path):
    graph = graph_of(network(*PIECES), max_length=20.0)
    keep = np.delete(np.arange(len(graph)), 2)
    keep = np.append(keep[-1], keep[:-1])  # and one has another number
    changes = {name: getattr(graph, name)[keep] for name in ("ends", "tangents", "ups", "line")}
    got, report = edited(graph, tmp_path, **changes)
    assert any("lines have lost parts" in warning for warning in report.warnings)
    assert len(np.unique(got.spans.segment)) == len(graph) - 1
    back = convert.graph_to_lines(got)
    lengths = [shape.length for shape in line_shapes(graph_lines(graph))]
    assert sum(shape.length for shape in line_shapes(back)) < sum(lengths)
    assert back.feature.tolist() == sorted(back.feature.tolist())


def graph_lines(graph: SplineGraph) -> LineStrings:
    return convert.graph_to_lines(graph)


def test_update_keeps_where_lines_run():
    source = network(*PIECES)
    old = graph_of(source)
    more = network([(0, 200), (9, 250)], *PIECES)
    got = convert.update(graph_of(more), old)
    assert np.array_equal(got.ends[: len(old)], old.ends)
    assert_comes_back(got, more)


def test_what_cannot_be():
    with pytest.raises(OptionError, match="no column 'lanes'"):
        graph_of(network(*PIECES, name=["a"] * 24), merge_by=["lanes"])
    with pytest.raises(OptionError, match="unless lines are merged"):
        NetworkOptions(merge_by=["name"])
    with pytest.raises(OptionError, match="without a weld"):
        NetworkOptions(merge=True, weld=None)
    source = network(*PIECES)
    with pytest.raises(OptionError, match="--merge or --keep-source"):
        convert.keep_source(graph_of(source), source)
    with pytest.raises(OptionError, match="--keep-source"):
        convert.graph_to_lines(graph_of(source), exact=True)
    with pytest.raises(GraphError, match="between 0 and 1"):
        Spans([0], [0], [[0.0, 1.5]])
    with pytest.raises(GraphError, match="segment of a span"):
        dataclasses.replace(graph_of(source), spans=Spans([0], [99], [[0.0, 1.0]]))


@pytest.mark.parametrize(
    "name", ["osm-interchange-i5/i5_exit_ramp.osm", "osm-roundabout-seattle/montlake_roundabout.osm"]
)
def test_real_roads_come_back(shared, name):
    source = vector.read(shared / name)
    frame = frames.scene_frame(source.coords, source.crs)
    wanted = NetworkOptions(merge=True, merge_by=["name", "highway"])
    report = Report()
    graph = convert.lines_to_graph(source, frame, network=wanted, report=report)
    assert len(graph) < len(convert.lines_to_graph(source, frame))
    assert report.counts["line ends merged"] > 0
    back = convert.graph_to_lines(graph, to_crs=frame)
    assert np.array_equal(back.features.fid, source.features.fid)
    assert back.feature.tolist() == source.feature.tolist()
    placed = frames.transform(source.coords, source.crs, frame)
    for i in range(len(source)):
        want, got = (
            shapely.LineString(coords[lines.offsets[i] : lines.offsets[i + 1], :2])
            for coords, lines in ((placed, source), (back.coords, back))
        )
        assert want.hausdorff_distance(got) < 0.1 + 1.0 + 0.02  # tolerance, bulge, flattening


@settings(max_examples=60)
@given(
    st.lists(st.lists(spots, min_size=2, max_size=5), min_size=1, max_size=7),
    st.sampled_from(METHODS),
    st.randoms(use_true_random=False),
)
def test_every_line_comes_back(lines, fit, random):
    lines = [line for line in lines if len(set(line)) > 1]
    if not lines:
        return
    names = [random.choice("ab") for _ in lines]
    graph = graph_of(network(*lines, name=names), fit)
    spans = graph.spans
    assert sorted(set(spans.line.tolist())) == list(range(len(graph.line_feature)))
    low, high = spans.parameters.min(axis=1), spans.parameters.max(axis=1)
    order = np.lexsort((low, spans.segment))
    segment, low, high = spans.segment[order], low[order], high[order]
    first = np.append(True, segment[1:] != segment[:-1])
    assert np.array_equal(segment[first], np.arange(len(graph)))
    assert (low[first] == 0).all()
    assert (high[np.append(first[1:], True)] == 1).all()
    assert (low[~first] == high[:-1][~first[1:]]).all()
    report = Report()
    back = convert.graph_to_lines(graph, report=report)
    assert back.feature.tolist() == list(range(len(graph.line_feature)))
    assert report.warnings == []
