"""`info`: what a file holds, for people and for machines."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from .. import formats, info
from ..errors import FormatError, GeoreferenceError
from ..formats import vector
from ..model import LineStrings
from ..report import Report
from .jobs import read_lines
from .terminal import Table


def graph_facts(source: Path, report: Report) -> dict[str, Any]:
    """Give what a `.spl` holds."""
    return info.facts(formats.read_graph(source, report=report), report)


def line_facts(source: Path, given: dict[str, Any], report: Report) -> dict[str, Any]:
    """Give the layers of a file of lines, and what would be read of it.

    What stops a conversion, because an option is missing, is a warning here.
    """
    layers = vector.layers(source, engine=given["engine"])
    lines = _lines(source, given, report, alone=len(layers) == 1)
    facts = {"kind": "lines"} if lines is None else info.facts(lines, report)
    return {**facts, "layers": [layer._asdict() for layer in layers]}


def _lines(source: Path, given: dict[str, Any], report: Report, *, alone: bool) -> LineStrings | None:
    """Read lines as far as that goes: None when a layer must be chosen, nowhere when there is no CRS."""
    try:
        said = Report()
        lines = read_lines(source, given, said)
    except FormatError as error:
        if alone or given["layer"]:
            raise
        report.warn(str(error))
        return None
    except GeoreferenceError as error:
        if given["source_crs"]:
            raise
        report.warn(str(error))
        return _lines(source, {**given, "source_crs": vector.NO_PLACE}, report, alone=alone)
    report.add(said)
    return lines


def tables(facts: dict[str, Any]) -> list[Table]:
    """Arrange facts for people."""
    source, frame = facts.get("source", {}), facts.get("frame")
    rows = [(name, text(value)) for name, value in facts.items() if name not in _TABLES]
    rows += [("bounds", _box(facts["bounds"]))] if facts.get("bounds") else []
    rows += [(name, text(source[name])) for name in ("layer", "features") if source.get(name)]
    fields = [(field["name"], field["type"]) for field in source.get("fields", [])]
    layers = [tuple(text(value) for value in layer.values()) for layer in facts.get("layers", [])]
    return [
        Table("layers", ("name", "geometry", "features"), layers if len(layers) > 1 else []),
        Table("", (), rows),
        Table("fields", ("name", "type"), fields),
        *(_frame_tables(frame, "layers" in facts) if frame else []),
    ]


_TABLES = ("bounds", "source", "frame", "layers")


def _frame_tables(frame: dict[str, Any], chosen: bool) -> list[Table]:
    over = f"{frame['base']} ({frame['code']})" if frame["code"] else frame["base"]
    west, south, east, north = frame["extent [degrees]"] or [None] * 4
    rows = {
        "kind": frame["kind"],
        "base": over,
        "origin (WGS 84)": _origin(frame),
        "origin in base": frame["origin in base"],
        "rotation [degrees]": frame["rotation"],
        **({"node": frame["node"]} if frame["node"] else {}),
        "extent [m]": _box(frame["extent [m]"]),
        "extent (WGS 84)": f"lat {text(south)} to {text(north)}, lon {text(west)} to {text(east)}",
        "float32 step [m]": f"{frame['float32 step [m]']:.2g}",
        "options": shlex.join(frame["options"]) if frame["options"] else "--frame FILE: no other gives it",
    }
    places = [
        (place["place"], *(f"{place[axis]:.1f}" for axis in "xy"), _scale(place["scale"]), _turn(place))
        for place in frame["places"]
    ]
    head = ("", "x [m]", "y [m]", "scale", "grid north from true north [degrees]")
    title = "frame that convert chooses" if chosen else "frame"
    return [
        Table(title, (), [(name, text(value)) for name, value in rows.items()]),
        Table("scale and convergence", head, places),
    ]


def _origin(frame: dict[str, Any]) -> str | None:
    if frame["lat"] is None:
        return None
    return f"lat={frame['lat']:.9f},lon={frame['lon']:.9f},h={frame['h']:g}"


def _box(box: list[float | None]) -> str:
    """Write x0, y0, z0, x1, y1, z1."""
    sides = [f"{axis} {text(a)} to {text(b)}" for axis, a, b in zip("xyz", box[:3], box[3:]) if a is not None]
    return ", ".join(sides)


def _scale(pair: list[float | None]) -> str:
    least, most = ("unknown" if value is None else f"{value:.6f}" for value in pair)
    return least if least == most else f"{least} to {most}"


def _turn(place: dict[str, Any]) -> str:
    return "unknown" if place["convergence"] is None else f"{place['convergence']:.4f}"


def text(value: Any) -> str:
    """Write a value for people."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {text(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(text, value))
    return "none" if value is None else str(value)
