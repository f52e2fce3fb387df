"""Compare welding, splitting and crossings with `ogr2ogr big.geojson big.gpkg`, in one run.

    python -m benchmarks.network [--lines 110000] [--runs 3]

The network is the sample town, repeated on a grid, as in `benchmarks.convert`. Prints the median wall time of
the lines' way through the network (weld, ends on edges, crossings, cut at nodes; no reading, no fitting) with
each choice of ``--crossings``, of a copy by ogr2ogr, and the ratios.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.convert import TOWN, measure, repeated
from spl_gis.convert.network import make_network
from spl_gis.formats import vector
from spl_gis.model import LineStrings
from spl_gis.report import Report
from spl_gis.topology import CROSSINGS, NetworkOptions


def through_network(scene: LineStrings, crossings: str) -> tuple[float, Report]:
    """Give the wall time [s] of making a network, and its report."""
    report = Report()
    start = time.perf_counter()
    make_network(scene, NetworkOptions(crossings=crossings), report)
    return time.perf_counter() - start, report


def main() -> None:
    """Build the network, run both in turn, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=110_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    if shutil.which("ogr2ogr") is None:
        sys.exit("this benchmark needs ogr2ogr on the path")
    lines = repeated(vector.read(TOWN), asked.lines)
    scene = dataclasses.replace(lines, coords=np.nan_to_num(lines.coords))
    print(f"{len(lines):,} lines, {len(lines.coords):,} vertices")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "big.gpkg", Path(folder) / "big.geojson"
        vector.write(lines, source)
        rows = []
        for _ in range(asked.runs):
            copy = measure(["ogr2ogr", str(target), str(source)], target)[0]
            rows.append((copy, *(through_network(scene, name)[0] for name in CROSSINGS)))
    copy, *ours = np.array(rows).T.tolist()
    print(f"{'ogr2ogr':18} {statistics.median(copy):8.1f} s")
    for name, times in zip(CROSSINGS, ours):
        ratio = statistics.median(a / b for a, b in zip(times, copy))
        print(f"crossings {name:8} {statistics.median(times):8.1f} s   ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
