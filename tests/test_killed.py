"""What is left when a job is killed at any moment, or when two jobs write one output."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import spl_gis

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")

KILLS = int(os.environ.get("SPL_GIS_KILLS", "8"))
"""How often a whole job is killed at a random moment; raise it for a long run by hand."""

WRITE = """
import os, signal, sys
import spl_gis
from spl_gis.convert import lines_to_graph
source, target = sys.argv[1:3]
TOUCHES = "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.scandir", "fcntl.flock"
lines = spl_gis.read(source)
graph = lines_to_graph(lines, lines.crs, fit="vertices")
spl_gis.write(graph, target, overwrite=True)  # loads all that writing needs
new = open(target, "rb").read(), open(target + ".aux.json", "rb").read()
step = 0
while True:
    for name, data in zip((target, target + ".aux.json"), (b"old spl", b"old sidecar")):
        with open(name, "wb") as file:
            file.write(data)
    child = os.fork()
    if child == 0:
        seen = 0
        def count(event, args):
            global seen
            if event in TOUCHES:
                seen += 1
                if seen > step:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        spl_gis.write(graph, target, overwrite=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    found = open(target, "rb").read(), open(target + ".aux.json", "rb").read()
    kinds = [("old", "new")[found[i] == new[i]] for i in (0, 1)]
    assert found[0] in (b"old spl", new[0]) and found[1] in (b"old sidecar", new[1]), f"step {step}"
    print(step, *kinds, os.WIFSIGNALED(status))
    if not os.WIFSIGNALED(status):
        sys.exit(os.WEXITSTATUS(status))
    step += 1
"""


def test_a_writer_killed_at_each_touch_of_the_disk_leaves_old_or_new(
    sample_data: Path, tmp_path: Path
) -> None:
    source, target = sample_data / "town.gpkg", tmp_path / "out.spl"
    command = [sys.executable, "-c", WRITE, str(source), str(target)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    steps = [line.split() for line in done.stdout.splitlines()]
    assert len(steps) > 4
    assert steps[0][1:] == ["old", "old", "True"]
    assert steps[-1][1:] == ["new", "new", "False"]
    assert all(spl != "new" or sidecar == "new" for _, spl, sidecar, _ in steps), "the .spl comes last"


def test_a_job_killed_at_any_moment_leaves_old_or_new(sample_data: Path, tmp_path: Path) -> None:
    target = tmp_path / "town.spl"
    command = [sys.executable, "-m", "spl_gis", "convert", str(sample_data / "town.gpkg"), str(target)]
    command += ["--fit", "vertices", "--overwrite", "--quiet"]
    start = time.monotonic()
    subprocess.run(command, check=True, timeout=120)
    whole = time.monotonic() - start
    new = target.read_bytes()
    moments = random.Random(KILLS)
    for _ in range(KILLS):
        target.write_bytes(b"old")
        job = subprocess.Popen(command)
        time.sleep(moments.uniform(0, 1.1 * whole))
        job.send_signal(signal.SIGKILL)
        job.wait(timeout=60)
        assert target.read_bytes() in (b"old", new)
    subprocess.run(command, check=True, timeout=120)
    assert target.read_bytes() == new
    assert len(spl_gis.read(target)) > 0


def test_of_two_jobs_with_one_output_the_first_stays_whole(sample_data: Path, tmp_path: Path) -> None:
    target = tmp_path / "town.spl"
    command = [
        sys.executable,
        "-m",
        "spl_gis",
        "convert",
        str(sample_data / "town.gpkg"),
        str(target),
        "--quiet",
    ]
    jobs = [
        subprocess.Popen([*command, "--fit", fit], stderr=subprocess.PIPE, text=True)
        for fit in ("vertices", "fast")
    ]
    said = [job.communicate(timeout=120)[1] for job in jobs]
    codes = [job.returncode for job in jobs]
    assert sorted(codes) == [0, 1], said
    assert "already exists" in said[codes.index(1)]
    graph = spl_gis.read(target)
    back = spl_gis.graph_to_lines(graph)
    assert len(back.features) == len(spl_gis.read(sample_data / "town.gpkg").features)
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]
