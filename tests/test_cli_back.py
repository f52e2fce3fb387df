"""The way back, editing and updating, run as a user runs them."""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import numpy as np
import pytest

from spl_gis import cli, formats
from spl_gis.formats import vector
from spl_gis.model import LineStrings


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process: a new one takes most of a second to start."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["spl-gis", *map(str, words)]
    with (
        mock.patch.object(sys, "argv", argv),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        cli.main()
    return subprocess.CompletedProcess(argv, int(end.value.code or 0), out.getvalue(), err.getvalue())


def done(*words: object) -> str:
    result = run(*words)
    assert result.returncode == 0, result.stderr
    return str(result.stdout)


def refused(*words: object, code: int = 1) -> str:
    result = run(*words)
    assert result.returncode == code, result.stdout + result.stderr
    return str(result.stderr)


def counted(said: str) -> dict[str, str]:
    """Read the table."""
    return dict(re.findall(r"^  (\S.*?)  +(\S.*)$", said, flags=re.MULTILINE))


@pytest.fixture(scope="module")
def made(sample_data, tmp_path_factory):
    """Give a folder with the town as a graph that keeps its source."""
    folder = tmp_path_factory.mktemp("made")
    done("convert", sample_data / "town.gpkg", folder / "town.spl", "--keep-source")
    return folder


@pytest.fixture
def town(made, tmp_path):
    for name in ("town.spl", "town.spl.aux.json"):
        shutil.copy(made / name, tmp_path)
    return tmp_path / "town.spl"


def assert_same_graph(first, second) -> None:
    """Compare the files of two graphs, and what their sidecars know."""
    assert first.read_bytes() == second.read_bytes()
    one, other = (
        json.loads((path.with_name(path.name + ".aux.json")).read_text()) for path in (first, second)
    )
    for key in ("frame", "lines", "segments", "features"):
        assert one[key] == other[key], key


def test_exact_lines_are_the_source_and_make_the_same_graph(town, sample_data, tmp_path):
    done("convert", town, tmp_path / "back.gpkg", "--exact")
    source, back = vector.read(sample_data / "town.gpkg"), vector.read(tmp_path / "back.gpkg")
    assert np.array_equal(back.coords, source.coords)
    done("convert", tmp_path / "back.gpkg", tmp_path / "again.spl", "--frame", town)
    assert_same_graph(tmp_path / "again.spl", town)


@pytest.mark.parametrize(
    ("layer", "kinds"),
    [("a.gpkg", ["segments"]), ("a.geojson", ["segments"]), ("a.gpkg", ["points", "handles"])],
)
def test_layers_for_editing_make_the_same_graph(town, tmp_path, layer, kinds):
    done("convert", town, tmp_path / layer, *[word for kind in kinds for word in ("--as", kind)])
    assert "become their graph again" in done("convert", tmp_path / layer, tmp_path / "again.spl")
    if layer.endswith("gpkg"):
        assert_same_graph(tmp_path / "again.spl", town)
    else:  # which has fewer types of columns
        assert (tmp_path / "again.spl").read_bytes() == town.read_bytes()


def test_a_layer_edited_with_sql(town, tmp_path):
    """As any GIS would: one handle typed over, one row deleted."""
    path = tmp_path / "a.gpkg"
    done("convert", town, path, "--as", "segments")
    with sqlite3.connect(path) as base:
        for (trigger,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{trigger}"')
        base.execute("UPDATE segments SET start_tx = start_tx + 1 WHERE segment = 3")
        base.execute("DELETE FROM segments WHERE segment = 7")
    result = run("convert", path, tmp_path / "again.spl")
    assert result.returncode == 0
    assert counted(result.stdout)["segments edited"] == "1"
    assert "1 segments were deleted, later ones move up: segment 7" in result.stderr
    before, after = formats.spl.read(town), formats.spl.read(tmp_path / "again.spl")
    assert after.tangents[3, 0, 0] == before.tangents[3, 0, 0] + 1
    assert np.array_equal(after.tangents[7:], before.tangents[8:])


@pytest.mark.skipif(shutil.which("ogr2ogr") is None, reason="GDAL's programs are not here")
def test_a_layer_that_another_program_has_rewritten(town, tmp_path):
    done("convert", town, tmp_path / "a.gpkg", "--as", "segments")
    command = ["ogr2ogr", tmp_path / "b.gpkg", tmp_path / "a.gpkg", "-t_srs", "EPSG:3857"]
    subprocess.run(command, check=True, capture_output=True)
    said = done("convert", tmp_path / "b.gpkg", tmp_path / "again.spl")
    table = counted(said)
    assert table["segments unchanged"] == str(len(formats.read(town)))
    assert table["segments fitted anew"] == "0"
    assert (tmp_path / "again.spl").read_bytes() == town.read_bytes()


def test_update_adds_roads_and_keeps_indices(town, sample_data, tmp_path):
    lines = vector.read(sample_data / "town.gpkg")
    assert isinstance(lines, LineStrings)
    moved = np.add(lines.coords, [3000.0, 0, 0])
    rows = np.append(np.arange(len(lines.features)), 0)
    more = LineStrings(
        np.concatenate([moved[: lines.offsets[1]], lines.coords]),
        np.concatenate([[0], lines.offsets[1] + lines.offsets]),
        np.append(len(rows) - 1, lines.feature),
        np.append(-1, lines.part),
        lines.features.take(rows),
        lines.crs,
    )
    vector.write(more, tmp_path / "more.gpkg")
    before = formats.read(town)
    said = done("convert", tmp_path / "more.gpkg", town, "--update")
    after = formats.read(town)
    assert np.array_equal(after.points[: len(before.points)], before.points)
    assert np.array_equal(after.ends[: len(before)], before.ends)
    added = after.line_feature[after.line[len(before) :]]
    assert len(added) > 0
    assert len(set(added.tolist())) == 1
    assert after.crs == before.crs
    assert after.source is not None  # --keep-source was asked for the first time
    assert counted(said)["segments deleted"] == "0"
    assert "--allow-renumber" in refused("convert", sample_data / "town.gpkg", town, "--update")
    assert formats.read(town).points.shape == after.points.shape
    done("convert", sample_data / "town.gpkg", town, "--update", "--allow-renumber")
    assert np.array_equal(formats.read(town).ends, before.ends)


def test_fields_are_chosen_on_both_ways(sample_data, tmp_path):
    done("convert", sample_data / "town.gpkg", tmp_path / "a.spl", "--fields", "class,name, lanes")
    assert list(formats.read(tmp_path / "a.spl").features.columns) == ["name", "class", "lanes"]
    done("convert", tmp_path / "a.spl", tmp_path / "b.gpkg", "--fields", "lanes")
    assert list(vector.read(tmp_path / "b.gpkg").features.columns) == ["lanes"]


def test_names_that_a_format_cannot_hold_are_mapped_and_said(town, tmp_path):
    result = run("convert", town, tmp_path / "a.shp", "--as", "segments")
    assert result.returncode == 0
    assert "start_index -> start_inde" in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["convert", "{town}", "{dir}/a.gpkg", "--exact", "--as", "chains"], 2, "features"),
        (["convert", "{data}/bridge.spl", "{dir}/a.gpkg", "--exact"], 2, "features"),
        (["convert", "{town}", "{dir}/a.gpkg", "--fields", "nonsense"], 2, "there is no column 'nonsense'"),
        (["convert", "{town}", "{dir}/a.geojson", "--as", "points", "--as", "handles"], 1, ".gpkg"),
        (["convert", "{data}/town.gpkg", "{dir}/new.spl", "--update"], 1, "new.spl.aux.json"),
        (["convert", "{data}/town.gpkg", "{town}", "--update", "--crs", "EPSG:32633"], 2, "frame"),
        (["convert", "{town}", "{dir}/a.gpkg", "--update"], 2, "--update does nothing"),
    ],
)
def test_errors_are_one_sentence_and_leave_nothing_behind(words, code, sentence, sample_data, town, tmp_path):
    places = {"data": sample_data, "dir": tmp_path, "town": town}
    before = town.read_bytes()
    assert sentence in refused(*(word.format(**places) for word in words), code=code)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["town.spl", "town.spl.aux.json"]
    assert town.read_bytes() == before
