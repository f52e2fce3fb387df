"""Opens `.spl` files, and says what went wrong in the message bar."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

from qgis.core import Qgis, QgsApplication, QgsProject
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QAction, QFileDialog, QProgressDialog

from ..adapter import quickly
from ..messages import log, say
from ..spl_gis import formats
from ..spl_gis.errors import SplGisError
from ..spl_gis.formats import sidecar
from ..spl_gis.report import Report
from ..words import for_qgis, icon, tr
from .browser import DropHandler, ItemProvider
from .group import add_group, fill
from .kinds import Opened
from .later import Later
from .place_dialog import PlaceDialog


class Cancelled(Exception):
    """The user has cancelled."""


class Opener:
    """The ways to open a file, as long as the plugin is loaded."""

    def __init__(self, iface):  # noqa: QGS105 (QGIS gives it to the plugin)
        self.iface = iface
        self.drops = DropHandler(self.open)
        self.items = ItemProvider(self.open)
        self.later = Later(iface, self._fill)
        self.dialogs = []
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
        self.later.close()
        for dialog in self.dialogs[::-1]:
            dialog.reject()

    def choose(self):
        """Let the user choose files."""
        window = self.iface.mainWindow()
        title = tr("Open spline graphs")
        paths, _ = QFileDialog.getOpenFileNames(window, title, "", "UNIGINE spline (*.spl)")
        for path in paths:
            self.open(path)

    def open(self, path):
        """Open a file as a group of layers, ask where it is, or say why that cannot be."""
        path, report = Path(path), Report()
        with self._told(path), self._shown(path.name) as progress, quickly():
            graph = formats.read_graph(path, report=report)
            if graph.crs is None:
                self._ask(path, graph, report)
            else:
                self._add(path, graph, report, progress)

    def _ask(self, path, graph, report):
        """Ask where a graph is, in a dialog that leaves the map free; of several, one after the other."""
        dialog = PlaceDialog(path, self.iface.mapCanvas(), self.iface.mainWindow())
        self.dialogs.append(dialog)

        def finished(accepted):
            self.dialogs.remove(dialog)
            if accepted:
                report.add(dialog.report)
                placed = dataclasses.replace(graph, crs=dialog.crs_chosen)
                with self._told(path), self._shown(path.name) as progress, quickly():
                    self._add(path, placed, report, progress)
            if self.dialogs:
                self.dialogs[0].as_before(dialog)
                self.dialogs[0].show()
            dialog.deleteLater()

        dialog.finished.connect(finished)
        if len(self.dialogs) == 1:
            dialog.show()

    def _add(self, path, graph, report, progress):
        beside = sidecar.find(path)
        opened = Opened(graph, {} if beside is None else sidecar.read_deviations(beside))
        layers = add_group(opened, path, report, progress, self.later.add)
        for sentence in report.notes + report.warnings:
            log(for_qgis(sentence), Qgis.MessageLevel.Info)
        if report.warnings:
            self._say(path.name, for_qgis(report.warnings[0]), Qgis.MessageLevel.Info)
        self._zoom(layers)

    def _fill(self, layer, make):
        """Fill a layer that has waited."""
        try:
            with self._shown(layer.name()) as progress, quickly():
                fill(layer, make(), progress)
        except Cancelled:
            layer.dataProvider().truncate()
            QgsProject.instance().layerTreeRoot().findLayer(layer).setItemVisibilityChecked(False)
            self.later.add(layer, make)
        layer.triggerRepaint()

    @contextlib.contextmanager
    def _told(self, path):
        """Say in the message bar why a file cannot be opened; a user who cancelled knows."""
        try:
            yield
        except Cancelled:
            return
        except SplGisError as error:
            self._say(path.name, for_qgis(error), Qgis.MessageLevel.Warning)

    @contextlib.contextmanager
    def _shown(self, name):
        """Show progress when it takes long; gives what is told of it."""
        window = self.iface.mainWindow()
        shown = QProgressDialog(tr("Opening {}").format(name), tr("Cancel"), 0, 100, window)
        shown.setWindowModality(Qt.WindowModality.WindowModal)

        def progress(fraction, what):
            shown.setValue(int(99 * fraction))  # noqa: QGS202 (a dialog)
            if shown.wasCanceled():
                raise Cancelled

        try:
            yield progress
        finally:
            shown.close()
            shown.deleteLater()

    def _zoom(self, layers):
        """Bring the map to the graph when it shows nothing else."""
        others = [layer for layer in self.iface.mapCanvas().layers() if layer not in layers.values()]
        self.iface.setActiveLayer(layers["segments"])
        if not others:
            self.iface.zoomToActiveLayer()

    def _say(self, title, sentence, level):
        say(self.iface, title, sentence, level)
