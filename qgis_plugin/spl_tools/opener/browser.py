"""Drops, and the Browser."""

from __future__ import annotations

from pathlib import Path

from qgis.core import QgsDataItem, QgsDataItemProvider, QgsDataProvider, QgsMimeDataUtils
from qgis.gui import QgsCustomDropHandler

from ..spl_gis.formats import is_graph
from ..words import icon

KEY = "spl_tools"


class DropHandler(QgsCustomDropHandler):
    """Opens what is dropped on the map or the Layers panel."""

    def __init__(self, open_file):
        super().__init__()
        self.open_file = open_file

    def customUriProviderKey(self):
        """Say whose items of the Browser it takes."""
        return KEY

    def handleFileDrop(self, file):
        """Take a `.spl`, and leave all else to QGIS."""
        if not is_graph(file):
            return False
        self.open_file(file)
        return True

    def handleCustomUriDrop(self, uri):
        """Take an item that was dragged out of the Browser."""
        self.open_file(uri.uri)


class SplItem(QgsDataItem):
    """A `.spl` in the Browser."""

    def __init__(self, parent, path, open_file):
        super().__init__(QgsDataItem.Type.Custom, parent, Path(path).name, path, KEY)
        self.file, self.open_file = path, open_file  # its C++ half may not answer in Python's name
        self.setState(QgsDataItem.State.Populated)
        self.setToolTip(path)

    def icon(self):
        """Give its picture."""
        return icon()

    def hasDragEnabled(self):
        """Say that it can be dragged to the map."""
        return True

    def mimeUris(self):
        """Give what a drag carries."""
        uri = QgsMimeDataUtils.Uri()
        uri.layerType, uri.providerKey, uri.name, uri.uri = "custom", KEY, Path(self.file).name, self.file
        return [uri]

    def handleDoubleClick(self):
        """Open it."""
        self.open_file(self.file)
        return True


class ItemProvider(QgsDataItemProvider):
    """Shows `.spl` files in the Browser."""

    def __init__(self, open_file):
        super().__init__()
        self.open_file = open_file
        self.alive = []

    def name(self):
        """Give its name."""
        return KEY

    def dataProviderKey(self):
        """Give the key that its items have."""
        return KEY

    def capabilities(self):
        """Say that it is for files."""
        return QgsDataProvider.DataCapability.File

    def createDataItem(self, path, parent):
        """Give an item for a `.spl`."""
        if not is_graph(path):
            return None
        item = SplItem(parent, path, self.open_file)
        # QGIS keeps only the C++ half of an item: without a reference here it would lose its Python half, and
        # crash. When QGIS is done with an item it does not say, so they stay until the plugin is unloaded.
        self.alive.append(item)
        return item
