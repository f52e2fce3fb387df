"""The group of verbs; each is loaded when it is used, so that `--version` does not wait for the others."""

from __future__ import annotations

import importlib

import click

from .. import __version__

VERBS = {
    "convert": "verbs:convert_command",
    "reproject": "verbs:reproject_command",
    "info": "verbs:info_command",
    "check": "check:check_command",
    "view": "view:view_command",
    "tile": "tile:tile_command",
    "gdal-driver": "driver:driver_command",
}
"""Module and name of each verb, in this folder."""


class Verbs(click.Group):
    """A group whose commands are those of `VERBS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of all verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a verb; None = there is no such verb."""
        if cmd_name not in VERBS:
            return None
        module, name = VERBS[cmd_name].split(":")
        command = getattr(importlib.import_module(f".{module}", __package__), name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="spl-gis %(version)s")
def cli() -> None:
    """Convert road networks between GIS files and UNIGINE spline graphs (.spl)."""
