"""Asks where a scene is that does not say it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
from qgis.core import QgsCoordinateTransform, QgsCsException, QgsProject
from qgis.gui import QgsFileWidget, QgsMapToolEmitPoint, QgsProjectionSelectionWidget
from qgis.PyQt.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ..adapter import to_pyproj, to_qgis
from ..spl_gis import frames
from ..spl_gis.errors import GeoreferenceError, SplGisError
from ..spl_gis.files import whole_file
from ..spl_gis.formats import frame as frame_file
from ..spl_gis.formats import world
from ..spl_gis.report import Report
from ..words import for_qgis, tr

INDENT = 24
"""How far [pixels] what belongs to a choice stands in."""


class PlaceDialog(QDialog):
    """CRS and origin, another file, or no place; it lets the user click on the map."""

    def __init__(self, path, canvas, parent=None):
        super().__init__(parent)
        self.path, self.canvas = path, canvas
        self.crs_chosen, self.report, self.tool = None, Report(), None
        self.setWindowTitle(tr("Where is {}?").format(path.name))
        self.none = QRadioButton(tr("Nowhere: show it in the scene's own metres"))
        self.here = QRadioButton(tr("Here:"))
        self.other = QRadioButton(tr("Where another file says:"))
        self.crs, self.file, self.node = QgsProjectionSelectionWidget(), QgsFileWidget(), QComboBox()
        self.x, self.y = _coordinate(), _coordinate()
        self.pick = QPushButton(tr("Pick on the map"))
        self.remember = QCheckBox(tr("Remember it: write {} beside the file").format(self._prj.name))
        self.wrong = QLabel()
        self.none.setChecked(True)
        self._lay_out()
        self._connect()

    @property
    def _prj(self):
        return self.path.with_suffix(".prj")

    def _lay_out(self):
        text = _text(
            tr(
                "A .spl does not say where it is on Earth, and there is no sidecar ({}.aux.json) or "
                ".prj beside this one that does."
            ).format(self.path.name)
        )
        self._offer_project_crs()
        self.file.setFilter(tr("Scenes (*.spl *.world *.prj *.json);;All files (*)"))
        self.node.setVisible(False)
        self.remember.setChecked(True)
        self.wrong.setWordWrap(True)
        self.wrong.setStyleSheet("color: #b00020")
        self.wrong.setVisible(False)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (text, self.here, self._place(), self.other, self._files(), self.none):
            layout.addWidget(widget)
        for widget in (self.remember, self.wrong, buttons):
            layout.addWidget(widget)
        self.setMinimumWidth(560)

    def _offer_project_crs(self):
        """Begin with the CRS of the map, if a scene can be laid over it."""
        crs = self.canvas.mapSettings().destinationCrs()
        with contextlib.suppress(SplGisError):  # the map may be where it has no coordinates
            if crs.isValid() and not crs.isGeographic() and _scene_crs(self.canvas.center(), crs) == crs:
                self.crs.setCrs(crs)

    def _place(self):
        form = _indented(QFormLayout())
        form.addRow(tr("CRS of the scene"), self.crs)
        form.addRow(
            "", _text(tr("A projected CRS in metres, such as the UTM zone of the place."), small=True)
        )
        form.addRow(tr("Its (0, 0, 0): x (east)"), self.x)
        form.addRow(tr("y (north)"), self.y)
        form.addRow("", self.pick)
        return _widget(form)

    def _files(self):
        form = _indented(QFormLayout())
        form.addRow(tr("File"), self.file)
        form.addRow(
            "",
            _text(tr("Another .spl with its sidecar, a UNIGINE .world, a .prj or PROJJSON."), small=True),
        )
        form.addRow(tr("Node of the world"), self.node)
        self.node_label = form.labelForField(self.node)
        self.node_label.setVisible(False)
        return _widget(form)

    def _connect(self):
        self.crs.crsChanged.connect(lambda *_: self.here.setChecked(True))
        for number in (self.x, self.y):
            number.valueChanged.connect(lambda *_: self.here.setChecked(True))
        self.pick.clicked.connect(self._pick)
        self.file.fileChanged.connect(self._offer_nodes)
        self.none.toggled.connect(lambda none: self.remember.setEnabled(not none))
        self.remember.setEnabled(False)

    def _pick(self):
        """Let the user click on the map; the dialog comes back with the place, or with another tool."""
        before = self.canvas.mapTool()
        self.tool = QgsMapToolEmitPoint(self.canvas)

        def clicked(point, button):
            self._put_away()
            if before is not None:
                self.canvas.setMapTool(before)
            self._take(point)
            self.show()

        self.tool.canvasClicked.connect(clicked)
        self.tool.deactivated.connect(self.show)
        self.canvas.setMapTool(self.tool)
        self.hide()

    def _put_away(self):
        """Take the tool off the map."""
        if self.tool is not None:
            self.tool.deactivated.disconnect(self.show)
            self.canvas.unsetMapTool(self.tool)
            self.tool = None

    def done(self, result):
        """End, with nothing left on the map."""
        self._put_away()
        super().done(result)

    def as_before(self, other):
        """Begin with the answer to another dialog: files that come together are often of one scene."""
        self.crs.setCrs(other.crs.crs())
        self.x.setValue(other.x.value())  # noqa: QGS202 (of a widget)
        self.y.setValue(other.y.value())  # noqa: QGS202 (of a widget)
        self.file.setFilePath(other.file.filePath())
        for name in ("none", "here", "other"):
            getattr(self, name).setChecked(getattr(other, name).isChecked())
        self.remember.setChecked(other.remember.isChecked())

    def _take(self, point):
        """Take a place on the map for the origin; without a CRS of the scene, in the UTM zone there."""
        shown = self.canvas.mapSettings().destinationCrs()
        try:
            if not self.crs.crs().isValid():
                self.crs.setCrs(_scene_crs(point, shown))
            there = QgsCoordinateTransform(shown, self.crs.crs(), QgsProject.instance()).transform(point)
        except (QgsCsException, SplGisError) as error:
            self._say(tr("this place has no coordinates in the CRS of the scene: {}").format(error))
            return
        self.x.setValue(there.x())  # noqa: QGS202 (of a widget)
        self.y.setValue(there.y())  # noqa: QGS202 (of a widget)
        self.here.setChecked(True)

    def _offer_nodes(self, name):
        """Offer the nodes of a world."""
        self.other.setChecked(True)
        nodes = []
        if Path(name).suffix.lower() == world.SUFFIX and Path(name).is_file():
            try:
                nodes = world.graph_nodes(Path(name))
            except SplGisError as error:
                self._say(for_qgis(error))
        self.node.clear()
        self.node.addItem(tr("the one that shows {}").format(self.path.name), None)
        for label, word in nodes:
            self.node.addItem(label, word)
        for widget in (self.node, self.node_label):
            widget.setVisible(bool(nodes))
        self._fit()

    def _say(self, sentence):
        self.wrong.setText(sentence)
        self.wrong.setVisible(bool(sentence))
        self._fit()

    def _fit(self):
        """Become as high as what is in it."""
        self.layout().activate()
        self.resize(self.width(), self.heightForWidth(self.width()))

    def accept(self):
        """Take the answer, or say what is wrong with it."""
        self.report = Report()
        self._say("")
        try:
            self.crs_chosen = self._frame()
            if self.crs_chosen is not None and self.remember.isChecked():
                self._write_prj()
        except SplGisError as error:
            self._say(for_qgis(error))
            return
        super().accept()

    def _frame(self):
        """Give the frame that was chosen, None for no place; raises the core's errors."""
        if self.here.isChecked():
            base, origin = to_pyproj(self.crs.crs()), frames.Origin(x=self.x.value(), y=self.y.value())
            if base is None:
                raise GeoreferenceError(tr("choose a projected CRS in metres for the scene"))
            return frames.map_frame(base, origin)
        if self.other.isChecked():
            named = self.node.currentData() if self.node_label.isVisibleTo(self) else None
            return frame_file.read(
                Path(self.file.filePath()),
                **({"graph": self.path} if named is None else {"node_name": named}),
                reading=True,
                report=self.report,
            )
        return None

    def _write_prj(self):
        """Write the frame beside the file, where it is found the next time."""
        if self._prj.with_suffix(".shp").exists():
            raise GeoreferenceError(
                tr("{} belongs to a shapefile: this place cannot be remembered there").format(self._prj.name)
            )
        with whole_file(self._prj, overwrite=True) as scratch:
            scratch.write_text(self.crs_chosen.to_wkt("WKT2_2019", pretty=True), encoding="utf-8")
        self.report.note(tr("where the scene is stands in {} now").format(self._prj.name))


def _scene_crs(point, crs):
    """Give the CRS that a scene at some place is laid over, as QGIS has it."""
    there = np.array([[point.x(), point.y(), 0.0]])
    return to_qgis(frames.base_of(frames.scene_frame(there, to_pyproj(crs))))


def _coordinate():
    """Make a field for a coordinate in metres."""
    field = QDoubleSpinBox()
    field.setRange(-1e8, 1e8)
    field.setDecimals(3)
    return field


def _text(words, *, small=False):
    label = QLabel(words)
    label.setWordWrap(True)
    if small:
        label.setStyleSheet("font-style: italic")
    return label


def _indented(layout):
    layout.setContentsMargins(INDENT, 0, 0, 0)
    return layout


def _widget(layout):
    widget = QWidget()
    widget.setLayout(layout)
    return widget
