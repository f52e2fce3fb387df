"""Lines to a spline graph."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterField,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterVectorLayer,
)

from ..adapter import fields_of, read_layer, read_lines, read_points
from ..adapter.table import attributes_of
from ..spl_gis import convert, formats, info
from ..spl_gis.errors import OptionError
from ..spl_gis.formats import rejects
from ..spl_gis.report import silent
from ..words import tr
from .base import SplAlgorithm, part_of
from .curves import add_curves, add_lines, read_curves
from .framing import add_framing, frame_for, read_framing
from .heights import add_heights, read_heights
from .making import graph_of
from .parameters import SPL_FILTER, add, add_count, field_names, switch

NUMBERS = {"POINT_COUNT": "points", "SEGMENT_COUNT": "segments", "JUNCTION_COUNT": "junctions"}


class LinesToSpl(SplAlgorithm):
    """Lines to a spline graph."""

    NAME = "lines_to_spl"
    TITLE = "Lines to .spl"
    TAGS = "export,convert,fit"
    HELP = (
        "Makes a UNIGINE spline graph (.spl) of a line layer: lines that share a vertex share a point, and "
        "curves keep within the tolerance.\n"
        "The scene's frame and the attributes are kept beside it in NAME.spl.aux.json: keep the two "
        "together.\n"
        "Without a scene CRS the layer's own is taken if it is in metres, else the UTM zone; "
        "without an origin "
        "the middle of the lines. The log says which, with latitude and longitude for the engine's editor.\n"
        "Segments (or handles, with their points) that '.spl to lines' made, edited since, become "
        "their graph "
        "again: what was left alone comes back bit for bit."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add_lines(self)
        add_framing(self)
        add_curves(self)
        add_heights(self)
        add(
            self,
            QgsProcessingParameterField(
                "FIELDS",
                tr("Fields to keep"),
                parentLayerParameterName="INPUT",
                allowMultiple=True,
                optional=True,
            ),
            "Attributes that are kept beside the .spl. Empty: all.",
            advanced=True,
        )
        add(
            self,
            switch("KEEP_SOURCE", "Keep the source vertices", False),
            "Keeps the layer's own vertices in the sidecar, so that they can come back exactly.",
            advanced=True,
        )
        add(
            self,
            QgsProcessingParameterVectorLayer(
                "HANDLE_POINTS",
                tr("Points of handles"),
                [QgsProcessing.SourceType.TypeVectorPoint],
                optional=True,
            ),
            "Only when the lines are edited handles: the layer of points that belongs to them.",
            advanced=True,
        )
        self._add_outputs()

    def _add_outputs(self):
        add(
            self,
            QgsProcessingParameterFileDestination("OUTPUT", tr("Spline graph"), SPL_FILTER),
            "The .spl; its sidecar is written beside it.",
        )
        add(
            self,
            QgsProcessingParameterFeatureSink(
                "REJECTS", tr("Refused and repaired features"), optional=True, createByDefault=False
            ),
            "Features that were left out or mended, as the layer has them, with the reason.",
        )
        for name, what in NUMBERS.items():
            add_count(self, name, what)

    def read_options(self, parameters, context):
        """Read the parameters."""
        return (
            read_curves(self, parameters, context),
            read_framing(self, parameters, context),
            read_heights(self, parameters, context),
        )

    def work(self, parameters, context, report, progress):
        """Read, convert, write."""
        wanted, framing, heights = self.read_options(parameters, context)
        path = self._path(parameters, context)
        layer = self.read_input(parameters, context, part_of(progress, 0.0, 0.2))
        lines = read_lines(layer, report)
        making = part_of(progress, 0.2, 0.7)
        names = field_names(self, parameters, "FIELDS", context)
        keep = self.parameterAsBoolean(parameters, "KEEP_SOURCE", context)
        if convert.edited_kind(lines) is None:
            lines = convert.keep_fields(lines, names) if names else lines
            graph = graph_of(lines, wanted, framing, context, report, making, path=path, heights=heights)
            graph = convert.keep_source(graph, lines) if keep else graph
        else:
            if heights.given:
                raise OptionError(f"--z is for the lines of a source, not for {convert.edited_kind(lines)}")
            graph = self._edited(lines, wanted, framing, (parameters, context), report, path)
        report.network, report.frame = info.network(graph), info.place(graph.crs)
        results = {"OUTPUT": str(path), **self._rejects(layer, parameters, context, report)}
        formats.write(
            graph,
            path,
            overwrite=True,
            report=report,
            progress=part_of(progress, 0.7, 1.0),
            options={
                **wanted.as_options(),
                **heights.as_options(),
                "fields": names or None,
                "keep_source": keep,
            },
        )
        return {**results, **{name: report.network[what] for name, what in NUMBERS.items()}}

    def _path(self, parameters, context):
        path = Path(self.parameterAsFileOutput(parameters, "OUTPUT", context))
        if not formats.is_graph(path):
            raise OptionError(tr("{} must end in .spl").format(path.name))
        return path

    def _edited(self, lines, wanted, framing, given, report, path):
        """Make the graph again that a layer of ours was made of."""
        kind = convert.edited_kind(lines)
        report.note(
            f"these are {kind} that spl-gis wrote: they become their graph again, with what was edited"
        )
        parameters, context = given
        if self.parameterAsBoolean(parameters, "KEEP_SOURCE", context):
            raise OptionError(f"--keep-source is for the lines of a source, not for {kind}")
        points = self.parameterAsVectorLayer(parameters, "HANDLE_POINTS", context)
        return convert.edited_to_graph(
            lines,
            read_points(read_layer(points, silent, points)) if points is not None else None,
            frame=frame_for(framing, lines.coords, lines.crs, report, path) if framing.given else None,
            fit=wanted.fit,
            options=wanted.options,
            report=report,
        )

    def _rejects(self, layer, parameters, context, report):
        """Write refused and repaired features, when they are asked for."""
        if parameters.get("REJECTS") is None:
            return {}
        table, row = rejects.table(layer.features, report)
        source = self.open_source(parameters, context)
        sink, where = self.open_sink(
            parameters, "REJECTS", context, fields_of(table), source.wkbType(), source.sourceCrs()
        )
        fields = fields_of(table)
        for at, values in zip(row.tolist(), attributes_of(table)):
            feature = QgsFeature(fields)
            feature.setAttributes(values)
            if at >= 0:
                feature.setGeometry(layer.geometries[at])
            if not sink.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(sink.lastError())
        return {"REJECTS": where}
