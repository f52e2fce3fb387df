"""The options that place a scene, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from spl_gis import frames, read
from spl_gis.cli.group import cli
from spl_gis.errors import GeoreferenceError, OptionError

ORIGIN = ["--origin", "lat=49.315,lon=14.425,h=400"]


def run(*words: object) -> str:
    result = CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def town(sample_data: Path) -> Path:
    return sample_data / "town.gpkg"


def place(path: Path) -> frames.Description:
    return frames.describe(read(path).crs)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["--topocentric", "IN", "OUT"], "topocentric"),
        (["IN", "OUT", "--topocentric"], "topocentric"),
        (["IN", "--topocentric", "OUT"], "topocentric"),
        (["--topocentric=unigine", "IN", "OUT"], "topocentric=unigine"),
        (["--topocentric", "unigine", "IN", "OUT"], "topocentric=unigine"),
        (["IN", "OUT", "--topocentric", *ORIGIN], "topocentric"),
    ],
)
def test_topocentric_takes_no_file_for_its_value(
    words: list[str], kind: str, town: Path, tmp_path: Path
) -> None:
    files = {"IN": town, "OUT": tmp_path / "town.spl"}
    run("convert", *(files.get(word, word) for word in words), "--fit", "vertices")
    assert place(tmp_path / "town.spl").kind == kind


def test_topocentric_knows_its_values(town: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["convert", str(town), str(tmp_path / "x.spl"), "--topocentric=foo"])
    assert result.exit_code == 2
    assert "'normal', 'unigine'" in result.output
    with pytest.raises(OptionError, match="neither --crs nor --rotation"):
        run("convert", town, tmp_path / "x.spl", "--topocentric=unigine", "--crs", "local")


def test_a_scene_moves_to_unigine_s_up_and_back(town: Path, tmp_path: Path) -> None:
    local, pivot, again = (tmp_path / f"{name}.spl" for name in ("local", "pivot", "again"))
    said = run("convert", town, local, "--crs", "local", *ORIGIN, "--rotation", 20, "--fit", "vertices")
    assert "(local), origin lat=49.315000000,lon=14.425000000,h=400, y axis 20 degrees" in said
    said = run("reproject", local, pivot, "--topocentric=unigine", *ORIGIN)
    assert "topocentric frame (up from the Earth's centre) over WGS 84" in said
    pivot.with_name("pivot.spl.aux.json").unlink()
    back = ["--from-topocentric=unigine", "--from-origin", ORIGIN[1], "--frame", local]
    run("reproject", pivot, again, *back)
    assert np.abs(read(again).points - read(local).points).max() < 1e-6
    facts = json.loads(run("info", local, "--json"))["frame"]
    assert (facts["kind"], facts["code"], facts["h"], facts["rotation"]) == ("map", "local", 400, 20)


def test_lines_in_the_scene_s_frame_have_heights_from_the_base_s_zero(town: Path, tmp_path: Path) -> None:
    scene, layer, again = tmp_path / "town.spl", tmp_path / "town.gpkg", tmp_path / "again.spl"
    run("convert", town, scene, "--crs", "EPSG:32633", *ORIGIN, "--fit", "vertices")
    run("convert", scene, layer, "--to-crs", "frame")
    lines, graph = read(layer), read(scene)
    low = graph.points.min(axis=0)
    np.testing.assert_allclose(np.nanmin(lines.coords, axis=0), low + np.array([0, 0, 400]), atol=1e-6)
    run("convert", layer, again, "--frame", scene, "--fit", "vertices")
    np.testing.assert_allclose(read(again).points.min(axis=0), low, atol=1e-6)


@pytest.mark.parametrize("suffix", ["shp", "gml", "geojson"])
@pytest.mark.parametrize("framing", [["--crs", "EPSG:32633"], ["--topocentric=unigine"]])
def test_a_format_that_cannot_hold_a_frame_says_which_can(
    suffix: str, framing: list[str], town: Path, tmp_path: Path
) -> None:
    run("convert", town, tmp_path / "town.spl", *framing, *ORIGIN, "--fit", "vertices")
    with pytest.raises(GeoreferenceError, match=r"\.gpkg, or transform to"):
        run("convert", tmp_path / "town.spl", tmp_path / f"town.{suffix}", "--to-crs", "frame")
    assert not list(tmp_path.glob(f"*.{suffix}"))
