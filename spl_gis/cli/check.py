"""The verb `check`: what is wrong with a `.spl` file, and mending it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .. import checks, formats
from ..checks import Finding, Limits
from ..errors import FileAccessError, OptionError
from ..formats import sidecar
from ..formats.checked import Checked, check_file, mend_file
from ..report import Report
from .findings import as_json, show
from .options import IN, refuse_idle
from .run import check_files
from .terminal import progress_bar, say

FOR_REPAIR = ("tolerance", "allow_renumber", "overwrite")
"""Options that do nothing without `--repair`."""

FOUND = 3
"""Exit code when something was found."""


@click.command("check")
@click.argument("source", metavar="IN.spl", type=IN)
@click.option("--json", "for_machines", is_flag=True, help="All findings, for machines.")
@click.option("--strict", is_flag=True, help="Exit with 3 for warnings too, not only for errors.")
@click.option(
    "--min-radius", "radius", type=float, default=Limits.radius, show_default=True, metavar="M",
    help="Least radius of curves.",
)  # fmt: skip
@click.option(
    "--max-grade", "grade", type=float, default=Limits.grade, show_default=True, metavar="PERCENT",
    help="Greatest grade.",
)  # fmt: skip
@click.option(
    "--clearance", type=float, default=Limits.clearance, show_default=True, metavar="M",
    help="Least height of a bridge above what it crosses.",
)  # fmt: skip
@click.option("--repair", "target", type=IN, metavar="OUT.spl", help="Write what can be mended, mended.")
@click.option(
    "--tolerance", type=float, default=checks.TOLERANCE, show_default=True, metavar="M",
    help="How far --repair may move a curve.",
)  # fmt: skip
@click.option(
    "--allow-renumber", is_flag=True,
    help="Let --repair drop segments without length and unused points; later ones move up.",
)  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace OUT.spl.")
def check_command(source: Path, target: Path | None, for_machines: bool, strict: bool, **given: Any) -> None:
    """Say what is wrong with a spline graph, where, and what that means in the engine.

    Exits with 0 when there are no errors, with 3 when there are some, with 1 when the file cannot be read.
    With --repair, what counts is what is left in OUT.spl.
    """
    _check_names(source, target, given["overwrite"])
    limits = Limits(**{name: given[name] for name in ("radius", "grade", "clearance")})
    report = Report()
    with progress_bar(for_machines) as progress:
        before = after = check_file(source, limits, report=report, progress=progress)
    mended = Report()
    if target and before.graph is not None:
        some = {name: given[name] for name in FOR_REPAIR}
        after = mend_file(source, target, before, limits, **some, report=mended)
    if for_machines:
        click.echo(json.dumps(as_json(source, before, (target, after, mended)), ensure_ascii=False, indent=2))
    else:
        _show(source, before, (target, after, mended))
        say(report, quiet=False)
    if target and before.graph is None:
        click.echo(f"warning: {target} is not written: mend the broken values of {source} first", err=True)
    if _bad(after.findings, strict):
        click.get_current_context().exit(FOUND)


def _check_names(source: Path, target: Path | None, overwrite: bool) -> None:
    """Refuse what cannot be done, before anything is done."""
    if target is None:
        refuse_idle(click.get_current_context(), FOR_REPAIR, "a check without --repair")
    for path in (source, target):
        if path and not formats.is_graph(path):
            raise OptionError(f"{path} is not a .spl file, which is what this verb is for")
    if target is None:
        return
    check_files(source, target, {"overwrite": overwrite})
    own, others = sidecar.find(source), sidecar.beside(target)
    if own is None and others.exists():
        raise FileAccessError(
            f"{others} belongs to the file that is there now, not to {source}: move it away, or choose "
            "another OUT.spl"
        )


def _show(source: Path, before: Checked, repair: tuple[Path | None, Checked, Report]) -> None:
    target, after, mended = repair
    show(source, before)
    if target and before.graph is not None:
        say(mended, quiet=False)
        if after is before:
            same = os.path.realpath(source) == os.path.realpath(target)
            what = "as it was" if same else f"a copy of {source}, byte for byte"
            click.echo(f"{target}: {what}; nothing in it could be mended")
        else:
            show(target, after)


def _bad(found: Sequence[Finding], strict: bool) -> bool:
    severities = ("error", "warning") if strict else ("error",)
    return any(one.severity in severities for one in found)
