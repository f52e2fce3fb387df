"""What a tolerance would do to lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterFeatureSink,
    QgsProcessingUtils,
)

from .. import styling
from ..adapter import fields_of, lines_type, read_lines, to_qgis, write_features
from ..spl_gis import convert
from ..spl_gis.model import Column
from ..spl_gis.report import Report
from ..words import tr
from .base import SplAlgorithm, part_of
from .curves import add_curves, add_lines, read_curves
from .framing import add_framing, frame_for, read_framing
from .making import graph_of, per_feature, with_own
from .parameters import add, add_count

DEVIATIONS = {"vertex_deviation": "vertex deviation [m]", "curve_deviation": "curve deviation [m]"}
"""Fields, and what the report calls what is in them."""


class PreviewFit(SplAlgorithm):
    """What a tolerance would do to lines."""

    NAME = "preview_fit"
    TITLE = "Preview the curves of a tolerance"
    where = None
    TAGS = "fit,tolerance,deviation,simplify"
    HELP = (
        "Shows what 'Lines to .spl' would make of a line layer, without writing a file: the curve "
        "of each feature, "
        "how many segments it needs, and how far curve and line are from each other (no vertex is "
        "further from "
        "the curve than vertex_deviation, no place of the curve further from the line than curve_deviation; "
        "metres, empty for methods that do not prove it)."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add_lines(self)
        add_framing(self)
        add_curves(self)
        add(
            self,
            QgsProcessingParameterFeatureSink(
                "OUTPUT", tr("Curves"), QgsProcessing.SourceType.TypeVectorLine
            ),
            "A curve for each feature, in the CRS of the layer.",
        )
        add_count(self, "SEGMENT_COUNT", "segments")
        add_count(self, "EDGE_COUNT", "edges of the lines")

    def read_options(self, parameters, context):
        """Read the parameters."""
        return read_curves(self, parameters, context), read_framing(self, parameters, context)

    def work(self, parameters, context, report, progress):
        """Convert, and show the curves."""
        wanted, framing = self.read_options(parameters, context)
        lines = read_lines(self.read_input(parameters, context, part_of(progress, 0.0, 0.2)), report)
        making = part_of(progress, 0.2, 0.7)
        frame = frame_for(framing, lines.coords, lines.crs, report, Path("preview.spl"))
        graph = graph_of(lines, frame, wanted, context, report, making)
        flat = min(0.01, wanted.options.tolerance / 10)
        curves = convert.graph_to_lines(graph, tolerance=flat, to_crs=lines.crs, report=Report())
        curves = _with_numbers(curves, graph, report)
        sink, where = self.open_sink(
            parameters, "OUTPUT", context, fields_of(curves.features), lines_type(curves), to_qgis(curves.crs)
        )
        write_features(sink, curves, part_of(progress, 0.8, 1.0))
        self.where = where
        edges = len(lines.coords) - len(lines)
        report.count("edges of the lines", edges)
        return {"OUTPUT": where, "SEGMENT_COUNT": len(graph), "EDGE_COUNT": edges}

    def postProcessAlgorithm(self, context, feedback):
        """Colour the curves by their deviation, if there is one, in the thread that layers belong to."""
        layer = QgsProcessingUtils.mapLayerFromString(self.where or "", context)
        if layer is not None and any(feature["curve_deviation"] for feature in layer.getFeatures()):
            styling.load(layer, "preview_fit")
        return {}


def _with_numbers(curves, graph, report):
    """Give the features how many segments they have, and how far their curves are from their lines."""
    rows = len(curves.features)
    none = np.zeros(rows, bool)
    segments = np.bincount(per_feature(graph)[0], minlength=rows).astype(np.int64)
    own = {"segments": Column(segments, none, "Integer64")}
    for name, key in DEVIATIONS.items():
        known = report.deviations.get(key)
        values = np.array(known if known else np.zeros(rows), float)
        own[name] = Column(values, none if known else ~none, "Real")
    return with_own(curves, own)
