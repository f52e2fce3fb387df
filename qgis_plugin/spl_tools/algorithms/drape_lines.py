"""Lines on the ground."""

from __future__ import annotations

import numpy as np
from qgis.core import QgsProcessing, QgsProcessingOutputNumber, QgsProcessingParameterFeatureSink

from ..adapter import fields_of, lines_type, read_lines, to_qgis, write_features
from ..spl_gis import convert, frames, roll
from ..spl_gis.errors import OptionError
from ..spl_gis.model import Column, control_points
from ..spl_gis.report import Report
from ..words import tr
from .base import SplAlgorithm, part_of
from .curves import add_curves, add_lines, read_curves
from .heights import add_heights, read_heights
from .making import graph_of, per_feature, with_own
from .parameters import add

STEEPEST = "max_grade"
"""The field that is put before those of the layer."""


class DrapeLines(SplAlgorithm):
    """Lines on the ground."""

    NAME = "drape_lines"
    TITLE = "Drape lines on a terrain"
    TAGS = "drape,terrain,dem,elevation,profile,grade,height,bridge,tunnel"
    HELP = (
        "Lays a line layer on a terrain as 'Lines to .spl' does, and gives lines with these heights instead "
        "of a .spl.\n"
        "Heights are smoothed along the roads and through junctions, bridges and tunnels go straight from "
        "end to end and keep their clearance, and no road is steeper than the greatest grade, if one is "
        "given. The field max_grade has the steepest place of each feature in percent.\n"
        "In plan the lines are the curves that the graph would have, within the tolerance."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add_lines(self)
        add_heights(self)
        add_curves(self)
        add(
            self,
            QgsProcessingParameterFeatureSink(
                "OUTPUT", tr("Draped lines"), QgsProcessing.SourceType.TypeVectorLine
            ),
            "Lines with heights, in the CRS of the layer.",
        )
        if not self.addOutput(QgsProcessingOutputNumber("MAX_GRADE", tr("Greatest grade [%]"))):
            raise ValueError("QGIS does not take the output MAX_GRADE")

    def read_options(self, parameters, context):
        """Read the parameters."""
        heights = read_heights(self, parameters, context)
        if not heights.grounded:
            raise OptionError(tr("lines are laid on a ground: choose a terrain, or a height of the ground"))
        return heights, read_curves(self, parameters, context)

    def work(self, parameters, context, report, progress):
        """Make the graph, and lines of it."""
        heights, wanted = self.read_options(parameters, context)
        lines = read_lines(self.read_input(parameters, context, part_of(progress, 0.0, 0.2)), report)
        frame = frames.scene_frame(lines.coords, lines.crs)
        making = part_of(progress, 0.2, 0.7)
        graph = graph_of(lines, frame, wanted, context, report, making, heights=heights)
        flat = min(0.01, wanted.options.tolerance / 10)
        draped = convert.graph_to_lines(graph, tolerance=flat, to_crs=lines.crs, report=Report())
        steepest = _steepest(graph)
        none = np.zeros(len(steepest), bool)
        draped = with_own(draped, {STEEPEST: Column(steepest, none, "Real")})
        sink, where = self.open_sink(
            parameters, "OUTPUT", context, fields_of(draped.features), lines_type(draped), to_qgis(draped.crs)
        )
        write_features(sink, draped, part_of(progress, 0.8, 1.0))
        return {"OUTPUT": where, "MAX_GRADE": float(steepest.max(initial=0.0))}


def _steepest(graph):
    """Give the greatest grade of each feature in percent."""
    grades = np.abs(roll.greatest(roll.grades(control_points(graph))))
    steepest = np.zeros(len(graph.features))
    feature, segment = per_feature(graph)
    np.maximum.at(steepest, feature, grades[segment])
    return steepest
