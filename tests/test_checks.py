"""What `check` finds: a gallery of broken files, one for each code; and what it says of sound ones."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import spl_gis
from spl_gis import bezier, flatten
from spl_gis.checks import CODES, SEVERITIES, Limits, lonlat
from spl_gis.checks.curves import self_crossings
from spl_gis.errors import FormatError, GraphError, OptionError
from spl_gis.formats import sidecar, spl
from spl_gis.formats.checked import check_file

UP = [0.0, 0.0, 1.0]


def segment(start, end, start_tangent, end_tangent, start_up=UP, end_up=UP):
    return {
        "start_index": start,
        "start_tangent": start_tangent,
        "start_up": list(start_up),
        "end_index": end,
        "end_tangent": end_tangent,
        "end_up": list(end_up),
    }


def straight(points, start, end, **more):
    chord = [(b - a) / 3 for a, b in zip(points[start], points[end])]
    return {**segment(start, end, chord, [-number for number in chord]), **more}


def sound():
    """Two straight segments through one point."""
    points = [[0.0, 0.0, 0.0], [30.0, 0.0, 0.0], [60.0, 0.0, 0.0]]
    return {"points": points, "segments": [straight(points, 0, 1), straight(points, 1, 2)]}


def changed(*path_and_value):
    """Change one value of the sound file."""
    *path, value = path_and_value
    document = sound()
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


def curve(start_tangent, end_tangent, end=(30.0, 0.0, 0.0), **more):
    points = [[0.0, 0.0, 0.0], list(end)]
    return {"points": points, "segments": [{**segment(0, 1, start_tangent, end_tangent), **more}]}


def lines(*ends):
    """Straight segments, each with its own two points."""
    points = [list(point) for pair in ends for point in pair]
    return {
        "points": points,
        "segments": [straight(points, 2 * row, 2 * row + 1) for row in range(len(ends))],
    }


def bend(degrees):
    document = sound()
    turn = math.radians(degrees)
    document["points"][2] = [30 + 30 * math.cos(turn), 30 * math.sin(turn), 0.0]
    document["segments"][1] = straight(document["points"], 1, 2)
    return document


def with_segment(extra):
    document = sound()
    document["segments"].append(extra)
    return document


ACROSS = ((0.0, -10.0, 0.0), (0.0, 10.0, 0.0))

GALLERY = {
    "broken-value": (changed("segments", 0, "start_tangent", "north"), "$.segments[0].start_tangent"),
    "non-finite": (changed("points", 1, 2, math.nan), "$.points[1][2]"),
    "bad-index": (changed("segments", 1, "end_index", 3), "$.segments[1].end_index"),
    "unknown-key": (changed("colour", "red"), "$"),
    "zero-handle": (changed("segments", 0, "end_tangent", [0.0, 0.0, 0.0]), "$.segments[0].end_tangent"),
    "backward-handle": (curve([30.0, 0, 0], [20.0, 20, 0], (100.0, 0.0, 0.0)), "$.segments[0].end_tangent"),
    "zero-length": (
        {
            "points": [[0.0, 0, 0], [0.0004, 0, 0]],
            "segments": [segment(0, 1, [0.0001, 0, 0], [-0.0001, 0, 0])],
        },
        "$.segments[0]",
    ),
    "self-loop": (with_segment(segment(2, 2, [10.0, 10.0, 0], [10.0, -10.0, 0])), "$.segments[2]"),
    "duplicate": (
        with_segment(segment(1, 0, [-10.0, 0, 0], [10.0, 0, 0])),
        "$.segments[2]",
    ),
    "loop": (curve([50.0, 20, 0], [-50.0, 20, 0]), "$.segments[0]"),
    "cusp": (curve([30.0, 20, 0], [-30.0, 20, 0]), "$.segments[0]"),
    "overshoot": (curve([0.0, 50, 0], [0.0, 50, 0]), "$.segments[0]"),
    "kink": (bend(20), "$.points[1]"),
    "tight-curve": (curve([28.0, 20, 0], [-28.0, 20, 0]), "$.segments[0]"),
    "unwelded": (
        lines(((0.0, 0, 0), (30.0, 0, 0)), ((30.0, 0, 0), (60.0, 0, 0))),
        "$.points[1]",
    ),
    "near-miss": (lines(((-20.0, 0, 0), (20.0, 0, 0)), ((0.0, 0.3, 0), (0.0, 20, 0))), "$.points[2]"),
    "unreferenced-point": (changed("points", [*sound()["points"], [5.0, 5.0, 5.0]]), "$.points[3]"),
    "crossing": (lines(((-20.0, 0, 1), (20.0, 0, 1)), ACROSS), "$.segments[0]"),
    "overpass": (lines(((-20.0, 0, 6), (20.0, 0, 6)), ACROSS), "$.segments[0]"),
    "zero-up": (changed("segments", 0, "start_up", [0.0, 0.0, 0.0]), "$.segments[0].start_up"),
    "up-not-unit": (changed("segments", 1, "end_up", [0.0, 0.0, 2.0]), "$.segments[1].end_up"),
    "parallel-up": (changed("segments", 1, "end_up", [1.0, 0.0, 0.0]), "$.segments[1].end_up"),
    "up-flip": (changed("segments", 1, "end_up", [0.0, 0.0, -1.0]), "$.segments[1]"),
    "short-segment": (curve([0.02, 0, 0], [-0.02, 0, 0], (0.06, 0.0, 0.0)), "$.segments[0]"),
    "long-segment": (curve([500.0, 0, 0], [-500.0, 0, 0], (1500.0, 0.0, 0.0)), "$.segments[0]"),
    "steep": (curve([10.0, 0, 5], [-10.0, 0, -5], (30.0, 0.0, 15.0)), "$.segments[0]"),
    "float32-loss": (lines(((9e5 + 0.03, 0, 0), (9e5 + 30, 0, 0))), "$.points[0]"),
    "far-from-origin": (lines(((12000.0, 0, 0), (12030.0, 0, 0))), "$.points[1]"),
    "sidecar-unreadable": (sound(), "$"),
    "sidecar-foreign": (sound(), "$"),
    "sidecar-changed": (sound(), "$"),
}
"""A broken file for each code, and the JSON path at which it is found."""

ALSO = {
    "duplicate": {"kink"},
    "float32-loss": {"far-from-origin"},
    "zero-length": {"unwelded"},
}
"""What is found besides, because one cannot be without the other."""


def written(folder, document, name="broken.spl"):
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def put_sidecar(path, code):
    """Lay a sidecar beside a file that is unreadable, of another file, or of another state."""
    if not code.startswith("sidecar"):
        return
    beside = sidecar.beside(path)
    if code == "sidecar-unreadable":
        beside.write_text("{")
        return
    document = sound()
    if code == "sidecar-foreign":
        document["points"] = [[x + 500, y, z] for x, y, z in document["points"]]
    else:
        document["points"][2][1] += 1.0
    sidecar.write(spl.decode(json.dumps(document).encode()), beside)


def test_no_code_lacks_its_broken_file():
    assert set(GALLERY) == set(CODES)


@pytest.mark.parametrize("code", GALLERY)
def test_gallery(code, tmp_path):
    document, where = GALLERY[code]
    path = written(tmp_path, document)
    put_sidecar(path, code)
    graph, found = check_file(path)
    one = next(some for some in found if some.code == code)
    assert one.path == where
    assert one.severity == CODES[code].severity
    assert one.message and "nan" not in one.message.replace("NaN", "")
    assert (graph is None) == (code in ("broken-value", "non-finite", "bad-index"))
    assert {some.code for some in found} <= {code} | ALSO.get(code, set())
    if one.value is not None:
        assert math.isfinite(one.value)


def test_a_sound_file_has_no_findings(tmp_path):
    assert check_file(written(tmp_path, sound())).findings == []


def test_the_documentation_has_all_codes():
    page = (Path(__file__).parent.parent / "docs" / "check.md").read_text(encoding="utf-8")
    rows = [
        line for line in page.splitlines() if re.match(r"\| `[a-z0-9-]+` \| (error|warning|note) \|", line)
    ]
    assert rows == [
        f"| `{code}` | {kind.severity} | {kind.title} | {kind.meaning} | {kind.help} |"
        for code, kind in CODES.items()
    ]


def test_codes_are_complete_sentences_in_kebab_case():
    for code, kind in CODES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert kind.severity in SEVERITIES
        assert kind.meaning.endswith(".") and kind.help.endswith(".")


def test_findings_are_sorted_by_severity_then_path(tmp_path):
    document = changed("segments", 0, "start_up", [0.0, 0.0, 0.0])
    points = document["points"]
    for row in range(12):
        points += [[100.0 * row, 50, 0], [100.0 * row + 0.05, 50, 0]]
        document["segments"].append(straight(points, len(points) - 2, len(points) - 1))
    found = check_file(written(tmp_path, document)).findings
    assert [one.severity for one in found] == ["error"] + ["note"] * 12
    assert [one.path for one in found[1:]] == [f"$.segments[{row}]" for row in range(2, 14)]


def test_all_broken_values_are_listed(tmp_path):
    document = sound()
    document["points"][0] = [0, 0]
    document["points"][2][0] = math.inf
    del document["segments"][0]["end_up"]
    document["segments"][0]["start_index"] = -1
    document["segments"][1]["end_index"] = 1.5
    found = check_file(written(tmp_path, document)).findings
    assert [(one.code, one.path) for one in found] == [
        ("broken-value", "$.points[0]"),
        ("non-finite", "$.points[2][0]"),
        ("broken-value", "$.segments[0]"),
        ("bad-index", "$.segments[0].start_index"),
        ("bad-index", "$.segments[1].end_index"),
    ]


@pytest.mark.parametrize(
    "where", [("points", 1, 0), ("segments", 0, "start_tangent", 1), ("segments", 1, "end_up", 0)]
)
def test_numbers_beyond_float32_are_infinite_to_the_engine(where, tmp_path):
    path = written(tmp_path, changed(*where, -1e39))
    assert [one.code for one in check_file(path).findings] == ["non-finite"]
    graph = spl.read(path)
    assert [one.code for one in spl_gis.check(graph)] == ["non-finite"]
    with pytest.raises(GraphError, match="infinite"):
        spl_gis.repair(graph)
    large = spl.decode(json.dumps(changed(*where, 3e38)).encode())
    assert "non-finite" not in {one.code for one in spl_gis.check(large)}
    assert np.isfinite(spl_gis.repair(large).tangents).all()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', "points"])
def test_what_is_no_spline_graph_cannot_be_checked(text, tmp_path):
    path = tmp_path / "no.spl"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"no\.spl"):
        check_file(path)


def test_limits_are_positive_numbers():
    with pytest.raises(OptionError, match="radius"):
        Limits(radius=-1.0)


def test_limits_are_used():
    graph = spl.decode(json.dumps(GALLERY["steep"][0]).encode())
    assert [one.code for one in spl_gis.check(graph)] == ["steep"]
    assert spl_gis.check(graph, Limits(grade=60.0)) == []


def test_places_on_earth():
    frame = spl_gis.frames.scene_frame(
        np.zeros((1, 3)), None, origin=spl_gis.frames.parse_origin("lat=49.5,lon=14.5")
    )
    graph = spl.decode(json.dumps(GALLERY["zero-up"][0]).encode())
    found = spl_gis.check(graph)
    assert lonlat(found, frame)[0] == pytest.approx((14.5, 49.5), abs=1e-9)
    assert lonlat(found, None) == [None]


ROAD = ((-20.0, 0, 0), (20.0, 0, 0))
NEAR = {
    "two ends that face each other, once": (lines(ROAD, ((20.3, 0, 0), (40.0, 0, 0))), ["$.points[1]"]),
    "an end on the road": (lines(ROAD, ((3.0, 0, 0), (3.0, 20, 0))), ["$.points[2]"]),
    "too far": (lines(ROAD, ((3.0, 0.51, 0), (3.0, 20, 0))), []),
    "too high": (lines(ROAD, ((3.0, 0, 0.51), (3.0, 20, 0.51))), []),
    "an end beyond the other's": (lines(ROAD, ((20.6, 0, 0), (40.0, 0, 0))), []),
}


@pytest.mark.parametrize("name", NEAR)
def test_near_misses(name):
    document, paths = NEAR[name]
    graph = spl.decode(json.dumps(document).encode())
    assert [one.path for one in spl_gis.check(graph) if one.code == "near-miss"] == paths


def test_a_short_spur_is_no_near_miss():
    document = sound()
    document["points"].append([30.0, 0.3, 0.0])
    document["segments"].append(straight(document["points"], 1, 3))
    graph = spl.decode(json.dumps(document).encode())
    assert [one.code for one in spl_gis.check(graph)] == []


@pytest.mark.parametrize(
    "height, words", [(0.0, "at the same height"), (1.5, "1.50 m above it"), (-1.5, "1.50 m below it")]
)
def test_a_crossing_says_which_is_above(height, words):
    graph = spl.decode(json.dumps(lines(((-20.0, 0, height), (20.0, 0, height)), ACROSS)).encode())
    (crossing,) = spl_gis.check(graph)
    assert crossing.code == "crossing" and crossing.message == f"crosses segment 1 in plan, {words}"


def test_what_is_broken_everywhere_is_still_checked():
    """All zeros, and handles round the Earth and further: neither takes much time or memory."""
    count = 30_000
    ends = np.stack([np.zeros(count, int), np.arange(1, count + 1)], axis=1)
    found = spl_gis.check(spl_gis.spline_graph(np.zeros((count + 1, 3)), ends, np.zeros((count, 2, 3))))
    assert [one.message for one in found if one.code == "unwelded"] == [
        f"{count + 1} points in one place are not one point (with point 1, 2, 3, 4, 5 ...; 0 m apart)"
    ]
    wild = curve([1e30, 1e30, 0], [1e30, -1e30, 0])
    assert "overshoot" in {one.code for one in spl_gis.check(spl.decode(json.dumps(wild).encode()))}


def test_roads_that_share_a_point_do_not_cross_there_but_elsewhere():
    points = [[0.0, 0, 0], [30.0, 0, 0], [30.0, 10, 0]]
    curved = segment(0, 2, [10.0, -10, 0], [-10.0, -2, 0])
    graph = spl.decode(json.dumps({"points": points, "segments": [straight(points, 0, 1), curved]}).encode())
    (one,) = [some for some in spl_gis.check(graph) if some.code == "crossing"]
    assert one.path == "$.segments[0]"
    assert one.place[0] > 1 and one.place[1] == pytest.approx(0, abs=1e-6)


numbers = st.floats(-50, 50).map(lambda number: round(number, 3))
plan = st.tuples(numbers, numbers)


@given(st.lists(plan, min_size=4, max_size=4))
def test_self_crossings_are_those_of_a_fine_polyline(corners):
    controls = np.array([[(*corner, 0.0) for corner in corners]])
    t, loop = self_crossings(controls, Limits())
    if loop[0]:
        spots = bezier.evaluate(controls[0], t[0])
        assert np.hypot(*(spots[0] - spots[1])[:2]) < 1e-6
        assert 0 <= t[0, 0] < t[0, 1] <= 1
    coords = bezier.evaluate(controls[0], np.linspace(0, 1, 2001))[:, :2]
    line = shapely.LineString(coords)
    if not line.is_simple and not loop[0]:
        # what is left is nearly straight, closed, or crosses itself in a loop of less than some steps
        hull = line.convex_hull.area
        closed = np.hypot(*(coords[0] - coords[-1])) < 0.1
        assert hull < 0.05 * line.length or closed or bezier.length(controls)[0] < 0.5


@settings(max_examples=40)
@given(st.lists(plan, min_size=8, max_size=8))
def test_crossings_are_those_of_fine_polylines(corners):
    controls = np.array([(*corner, 0.0) for corner in corners]).reshape(2, 4, 3)
    points = controls[:, [0, 3]].reshape(-1, 3)
    tangents = np.stack([controls[:, 1] - controls[:, 0], controls[:, 2] - controls[:, 3]], axis=1)
    graph = spl_gis.spline_graph(points, [[0, 1], [2, 3]], tangents)
    found = [one for one in spl_gis.check(graph) if one.code == "crossing"]
    for one in found:
        away = [shapely.Point(one.place[:2]).distance(_line(curve)) for curve in controls]
        assert max(away) < 1e-3
    if not found and (bezier.length(controls) > 1).all():
        meet = _line(controls[0]).intersection(_line(controls[1]))
        spots = shapely.get_coordinates(meet)
        deep = _cuts_deep(controls, spots)
        assert not deep.any()


def _line(controls):
    return shapely.LineString(flatten.flatten(controls[None], 1e-4)[0][:, :2])


def _cuts_deep(controls, spots):
    """Tell which spots are surely crossings: both curves lead far to both sides of each other there."""
    if not len(spots) or any(_loops(curve) for curve in controls):
        return np.zeros(0, bool)
    sides = []
    for one, other in (controls, controls[::-1]):
        coords = bezier.evaluate(one, np.linspace(0, 1, 400))[:, :2]
        away = shapely.distance(_line(other), shapely.points(coords))
        near = [np.hypot(*(coords - spot).T).argmin() for spot in spots]
        sides.append([min(away[:at].max(initial=0), away[at:].max(initial=0)) > 1 for at in near])
    return np.array(sides).all(axis=0) & (len(spots) == 1)


def _loops(controls):
    return not _line(controls).is_simple


WRONG = (None, "x", math.nan, math.inf, -1, 10**6, [], {}, True, 1e300, 0.5)


@st.composite
def mutated(draw):
    """Change a sound file in one place, or in several."""
    document = copy.deepcopy(sound())
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["value", "number", "key", "zero", "turn", "scale", "double", "index"]))
        rows = document["segments"]
        row = rows[draw(st.integers(0, len(rows) - 1))]
        key = draw(st.sampled_from(sorted(row))) if row else "start_up"
        if kind == "value":
            row[key] = draw(st.sampled_from(WRONG))
        elif kind == "number":
            point = document["points"][draw(st.integers(0, 2))]
            point[draw(st.integers(0, 2))] = draw(st.one_of(st.sampled_from(WRONG), st.floats(-1e5, 1e5)))
        elif kind == "key":
            row.pop(key, None)
        elif kind == "double":
            rows.append(copy.deepcopy(row))
        elif kind == "index":
            row["start_index"] = draw(st.integers(-1, 3))
        else:
            vector = row.get(key)
            factor = {"zero": 0.0, "turn": -1.0, "scale": draw(st.sampled_from([1e-9, 1e-3, 10.0, 1e3]))}[
                kind
            ]
            if isinstance(vector, list) and all(isinstance(number, float) for number in vector):
                row[key] = [number * factor for number in vector]
    return document


@given(mutated())
def test_mutations_are_found_or_harmless(tmp_path_factory, document):
    path = written(tmp_path_factory.getbasetemp(), document, "mutated.spl")
    graph, found = check_file(path)
    assert all(one.place is None or np.isfinite(one.place).all() for one in found)
    assert all(one.value is None or math.isfinite(one.value) for one in found)
    if graph is None:
        assert found and all(one.severity == "error" for one in found)
        return
    if not any(one.severity in ("error", "warning") for one in found):
        _assert_harmless(graph, path)


def _assert_harmless(graph, path):
    """See that a graph can be read, drawn and driven: directions and sideways are known everywhere."""
    assert len(spl.read(path)) == len(graph)
    controls = spl_gis.control_points(graph)
    coords, _ = flatten.flatten(controls, 0.01)
    assert np.isfinite(coords).all()
    t = np.linspace(0, 1, 33)
    way = bezier.derivative(controls[:, None], t)
    up = bezier.up_between(graph.ups[:, None], t)
    sideways = np.linalg.norm(np.cross(way, up), axis=-1)
    assert (sideways > 1e-6 * bezier.length(controls)[:, None]).all()
    assert np.linalg.norm(up, axis=-1) == pytest.approx(1, abs=0.01)


REAL = {
    "DZOK_0.spl": {},
    "DZOK_2.spl": {"tight-curve": 1},
    "DZOK_4.spl": {"tight-curve": 1},
    "Ship_-70.7013247409996_-7.90608592725766_0.spl": {"long-segment": 1},
    "SplineGraphs2_1_546136.64064773_4841474.33914767_18.1365500150545.spl": {
        "loop": 1, "overshoot": 1, "tight-curve": 1, "overpass": 1,
    },
    "SplineGraphs2_4_546170.793899324_4841431.51893406_20.3110509285762.spl": {},
    "SplineGraphs_unigineSpline.spl": {},
    "SplineGraphs_unigineSpline2.spl": {"tight-curve": 1},
    "two_segments.spl": {},
    "unigine_sample_roads.spl": {"unwelded": 163, "tight-curve": 7, "crossing": 7, "steep": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_files(name, shared):
    found = check_file(shared / "spl-real" / name).findings
    counts = {code: sum(one.code == code for one in found) for code in CODES}
    assert {code: number for code, number in counts.items() if number} == REAL[name]
