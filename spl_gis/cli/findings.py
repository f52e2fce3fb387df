"""Findings as a table for people, and as JSON for machines."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pyproj import CRS

from ..checks import CODES, SEVERITIES, Finding, lonlat
from ..formats.checked import Checked
from ..report import Report

FORMAT = "spl-gis check"
VERSION = 1

_NAMED = 3
"""So many findings of each code are shown."""

_COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}

LonLat = tuple[float, float]


def as_json(source: Path, before: Checked, repair: tuple[Path | None, Checked, Report]) -> dict[str, Any]:
    """Give a check as plain data; docs/check.md says what each key holds."""
    target, after, mended = repair
    data = {"format": FORMAT, "version": VERSION, **_file(source, before), "repair": None}
    if target and before.graph is not None:
        data["repair"] = {
            "mended": _counts(mended, "mended: "),
            "left": _counts(mended, "left: "),
            **_file(target, after),
        }
    return data


def _counts(report: Report, prefix: str) -> dict[str, int]:
    counts = report.counts.items()
    return {name.removeprefix(prefix): number for name, number in counts if name.startswith(prefix)}


def _file(path: Path, checked: Checked) -> dict[str, Any]:
    graph, found = checked
    places = lonlat(found, _crs(checked))
    severities, codes = Counter(one.severity for one in found), Counter(one.code for one in found)
    return {
        "file": str(path),
        "points": None if graph is None else len(graph.points),
        "segments": None if graph is None else len(graph),
        "counts": {severity: severities[severity] for severity in SEVERITIES},
        "codes": {code: {"count": number, **CODES[code]._asdict()} for code, number in codes.items()},
        "findings": [{**dataclasses.asdict(one), "lonlat": place} for one, place in zip(found, places)],
    }


def show(path: Path, checked: Checked) -> None:
    """Print findings by code: how many, the worst, where the first are, and what they mean."""
    click.echo(_headline(path, checked))
    groups: dict[str, list[Finding]] = {}
    for one in checked.findings:
        groups.setdefault(one.code, []).append(one)
    rows = [(code, group, _examples(group, _crs(checked))) for code, group in groups.items()]
    if rows and sys.stdout.isatty():
        _table(rows)
        return
    for code, group, examples in rows:
        kind = CODES[code]
        click.echo(f"\n{kind.severity}: {code}, {len(group):,} x {kind.title}")
        click.echo(f"  {kind.meaning} {kind.help}")
        click.echo("\n".join(f"  {line}" for line in examples))


def _headline(path: Path, checked: Checked) -> str:
    graph, found = checked
    number = Counter(one.severity for one in found)
    counts = [_several(number[some], some) for some in SEVERITIES if number[some]]
    size = "not readable as a graph"
    if graph is not None:
        size = f"{_several(len(graph.points), 'point')}, {_several(len(graph), 'segment')}"
    return f"{path}: {size}; {', '.join(counts) or 'nothing found'}"


def _several(number: int, name: str) -> str:
    return f"{number:,} {name}{'s' * (number != 1)}"


def _crs(checked: Checked) -> CRS | None:
    return None if checked.graph is None else checked.graph.crs


def _examples(group: Sequence[Finding], crs: Any) -> list[str]:
    """Describe the worst finding of a code and the next ones in the file."""
    worst = _worst(group)
    some = ([worst] if worst else []) + [one for one in group if one is not worst]
    some = some[:_NAMED]
    lines = [
        f"{'worst: ' if one is worst and len(group) > 1 else ''}{one.path}: {one.message}{_where(one, place)}"
        for one, place in zip(some, lonlat(some, crs))
    ]
    rest = len(group) - len(some)
    return [*lines, f"and {rest:,} more (--json lists all)"] if rest else lines


def _worst(group: Sequence[Finding]) -> Finding | None:
    measured = [one for one in group if one.value is not None]
    values = {one.value for one in measured}
    if len(values) < 2:
        return None
    pick = min if CODES[group[0].code].least_is_worst else max
    return pick(measured, key=lambda one: one.value or 0.0)


def _where(one: Finding, place: LonLat | None) -> str:
    if one.place is None:
        return ""
    x, y, z = one.place
    earth = f", lat={place[1]:.6f},lon={place[0]:.6f}" if place else ""
    return f" [at x={x:.2f} y={y:.2f} z={z:.2f}{earth}]"


def _table(rows: Sequence[tuple[str, list[Finding], list[str]]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_lines=True)
    table.add_column("found")
    table.add_column("number", justify="right")
    table.add_column("where, and what it means", ratio=1)
    for code, group, examples in rows:
        kind = CODES[code]
        name = Text(code, _COLOURS[kind.severity])
        name.append(f"\n{kind.severity}", "not bold dim")
        story = Text("\n".join(examples))
        story.append(f"\n{kind.meaning} {kind.help}", "italic")
        table.add_row(name, f"{len(group):,}", story)
    Console().print(table)
