"""Run by QGIS Desktop (`--code`): open by drop, Browser and dialog, edit and save, screenshots, unload.

Environment: FOLDER with town.spl and sidecar, bare.spl without one, vim.spl of another kind; for output too.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import sys
import traceback
from pathlib import Path

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsDirectoryItem,
    QgsLineSymbol,
    QgsPoint,
    QgsProject,
    QgsRectangle,
    QgsSingleSymbolRenderer,
    QgsVector,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from qgis.PyQt.QtGui import QDragEnterEvent, QDropEvent
from qgis.PyQt.QtWidgets import QApplication
from qgis.utils import iface, plugins, unloadPlugin

FOLDER = Path(os.environ["FOLDER"])
KEPT = []
TROUBLE = []


def leave(code):
    sys.stdout.flush()
    os._exit(code)


def fail(kind, value, trace):
    """QGIS would show a box and wait for ever."""
    traceback.print_exception(kind, value, trace)
    leave(3)


def note(message, tag, level):
    if level == Qgis.MessageLevel.Critical or "Traceback" in message:
        TROUBLE.append(f"{tag}: {message}")


sys.excepthook = fail
faulthandler.dump_traceback_later(150, file=sys.__stderr__)  # where it waits, if it does not end
QgsApplication.messageLog().messageReceived.connect(note)


def drop(path):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    rest = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter, event = QDragEnterEvent(QPoint(600, 400), *rest), QDropEvent(QPointF(600, 400), *rest)
    QApplication.sendEvent(iface.mainWindow(), enter)
    QApplication.sendEvent(iface.mainWindow(), event)
    KEPT.extend([mime, enter, event])
    assert enter.isAccepted() and event.isAccepted()


def layers():
    return {layer.name(): layer for layer in QgsProject.instance().mapLayers().values()}


def groups():
    return [group.name() for group in QgsProject.instance().layerTreeRoot().findGroups()]


def shoot(name):
    for _ in range(10):
        QApplication.processEvents()
    iface.mapCanvas().refresh()
    iface.mapCanvas().waitWhileRendering()
    QApplication.processEvents()
    assert iface.mainWindow().grab().save(str(FOLDER / f"{name}.png"))


def dropped():
    iface.mainWindow().setGeometry(0, 0, 1280, 800)
    drop(FOLDER / "town.spl")
    QTimer.singleShot(2000, opened)


def bar():
    return [(item.title(), item.text()) for item in iface.messageBar().items()]


def opened():
    assert groups() == ["town"], groups()
    graph = json.loads((FOLDER / "town.spl").read_text())
    found = layers()
    assert found["Splines"].featureCount() == len(graph["segments"])
    assert found["Handles"].featureCount() == 2 * len(graph["segments"])
    assert found["Junctions"].featureCount() > 0
    assert found["Splines"].crs().authid() == "EPSG:32633", found["Splines"].crs().authid()
    assert iface.mapCanvas().extent().intersects(found["Splines"].extent())
    tree = QgsProject.instance().layerTreeRoot()
    assert not tree.findLayer(found["Handles"]).isVisible() and tree.findLayer(found["Splines"]).isVisible()
    shoot("opened")
    shoot_styles(found, tree)
    edit_handle(found["Handles"], graph)


def shoot_styles(found, tree):
    manager = found["Splines"].styleManager()
    for style, name in (("By class", "class"), ("Curvature", "curvature"), ("Deviation", "deviation")):
        assert manager.setCurrentStyle(style)
        assert tree.findLayer(found["Splines"]).isExpanded()
        shoot(name)
    assert manager.setCurrentStyle("Joints")
    for name in ("Handles", "Up vectors"):
        tree.findLayer(found[name]).setItemVisibilityChecked(True)
    whole = found["Splines"].extent()
    part = QgsRectangle(0, 0, 0.2 * whole.width(), 0.2 * whole.height())
    part += QgsVector(whole.xMinimum() + 0.22 * whole.width(), whole.yMinimum() + 0.37 * whole.height())
    iface.mapCanvas().setExtent(part)
    shoot("handles")
    assert manager.setCurrentStyle("Direction")
    iface.zoomToActiveLayer()


def shoot_algorithm(name, values, picture):
    import processing

    dialog = processing.createAlgorithmDialog(name, values)
    dialog.resize(1000, 700)
    dialog.show()
    for _ in range(20):
        QApplication.processEvents()
    assert dialog.grab().save(str(FOLDER / f"{picture}.png"))
    dialog.close()


def shoot_jobs():
    """Convert a layer and show the curves over it; move the graph to another frame, in the same place."""
    import processing

    roads = QgsVectorLayer(str(FOLDER / "town.gpkg"), "town.gpkg", "ogr")
    assert QgsProject.instance().addMapLayer(roads)
    shoot_algorithm("spl:lines_to_spl", {"INPUT": roads}, "algorithm")
    look = {"line_color": "#e0a060", "line_width": "2.6", "capstyle": "round", "joinstyle": "round"}
    roads.setRenderer(QgsSingleSymbolRenderer(QgsLineSymbol.createSimple(look)))
    processing.run(
        "spl:lines_to_spl", {"INPUT": roads, "TOLERANCE": 0.5, "OUTPUT": str(FOLDER / "roads.spl")}
    )
    plugins["spl_tools"].opener.open(str(FOLDER / "roads.spl"))
    tree = QgsProject.instance().layerTreeRoot()
    made = tree.findGroup("roads").findLayers()[1].layer()
    assert made.styleManager().setCurrentStyle("Joints")
    whole = made.extent()
    part = QgsRectangle(0, 0, 0.3 * whole.width(), 0.4 * whole.height())
    part += QgsVector(whole.xMinimum() + 0.55 * whole.width(), whole.yMinimum() + 0.4 * whole.height())
    iface.mapCanvas().setExtent(part)
    shoot("converted")
    move = {"INPUT": str(FOLDER / "roads.spl"), "CRS": "EPSG:3035", "ORIGIN": "14.43,49.315 [EPSG:4326]"}
    shoot_algorithm("spl:reproject_spl", move, "reproject")
    processing.run("spl:reproject_spl", {**move, "OUTPUT": str(FOLDER / "moved.spl")})
    plugins["spl_tools"].opener.open(str(FOLDER / "moved.spl"))
    moved = tree.findGroup("moved").findLayers()[1].layer()
    iface.setActiveLayer(moved)
    shoot("moved")
    lengths = [sum(f["length"] for f in each.getFeatures()) for each in (made, moved)]
    assert 0 < abs(lengths[0] / lengths[1] - 1) < 0.05
    QgsProject.instance().clear()


def edit_handle(layer, before):
    """Drag the end of a handle with the vertex tool's own call, and save with the action of the menu."""
    iface.setActiveLayer(layer)
    save = next(action for action in iface.layerMenu().actions() if action.text().startswith("Save as .spl"))
    assert save.isEnabled()
    feature = next(layer.getFeatures())
    end = feature.geometry().vertexAt(1)
    assert layer.startEditing()
    assert layer.moveVertexV2(QgsPoint(end.x() + 5, end.y() + 2, end.z()), feature.id(), 1)
    shoot_menu(layer)
    plugins["spl_tools"].saver.save(layer, str(FOLDER / "saved.spl"))
    wait(lambda: any(title == "saved.spl" for title, _ in bar()), lambda: saved(layer, feature, before))


def shoot_menu(layer):
    view = iface.layerTreeView()
    view.setCurrentLayer(layer)
    menu = view.menuProvider().createContextMenu()
    assert any(action.text().startswith("Save as .spl") for action in menu.actions())
    menu.popup(view.mapToGlobal(QPoint(60, 60)))
    for _ in range(20):
        QApplication.processEvents()
    assert iface.mainWindow().screen().grabWindow(0).save(str(FOLDER / "menu.png"))
    menu.close()
    menu.deleteLater()


def saved(layer, feature, before):
    after = json.loads((FOLDER / "saved.spl").read_text())
    number, key = feature["segment"], f"{feature['side']}_tangent"
    moved = [b - a for a, b in zip(before["segments"][number][key], after["segments"][number][key])]
    assert all(abs(a - b) < 1e-6 for a, b in zip(moved, (5, 2, 0))), moved
    after["segments"][number][key] = before["segments"][number][key]
    assert before == after
    assert ("saved.spl", "saved. Handles changed: 1.") in bar(), bar()
    shoot("saved")
    assert layer.rollBack()
    iface.messageBar().clearWidgets()
    edit_splines(layers()["Splines"], before)


def edit_splines(layer, before):
    feature = next(layer.getFeatures())
    layer.startEditing()
    layer.changeAttributeValue(feature.id(), layer.fields().indexOf("end_ty"), feature["end_ty"] + 2.0)
    assert layer.commitChanges(), layer.commitErrors()
    plugins["spl_tools"].saver.save(layer, str(FOLDER / "again.spl"))

    def compared():
        after = json.loads((FOLDER / "again.spl").read_text())
        number = feature["segment"]
        moved = after["segments"][number]["end_tangent"][1] - before["segments"][number]["end_tangent"][1]
        assert abs(moved - 2.0) < 1e-9
        del after["segments"][number], before["segments"][number]
        assert before == after
        from_browser()

    wait(lambda: any(title == "again.spl" for title, _ in bar()), compared)


def wait(until, then, tries=100):
    """Go on when something has happened in the background."""
    if until():
        then()
        return
    assert tries > 0, ("it never happened", bar())
    QTimer.singleShot(100, lambda: wait(until, then, tries - 1))


def from_browser():
    QgsProject.instance().clear()
    iface.messageBar().clearWidgets()
    shoot_jobs()
    parent = QgsDirectoryItem(None, "folder", str(FOLDER))
    items = parent.createChildren()
    KEPT.append(parent)
    gc.collect()
    item = next(item for item in items if item.name() == "town.spl")
    sys.modules["spl_tools.opener.group"].LARGE = 10
    assert item.handleDoubleClick()
    assert groups() == ["town"], groups()
    waits = layers()["Handles"]
    assert waits.featureCount() == 0
    QgsProject.instance().layerTreeRoot().findLayer(waits).setItemVisibilityChecked(True)
    wait(waits.featureCount, ask)


def ask():
    found = layers()
    assert found["Handles"].featureCount() == 2 * found["Splines"].featureCount()
    assert found["Up vectors"].featureCount() == 0
    texts = [action.text() for action in iface.addLayerMenu().actions()]
    assert any(".spl" in text for text in texts), texts
    drop(FOLDER / "bare.spl")
    drop(FOLDER / "also.spl")
    QTimer.singleShot(800, asked)


def dialogs():
    return plugins["spl_tools"].opener.dialogs


def asked():
    """Answer the dialog: first nonsense, then a node of a world, then a click on the map."""
    asks, waits = dialogs()
    assert asks.isVisible() and not waits.isVisible()
    assert asks.crs.crs().authid() == "EPSG:32633", asks.crs.crs().authid()
    asks.file.setFilePath(str(FOLDER / "nothing.world"))
    asks.accept()
    assert asks.isVisible() and "nothing.world" in asks.wrong.text()
    asks.file.setFilePath(str(FOLDER / "town.world"))
    names = [asks.node.itemText(number) for number in range(asks.node.count())]
    assert names[1:] == ["roads", "footbridge"], names
    asks.node.setCurrentIndex(2)
    QApplication.processEvents()
    asks.grab().save(str(FOLDER / "world.png"))
    asks.pick.click()
    assert not asks.isVisible()
    canvas = iface.mapCanvas()
    place = canvas.getCoordinateTransform().toMapCoordinates(300, 200)
    canvas.mapTool().canvasClicked.emit(place, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert asks.isVisible() and asks.here.isChecked()
    assert abs(asks.x.value() - place.x()) < 0.01 and abs(asks.y.value() - place.y()) < 0.01
    asks._say("")
    asks.file.setFilePath("")
    asks.x.setValue(458000)
    asks.y.setValue(5462000)
    QApplication.processEvents()
    asks.grab().save(str(FOLDER / "dialog.png"))
    asks.accept()
    assert groups() == ["bare", "town"], groups()
    assert dialogs() == [waits] and waits.isVisible() and waits.here.isChecked()
    assert (waits.x.value(), waits.y.value()) == (458000, 5462000)
    waits.none.setChecked(True)
    waits.accept()
    assert groups() == ["also", "bare", "town"] and not (FOLDER / "also.prj").exists()
    middle = QgsProject.instance().layerTreeRoot().findGroup("bare").findLayers()[1].layer().extent().center()
    assert abs(middle.x() - 458000) < 5000 and abs(middle.y() - 5462000) < 5000, middle.toString()
    QgsProject.instance().clear()
    drop(FOLDER / "bare.spl")  # what was answered is remembered
    QTimer.singleShot(1000, declined)


def declined():
    assert groups() == ["bare"], groups()
    drop(FOLDER / "vim.spl")
    QTimer.singleShot(1000, finish)


def finish():
    items = iface.messageBar().items()
    assert any(item.title() == "vim.spl" for item in items), [item.text() for item in items]
    assert groups() == ["bare"]
    QgsProject.instance().clear()
    assert dialogs() == []
    assert unloadPlugin("spl_tools") and "spl_tools" not in plugins
    assert QgsApplication.processingRegistry().providerById("spl") is None
    for menu in (iface.addLayerMenu(), iface.layerMenu()):
        assert not any(".spl" in action.text() for action in menu.actions())
    print("\n".join(TROUBLE))
    QgsProject.instance().clear()
    print("all is well" if not TROUBLE else "there were errors in the log")
    leave(1 if TROUBLE else 0)


QTimer.singleShot(1500, dropped)
