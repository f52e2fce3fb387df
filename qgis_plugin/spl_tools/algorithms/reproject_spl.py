"""A spline graph to another frame."""

from __future__ import annotations

from qgis.core import QgsProcessingParameterFileDestination

from ..spl_gis import convert, formats, info
from ..spl_gis.errors import OptionError
from ..words import tr
from .base import SplAlgorithm, part_of
from .framing import add_framing, frame_for, placed, read_framing, require_place
from .parameters import SPL_FILTER, add, graph_path, spl_file, spl_output


class ReprojectSpl(SplAlgorithm):
    """A spline graph to another frame."""

    NAME = "reproject_spl"
    TITLE = "Reproject .spl"
    TAGS = "transform,move,crs,origin"
    HELP = (
        "Moves a UNIGINE spline graph (.spl) to another frame: another CRS, origin or rotation.\n"
        "Points and segments keep their order, because worlds of the engine refer to them by index. "
        "Handles and "
        "up vectors move by the derivative of the map.\n"
        "The sidecar beside the input says where it is; without one, say it with the parameters of the input."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add(self, spl_file("INPUT", "Spline graph"), "The .spl; its sidecar is read with it.")
        add_framing(self)
        add_framing(self, "FROM_", " of the input")
        add(
            self,
            QgsProcessingParameterFileDestination("OUTPUT", tr("Moved spline graph"), SPL_FILTER),
            "The .spl; its sidecar is written beside it.",
        )

    def read_options(self, parameters, context):
        """Read the parameters."""
        path = graph_path(self, parameters, "INPUT", context)
        target, source = (read_framing(self, parameters, context, prefix) for prefix in ("", "FROM_"))
        if not target.given:
            raise OptionError(tr("say where the graph shall go: give --crs and --origin, or --frame"))
        return path, target, source

    def work(self, parameters, context, report, progress):
        """Read, move, write."""
        path, target, source = self.read_options(parameters, context)
        out = spl_output(self, parameters, "OUTPUT", context)
        graph = formats.read_graph(path, report=report, progress=part_of(progress, 0.0, 0.4))
        graph = placed(graph, path, source, report)
        require_place(graph, path, "--from-crs and --from-origin, or --from-frame")
        moved = convert.reproject(
            graph, frame_for(target, graph.points, graph.crs, report, out), report=report
        )
        report.network, report.frame = info.network(moved), info.place(moved.crs)
        formats.write(moved, out, overwrite=True, report=report, progress=part_of(progress, 0.5, 1.0))
        return {"OUTPUT": str(out)}
