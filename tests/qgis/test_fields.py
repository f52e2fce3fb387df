"""Fields of all types, there and back."""

from __future__ import annotations

import pytest
from qgis.core import QgsFeature, QgsGeometry, QgsVectorLayer
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime, QVariant

VALUES = {
    "whole:int": (7, -(2**31) + 1),
    "long:int8": (2**53 + 1, -(2**63)),
    "real:double": (0.1, -1e300),
    "yes:bool": (True, False),
    "text:string(80)": ("Straße 東京", ""),
    "day:date": (QDate(2024, 2, 29), QDate(1, 1, 1)),
    "clock:time": (QTime(23, 59, 59, 120), QTime(0, 0)),
    "when:datetime": (
        QDateTime.fromString("2024-02-29T12:30:00.250Z", Qt.DateFormat.ISODateWithMs),
        QDateTime.fromString("1900-01-01T00:00:00", Qt.DateFormat.ISODate),
    ),
    "words:string[]": (["a", "b"], []),
    "wholes:int[]": ([1, 2], []),
    "reals:double[]": ([0.5], []),
}


def layer_with(name, values):
    layer = QgsVectorLayer(f"LineString?crs=EPSG:32633&field={name}", "roads", "memory")
    for row, value in enumerate((*values, None)):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromWkt(f"LineString(0 {row * 10},100 {row * 10})"))
        feature.setAttributes([value])
        assert layer.dataProvider().addFeatures([feature])[0]
    return layer


@pytest.mark.parametrize("name", VALUES)
def test_values_types_and_nulls_come_back(run, tmp_path, name):
    layer = layer_with(name, VALUES[name])
    field = layer.fields()[0]
    run("lines_to_spl", INPUT=layer, OUTPUT=str(tmp_path / "a.spl"))
    back = run("spl_to_lines", INPUT=str(tmp_path / "a.spl"), FEATURES="memory:")["FEATURES"]
    assert back.fields()[0].type() == field.type()
    before, after = ([f.attributes()[0] for f in each.getFeatures()] for each in (layer, back))
    assert after[:2] == before[:2]
    assert after[2] is None or (isinstance(after[2], QVariant) and after[2].isNull())
