"""Tiles made by many processes; one is killed while it works."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spl_gis import convert, formats, frames, tiles
from spl_gis.cli.group import cli
from spl_gis.errors import OptionError
from spl_gis.frames import Origin
from spl_gis.model import SplineGraph, control_points
from spl_gis.tiles.blocks import blocks

distributed = pytest.importorskip("distributed")

ORIGIN = ["--origin", "x=458500,y=5462700"]
BLOCKS = ["--size", "200", "--block", "400", "--workers", "2", *ORIGIN]


@pytest.fixture(scope="module")
def whole(sample_data: Path) -> SplineGraph:
    """Give the network made in one go."""
    lines = formats.read(sample_data / "town.gpkg")
    frame = frames.scene_frame(lines.coords, lines.crs, origin=Origin(x=458500, y=5462700))
    parts = tiles.split(convert.lines_to_graph(lines, frame, fit="fast"), size=200.0)
    return tiles.join([part.graph for part in parts], [part.node for part in parts])


def run(*arguments: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that Dask stands on
        cli.main([*arguments], standalone_mode=False)


def sorted_curves(graph: SplineGraph) -> np.ndarray:
    curves = control_points(graph).reshape(-1, 12)
    return curves[np.lexsort(np.rint(curves[:, [0, 1, 9, 10]]).T)]


def test_many_processes_make_the_network_of_one(
    whole: SplineGraph, sample_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spl_gis.tiles import cluster

    killed: list[int] = []
    finished = cluster._finished

    def killing(client: Any, tasks: Any) -> Iterator[Any]:
        """Kill a worker when the first task is done: what it knows is lost, and made again."""
        for result in finished(client, tasks):
            if not killed:
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[0], signal.SIGKILL)
            yield result

    monkeypatch.setattr(cluster, "_finished", killing)
    folder = tmp_path / "town"
    run("tile", str(sample_data / "town.gpkg"), str(folder), *BLOCKS, "--fit", "fast", "--quiet")
    joined = tiles.read_tiles(folder)
    assert len(killed) == 2
    assert len(joined.points) == len(whole.points)
    a, b = sorted_curves(joined), sorted_curves(whole)
    assert a.shape == b.shape
    assert np.abs(a - b).max() < 0.02
    before, after = convert.graph_to_lines(whole), convert.graph_to_lines(joined)
    assert after.features.fid.tolist() == before.features.fid.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["town"]


def test_what_goes_wrong_in_a_process_is_a_sentence_and_leaves_nothing(
    sample_data: Path, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="no column 'nope'"):
        run("tile", str(sample_data / "town.gpkg"), str(tmp_path / "x"), *BLOCKS, "--up", "nope")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--workers", "0"], "1 or more"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "workers of its own"),
        (["--workers", "2", "--max-segments", "5"], "divided by --size"),
        (["--workers", "2", "--size", "9", "--no-cut"], "segments are cut"),
        (["--workers", "2", "--size", "9", "--merge"], "--merge does nothing for blocks"),
        (["--size", "9", "--block", "90"], "--block is for"),
    ],
    ids=str,
)
def test_what_blocks_cannot_do_is_a_sentence(
    sample_data: Path, tmp_path: Path, asked: list[str], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        run("tile", str(sample_data / "town.gpkg"), str(tmp_path / "x"), *asked)
    assert list(tmp_path.iterdir()) == []


def test_blocks_cover_an_extent_without_gaps() -> None:
    boxes = np.array(blocks(np.array([1.0, 2.0, 11.0, 7.0]), 4.0))
    assert len(boxes) == 6
    assert ((boxes[:, 2:] - boxes[:, :2]) <= 4.0 + 1e-12).all()
    assert np.prod(boxes[:, 2:] - boxes[:, :2], axis=1).sum() == pytest.approx(50.0)
    assert np.unique(boxes[:, [0, 2]]).tolist() == pytest.approx([1, 1 + 10 / 3, 1 + 20 / 3, 11])
