"""Run by QGIS Desktop (`--code`): open by drop, Browser and dialog, edit and save, screenshots, unload.

Environment: FOLDER with town.spl and sidecar, bare.spl without one, vim.spl of another kind; for output too.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from pathlib import Path

from qgis.core import Qgis, QgsApplication, QgsDirectoryItem, QgsProject
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
    iface.mapCanvas().refresh()
    iface.mapCanvas().waitWhileRendering()
    QApplication.processEvents()
    assert iface.mainWindow().grab().save(str(FOLDER / f"{name}.png"))


def dropped():
    iface.mainWindow().resize(1280, 800)
    drop(FOLDER / "town.spl")
    QTimer.singleShot(2000, opened)


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
    shoot_algorithm()
    edit_and_save(found["Splines"], graph)
    from_browser()


def shoot_algorithm():
    import processing

    dialog = processing.createAlgorithmDialog("spl:lines_to_spl")
    dialog.resize(1000, 700)
    dialog.show()
    for _ in range(20):
        QApplication.processEvents()
    assert dialog.grab().save(str(FOLDER / "algorithm.png"))
    dialog.close()


def edit_and_save(layer, before):
    import processing

    feature = next(layer.getFeatures())
    layer.startEditing()
    layer.changeAttributeValue(feature.id(), layer.fields().indexOf("end_ty"), feature["end_ty"] + 2.0)
    assert layer.commitChanges(), layer.commitErrors()
    processing.run("spl:lines_to_spl", {"INPUT": layer, "OUTPUT": str(FOLDER / "saved.spl")})
    after = json.loads((FOLDER / "saved.spl").read_text())
    number = feature["segment"]
    moved = after["segments"][number]["end_tangent"][1] - before["segments"][number]["end_tangent"][1]
    assert abs(moved - 2.0) < 1e-9
    del after["segments"][number], before["segments"][number]
    assert before == after


def from_browser():
    QgsProject.instance().clear()
    parent = QgsDirectoryItem(None, "folder", str(FOLDER))
    items = parent.createChildren()
    KEPT.append(parent)
    gc.collect()
    item = next(item for item in items if item.name() == "town.spl")
    assert item.handleDoubleClick()
    assert groups() == ["town"], groups()
    QgsProject.instance().clear()
    texts = [action.text() for action in iface.addLayerMenu().actions()]
    assert any(".spl" in text for text in texts), texts
    QTimer.singleShot(800, answer)
    drop(FOLDER / "bare.spl")
    QTimer.singleShot(3000, declined)


def answer():
    dialog = QApplication.activeModalWidget()
    if type(dialog).__name__ != "PlaceDialog":
        print("no dialog asked where the scene is:", dialog)
        leave(4)
    from qgis.core import QgsCoordinateReferenceSystem

    dialog.crs.setCrs(QgsCoordinateReferenceSystem("EPSG:32633"))
    dialog.x.setValue(458000)
    dialog.y.setValue(5462000)
    assert dialog.here.isChecked()
    dialog.grab().save(str(FOLDER / "dialog.png"))
    dialog.accept()


def declined():
    assert groups() == ["bare"], groups()
    middle = layers()["Splines"].extent().center()
    assert abs(middle.x() - 458000) < 5000 and abs(middle.y() - 5462000) < 5000, middle.toString()
    drop(FOLDER / "vim.spl")
    QTimer.singleShot(1500, finish)


def finish():
    items = iface.messageBar().items()
    assert any(item.title() == "vim.spl" for item in items), [item.text() for item in items]
    assert groups() == ["bare"]
    assert unloadPlugin("spl_tools") and "spl_tools" not in plugins
    assert QgsApplication.processingRegistry().providerById("spl") is None
    assert not any(".spl" in action.text() for action in iface.addLayerMenu().actions())
    print("\n".join(TROUBLE))
    QgsProject.instance().clear()
    print("all is well" if not TROUBLE else "there were errors in the log")
    leave(1 if TROUBLE else 0)


QTimer.singleShot(1500, dropped)
