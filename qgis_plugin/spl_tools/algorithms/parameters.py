"""How parameters are made."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    Qgis,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterDistance,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
    QgsUnitTypes,
)

from ..spl_gis.errors import FileAccessError, OptionError
from ..spl_gis.formats import is_graph
from ..words import tr

SPL_FILTER = "UNIGINE spline (*.spl)"


def add(algorithm, parameter, text, *, advanced=False):
    """Give a parameter its help, and add it."""
    parameter.setHelp(tr(text))
    if advanced:
        parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.Flag.FlagAdvanced)
    if not algorithm.addParameter(parameter):
        raise ValueError(f"QGIS does not take the parameter {parameter.name()}")


def add_count(algorithm, name, what):
    """Add an output that is a number."""
    if not algorithm.addOutput(QgsProcessingOutputNumber(name, tr(f"Number of {what}"))):
        raise ValueError(f"QGIS does not take the output {name}")


def add_text(algorithm, name, what):
    """Add an output that is a text."""
    if not algorithm.addOutput(QgsProcessingOutputString(name, tr(what))):
        raise ValueError(f"QGIS does not take the output {name}")


def metres(name, label, default=None, least=0.0):
    """Make a parameter for a length in metres of the scene; without a default it is optional."""
    parameter = QgsProcessingParameterDistance(
        name, tr(label), default, optional=default is None, minValue=least
    )
    unit = (
        Qgis.DistanceUnit.Meters
        if hasattr(Qgis, "DistanceUnit")
        else QgsUnitTypes.DistanceUnit.DistanceMeters
    )
    parameter.setDefaultUnit(unit)
    return parameter


def number(name, label, default=None, least=-1e9, most=1e9):
    """Make a parameter for a number; without a default it is optional."""
    return QgsProcessingParameterNumber(
        name,
        tr(label),
        QgsProcessingParameterNumber.Type.Double,
        default,
        optional=default is None,
        minValue=least,
        maxValue=most,
    )


def choice(name, label, options, default=0):
    """Make a parameter for one of several."""
    return QgsProcessingParameterEnum(
        name, tr(label), [tr(option) for option in options], defaultValue=default
    )


def switch(name, label, default):
    """Make a parameter for yes or no."""
    return QgsProcessingParameterBoolean(name, tr(label), default)


def spl_file(name, label, optional=False):
    """Make a parameter for a .spl that is read."""
    behavior = QgsProcessingParameterFile.Behavior.File
    return QgsProcessingParameterFile(name, tr(label), behavior, optional=optional, fileFilter=SPL_FILTER)


def optional_number(algorithm, parameters, name, context):
    """Give a number, None when it is left empty."""
    given = parameters.get(name) is not None
    return algorithm.parameterAsDouble(parameters, name, context) if given else None


def graph_path(algorithm, parameters, name, context):
    """Give the path of a .spl that is read, or say what is wrong with it."""
    path = Path(algorithm.parameterAsFile(parameters, name, context))
    if path == Path():
        raise FileAccessError(tr("choose a .spl file"))
    if not path.is_file():
        raise FileAccessError(tr("there is no file {}").format(path))
    if not is_graph(path):
        raise OptionError(tr("{} is not a .spl file").format(path.name))
    return path


def spl_output(algorithm, parameters, name, context):
    """Give the path of a .spl that is written."""
    path = Path(algorithm.parameterAsFileOutput(parameters, name, context))
    if not is_graph(path):
        raise OptionError(tr("{} must end in .spl").format(path.name))
    return path


def field_names(algorithm, parameters, name, context):
    """Give the names of chosen fields; QGIS has another way to ask from 3.32 on."""
    ask = getattr(algorithm, "parameterAsStrings", None) or algorithm.parameterAsFields
    return ask(parameters, name, context)
