"""What the plugin says: translated texts, and the core's sentences in the words of QGIS."""

from __future__ import annotations

import re
from pathlib import Path

from qgis.PyQt.QtCore import QCoreApplication
from qgis.PyQt.QtGui import QIcon

from .spl_gis import __version__ as VERSION

__all__ = ["VERSION", "for_qgis", "icon", "tr"]

LABELS = {
    "--source-crs": "Set layer CRS",
    "--to-crs": "CRS of the lines",
    "--crs": "Scene CRS",
    "--origin": "Origin",
    "--rotation": "Rotation",
    "--topocentric": "Kind of frame",
    "--frame": "Take the frame from",
    "--from-crs": "Scene CRS of the input",
    "--from-origin": "Origin of the input",
    "--from-frame": "Frame of the input from",
    "--node-name": "Name of the node",
    "--fit": "Curves",
    "--bulge": "Bulge",
    "--corner": "Corner angle [degrees]",
    "--level": "Level field",
    "--z": "Terrain",
    "--z-mode": "Heights of the lines",
    "--z-offset": "Height offset [m]",
    "--dem-nodata": "Terrain: number for unknown",
    "--dem-interpolation": "Terrain: smooth between cells",
    "--smooth-profile": "Smooth heights over",
    "--up": "Roads lean",
    "--up-unit": "Unit of the roll",
    "--design-speed": "Design speed [km/h]",
    "--max-superelevation": "Greatest superelevation [%]",
    "--runoff": "Runoff",
    "--size": "Side of the tiles",
    "--max-segments": "Most segments in a tile",
    "--merge": "Merge lines",
    "--merge-by": "Fields that must agree",
    "--weld": "Weld distance",
    "--weld-z": "Weld distance in height",
    "--through": "Smooth through junctions",
    "--drop-duplicates": "Leave out duplicates",
    "--min-component": "Least length of a separate network",
    "--min-dangle": "Least length of a dead end",
    "--snap-ends": "Join ends to the inside of lines",
    "--crossings": "Crossings",
    "--max-length": "Greatest length of a segment",
    "--tolerance": "Tolerance",
    "--z-tolerance": "Height tolerance",
    "--min-radius": "Least radius",
    "--max-grade": "Greatest grade [%]",
    "--clearance": "Clearance",
    "--exact": "Source vertices",
    "--keep-source": "Keep the source vertices",
    "--update": "Bring up to date",
    "--repair": "Mended spline graph",
    "--allow-renumber": "Allow later numbers to move up",
}
"""What options of the command line are called in the dialogs."""

TO_COMMAND_LINE = {
    "--node": "--node of the command line",
    "--bbox": "selected features only",
    "--where": "selected features only",
    "--layer": "another layer",
    "--dem-crs": "the CRS of the raster layer",
}
"""What has no parameter of that name."""


def tr(text):
    """Translate a text."""
    return QCoreApplication.translate("spl_tools", text)


def for_qgis(sentence):
    """Say a sentence of the core with the names of parameters instead of options."""

    def label(found):
        name = found[0]
        if name in LABELS:
            return f"“{tr(LABELS[name])}”"
        return tr(TO_COMMAND_LINE.get(name, name))

    text = str(sentence).replace("--crs local", f"“{tr('Kind of frame')}”")
    text = re.sub(r"^[a-z]+(_[a-z]+)+(?= must )", lambda found: f"--{found[0].replace('_', '-')}", text)
    return re.sub(r"(?<![\w-])--[a-z][a-z-]*", label, text)


def icon(algorithm=None):
    """Give the picture of an algorithm, or the plugin's."""
    name = "icon.svg" if algorithm is None else f"icons/{algorithm}.svg"
    return QIcon(str(Path(__file__).parent / name))
