"""The options that verbs share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Callable, TypeVar

import click
from click.core import ParameterSource

from .. import convert, fitting
from ..errors import OptionError
from ..formats import vector
from ..roll import DEGREES, UNITS, VERTICAL
from ..terrain import MODES, HeightOptions
from ..topology import CROSSINGS, NetworkOptions
from .up import up_option

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


def _weld(context: click.Context, option: click.Parameter, text: str) -> float | None:
    """Read a distance, or none."""
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a distance in metres nor 'none'") from None


def _number_or_name(context: click.Context, option: click.Parameter, text: str | None) -> float | str | None:
    """Read a number, or the name of a column."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def refuse_idle(context: click.Context, names: Iterable[str], what: str) -> None:
    """Refuse options that were given although they do nothing for this job.

    Parameters
    ----------
    context : click.Context
        Knows what was given.
    names : iterable of str
        Parameters that do nothing here.
    what : str
        What the job is.

    Raises
    ------
    OptionError
        Naming the options.
    """
    refuse_given(context, names, f"for {what}")


def refuse_given(context: click.Context, names: Iterable[str], when: str) -> None:
    """Refuse options that do nothing in a case, such as "without --z"; see `refuse_idle`."""
    idle = {name for name in names if context.get_parameter_source(name) == ParameterSource.COMMANDLINE}
    flags = [parameter.opts[0] for parameter in context.command.params if parameter.name in idle]
    if flags:
        raise OptionError(f"{', '.join(flags)} does nothing {when}: leave it out")


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
    click.option(
        "--crs",
        metavar="CRS",
        help="Projected CRS that the scene's frame is built on; 'local' for one at the origin.",
    ),
    click.option(
        "--origin",
        metavar="lat=..,lon=..[,h=..]",
        help="Where the scene's (0,0,0) lies; or x=..,y=..[,h=..] in --crs and its units.",
    ),
    click.option("--rotation", type=float, metavar="DEG", help="Scene y axis, clockwise from grid north."),
    up_option("--topocentric", "Tangent plane at --origin: x east, y north, z up."),
    click.option(
        "--frame",
        "frame_path",
        type=IN,
        metavar="FILE",
        help="Take the frame from another .spl (its sidecar), a UNIGINE .world, a .prj or PROJJSON.",
    ),
    click.option(
        "--node",
        metavar="x=..,y=..[,z=..]|auto",
        help="Where in the scene the node stands that the points are relative to; auto = amid the data.",
    ),
    click.option(
        "--node-name", metavar="NAME", help="The node in the .world; default: the one that shows the .spl."
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
curves = _options(
    click.option(
        "--fit",
        type=click.Choice(list(fitting.METHODS)),
        default="best",
        show_default=True,
        help="Few curves within the tolerance; or one for each edge (vertices, unigine).",
    ),
    click.option(
        "--tolerance",
        type=float,
        metavar="M",
        help="Greatest deviation of curves (default 0.1), or of flattened lines (default 0.01).",
    ),
    click.option(
        "--z-tolerance", type=float, metavar="M", help="The same for heights; default: --tolerance."
    ),
    click.option(
        "--bulge",
        type=float,
        metavar="M",
        help="How much further a curve may leave the edge between two vertices that imply an arc "
        "(default 1; 0 = not at all).",
    ),
    click.option(
        "--corner", type=float, metavar="DEG", help="Turns above this stay sharp; default: by form."
    ),
    click.option("--max-length", type=float, metavar="M", help="Cut longer segments into equal parts."),
)
network = _options(
    click.option(
        "--weld",
        metavar="M|none",
        default="0.01",
        show_default=True,
        callback=_weld,
        help="Vertices within this distance in plan become one point; 0 = equal ones, none = not even those.",
    ),
    click.option(
        "--weld-z",
        type=float,
        metavar="M",
        default=2.0,
        show_default=True,
        help="The same in height: what is further apart is not joined.",
    ),
    click.option(
        "--snap-ends/--no-snap-ends",
        default=True,
        show_default=True,
        help="Join a line's end within the weld distance of the inside of another line.",
    ),
    click.option(
        "--crossings",
        type=click.Choice(list(CROSSINGS)),
        default="none",
        show_default=True,
        help="Join lines of one level where they cross without a shared vertex.",
    ),
    click.option(
        "--level",
        metavar="FIELD",
        help="Field with the level as a number; default: OpenStreetMap's layer, bridge and tunnel.",
    ),
    click.option(
        "--through/--no-through",
        default=True,
        show_default=True,
        help="Lead the road that goes on smoothly through junctions.",
    ),
    click.option(
        "--merge",
        is_flag=True,
        help="Fit lines that meet end to end as one road, where their attributes agree.",
    ),
    click.option(
        "--merge-by", metavar="A,B,..", callback=_names, help="Columns that must agree; default: all."
    ),
    click.option("--drop-duplicates", is_flag=True, help="Leave out lines with the vertices of another."),
    click.option(
        "--min-component", type=float, metavar="M", default=0.0, help="Leave out shorter separate networks."
    ),
    click.option("--min-dangle", type=float, metavar="M", default=0.0, help="Leave out shorter dead ends."),
)
heights = _options(
    click.option(
        "--z",
        multiple=True,
        metavar="source|FIELD|DEM|NUMBER",
        help="Heights: those of the lines (source, the default), a field, the ground (a raster file, or a "
        "folder of tiles; may be repeated, the first that knows a height counts), or a number.",
    ),
    click.option(
        "--z-mode",
        type=click.Choice(MODES),
        default="replace",
        show_default=True,
        help="What becomes of the lines' own heights: replaced by --z, filled where they are missing, or --z "
        "is added.",
    ),
    click.option("--z-offset", type=float, metavar="M", default=0.0, help="Added to all heights."),
    click.option("--dem-crs", metavar="CRS", help="CRS of rasters that have none, or a wrong one."),
    click.option(
        "--dem-nodata", type=float, metavar="NUMBER", help="What means unknown, besides what rasters say."
    ),
    click.option(
        "--dem-interpolation",
        type=click.Choice(["bilinear", "cubic"]),
        default="bilinear",
        show_default=True,
        help="Between the cells of a raster.",
    ),
    click.option(
        "--smooth-profile",
        type=float,
        metavar="M",
        help="Smooth roads on the ground over this length; default: 25, fast roads of OpenStreetMap up to "
        "100, and two cells at least.",
    ),
    click.option(
        "--max-grade", type=float, metavar="PERCENT", help="Let roads on the ground be no steeper than this."
    ),
    click.option(
        "--clearance",
        type=float,
        metavar="M",
        default=HeightOptions.clearance,
        show_default=True,
        help="Room between roads where one passes over another on a bridge, or below in a tunnel.",
    ),
)
HEIGHTS = (
    *("z", "z_mode", "z_offset", "dem_crs", "dem_nodata", "dem_interpolation"),
    *("smooth_profile", "max_grade", "clearance"),
)
"""Options that say where heights come from."""
ups = _options(
    click.option(
        "--up",
        metavar="vertical|terrain|bank|FIELD",
        default=VERTICAL,
        show_default=True,
        help="How roads lean: not at all, as the ground of --z does, by curvature and design speed, or by a "
        "field with the roll (positive = to the right).",
    ),
    click.option(
        "--up-unit",
        type=click.Choice(list(UNITS)),
        default=DEGREES,
        show_default=True,
        help="Unit of the roll in FIELD.",
    ),
    click.option(
        "--design-speed",
        metavar="KM/H|FIELD",
        callback=_number_or_name,
        help="Speed that curves are banked for; default: the field maxspeed, else by road class.",
    ),
    click.option(
        "--max-superelevation",
        type=float,
        metavar="PERCENT",
        default=8.0,
        show_default=True,
        help="Greatest superelevation of a bank.",
    ),
    click.option(
        "--runoff",
        type=float,
        metavar="M",
        help="Length over which a road turns from level to its greatest roll; default: that of 2 s.",
    ),
)
UPS = ("up", "up_unit", "design_speed", "max_superelevation", "runoff")
"""Options that say how roads lean."""
READING = ("layer", "where", "bbox", "encoding", "source_crs")
"""Options that say what is read of a file of lines."""
FOR_GRAPHS = (
    *READING,
    *(field.name for field in dataclasses.fields(NetworkOptions)),
    *(
        *HEIGHTS,
        "fit",
        "z_tolerance",
        "bulge",
        "corner",
        "max_length",
        *UPS,
        "keep_source",
        "update",
        "allow_renumber",
        "rejects_path",
    ),
)
"""Options for making a graph of lines."""
FOR_LINES = ("to_crs", "kind", "exact")
"""Options for making lines of a graph."""
output = _options(
    click.option("--report", "report_path", type=IN, metavar="FILE.json", help="Write what happened."),
    click.option("--strict", is_flag=True, help="Any warning or refused feature is an error."),
    click.option("--overwrite", is_flag=True, help="Replace existing files."),
    click.option("--quiet", is_flag=True, help="Say nothing but warnings and errors."),
)
