"""What a person sees: a bar while it runs, and sentences at the end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

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


class Table(NamedTuple):
    """Rows of text under a title; the header may be empty."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def show_table(title: str, report: Report) -> None:
    """Print how much was read, converted, repaired and refused, and what the network is."""
    show([Table(title, (), report.table())], right=True)


def show(tables: Sequence[Table], *, right: bool = False) -> None:
    """Print tables that have rows: drawn on a terminal, as plain aligned text elsewhere."""
    for table in tables:
        if table.rows:
            _draw(table, right=right) if sys.stdout.isatty() else click.echo(_plain(table))


def _plain(table: Table) -> str:
    rows = [table.header, *table.rows] if table.header else list(table.rows)
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join([cell.ljust(width) for cell, width in zip(row, widths)]).rstrip() for row in rows]
    return "\n".join([table.title, *(f"  {line}" for line in lines)] if table.title else lines)


def _draw(table: Table, *, right: bool) -> None:
    from rich import table as rich
    from rich.console import Console
    from rich.text import Text

    drawn = rich.Table(title=table.title or None, title_justify="left", show_header=bool(table.header))
    for at, _ in enumerate(table.rows[0]):
        name = table.header[at] if table.header else ""
        drawn.add_column(
            name,
            style="bold" if at == 0 else "",
            justify="right" if right and at else "left",
            overflow="fold",
        )
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    Console().print(drawn, markup=False)


def say(report: Report, quiet: bool) -> None:
    """Tell what was chosen, and on the error stream what the user should look at."""
    if not quiet:
        for sentence in report.notes + [f"repaired: {line}" for line in by_reason(report.repaired)]:
            click.echo(f"  {sentence}")
    for sentence in report.warnings + [f"refused: {line}" for line in by_reason(report.refused)]:
        click.echo(f"warning: {sentence}", err=True)
