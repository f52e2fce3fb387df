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


def show_table(title: str, report: Report) -> None:
    """Print how much was read, converted, repaired and refused, and what the network is."""
    rows = report.table()
    if not sys.stdout.isatty():
        width = max((len(name) for name, _ in rows), default=0)
        click.echo("\n".join([title, *(f"  {name.ljust(width)}  {value}" for name, value in rows)]))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name, value in rows:
        table.add_row(name, value)
    Console().print(table, markup=False)


def say(report: Report, quiet: bool) -> None:
    """Tell what was chosen, and on the error stream what the user should look at."""
    if not quiet:
        for sentence in report.notes + [f"repaired: {line}" for line in by_reason(report.repaired)]:
            click.echo(f"  {sentence}")
    for sentence in report.warnings + [f"refused: {line}" for line in by_reason(report.refused)]:
        click.echo(f"warning: {sentence}", err=True)
