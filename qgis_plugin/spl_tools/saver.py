"""Save as .spl: a layer that was opened from a graph, and perhaps edited, becomes a graph again."""

from __future__ import annotations

from pathlib import Path

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsProcessingAlgRunnerTask,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProject,
    QgsVectorLayer,
)
from qgis.PyQt.QtWidgets import QAction, QFileDialog

from .messages import log, say
from .opener.group import SOURCE
from .spl_gis.convert.tables import HANDLE, SEGMENT
from .words import icon, tr


class _Heard(QgsProcessingFeedback):
    """Keeps what an algorithm says that a user should see."""

    def __init__(self):
        super().__init__(False)
        self.said, self.wrong = [], []

    def pushWarning(self, warning):
        self.said.append(warning)

    def reportError(self, error, fatalError=False):
        self.wrong.append(error)


def becomes_graph(layer):
    """Tell whether a layer is one of segments or handles, with all that makes the graph again."""
    if not isinstance(layer, QgsVectorLayer):
        return False
    names = set(layer.fields().names())
    return names.issuperset(SEGMENT) or names.issuperset(HANDLE)


def _sentence(changes):
    """Say what was taken over."""
    return changes[:1].upper() + changes[1:] if changes else tr("Nothing was edited")


class Saver:
    """The action *Save as .spl*, in the Layer menu and in the menus of layers that it is for."""

    def __init__(self, iface):  # noqa: QGS105 (QGIS gives it to the plugin)
        self.iface, self.running = iface, []
        self.action = QAction(icon(), tr("Save as .spl…"), iface.mainWindow())
        self.action.triggered.connect(self.choose)
        iface.layerMenu().addAction(self.action)
        iface.addCustomActionForLayerType(self.action, "", QgsVectorLayer().type(), False)
        project = QgsProject.instance()
        project.layersAdded.connect(self._offer)
        iface.currentLayerChanged.connect(self._enable)
        self._offer(project.mapLayers().values())
        self._enable(iface.activeLayer())

    def close(self):
        """Take all of it back; what is being written is cancelled."""
        QgsProject.instance().layersAdded.disconnect(self._offer)
        self.iface.currentLayerChanged.disconnect(self._enable)
        self.iface.removeCustomActionForLayerType(self.action)
        self.iface.layerMenu().removeAction(self.action)
        self.action.deleteLater()
        for task, *_ in self.running:
            task.cancel()

    def _offer(self, layers):
        for layer in layers:
            if becomes_graph(layer):
                self.iface.addCustomActionForLayer(self.action, layer)

    def _enable(self, layer):
        self.action.setEnabled(becomes_graph(layer))

    def choose(self):
        """Ask for a file, and write the active layer to it."""
        layer = self.iface.activeLayer()
        if not becomes_graph(layer):
            return
        title = tr("Save {} as .spl").format(layer.name())
        path, _ = QFileDialog.getSaveFileName(
            self.iface.mainWindow(), title, layer.customProperty(SOURCE, ""), "UNIGINE spline (*.spl)"
        )
        if path:
            self.save(layer, path if path.lower().endswith(".spl") else f"{path}.spl")

    def save(self, layer, path):
        """Write a layer, with its edits whether they were saved in it or not, in the background.

        Parameters
        ----------
        layer : QgsVectorLayer
            For which `becomes_graph` is true.
        path : str
            The `.spl`; one that is there is replaced.
        """
        heard, context = _Heard(), QgsProcessingContext()
        context.setProject(QgsProject.instance())
        algorithm = QgsApplication.processingRegistry().createAlgorithmById("spl:lines_to_spl")
        parameters = {"INPUT": layer.id(), "OUTPUT": path}
        task = QgsProcessingAlgRunnerTask(algorithm, parameters, context, heard)
        entry = (task, algorithm, context, heard)  # all of these must outlive the task
        self.running.append(entry)

        def done(good, results):
            self.running.remove(entry)
            self._tell(Path(path), good and bool(results), results.get("CHANGES", ""), heard)

        task.executed.connect(done)
        QgsApplication.taskManager().addTask(task)

    def _tell(self, path, good, changes, heard):
        """Say in the message bar what was taken over, or why nothing was written."""
        for sentence in heard.said + heard.wrong:
            log(f"{path.name}: {sentence}", Qgis.MessageLevel.Info)
        if good:
            text, level = (
                tr("saved. {}.").format(_sentence(changes)),
                Qgis.MessageLevel.Success,
            )
            if heard.said:
                text, level = f"{text} {heard.said[0]}", Qgis.MessageLevel.Warning
        elif heard.wrong:
            text, level = heard.wrong[0], Qgis.MessageLevel.Warning
        else:
            text, level = tr("nothing was written: saving was cancelled"), Qgis.MessageLevel.Info
        say(self.iface, path.name, text, level)
