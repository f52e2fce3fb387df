"""Compare reading and writing `.spl` with orjson and json on the same text and the same objects, in one run.

    python -m benchmarks.codec [--segments 1000000] [--runs 5]

The graph is a zigzag of roads with heights, as full of digits as a real one. Reading is compared with
`loads` of the same bytes, which gives lists and dicts; writing with `dumps` of those lists and dicts, already
there. Times are those of the processor; ratios are medians of pairs.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import orjson

from spl_gis.formats import spl
from spl_gis.model import SplineGraph, spline_graph


def zigzag(segments: int) -> SplineGraph:
    """Give one long road: points with random steps, handles a third of them."""
    random = np.random.default_rng(1)
    points = np.cumsum(random.normal(0, 20, (segments + 1, 3)) * (1, 1, 0.05), axis=0)
    step = np.diff(points, axis=0) / 3
    ends = np.column_stack([np.arange(segments), np.arange(1, segments + 1)])
    return spline_graph(points, ends, np.stack([step, -step], axis=1))


def seconds(job: Callable[[], Any]) -> float:
    """Give the processor time of a job whose result is thrown away, with no rubbish of others to collect."""
    gc.collect()
    start = time.process_time()
    result = job()
    spent = time.process_time() - start
    del result
    return spent


def ratios(segments: int, runs: int) -> dict[str, float]:
    """Give the ratios of the times of spl-gis and of its peers."""
    graph = zigzag(segments)
    data = b"".join(spl.encode(graph))
    objects = orjson.loads(data)
    peers = {
        "read": {"orjson": lambda: orjson.loads(data), "json": lambda: json.loads(data)},
        "write": {"orjson": lambda: orjson.dumps(objects), "json": lambda: json.dumps(objects)},
    }
    ours = {"read": lambda: spl.decode(data), "write": lambda: sum(map(len, spl.encode(graph)))}
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        for what, mine in ours.items():
            spent = seconds(mine)
            for name, peer in peers[what].items():
                found.setdefault(f"{what} a .spl, times {name}", []).append(spent / seconds(peer))
    return {name: statistics.median(values) for name, values in found.items()}


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    for name, ratio in ratios(asked.segments, asked.runs).items():
        print(f"{name:28} {ratio:.2f}")


if __name__ == "__main__":
    main()
