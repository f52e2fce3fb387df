"""What goes wrong: a sentence in the message bar, and all of it in the log panel."""

from __future__ import annotations

from qgis.core import QgsMessageLog
from qgis.PyQt.QtWidgets import QDockWidget, QPushButton, QTabWidget

from .words import tr

LOG = "SPL Tools"
"""Tab of the log panel."""


def log(sentence, level):
    """Write a sentence to the log panel."""
    QgsMessageLog.logMessage(sentence, LOG, level)


def say(iface, title, sentence, level):  # noqa: QGS105 (the plugin has it from QGIS)
    """Say a sentence in the message bar, with a button that shows the log panel."""
    log(f"{title}: {sentence}", level)
    bar = iface.messageBar()
    item = bar.createMessage(title, sentence)
    button = QPushButton(tr("Details"), item)
    button.clicked.connect(lambda *_: show_log(iface))
    item.layout().addWidget(button)
    bar.pushWidget(item, level, 0)


def show_log(iface):  # noqa: QGS105 (the same)
    """Show the log panel, with the plugin's own tab in front."""
    iface.openMessageLog()
    panel = iface.mainWindow().findChild(QDockWidget, "MessageLog")
    tabs = None if panel is None else panel.findChild(QTabWidget)
    for number in range(0 if tabs is None else tabs.count()):
        if tabs.tabText(number) == LOG:
            tabs.setCurrentIndex(number)
