"""Run by QGIS Desktop (`--code`): the GDAL driver switched on and used; a refused file and its details; exit.

Environment: FOLDER with town.spl and vim.spl. QGIS is left as a user leaves it, with a layer of the driver.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

from osgeo import gdal
from qgis.core import QgsApplication, QgsMimeDataUtils, QgsProject
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QApplication, QDockWidget, QPushButton, QTabWidget
from qgis.utils import iface, plugins

FOLDER = Path(os.environ["FOLDER"])
DRIVER = "UNIGINE_SPL"


def fail(kind, value, trace):
    """QGIS would show a box and wait for ever."""
    traceback.print_exception(kind, value, trace)
    sys.stdout.flush()
    os._exit(3)


sys.excepthook = fail


def start():
    iface.mainWindow().resize(1280, 800)
    menu = next(action.menu() for action in iface.vectorMenu().actions() if action.text() == "SPL Tools")
    switch = next(action for action in menu.actions() if action.isCheckable())
    assert gdal.GetDriverByName(DRIVER) is None and not switch.isChecked()
    switch.trigger()
    assert gdal.GetDriverByName(DRIVER) is not None
    switch.trigger()
    assert gdal.GetDriverByName(DRIVER) is None
    switch.trigger()
    layer = iface.addVectorLayer(str(FOLDER / "town.spl"), "town", "ogr")
    assert layer.isValid() and layer.dataProvider().storageType() == DRIVER
    assert layer.featureCount() == sum(1 for _ in layer.getFeatures()) > 50
    assert "name" in layer.fields().names() and layer.crs().isValid()
    iface.zoomToActiveLayer()
    QTimer.singleShot(1500, refused)


def refused():
    iface.mapCanvas().refresh()
    iface.mapCanvas().waitWhileRendering()  # other threads draw it, and need Python for the driver
    iface.mainWindow().grab().save(str(FOLDER / "driver.png"))
    uri = QgsMimeDataUtils.Uri()
    uri.uri = str(FOLDER / "vim.spl")
    plugins["spl_tools"].opener.drops.handleCustomUriDrop(uri)
    item = next(item for item in iface.messageBar().items() if item.title() == "vim.spl")
    button = next(button for button in item.findChildren(QPushButton) if button.text() == "Details")
    button.click()
    QApplication.processEvents()
    panel = iface.mainWindow().findChild(QDockWidget, "MessageLog")
    assert panel.isVisible()
    tabs = panel.findChild(QTabWidget)
    assert tabs.tabText(tabs.currentIndex()) == "SPL Tools"
    iface.mainWindow().grab().save(str(FOLDER / "details.png"))
    QTimer.singleShot(500, leave)


def leave():
    assert len(QgsProject.instance().mapLayers()) == 1
    QgsProject.instance().setDirty(False)
    QgsApplication.instance().aboutToQuit.connect(lambda: print("all is well", flush=True))
    iface.actionExit().trigger()


QTimer.singleShot(1500, start)
