"""`--up` and its like: how roads lean, as it is written on the command line."""

from __future__ import annotations

from typing import Any

import click

from ..roll import BANK, TERRAIN, VERTICAL, UpOptions
from .options import UPS, refuse_idle

_FOR_FIELDS, _FOR_BANKS = ("up_unit",), ("max_superelevation",)
_IDLE = {
    VERTICAL: UPS[1:],
    TERRAIN: (*_FOR_FIELDS, *_FOR_BANKS),
    BANK: _FOR_FIELDS,
}
"""Options that do nothing for each source of up vectors."""


def ups_of(given: dict[str, Any]) -> UpOptions:
    """Read how roads lean.

    Raises
    ------
    OptionError
        When an option does nothing, or has a value that means nothing.
    """
    source = given["up"]
    refuse_idle(click.get_current_context(), _IDLE.get(source, _FOR_BANKS), f"--up {source}")
    names = {"up": "source", "up_unit": "unit"}
    return UpOptions(**{names.get(name, name): given[name] for name in UPS})


def refuse_ups(what: str) -> None:
    """Refuse up vectors for a layer of ours, which has its own."""
    refuse_idle(click.get_current_context(), UPS, f"{what}, which have up vectors of their own")
