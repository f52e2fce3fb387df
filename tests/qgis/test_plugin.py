"""The plugin as a whole: conventions, loading, `qgis_process`, and the numbers of the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import BLOCKED, ROOT
from qgis.core import QgsApplication

ALGORITHMS = ("lines_to_spl", "spl_to_lines", "reproject_spl", "check_spl", "preview_fit")
TOWN = ROOT / "sample_data" / "town.gpkg"


def provider():
    return QgsApplication.processingRegistry().providerById("spl")


def test_all_algorithms_are_there_and_explained(plugin):
    assert {algorithm.name() for algorithm in provider().algorithms()} == set(ALGORITHMS)
    for algorithm in provider().algorithms():
        assert len(algorithm.shortHelpString()) > 80 and len(algorithm.tags()) > 5
        assert not algorithm.icon().isNull()
        for parameter in algorithm.parameterDefinitions():
            assert parameter.help(), f"{algorithm.name()} {parameter.name()}"


def test_nothing_but_what_qgis_has_is_imported(plugin):
    assert os.environ.get("SPL_GIS_UNBLOCKED") or not [name for name in BLOCKED if name in sys.modules]
    assert "spl_gis" not in sys.modules and "spl_tools.spl_gis" in sys.modules


def test_all_fit_methods_are_offered(plugin):
    from spl_tools.algorithms.curves import CROSSING_LABELS, FITS
    from spl_tools.algorithms.heights import MODE_LABELS
    from spl_tools.spl_gis import fitting, terrain, topology

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
WORDS = {"CRS": ["--crs", "EPSG:32633", "--origin", "lat=49.315,lon=14.425"]}


@pytest.mark.parametrize("options", [{"FIT": 0}, {"FIT": 1, **PLACED}, {"FIT": 2}, {"FIT": 3, **PLACED}])
def test_the_command_line_gives_the_same_numbers(run, town, tmp_path, options):
    from spl_tools.algorithms.curves import FITS

    python = os.environ.get("SPL_GIS_PYTHON")
    if not python:
        pytest.skip("SPL_GIS_PYTHON does not name a Python with spl-gis and all that it needs")
    command = [python, "-c", "import numpy; print(numpy.__version__)"]
    theirs = subprocess.run(command, check=True, capture_output=True, text=True, env=_clean()).stdout
    if options["FIT"] < 2 and theirs.split(".")[:2] != np.__version__.split(".")[:2]:
        pytest.skip(f"numpy {theirs.strip()} may choose another of two fits that are as good")
    words = ["--fit", FITS[options["FIT"]][0], *WORDS.get("CRS" if "CRS" in options else "", [])]
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


def test_qgis_process_runs_every_algorithm(qgis_process, tmp_path):
    spl, moved = tmp_path / "a.spl", tmp_path / "b.spl"
    said = qgis_process("run", "spl:lines_to_spl", "--", f"INPUT={TOWN}", f"OUTPUT={spl}")
    assert "SEGMENT_COUNT" in said and spl.exists()
    qgis_process("run", "spl:spl_to_lines", "--", f"INPUT={spl}", f"FEATURES={tmp_path / 'back.gpkg'}")
    qgis_process(
        "run",
        "spl:reproject_spl",
        "--",
        f"INPUT={spl}",
        "CRS=EPSG:3035",
        "ORIGIN=14.4,49.3 [EPSG:4326]",
        f"OUTPUT={moved}",
    )
    said = qgis_process("run", "spl:check_spl", "--", f"INPUT={moved}", f"OUTPUT={tmp_path / 'found.gpkg'}")
    assert "WARNING_COUNT" in said
    qgis_process("run", "spl:preview_fit", "--", f"INPUT={TOWN}", f"OUTPUT={tmp_path / 'fit.gpkg'}")
    assert all((tmp_path / name).exists() for name in ("back.gpkg", "b.spl", "found.gpkg", "fit.gpkg"))
