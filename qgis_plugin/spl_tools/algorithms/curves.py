"""The parameters that say how lines become a network of curves."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from qgis.core import QgsProcessing, QgsProcessingParameterFeatureSource, QgsProcessingParameterField

from ..spl_gis.fitting.curves import FitOptions
from ..spl_gis.topology import CROSSINGS, NetworkOptions
from ..words import tr
from .parameters import add, choice, field_names, metres, number, optional_number, switch

FITS = (
    ("best", "Best: as few curves as can be"),
    ("fast", "Fast: some more curves in a third of the time"),
    ("vertices", "Vertices: one smooth curve for each edge"),
    ("unigine", "As UNIGINE imports lines: one curve for each edge"),
)
"""Fit methods of the core, and what they are called here."""

CURVES = ("tolerance", "z_tolerance", "bulge", "corner", "max_length")
"""What can be chosen of a fit."""

CROSSING_LABELS = {"none": "Leave them", "split": "Join lines of one level"}


class Wanted(NamedTuple):
    """How lines become a graph."""

    fit: str
    options: FitOptions
    network: NetworkOptions

    def as_options(self):
        """Give them as the command line records them, so that its --update goes on with them."""
        curves = {name: getattr(self.options, name) for name in CURVES}
        return {"fit": self.fit, **curves, **dataclasses.asdict(self.network)}


def add_lines(algorithm):
    """Add the layer that is read."""
    add(
        algorithm,
        QgsProcessingParameterFeatureSource("INPUT", tr("Lines"), [QgsProcessing.SourceType.TypeVectorLine]),
        "The network. Arcs become polylines; what is no line, or a broken one, is refused and named "
        "in the log.",
    )


def add_curves(algorithm):
    """Add the parameters of fit and network."""
    add(algorithm, choice("FIT", "Curves", [label for _, label in FITS]), "How polylines become curves.")
    add(
        algorithm,
        metres("TOLERANCE", "Tolerance", 0.1),
        "Greatest distance between the vertices and the curve. It is proved for each curve.",
    )
    add(
        algorithm,
        metres("WELD", "Weld distance", 0.01),
        "Vertices within this distance become one point: roads meet there. 0: only equal ones.",
    )
    _add_fine(algorithm)
    _add_network(algorithm)


def _add_fine(algorithm):
    for parameter, text in (
        (metres("Z_TOLERANCE", "Height tolerance"), "The same for heights. Empty: as the tolerance."),
        (
            metres("BULGE", "Bulge", 1.0),
            "How much further a curve may leave the edge between two vertices that imply an arc. 0: "
            "not at all.",
        ),
        (
            number("CORNER", "Corner angle [degrees]", None, 0.0, 180.0),
            "Sharper turns stay corners. Empty: judged by their form.",
        ),
        (
            metres("MAX_LENGTH", "Greatest length of a segment"),
            "Longer segments are cut into equal parts. Empty: no limit.",
        ),
    ):
        add(algorithm, parameter, text, advanced=True)


def _add_network(algorithm):
    level = QgsProcessingParameterField(
        "LEVEL", tr("Level field"), parentLayerParameterName="INPUT", optional=True
    )
    crossings = choice("CROSSINGS", "Crossings without a shared vertex", CROSSING_LABELS.values())
    by = QgsProcessingParameterField(
        "MERGE_BY",
        tr("Fields that must agree"),
        parentLayerParameterName="INPUT",
        allowMultiple=True,
        optional=True,
    )
    for parameter, text in (
        (
            metres("WELD_Z", "Weld distance in height", 2.0),
            "Vertices that are further apart in height stay two points.",
        ),
        (
            switch("SNAP_ENDS", "Join ends to the inside of lines", True),
            "An end within the weld distance of another line joins it there.",
        ),
        (crossings, "What is done where lines cross without a vertex in common."),
        (level, "Field with the level as a number. Empty: layer, bridge and tunnel of OpenStreetMap."),
        (
            switch("THROUGH", "Smooth through junctions", True),
            "The road that goes on is led smoothly through a junction.",
        ),
        (
            switch("MERGE", "Merge lines", False),
            "Lines that meet end to end and whose attributes agree are fitted as one road.",
        ),
        (by, "When lines are merged: the fields whose values must agree. Empty: all."),
        (
            switch("DROP_DUPLICATES", "Leave out duplicates", False),
            "Lines with the vertices of another one are left out.",
        ),
        (metres("MIN_COMPONENT", "Least length of a separate network", 0.0), "Shorter ones are left out."),
        (metres("MIN_DANGLE", "Least length of a dead end", 0.0), "Shorter ones are left out."),
    ):
        add(algorithm, parameter, text, advanced=True)


def read_curves(algorithm, parameters, context):
    """Read the parameters; raises the core's errors when they make no sense."""

    def real(name):
        return algorithm.parameterAsDouble(parameters, name, context)

    def yes(name):
        return algorithm.parameterAsBoolean(parameters, name, context)

    level, by = (field_names(algorithm, parameters, name, context) for name in ("LEVEL", "MERGE_BY"))
    options = FitOptions(
        tolerance=real("TOLERANCE"),
        z_tolerance=optional_number(algorithm, parameters, "Z_TOLERANCE", context),
        bulge=real("BULGE"),
        corner=optional_number(algorithm, parameters, "CORNER", context),
        max_length=optional_number(algorithm, parameters, "MAX_LENGTH", context),
    )
    network = NetworkOptions(
        weld=real("WELD"),
        weld_z=real("WELD_Z"),
        snap_ends=yes("SNAP_ENDS"),
        crossings=CROSSINGS[algorithm.parameterAsEnum(parameters, "CROSSINGS", context)],
        level=level[0] if level else None,
        through=yes("THROUGH"),
        merge=yes("MERGE"),
        merge_by=by or None,
        drop_duplicates=yes("DROP_DUPLICATES"),
        min_component=real("MIN_COMPONENT"),
        min_dangle=real("MIN_DANGLE"),
    )
    return Wanted(FITS[algorithm.parameterAsEnum(parameters, "FIT", context)][0], options, network)
