"""Compare `spl-gis convert big.gpkg big.spl` with `ogr2ogr big.geojson big.gpkg`, in one run.

    python -m benchmarks.convert [--lines 110000] [--runs 3]

The network is the sample town, repeated on a grid. Prints the median wall time and peak memory of both
programs, and their ratios.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from spl_gis.formats import vector
from spl_gis.model import LineStrings

TOWN = Path(__file__).parent.parent / "sample_data" / "town.gpkg"
SPACING = 2000.0
"""Distance [m] between towns."""


def repeated(town: LineStrings, lines: int) -> LineStrings:
    """Repeat a town on a square grid until there are so many lines."""
    times = -(-lines // len(town))
    side = int(np.ceil(np.sqrt(times)))
    copy = np.arange(times)
    shift = SPACING * np.column_stack([copy % side, copy // side, np.zeros(times)])
    coords = (town.coords[None] + shift[:, None]).reshape(-1, 3)
    offsets = (town.offsets[:-1][None] + len(town.coords) * copy[:, None]).ravel()[:lines]
    end = len(town.coords) * (lines // len(town)) + town.offsets[lines % len(town)]
    feature = (town.feature[None] + len(town.features) * copy[:, None]).ravel()[:lines]
    rows = np.tile(np.arange(len(town.features)), times)[: feature.max() + 1]
    features = town.features.take(rows)
    numbered = type(features)(np.arange(1, len(features) + 1), features.columns, "big")
    part = np.tile(town.part, times)[:lines]
    return LineStrings(coords[:end], np.append(offsets, end), feature, part, numbered, town.crs)


def measure(command: list[str], output: Path) -> tuple[float, float]:
    """Run a command; give its wall time [s] and peak memory [MB]."""
    for stale in output.parent.glob(output.name + "*"):
        stale.unlink()
    start = time.perf_counter()
    script = (
        "import os, subprocess, sys; p = subprocess.Popen(sys.argv[1:]); _, s, u = os.wait4(p.pid, 0); "
        "print(u.ru_maxrss / 1024 if s == 0 else 'failed')"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script, *command], capture_output=True, text=True, check=True
    )
    wall = time.perf_counter() - start
    memory = printed.stdout.strip().split("\n")[-1]
    if memory == "failed":
        raise RuntimeError(f"{command[0]} failed: {printed.stderr}")
    return wall, float(memory)


def main() -> None:
    """Build the network, run both programs in turn, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=110_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fit", default="vertices")
    asked = parser.parse_args()
    if shutil.which("ogr2ogr") is None:
        sys.exit("this benchmark needs ogr2ogr on the path")
    with tempfile.TemporaryDirectory() as folder:
        source, ours, theirs = (Path(folder) / name for name in ("big.gpkg", "big.spl", "big.geojson"))
        network = repeated(vector.read(TOWN), asked.lines)
        vector.write(network, source)
        print(
            f"{len(network):,} lines, {len(network.coords):,} vertices, {source.stat().st_size / 1e6:.0f} MB"
        )
        convert = [
            sys.executable,
            "-m",
            "spl_gis",
            "convert",
            str(source),
            str(ours),
            "--fit",
            asked.fit,
            "--quiet",
        ]
        copy = ["ogr2ogr", str(theirs), str(source)]
        rows = [(measure(convert, ours), measure(copy, theirs)) for _ in range(asked.runs)]
    for number, name, unit in ((0, "wall", "s"), (1, "peak memory", "MB")):
        a, b = (statistics.median(row[side][number] for row in rows) for side in (0, 1))
        ratio = statistics.median(row[0][number] / row[1][number] for row in rows)
        print(f"{name:12} spl-gis {a:8.1f} {unit:2}  ogr2ogr {b:8.1f} {unit:2}  ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
