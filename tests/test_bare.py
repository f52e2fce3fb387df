"""The core with numpy and pyproj alone, as a QGIS has it, gives what it gives with all libraries."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spl_gis
from spl_gis.convert import keep_source

HERE = Path(__file__).parent
SAMPLES, JOBS = HERE.parent / "sample_data", HERE / "bare_jobs.py"
BLOCKED = (
    "shapely",
    "fiona",
    "pyogrio",
    "arro3",
    "msgspec",
    "click",
    "rich",
    "matplotlib",
    "rasterio",
    "scipy",
    "distributed",
)


def start(folder, blocked):
    """Start the jobs in a Python of its own, in a folder of its own."""
    shutil.copytree(folder, folder / str(len(blocked)), ignore=shutil.ignore_patterns("0", "1*"))
    words = [JOBS, json.dumps(blocked), str(folder / str(len(blocked))), str(SAMPLES)]
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result(job):
    """Give what the jobs give, and which libraries were loaded."""
    out, said = job.communicate()
    assert job.returncode == 0, said.decode()
    return json.loads(out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a graph that has kept its source."""
    folder = tmp_path_factory.mktemp("bare")
    lines = spl_gis.read(SAMPLES / "town.gpkg")
    graph = spl_gis.lines_to_graph(lines, spl_gis.scene_frame(lines.coords, lines.crs), fit="vertices")
    spl_gis.write(keep_source(graph, lines), folder / "source.spl")
    return folder


def test_the_same_values_without_the_libraries_that_a_qgis_may_lack(folder):
    jobs = start(folder, []), start(folder, BLOCKED)
    (full, with_them), (bare, without) = map(result, jobs)
    assert "msgspec" in with_them  # else nothing was compared
    assert not set(BLOCKED) & set(without)
    assert full.keys() == bare.keys() and len(full) > 12
    for name in full:
        assert full[name] == bare[name], name
