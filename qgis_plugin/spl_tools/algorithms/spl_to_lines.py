"""A spline graph to lines and points."""

from __future__ import annotations

import dataclasses

from qgis.core import QgsProcessing, QgsProcessingParameterCrs, QgsProcessingParameterFeatureSink

from ..adapter import fields_of, lines_type, points_type, to_pyproj, to_qgis, write_features
from ..adapter.transforms import chosen, shifted, user_transform
from ..spl_gis import convert, formats, frames
from ..spl_gis.errors import OptionError
from ..spl_gis.report import Report
from ..words import tr
from .base import SplAlgorithm, part_of
from .framing import add_framing, placed, read_framing
from .parameters import add, graph_path, metres, spl_file, switch

LINE, POINT = QgsProcessing.SourceType.TypeVectorLine, QgsProcessing.SourceType.TypeVectorPoint

SINKS = {
    "FEATURES": ("features", "Features", LINE, "One feature for each source feature, with its attributes."),
    "CHAINS": ("chains", "Chains", LINE, "One line for each run of segments between junctions."),
    "SEGMENTS": (
        "segments",
        "Segments",
        LINE,
        "One line for each segment, with all its numbers: edit it, and 'Lines to .spl' makes the "
        "graph again.",
    ),
    "HANDLES": ("handles", "Handles", LINE, "A line for each handle, from its point to its control point."),
    "POINTS": ("points", "Points", POINT, "The graph's points, with how many segments meet there."),
}
"""Outputs: kind of the core, label, geometry, and help."""


class SplToLines(SplAlgorithm):
    """A spline graph to lines and points."""

    NAME = "spl_to_lines"
    TITLE = ".spl to lines"
    TAGS = "import,convert,flatten,open"
    HELP = (
        "Makes GIS layers of a UNIGINE spline graph (.spl), where it is on Earth.\n"
        "Where that is, the sidecar NAME.spl.aux.json (or NAME.prj) beside it says. Without one, "
        "give the scene "
        "CRS and the origin, or another file to take the frame from; with none of these, the lines "
        "are in the "
        "scene's own metres, without a CRS."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add(self, spl_file("INPUT", "Spline graph"), "The .spl; its sidecar is read with it.")
        add_framing(self)
        add(
            self,
            QgsProcessingParameterCrs("TARGET_CRS", tr("CRS of the lines"), optional=True),
            "Empty: the CRS of the layer that the graph was made of, else the CRS that the scene is "
            "laid over.",
        )
        add(
            self,
            metres("TOLERANCE", "Tolerance", 0.01),
            "Greatest distance between a curve and its line.",
        )
        add(
            self,
            switch("EXACT", "Source vertices", False),
            "For features: the source's own vertices, where nothing was changed since (if the .spl "
            "kept them).",
            advanced=True,
        )
        for name, (_, label, kind, text) in SINKS.items():
            sink = QgsProcessingParameterFeatureSink(
                name, tr(label), kind, optional=True, createByDefault=name == "FEATURES"
            )
            add(self, sink, text)

    def read_options(self, parameters, context):
        """Read the parameters."""
        if not any(parameters.get(name) is not None for name in SINKS):
            raise OptionError(tr("nothing is wanted: choose at least one of the outputs"))
        framing = read_framing(self, parameters, context)
        return graph_path(self, parameters, "INPUT", context), framing

    def work(self, parameters, context, report, progress):
        """Read, place, and make each layer that is wanted."""
        path, framing = self.read_options(parameters, context)
        graph = formats.read_graph(path, report=report, progress=part_of(progress, 0.0, 0.3))
        graph = placed(graph, path, framing, report)
        if graph.crs is None:
            report.warn(
                "the scene has no known place on Earth: the lines are in its own metres, without a CRS"
            )
        names = [name for name in SINKS if parameters.get(name) is not None]
        results = {}
        for number, name in enumerate(names):
            part = part_of(progress, 0.3 + 0.7 * number / len(names), 0.3 + 0.7 * (number + 1) / len(names))
            said = report if number == 0 else Report()
            data = self._layer(graph, name, (parameters, context), said, part_of(part, 0.0, 0.5))
            kind = points_type(data) if name == "POINTS" else lines_type(data)
            sink, results[name] = self.open_sink(
                parameters, name, context, fields_of(data.features), kind, to_qgis(data.crs)
            )
            write_features(sink, data, part_of(part, 0.5, 1.0))
        return results

    def _layer(self, graph, name, given, report, progress):
        """Make the lines or points of one output, by the datum shift that the project's user chose."""
        parameters, context = given
        wanted = to_pyproj(self.parameterAsCrs(parameters, "TARGET_CRS", context))
        if wanted is not None and graph.crs is None:
            raise OptionError(
                tr("a scene without a place has no --to-crs: give --crs and --origin, or --frame")
            )
        shifts, first, target = context.transformContext(), wanted, None
        if graph.crs is not None:
            base = frames.base_of(graph.crs)
            target = wanted or graph.source_crs or base
            first = base if chosen(base, target, shifts) else wanted
            if graph.source is not None and first is base and chosen(graph.source_crs, base, shifts):
                graph = _with_shifted_source(graph, base, shifts)
        if name == "POINTS":
            data = convert.graph_to_points(graph, to_crs=first, report=report)
        else:
            data = convert.graph_to_lines(
                graph,
                kind=SINKS[name][0],
                tolerance=self.parameterAsDouble(parameters, "TOLERANCE", context),
                to_crs=first,
                exact=name == "FEATURES" and self.parameterAsBoolean(parameters, "EXACT", context),
                report=report,
                progress=progress,
            )
        return user_transform(data, target, shifts)


def _with_shifted_source(graph, base, shifts):
    """Move the source's vertices as the curves will be moved back, so that they come to where they were."""
    coords = shifted(graph.source.coords, graph.source_crs, base, shifts)
    source = dataclasses.replace(graph.source, coords=coords)
    return dataclasses.replace(graph, source=source, source_crs=base)
