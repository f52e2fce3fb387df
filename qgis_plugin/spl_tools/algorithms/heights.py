"""The parameters that say where heights come from."""

from __future__ import annotations

from typing import NamedTuple

from qgis.core import QgsProcessingParameterField, QgsProcessingParameterRasterLayer, QgsRasterLayer

from ..adapter import ground_of
from ..spl_gis.errors import OptionError
from ..spl_gis.terrain import MODES, HeightOptions
from ..words import tr
from .parameters import add, choice, field_names, number, optional_number, switch

MODE_LABELS = {
    "replace": "Replace those of the lines",
    "fill": "Fill where the lines have none",
    "add": "Add to those of the lines",
}


class Heights(NamedTuple):
    """Where heights come from; nothing = the lines' own."""

    layer: QgsRasterLayer | None
    field: str | None
    mode: str
    offset: float
    nodata: float | None
    cubic: bool

    @property
    def given(self):
        """Tell whether anything is given."""
        return self.layer is not None or self.field is not None or bool(self.offset)

    def options(self, lines, frame, context, report):
        """Give the core's options for lines and a frame; `context` is a QgsProcessingContext."""
        if self.layer is None:
            return HeightOptions(source=self.field, mode=self.mode, offset=self.offset)
        surface = ground_of(
            self.layer,
            frame,
            context.transformContext(),
            report,
            default_crs=lines.crs,
            nodata=self.nodata,
            cubic=self.cubic,
        )
        return HeightOptions(surface=surface, mode=self.mode, offset=self.offset)

    def as_options(self):
        """Give them as the command line records them, so that its --update goes on with them."""
        words = (
            [self.layer.source()] if self.layer is not None else [f"field:{self.field}"] * bool(self.field)
        )
        return {
            "z": words,
            "z_mode": self.mode,
            "z_offset": self.offset,
            "dem_nodata": self.nodata,
            "dem_interpolation": "cubic" if self.cubic else "bilinear",
        }


def add_heights(algorithm):
    """Add the parameters."""
    add(
        algorithm,
        QgsProcessingParameterRasterLayer("TERRAIN", tr("Terrain"), optional=True),
        "Heights of the ground, on which the roads are laid: the first band of a raster layer in any "
        "CRS. Empty: heights are those of the lines.",
    )
    mode = choice("HEIGHT_MODE", "Heights of the lines", [MODE_LABELS[mode] for mode in MODES])
    field = QgsProcessingParameterField(
        "HEIGHT_FIELD", tr("Height field"), parentLayerParameterName="INPUT", optional=True
    )
    for parameter, text in (
        (field, "Field with the height of each feature, instead of a terrain."),
        (mode, "What becomes of the lines' own heights when there is a terrain or a field."),
        (number("HEIGHT_OFFSET", "Height offset [m]", 0.0), "Added to all heights."),
        (
            number("TERRAIN_NODATA", "Terrain: number for unknown", None, -1e308, 1e308),
            "A number that means that the height is unknown, besides what the layer says.",
        ),
        (
            switch("TERRAIN_CUBIC", "Terrain: smooth between cells", False),
            "Cubic instead of bilinear between the cells.",
        ),
    ):
        add(algorithm, parameter, text, advanced=True)


def read_heights(algorithm, parameters, context):
    """Read the parameters.

    Raises
    ------
    OptionError
        When they contradict each other.
    """
    layer = algorithm.parameterAsRasterLayer(parameters, "TERRAIN", context)
    field = field_names(algorithm, parameters, "HEIGHT_FIELD", context)
    if layer is not None and field:
        raise OptionError("heights come from a terrain or from a field, not from both")
    return Heights(
        layer,
        field[0] if field else None,
        MODES[algorithm.parameterAsEnum(parameters, "HEIGHT_MODE", context)],
        algorithm.parameterAsDouble(parameters, "HEIGHT_OFFSET", context),
        optional_number(algorithm, parameters, "TERRAIN_NODATA", context),
        algorithm.parameterAsBoolean(parameters, "TERRAIN_CUBIC", context),
    )
