"""The QGIS plugin's zip; and its own tests, in the Python that has QGIS."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "qgis_plugin"))

import build  # noqa: E402
import check_zip  # noqa: E402

QGIS_PYTHON = "/usr/bin/python3"
FOR_TERRAIN = ("rasterio>=1.4", "affine<3")
"""A later affine needs newer attrs than the Python has that has QGIS, and does not say so."""


@pytest.fixture(scope="module")
def plugin_zip(tmp_path_factory):
    return build.build(tmp_path_factory.mktemp("zip") / "spl_tools.zip")


def test_the_zip_keeps_the_rules_and_is_the_same_again(plugin_zip, tmp_path):
    assert list(check_zip.check(plugin_zip)) == []
    assert build.build(tmp_path / "again.zip").read_bytes() == plugin_zip.read_bytes()


def test_the_core_is_inside_without_the_command_line(plugin_zip):
    names = zipfile.ZipFile(plugin_zip).namelist()
    assert "spl_tools/spl_gis/convert/to_graph.py" in names
    assert "spl_tools/spl_gis/LICENSE" in names
    assert "spl_tools/spl_gis/gdal_driver/ogr_spl.py" in names
    assert not [name for name in names if "/cli/" in name or "test" in name]


@pytest.mark.parametrize(
    ("name", "text", "finding"),
    [
        ("spl_tools/__pycache__/x.pyc", "", "may not be in it"),
        ("spl_tools/late.py", "import spl_gis", "another than this plugin's"),
        ("spl_tools/heavy.py", "import shapely", "at its top"),
        ("other/x.py", "", "not one folder"),
    ],
)
def test_a_bad_zip_is_found(plugin_zip, tmp_path, name, text, finding):
    bad = tmp_path / "bad.zip"
    bad.write_bytes(plugin_zip.read_bytes())
    with zipfile.ZipFile(bad, "a") as archive:
        archive.writestr(name, text)
    assert any(finding in sentence for sentence in check_zip.check(bad))


def say(*words):
    """Run a program as outside of these tests; QGIS Desktop takes the first Python on PATH."""
    ours = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST", "VIRTUAL"))
    }
    ours.update(
        PATH="/usr/bin:/bin:/usr/sbin:/sbin", SPL_GIS_PYTHON=str(words[0]), QT_QPA_PLATFORM="offscreen"
    )
    done = subprocess.run(words, cwd=ROOT, env=ours, check=False, capture_output=True, text=True)
    return done.returncode, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.fixture()
def qgis_python(tmp_path):
    """A virtual environment of the Python that has QGIS, with what the command line needs too."""
    lacking, numpy = say(QGIS_PYTHON, "-c", "import qgis.core, pytest, numpy; print(numpy.__version__)")
    if lacking and not os.environ.get("CI"):
        pytest.skip(f"{QGIS_PYTHON} has no QGIS, or no pytest")
    code, said = say(QGIS_PYTHON, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    assert code == 0, said
    python = tmp_path / "venv" / "bin" / "python"
    needs = [need for need in importlib.metadata.requires("spl-gis") or () if "extra ==" not in need]
    needs += [f"numpy=={numpy.split()[0]}", *FOR_TERRAIN]  # another numpy rounds otherwise
    code, said = say(python, "-m", "pip", "install", "-q", "pytest-qgis>=2.1", *needs)
    if code and not os.environ.get("CI"):
        pytest.skip(f"what the tests in QGIS need is not to be had: {said}")
    return python


def test_the_plugin_works_in_qgis(qgis_python):
    """All of tests/qgis, through the built zip."""
    profile = f"--rootdir={qgis_python.parents[2]}"  # pytest-qgis has QGIS's profile there
    words = ("-q", profile, "-c", "tests/qgis/pytest.ini", "tests/qgis")
    code, said = say(qgis_python, "-m", "pytest", *words)
    assert code == 0, said
    assert " passed" in said
