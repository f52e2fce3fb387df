"""Compare spl-gis with other programs, all in one run, and write the table to docs/benchmarks.md.

    python -m benchmarks [jobs osm codec fits] [--lines 110000] [--runs 5] [--fit vertices fast]

The peers come with ``pip install -e ".[bench]"`` (orjson, eclipse-sumo for netconvert) and from npm
(paper and fit-curve, in the folder that FITTING_NODE names); ogr2ogr is GDAL's. What is not there is left
out, and the table says so.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import os
import platform
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from spl_gis.formats import spl, vector

from .convert import TOWN, measure, repeated

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
OSM = "osm-andorra-mountain-dem/andorra.osm.gz"
HIGHWAYS = (
    *(
        "motorway",
        "trunk",
        "primary",
        "secondary",
        "tertiary",
        "unclassified",
        "residential",
        "living_street",
    ),
    *("motorway_link", "trunk_link", "primary_link", "secondary_link", "tertiary_link", "raceway", "service"),
    *("track", "footway", "path", "cycleway", "pedestrian", "steps", "bridleway", "ford", "bus_guideway"),
    *("busway", "services", "unsurfaced"),
)
"""What netconvert makes roads of (SUMO's osmNetconvert.typ.xml)."""

Row = tuple[str, str, str]


def convert(source: Path, target: Path, *options: str) -> list[str]:
    """Give the command of a conversion."""
    command = [sys.executable, "-m", "spl_gis", "convert", str(source), str(target)]
    return [*command, "--quiet", "--overwrite", *options]


def jobs(asked: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Compare whole conversions with a copy by ogr2ogr."""
    if shutil.which("ogr2ogr") is None:
        yield "whole job", "ogr2ogr", "not installed"
        return
    source, ours, theirs = (folder / name for name in ("big.gpkg", "big.spl", "big.geojson"))
    network = repeated(vector.read(TOWN), asked.lines)
    vector.write(network, source)
    size = source.stat().st_size / 1e6
    what = f"{len(network):,} lines, {len(network.coords):,} vertices, {size:.0f} MB"
    copy = ["ogr2ogr", str(theirs), str(source)]
    for fit in asked.fit:
        pairs = [
            (measure(convert(source, ours, "--fit", fit), ours), measure(copy, theirs))
            for _ in range(asked.runs)
        ]
        times = statistics.median(mine[0] / other[0] for mine, other in pairs)
        memory = statistics.median(mine[1] for mine, _ in pairs) * 1.048576
        name = f"`--fit {fit}`: {what}"
        yield name, "`ogr2ogr` to GeoJSON", f"{times:.2f} of the time"
        yield name, "120 MB + 8 times the file", f"{memory / (120 + 8 * size):.2f} of it at the peak"


def netconvert() -> str | None:
    """Give the path of netconvert, if it is there."""
    found = importlib.util.find_spec("sumo")
    places = [os.environ.get("SUMO_HOME"), *(found.submodule_search_locations or [] if found else [])]
    tools = (shutil.which("netconvert", path=str(Path(place) / "bin")) for place in places if place)
    return next(filter(None, tools), None) or shutil.which("netconvert")


def osm(asked: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Compare the roads of a country with those that netconvert writes as OpenDRIVE."""
    tool, packed = netconvert(), asked.data / OSM
    if tool is None or not packed.exists():
        yield "OpenStreetMap, Andorra", "netconvert", "not installed, or the file is missing"
        return
    source, ours, theirs = (folder / name for name in ("andorra.osm", "andorra.spl", "andorra.xodr"))
    source.write_bytes(gzip.decompress(packed.read_bytes()))
    where = "highway IN (" + ", ".join(f"'{kind}'" for kind in HIGHWAYS) + ")"
    peer = [tool, "--osm-files", str(source), "--opendrive-output", str(theirs)]
    for fit in ("best", "fast"):
        mine = convert(source, ours, "--fit", fit, "--where", where)
        pairs = [(measure(mine, ours), measure(peer, theirs)) for _ in range(asked.runs)]
        times = statistics.median(mine[0] / other[0] for mine, other in pairs)
        records = len(re.findall(rb"<geometry ", theirs.read_bytes()))
        segments = len(spl.read(ours))
        name = f"`--fit {fit}`: OpenStreetMap, Andorra"
        yield name, "netconvert to OpenDRIVE", f"{times:.2f} of the time"
        yield name, f"its {records:,} curve records", f"{segments / records:.2f} of them ({segments:,})"


def codec(asked: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Compare reading and writing `.spl` with JSON libraries."""
    if importlib.util.find_spec("orjson") is None:
        yield "`.spl`", "orjson", "not installed"
        return
    from .codec import ratios

    for name, ratio in ratios(asked.segments, asked.runs).items():
        what, peer = name.split(", times ")
        yield f"{what} of {asked.segments:,} segments", peer, f"{ratio:.2f} of the time"


def fits(asked: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Compare fits with other fitters on the same chains, of which none may leave the tolerance."""
    from .fitting import TOLERANCE, judged, node, repeated, smooth_chains, timed

    lines = repeated("rural_10m", 400)
    coords, offsets, ring, allowance = smooth_chains(lines)
    plain = [coords[a:b, :2].tolist() for a, b in zip(offsets[:-1], offsets[1:])]
    for peer in ("paper", "fit-curve"):
        found = node(peer, plain)
        if found is None:
            yield "fits", f"npm {peer}", "not installed (FITTING_NODE)"
            continue
        number = sum(max(len(curve), 1) for curve in found[0])
        for method in ("best", "fast"):
            curves, micro = timed((coords, offsets, ring), method)
            bad = judged((coords, offsets, allowance), curves.controls, curves.offsets, TOLERANCE)
            if bad:
                raise RuntimeError(f"{bad} chains of --fit {method} leave the tolerance")
            time = micro * 1e-6 * len(coords) / found[1]
            ratio = f"{len(curves.controls) / number:.2f} of the segments, {time:.2f} of the time"
            yield f"`--fit {method}`, {TOLERANCE} m, roads with a vertex every 10 m", f"npm {peer}", ratio


PARTS = {"jobs": jobs, "osm": osm, "codec": codec, "fits": fits}


def page(rows: list[Row], asked: argparse.Namespace) -> str:
    """Give the text of the page."""
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    command = f"python -m benchmarks --lines {asked.lines} --runs {asked.runs} --fit {' '.join(asked.fit)}"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"""# Benchmarks

Written by `{command}` ({machine}; medians of {asked.runs}).

Each row compares with a peer that ran in turn with it, on the same machine and the same data: ratios,
not seconds, because those are of the machine. What each does is said in its module in `benchmarks/`;
without options all fits are compared.

| what | compared with | spl-gis takes |
|---|---|---|
{table}
"""


def main() -> None:
    """Run what is asked for, print the table, and write the page when all of it ran."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="default: all")
    parser.add_argument("--lines", type=int, default=110_000)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--fit", nargs="+", default=["vertices", "fast", "best"])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    asked = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.parts or PARTS:
            for row in PARTS[name](asked, Path(folder)):
                rows.append(row)
                print(" | ".join(row), flush=True)
    if not asked.parts:
        PAGE.write_text(page(rows, asked), encoding="utf-8")


if __name__ == "__main__":
    main()
