"""Run by test_bare: jobs of the core, and what they give.

Arguments: the blocked libraries (JSON), a folder with source.spl, and the folder of samples.
"""

# ruff: noqa: E402 (the libraries must be blocked before)

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

BLOCKED, FOLDER, SAMPLES = json.loads(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])


class _Blocked:
    """Makes libraries impossible to import."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"blocked for this test: {name}")


sys.meta_path.insert(0, _Blocked())

import numpy as np

from spl_gis import checks, convert, formats, frames, info, tiles
from spl_gis.formats import frame as frame_file
from spl_gis.formats.checked import check_file
from spl_gis.report import Report
from spl_gis.roll import UpOptions
from spl_gis.terrain import HeightOptions
from spl_gis.topology import NetworkOptions

NETWORKS = {
    "best": NetworkOptions(),
    "fast": NetworkOptions(crossings="split"),
    "vertices": NetworkOptions(merge=True, drop_duplicates=True, min_dangle=5.0),
    "unigine": NetworkOptions(weld=0.5, snap_ends=False, through=False),
}
"""A network for each fit method."""

found = {}


def keep(name: str, *things: Any) -> None:
    """Keep what a job gave; of arrays a sum that changes with any bit."""
    found[name] = [
        hashlib.sha256(thing.tobytes()).hexdigest() if isinstance(thing, np.ndarray) else thing
        for thing in things
    ]


def keep_graph(name: str, graph: Any, report: Report) -> None:
    keep(name, graph.points, graph.ends, graph.tangents, graph.ups, graph.line, report.to_dict())


def conversions() -> Any:
    source = formats.read_graph(FOLDER / "source.spl")
    lines = convert.graph_to_lines(source, exact=True)
    keep("lines", lines.coords, lines.offsets, str(lines.features.columns))
    frame = frames.scene_frame(lines.coords, lines.crs)
    for fit, network in NETWORKS.items():
        report = Report()
        graph = convert.lines_to_graph(lines, frame, fit=fit, network=network, report=report)
        keep_graph(fit, graph, report)
    banked = {"heights": HeightOptions(source=0.0), "up": UpOptions("bank")}
    keep_graph("banked", convert.lines_to_graph(lines, frame, **banked), report)
    report = Report()
    formats.write(convert.keep_source(graph, lines), FOLDER / "out.spl", overwrite=True, report=report)
    again = formats.read_graph(FOLDER / "out.spl", report=report)
    keep_graph("written and read", again, report)
    return again


def ways_back(graph: Any) -> None:
    for kind in ("features", "chains", "segments", "handles"):
        report = Report()
        lines = convert.graph_to_lines(graph, kind=kind, tolerance=0.02, report=report)
        keep(kind, lines.coords, lines.offsets, lines.feature, str(lines.features.columns), report.to_dict())
        if kind == "segments":
            keep_graph("edited", convert.edited_to_graph(lines), report)


def others(graph: Any) -> None:
    report = Report()
    world, path = SAMPLES / "town.world", FOLDER / "out.spl"
    target = frame_file.read(world, graph=path, node_name="roads", reading=False, report=report)
    keep_graph("moved", convert.reproject(graph, target, report=report), report)
    _, findings = check_file(SAMPLES / "bridge.spl", checks.Limits(), report=report)
    keep("check", [[one.code, one.message, one.place] for one in findings])
    keep("info", info.network(graph), str(info.place(graph.crs)))


def tiled(graph: Any) -> None:
    report = Report()
    parts = tiles.split(graph, size=500.0, report=report)
    folder = FOLDER / "tiles"
    tiles.write_tiles(
        parts, folder, graph.crs, draw=lambda extents, path, report: keep("extents", extents.corners)
    )
    keep_graph("tiles", tiles.read_tiles(folder, report=report), report)


made = conversions()
ways_back(made)
others(made)
tiled(made)
loaded = sorted({name.partition(".")[0] for name in sys.modules})
sys.stdout.write(json.dumps([found, loaded], default=str))
