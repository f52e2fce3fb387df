"""The plugin in a QGIS with a window (a stand-in of pytest-qgis): what it adds, it takes back."""

from __future__ import annotations

import pytest
from qgis.core import Qgis, QgsApplication, QgsSettings
from qgis.PyQt.QtCore import QCoreApplication, QEvent
from qgis.PyQt.QtWidgets import QAction

DELETED = QEvent.Type.DeferredDelete  # an enum without numbers in Qt 6


class Bar:
    """Keeps what is said in a message bar."""

    def __init__(self):
        self.said = []

    def createMessage(self, title, text):
        from qgis.gui import QgsMessageBarItem

        return QgsMessageBarItem(title, text)

    def pushWidget(self, item, level, duration):
        self.said.append((item, level))


@pytest.fixture()
def iface(qgis_iface, monkeypatch):
    bar = Bar()
    monkeypatch.setattr(qgis_iface, "messageBar", lambda: bar)
    return qgis_iface


def ours():
    """Give what QGIS has of the plugin."""
    QCoreApplication.sendPostedEvents(None, int(getattr(DELETED, "value", DELETED)))
    from osgeo import gdal

    items = QgsApplication.dataItemProviderRegistry().providers()
    return {
        "provider": QgsApplication.processingRegistry().providerById("spl"),
        "items": [item.name() for item in items if item.name() == "spl_tools"],
        "driver": gdal.GetDriverByName("UNIGINE_SPL"),
    }


@pytest.fixture()
def windowed(plugin, package, iface):
    """The plugin with a window; the one without makes room for it, as there is one provider of a name."""
    plugin.unload()
    before = len(iface.mainWindow().findChildren(QAction))
    one = package.classFactory(iface)
    one.initGui()
    yield one
    one.unload()
    assert ours() == {"provider": None, "items": [], "driver": None}
    assert len(iface.mainWindow().findChildren(QAction)) == before
    plugin.initProcessing()


def test_loading_again_and_again_leaves_nothing_behind(windowed):
    for _ in range(2):
        windowed.unload()
        assert ours() == {"provider": None, "items": [], "driver": None}
        windowed.initGui()
        assert ours()["provider"] is not None and ours()["items"] == ["spl_tools"]


def test_the_driver_stays_switched_on(windowed):
    assert ours()["driver"] is None
    windowed.driver.action.setChecked(True)
    assert ours()["driver"] is not None and QgsSettings().value("spl_tools/gdal_driver", False, bool)
    windowed.unload()
    assert ours()["driver"] is None
    windowed.initGui()
    assert ours()["driver"] is not None
    windowed.driver.action.setChecked(False)
    assert ours()["driver"] is None and not QgsSettings().value("spl_tools/gdal_driver", True, bool)


def test_algorithms_of_qgis_read_graphs_with_the_driver(windowed, town, tmp_path):
    import processing

    path = tmp_path / "town.spl"
    made = processing.run("spl:lines_to_spl", {"INPUT": town, "OUTPUT": str(path)})
    windowed.driver.action.setChecked(True)
    moved = {"INPUT": str(path), "TARGET_CRS": town.crs(), "OUTPUT": "memory:"}
    layer = processing.run("native:reprojectlayer", moved)["OUTPUT"]
    assert layer.featureCount() == made["SEGMENT_COUNT"]
    assert town.extent().buffered(1).contains(layer.extent()) and not layer.extent().isEmpty()
    windowed.driver.action.setChecked(False)


def test_a_refused_file_is_a_sentence_with_details(windowed, iface, tmp_path):
    from qgis.PyQt.QtWidgets import QPushButton

    logged = []
    QgsApplication.messageLog().messageReceived.connect(lambda *words: logged.append(words))
    other = tmp_path / "en.spl"
    other.write_bytes(b"VIMspell2\x00\xff")
    windowed.opener.open(str(other))
    [(item, level)] = iface.messageBar().said
    assert level == Qgis.MessageLevel.Warning and "Vim spell file" in item.text()
    assert [words[1] for words in logged] == ["SPL Tools"] and "Traceback" not in logged[0][0]
    [button] = [button for button in item.findChildren(QPushButton) if button.text() == "Details"]
    button.click()
    iface.openMessageLog.assert_called_once_with()
