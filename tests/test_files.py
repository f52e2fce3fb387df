"""Files that appear whole or not at all."""

from __future__ import annotations

import pytest

from spl_gis.errors import FileAccessError
from spl_gis.files import whole_file


def test_a_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "a.txt"
    with whole_file(target) as scratch:
        scratch.write_text("text")
        assert not target.exists()
    assert target.read_text() == "text"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), whole_file(target, overwrite=True) as scratch:
        scratch.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_existing_file_is_refused(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(FileAccessError, match=r"already exists.*--overwrite"), whole_file(target):
        raise AssertionError("not reached")
    assert target.read_text() == "old"


def test_all_parts_of_a_format_appear(tmp_path):
    with whole_file(tmp_path / "a.shp") as scratch:
        for suffix in (".shp", ".dbf", ".shx"):
            scratch.with_suffix(suffix).write_text(suffix)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.dbf", "a.shp", "a.shx"]


def test_a_missing_folder_is_a_sentence(tmp_path):
    with (
        pytest.raises(FileAccessError, match=r"cannot write in .*nowhere"),
        whole_file(tmp_path / "nowhere" / "a.txt"),
    ):
        raise AssertionError("not reached")


def test_a_symbolic_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    with whole_file(link, overwrite=True) as scratch:
        scratch.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
