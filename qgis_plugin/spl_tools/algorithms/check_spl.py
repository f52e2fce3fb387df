"""What is wrong with a spline graph, where."""

from __future__ import annotations

from collections import Counter

import numpy as np
from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFileDestination,
)

from ..adapter import fields_of, points_type, to_qgis, write_features
from ..spl_gis import frames
from ..spl_gis.checks import CODES, SEVERITIES, TOLERANCE, Limits
from ..spl_gis.formats.checked import check_file, mend_file
from ..spl_gis.model import Column, Features, Points
from ..words import for_qgis, tr
from .base import SplAlgorithm, part_of
from .framing import add_framing, placed, read_framing
from .parameters import SPL_FILTER, add, add_count, graph_path, metres, number, spl_file, spl_output, switch


class CheckSpl(SplAlgorithm):
    """What is wrong with a spline graph, where."""

    NAME = "check_spl"
    TITLE = "Check .spl"
    TAGS = "validate,findings,errors,topology"
    HELP = (
        "Finds what is wrong with a UNIGINE spline graph (.spl), and says where, what it means in "
        "the engine, and "
        "what to do.\n"
        "The findings become a layer of points. Where the graph is, its sidecar says, or the "
        "parameters; without "
        "a place the points are in the scene's own metres.\n"
        "What can be mended without changing the shape can be written to another .spl."
    )

    def initAlgorithm(self, config=None):
        """Add the parameters."""
        add(self, spl_file("INPUT", "Spline graph"), "The .spl; its sidecar is read with it.")
        add(self, metres("MIN_RADIUS", "Least radius", Limits.radius), "Tighter curves are found.")
        add(
            self,
            number("MAX_GRADE", "Greatest grade [%]", Limits.grade, 0.0),
            "Segments that climb more steeply are found.",
        )
        add(
            self,
            metres("CLEARANCE", "Clearance", Limits.clearance),
            "Least height of a bridge above what it crosses.",
        )
        add_framing(self)
        add(
            self,
            metres("TOLERANCE", "How far mending may move a curve", TOLERANCE),
            "For the mended spline graph.",
            advanced=True,
        )
        add(
            self,
            switch("ALLOW_RENUMBER", "Allow later numbers to move up", False),
            "Lets mending drop segments without length and unused points; what refers to later ones by their "
            "number, as worlds of the engine do, then refers to others.",
            advanced=True,
        )
        add(
            self,
            QgsProcessingParameterFeatureSink(
                "OUTPUT", tr("Findings"), QgsProcessing.SourceType.TypeVectorPoint
            ),
            "A point for each finding; those that are about the whole file have no place.",
        )
        add(
            self,
            QgsProcessingParameterFileDestination(
                "REPAIRED", tr("Mended spline graph"), SPL_FILTER, optional=True, createByDefault=False
            ),
            "What can be mended, mended; its sidecar is written beside it. The findings then are what is "
            "left in it.",
        )
        for severity in SEVERITIES:
            add_count(self, _count(severity), f"{severity}s")

    def read_options(self, parameters, context):
        """Read the parameters."""
        names = {"radius": "MIN_RADIUS", "grade": "MAX_GRADE", "clearance": "CLEARANCE"}
        limits = {key: self.parameterAsDouble(parameters, name, context) for key, name in names.items()}
        path = graph_path(self, parameters, "INPUT", context)
        return path, Limits(**limits), read_framing(self, parameters, context)

    def work(self, parameters, context, report, progress):
        """Check, and make the layer."""
        path, limits, framing = self.read_options(parameters, context)
        checked = check_file(path, limits, report=report, progress=part_of(progress, 0.0, 0.6))
        mended = self._mended(path, checked, limits, (parameters, context), report)
        graph, found = mended or checked
        crs = placed(graph, path, framing, report).crs if graph is not None else None
        points = findings_layer(found, crs)
        sink, where = self.open_sink(
            parameters,
            "OUTPUT",
            context,
            fields_of(points.features),
            points_type(points),
            to_qgis(points.crs),
        )
        write_features(sink, points, part_of(progress, 0.8, 1.0))
        severities = Counter(one.severity for one in found)
        for code, many in Counter(one.code for one in found).items():
            report.count(f"{CODES[code].severity}: {CODES[code].title}", many)
        results = {"OUTPUT": where, **{_count(severity): severities[severity] for severity in SEVERITIES}}
        if mended:
            results["REPAIRED"] = self.parameterAsFileOutput(parameters, "REPAIRED", context)
        return results

    def _mended(self, path, checked, limits, given, report):
        """Write the mended graph, if that is wanted; give what is left in it."""
        parameters, context = given
        if parameters.get("REPAIRED") is None:
            return None
        before = Counter(one.severity for one in checked.findings)
        mended = mend_file(
            path,
            spl_output(self, parameters, "REPAIRED", context),
            checked,
            limits,
            tolerance=self.parameterAsDouble(parameters, "TOLERANCE", context),
            allow_renumber=self.parameterAsBoolean(parameters, "ALLOW_RENUMBER", context),
            overwrite=True,
            report=report,
        )
        for severity in SEVERITIES:
            report.count(f"{severity}s before mending", before[severity])
        return mended


def _count(severity):
    return f"{severity.upper()}_COUNT"


def findings_layer(found, crs):
    """Make points of findings.

    Parameters
    ----------
    found : list of Finding
        With places in the scene.
    crs : pyproj.CRS or None
        The frame of the scene; the points are in the CRS that it is laid over.
    """
    scene = np.array([one.place or (np.nan,) * 3 for one in found], float).reshape(-1, 3)
    base = None if crs is None else frames.base_of(crs)
    known = np.isfinite(scene).all(axis=1)
    if base is not None and known.any():
        scene[known] = frames.transform(scene[known], crs, base)
    columns = {
        "severity": _texts(one.severity for one in found),
        "code": _texts(one.code for one in found),
        "title": _texts(CODES[one.code].title for one in found),
        "message": _texts(one.message for one in found),
        "value": _values([one.value for one in found]),
        "path": _texts(one.path for one in found),
        "meaning": _texts(CODES[one.code].meaning for one in found),
        "help": _texts(for_qgis(CODES[one.code].help) for one in found),
    }
    return Points(scene, Features(np.arange(len(found)), columns, "findings"), base)


def _texts(values):
    values = list(values)
    column = np.empty(len(values), object)
    column[:] = values
    return Column(column, np.zeros(len(values), bool), "String")


def _values(values):
    null = np.array([value is None for value in values], bool)
    return Column(np.array([value or 0.0 for value in values], float), null, "Real")
