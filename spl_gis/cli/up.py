"""Options for topocentric frames, whose value may be left out."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

import click

from .. import frames

Function = TypeVar("Function", bound=Callable[..., Any])
_UP = "[=unigine]"


def up_option(name: str, what: str) -> Callable[[Function], Function]:
    """Make an option for a topocentric frame, whose value says what is up."""
    return click.option(
        name,
        type=click.Choice(list(frames.UPS)),
        metavar=_UP,
        help=f"{what} With =unigine, z points away from the Earth's centre, as in UNIGINE's ENU.",
    )


class UpCommand(click.Command):
    """A command whose `up_option`s may stand alone; click would take the argument behind them for a value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give options that stand alone their value."""
        names = {option.opts[0] for option in self.params if option.metavar == _UP}
        whole: list[str] = []
        for arg in args:
            if whole and whole[-1] in names and arg in frames.UPS:
                whole[-1] += f"={arg}"
            else:
                whole.append(arg)
        return super().parse_args(ctx, [f"{arg}={frames.NORMAL}" if arg in names else arg for arg in whole])
