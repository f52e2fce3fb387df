"""The verb `gdal-driver`."""

from __future__ import annotations

import click

from ..gdal_driver import FOLDER


@click.command("gdal-driver")
def driver_command() -> None:
    """Print the folder of the driver with which GDAL reads .spl files, for GDAL_PYTHON_DRIVER_PATH."""
    click.echo(FOLDER)
