"""Compare `spl-gis convert big.gpkg big.spl` with and without `--z terrain.tif`, in one run.

    python -m benchmarks.heights [--lines 110000] [--runs 3] [--fit fast]

The network is the sample town, repeated on a grid as in `benchmarks.convert`, on hills in cells of 25 m.
Prints the median wall time and peak memory of both, and the ratio of the times.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import rasterio

from benchmarks.convert import TOWN, measure, repeated
from spl_gis.fitting import METHODS
from spl_gis.formats import vector
from spl_gis.model import Floats

CELL = 25.0


def write_hills(path: Path, coords: Floats) -> tuple[int, int]:
    """Write hills below all vertices, strip by strip; give the numbers of rows and columns."""
    (west, south), (east, north) = coords[:, :2].min(axis=0) - 100, coords[:, :2].max(axis=0) + 100
    rows, columns = int((north - south) / CELL), int((east - west) / CELL)
    wave = 30 * np.sin(np.arange(columns) * CELL / 700)
    head = {
        "width": columns,
        "height": rows,
        "count": 1,
        "dtype": "float32",
        "crs": "EPSG:32633",
        "tiled": True,
    }
    place = rasterio.Affine(CELL, 0, west, 0, -CELL, north)
    with rasterio.open(path, "w", driver="GTiff", transform=place, compress="deflate", **head) as file:
        for top in range(0, rows, 256):
            row = np.arange(top, min(top + 256, rows))
            strip = 300 + wave[None] * np.cos(row * CELL / 900)[:, None]
            file.write(strip.astype(np.float32), 1, window=((row[0], row[-1] + 1), (0, columns)))
    return rows, columns


def main() -> None:
    """Build network and terrain, run both in turn, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=110_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fit", choices=list(METHODS), default="fast")
    asked = parser.parse_args()
    lines = repeated(vector.read(TOWN), asked.lines)
    with tempfile.TemporaryDirectory() as folder:
        source, target, hills = (Path(folder) / name for name in ("big.gpkg", "big.spl", "hills.tif"))
        vector.write(lines, source)
        rows, columns = write_hills(hills, lines.coords)
        print(f"{len(lines):,} lines, {len(lines.coords):,} vertices, {columns:,} x {rows:,} cells")
        command = [sys.executable, "-m", "spl_gis", "convert", str(source), str(target), "--fit", asked.fit]
        found = []
        for _ in range(asked.runs):
            without = measure([*command, "--quiet"], target)
            found.append((*without, *measure([*command, "--quiet", "--z", str(hills)], target)))
    for name, times, memory in (("without", 0, 1), ("with --z", 2, 3)):
        time, peak = (statistics.median(run[at] for run in found) for at in (times, memory))
        print(f"{name:10} {time:8.1f} s {peak:8.0f} MB")
    print(f"ratio {statistics.median(run[2] / run[0] for run in found):.2f}")


if __name__ == "__main__":
    main()
