"""Each command of the documentation is run, and its examples."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import spl_gis

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("*.md"))}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page], flags=re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")])
def test_the_commands_of_a_page_run_from_top_to_bottom(clone, page):
    run, folder = clone
    run(["sh", "-ec", "\n".join(blocks(page, "sh"))])
    assert list(folder.glob("*.spl"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_the_python_of_a_page_runs(clone, page):
    run, folder = clone
    run([sys.executable, "-c", "\n".join(blocks(page, "python"))])
    assert list(folder.glob("*.spl"))


def test_the_example_of_the_format_is_read(tmp_path):
    (tmp_path / "example.spl").write_text(blocks("format", "json")[0], encoding="utf-8")
    graph = spl_gis.read(tmp_path / "example.spl")
    assert len(graph.points) == 2
    assert len(graph) == 1
