"""The GDAL driver inside QGIS, for those who switch it on."""

from __future__ import annotations

import os

from osgeo import gdal
from qgis.core import Qgis, QgsSettings
from qgis.PyQt.QtWidgets import QAction

from .messages import say
from .spl_gis.gdal_driver import FOLDER, NAME
from .words import icon, tr

SETTING = "spl_tools/gdal_driver"
MENU = "SPL Tools"
OPTION = "GDAL_PYTHON_DRIVER_PATH"


class DriverSwitch:
    """An entry of the Vector menu that says whether GDAL opens `.spl` as well, as long as it is loaded."""

    def __init__(self, iface):  # noqa: QGS105 (QGIS gives it to the plugin)
        self.iface = iface
        self.action = QAction(icon(), tr("Read .spl with GDAL, Too"), iface.mainWindow())
        self.action.setToolTip(tr("All that QGIS does with files by GDAL can then be done with .spl files"))
        self.action.setCheckable(True)
        self.action.setChecked(QgsSettings().value(SETTING, False, bool))
        self.action.toggled.connect(self.switch)
        iface.addPluginToVectorMenu(MENU, self.action)
        if self.action.isChecked():
            self.switch(True)

    def switch(self, on):
        """Switch it on or off, from now on."""
        QgsSettings().setValue(SETTING, on)  # noqa: QGS202 (it gives nothing)
        if not on:
            deregister()
        elif not register():
            sentence = tr("this GDAL ({}) does not take drivers in Python").format(gdal.__version__)
            say(self.iface, NAME, sentence, Qgis.MessageLevel.Warning)

    def close(self):
        """Take it back; the setting stays."""
        self.iface.removePluginVectorMenu(MENU, self.action)
        self.action.deleteLater()
        deregister()


def register():
    """Give GDAL the driver; tells whether it has it."""
    if gdal.GetDriverByName(NAME) is None:
        before = gdal.GetConfigOption(OPTION)
        paths = [str(FOLDER), *([before] if before else [])]
        gdal.SetConfigOption(OPTION, os.pathsep.join(paths))
        try:
            gdal.AllRegister()
        finally:
            gdal.SetConfigOption(OPTION, before)
    return gdal.GetDriverByName(NAME) is not None


def deregister():
    """Take the driver from GDAL."""
    driver = gdal.GetDriverByName(NAME)
    if driver is not None:
        driver.Deregister()
