"""Measure how a page of `view` opens, moves and zooms in headless Chromium.

    python -m benchmarks.view [--segments 100000]

The graph is winding roads of 50 segments, strewn over 30 km. Frames are timed by `requestAnimationFrame` in
the page while the mouse drags, wheels and hovers; a page that froze would show a long frame. Chromium draws
on the processor here; with a graphics card it is faster. Needs playwright and /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

import spl_gis
from spl_gis.model import SplineGraph, spline_graph

ROAD = 50
RECORD = """() => {
    window.frames_ = [];
    let last = performance.now();
    const next = (now) => {
        window.frames_.push(now - last);
        last = now;
        window.timer_ = requestAnimationFrame(next);
    };
    window.timer_ = requestAnimationFrame(next);
}"""
STOP = "() => { cancelAnimationFrame(window.timer_); return window.frames_.slice(1); }"


def winding_roads(segments: int) -> SplineGraph:
    """Give roads whose direction and height drift at random."""
    roads, random = max(1, segments // ROAD), np.random.default_rng(1)
    turn = np.cumsum(random.normal(0, 0.25, (roads, ROAD + 1)), 1) + random.uniform(0, 6.3, (roads, 1))
    way = np.cumsum(60 * np.stack([np.cos(turn), np.sin(turn)], -1), 1)
    plan = random.uniform(-15_000, 15_000, (roads, 1, 2)) + way
    height = np.cumsum(random.normal(0, 2, (roads, ROAD + 1)), 1)
    points = np.concatenate([plan, height[..., None]], -1)
    number = np.arange(roads * (ROAD + 1)).reshape(roads, -1)
    ends = np.stack([number[:, :-1], number[:, 1:]], -1).reshape(-1, 2)
    slope = np.gradient(points, axis=1) / 3
    tangents = np.stack([slope[:, :-1], -slope[:, 1:]], 2).reshape(-1, 2, 3)
    return spline_graph(points.reshape(-1, 3), ends, tangents)


def settle(page: Page) -> None:
    """Wait until all is drawn."""
    while not page.evaluate("Boolean(window.preview && window.preview.settled())"):
        time.sleep(0.02)


def drag(page: Page) -> None:
    """Pull the map about."""
    page.mouse.move(700, 400)
    page.mouse.down()
    for step in range(150):
        page.mouse.move(700 + 400 * math.sin(step / 20), 400 + 200 * math.sin(step / 13))
    page.mouse.up()


def wheel(page: Page) -> None:
    """Zoom in and out again."""
    for turn in [-120] * 20 + [120] * 20:
        page.mouse.wheel(0, turn)
        time.sleep(0.03)


def hover(page: Page) -> None:
    """Move over the roads."""
    for step in range(100):
        page.mouse.move(300 + 6 * step, 200 + 4 * step)


def main() -> None:
    """Make the page, open it, and print the frames."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--segments", type=int, default=100_000)
    graph = winding_roads(parser.parse_args().segments)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as machine:
        path, start = Path(folder) / "big.html", time.perf_counter()
        spl_gis.view(graph, findings=()).save(path)
        print(
            f"{len(graph):,} segments, {path.stat().st_size / 1e6:.1f} MB, "
            f"made in {time.perf_counter() - start:.1f} s"
        )
        chromium = machine.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page, start = chromium.new_page(viewport={"width": 1280, "height": 800}), time.perf_counter()
        page.goto(path.as_uri())
        settle(page)
        drawn = page.evaluate("window.preview.drawn()")
        print(f"open and drawn after {time.perf_counter() - start:.1f} s: {drawn}")
        for job in (drag, wheel, hover):
            page.evaluate(RECORD)
            job(page)
            settle(page)
            times = np.array(page.evaluate(STOP))
            print(
                f"{job.__name__:6} {len(times):4} frames: median {np.median(times):5.1f} ms, "
                f"95 % below {np.quantile(times, 0.95):5.1f} ms, longest {times.max():5.1f} ms"
            )
        chromium.close()


if __name__ == "__main__":
    main()
