"""The parameters that say where heights come from."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from qgis.core import QgsProcessingParameterField, QgsProcessingParameterRasterLayer, QgsRasterLayer

from ..adapter import ground_of
from ..spl_gis.errors import OptionError
from ..spl_gis.terrain import MODES, HeightOptions
from ..words import tr
from .parameters import add, choice, field_names, metres, number, optional_number, switch

MODE_LABELS = {
    "replace": "Replace those of the lines",
    "fill": "Fill where the lines have none",
    "add": "Add to those of the lines",
}


class Heights(NamedTuple):
    """Where heights come from; nothing = the lines' own."""

    layer: QgsRasterLayer | None
    field: str | None
    number: float | None
    nodata: float | None
    cubic: bool
    how: HeightOptions
    """All but where from."""

    @property
    def given(self):
        """Tell whether anything is given."""
        return bool(self.sources or self.how.offset)

    @property
    def sources(self):
        """Give what heights come from."""
        return [source for source in (self.layer, self.field, self.number) if source is not None]

    @property
    def grounded(self):
        """Tell whether there is a ground on which roads lie."""
        return self.layer is not None or self.number is not None

    def options(self, lines, frame, context, report):
        """Give the core's options for lines and a frame; `context` is a QgsProcessingContext."""
        if self.layer is None:
            return replace(self.how, source=self.field if self.number is None else self.number)
        surface = ground_of(
            self.layer,
            frame,
            context.transformContext(),
            report,
            default_crs=lines.crs,
            nodata=self.nodata,
            cubic=self.cubic,
        )
        return replace(self.how, surface=surface)

    def as_options(self):
        """Give them as the command line records them, so that its --update goes on with them."""
        grade = self.how.max_grade
        return {
            "z": [self._word(source) for source in self.sources],
            "z_mode": self.how.mode,
            "z_offset": self.how.offset,
            "dem_nodata": self.nodata,
            "dem_interpolation": "cubic" if self.cubic else "bilinear",
            "smooth_profile": self.how.smooth,
            "max_grade": None if grade is None else round(100 * grade, 9),
            "clearance": self.how.clearance,
        }

    def _word(self, source):
        if source is self.layer:
            return source.source()
        return f"field:{source}" if source is self.field else f"{source:.15g}"


NO_HEIGHTS = Heights(None, None, None, None, False, HeightOptions())
"""Those of the lines."""


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
        (
            number("HEIGHT", "Height of the ground"),
            "One height for all, instead of a terrain: flat ground, over which bridges get their clearance.",
        ),
        (mode, "What becomes of the lines' own heights when there is a terrain, a field or a height."),
        (
            number("HEIGHT_OFFSET", "Height offset [m]", HeightOptions.offset),
            "Added to all heights.",
        ),
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
    _add_profile(algorithm)


def _add_profile(algorithm):
    """Add the parameters that say how roads lie on the ground."""
    for parameter, text in (
        (
            metres("SMOOTH_PROFILE", "Smooth heights over"),
            "Length along a road over which the heights of the ground are smoothed. Empty: 25 m, fast roads "
            "of OpenStreetMap up to 100 m, and two cells of the terrain at least. 0: not at all.",
        ),
        (
            number("MAX_GRADE", "Greatest grade [%]", None, 0.0),
            "Roads on the ground are no steeper than this: hills are lowered and valleys filled. "
            "Empty: no limit.",
        ),
        (
            metres("CLEARANCE", "Clearance", HeightOptions.clearance),
            "Room between roads where one passes over another on a bridge, or below it in a tunnel, by the "
            "level field or OpenStreetMap's layer, bridge and tunnel.",
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
    field = field_names(algorithm, parameters, "HEIGHT_FIELD", context)
    grade = optional_number(algorithm, parameters, "MAX_GRADE", context)
    heights = Heights(
        algorithm.parameterAsRasterLayer(parameters, "TERRAIN", context),
        field[0] if field else None,
        optional_number(algorithm, parameters, "HEIGHT", context),
        optional_number(algorithm, parameters, "TERRAIN_NODATA", context),
        algorithm.parameterAsBoolean(parameters, "TERRAIN_CUBIC", context),
        HeightOptions(
            mode=MODES[algorithm.parameterAsEnum(parameters, "HEIGHT_MODE", context)],
            offset=algorithm.parameterAsDouble(parameters, "HEIGHT_OFFSET", context),
            smooth=optional_number(algorithm, parameters, "SMOOTH_PROFILE", context),
            max_grade=None if grade is None else grade / 100,
            clearance=algorithm.parameterAsDouble(parameters, "CLEARANCE", context),
        ),
    )
    _check(heights)
    return heights


def _check(heights):
    if len(heights.sources) > 1:
        raise OptionError(tr("heights come from a terrain, a field or a number: choose one of them"))
    given, usual = heights.as_options(), NO_HEIGHTS.as_options()
    idle = [name for name in ("smooth_profile", "max_grade", "clearance") if given[name] != usual[name]]
    if idle and not heights.grounded:
        flag = f"--{idle[0].replace('_', '-')}"
        raise OptionError(tr("{} does nothing without a terrain or a height of the ground").format(flag))
