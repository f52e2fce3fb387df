"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None)  # machines are noisy
settings.load_profile("tests")

ROOT = Path(__file__).parent.parent
collect_ignore = ["qgis"]  # these run in QGIS's own Python: see test_qgis_plugin.py


@pytest.fixture(scope="session")
def sample_data() -> Path:
    return ROOT / "sample_data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder of real files nobody here wrote; it lies beside the project, or the test is skipped."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real files are not here")
    return folder


@pytest.fixture
def clone(tmp_path):
    """Give a copy of what the README's commands touch, and a shell in which `spl-gis` is this one."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    (tmp_path / "qgis_plugin").symlink_to(ROOT / "qgis_plugin")
    scripts = tmp_path / "bin"
    scripts.mkdir()
    program = scripts / "spl-gis"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spl_gis "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}

    def run(command: list[str]) -> None:
        result = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout + result.stderr

    return run, tmp_path
