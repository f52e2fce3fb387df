"""The plugin as a whole: conventions, loading, `qgis_process`, and the numbers of the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import BLOCKED, ROOT
from qgis.core import QgsApplication

ALGORITHMS = ("lines_to_spl", "spl_to_lines", "reproject_spl", "check_spl", "preview_fit")
ALGORITHMS += ("drape_lines", "tile_spl")
TOWN = ROOT / "sample_data" / "town.gpkg"


def provider():
    return QgsApplication.processingRegistry().providerById("spl")


def test_all_algorithms_are_there_and_explained(plugin):
    assert {algorithm.name() for algorithm in provider().algorithms()} == set(ALGORITHMS)
    pictures = []
    for algorithm in provider().algorithms():
        assert len(algorithm.shortHelpString()) > 80 and len(algorithm.tags()) > 5
        pictures.append(bytes(algorithm.icon().pixmap(24, 24).toImage().bits().asarray(24 * 24 * 4)))
        for parameter in algorithm.parameterDefinitions():
            assert parameter.help(), f"{algorithm.name()} {parameter.name()}"
    assert len(set(pictures)) == len(ALGORITHMS)


def test_nothing_but_what_qgis_has_is_imported(plugin):
    assert os.environ.get("SPL_GIS_UNBLOCKED") or not [name for name in BLOCKED if name in sys.modules]
    assert "spl_gis" not in sys.modules and "spl_tools.spl_gis" in sys.modules


def test_all_choices_of_the_core_are_offered(plugin):
    from spl_tools.algorithms.curves import CROSSING_LABELS, FITS
    from spl_tools.algorithms.heights import MODE_LABELS
    from spl_tools.algorithms.ups import FIELD, UNIT_LABELS, UP_LABELS
    from spl_tools.spl_gis import fitting, roll, terrain, topology

    assert tuple(UP_LABELS) == (*roll.SOURCES, FIELD)
    assert tuple(UNIT_LABELS) == roll.UNITS
    assert tuple(MODE_LABELS) == terrain.MODES
    assert {name for name, _ in FITS} == set(fitting.METHODS)
    assert tuple(CROSSING_LABELS) == topology.CROSSINGS


def test_unload_and_reload_leave_nothing_behind(plugin):
    plugin.unload()
    assert provider() is None
    plugin.unload()
    plugin.initProcessing()
    assert len(provider().algorithms()) == len(ALGORITHMS)


PLACED = {"CRS": "EPSG:32633", "ORIGIN": "14.425,49.315 [EPSG:4326]"}
ORIGIN = ["--origin", "lat=49.315,lon=14.425"]
SAME = {
    "best": ({"FIT": 0}, ["--fit", "best"]),
    "fast": ({"FIT": 1}, ["--fit", "fast"]),
    "vertices": ({"FIT": 2}, ["--fit", "vertices"]),
    "unigine": ({"FIT": 3}, ["--fit", "unigine"]),
    "frame": (
        {"FIT": 1, "ROTATION": 30, **PLACED},
        ["--fit", "fast", "--crs", "EPSG:32633", *ORIGIN, "--rotation", "30"],
    ),
    "topocentric": (
        {"FIT": 1, "FRAME_KIND": 2, "ORIGIN": PLACED["ORIGIN"], "ORIGIN_HEIGHT": 400},
        ["--fit", "fast", "--topocentric", "--origin", f"{ORIGIN[1]},h=400"],
    ),
    "world": (
        {"FIT": 2, "FRAME_FILE": str(TOWN.with_suffix(".world")), "NODE_NAME": "footbridge"},
        ["--fit", "vertices", "--frame", str(TOWN.with_suffix(".world")), "--node-name", "footbridge"],
    ),
    "merge": ({"MERGE": True, "MERGE_BY": ["class"]}, ["--merge", "--merge-by", "class"]),
    "network": (
        {"FIT": 1, "WELD": 0.5, "CROSSINGS": 1, "MIN_DANGLE": 20, "TOLERANCE": 0.3},
        [
            "--fit",
            "fast",
            "--weld",
            "0.5",
            "--crossings",
            "split",
            "--min-dangle",
            "20",
            "--tolerance",
            "0.3",
        ],
    ),
}
"""Parameters of the algorithm, and the words of the command line that mean the same."""


@pytest.mark.parametrize("name", SAME)
def test_the_command_line_gives_the_same_numbers(run, town, tmp_path, name):
    python = os.environ.get("SPL_GIS_PYTHON")
    if not python:
        pytest.skip("SPL_GIS_PYTHON does not name a Python with all that spl-gis needs, and this numpy")
    options, words = SAME[name]
    command = [python, "-m", "spl_gis", "convert", TOWN, tmp_path / "cli.spl", *words]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=_clean())
    run("lines_to_spl", INPUT=town, OUTPUT=str(tmp_path / "qgis.spl"), **options)
    ours, theirs = (json.loads((tmp_path / name).read_text()) for name in ("qgis.spl", "cli.spl"))
    assert len(ours["points"]) == len(theirs["points"])
    assert np.abs(np.array(ours["points"]) - np.array(theirs["points"])).max() < 1e-6
    assert np.abs(np.array(_tangents(ours)) - np.array(_tangents(theirs))).max() < 1e-6
    indices = [[(s["start_index"], s["end_index"]) for s in graph["segments"]] for graph in (ours, theirs)]
    assert indices[0] == indices[1]


def _tangents(graph):
    return [segment["start_tangent"] + segment["end_tangent"] for segment in graph["segments"]]


def _clean():
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "QT_", "QGIS_"))}


@pytest.fixture(scope="module")
def qgis_process(plugins, tmp_path_factory):
    """Run `qgis_process` with the plugin in a profile of its own."""
    program = shutil.which("qgis_process.bin") or shutil.which("qgis_process")
    if program is None:
        pytest.skip("there is no qgis_process")
    profile = tmp_path_factory.mktemp("profile")
    environment = {
        **os.environ,
        "QGIS_PLUGINPATH": str(plugins),
        "QGIS_CUSTOM_CONFIG_PATH": str(profile),
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_RUNTIME_DIR": str(profile),
    }

    def call(*words):
        done = subprocess.run(
            [program, *map(str, words)],
            check=False,
            capture_output=True,
            text=True,
            env=environment,
            timeout=180,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert not re.search(r"Traceback|Error:", said), said
        return said

    call("plugins", "enable", "spl_tools")
    return call


RUNS = {
    "lines_to_spl": ("INPUT={town}", "OUTPUT={to}/a.spl"),
    "spl_to_lines": ("INPUT={to}/a.spl", "FEATURES={to}/back.gpkg"),
    "reproject_spl": (
        "INPUT={to}/a.spl",
        "CRS=EPSG:3035",
        "ORIGIN=14.4,49.3 [EPSG:4326]",
        "OUTPUT={to}/b.spl",
    ),
    "check_spl": ("INPUT={to}/b.spl", "OUTPUT={to}/found.gpkg", "REPAIRED={to}/good.spl"),
    "preview_fit": ("INPUT={town}", "OUTPUT={to}/fit.gpkg"),
    "drape_lines": ("INPUT={town}", "TERRAIN={to}/dem.tif", "OUTPUT={to}/draped.gpkg"),
    "tile_spl": ("INPUT={to}/a.spl", "SIZE=500", "OUTPUT={to}/tiles", "EXTENTS={to}/tiles.gpkg"),
}
"""Words for each algorithm, in an order in which one makes what the next one needs."""


def test_qgis_process_runs_every_algorithm(plugin, qgis_process, tmp_path):
    assert set(RUNS) == {algorithm.name() for algorithm in provider().algorithms()}
    shutil.copy(ROOT / "sample_data" / "town_dem.tif", tmp_path / "dem.tif")
    for name, words in RUNS.items():
        given = [word.format(town=TOWN, to=tmp_path) for word in words]
        said = qgis_process("run", f"spl:{name}", "--", *given)
        assert "Results" in said
        outputs = [
            word.partition("=")[2]
            for word in given
            if not word.startswith(("INPUT", "CRS", "ORIGIN", "SIZE"))
        ]
        assert outputs and all(Path(output).exists() for output in outputs), said
