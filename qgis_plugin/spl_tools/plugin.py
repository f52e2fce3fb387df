"""What QGIS starts and stops."""

from __future__ import annotations

from qgis.core import QgsApplication

from .provider import Provider
from .words import tr


class Plugin:
    """The plugin; without a window (`qgis_process`) it has only its algorithms."""

    def __init__(self, iface):  # noqa: QGS105 (None without a window)
        self.iface = iface
        self.provider = None
        self.opener = self.saver = self.driver = None

    def initProcessing(self):
        """Register the algorithms."""
        self.provider = Provider()
        if not QgsApplication.processingRegistry().addProvider(self.provider):
            self.provider = None
            raise RuntimeError(tr("another plugin has a Processing provider called spl"))

    def initGui(self):
        """Register all."""
        from .driver import DriverSwitch
        from .opener import Opener
        from .saver import Saver

        self.initProcessing()
        self.opener, self.saver = Opener(self.iface), Saver(self.iface)
        self.driver = DriverSwitch(self.iface)

    def unload(self):
        """Take all of it back."""
        for part in (self.driver, self.saver, self.opener):
            if part is not None:
                part.close()
        self.opener = self.saver = self.driver = None
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)  # noqa: QGS202 (it is there)
            self.provider = None
