"""The options that verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, TypeVar

import click

from .. import convert
from ..formats import vector

Function = TypeVar("Function", bound=Callable[..., Any])
POINTS = "points"
"""The kind of layer that is no lines."""
IN = click.Path(path_type=Path)


def _options(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Make one decorator of several options, in the order given."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _box(context: click.Context, option: click.Parameter, text: str | None) -> list[float] | None:
    """Read four numbers."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 4:
        raise click.BadParameter(f"{text!r} is not four numbers such as 13.2,52.4,13.5,52.6")
    return numbers


def _names(context: click.Context, option: click.Parameter, text: str | None) -> list[str] | None:
    """Read names that commas part."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


reading = _options(
    click.option("--layer", metavar="NAME", multiple=True, help="Layer to read; may be repeated."),
    click.option("--where", metavar="SQL", help="Read only features for which this holds."),
    click.option(
        "--bbox",
        metavar="X0,Y0,X1,Y1",
        callback=_box,
        help="Read only features in this box, in the layer's CRS.",
    ),
    click.option("--encoding", metavar="NAME", help="Text encoding of a shapefile that does not say it."),
    click.option("--engine", type=click.Choice(list(vector.ENGINES)), default="pyogrio", show_default=True),
    click.option(
        "--source-crs",
        metavar="CRS",
        help="CRS of an input that has none, or a wrong one; 'none' for an input without a place.",
    ),
)
framing = _options(
    click.option("--crs", metavar="CRS", help="Projected CRS that the scene's frame is built on."),
    click.option(
        "--origin",
        metavar="lat=..,lon=..[,h=..]",
        help="Where the scene's (0,0,0) lies; or x=..,y=..[,h=..] in --crs and its units.",
    ),
    click.option("--rotation", type=float, metavar="DEG", help="Scene y axis, clockwise from grid north."),
    click.option("--topocentric", is_flag=True, help="Tangent plane at --origin: x east, y north, z up."),
    click.option(
        "--frame",
        "frame_path",
        type=IN,
        metavar="FILE",
        help="Take the frame from another .spl (its sidecar), a .prj or PROJJSON.",
    ),
)
way_back = _options(
    click.option(
        "--as",
        "kind",
        type=click.Choice([*convert.KINDS, POINTS]),
        multiple=True,
        help="What the lines of a graph are; several become layers of one .gpkg.",
    ),
    click.option(
        "--keep-source", is_flag=True, help="Keep the source's vertices beside the .spl, for --exact."
    ),
    click.option("--exact", is_flag=True, help="Give the source's own vertices where nothing was changed."),
    click.option("--fields", metavar="A,B,..", callback=_names, help="Columns to keep; default: all."),
    click.option(
        "--update",
        is_flag=True,
        help="Update OUT.spl with its frame and options: what is unchanged keeps its index.",
    ),
    click.option(
        "--allow-renumber", is_flag=True, help="With --update: close the gaps that deleted ones leave."
    ),
)
output = _options(
    click.option("--report", "report_path", type=IN, metavar="FILE.json", help="Write what happened."),
    click.option("--strict", is_flag=True, help="Any warning or refused feature is an error."),
    click.option("--overwrite", is_flag=True, help="Replace existing files."),
    click.option("--quiet", is_flag=True, help="Say nothing but warnings and errors."),
)
