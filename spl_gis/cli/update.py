"""`convert --update`: a source that has changed, into the `.spl` that was made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from .. import formats
from ..errors import FileAccessError, OptionError
from ..formats import sidecar
from .jobs import FRAMING

OWN = {
    *FRAMING,
    "source",
    "target",
    "report_path",
    "strict",
    "overwrite",
    "quiet",
    "update",
    "allow_renumber",
}
"""Options that belong to one run, or are in the frame."""


def recorded(target: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Give the options that the graph was made with, where the command line does not say otherwise.

    Raises
    ------
    FileAccessError, FormatError, OptionError
        When there is nothing to update, or it should be placed elsewhere.
    """
    if not formats.is_graph(target):
        raise OptionError("--update is for a .spl file: IN is lines, and OUT.spl was made of them before")
    if any(given[name] for name in FRAMING):
        raise OptionError("--update keeps the frame: leave out the options that place the scene")
    beside = sidecar.beside(target)
    if not target.exists() or not beside.exists():
        raise FileAccessError(f"--update needs {target} and {beside.name} beside it")
    context = click.get_current_context()
    silent = {name for name in given if context.get_parameter_source(name) == ParameterSource.DEFAULT}
    before = sidecar.read_options(beside)
    reused = {name: value for name, value in before.items() if name in silent - OWN}
    return {**reused, "overwrite": True}
