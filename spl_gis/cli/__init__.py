"""The command line: arguments to verbs."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from ..errors import OptionError, SplGisError
from .verbs import cli


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 an error, 2 wrong usage, 130 interrupted."""
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OptionError as error:
        click.echo(f"error: {error}", err=True)
        return 2
    except SplGisError as error:
        click.echo(f"error: {error}", err=True)
        return 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted: nothing was written", err=True)
        return 130
    return 0
