"""Pictures of graphs: what they hold, what they are coloured by, and how they are written."""

from __future__ import annotations

import base64
import dataclasses
import html
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS
from test_cli import done, refused

import spl_gis
from spl_gis import frames
from spl_gis.cli.view import view_command
from spl_gis.convert import keep_source
from spl_gis.errors import (
    FileAccessError,
    GeoreferenceError,
    GraphError,
    MissingDependencyError,
    OptionError,
)
from spl_gis.model import Column, Features, LineStrings, control_points, spline_graph
from spl_gis.preview import drawing_of, page
from spl_gis.preview.measures import measure
from spl_gis.preview.place import lonlat

UTM = CRS(32633)
KINDS = {"f4": "<f4", "u4": "<u4", "i4": "<i4", "u1": "u1"}
EVIL = "</script><script>window.hacked = 1</script><!--\u2028\u2029"


def straight(points, ends, **rest):
    """Give a graph whose segments are straight."""
    chord = np.diff(np.asarray(points, float)[np.asarray(ends)], axis=1)[:, 0] / 3
    return spline_graph(points, ends, np.stack([chord, -chord], axis=1), **rest)


def with_features(graph, **columns):
    """Give each segment a feature of its own."""
    rows = np.arange(len(graph))
    none = np.zeros(len(graph), bool)
    made = {
        name: Column(np.array(values), none, "Integer" if np.array(values).dtype.kind == "i" else "String")
        for name, values in columns.items()
    }
    return dataclasses.replace(
        graph, line=rows, line_feature=rows, line_part=0 * rows - 1, features=Features(rows + 100, made)
    )


def data_of(preview):
    """Give what a page tells its scripts, with arrays unpacked."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', preview.html(), re.DOTALL)
    return json.loads(text[1], object_hook=_unpack)


def _unpack(part):
    if set(part) == {"type", "data"}:
        return np.frombuffer(base64.b64decode(part["data"]), KINDS[part["type"]])
    return part


@pytest.fixture(scope="module")
def town():
    lines = spl_gis.read(Path(__file__).parent.parent / "sample_data" / "town.gpkg")
    graph = spl_gis.lines_to_graph(lines, spl_gis.scene_frame(lines.coords, lines.crs), fit="fast")
    return lines, graph


def test_the_page_holds_the_graph(town):
    _, graph = town
    data = data_of(spl_gis.view(graph))
    shown = data["inputs"][0]
    middle = np.array(data["middle"])
    assert np.array_equal(shown["ends"].reshape(-1, 2), graph.ends)
    assert np.allclose(shown["points"].reshape(-1, 3) + middle, graph.points, atol=1e-4, rtol=0)
    assert np.allclose(shown["tangents"].reshape(-1, 2, 3), graph.tangents, rtol=1e-6)
    assert np.array_equal(shown["feature"], graph.line_feature[graph.line])
    assert sorted(shown["runs"]["segment"]) == list(range(len(graph)))
    name = shown["features"]["columns"]["name"]
    assert name["values"][name["index"][0]] == graph.features.columns["name"].values[0]


def test_the_page_asks_for_nothing_outside_itself(town):
    text = spl_gis.view(town[1]).html()
    head = text[: text.index("<style>")]
    assert "default-src 'none'" in head
    markup = re.sub(r"<(script|style|pre)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)=\"(?!data:)", markup) == []
    assert "@import" not in text
    for library in ("flatbush 4", "uplot 1", "d3-zoom 3"):
        assert library in text, "the licence of a library is missing"


def test_what_a_feature_is_called_is_never_markup():
    graph = with_features(straight([[0, 0, 0], [9, 0, 0]], [[0, 1]]), **{EVIL: [EVIL]})
    tame = with_features(straight([[0, 0, 0], [9, 0, 0]], [[0, 1]]), name=["tame"])
    preview = spl_gis.view(
        graph, names=[EVIL], findings=[spl_gis.Finding("kink", "note", EVIL, None, None, EVIL)]
    )
    text = preview.html()
    assert text.count("<script") == spl_gis.view(tame).html().count("<script")
    assert text.count("</script") == text.count("<script")
    assert "\u2028" not in text[text.index('id="data"') :]
    data = data_of(preview)
    assert data["inputs"][0]["features"]["columns"][EVIL]["values"] == [EVIL]
    assert (data["title"], data["findings"][0]["message"]) == (EVIL, EVIL)


def test_a_placeholder_in_the_data_stays_what_it_is():
    graph = with_features(straight([[0, 0, 0], [9, 0, 0]], [[0, 1]]), name=["@@scripts@@ @@"])
    values = data_of(spl_gis.view(graph))["inputs"][0]["features"]["columns"]["name"]["values"]
    assert values == ["@@scripts@@ @@"]


def test_jupyter_gets_the_same_page(town):
    preview = spl_gis.view(town[1])
    frame = re.fullmatch(
        r'<iframe title="(.*?)" srcdoc="(.*?)" style="[^"]*"></iframe>', preview._repr_html_(), re.DOTALL
    )
    assert html.unescape(frame[2]) == preview.html()


def test_source_and_result_lie_over_each_other(town):
    lines, graph = town
    lonlat_lines = dataclasses.replace(
        lines, coords=frames.transform(lines.coords, lines.crs, frames.WGS84), crs=frames.WGS84
    )
    other = spl_gis.reproject(
        graph, frames.map_frame(CRS(3035), frames.parse_origin("lat=49.3,lon=14.4"), 30.0)
    )
    for data in data_of(spl_gis.view(graph, lonlat_lines, other)), data_of(spl_gis.view(lonlat_lines, graph)):
        shown = {(each["kind"], at): each for at, each in enumerate(data["inputs"])}
        source = next(each for (kind, _), each in shown.items() if kind == "lines")
        scene = frames.transform(lines.coords, lines.crs, graph.crs) - data["middle"]
        assert np.allclose(source["coords"].reshape(-1, 2), scene[:, :2], atol=2e-3, rtol=0)
        for (kind, _), each in shown.items():
            if kind == "graph":
                assert np.allclose(
                    each["points"].reshape(-1, 3), graph.points - data["middle"], atol=2e-3, rtol=0
                )


def test_lines_alone_are_shown_in_metres(town):
    lines, _ = town
    wgs = dataclasses.replace(
        lines, coords=frames.transform(lines.coords, lines.crs, frames.WGS84), crs=frames.WGS84
    )
    data = data_of(spl_gis.view(wgs))
    size = np.ptp(data["bounds"], axis=0)
    assert np.allclose(size[:2], np.ptp(lines.coords, axis=0)[:2], rtol=1e-3)
    assert [each["name"] for each in data["colourings"]][:2] == ["input", "name"]


def test_the_kept_source_is_shown(town):
    lines, graph = town
    preview = spl_gis.view(keep_source(graph, lines), color_by="deviation")
    assert [each.kind for each in preview.scene.shown] == ["lines", "graph"]
    assert preview.scene.title == graph.features.layer


def test_a_scene_without_a_place_has_no_latitude(sample_data):
    data = data_of(spl_gis.view(sample_data / "bridge.spl"))
    assert data["place"] is None
    assert data["frame"] == "the scene has no place on Earth"


def test_with_and_without_a_place_do_not_mix(sample_data, town):
    with pytest.raises(
        GeoreferenceError, match=r"bridge\.spl cannot be shown .*: it does not say where it is; pass --frame"
    ):
        spl_gis.view(town[1], sample_data / "bridge.spl")
    with pytest.raises(GeoreferenceError, match="it has a place on Earth, and they do not"):
        spl_gis.view(sample_data / "bridge.spl", town[0])
    placed = spl_gis.view(sample_data / "bridge.spl", town[0], frame=town[1].crs)
    assert placed.scene.crs == town[1].crs


@pytest.mark.parametrize("suffix", [".html", ".svg", ".png"])
@pytest.mark.parametrize("segments", [0, 1])
def test_small_graphs(tmp_path, suffix, segments):
    graph = straight(
        [[0, 0, 0], [9, 4, 1]][: 2 * segments], np.zeros((0, 2), int) if not segments else [[0, 1]]
    )
    preview = spl_gis.view(graph)
    preview.save(tmp_path / f"small{suffix}")
    assert (tmp_path / f"small{suffix}").stat().st_size > 1000
    assert len(data_of(preview)["inputs"][0]["ends"]) == 2 * segments


def test_far_from_the_origin_nothing_is_lost():
    near = straight([[0, 0, 0], [9, 4, 1]], [[0, 1]])
    far = dataclasses.replace(near, points=near.points + np.array([5e6, -4e6, 0]))
    points = data_of(spl_gis.view(far))["inputs"][0]["points"].reshape(-1, 3)
    assert np.allclose(points[1] - points[0], [9, 4, 1], atol=1e-5)


def test_what_no_picture_can_show_is_refused():
    graph = straight([[0, 0, 0], [1e200, 0, 0]], [[0, 1]])
    with pytest.raises(GraphError, match=r"1e\+200 m, which no picture can show: 'spl-gis check'"):
        spl_gis.view(graph)
    with pytest.raises(OptionError, match="nothing to show"):
        spl_gis.view()


def test_measures_of_an_arc_on_a_slope():
    k = 4 / 3 * np.tan(np.pi / 8) * 50
    up = np.array([0.0, np.sin(np.radians(5)), np.cos(np.radians(5))])
    arc = spline_graph(
        [[50, 0, 0], [0, 50, 4], [0, 150, 4]],
        [[0, 1], [1, 2]],
        [[[0, k, 0], [k, 0, 0]], [[0, 30, 0], [0, -30, 0]]],
        [[[0, 0, 1], [0, 0, 1]], [up * [0, 1, 1], up * [0, 1, 1]]],
    )
    leaning = dataclasses.replace(arc, ups=np.array([[[0, 0, 1]] * 2, [[up[1], 0, up[2]]] * 2], float))
    source = LineStrings([[0, 50, 0], [3, 150, 0]], [0, 2], [0], [-1], Features([0]))
    found = measure(leaning, [source])
    assert found.radius[0] == pytest.approx(50, rel=0.01)
    assert found.radius[1] == np.inf
    assert found.length[1] == pytest.approx(100)
    assert found.roll[1] == pytest.approx(5)  # up leans east, which is right of north
    assert found.deviation[1] == pytest.approx(3 * np.cos(np.arctan2(3, 100)), rel=1e-6)
    assert measure(arc, []).deviation is None
    ramp = straight([[0, 0, 0], [30, 40, 5], [30, 40, 25]], [[0, 1], [1, 2]])
    assert measure(ramp, []).grade.tolist() == [pytest.approx(10), np.inf]
    assert np.isnan(measure(ramp, []).roll[1])  # upright: neither left nor right


def test_values_seen_most_have_their_own_colour():
    ends = [[i, i + 1] for i in range(40)]
    graph = straight([[10 * i, 0, 0] for i in range(41)], ends)
    names = [f"n{min(i, 11)}" for i in range(40)]
    preview = spl_gis.view(with_features(graph, name=names, lanes=list(np.arange(40)), few=[1, 2] * 20))
    found = {each.name: each for each in preview.colourings}
    assert found["name"].labels[0] == "n11"
    assert found["name"].labels[-1] == "4 other values"
    assert (
        len(found["name"].labels) == len(found["name"].colours.light) == len(found["name"].colours.dark) == 9
    )
    assert found["few"].labels == ["1", "2"]
    lanes = found["lanes"].classes(0, preview.scene.shown[0])
    assert len(found["lanes"].labels) == 7
    assert np.bincount(lanes).tolist() == pytest.approx([40 / 7] * 7, abs=2)
    assert (np.diff(lanes) >= 0).all()


def test_a_field_named_like_a_measure_is_told_apart():
    graph = with_features(straight([[0, 0, 0], [9, 0, 0]], [[0, 1]]), grade=["steep"])
    names = [each.name for each in spl_gis.view(graph).colourings]
    assert names == ["input", "curvature", "grade", "roll", "field grade"]


def test_what_there_is_to_colour_by_is_listed(town):
    with pytest.raises(OptionError, match="'colour'; there are: input, curvature, grade, roll, name"):
        spl_gis.view(town[1], color_by="colour")
    with pytest.raises(OptionError, match="it needs the source lines"):
        spl_gis.view(town[1], color_by="deviation")
    assert spl_gis.view(town[1], town[0], color_by="deviation").colouring.name == "deviation"


@given(
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.sampled_from([100.0, 5e3, 5e4]),
    st.sampled_from([0.0, 179.99, 60.0]),
)
def test_latitude_and_longitude_are_as_near_as_they_say(x, y, size, lon):
    frame = frames.map_frame(CRS(f"+proj=tmerc +lon_0={lon} +datum=WGS84 +units=m"), frames.Origin(0.0, 5e6))
    bounds = np.array([[-size, -size, 0.0], [size, size, 0.0]])
    fit = lonlat(frame, bounds)
    place = np.array([[x * size, y * size]])
    exact = frames.transform(np.column_stack([place, [0.0]]), frame, frames.WGS84)[0]
    miss = fit.at(place)[0] - exact[:2]
    miss[0] = (miss[0] + 180) % 360 - 180
    metres = np.hypot(miss[0] * np.cos(np.radians(exact[1])), miss[1]) * 111_320
    assert metres <= 2 * fit.error + 1e-6


def test_a_map_too_large_for_a_polynomial_says_so(town):
    far = dataclasses.replace(town[1], points=town[1].points + np.array([9e6, 0.0, 0.0]))
    data = data_of(spl_gis.view(town[1], far, findings=()))
    assert data["place"] is None and data["nowhere"] == "the map is too large for latitude and longitude"


def test_a_picture_appears_whole_or_not_at_all(tmp_path, town, monkeypatch):
    preview = spl_gis.view(town[1])
    for suffix in (".html", ".svg"):
        path = tmp_path / f"town{suffix}"
        path.write_text("mine")
        with pytest.raises(FileAccessError, match="--overwrite"):
            preview.save(path)
        assert path.read_text() == "mine"
    with pytest.raises(FileAccessError):
        preview.save(tmp_path / "missing" / "town.html")
    with pytest.raises(OptionError, match=r"\.html, \.svg, \.png"):
        preview.save(tmp_path / "town.pdf")
    monkeypatch.setattr(page, "payload", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        preview.save(tmp_path / "broken.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["town.html", "town.svg"]


def test_the_drawing_is_made_of_beziers(tmp_path, town):
    _, graph = town
    preview = spl_gis.view(graph)
    for name in ("one.svg", "two.svg"):
        preview.save(tmp_path / name)
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    paths = re.findall(r'<path d="([^"]*)"[^>]*style="fill: none; stroke: #1f6fb2', text)
    assert sum(path.count("C ") for path in paths) == len(graph)
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    preview.save(tmp_path / "town.png")
    assert (tmp_path / "town.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_legend_of_a_drawing_explains_its_marks(town):
    preview = spl_gis.view(town[1])
    assert {each.severity for each in preview.scene.findings} == {"warning", "note"}
    legend = drawing_of(preview.scene, preview.colouring).axes[0].get_legend()
    assert "warning of check" in [text.get_text() for text in legend.get_texts()]
    preview = spl_gis.view(town[1], findings=())
    assert drawing_of(preview.scene, preview.colouring).axes[0].get_legend() is None


def test_letters_without_a_glyph_are_said_not_warned(tmp_path):
    graph = with_features(
        straight([[0, 0, 0], [9, 0, 0], [9, 9, 0]], [[0, 1], [1, 2]]), name=["北通り", "$x$"]
    )
    report = spl_gis.Report()
    spl_gis.view(graph, color_by="name", report=report).save(tmp_path / "kanji.png")
    assert len(report.notes) <= 1  # none where matplotlib has a font for it
    assert report.warnings == []


def test_without_matplotlib_it_says_what_to_install(tmp_path, town, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'spl-gis\[view\]'"):
        spl_gis.view(town[1]).save(tmp_path / "town.svg")
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_draws(sample_data, tmp_path):
    town, page_path = tmp_path / "town.spl", tmp_path / "town.html"
    done("convert", sample_data / "town.gpkg", town, "--fit", "fast")
    said = done("view", sample_data / "town.gpkg", town, page_path, "--color-by", "deviation")
    assert "town.gpkg: lines 19" in said
    assert re.search(r"town.spl: segments \d+", said)
    assert "exists" in refused("view", town, page_path)


def viewed(*words):
    """Run `view` in this process."""
    return CliRunner().invoke(view_command, [str(word) for word in words])


def test_the_command_line_refuses_what_it_cannot_draw(town, tmp_path):
    graph, page_path = tmp_path / "town.spl", tmp_path / "town.html"
    spl_gis.write(town[1], graph)
    for words, said in {
        (graph, tmp_path / "town.pdf"): "must end in one of",
        (page_path,): r"IN\.\.\. OUT\.html",
        (graph, page_path, "--layer", "a"): "--layer does nothing",
        (graph, page_path, "--frame", graph): "--frame does nothing",
    }.items():
        result = viewed(*words)
        assert isinstance(result.exception, OptionError) and re.search(said, str(result.exception))
    assert not page_path.exists()
    assert viewed(graph, page_path, "--quiet", "--no-check").output == ""
    assert viewed(graph, page_path, "--overwrite").output.startswith(str(page_path))


def test_one_file_twice_is_two_inputs(tmp_path, town):
    spl_gis.write(town[1], tmp_path / "town.spl")
    said = viewed(tmp_path / "town.spl", tmp_path / "town.spl", tmp_path / "town.html").output
    assert said.count("town.spl: segments") == 2


def test_rejects_are_drawn_whatever_they_are(tmp_path):
    collection = {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "properties": {"n": number}, "geometry": geometry}
            for number, geometry in enumerate(
                [
                    {"type": "LineString", "coordinates": [[14.0, 49.0], [14.01, 49.0]]},
                    {"type": "Point", "coordinates": [14.0, 49.001]},
                    {"type": "Polygon", "coordinates": [[[14, 49], [14.01, 49], [14.01, 49.01], [14, 49]]]},
                    {"type": "LineString", "coordinates": [[14.0, 49.0], [14.0, 49.0]]},
                    None,
                ]
            )
        ],
    }
    source, graph, out = tmp_path / "in.geojson", tmp_path / "a.spl", tmp_path / "a.html"
    source.write_text(json.dumps(collection))
    done("convert", source, graph, "--rejects", tmp_path / "rejects.gpkg")
    said = done("view", graph, tmp_path / "rejects.gpkg", out)
    assert "rejected parts 3" in said
    rejected = spl_gis.view(tmp_path / "rejects.gpkg").scene.shown[0]
    assert rejected.data.features.fid[rejected.data.feature].size == 3
    assert np.diff(rejected.data.offsets).tolist() == [2, 4, 2]


def test_no_script_of_the_page_is_left_out():
    folder = Path(page.__file__).parent / "page"
    assert {path.stem for path in folder.glob("*.js")} == {*page.SCRIPTS, "libraries.min"}


def test_pictures_in_the_documentation_are_small():
    folder = Path(__file__).parent.parent / "docs" / "pictures"
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert {"page.png", "frida.png", "andorra.png"} <= set(sizes)
    assert max(sizes.values()) < 200_000


def test_findings_are_those_of_check_unless_others_are_given():
    graph = straight([[0, 0, 0], [9, 0, 0], [9, 0, 0], [18, 0, 0]], [[0, 1], [2, 3]])
    found = spl_gis.check(graph)
    assert found
    preview = spl_gis.view(graph)
    assert preview.scene.findings == found
    assert spl_gis.view(graph, findings=()).scene.findings == []
    places = [each["place"] for each in data_of(preview)["findings"]]
    middle = data_of(preview)["middle"]
    assert [None if p is None else p[0] + middle[0] for p in places] == [
        f.place and f.place[0] for f in found
    ]


def test_a_bezier_of_the_page_is_that_of_the_graph(town):
    """Start + tangent and end + tangent: the page knows no other rule."""
    _, graph = town
    shown = data_of(spl_gis.view(graph))["inputs"][0]
    points, ends = shown["points"].reshape(-1, 3).astype(float), shown["ends"].reshape(-1, 2)
    handles = points[ends] + shown["tangents"].reshape(-1, 2, 3)
    middle = data_of(spl_gis.view(graph))["middle"]
    assert np.allclose(handles, control_points(graph)[:, 1:3] - middle, atol=1e-4)
