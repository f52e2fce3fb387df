"""A spline graph to a folder of tiles."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterNumber,
    QgsWkbTypes,
)

from ..adapter import fields_of, to_qgis, write_extents, write_features
from ..spl_gis import formats, tiles
from ..spl_gis.errors import FileAccessError
from ..spl_gis.report import silent
from ..words import tr
from .base import SplAlgorithm, part_of
from .parameters import add, add_count, graph_path, metres, optional_number, spl_file, switch


class TileSpl(SplAlgorithm):
    """A spline graph to a folder of tiles."""

    NAME = "tile_spl"
    TITLE = "Divide .spl into tiles"
    TAGS = "tile,split,grid,quadtree,large"
    HELP = (
        "Divides a UNIGINE spline graph (.spl) that is too large for one scene into a folder of scenes, each "
        "with an origin of its own.\n"
        "The folder has a .spl with its sidecar for each tile, tiles.json, which says where the node of each "
        "stands, and tiles.gpkg, a map of them. Segments are cut at the borders, where both parts share a "
        "point and a direction.\n"
        "Give the side of square tiles, or the most segments that a tile may have."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add(self, spl_file("INPUT", "Spline graph"), "The .spl; its sidecar is read with it.")
        add(
            self,
            metres("SIZE", "Side of the tiles", least=1.0),
            "Tiles are squares of a grid whose lines lie at whole multiples of this from the scene's origin.",
        )
        most = QgsProcessingParameterNumber("MAX_SEGMENTS", tr("Most segments in a tile"), optional=True)
        most.setMinimum(1)
        add(
            self,
            most,
            "Instead: the square around the graph is quartered, and its quarters, until none has more.",
        )
        add(
            self,
            switch("NO_CUT", "Leave segments whole", False),
            "No segment is cut: each is in the tile where its middle lies, and may reach out of it.",
            advanced=True,
        )
        add(
            self,
            QgsProcessingParameterFolderDestination("OUTPUT", tr("Folder of the tiles")),
            "A new or empty folder; a folder of tiles is replaced as a whole, any other one is left alone.",
        )
        add(
            self,
            QgsProcessingParameterFeatureSink(
                "EXTENTS",
                tr("Extents of the tiles"),
                QgsProcessing.SourceType.TypeVectorPolygon,
                optional=True,
                createByDefault=True,
            ),
            "A polygon for each tile, with its file, its node in metres of the scene, and how much is in it.",
        )
        add_count(self, "TILE_COUNT", "tiles")

    def read_options(self, parameters, context):
        """Read the parameters."""
        most = optional_number(self, parameters, "MAX_SEGMENTS", context)
        options = {
            "size": optional_number(self, parameters, "SIZE", context),
            "max_segments": None if most is None else int(most),
            "no_cut": self.parameterAsBoolean(parameters, "NO_CUT", context),
        }
        tiles.check_sizes(options["size"], options["max_segments"])
        return graph_path(self, parameters, "INPUT", context), options

    def work(self, parameters, context, report, progress):
        """Read, divide, write."""
        path, options = self.read_options(parameters, context)
        folder = Path(self.parameterAsFileOutput(parameters, "OUTPUT", context))
        graph = formats.read_graph(path, report=report, progress=part_of(progress, 0.0, 0.3))
        size, most = options["size"], options["max_segments"]
        progress(0.3, "dividing")
        parts = tiles.split(graph, size=size, max_segments=most, cut=not options["no_cut"], report=report)
        if not parts:
            raise FileAccessError(tr("{} has no segments to divide").format(path.name))
        results = {"OUTPUT": str(folder), "TILE_COUNT": len(parts)}

        def draw(extents, target, report):
            write_extents(extents, target, context.transformContext())
            if parameters.get("EXTENTS") is not None:
                results["EXTENTS"] = self._show(extents, parameters, context)

        tiles.write_tiles(
            parts,
            folder,
            graph.crs,
            overwrite=True,
            options=options,
            report=report,
            progress=part_of(progress, 0.4, 1.0),
            draw=draw,
        )
        return results

    def _show(self, extents, parameters, context):
        """Write the extents to the sink, and give its id."""
        kind, crs = QgsWkbTypes.Type.Polygon, to_qgis(extents.crs)
        sink, where = self.open_sink(parameters, "EXTENTS", context, fields_of(extents.features), kind, crs)
        write_features(sink, extents, silent)
        return where
