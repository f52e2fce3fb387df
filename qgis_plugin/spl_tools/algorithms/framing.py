"""The parameters that place a scene on Earth."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import NamedTuple

import numpy as np
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsProcessingParameterCrs,
    QgsProcessingParameterFile,
    QgsProcessingParameterPoint,
    QgsProcessingParameterString,
)

from ..adapter import to_pyproj
from ..spl_gis import frames
from ..spl_gis.errors import GeoreferenceError, OptionError
from ..spl_gis.formats import frame as frame_file
from ..spl_gis.formats import world
from ..words import tr
from .parameters import add, choice, number, optional_number

KINDS = (
    ("Map frame over the scene CRS", None, None),
    ("Map frame with true metres at the origin", frames.LOCAL, None),
    ("Topocentric: east, north, up at the origin", None, frames.NORMAL),
    ("Topocentric as UNIGINE's GeodeticPivot has it", None, frames.UNIGINE),
)
"""Kinds of frames: label, base, and the up of a topocentric one."""

WGS84 = "EPSG:4326"


class Framing(NamedTuple):
    """What is given of a frame; nothing = the core chooses."""

    base: object
    origin: frames.Origin | None
    rotation: float
    topocentric: str | None
    file: Path | None
    node: str | None

    @property
    def given(self):
        """Tell whether anything is given."""
        return any(self)


def add_framing(algorithm, prefix="", of=""):
    """Add the parameters; `of` says whose frame it is, when there are two."""
    add(
        algorithm,
        QgsProcessingParameterCrs(f"{prefix}CRS", tr(f"Scene CRS{of}"), optional=True),
        "Projected CRS that the scene is laid over. Empty: as the help of the algorithm says.",
    )
    add(
        algorithm,
        QgsProcessingParameterPoint(f"{prefix}ORIGIN", tr(f"Origin{of}"), optional=True),
        "Where the scene's (0, 0, 0) is: pick it on the map. A point without a CRS of its own is in "
        "the scene "
        "CRS, or without that longitude, latitude.",
    )
    add(
        algorithm,
        QgsProcessingParameterFile(
            f"{prefix}FRAME_FILE",
            tr(f"{'Take the frame from' if not of else f'Frame{of} from'}"),
            QgsProcessingParameterFile.Behavior.File,
            optional=True,
            fileFilter=tr("Scenes (*.spl *.world *.prj *.json);;All files (*)"),
        ),
        "Another .spl with its sidecar, a UNIGINE .world, a .prj or a PROJJSON file, instead of CRS "
        "and origin.",
    )
    _add_more(algorithm, prefix, of)


def _add_more(algorithm, prefix, of):
    labels = [label for label, _, _ in KINDS]
    add(
        algorithm,
        choice(f"{prefix}FRAME_KIND", f"Kind of frame{of}", labels),
        "What the scene's x and y are. All but the first need an origin, and no scene CRS.",
        advanced=True,
    )
    add(
        algorithm,
        number(f"{prefix}ORIGIN_HEIGHT", f"Height of the origin{of} [m]"),
        "Height of the scene's z = 0. Empty: heights are those of the data.",
        advanced=True,
    )
    add(
        algorithm,
        number(f"{prefix}ROTATION", f"Rotation{of} [degrees]", 0.0, -360.0, 360.0),
        "Where the scene's y axis points, clockwise from grid north.",
        advanced=True,
    )
    name = QgsProcessingParameterString(f"{prefix}NODE_NAME", tr(f"Name of the node{of}"), optional=True)
    add(
        algorithm,
        name,
        "When the frame is taken from a .world: the node in it that shows the graph. Empty: the one that the "
        ".spl.meta beside the graph tells.",
        advanced=True,
    )


def read_framing(algorithm, parameters, context, prefix=""):
    """Read what is given.

    Raises
    ------
    OptionError
        When it contradicts itself.
    """
    crs = algorithm.parameterAsCrs(parameters, f"{prefix}CRS", context)
    height = optional_number(algorithm, parameters, f"{prefix}ORIGIN_HEIGHT", context)
    origin = _origin(algorithm, parameters, f"{prefix}ORIGIN", context, crs, height)
    _, base, topocentric = KINDS[algorithm.parameterAsEnum(parameters, f"{prefix}FRAME_KIND", context)]
    if base and crs.isValid():
        raise OptionError("a map frame with true metres has a base of its own: leave out --crs")
    path = algorithm.parameterAsFile(parameters, f"{prefix}FRAME_FILE", context)
    rotation = algorithm.parameterAsDouble(parameters, f"{prefix}ROTATION", context)
    node = algorithm.parameterAsString(parameters, f"{prefix}NODE_NAME", context) or None
    file = Path(path) if path else None
    given = Framing(base or to_pyproj(crs), origin, rotation, topocentric, file, node)
    if node is not None and (file is None or file.suffix.lower() != world.SUFFIX):
        raise OptionError("--node-name is the name of a node in a .world: give that with --frame")
    if file is not None and given._replace(file=None, node=None).given:
        raise OptionError("--frame already says all: leave out --crs, --origin, --rotation and --topocentric")
    if height is not None and origin is None:
        raise OptionError(tr("a height of the origin needs --origin"))
    if topocentric is not None and (crs.isValid() or rotation):
        raise OptionError("a topocentric frame has neither --crs nor --rotation: leave them out")
    return given


def _origin(algorithm, parameters, name, context, crs, height):
    """Read the origin: latitude and longitude if it is in WGS 84, else x and y in the scene CRS."""
    if parameters.get(name) in (None, ""):
        return None
    own = algorithm.parameterAsPointCrs(parameters, name, context)
    if crs.isValid() and own.authid() != WGS84:
        point = algorithm.parameterAsPoint(parameters, name, context, crs)
        return frames.Origin(x=point.x(), y=point.y(), h=height)
    point = algorithm.parameterAsPoint(parameters, name, context, QgsCoordinateReferenceSystem(WGS84))
    return frames.Origin(lat=point.y(), lon=point.x(), h=height)


def frame_for(given: Framing, coords, crs, report, graph, *, reading=False):
    """Build the frame of a scene for some lines.

    Parameters
    ----------
    given : Framing
        What the user says.
    coords, crs
        Vertices (K, 3) and CRS of the lines.
    report : Report
        Told what the frame is.
    graph : Path
        The .spl that is in this frame: a world is looked through for it.
    reading : bool
        Whether that .spl is there already.
    """
    if given.file is not None:
        frame = frame_file.read(given.file, graph=graph, node_name=given.node, reading=reading, report=report)
    else:
        frame = frames.scene_frame(
            coords,
            crs,
            base=given.base,
            origin=given.origin,
            rotation=given.rotation,
            topocentric=given.topocentric,
        )
    report.note(str(frames.describe(frame)))
    return frame


def placed(graph, path, given: Framing, report):
    """Give a graph that was read the frame that the user says it is in, if any."""
    if not given.given:
        return graph
    if given.file is None and given.origin is None:
        raise OptionError("to place a .spl, say where its (0,0,0) is: give --origin, or --frame")
    frame = frame_for(given, np.zeros((1, 3)), None, report, path, reading=True)
    named = given.base is not None and given.base != frames.LOCAL
    return dataclasses.replace(graph, crs=frame, source_crs=given.base if named else None)


def require_place(graph, path, option):
    """Refuse a graph without a place on Earth."""
    if graph.crs is None:
        raise GeoreferenceError(tr("{} does not say where it is: give {}").format(path.name, option))
