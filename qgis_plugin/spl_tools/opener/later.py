"""Layers that are filled when somebody looks at them."""

from __future__ import annotations

from qgis.core import QgsProject
from qgis.PyQt.QtCore import QTimer


class Later:
    """Waits until a layer is switched on, or chosen in the Layers panel, and has it filled."""

    def __init__(self, iface, fill):  # noqa: QGS105 (the plugin has it from QGIS)
        """Start waiting; `fill` is called with the layer and what makes its content."""
        self.iface, self.fill, self.waiting = iface, fill, {}
        self.tree = QgsProject.instance().layerTreeRoot()
        self.tree.visibilityChanged.connect(self._look)
        iface.currentLayerChanged.connect(self._look)
        QgsProject.instance().layersRemoved.connect(self._forget)

    def add(self, layer, make):
        """Fill a layer some time."""
        self.waiting[layer.id()] = make

    def _look(self, *_):
        """Fill what is wanted now, when QGIS is done with telling."""
        if self.waiting:
            QTimer.singleShot(0, self._fill)

    def _fill(self):
        chosen = self.iface.activeLayer()
        for name in list(self.waiting):
            layer, node = QgsProject.instance().mapLayer(name), self.tree.findLayer(name)
            if layer is not None and (layer == chosen or (node is not None and node.isVisible())):
                self.fill(layer, self.waiting.pop(name))

    def _forget(self, names):
        for name in names:
            self.waiting.pop(name, None)

    def close(self):
        """Take away the layers that were never filled."""
        names = list(self.waiting)
        self.waiting = {}
        self.tree.visibilityChanged.disconnect(self._look)
        self.iface.currentLayerChanged.disconnect(self._look)
        QgsProject.instance().layersRemoved.disconnect(self._forget)
        QgsProject.instance().removeMapLayers(names)
