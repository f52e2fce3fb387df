"""What all algorithms share: texts, errors as sentences, progress, cancelling, and what the core reports."""

from __future__ import annotations

from qgis.core import QgsProcessingAlgorithm, QgsProcessingException

from ..adapter import quickly, read_layer
from ..spl_gis.errors import SplGisError
from ..spl_gis.report import Report, by_reason
from ..words import for_qgis, icon, tr


class Cancelled(Exception):
    """The user has cancelled."""


class SplAlgorithm(QgsProcessingAlgorithm):
    """An algorithm; a subclass has the texts below, `initAlgorithm`, `read_options` and `work`."""

    NAME = TITLE = HELP = ""
    TAGS = ""

    def createInstance(self):
        """Give a new one, for a run of its own."""
        return type(self)()

    def name(self):
        """Give the id."""
        return self.NAME

    def displayName(self):
        """Give the name that users see."""
        return tr(self.TITLE)

    def shortHelpString(self):
        """Say what it does, beside the parameters."""
        return tr(self.HELP)

    def shortDescription(self):
        """Say what it does in one sentence."""
        return tr(self.HELP).partition("\n")[0]

    def tags(self):
        """Give words to find it by."""
        return ["unigine", "spl", "spline", "bezier", "curve", "road", *tr(self.TAGS).split(",")]

    def icon(self):
        """Give its picture."""
        return icon(self.NAME)

    def read_options(self, parameters, context):
        """Read the parameters, and raise an error of the core for what makes no sense; see `work`."""
        raise NotImplementedError

    def checkParameterValues(self, parameters, context):
        """Say what is wrong before the run."""
        good, sentence = super().checkParameterValues(parameters, context)
        try:
            self.read_options(parameters, context)
        except SplGisError as error:
            return False, for_qgis(error)
        return good, sentence

    def processAlgorithm(self, parameters, context, feedback):
        """Run it; errors of the core become sentences, its warnings go to the log."""
        report = Report()

        def progress(fraction, what):
            if feedback.isCanceled():
                raise Cancelled
            feedback.setProgress(100.0 * fraction)
            feedback.setProgressText(tr(what))

        try:
            with quickly():
                results = self.work(parameters, context, report, progress)
        except Cancelled:
            return {}
        except SplGisError as error:
            tell(report, feedback)
            raise QgsProcessingException(for_qgis(error)) from error
        tell(report, feedback)
        return results

    def work(self, parameters, context, report, progress):
        """Do the work, and give the results by the names of the outputs."""
        raise NotImplementedError

    def open_sink(self, parameters, name, context, fields, kind, crs):
        """Open a sink; gives it and its id, and (None, None) for an optional one that nobody wants."""
        sink, where = self.parameterAsSink(parameters, name, context, fields, kind, crs)
        if sink is None and parameters.get(name) is not None:
            raise QgsProcessingException(self.invalidSinkError(parameters, name))
        return sink, where

    def read_input(self, parameters, context, progress):
        """Read the layer of lines."""
        layer = self.parameterAsVectorLayer(parameters, "INPUT", context)
        return read_layer(self.open_source(parameters, context), progress, layer)

    def open_source(self, parameters, context):
        """Open the layer of lines."""
        source = self.parameterAsSource(parameters, "INPUT", context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, "INPUT"))
        return source


def tell(report, feedback):
    """Show what the core has to say."""
    for sentence in report.notes:
        feedback.pushInfo(for_qgis(sentence))
    for sentence in by_reason(report.repaired):
        feedback.pushInfo(tr("repaired: {}").format(for_qgis(sentence)))
    for sentence in by_reason(report.refused):
        feedback.pushWarning(tr("refused: {}").format(for_qgis(sentence)))
    for sentence in report.warnings:
        feedback.pushWarning(for_qgis(sentence))
    for name, value in report.table():
        feedback.pushInfo(f"{name}: {value}")


def part_of(progress, start, stop):
    """Give a progress that fills a part of another."""
    return lambda fraction, what: progress(start + fraction * (stop - start), what)
