"""Measure the smooth fits: segments, speed, memory, proofs, and other programs on the same roads, in one run.

    python -m benchmarks.fitting [small large scale memory proof peers real] [--data ../shared/data]

- `small`: segments on small cases against the best known counts (found by exhaustive search over days).
- `large`: segments on whole sets against those of an uncertified prototype in C; time per vertex.
- `scale`: time per vertex from ten thousand to a million vertices, and for 60 lines of 10,000.
- `memory`: peak of a fit as a multiple of the coordinates' own size.
- `proof`: random polylines of all kinds, judged by the certificate and by the brute force of the tests.
- `peers`: npm `paper` and `fit-curve` (folder in FITTING_NODE) and `kurbopy`, where installed, judged by the
  certificate on the same chains.
- `real`: road networks in the folder `--data`.

Times are processor seconds of one thread.
"""

from __future__ import annotations

import argparse
import bisect
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pyproj

from spl_gis.fitting import fit
from spl_gis.fitting.certificate import certify
from spl_gis.fitting.chains import split
from spl_gis.fitting.curves import FitOptions
from spl_gis.formats import vector

from .fitting_data import SETS, roads

ROOT = Path(__file__).parent.parent
TOLERANCE = 0.25
METHODS = ("fast", "best")
PROOF_TOLERANCES = (0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
BEST_KNOWN = {
    "rural_10m": 44,
    "mountain_5m": 87,
    "rural_5m_n10": 36,
    "roundabout_3m": 57,
    "mountain_thin": 138,
    "rural_30m": 117,
}
PROTOTYPE = {
    "motorway_10m": 273,
    "rural_1m": 53,
    "rural_10m": 633,
    "rural_30m": 826,
    "rural_5m_n10": 735,
    "rural_5m_n30": 9283,
    "mountain_5m": 860,
    "mountain_3m_n10": 1064,
    "mountain_thin": 1386,
    "roundabout_3m": 274,
}
REAL = {
    "andorra": ("osm-andorra-mountain-dem/andorra.osm.gz", None, None),
    "frida": ("frida-osnabrueck/strassen-joined.shp", "EPSG:31467", "ISO-8859-1"),
    "cape": ("cape-roads-dem/roads_33S.shp", None, None),
    "sarthe": ("ign-sarthe-lambert93-z-dem/ROUTE.shp", None, None),
    "tartu": ("tartu-geojson-crs-utm/network_tartu_32635_.geojson", None, None),
}


def packed(lines):
    """Give coords, offsets and closed; lines that end where they start are rings."""
    offsets = np.cumsum([0] + [len(line) for line in lines])
    closed = np.array([len(line) > 3 and np.array_equal(line[0], line[-1]) for line in lines])
    return np.concatenate(lines), offsets, closed


def timed(lines, method, tolerance=TOLERANCE):
    """Give the curves and the time per vertex in microseconds."""
    start = time.process_time()
    curves = fit(*lines, method, FitOptions(tolerance=tolerance))
    return curves, (time.process_time() - start) / len(lines[0]) * 1e6


def repeated(name, number):
    """Give `number` roads of a set, over and over."""
    lines = roads(SETS[name])
    return packed((lines * (number // len(lines) + 1))[:number])


def small(args):
    """Compare with the best known counts."""
    totals = dict.fromkeys(METHODS, 0)
    for name, known in BEST_KNOWN.items():
        lines = roads(SETS[name])
        lines = packed(lines[:24] if name.startswith("round") else [line[:90] for line in lines[:14]])
        counts = {method: len(timed(lines, method)[0].controls) for method in METHODS}
        for method in METHODS:
            totals[method] += counts[method]
        print(
            f"{name:16} best known {known:4}  "
            + "  ".join(f"{m} {c:4} ({c / known:.3f})" for m, c in counts.items())
        )
    known = sum(BEST_KNOWN.values())
    print(
        f"{'all':16} best known {known:4}  "
        + "  ".join(f"{m} {c:4} ({c / known:.3f})" for m, c in totals.items())
    )


def large(args):
    """Compare with the prototype, and measure the time in batches of a thousand lines."""
    for name, which in SETS.items():
        lines = repeated(name, which.number)
        counts = {method: len(timed(lines, method)[0].controls) for method in METHODS}
        if args.quick:
            times = {}
        else:
            batch = repeated(name, 1000 if which.spacing > 1 or which.thinned else 100)
            times = {method: timed(batch, method)[1] for method in METHODS}
        known = PROTOTYPE.get(name)
        ratio = f"{counts['best'] / known:.3f}" if known else "  -  "
        print(
            f"{name:16} fast {counts['fast']:6}  best {counts['best']:6}  of prototype {ratio}  "
            + "  ".join(f"{m} {t:5.1f} us/vertex" for m, t in times.items())
        )


def scale(args):
    """Measure how time grows with the number of vertices."""
    for method in METHODS:
        sizes, seconds = [], []
        for number in (42, 420, 4200)[: 2 if args.quick else 3]:
            lines = repeated("rural_10m", number)
            per_vertex = timed(lines, method)[1]
            sizes.append(len(lines[0]))
            seconds.append(per_vertex * len(lines[0]))
            print(f"{method} {len(lines[0]):8} vertices {per_vertex:6.2f} us/vertex")
        slope = np.diff(np.log(seconds)) / np.diff(np.log(sizes))
        heading = np.cumsum(np.random.default_rng(1).normal(0, 0.05, (60, 10_000)), axis=1)
        steps = np.stack([np.cos(heading), np.sin(heading), np.zeros_like(heading)], axis=2) * 5
        whole = packed(list(np.cumsum(steps, axis=1)))
        short = packed([run for line in np.cumsum(steps, axis=1) for run in np.array_split(line, 100)])
        ratio = timed(whole, method)[1] / timed(short, method)[1]
        print(f"{method} slopes {slope.round(3)}; 60 lines of 10,000 to 6,000 of 100: {ratio:.2f} times")


def memory(args):
    """Measure the peak of memory."""
    for method in METHODS:
        lines = repeated("rural_10m", 2100 if args.quick else 4200)
        tracemalloc.start()
        fit(*lines, method, FitOptions(tolerance=TOLERANCE))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"{method} {len(lines[0])} vertices: peak {peak / lines[0].nbytes:.1f} times the coordinates")


def proof(args):
    """Look for fits that break their promise: random and real polylines, most of them short as roads are.

    A round fits 2000 random and 3000 real polylines with both methods; it depends on its number only.
    """
    sys.path.insert(0, str(ROOT / "tests"))
    from random_polylines import check_fit, random_polylines

    real = [line for _, lines in networks(args.data) for line in lines]
    number = broken = 0
    for seed in range(args.rounds):
        options = FitOptions(tolerance=PROOF_TOLERANCES[seed % len(PROOF_TOLERANCES)])
        rng = np.random.default_rng(seed)
        sizes = (6, 12, 6, 40, 6, 12) * 10 + (150,)
        batches = [random_polylines(rng, 2000, bool(seed // 8 % 2), sizes)]
        if real:
            batches.append(packed([real[i] for i in rng.integers(0, len(real), 3000)]))
        for method in METHODS:
            for lines in batches:
                number += len(lines[2])
                try:
                    check_fit(method, lines, options, judged=10**6)
                except AssertionError as error:
                    broken += 1
                    print(method, "seed", seed, "tolerance", options.tolerance, error, flush=True)
        print(
            f"{seed + 1} rounds: {number} fitted polylines, {broken} batches with violations, "
            f"{time.process_time():.0f} s",
            flush=True,
        )


def judged(chains, controls, offsets, tolerance):
    """Give how many chains the certificate does not pass; chains (coords, offsets, allowance)."""
    coords, runs, allowance = chains
    verdict = certify(coords, runs, controls, offsets, allowance, tolerance)
    return int((~np.logical_and.reduceat(verdict.passed, offsets[:-1])).sum())


def smooth_chains(lines):
    """Give the chains between corners, each from its own origin, and their allowances."""
    coords, offsets, closed = lines
    stops = np.zeros(len(coords), bool)
    chains = split(coords, offsets, closed, FitOptions(tolerance=TOLERANCE), stops)
    starts = np.repeat(coords[chains.vertex[chains.offsets[:-1]]], np.diff(chains.offsets), axis=0)
    return coords[chains.vertex] - starts, chains.offsets, chains.ring, chains.allowance


def peers(args):
    """Compare with other programs on the same chains, judged by the certificate."""
    for name in ("rural_10m", "mountain_5m", "mountain_thin", "rural_5m_n10", "roundabout_3m"):
        compared(name, repeated(name, 40 if args.quick else 1000), args)


def compared(name, lines, args):
    """Print segments, violations and time of all fits on the chains of some lines."""
    coords, offsets, ring, allowance = smooth_chains(lines)
    chains = coords, offsets, allowance
    plain = [coords[a:b, :2].tolist() for a, b in zip(offsets[:-1], offsets[1:])]
    for method in METHODS:
        curves, micro = timed((coords, offsets, ring), method)
        bad = judged(chains, curves.controls, curves.offsets, TOLERANCE)
        tell(name, method, len(curves.controls), bad, len(ring), micro)
    for peer, run in {"paper": node, "fit-curve": node, "kurbopy": kurbopy_fit}.items():
        result = run(peer, plain)
        if result is None:
            print(f"{name:16} {peer:10} is not installed")
            continue
        fitted, seconds = result
        whole = [
            curve if len(curve) else [np.linspace(line[0], line[-1], 4)] for curve, line in zip(fitted, plain)
        ]
        controls = np.zeros((sum(map(len, whole)), 4, 3))
        controls[:, :, :2] = np.concatenate([np.array(curve, float) for curve in whole])
        bad = judged(chains, controls, np.cumsum([0, *map(len, whole)]), TOLERANCE)
        tell(name, peer, len(controls), bad, len(ring), seconds / len(coords) * 1e6)


def tell(name, method, segments, bad, chains, micro):
    """Print a row of the comparison."""
    violated = f"{bad:5} of {chains} chains violated"
    print(f"{name:16} {method:10} {segments:6} segments, {violated}, {micro:6.1f} us/vertex", flush=True)


def node(which, lines):
    """Fit with a package of npm."""
    if "FITTING_NODE" not in os.environ:
        return None
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "in.json", Path(folder) / "out.json"
        given.write_text(json.dumps({"which": which, "tolerance": TOLERANCE, "lines": lines}))
        subprocess.run(["node", ROOT / "benchmarks" / "fitting_peers.mjs", given, got], check=True)
        result = json.loads(got.read_text())
    return result["curves"], result["seconds"]


class SmoothSource:
    """What kurbopy fits: a cubic for each edge, with the directions of circles through three vertices."""

    def __init__(self, vertices):
        vertices = np.array(vertices)
        edges = np.diff(vertices, axis=0)
        sizes = np.hypot(*edges.T)
        unit = edges / sizes[:, None]
        inner = unit[:-1] * sizes[1:, None] + unit[1:] * sizes[:-1, None]
        directions = np.concatenate([unit[:1], inner, unit[-1:]])
        directions /= np.hypot(*directions.T)[:, None]
        self.arc = np.append(0.0, np.cumsum(sizes)).tolist()
        third = sizes[:, None] / 3
        self.controls = np.stack(
            [
                vertices[:-1],
                vertices[:-1] + third * directions[:-1],
                vertices[1:] - third * directions[1:],
                vertices[1:],
            ],
            1,
        )

    def sample_pt_deriv(self, t):
        """Give place and derivative."""
        from kurbopy import Point, Vec2

        at = t * self.arc[-1]
        k = min(max(bisect.bisect_right(self.arc, at) - 1, 0), len(self.controls) - 1)
        size = self.arc[k + 1] - self.arc[k]
        v = (at - self.arc[k]) / size
        p, d = self.controls[k], np.diff(self.controls[k], axis=0) * 3 * self.arc[-1] / size
        w = 1 - v
        place = w**3 * p[0] + 3 * w * w * v * p[1] + 3 * w * v * v * p[2] + v**3 * p[3]
        return Point(*place.tolist()), Vec2(*(w * w * d[0] + 2 * w * v * d[1] + v * v * d[2]).tolist())

    def sample_pt_tangent(self, t, sign):
        """Give place and tangent."""
        return self.sample_pt_deriv(t)

    def break_cusp(self, *span):
        """Say that there is no cusp."""


def kurbopy_fit(which, lines):
    """Fit with kurbopy."""
    try:
        import kurbopy
    except ImportError:
        return None
    curves, seconds = [], 0.0
    for line in lines:
        source = SmoothSource(line)
        start = time.process_time()
        path = kurbopy.fit_to_bezpath(source, TOLERANCE)
        seconds += time.process_time() - start
        parts = [part.as_cubic() if hasattr(part, "as_cubic") else part for part in path.segments()]
        curves.append([[[p.x, p.y] for p in (c.p0, c.p1, c.p2, c.p3)] for c in parts])
    return curves, seconds


def networks(data):
    """Give name and lines, in metres and in plan, of each real network that is there."""
    for name, (path, crs, encoding) in REAL.items():
        if not (data / path).exists():
            print(f"{name}: {data / path} is not here")
            continue
        source = vector.read(data / path, source_crs=crs, encoding=encoding)
        plan = source.coords[:, :2]
        if source.crs.is_geographic:
            zone = f"EPSG:{32601 + int((plan[0, 0] + 180) // 6)}"
            plan = np.column_stack(
                pyproj.Transformer.from_crs(source.crs, zone, always_xy=True).transform(*plan.T)
            )
        lines = []
        for a, b in zip(source.offsets[:-1], source.offsets[1:]):
            line = np.column_stack([plan[a:b], np.zeros(b - a)])
            line = line[np.append(True, (np.diff(line, axis=0) != 0).any(axis=1))]
            if len(line) > 1:
                lines.append(line)
        yield name, lines


def real(args):
    """Compare on real networks."""
    for name, lines in networks(args.data):
        compared(name, packed(lines), args)


SECTIONS = {section.__name__: section for section in (small, large, scale, memory, proof, peers, real)}


def main() -> None:
    """Run the sections asked for, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="what to measure (default: all)")
    parser.add_argument(
        "--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of real networks"
    )
    parser.add_argument("--rounds", type=int, default=10, help="rounds of `proof`, 10,000 fits each")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    args = parser.parse_args()
    for name in args.sections or SECTIONS:
        print(f"-- {name}", flush=True)
        SECTIONS[name](args)


if __name__ == "__main__":
    main()
