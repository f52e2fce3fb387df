"""Lines to a spline graph."""

from __future__ import annotations

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

from ..adapter import fields_of, read_layer, read_lines, read_points, without_default_heights
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
from .making import changes, graph_of, older_graph, options
from .parameters import (
    SPL_FILTER,
    add,
    add_count,
    add_text,
    field_names,
    graph_path,
    spl_file,
    spl_output,
    switch,
)
from .ups import UPRIGHT, add_ups, read_ups

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
        "Splines or handles of an opened graph, or those that '.spl to lines' made, become their graph again "
        "with what was edited since: what was left alone comes back bit for bit."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add_lines(self)
        add_framing(self)
        add_curves(self)
        add_heights(self)
        add_ups(self)
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
            "Only when the lines are edited handles, and their points were edited in a layer of their own.",
            advanced=True,
        )
        add(
            self,
            spl_file("UPDATE", "Bring up to date", optional=True),
            "A .spl that was made of this layer before, when the layer has changed since: points and "
            "segments that did not change keep their numbers and every bit, in the frame of that .spl. New "
            "ones are appended. It may be the output, too.",
            advanced=True,
        )
        add(
            self,
            switch("ALLOW_RENUMBER", "Allow later numbers to move up", False),
            "When a .spl is brought up to date: lets later points and segments move up where some are gone; "
            "what refers to them by number, as worlds of the engine do, then refers to others.",
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
        add_text(self, "CHANGES", "What was edited since the layer was made")

    def read_options(self, parameters, context):
        """Read the parameters."""
        wanted, framing = read_curves(self, parameters, context), read_framing(self, parameters, context)
        heights = read_heights(self, parameters, context)
        up = read_ups(self, parameters, context, heights.grounded)
        older = graph_path(self, parameters, "UPDATE", context) if parameters.get("UPDATE") else None
        if older is not None and framing.given:
            raise OptionError(
                "--update keeps the frame: leave out --crs, --origin, --frame and all that places the scene"
            )
        return (wanted, heights, up), framing, older

    def work(self, parameters, context, report, progress):
        """Read, convert, write."""
        (wanted, heights, up), framing, older = self.read_options(parameters, context)
        asked = options(wanted, heights, up)
        path = spl_output(self, parameters, "OUTPUT", context)
        layer = self.read_input(parameters, context, part_of(progress, 0.0, 0.2))
        lines = read_lines(layer, report)
        making = part_of(progress, 0.2, 0.7)
        names = field_names(self, parameters, "FIELDS", context)
        keep = self.parameterAsBoolean(parameters, "KEEP_SOURCE", context)
        if convert.edited_kind(lines) is None:
            lines = convert.keep_fields(lines, names) if names else lines
            old = None if older is None else older_graph(older, asked, report)
            frame = old.crs if old else frame_for(framing, lines.coords, lines.crs, report, path)
            more = {"heights": heights, "up": up, "keep": keep}
            graph = graph_of(lines, frame, wanted, context, report, making, **more)
            if old:
                renumber = self.parameterAsBoolean(parameters, "ALLOW_RENUMBER", context)
                graph = convert.update(graph, old, allow_renumber=renumber, report=report)
        else:
            given = [name for name, one in (("--z", heights.given), ("--up", up != UPRIGHT)) if one]
            if given:
                kind = convert.edited_kind(lines)
                raise OptionError(f"{given[0]} is for the lines of a source, not for {kind}")
            graph = self._edited(lines, wanted, framing, (parameters, context), report, path)
        report.network, report.frame = info.network(graph), info.place(graph.crs)
        results = {"OUTPUT": str(path), **self._rejects(layer, parameters, context, report)}
        formats.write(
            graph,
            path,
            overwrite=True,
            report=report,
            progress=part_of(progress, 0.7, 1.0),
            options={**asked, "fields": names or None, "keep_source": keep},
        )
        counts = {name: report.network[what] for name, what in NUMBERS.items()}
        return {**results, **counts, "CHANGES": changes(report)}

    def _edited(self, lines, wanted, framing, given, report, path):
        """Make the graph again that a layer of ours was made of."""
        kind = convert.edited_kind(lines)
        report.note(
            f"these are {kind} that spl-gis wrote: they become their graph again, with what was edited"
        )
        parameters, context = given
        if self.parameterAsBoolean(parameters, "KEEP_SOURCE", context):
            raise OptionError(f"--keep-source is for the lines of a source, not for {kind}")
        if parameters.get("UPDATE"):
            raise OptionError(f"--update is for the lines of a source, not for {kind}")
        points = self.parameterAsVectorLayer(parameters, "HANDLE_POINTS", context)
        return convert.edited_to_graph(
            without_default_heights(lines, report),
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
