"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None)  # machines are noisy
settings.load_profile("tests")

ROOT = Path(__file__).parent.parent


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
