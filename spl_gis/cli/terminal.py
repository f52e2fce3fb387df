"""What a person sees: a bar while it runs, and sentences at the end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import click

from ..report import Progress, Report, by_reason, silent


@contextlib.contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """Show a bar on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=1.0)
        yield lambda fraction, what: bar.update(task, completed=fraction, description=what, refresh=True)


def say(report: Report, quiet: bool) -> None:
    """Tell what was chosen, and on the error stream what the user should look at."""
    if not quiet:
        for sentence in report.notes + [f"repaired: {line}" for line in by_reason(report.repaired)]:
            click.echo(f"  {sentence}")
    for sentence in report.warnings + [f"refused: {line}" for line in by_reason(report.refused)]:
        click.echo(f"warning: {sentence}", err=True)
