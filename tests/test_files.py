"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import subprocess

import pytest

from spl_gis import convert, formats
from spl_gis.errors import FileAccessError, FormatError
from spl_gis.files import whole_file
from spl_gis.formats import vector
from spl_gis.report import Report


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


def test_no_part_of_a_format_replaces_a_file_unasked(tmp_path):
    (tmp_path / "a.prj").write_text("old")
    with (
        pytest.raises(FileAccessError, match=r"a\.prj already exists"),
        whole_file(tmp_path / "a.shp") as scratch,
    ):
        for suffix in (".shp", ".dbf", ".prj"):
            scratch.with_suffix(suffix).write_text(suffix)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.prj", "old")]


@pytest.mark.parametrize("name", ["n" * 300, "nowhere/" * 3 + "a"])
def test_what_the_system_refuses_is_a_sentence(tmp_path, name):
    with pytest.raises(FileAccessError, match="cannot write"), whole_file(tmp_path / name):
        raise AssertionError("not reached")


def test_a_missing_folder_is_a_sentence(tmp_path):
    with (
        pytest.raises(FileAccessError, match=r"cannot write .*nowhere"),
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


@pytest.fixture
def small_disk(tmp_path):
    """Give a folder on a disk of 8 kB."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", tmp_path], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk can be made here")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".shp", ".fgb", ".kml", ".gml", ".dxf", ".spl"])
def test_a_full_disk_leaves_nothing_and_says_so(small_disk, sample_data, suffix):
    lines = vector.read(sample_data / "town.gpkg")
    data = convert.lines_to_graph(lines, lines.crs, fit="vertices") if suffix == ".spl" else lines
    with pytest.raises((FileAccessError, FormatError), match="cannot write"):
        formats.write(data, small_disk / f"town{suffix}")
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".geojsonl"])
def test_rejects_on_a_full_disk_leave_nothing_and_say_so(small_disk, sample_data, suffix):
    report = Report()
    report.repair(range(1, 19), "mended")
    found = formats.rejects.find(sample_data / "town.gpkg", None, report)
    with pytest.raises((FileAccessError, FormatError), match="cannot write"):
        formats.rejects.write(
            found, small_disk / f"r{suffix}", engine="pyogrio", overwrite=False, report=report
        )
    assert list(small_disk.iterdir()) == []
