"""Starting costs little: libraries are loaded when they are used."""

from __future__ import annotations

import subprocess
import sys

import spl_gis
from spl_gis.cli import group

HEAVY = {"numpy", "pyproj", "shapely", "fiona", "pyogrio", "msgspec", "rich", "matplotlib", "rasterio"}


def loaded_by(code: str) -> set[str]:
    """Give the modules that a fresh Python has loaded after some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_the_version_is_told_without_libraries() -> None:
    code = "from spl_gis.cli.group import cli; cli.main(['--version'], standalone_mode=False)"
    assert not loaded_by(code) & HEAVY


def test_the_package_loads_a_room_when_one_of_its_names_is_used() -> None:
    assert "spl_gis.model" not in loaded_by("import spl_gis")
    assert "spl_gis.model" in loaded_by("from spl_gis import SplineGraph")
    assert "spl_gis.convert" not in loaded_by("from spl_gis import SplineGraph")


def test_every_public_name_is_there_and_nothing_else() -> None:
    assert set(spl_gis.__all__) <= set(dir(spl_gis))
    assert all(getattr(spl_gis, name) is not None for name in spl_gis.__all__)
    assert not hasattr(spl_gis, "no_such_name")


def test_every_verb_goes_by_its_name() -> None:
    context = group.cli.make_context("spl-gis", ["info", "x"], resilient_parsing=True)
    for name in group.cli.list_commands(context):
        command = group.cli.get_command(context, name)
        assert command is not None and command.name == name
