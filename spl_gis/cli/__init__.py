"""The command line: arguments to verbs."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 an error, 2 wrong usage, 3 findings, 130 interrupted."""
    for stop in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, stop):
            signal.signal(getattr(signal, stop), _interrupt)
    try:
        code = _exit_code()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: nothing was written\n")
        code = 130
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _exit_code() -> int:
    import click  # here, so that an interrupt while libraries are loaded is met as any other

    from ..errors import OptionError, SplGisError
    from .group import cli

    try:
        code = cli.main(standalone_mode=False)
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (SplGisError, OSError, RecursionError) as error:
        click.echo(f"error: {error}", err=True)
        return 2 if isinstance(error, OptionError) else 1
    except MemoryError:
        click.echo("error: there is not enough memory for this: take a part of the data", err=True)
        return 1
    return int(code or 0)  # what a verb exits with; most give nothing
