"""The page of `view`, opened from disk in Chromium."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import time

import numpy as np
import pytest
from test_preview import EVIL, straight, with_features

import spl_gis
from spl_gis import bezier, frames
from spl_gis.checks import CODES
from spl_gis.model import control_points
from spl_gis.roll import rolls

CHROMIUM = shutil.which("chromium")
BLUE, ORANGE = (0x1F, 0x6F, 0xB2), (0xD9, 0x66, 0x0A)
"""Of the first and the second input."""
PICKED = (0xFF, 0xB3, 0x00)
"""What is picked, on a light ground."""
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 800}}


@pytest.fixture(scope="module")
def browser():
    """Start Chromium once; without it the tests are skipped, but not where all of them must run."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    if CHROMIUM is None or sync_playwright is None:
        missing = "Debian's chromium" if CHROMIUM is None else "playwright"
        assert not os.environ.get("CI"), f"{missing} is missing"
        pytest.skip(f"{missing} is missing")
    with sync_playwright() as machine:
        chromium = machine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open previews; at the end nothing may have been logged, and nothing asked for but the files."""
    pages, trouble, asked = [], [], []

    def open_page(preview, size="wide", **context):
        path = tmp_path / f"page {len(pages)} ü#.html"
        preview.save(path)
        page = browser.new_context(viewport=SIZES[size], **context).new_page()
        pages.append(page)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        settle(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert trouble == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == len(pages)


def settle(page):
    """Wait until all is drawn. (Playwright's own waiting needs eval, which the page forbids.)"""
    for _ in range(400):
        if page.evaluate("Boolean(window.preview && window.preview.settled())"):
            return
        time.sleep(0.025)
    raise AssertionError("the page is never done with drawing")


def on_canvas(page, place, graph):
    """Give the pixel of a place in the scene."""
    middle = np.round(spl_gis.view(graph, findings=()).scene.bounds.mean(axis=0))[:2]
    view = page.evaluate("(({k, x, y}) => ({k, x, y}))(window.preview.view())")
    x, y = np.asarray(place[:2]) - middle
    return view["x"] + view["k"] * x, view["y"] - view["k"] * y


def colour_at(page, x, y):
    script = """([x, y]) => {
        const canvas = document.getElementById("map"), scale = canvas.width / canvas.clientWidth;
        const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        brush.drawImage(canvas, Math.floor(x * scale), Math.floor(y * scale), 1, 1, 0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data];
    }"""
    return tuple(page.evaluate(script, [x, y]))


def alike(colour, other):
    """Tell whether a pixel is of a colour, but for what smoothing does to its edges."""
    return np.abs(np.subtract(colour[:3], other)).max() < 24


def middle_of(graph, segment):
    return bezier.evaluate(control_points(graph)[segment], 0.5)


@pytest.fixture(scope="module")
def arc():
    """Give two segments, far from straight, with features and a place on Earth."""
    graph = spl_gis.spline_graph(
        [[-200, 0, 10], [200, 0, 30], [200, -150, 30]],
        [[0, 1], [1, 2]],
        [[[0, 200, 0], [0, 200, 0]], [[0, -50, 0], [0, 50, 0]]],
    )
    frame = frames.map_frame(frames.parse_crs("EPSG:32633"), frames.parse_origin("lat=49.3,lon=14.4"))
    return dataclasses.replace(with_features(graph, name=["Arc", "Tail"], lanes=[1, 2]), crs=frame)


def test_the_town_is_drawn(opened, sample_data):
    lines = spl_gis.read(sample_data / "town.gpkg")
    graph = spl_gis.lines_to_graph(lines, spl_gis.scene_frame(lines.coords, lines.crs), fit="fast")
    page = opened(spl_gis.view(lines, graph, names=["source", "town"]))
    assert page.evaluate("window.preview.drawn()") == {"town": len(graph)}
    assert page.title() == "source, town"
    segment = int(np.argmax(bezier.length(control_points(graph))))
    place = on_canvas(page, middle_of(graph, segment), graph)
    assert colour_at(page, *place)[3] > 100, "nothing is drawn where a curve should be"


def test_curves_are_curves(opened, arc):
    page = opened(spl_gis.view(arc, findings=()))
    assert alike(colour_at(page, *on_canvas(page, middle_of(arc, 0), arc)), BLUE)
    assert colour_at(page, *on_canvas(page, [0, 0], arc))[3] == 0, "the chord is drawn"


def test_hovering_shows_segment_and_feature(opened, arc):
    page = opened(spl_gis.view(arc, names=["roads"], findings=()))
    assert page.locator("#info").is_hidden()
    page.mouse.move(*on_canvas(page, middle_of(arc, 0), arc))
    page.mouse.move(*on_canvas(page, middle_of(arc, 0) + np.array([0, 0.5, 0]), arc))
    said = page.locator("#info").inner_text()
    assert "Segment 0 of roads" in said
    length = bezier.length(control_points(arc))[0]
    for row in (f"length\n{length:.1f} m", "heights\n10 to 30 m", "feature\n100", "name\nArc", "lanes\n1"):
        assert row in re.sub(r"\s*\n\s*", "\n", said)
    page.mouse.move(700, 790)
    assert page.locator("#info").is_hidden()


def test_coordinates_in_the_scene_and_on_earth(opened, arc):
    page = opened(spl_gis.view(arc))
    x, y = on_canvas(page, [100.0, 50.0], arc)
    page.mouse.move(x, y)
    scene = re.findall(r"-?[\d.]+", page.locator("#scene").inner_text())
    assert [float(number) for number in scene] == pytest.approx([100, 50], abs=1.5)
    place = np.array([[*map(float, scene), 0.0]])
    lon, lat = frames.transform(place, arc.crs, frames.WGS84)[0, :2]
    said = re.fullmatch(r"lat (\S+), lon (\S+) \(within (\d+) mm\)", page.locator("#lonlat").inner_text())
    assert [float(said[1]), float(said[2])] == pytest.approx([lat, lon], abs=2e-7)
    assert re.fullmatch(r"Scale bar: \d+ m", page.locator("#scale").get_attribute("aria-label"))


def test_coordinates_follow_what_moves_the_map(opened, arc):
    page = opened(spl_gis.view(arc, findings=()))
    page.get_by_label("Go to segment").fill("1")
    page.get_by_role("button", name="Go", exact=True).click()
    scene = [float(number) for number in re.findall(r"-?[\d.]+", page.locator("#scene").inner_text())]
    view = page.evaluate("(({k, x, y}) => ({k, x, y}))(window.preview.view())")
    shown = on_canvas(page, scene, arc)
    size = page.evaluate("[window.preview.map.width, window.preview.map.height]")
    assert np.abs(np.array(shown) - np.array(size) / 2).max() < 0.06 * view["k"] + 1


def test_the_colour_switch(opened, arc):
    page = opened(spl_gis.view(arc))
    place = on_canvas(page, middle_of(arc, 0), arc)
    plain = colour_at(page, *place)
    page.get_by_label("Colour by").select_option(label="curvature")
    settle(page)
    assert colour_at(page, *place) != plain
    assert "radius" in page.locator("#legend").inner_text()
    page.get_by_label("Colour by").select_option(label="name")
    settle(page)
    assert page.locator("#legend li").all_inner_texts() == ["Arc\n1", "Tail\n1"]
    assert page.locator("#colour option:disabled").inner_text() == "deviation (add the source lines)"


def test_layers_go_off_and_on(opened, arc):
    page = opened(spl_gis.view(arc, findings=()))
    place = on_canvas(page, middle_of(arc, 0), arc)
    handle = on_canvas(page, [-200, 100], arc)
    assert colour_at(page, *handle)[3] == 0
    page.get_by_label("Handles").check()
    settle(page)
    assert colour_at(page, *handle)[3] > 0
    page.get_by_label("Curves").uncheck()
    settle(page)
    assert colour_at(page, *place)[3] == 0
    page.mouse.move(*place)
    assert page.locator("#info").is_hidden()


def test_the_profile_of_a_leaning_road_tells_its_roll(opened, arc):
    ups = np.array(arc.ups)
    ups[0, 1] = ups[1, 0] = np.sin(0.1), 0, np.cos(0.1)  # the road goes down south there: to its left
    leaning = dataclasses.replace(arc, ups=ups)
    page = opened(spl_gis.view(leaning, findings=()))
    page.mouse.click(*on_canvas(page, middle_of(arc, 0), arc))
    roll = rolls(leaning, np.linspace(0, 1, 25))
    assert roll.min() == pytest.approx(-np.degrees(0.1))
    said = f"roll {roll.min():.1f} to {roll.max():.1f}° (dashed)"
    assert said in page.locator("#along").inner_text()


def test_a_picked_chain_has_a_profile(opened, arc):
    page = opened(spl_gis.view(arc, findings=()))
    page.mouse.click(*on_canvas(page, middle_of(arc, 1), arc))
    settle(page)
    said = page.locator("#along").inner_text()
    assert re.match(r"Chain of 2 segments, .* heights 10 to 30 m, climbs 20 m, falls 0 m", said)
    assert page.locator("#chart canvas").count() == 1
    page.get_by_label("Close the profile").click()
    assert page.locator("#profile").is_hidden()


def test_the_keyboard_is_enough(opened, arc):
    page = opened(spl_gis.view(arc, findings=()))

    def view():
        return page.evaluate("[window.preview.view().k, window.preview.view().x]")

    k, x = view()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "map"
    page.keyboard.press("ArrowLeft")
    assert view() == pytest.approx([k, x + 80])
    page.keyboard.press("+")
    assert view()[0] == pytest.approx(1.5 * k)
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert view()[0] == pytest.approx(k / 1.5)
    page.keyboard.press("0")
    assert view() == pytest.approx([k, x])
    centre, target = np.array([640.0, page.evaluate("window.preview.map.height / 2")]), middle_of(arc, 0)
    dx, dy = centre - on_canvas(page, target, arc)
    for key, number in (
        ("ArrowRight" if dx < 0 else "ArrowLeft", abs(dx)),
        ("ArrowDown" if dy < 0 else "ArrowUp", abs(dy)),
    ):
        for _ in range(round(number / 80)):
            page.keyboard.press(key)
    for _ in range(12):  # what is left of the way is less than a step; farther out, it is less than the reach
        page.keyboard.press("-")
    page.keyboard.press("Enter")
    assert page.locator("#info h2").inner_text().startswith("Segment")
    page.keyboard.press("Escape")
    assert page.locator("#info").is_hidden()
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.type"))
    assert {"colour", "checkbox", "number", "in", "out", "fit", "theme", "map"} <= reached


def test_everything_has_a_name(opened, arc):
    page = opened(spl_gis.view(arc))
    nameless = """() => [...document.querySelectorAll("button, select, input, canvas[tabindex]")]
        .filter((each) => !each.getAttribute("aria-label") && !each.textContent.trim())
        .filter((each) => !(each.labels || []).length)
        .map((each) => each.outerHTML)"""
    assert page.evaluate(nameless) == []


def test_names_are_only_text(opened):
    graph = with_features(
        straight([[0, 0, 0], [90, 40, 0]], [[0, 1]]), **{EVIL: [EVIL], "b": ["<img src=x>"]}
    )
    finding = spl_gis.Finding("kink", "error", "$", (0.0, 0.0, 0.0), None, EVIL)
    page = opened(spl_gis.view(graph, names=[EVIL], findings=[finding], color_by=EVIL))
    page.get_by_label("Go to segment").fill("0")
    page.get_by_role("button", name="Go", exact=True).click()
    page.locator("#findings summary").click()
    assert "<img src=x>" in page.locator("#info").inner_text()
    assert "<script>" in page.locator("#findings").inner_text()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0


def test_findings_lead_to_their_place(opened, arc):
    found = [spl_gis.Finding("kink", "warning", "$.points[1]", (200.0, 0.0, 30.0), 5.0, "bends by 5 degrees")]
    page = opened(spl_gis.view(arc, findings=found))
    page.locator("#findings summary").click()
    page.get_by_role("button", name="bends by 5 degrees").click()
    settle(page)
    assert "bends by 5 degrees" in page.locator("#info").inner_text()
    x, y = on_canvas(page, [200, 0], arc)
    assert 272 < x < 1280
    assert 0 < y < 800
    said = page.locator("#info").inner_text()
    assert CODES["kink"].meaning in said and CODES["kink"].help in said
    around = [colour_at(page, x + dx, y + dy) for dx, dy in ((13, 0), (-13, 0), (0, 13), (0, -13))]
    assert any(alike(colour, PICKED) for colour in around), "no ring marks the finding"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_light_and_dark_wide_and_narrow(opened, arc, scheme, size):
    page = opened(spl_gis.view(arc, findings=()), size, color_scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = sum(map(int, re.findall(r"\d+", page.evaluate(ground))[:3])) < 200
    assert dark == (scheme == "dark")
    page.get_by_label("Light or dark").click()
    assert (sum(map(int, re.findall(r"\d+", page.evaluate(ground))[:3])) < 200) != dark
    if size == "narrow":
        assert not page.locator("#colour").is_visible(), "the panel hides the map"
        page.locator("#panel > summary").click()
    assert page.locator("#colour").is_visible()
    outside = """() => [...document.querySelectorAll("button, select, input, #status span, #panel")]
        .filter((each) => each.offsetParent !== null && each.getClientRects().length)
        .map((each) => [each.getBoundingClientRect(), each.outerHTML])
        .filter(([box]) => box.right > innerWidth || box.left < 0).map(([, text]) => text)"""
    assert page.evaluate(outside) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]


def test_graphs_that_agree_are_both_seen(opened, arc):
    page = opened(spl_gis.view(arc, arc, names=["before", "after"], findings=()))
    x, y = on_canvas(page, middle_of(arc, 0), arc)
    assert alike(colour_at(page, x, y), ORANGE)
    assert any(alike(colour_at(page, x, y + away), BLUE) for away in (-2, 2))


def test_jupyter_shows_it_in_a_frame(browser, arc, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html>{spl_gis.view(arc)._repr_html_()}", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    settle(page.frames[1])
    assert page.frames[1].evaluate("window.preview.drawn()") == {"graph": 2}
    page.close()


def test_a_finger_taps(opened, arc):
    page = opened(spl_gis.view(arc, findings=()), "narrow", has_touch=True, is_mobile=True)
    page.touchscreen.tap(*on_canvas(page, middle_of(arc, 0), arc))
    assert "name" in page.locator("#info").inner_text()


def test_empty_and_lines_alone(opened, sample_data):
    page = opened(spl_gis.view(spl_gis.spline_graph([], [], [])))
    assert page.evaluate("window.preview.drawn()") == {"graph": 0}
    lines = opened(spl_gis.view(sample_data / "town.gpkg", color_by="class"))
    assert lines.evaluate("window.preview.drawn()") == {}
    assert "motorway" in lines.locator("#legend").inner_text()
    assert lines.locator("#find").is_hidden()
