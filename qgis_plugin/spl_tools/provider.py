"""The Processing provider `spl`."""

from __future__ import annotations

from qgis.core import QgsProcessingProvider

from .algorithms import ALGORITHMS
from .words import VERSION, icon


class Provider(QgsProcessingProvider):
    """All algorithms of the table."""

    def id(self):
        """Give what stands before the names of algorithms."""
        return "spl"

    def name(self):
        """Give the name in the toolbox."""
        return "UNIGINE splines"

    def longName(self):
        """Give the name where there is room."""
        return "UNIGINE spline graphs (.spl)"

    def versionInfo(self):
        """Give the version of the plugin."""
        return VERSION

    def icon(self):
        """Give the picture in the toolbox."""
        return icon()

    def loadAlgorithms(self):
        """Make the algorithms; QGIS keeps them."""
        for algorithm in ALGORITHMS:
            if not self.addAlgorithm(algorithm()):
                raise ValueError(f"QGIS does not take the algorithm {algorithm.NAME}")
