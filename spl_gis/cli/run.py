"""From file to file: check what is asked, do the job, write, and say what happened."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable

from .. import formats, info
from ..errors import FileAccessError, OptionError, SplGisError
from ..files import whole_file
from ..formats import sidecar
from ..model import LineStrings, Points, SplineGraph
from ..report import Progress, Report, by_reason, part_of
from . import memory, rejects
from .terminal import progress_bar, say, show_table

Job = Callable[[Path, "dict[str, Any]", Report, Progress], "list[LineStrings | Points] | SplineGraph"]


def run(job: Job, source: Path, target: Path, given: dict[str, Any]) -> None:
    """Do a job from file to file, and say what happened.

    The output appears last, when all else has gone well.
    """
    check_files(source, target, given)
    report, overwrite = Report(), given["overwrite"]
    with progress_bar(given["quiet"]) as progress, whole_file(target, overwrite=overwrite) as scratch:
        data = job(source, given, report, progress)
        if isinstance(data, SplineGraph):
            report.network, report.frame = info.network(data), info.place(data.crs)
        if given.get("rejects_path"):
            rejects.write(source, given["rejects_path"], given, report)
        graph = isinstance(data, SplineGraph)
        more = {"options": asked(given)} if graph else {"engine": given["engine"]}
        progress(0.6, "writing")
        formats.write(data, scratch, report=report, progress=part_of(progress, 0.6, 1.0), **more)
        report.measures.update(memory.peak())  # after the sidecar, which is the same in every run
        settle(given, report)
    tell(target, given, report)


def settle(given: dict[str, Any], report: Report) -> None:
    """Write the report that was asked for, and raise what `--strict` does not allow."""
    if given["report_path"]:
        with whole_file(given["report_path"], overwrite=given["overwrite"]) as file:
            file.write_text(json.dumps(report.to_dict(), ensure_ascii=False, indent=2), encoding="utf-8")
    if given["strict"]:
        _insist(report)


def tell(target: Path, given: dict[str, Any], report: Report) -> None:
    """Say what happened."""
    if not given["quiet"]:
        show_table(str(target), report)
    say(report, given["quiet"])


def check_files(source: Path, target: Path, given: dict[str, Any]) -> None:
    """Refuse outputs that cannot be written, or would replace each other, before anything is done."""
    extra = {name: given[key] for name, key in _EXTRA.items() if given.get(key)}
    if os.path.realpath(source) == os.path.realpath(target) and not given["overwrite"]:
        raise OptionError("IN and OUT are the same file: choose another OUT, or pass --overwrite")
    places = {"IN": source, "OUT": target, **extra}
    if formats.is_graph(target):
        places["the sidecar of OUT"] = sidecar.beside(target)
    for name, path in extra.items():
        same = [other for other in places if other != name and _same(path, places[other])]
        if same:
            raise OptionError(f"{name} and {same[0]} are the same file, {path}: choose another {name}")
    if "--rejects" in extra:
        formats.rejects.check_suffix(extra["--rejects"])
    for name, path in places.items():
        if name != "IN" and path.exists() and not given["overwrite"]:
            raise FileAccessError(f"{path} already exists: choose another name, or pass --overwrite")


_EXTRA = {"--report": "report_path", "--rejects": "rejects_path"}


def _same(first: Path, second: Path) -> bool:
    return os.path.realpath(first) == os.path.realpath(second)


def _insist(report: Report) -> None:
    """Make an error of what `--strict` does not allow."""
    troubles = report.warnings + [f"refused: {sentence}" for sentence in by_reason(report.refused)]
    if troubles:
        raise SplGisError("--strict: " + "; ".join(troubles))


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """Give the options that were given, as plain values."""
    kept = {name: value for name, value in given.items() if value != ()}
    return {name: str(value) if isinstance(value, Path) else value for name, value in kept.items()}
