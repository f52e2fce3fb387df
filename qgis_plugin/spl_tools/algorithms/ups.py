"""The parameters that say how roads lean."""

from __future__ import annotations

from qgis.core import QgsProcessingParameterField

from ..spl_gis.errors import OptionError
from ..spl_gis.roll import BANK, TERRAIN, UNITS, VERTICAL, UpOptions
from ..words import tr
from .parameters import add, choice, field_names, metres, number, optional_number

FIELD = "field"
"""As a field says."""
UP_LABELS = {
    VERTICAL: "Level across",
    TERRAIN: "As the ground under them",
    BANK: "Banked: into their curves",
    FIELD: "As a field says",
}
UPRIGHT = UpOptions()
"""Level across."""
UNIT_LABELS = {"degrees": "Degrees", "percent": "Percent"}


def add_ups(algorithm):
    """Add the parameters."""
    most = UpOptions.max_superelevation
    field, speed = (
        QgsProcessingParameterField(name, tr(label), parentLayerParameterName="INPUT", optional=True)
        for name, label in (("UP_FIELD", "Roll field"), ("DESIGN_SPEED_FIELD", "Design speed field"))
    )
    for parameter, text in (
        (choice("UP", "Roads lean", UP_LABELS.values()), "Where the up vectors of the graph come from."),
        (
            field,
            "When roads lean as a field says: the field with their roll, positive where the right side is "
            "lower. Text may have its unit: 4 %, -2.5 deg.",
        ),
        (
            choice("UP_UNIT", "Unit of the roll", [UNIT_LABELS[unit] for unit in UNITS]),
            "Unit of the numbers in the roll field.",
        ),
        (
            number("DESIGN_SPEED", "Design speed [km/h]", None, 0.0),
            "Speed that curves are banked for. Empty: the design speed field, else the field maxspeed, else "
            "by the class of the road.",
        ),
        (speed, "Field with the speed limit of each feature, instead of one speed for all."),
        (
            number("MAX_SUPERELEVATION", "Greatest superelevation [%]", most, 0.0, 100.0),
            "Banked roads lean no more than this.",
        ),
        (
            metres("RUNOFF", "Runoff"),
            "Length over which a road turns from level to its greatest roll. Empty: what is driven in 2 s.",
        ),
    ):
        add(algorithm, parameter, text, advanced=True)


def read_ups(algorithm, parameters, context, grounded):
    """Read the parameters; `grounded` tells whether there is a ground.

    Raises
    ------
    OptionError
        When they contradict each other, or a value means nothing.
    """
    fields = {}
    for name in ("UP_FIELD", "DESIGN_SPEED_FIELD"):
        fields[name] = next(iter(field_names(algorithm, parameters, name, context)), None)
    source = tuple(UP_LABELS)[algorithm.parameterAsEnum(parameters, "UP", context)]
    speed = optional_number(algorithm, parameters, "DESIGN_SPEED", context)
    if speed is not None and fields["DESIGN_SPEED_FIELD"]:
        raise OptionError(tr("the design speed is a number or a field, not both"))
    if source == TERRAIN and not grounded:
        raise OptionError(tr("roads that lean as the ground need a ground: choose a {}").format("--z"))
    if (source == FIELD) != (fields["UP_FIELD"] is not None):
        raise OptionError(tr("the roll field is for roads that lean as a field says: give both, or none"))
    options = UpOptions(
        source=f"field:{fields['UP_FIELD']}" if source == FIELD else source,
        unit=UNITS[algorithm.parameterAsEnum(parameters, "UP_UNIT", context)],
        design_speed=fields["DESIGN_SPEED_FIELD"] if speed is None else speed,
        max_superelevation=algorithm.parameterAsDouble(parameters, "MAX_SUPERELEVATION", context),
        runoff=optional_number(algorithm, parameters, "RUNOFF", context),
    )
    _refuse_idle(source, options)
    return options


def _refuse_idle(source, options):
    """Refuse what does nothing for the way in which roads lean."""
    usual, now = (up_options(each) for each in (UPRIGHT, options))
    used = {
        VERTICAL: (),
        TERRAIN: ("design_speed", "runoff"),
        BANK: ("design_speed", "max_superelevation", "runoff"),
        FIELD: ("up_unit", "design_speed", "runoff"),
    }[source]
    idle = [name for name in now if name not in ("up", *used) and now[name] != usual[name]]
    if idle:
        flag = f"--{idle[0].replace('_', '-')}"
        raise OptionError(tr("{} does nothing for “{}”").format(flag, tr(UP_LABELS[source])))


def up_options(options):
    """Give them as the command line records them, so that its --update goes on with them."""
    return {
        "up": options.source,
        "up_unit": options.unit,
        "design_speed": options.design_speed,
        "max_superelevation": options.max_superelevation,
        "runoff": options.runoff,
    }
