"""QGIS Desktop on a virtual screen, with the built zip in a throwaway profile."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import ROOT

HERE = Path(__file__).parent
OURS = ("QT_QPA_PLATFORM", "QGIS_CUSTOM_CONFIG_PATH", "QGIS_OPTIONS_PATH")
"""Of the tests without a window."""


@pytest.fixture()
def folder(run, town):
    """Files to open; not in /tmp, where QGIS calls layers temporary and asks about them."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    run("lines_to_spl", INPUT=town, OUTPUT=str(folder / "town.spl"))
    for name in ("bare.spl", "also.spl"):
        shutil.copy(ROOT / "sample_data" / "bridge.spl", folder / name)
    for name in ("town.world", "town.gpkg"):
        shutil.copy(ROOT / "sample_data" / name, folder)
    (folder / "vim.spl").write_bytes(b"VIMspell2\x00\xff")
    yield folder
    shutil.rmtree(folder)


def run_whole(words, environment):
    """Run a program with all that it starts; when time is up, nothing is left of it."""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(words, env=environment, start_new_session=True, **pipe) as started:
        try:
            said, _ = started.communicate(timeout=180)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            said = started.communicate()[0] + "\nQGIS did not end in time"
    return started.returncode, said


@pytest.fixture()
def desktop(plugins, folder, tmp_path):
    """Run a script in QGIS Desktop; gives its exit code and what it says."""
    if not (shutil.which("xvfb-run") and shutil.which("qgis")):
        pytest.skip("there is no QGIS Desktop, or no xvfb-run")
    profile = tmp_path / "profiles" / "default" / "QGIS"
    profile.mkdir(parents=True)
    (profile / "QGIS3.ini").write_text("[PythonPlugins]\nspl_tools=true\n")
    environment = {key: value for key, value in os.environ.items() if key not in OURS}
    environment.update(QGIS_PLUGINPATH=str(plugins), FOLDER=str(folder), PYTHONWARNINGS="ignore")

    def run(script):
        words = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", "qgis", "--nologo"]
        words += ["--profiles-path", str(tmp_path), "--code", str(HERE / script)]
        code, said = run_whole(words, environment)
        shots = os.environ.get("SPL_GIS_SHOTS")
        for picture in folder.glob("*.png") if shots else ():
            shutil.copy(picture, shots)
        return code, said

    return run


def test_open_edit_save_and_unload_in_the_desktop(desktop, folder):
    code, said = desktop("desktop.py")
    assert code == 0, said
    assert "all is well" in said and "Traceback" not in said, said
    assert (folder / "opened.png").stat().st_size > 20_000


def test_the_driver_and_the_details_of_an_error_in_the_desktop(desktop, folder):
    code, said = desktop("desktop_driver.py")
    assert code == 0, said
    assert "all is well" in said and "Traceback" not in said, said
