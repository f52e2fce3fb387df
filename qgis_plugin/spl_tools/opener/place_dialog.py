"""Asks where a scene is that does not say it."""

from __future__ import annotations

from pathlib import Path

from qgis.core import QgsProject
from qgis.gui import QgsFileWidget, QgsProjectionSelectionWidget
from qgis.PyQt.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QRadioButton,
    QVBoxLayout,
)

from ..adapter import to_pyproj
from ..spl_gis import frames
from ..spl_gis.errors import GeoreferenceError
from ..spl_gis.formats import frame as frame_file
from ..words import tr


class PlaceDialog(QDialog):
    """CRS and origin, another file, or no place."""

    def __init__(self, path, parent=None):
        super().__init__(parent)
        self.path = path
        self.setWindowTitle(tr("Where is {}?").format(path.name))
        self.none = QRadioButton(tr("No place: show it in the scene's own metres"))
        self.here = QRadioButton(tr("Its (0, 0, 0) is here:"))
        self.other = QRadioButton(tr("As another file says (.spl, .world, .prj):"))
        self.crs, self.file = QgsProjectionSelectionWidget(), QgsFileWidget()
        self.x, self.y = _coordinate(), _coordinate()
        self.none.setChecked(True)
        self._lay_out()

    def _lay_out(self):
        project = QgsProject.instance().crs()
        self.crs.setCrs(project)
        self.file.setFilter(tr("Scenes (*.spl *.world *.prj *.json);;All files (*)"))
        text = QLabel(
            tr("There is no sidecar ({}.aux.json) or .prj beside it that says where it is on Earth.").format(
                self.path.name
            )
        )
        text.setWordWrap(True)
        place = QFormLayout()
        place.addRow(tr("Scene CRS (metres)"), self.crs)
        place.addRow(tr("x (east) of the origin"), self.x)
        place.addRow(tr("y (north) of the origin"), self.y)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (text, self.none, self.here):
            layout.addWidget(widget)
        layout.addLayout(place)
        for widget in (self.other, self.file, buttons):
            layout.addWidget(widget)
        self.crs.crsChanged.connect(lambda *_: self.here.setChecked(True))
        self.file.fileChanged.connect(lambda *_: self.other.setChecked(True))
        for number in (self.x, self.y):
            number.valueChanged.connect(lambda *_: self.here.setChecked(True))

    def frame(self, report):
        """Give the frame that was chosen, None for no place; raises the core's errors."""
        if self.here.isChecked():
            base, origin = to_pyproj(self.crs.crs()), frames.Origin(x=self.x.value(), y=self.y.value())
            if base is None:
                raise GeoreferenceError(tr("choose a projected CRS in metres for the scene"))
            return frames.map_frame(base, origin)
        if self.other.isChecked():
            return frame_file.read(
                Path(self.file.filePath()), graph=self.path, node_name=None, reading=True, report=report
            )
        return None


def _coordinate():
    """Make a field for a coordinate in metres."""
    field = QDoubleSpinBox()
    field.setRange(-1e8, 1e8)
    field.setDecimals(3)
    return field
