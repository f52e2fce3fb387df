"""Opens `.spl` files, and says what went wrong in the message bar."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from qgis.core import Qgis, QgsApplication
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QAction, QFileDialog, QProgressDialog

from ..messages import log, say
from ..spl_gis import formats
from ..spl_gis.errors import SplGisError
from ..spl_gis.report import Report
from ..words import for_qgis, icon, tr
from .browser import DropHandler, ItemProvider
from .group import add_group
from .place_dialog import PlaceDialog


class Cancelled(Exception):
    """The user has cancelled."""


class Opener:
    """The ways to open a file, as long as the plugin is loaded."""

    def __init__(self, iface):  # noqa: QGS105 (QGIS gives it to the plugin)
        self.iface = iface
        self.drops = DropHandler(self.open)
        self.items = ItemProvider(self.open)
        self.action = QAction(icon(), tr("Add Spline Graph (.spl)…"), iface.mainWindow())
        self.action.triggered.connect(self.choose)
        iface.registerCustomDropHandler(self.drops)
        QgsApplication.dataItemProviderRegistry().addProvider(self.items)  # noqa: QGS202 (it gives nothing)
        iface.insertAddLayerAction(self.action)

    def close(self):
        """Take all of it back."""
        self.iface.unregisterCustomDropHandler(self.drops)
        QgsApplication.dataItemProviderRegistry().removeProvider(self.items)  # noqa: QGS202 (nor this)
        self.iface.removeAddLayerAction(self.action)
        self.action.deleteLater()

    def choose(self):
        """Let the user choose files."""
        window = self.iface.mainWindow()
        title = tr("Open spline graphs")
        paths, _ = QFileDialog.getOpenFileNames(window, title, "", "UNIGINE spline (*.spl)")
        for path in paths:
            self.open(path)

    def open(self, path):
        """Open a file as a group of layers, or say why that cannot be."""
        path, report = Path(path), Report()
        try:
            layers = self._layers(path, report)
        except Cancelled:
            return
        except SplGisError as error:
            self._say(path.name, for_qgis(error), Qgis.MessageLevel.Warning)
            return
        for sentence in report.notes + report.warnings:
            log(for_qgis(sentence), Qgis.MessageLevel.Info)
        if report.warnings:
            self._say(path.name, for_qgis(report.warnings[0]), Qgis.MessageLevel.Info)
        self._show(layers)

    def _layers(self, path, report):
        window = self.iface.mainWindow()
        shown = QProgressDialog(tr("Opening {}").format(path.name), tr("Cancel"), 0, 100, window)
        shown.setWindowModality(Qt.WindowModality.WindowModal)

        def progress(fraction, what):
            shown.setValue(int(99 * fraction))  # noqa: QGS202 (a dialog)
            if shown.wasCanceled():
                raise Cancelled

        try:
            graph = formats.read_graph(path, report=report)
            if graph.crs is None:
                dialog = PlaceDialog(path, window)
                if not dialog.exec():
                    raise Cancelled
                graph = dataclasses.replace(graph, crs=dialog.frame(report))
            return add_group(graph, path.stem, report, progress)
        finally:
            shown.close()
            shown.deleteLater()

    def _show(self, layers):
        """Bring the map to the graph when it shows nothing else."""
        others = [layer for layer in self.iface.mapCanvas().layers() if layer not in layers]
        if not others:
            self.iface.setActiveLayer(layers[1])
            self.iface.zoomToActiveLayer()

    def _say(self, title, sentence, level):
        say(self.iface, title, sentence, level)
