"""The `.spl` room: what it refuses and says, what it keeps bit for bit, and how it lays text out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spl_gis.errors import FileAccessError, FormatError
from spl_gis.formats import spl
from spl_gis.formats._spl_parse import parse
from spl_gis.formats._spl_plain import parse_plain
from spl_gis.model import SplineGraph, spline_graph
from spl_gis.report import Report

ENGINE = """{
	"points": [
		[
			-1335.25,
			78.5,
			0
		],
		[
			1e-09,
			-0.0,
			0.1
		]
	],
	"segments": [
		{
			"start_index": 0,
			"start_tangent": [
				-4.75,
				4.0625,
				0
			],
			"start_up": [
				0,
				0,
				1
			],
			"end_index": 1,
			"end_tangent": [
				2,
				-1.5,
				0.25
			],
			"end_up": [
				0,
				0.6,
				0.8
			]
		}
	]
}"""  # fmt: skip

NUMBER = re.compile(r"-?\d[\d.eE+-]*")


@contextmanager
def standard_library() -> Iterator[None]:
    """Make msgspec look as if it were not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "msgspec", None)
        yield


@pytest.fixture(params=["msgspec", "standard library"])
def decoder(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "msgspec":
        yield request.param
    else:
        with standard_library():
            yield request.param


def text_of(graph: SplineGraph) -> bytes:
    return b"".join(spl.encode(graph))


def bits(graph: SplineGraph) -> tuple[bytes, ...]:
    arrays = (graph.points, graph.ends, graph.tangents, graph.ups, graph.line)
    return tuple(array.tobytes() for array in arrays)


def same_numbers(text: str) -> str:
    """Write every number of a JSON text in one way."""
    return NUMBER.sub(lambda match: repr(float(match[0])), text)


def outcome(data: bytes) -> object:
    """Give what reading leads to, in a form that can be compared."""
    report = Report()
    try:
        graph = spl.decode(data, report=report)
    except FormatError as error:
        return str(error), error.location
    return bits(graph), report.warnings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"start_index"', '"begin_index"'),
        ('"points"', '"points": [], "points"'),
        ("[\n\t", "[\n\ttrue, "),
        ("0.5", "NaN"),
        ("0.5", "1e999"),
        ("0.5", '"0.5"'),
        ("{", "[{"),
    ],
)
def test_the_quick_way_takes_only_what_is_faultless(old, new):
    text = (
        '{"points": [\n\t[0, 0.5, -0], [1, 2, 3]], "segments": [{"start_index": 0, "end_index": 1, '
        + ", ".join(f'"{end}_{what}": [0, 1, 0.5]' for end in ("start", "end") for what in ("tangent", "up"))
    )
    text += "}]}"
    quick, patient = parse_plain(text.encode()), parse(text.encode())
    assert quick is not None
    assert quick.points.tobytes() == patient.points.tobytes()
    assert quick.ends.tobytes() == patient.ends.tobytes()
    assert old in text and parse_plain(text.replace(old, new, 1).encode()) is None


# ---- laws ----


@st.composite
def graphs(draw: st.DrawFn) -> SplineGraph:
    numbers = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
        [0.0, -0.0, 1.0, 5e-324, 1e16]
    )
    size = draw(st.integers(0, 5))
    segments = draw(st.integers(0, 4)) if size else 0
    ends = draw(arrays(np.int64, (segments, 2), elements=st.integers(0, max(size - 1, 0))))
    points = draw(arrays(np.float64, (size, 3), elements=numbers))
    tangents, ups = (draw(arrays(np.float64, (segments, 2, 3), elements=numbers)) for _ in range(2))
    nearly_default = np.broadcast_to([0.0, -0.0, 1.0], (segments, 2, 3))
    return spline_graph(points, ends, tangents, draw(st.sampled_from([ups, None, nearly_default])))


@given(graphs())
def test_read_of_write_is_equal_bit_for_bit(graph: SplineGraph) -> None:
    text = text_of(graph)
    back = spl.decode(text)
    assert bits(back) == bits(graph)
    assert text_of(back) == text


@given(graphs())
def test_both_encoders_write_and_both_decoders_read_the_same_doubles(graph: SplineGraph) -> None:
    fast = text_of(graph)
    with standard_library():
        slow = text_of(graph)
        assert bits(spl.decode(fast)) == bits(graph)
    assert bits(spl.decode(slow)) == bits(graph)
    assert same_numbers(fast.decode()) == same_numbers(slow.decode())


TOKENS = re.compile(rb'"[^"]*"|-?\d[\d.eE+-]*|\S|\s+')
INSERTS = [
    *b'NaN Infinity -Infinity 1e999 -1e999 true null "1" 1.5 -1 7 1.0 -0 0,5 01 1e-400 [] {}'.split(),
    *b'[0,0,0] { } [ ] , : " \\ 0 e . - \xff \x00 \xef\xbb\xbf \xc3\xa9 \\u0073 //'.split(),
    *b'"points":[], "x":1, "x":{"y":NaN},'.split(),
    *(b'"start_index": 1,', b'"end_up": [0, 0, 1],', b'"start\\u005findex": 0,', b"9" * 400, b"9" * 5000),
    *(b"[" * 3000, b"0." + b"0" * 400 + b"1e401", b"\r\n", b"\x0b"),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Break a good text: bytes flipped, tokens taken out, put in, doubled or exchanged."""
    tokens = TOKENS.findall(ENGINE.encode())
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(tokens) - 1))
        kind = draw(st.sampled_from(["remove", "insert", "instead", "double", "exchange", "flip"]))
        if kind == "flip":
            flipped = bytearray(tokens[place])
            flipped[draw(st.integers(0, len(flipped) - 1))] ^= 1 << draw(st.integers(0, 7))
            tokens[place] = bytes(flipped)
        elif kind == "exchange":
            other = draw(st.integers(0, len(tokens) - 1))
            tokens[place], tokens[other] = tokens[other], tokens[place]
        else:
            new = {"remove": [], "double": [tokens[place]] * 2}.get(kind, [draw(st.sampled_from(INSERTS))])
            tokens[place : place + (kind != "insert")] = new
    return b"".join(tokens)


@settings(max_examples=1000)
@given(damaged())
def test_both_decoders_accept_and_refuse_the_same_and_say_the_same(data: bytes) -> None:
    fast = outcome(data)
    with standard_library():
        assert outcome(data) == fast


@given(damaged(), st.integers(0, len(ENGINE)))
def test_both_decoders_agree_about_the_beginning_of_a_text(data: bytes, length: int) -> None:
    fast = outcome(data[:length])
    with standard_library():
        assert outcome(data[:length]) == fast


@given(
    st.lists(st.from_regex(r"\A-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?\Z"), min_size=1)
)
def test_any_number_reads_as_the_double_that_python_says(numbers: list[str]) -> None:
    wanted = np.array([float(json.loads(number)) for number in numbers])
    assume(np.isfinite(wanted).all())
    points = ", ".join(f"[{number}, 0, 0]" for number in numbers)
    data = f'{{"points": [{points}], "segments": []}}'.encode()
    assert spl.decode(data).points[:, 0].tobytes() == wanted.tobytes()
    with standard_library():
        assert spl.decode(data).points[:, 0].tobytes() == wanted.tobytes()


# ---- what is refused, where, and with which words ----

S = "$.segments[0]"
TANGENT = re.search(r'"end_tangent": (\[[^]]*\])', ENGINE)[1]
POINT = re.search(r"\[\s*-1335[^]]*\]", ENGINE)[0]
END = '"end_index": 1,'
REFUSED = {
    # name: (text to replace in ENGINE, by what, location, what the message says)
    "nan": ("78.5", "NaN", "$.points[0][1]", "finite number, found NaN"),
    "infinity": ("78.5", "Infinity", "$.points[0][1]", "found Infinity"),
    "minus infinity": ("4.0625", "-Infinity", f"{S}.start_tangent[1]", "found Infinity"),
    "1e999": ("0.25", "1e999", f"{S}.end_tangent[2]", "too large for a double"),
    "-1e999": ("0.8", "-1e999", f"{S}.end_up[2]", "too large for a double"),
    "5000 digits": ("78.5", "7" * 5000, "$.points[0][1]", "too large for a double"),
    "index of 5000 digits": (': 0,', ": " + "7" * 5000 + ",", f"{S}.start_index", "too large for a double"),
    "two numbers": ("78.5,", "", "$.points[0]", "3 numbers, found a list of 2"),
    "four numbers": ("78.5,", "78.5, 1,", "$.points[0]", "found a list of 4"),
    "decimal commas": (TANGENT, "[4,75, 4,62, 3,5]", f"{S}.end_tangent", "6 (decimal commas"),
    "decimal comma and nought": ("78.5", "78,05", "line 5, column 8", "found '5,' (a decimal comma"),
    "number as text": ("78.5", '"78.5"', "$.points[0][1]", "found the text '78.5'"),
    "index as text": (': 0,', ': "0",', f"{S}.start_index", "found the text '0'"),
    "true as a number": ("78.5", "true", "$.points[0][1]", "found true"),
    "true as an index": (': 1,', ": true,", f"{S}.end_index", "found true"),
    "fraction as an index": (': 0,', ": 0.5,", f"{S}.start_index", "whole number from 0 to 1, found 0.5"),
    "negative index": (': 0,', ": -1,", f"{S}.start_index", "from 0 to 1, found -1"),
    "index too large": (': 1,', ": 2,", f"{S}.end_index", "from 0 to 1, found 2"),
    "index beyond 64 bits": (': 1,', f": {2**64},", f"{S}.end_index", "found 1.8446744073709552e+19"),
    "null": ("78.5", "null", "$.points[0][1]", "found null"),
    "null for a tangent": (TANGENT, "null", f"{S}.end_tangent", "found null"),
    "list for an index": (': 0,', ": [0],", f"{S}.start_index", "found a list of 1"),
    "object for a point": (POINT, '{"x": 1}', "$.points[0]", "found an object"),
    "missing key": (END, "", S, "'end_index' is missing"),
    "points missing": ('"points"', '"pts"', "$", "'points' is missing"),
    "segments missing": ('"segments"', '"edges"', "$", "'segments' is missing"),
    "key twice": (END, END + '"end_index": 0,', f"{S}.end_index", "the key written twice"),
    "escaped key twice": (END, END + '"\\u0065nd_index": 0,', f"{S}.end_index", "written twice"),
    "points twice": ('"points"', '"points": [], "points"', "$.points", "the key written twice"),
    "trailing comma in a list": ("78.5,\n\t\t\t0", "78.5,\n\t\t\t0,", None, "comma before a closing bracket"),
    "trailing comma in an object": ("0.8\n\t\t\t]", "0.8\n\t\t\t],", None, "comma before a closing bracket"),
    "nul": ("78.5", "78.5\0", "line 5, column 8", r"found '\x00"),
    "plus sign": ("78.5", "+78.5", "line 5, column 4", "not JSON"),
    "comment": ("{\n\t\"points", "{ // mine\n\t\"points", "line 1, column 3", "not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_its_place_and_what_was_found(name: str, decoder: str) -> None:
    old, new, location, words = REFUSED[name]
    assert old in ENGINE
    with pytest.raises(FormatError, match=re.escape(words)) as refused:
        spl.decode(ENGINE.replace(old, new, 1).encode(), path="roads.spl")
    assert refused.value.path == "roads.spl"
    assert refused.value.location == location or (location is None and "line" in refused.value.location)
    assert str(refused.value).startswith(f"roads.spl, {refused.value.location}: ")


OTHER = {
    "empty": (b"", "empty"),
    "only white space": (b" \n", "empty"),
    "cut off": (ENGINE[:200].encode(), "ends in the middle"),
    "cut off in a key": (ENGINE[: ENGINE.index("start_tangent") + 4].encode(), "ends in the middle"),
    "something behind": (ENGINE.encode() + b"\0\0\0", "extra data"),
    "not utf-8": (ENGINE.replace("start_index", "d\xe9but").encode("latin-1"), "0xe9 is not UTF-8"),
    "utf-16": (ENGINE.encode("utf-16"), "save it as UTF-8"),
    "utf-16 without mark": (ENGINE.encode("utf-16-le"), "save it as UTF-8"),
    "utf-16 big-endian": (ENGINE.encode("utf-16-be"), "save it as UTF-8"),
    "utf-32": (ENGINE.encode("utf-32"), "save it as UTF-8"),
    "two marks": (b"\xef\xbb\xbf\xef\xbb\xbf" + ENGINE.encode(), "not JSON"),
    "list": (b"[1, 2]", "found a list of 2; this is not a UNIGINE spline graph"),
    "number": (b"12", "found 12; this is not"),
    "geojson": (b'{"type": "FeatureCollection", "features": []}', "this is not a UNIGINE spline graph"),
    "no points but a segment": (b'{"points": [], "segments": [%s]}', "there are no points, found 0"),
    "deep lists": (b"[" * 200_000, "nested too deeply"),
    "deep points": (b'{"points": ' + b"[" * 200_000, "nested too deeply"),
    "deep unknown": (b'{"x": ' * 200_000, "nested too deeply"),
    "vim": (b"VIMspell2\x03\x00", "Vim spell file"),
    "splunk search": (b"index=main | stats count by host", "other programs use the suffix"),
    "splunk app": (b"\x1f\x8b\x08\x00", "Splunk"),
    "installer": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Windows Installer"),
    "binary": (b"\x7fELF\x02\x01\x01\xff\xfe", "other programs use the suffix"),
}
SEGMENT = re.search(r"\{[^{}]*\}", ENGINE[1:])[0].encode()


@pytest.mark.parametrize("name", OTHER)
def test_what_is_no_spline_graph_is_declined(name: str, decoder: str) -> None:
    data, words = OTHER[name]
    with pytest.raises(FormatError, match=re.escape(words)):
        spl.decode(data.replace(b"%s", SEGMENT))


@pytest.mark.parametrize("word", [b"[0,5, 1,2, 3]", b"[0,5, 1, 2]"])
def test_a_decimal_comma_is_suspected(word: bytes, decoder: str) -> None:
    with pytest.raises(FormatError, match=r"write 0\.5, not 0,5"):
        spl.decode(b'{"points": [%s], "segments": []}' % word)


# ---- what is read ----

LENIENT = {
    "engine text": ENGINE,
    "byte order mark": "\ufeff" + ENGINE,
    "windows line ends": ENGINE.replace("\n", "\r\n"),
    "no white space": re.sub(r"\s", "", ENGINE),
    "white space": ENGINE.replace(",", " \t,\n\n") + "\n\n",
    "exponents": ENGINE.replace("1e-09", "1.0E-009").replace("78.5", "7.85e+001"),
    "integers and floats": ENGINE.replace("-1335.25", "-133525e-2").replace("\t2,", "\t2.0,"),
    "index as a float": ENGINE.replace(": 1,", ": 1.0,"),
    "escaped key": ENGINE.replace('"points"', '"\\u0070oints"'),
    "keys in any order": json.dumps(json.loads(ENGINE), sort_keys=True),
}


@pytest.mark.parametrize("name", LENIENT)
def test_what_real_files_hold_is_read(name: str, decoder: str) -> None:
    graph = spl.decode(LENIENT[name].encode())
    assert graph.points.tolist() == [[-1335.25, 78.5, 0], [1e-9, 0, 0.1]]
    assert graph.ends.tolist() == [[0, 1]]
    assert graph.tangents.tolist() == [[[-4.75, 4.0625, 0], [2, -1.5, 0.25]]]
    assert graph.ups.tolist() == [[[0, 0, 1], [0, 0.6, 0.8]]]
    assert graph.line.tolist() == [-1]
    assert graph.crs is None
    assert len(graph.features) == 0


def test_what_check_finds_is_no_error_here(decoder: str) -> None:
    zero = [0, 0, 0]
    loop = {key: 0 if key.endswith("index") else zero for key in spl.SEGMENT_KEYS}
    graph = spl.decode(json.dumps({"points": [zero, zero, [1, 2, 3]], "segments": [loop, loop]}).encode())
    assert graph.ends.tolist() == [[0, 0], [0, 0]]
    assert len(graph.points) == 3


@pytest.mark.parametrize("points", ["[]", "[[1, 2, 3]]"])
def test_a_graph_without_segments_is_read_and_written(points: str, decoder: str) -> None:
    graph = spl.decode(b'{"points": %s, "segments": []}' % points.encode())
    assert len(graph) == 0
    assert graph.points.tolist() == json.loads(points)
    assert bits(spl.decode(text_of(graph))) == bits(graph)


def test_minus_nought_has_a_sign_only_when_written_as_a_float(decoder: str) -> None:
    points = spl.decode(b'{"points": [[-0, -0.0, -0e0]], "segments": []}').points
    assert np.signbit(points).tolist() == [[False, True, True]]


def test_unknown_keys_are_left_out_and_reported(decoder: str) -> None:
    report = Report()
    text = ENGINE.replace('"start_index"', '"name": "A\u00f6", "start_index"').replace(
        "{", '{"v": {"name": 1},', 1
    )
    graph = spl.decode(text.encode(), path="roads.spl", report=report)
    assert bits(graph) == bits(spl.decode(ENGINE.encode()))
    assert report.warnings == [
        "roads.spl: keys that a .spl does not have were left out: 'v' (1 x), 'name' (1 x)"
    ]


def test_a_crowd_of_unknown_keys_is_summed_up(decoder: str) -> None:
    report = Report()
    extra = "".join(f'"key {number}": 0, ' for number in range(1000))
    spl.decode(ENGINE.replace('"points"', f'{extra}"points"').encode(), report=report)
    (sentence,) = report.warnings
    assert "'key 4' (1 x) and 995 more" in sentence


# ---- files ----


def test_real_files_read_and_write_back_equal(shared: Path, tmp_path: Path, decoder: str) -> None:
    files = sorted((shared / "spl-real").glob("*.spl"))
    assert len(files) == 10
    for file in files:
        graph = spl.read(file)
        content = json.loads(file.read_text())
        assert graph.points.tolist() == content["points"]
        assert graph.ends.tolist() == [[s["start_index"], s["end_index"]] for s in content["segments"]]
        assert graph.tangents.tolist() == [
            [s["start_tangent"], s["end_tangent"]] for s in content["segments"]
        ]
        assert graph.ups.tolist() == [[s["start_up"], s["end_up"]] for s in content["segments"]]
        spl.write(graph, tmp_path / file.name)
        assert bits(spl.read(tmp_path / file.name)) == bits(graph)
        assert same_numbers((tmp_path / file.name).read_bytes().decode()) == same_numbers(
            file.read_bytes().decode()
        )


def test_real_files_take_the_fast_way(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spl, "parse", lambda data: pytest.fail("the patient way was taken"))
    sizes = [len(spl.read(file)) for file in sorted((shared / "spl-real").glob("*.spl"))]
    assert sum(sizes) == 1456


def test_layout_is_the_engines() -> None:
    text = text_of(spl.decode(ENGINE.encode())).decode()
    assert text == ENGINE.replace("1e-09", "1e-9")
    with standard_library():
        assert text_of(spl.decode(ENGINE.encode())).decode() == ENGINE


def test_default_up_vectors_are_written_alike_by_both_layouts() -> None:
    graph = spline_graph([[0, 0, 0], [1, 0, 0]], [[0, 1]], np.ones((1, 2, 3)))
    other = replace(graph, ups=graph.ups * [[[1.5], [1]]])
    assert text_of(other).replace(b"1.5", b"1") == text_of(graph)


def test_order_and_numbers_hold_over_many_pieces() -> None:
    random = np.random.default_rng(7)
    ends = random.integers(0, 4500, (5001, 2))
    ups = np.where(np.arange(5001)[:, None, None] < 2500, [0.0, 0.0, 1.0], random.normal(size=(5001, 2, 3)))
    graph = spline_graph(random.normal(size=(4500, 3)), ends, random.normal(size=(5001, 2, 3)), ups)
    assert bits(spl.decode(text_of(graph))) == bits(graph)


def test_write_tells_how_far_it_is_and_leaves_nothing_after_a_cancel(tmp_path: Path) -> None:
    graph = spl.decode(ENGINE.encode())
    told: list[float] = []
    spl.write(graph, tmp_path / "a.spl", progress=lambda fraction, what: told.append(fraction))
    assert told == sorted(told)
    assert told[-1] == 1.0

    def cancel(fraction: float, what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spl.write(graph, tmp_path / "b.spl", progress=cancel)
    assert [file.name for file in tmp_path.iterdir()] == ["a.spl"]


def test_an_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "roads.spl"
    graph = spl.decode(ENGINE.encode())
    spl.write(graph, path)
    with pytest.raises(FileAccessError, match="already exists"):
        spl.write(graph, path)
    spl.write(replace(graph, ends=[[1, 0]]), path, overwrite=True)
    assert spl.read(str(path)).ends.tolist() == [[1, 0]]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileAccessError, match=r"cannot read .*roads\.spl"):
        spl.read(tmp_path / "roads.spl")
    (tmp_path / "bad.spl").write_text("{")
    with pytest.raises(FormatError, match=r"bad\.spl, line 1") as refused:
        spl.read(tmp_path / "bad.spl")
    assert refused.value.path == tmp_path / "bad.spl"
