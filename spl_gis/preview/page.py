"""The page: what is shown as typed arrays, in one file with all that draws it."""

from __future__ import annotations

import base64
import html as markup
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import frames, topology
from ..checks import CODES, Finding
from ..model import Column, Features, Floats, LineStrings, SplineGraph
from .colours import Colouring, value_texts
from .measures import Measures
from .place import EXPONENTS, lonlat
from .scene import Scene, Shown

SCRIPTS = ("data", "measure", "paint", "map", "pick", "panel", "profile", "main")
"""The page's own scripts, in the order in which they build on each other."""
TOO_LARGE = "the map is too large for latitude and longitude"
_MOST_ENDS = 255
"""Segment ends at a point that are counted."""


def html(
    scene: Scene,
    measures: Sequence[Measures | None],
    colourings: Sequence[Colouring],
    colouring: Colouring,
) -> str:
    """Give the page as text; the arguments are those of `Preview`."""
    data = payload(scene, measures, colourings, colouring)
    parts = {
        "title": markup.escape(scene.title),
        "styles": _asset("uPlot.min.css") + _asset("page.css"),
        "licences": _asset("LICENSES.txt"),
        "libraries": _asset("libraries.min.js"),
        "data": json_for_page(data),
        "scripts": "\n".join(_asset(f"{name}.js") for name in SCRIPTS),
    }
    pieces = _asset("page.html").split("@@")  # text, name, text, name, ..., text
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def json_for_page(data: Any) -> str:
    """Write JSON that can stand in a script of a page: nothing in it can end the script."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def payload(
    scene: Scene,
    measures: Sequence[Measures | None],
    colourings: Sequence[Colouring],
    colouring: Colouring,
) -> dict[str, Any]:
    """Give what the page is told, as plain data; numbers without end are arrays in base64.

    Coordinates are float32 from the middle of the scene: half a millimetre at 8 km from it.
    """
    bounds = scene.bounds
    middle = np.round(bounds.mean(axis=0)) * (1, 1, 0)
    return {
        "title": scene.title,
        "frame": str(frames.describe(scene.crs)),
        "middle": middle.tolist(),
        "bounds": (bounds - middle).tolist(),
        "place": _place(scene, middle),
        "nowhere": TOO_LARGE if frames.place_of(scene.crs) else "no place on Earth is known",
        "inputs": [_input(*each, middle) for each in zip(scene.shown, measures)],
        "colourings": [_colouring(each) for each in colourings],
        "colouring": colourings.index(colouring),
        "codes": _codes(scene.findings),
        "findings": [_finding(each, middle) for each in scene.findings],
    }


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _array(values: NDArray[Any], kind: str) -> dict[str, str]:
    """Give an array as text: little-endian f4, u4, i4 or u1."""
    with np.errstate(over="ignore"):
        packed = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"type": kind, "data": base64.b64encode(packed.tobytes()).decode("ascii")}


def _place(scene: Scene, middle: Floats) -> dict[str, Any] | None:
    fit = lonlat(scene.crs, scene.bounds)
    return fit and {
        "middle": (fit.middle - middle[:2]).tolist(),
        "half": fit.half.tolist(),
        "exponents": EXPONENTS,
        "terms": fit.terms.tolist(),
        "error": fit.error,
    }


def _input(shown: Shown, measures: Measures | None, middle: Floats) -> dict[str, Any]:
    common = {
        "name": shown.name,
        "kind": shown.kind,
        "feature": _array(shown.feature, "i4"),
        "features": _features(shown.data.features),
    }
    if isinstance(shown.data, SplineGraph) and measures is not None:
        return {**common, **_graph(shown.data, measures, middle)}
    return {**common, **_lines(shown.data, middle)} if isinstance(shown.data, LineStrings) else common


def _graph(graph: SplineGraph, measures: Measures, middle: Floats) -> dict[str, Any]:
    runs = topology.graph_chains(graph.ends)
    upright = bool((graph.ups == (0, 0, 1)).all())
    return {
        "points": _array(graph.points - middle, "f4"),
        "ends": _array(graph.ends, "u4"),
        "tangents": _array(graph.tangents, "f4"),
        "ups": None if upright else _array(graph.ups, "f4"),
        "degree": _array(np.minimum(topology.degrees(graph.ends, len(graph.points)), _MOST_ENDS), "u1"),
        "runs": {
            "segment": _array(runs.segment, "u4"),
            "reverse": _array(runs.reverse, "u1"),
            "offsets": _array(runs.offsets, "u4"),
        },
        "measures": {
            name: _array(values, "f4") for name, values in measures._asdict().items() if values is not None
        },
    }


def _lines(lines: LineStrings, middle: Floats) -> dict[str, Any]:
    return {
        "coords": _array((lines.coords - middle)[:, :2], "f4"),
        "offsets": _array(lines.offsets, "u4"),
    }


def _features(features: Features) -> dict[str, Any]:
    columns = {name: _values(column) for name, column in features.columns.items()}
    return {"fid": features.fid.tolist(), "columns": columns}


def _values(column: Column) -> dict[str, Any]:
    """Give the different values of a column as text, and which of them each feature has."""
    number: dict[str, int] = {}
    index = [number.setdefault(text, len(number)) for text in value_texts(column)]
    return {"values": list(number), "index": _array(np.array(index), "u4")}


def _colouring(colouring: Colouring) -> dict[str, Any]:
    return {
        "name": colouring.name,
        "labels": colouring.labels,
        "per": colouring.per,
        "index": [None if index is None else _array(index, "u1") for index in colouring.index],
        "light": colouring.colours.light,
        "dark": colouring.colours.dark,
    }


def _codes(findings: Sequence[Finding]) -> dict[str, dict[str, str]]:
    """Give what the codes mean that were found, in the words that the page shows."""
    found = {each.code: CODES[each.code] for each in findings if each.code in CODES}
    return {code: {"in the engine": kind.meaning, "what to do": kind.help} for code, kind in found.items()}


def _finding(finding: Finding, middle: Floats) -> dict[str, Any]:
    place = None if finding.place is None else (np.array(finding.place) - middle)[:2].tolist()
    return {
        "code": finding.code,
        "severity": finding.severity,
        "path": finding.path,
        "message": finding.message,
        "place": place,
    }
