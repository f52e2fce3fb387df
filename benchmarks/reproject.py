"""Measure what the bound of a reprojection costs, and lines that are flattened where they are drawn.

    python -m benchmarks.reproject [--lines 4000] [--runs 3]

The network is the sample town, repeated on a grid, with one segment for each edge. Prints the median wall
times of moving it to another frame, without the bound and with it, and of making lines of it without and with
a look at the CRS that they are drawn in; and their ratios.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Callable

from pyproj import CRS

from spl_gis import convert, frames
from spl_gis.convert import to_frame
from spl_gis.formats import vector
from spl_gis.topology import NetworkOptions

from .convert import TOWN, repeated


def seconds(job: Callable[[], object], runs: int) -> float:
    """Give the median wall time of a job."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Build the network, and time both jobs in both ways."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    lines = repeated(vector.read(TOWN), asked.lines)
    frame = frames.scene_frame(lines.coords, lines.crs)
    graph = convert.lines_to_graph(lines, frame, fit="vertices", network=NetworkOptions(through=False))
    print(f"{len(graph):,} segments")
    place = frames.Origin(lat=49.5, lon=14.6)
    for name, target in (
        ("Web Mercator", frames.map_frame(CRS("EPSG:3857"), place)),
        ("UTM 34", frames.map_frame(CRS("EPSG:32634"), place)),
        ("topocentric", frames.topocentric_frame(place)),
    ):
        plain = seconds(lambda: to_frame._by_derivative(graph, target), asked.runs)  # noqa: B023
        bound = seconds(lambda: convert.reproject(graph, target), asked.runs)  # noqa: B023
        print(
            f"reproject to {name:12}  without {plain:6.2f} s  with {bound:6.2f} s  ratio {bound / plain:.2f}"
        )
    for name, crs in (("its own base", CRS("EPSG:32633")), ("lon, lat", frames.WGS84)):
        wall = seconds(lambda: convert.graph_to_lines(graph, to_crs=crs), asked.runs)  # noqa: B023
        print(f"lines in {name:12}  {wall:6.2f} s")


if __name__ == "__main__":
    main()
