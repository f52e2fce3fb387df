"""Make the styles of the plugin's layers: `/usr/bin/python3 qgis_plugin/make_styles.py`, where QGIS is.

They have the classes and colours of `spl-gis view`. A style by the classes of roads depends on the layer, so
the plugin makes it (`spl_tools/styling.py`).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_HASH_SEED"] = "0"  # else attributes come in another order each time
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from qgis.core import (  # noqa: E402
    QgsApplication,
    QgsGraduatedSymbolRenderer,
    QgsLineSymbol,
    QgsMapLayer,
    QgsMarkerLineSymbolLayer,
    QgsMarkerSymbol,
    QgsRendererRange,
    QgsSimpleLineSymbolLayer,
    QgsSingleSymbolRenderer,
    QgsTemplatedLineSymbolLayerBase,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import Qt  # noqa: E402
from qgis.PyQt.QtGui import QColor  # noqa: E402
from qgis.PyQt.QtXml import QDomDocument  # noqa: E402

from spl_gis.preview.colours import DEVIATIONS, RADII, RAMP  # noqa: E402

BLUE, ORANGE, VIOLET = "#2f6f9f", "#e08a1e", "#7350d0"
Placement = QgsTemplatedLineSymbolLayerBase.Placement

ROAD = """<b>[% coalesce(attribute('name'), 'segment ' || "segment") %]</b><br>segment [% "segment" %],
[% round("length", 1) %] m<br>points [% "start_index" %] to [% "end_index" %]<br>
[% if("radius" is null, 'straight', 'least radius ' || round("radius", 1) || ' m') %]
[% coalesce('<br>at most ' || round(attribute('deviation'), 3) || ' m from its source', '') %]"""
FITTED = """<b>[% coalesce(attribute('name'), 'feature ' || $id) %]</b><br>[% "segments" %] segments
[% coalesce('<br>no vertex is further than ' || round("vertex_deviation", 3) || ' m', '') %]
[% coalesce('<br>the curve stays within ' || round("curve_deviation", 3) || ' m', '') %]"""
HANDLE = """handle of segment [% "segment" %] at its [% "side" %], point [% "point" %]"""
UP = """up vector of segment [% "segment" %] at its [% "side" %]: [% round("lean", 1) %]° from upright"""
JUNCTION = """point [% "point" %]: [% "degree" %] segments meet"""


def line(colour: str, width: float) -> QgsSimpleLineSymbolLayer:
    """Make a plain line."""
    made = QgsSimpleLineSymbolLayer(QColor(colour), width)
    made.setPenJoinStyle(Qt.PenJoinStyle.RoundJoin)
    made.setPenCapStyle(Qt.PenCapStyle.RoundCap)
    return made


def marks(placement: Placement, shape: str, colour: str, size: float, turn: bool = False, fill: str = ""):
    """Make marks along a line, or at its ends."""
    along = QgsMarkerLineSymbolLayer(turn, 30.0)
    along.setPlacement(placement)
    if placement == Placement.Interval:
        along.setOffsetAlongLine(15.0)
    look = {"name": shape, "color": fill or colour, "outline_color": colour, "size": str(size)}
    look["outline_width"] = "0.5" if shape == "arrowhead" else "0.3"
    along.setSubSymbol(QgsMarkerSymbol.createSimple(look))
    return along


def symbol(*layers) -> QgsLineSymbol:
    """Make a symbol of several layers."""
    made = QgsLineSymbol()
    made.changeSymbolLayer(0, layers[0])
    for layer in layers[1:]:
        made.appendSymbolLayer(layer)
    return made


def arrowed(colour: str, width: float = 0.8) -> QgsLineSymbol:
    """Make a line with arrows in its direction."""
    return symbol(line(colour, width), marks(Placement.Interval, "arrowhead", colour, 2.6, turn=True))


def jointed() -> QgsLineSymbol:
    """Make a line with arrows, and dots where segments begin and end."""
    ends = [
        marks(place, "circle", BLUE, 1.5, fill="#ffffff")
        for place in (Placement.FirstVertex, Placement.LastVertex)
    ]
    return symbol(line(BLUE, 0.5), *ends)


def ranges(field: str, edges, colours, unit: str, label: str) -> QgsGraduatedSymbolRenderer:
    """Make classes of a field with a colour each."""
    limits = [0.0, *edges, 1e9]
    labels = [f"{label}below {edges[0]:g} {unit}"]
    labels += [f"{label}{low:g} to {high:g} {unit}" for low, high in zip(edges, edges[1:])]
    labels.append(f"{label}{edges[-1]:g} {unit} and more")
    classes = [
        QgsRendererRange(low, high, symbol(line(colour, 0.9)), text)
        for low, high, colour, text in zip(limits, limits[1:], colours, labels)
    ]
    return QgsGraduatedSymbolRenderer(field, classes)


def styles():
    """Give name, geometry, renderer and map tip of each style."""
    radius = 'coalesce("radius", 1e8)'
    yield "segments", "LineString", QgsSingleSymbolRenderer(arrowed(BLUE)), ROAD
    yield "segments_joints", "LineString", QgsSingleSymbolRenderer(jointed()), ROAD
    yield "segments_curvature", "LineString", ranges(radius, RADII, RAMP.light[::-1], "m", "radius "), ROAD
    yield "segments_deviation", "LineString", ranges("deviation", DEVIATIONS, RAMP.light, "m", ""), ROAD
    yield "preview_fit", "LineString", ranges("curve_deviation", DEVIATIONS, RAMP.light, "m", ""), FITTED
    handle = symbol(line(ORANGE, 0.26), marks(Placement.LastVertex, "circle", ORANGE, 1.6))
    yield "handles", "LineString", QgsSingleSymbolRenderer(handle), HANDLE
    up = symbol(line(VIOLET, 0.5), marks(Placement.LastVertex, "circle", VIOLET, 1.6, fill="#ffffff"))
    yield "ups", "LineString", QgsSingleSymbolRenderer(up), UP
    look = {
        "name": "circle",
        "color": "#ffffff",
        "outline_color": BLUE,
        "outline_width": "0.5",
        "size": "2.6",
    }
    yield "junctions", "Point", QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple(look)), JUNCTION


def write(name: str, geometry: str, renderer, tip: str) -> None:
    """Write a style."""
    layer = QgsVectorLayer(geometry, name, "memory")
    layer.setRenderer(renderer)
    layer.setMapTipTemplate(tip.replace("\n", " "))
    document = QDomDocument()
    categories = QgsMapLayer.StyleCategory.Symbology | QgsMapLayer.StyleCategory.MapTips
    fault = layer.exportNamedStyle(document, categories=QgsMapLayer.StyleCategories(categories))
    if fault:
        raise SystemExit(f"{name}: {fault}")
    (HERE / "spl_tools" / "styles" / f"{name}.qml").write_text(document.toString(2), encoding="utf-8")


if __name__ == "__main__":
    application = QgsApplication([], False)
    application.initQgis()
    for style in styles():
        write(*style)
    os._exit(0)  # QGIS without a window may crash when its layers outlive it
