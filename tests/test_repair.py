"""Laws of repair: it keeps order and shape, mends what it says, and leaves alone what is sound."""

from __future__ import annotations

import copy
import dataclasses
import json

import numpy as np
import pytest
import shapely
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from test_checks import GALLERY, UP, lines, segment, sound, written

import spl_gis
from spl_gis import bezier
from spl_gis.checks import CODES
from spl_gis.cli.group import cli
from spl_gis.errors import OptionError
from spl_gis.formats import read_graph, sidecar, spl
from spl_gis.model import Features, Spans

TOLERANCE = 0.01


def graph_of(document):
    return spl.decode(json.dumps(document).encode())


def codes(graph):
    return {one.code for one in spl_gis.check(graph)}


MENDED = ("zero-handle", "zero-up", "up-not-unit", "parallel-up", "unwelded", "loop")


@pytest.mark.parametrize("code", MENDED)
def test_what_is_claimed_is_mended(code):
    graph = graph_of(GALLERY[code][0])
    report = spl_gis.Report()
    better = spl_gis.repair(graph, report=report)
    assert report.counts[f"mended: {code}"] == 1
    assert code in codes(graph) and code not in codes(better)
    assert spl_gis.repair(better) is better


@pytest.mark.parametrize("code", ["zero-length", "unreferenced-point"])
def test_nothing_is_dropped_without_leave(code):
    graph = graph_of(GALLERY[code][0])
    assert len(spl_gis.repair(graph).points) == len(graph.points)
    assert len(spl_gis.repair(graph)) == len(graph)
    assert code not in codes(spl_gis.repair(graph, allow_renumber=True))


@pytest.mark.parametrize("code", sorted(set(CODES) - {*MENDED, "broken-value", "non-finite", "bad-index"}))
def test_the_rest_stays_as_it_is(code):
    graph = graph_of(GALLERY[code][0])
    assert spl_gis.repair(graph) is graph


def test_a_small_kink_is_smoothed_and_a_corner_is_not():
    document = sound()
    document["segments"][0]["end_tangent"] = [-10.0, 0.3, 0.0]
    graph = graph_of(document)
    better = spl_gis.repair(graph, tolerance=0.3)
    assert codes(graph) == {"kink"} and codes(better) == set()
    assert 0.01 < _away(graph, better) <= 0.3
    report = spl_gis.Report()
    assert spl_gis.repair(graph, report=report) is graph
    assert report.counts == {"left: kink": 1} and "0.01 m" in report.warnings[0]
    corner = graph_of(GALLERY["kink"][0])
    assert spl_gis.repair(corner, tolerance=100.0) is corner


def test_a_segment_does_not_become_one_from_a_point_to_itself():
    handles = [20.0, 20.0, 0.0], [20.0, -20.0, 0.0]
    ring = {"points": [[0.0, 0, 0], [0.0, 0, 0]], "segments": [segment(0, 1, *handles)]}
    report = spl_gis.Report()
    graph = graph_of(ring)
    assert spl_gis.repair(graph, report=report) is graph
    assert report.counts == {"left: unwelded": 1}


def test_a_zero_handle_of_a_bent_segment_moves_it_little():
    document = sound()
    document["segments"][0]["start_tangent"] = [0.0, 0.0, 0.0]
    document["segments"][0]["end_tangent"] = [-10.0, 0.0, 5.0]
    document["segments"][1]["start_tangent"] = [10.0, 0.0, -5.0]
    graph = graph_of(document)
    better = spl_gis.repair(graph)
    assert "zero-handle" in codes(graph) and "zero-handle" not in codes(better)
    assert _away(graph, better) <= TOLERANCE


def test_the_tolerance_is_a_positive_number():
    with pytest.raises(OptionError, match="tolerance"):
        spl_gis.repair(graph_of(sound()), tolerance=0.0)


def test_a_loop_in_the_air_keeps_its_heights():
    document = copy.deepcopy(GALLERY["loop"][0])
    document["points"][1][2] = 8.0
    graph = graph_of(document)
    better = spl_gis.repair(graph)
    assert len(better) == 4 and len(better.points) == 5
    assert "loop" in codes(graph) and "loop" not in codes(better)
    assert _away(graph, better) < 1e-4


small = st.sampled_from([0.0, 1e-4, 1e-3, 0.01, 0.3, 1.0, 30.0])
signed = st.tuples(small, st.sampled_from([-1.0, 1.0])).map(lambda pair: pair[0] * pair[1])
vectors = st.tuples(signed, signed, signed)
upright = st.one_of(st.just(tuple(UP)), vectors)


@st.composite
def graphs(draw):
    """Make small graphs with everything that can be wrong."""
    points = np.array(draw(st.lists(vectors, min_size=2, max_size=6))).reshape(-1, 3)
    index = st.integers(0, len(points) - 1)
    ends = draw(st.lists(st.tuples(index, index), min_size=1, max_size=5))
    free = [draw(st.tuples(vectors, vectors)) for _ in ends]
    ups = [draw(st.tuples(upright, upright)) for _ in ends]
    chord = points[np.array(ends)[:, 1]] - points[np.array(ends)[:, 0]]
    straight = np.stack([chord, -chord], axis=1) / 3
    plain = np.array([draw(st.booleans()) for _ in ends])[:, None, None]
    return spl_gis.spline_graph(points, ends, np.where(plain, straight, free), ups)


@settings(max_examples=30)
@given(graphs())
def test_repair_keeps_order_and_shape(graph):
    better = spl_gis.repair(graph, tolerance=TOLERANCE)
    number = len(graph)
    assert (better.points[: len(graph.points)] == graph.points).all()
    moved = better.points[better.ends[:number, 0]] - graph.points[graph.ends[:, 0]]
    assert np.linalg.norm(moved, axis=1).max() <= TOLERANCE
    assert _away(graph, better) <= TOLERANCE * (1 + 1e-6)
    assert _away(better, graph) <= TOLERANCE * (1 + 1e-6)


@settings(max_examples=50)
@given(graphs(), st.booleans())
def test_a_second_check_is_clean_of_what_was_mended(graph, renumber):
    report = spl_gis.Report()
    better = spl_gis.repair(graph, tolerance=TOLERANCE, allow_renumber=renumber, report=report)
    left = {name.partition(": ")[2] for name in report.counts if name.startswith("left")}
    mended = {name.partition(": ")[2] for name in report.counts if name.startswith("mended")}
    assert not (mended - left - {"kink"}) & codes(better)
    assert better is graph or mended


@settings(max_examples=50)
@given(graphs())
def test_repair_does_nothing_twice(graph):
    once = spl_gis.repair(graph)
    twice = spl_gis.repair(once)
    assert twice is once


def _away(graph, other):
    """Give how far a graph is from another at most [m], by samples and a fine polyline."""
    t = np.linspace(0, 1, 33)
    spots = bezier.evaluate(spl_gis.control_points(graph)[:, None], t).reshape(-1, 3)
    fine = bezier.evaluate(spl_gis.control_points(other)[:, None], np.linspace(0, 1, 513))
    start, step = fine[:, :-1].reshape(-1, 3), np.diff(fine, axis=1).reshape(-1, 3)
    square = np.maximum((step * step).sum(axis=1), 1e-300)
    away = []
    for spot in spots:
        share = np.clip(((spot - start) * step).sum(axis=1) / square, 0, 1)
        away.append(np.linalg.norm(spot - start - share[:, None] * step, axis=1).min())
    return max(away)


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(cli, ["check", *map(str, words)])


def test_exit_codes(run, tmp_path):
    error, warning, clean = (
        written(tmp_path, document, name)
        for document, name in (
            (GALLERY["zero-up"][0], "error.spl"),
            (GALLERY["kink"][0], "warning.spl"),
            (sound(), "clean.spl"),
        )
    )
    wanted = {(error, ()): 3, (warning, ()): 0, (warning, ("--strict",)): 3, (clean, ("--strict",)): 0}
    assert {key: run(key[0], *key[1]).exit_code for key in wanted} == wanted
    assert run(tmp_path / "none.spl").exit_code == 1
    assert run(clean, "--tolerance", 1).exit_code == 1  # of the runner; a usage error
    assert "does nothing" in str(run(clean, "--tolerance", 1).exception)


def test_the_program_exits_with_3(tmp_path, monkeypatch):
    from spl_gis.cli import main

    path = written(tmp_path, GALLERY["zero-up"][0])
    monkeypatch.setattr("sys.argv", ["spl-gis", "check", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 3


def test_too_little_memory_is_said_in_one_sentence(tmp_path, monkeypatch, capsys):
    from spl_gis.cli import check, main

    def too_much(*args, **options):
        raise MemoryError

    monkeypatch.setattr(check, "check_file", too_much)
    monkeypatch.setattr("sys.argv", ["spl-gis", "check", str(written(tmp_path, sound()))])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    assert "not enough memory" in capsys.readouterr().err


def test_a_sound_file_comes_out_byte_for_byte(run, tmp_path, sample_data):
    text = json.dumps(sound()) + "\n\n"
    (tmp_path / "in.spl").write_text(text)
    assert run(tmp_path / "in.spl", "--repair", tmp_path / "out.spl").exit_code == 0
    assert (tmp_path / "out.spl").read_text() == text
    assert not sidecar.beside(tmp_path / "out.spl").exists()
    convert = ["convert", str(sample_data / "town.gpkg"), str(tmp_path / "town.spl"), "--quiet"]
    assert CliRunner().invoke(cli, convert).exit_code == 0
    said = run(tmp_path / "town.spl", "--repair", tmp_path / "copy.spl")
    assert "byte for byte" in said.output
    for name in ("town.spl", "town.spl.aux.json"):
        copied = tmp_path / name.replace("town", "copy")
        assert copied.read_bytes() == (tmp_path / name).read_bytes()


def test_a_file_is_mended_in_place_only_when_asked(run, tmp_path):
    path = written(tmp_path, GALLERY["zero-up"][0])
    refused = run(path, "--repair", path)
    assert isinstance(refused.exception, OptionError) and "--overwrite" in str(refused.exception)
    assert run(path, "--repair", path, "--overwrite").exit_code == 0
    mended = path.read_bytes()
    again = run(path, "--repair", path, "--overwrite")
    assert again.exit_code == 0 and "as it was" in again.output
    assert path.read_bytes() == mended and "zero-up" not in codes(read_graph(path))


def test_broken_values_are_not_repaired(run, tmp_path):
    path = written(tmp_path, GALLERY["bad-index"][0])
    said = run(path, "--repair", tmp_path / "out.spl")
    assert said.exit_code == 3
    assert "is not written" in said.output
    assert not (tmp_path / "out.spl").exists()


def test_a_sidecar_of_another_file_is_not_left_beside_the_output(run, tmp_path):
    path = written(tmp_path, GALLERY["zero-up"][0])
    sidecar.beside(tmp_path / "out.spl").write_text("{}")
    said = run(path, "--repair", tmp_path / "out.spl", "--overwrite")
    assert said.exit_code == 1 and "move it away" in str(said.exception)


def test_rows_stay_right(run, tmp_path, sample_data):
    """Break a town: a loop, a zero handle, a zero up, a point twice; the sidecar still knows all features."""
    town = tmp_path / "town.spl"
    convert = ["convert", str(sample_data / "town.gpkg"), str(town), "--quiet"]
    assert CliRunner().invoke(cli, convert).exit_code == 0
    graph = read_graph(town)
    length = bezier.length(spl_gis.control_points(graph))
    long = int(length.argmax())
    document = json.loads(town.read_text())
    row = document["segments"][long]
    chord = np.subtract(*graph.points[graph.ends[long]][::-1])
    side = np.array([-chord[1], chord[0], 0.0])
    row["start_tangent"], row["end_tangent"] = (2 * chord + side).tolist(), (-2 * chord + side).tolist()
    document["segments"][3]["start_up"] = [0, 0, 0]
    document["points"].append(document["points"][document["segments"][5]["end_index"]])
    document["segments"][5]["end_index"] = len(document["points"]) - 1
    town.write_text(json.dumps(document))
    assert run(town).exit_code == 3
    said = run(town, "--repair", tmp_path / "out.spl")
    assert said.exit_code == 0, said.output
    better = read_graph(tmp_path / "out.spl")
    assert len(better) == len(graph) + 3
    assert (better.line[: len(graph)] == graph.line).all()
    assert (better.line[len(graph) :] == graph.line[long]).all()
    assert better.changed[[long, len(graph), len(graph) + 1, len(graph) + 2]].all()
    assert sidecar.read_options(sidecar.beside(tmp_path / "out.spl")) == sidecar.read_options(
        sidecar.beside(town)
    )
    back = spl_gis.graph_to_lines(better, kind="features")
    before = spl_gis.graph_to_lines(graph, kind="features")
    assert back.features.fid[back.feature].tolist() == before.features.fid[before.feature].tolist()
    of_long = np.flatnonzero(
        before.feature
        == before.features.fid.tolist().index(graph.features.fid[graph.line_feature[graph.line[long]]])
    )
    for line in of_long.tolist():
        was, now = (_line(lines_, line) for lines_ in (before, back))
        assert now.coords[0] == was.coords[0] and now.coords[-1] == was.coords[-1]


def _line(some, row):
    return shapely.LineString(some.coords[some.offsets[row] : some.offsets[row + 1], :2])


@pytest.mark.parametrize("points", [[], [[0.0, 0.0, 0.0]]])
def test_a_graph_without_segments_is_a_graph(run, tmp_path, points):
    source = written(tmp_path, {"points": points, "segments": []})
    target = tmp_path / "mended.spl"
    result = run(source, "--repair", target)
    assert result.exit_code == 0
    assert f"{len(points)} point{'s' * (not points)}, 0 segments" in result.output
    assert target.read_bytes() == source.read_bytes()
    found = json.loads(run(source, "--json", "--repair", target, "--overwrite").stdout)
    assert (found["points"], found["segments"]) == (len(points), 0)
    assert found["repair"]["segments"] == 0


def test_json(run, tmp_path):
    path = written(tmp_path, lines(((0.0, 0, 0), (30.0, 0, 0)), ((30.0, 0, 0), (60.0, 0, 0))))
    data = json.loads(run(path, "--json", "--repair", tmp_path / "out.spl").stdout)
    assert data["counts"] == {"error": 0, "warning": 1, "note": 0}
    assert data["codes"]["unwelded"]["count"] == 1
    assert data["findings"][0]["path"] == "$.points[1]" and data["findings"][0]["lonlat"] is None
    assert data["repair"]["mended"] == {"unwelded": 1} and data["repair"]["left"] == {}
    assert [one["code"] for one in data["repair"]["findings"]] == ["unreferenced-point"]
    assert json.loads(run(path, "--json").stdout)["repair"] is None


def test_the_text_shows_code_number_place_and_meaning(run, tmp_path):
    text = run(written(tmp_path, GALLERY["steep"][0])).output
    assert "note: steep, 1 x" in text
    assert CODES["steep"].meaning in text
    assert "$.segments[0]: the grade is" in text and "[at x=" in text


@pytest.mark.parametrize("backward", [False, True])
def test_merged_lines_run_along_the_pieces_of_a_loop(backward):
    document = copy.deepcopy(GALLERY["loop"][0])
    document["points"].append([60.0, 0.0, 0.0])
    document["segments"].append(segment(1, 2, [50.0, -20.0, 0.0], [-10.0, 0.0, 0.0]))
    graph = graph_of(document)
    cuts = [(0, 0.0, 0.4), (0, 0.4, 1.0), (1, 0.0, 1.0)]
    line = [0, 1, 1]
    if backward:
        cuts, line = [(row, end, start) for row, start, end in cuts[::-1]], [0, 0, 1]
    spans = Spans(line, [row for row, _, _ in cuts], [pair for _, *pair in cuts])
    features = Features(np.arange(2))
    graph = dataclasses.replace(
        graph, line=[0, 1], line_feature=[0, 1], line_part=[-1, -1], features=features, spans=spans
    )
    better = spl_gis.repair(graph)
    assert len(better) == 5
    before, after = (spl_gis.graph_to_lines(some, tolerance=1e-3) for some in (graph, better))
    assert len(before) == len(after) == 2
    for row in range(2):
        was, now = _line(before, row), _line(after, row)
        assert shapely.hausdorff_distance(was, now, densify=0.01) < 0.01
        assert now.length == pytest.approx(was.length, abs=0.01)
        assert shapely.Point(was.coords[0]).distance(shapely.Point(now.coords[0])) < 1e-6
