"""Each command of the README is run (the one that runs these tests is run by `.ci/run`)."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_the_first_command_installs_and_converts():
    install, *commands = SHELL[0].split(" && ", 2)
    assert install.strip() == "python3 -m venv .venv"
    assert all(".venv/bin/" in command for command in commands)


def test_the_first_commands_conversions_run(clone):
    run, folder = clone
    conversions = [part.strip() for part in SHELL[0].split(" && ") if "spl-gis convert" in part]
    assert len(conversions) == 2
    run(["sh", "-ec", "\n".join(conversions).replace(".venv/bin/", "")])
    assert (folder / "town.spl").exists()
    assert (folder / "back.gpkg").exists()


def test_the_second_command_runs_these_tests():
    assert "pytest" in SHELL[1]


def test_the_tour_runs_from_top_to_bottom(clone):
    run, folder = clone
    run(["sh", "-ec", "\n".join(SHELL[2:])])
    assert (folder / "moved.spl").exists()


def test_the_python_example_runs(clone):
    run, folder = clone
    assert len(PYTHON) == 1
    run([sys.executable, "-c", PYTHON[0]])
    assert (folder / "from-python.spl").exists()


def test_the_number_of_segments_is_what_the_readme_says(clone):
    run, folder = clone
    run(["sh", "-ec", SHELL[2]])
    said = re.search(r"The town's 582 edges become (\d+) segments", README)
    assert (folder / "town.spl").read_text().count("start_index") == int(said[1])


def test_the_pictures_are_those_that_their_script_makes(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for name, scene in make.SCENES.items():
        drawn = make.picture(scene)
        kept = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        assert re.search(r"\d+ segments", drawn)[0] == re.search(r"\d+ segments", kept)[0]
