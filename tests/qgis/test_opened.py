"""The layers of an opened graph: what they hold, how they look, and what becomes of edits."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from conftest import ROOT
from qgis.core import QgsFeature, QgsGeometry, QgsPoint, QgsProject, QgsWkbTypes


@pytest.fixture()
def spl(run, town, tmp_path):
    path = tmp_path / "town.spl"
    run("lines_to_spl", INPUT=town, OUTPUT=str(path))
    return path


@pytest.fixture()
def opened(plugin, spl):
    yield open_group(spl)
    QgsProject.instance().clear()


def open_group(path, later=None):
    from spl_tools.opener.group import add_group
    from spl_tools.opener.kinds import Opened
    from spl_tools.spl_gis import formats
    from spl_tools.spl_gis.formats import sidecar
    from spl_tools.spl_gis.report import Report, silent

    beside = sidecar.find(path)
    graph = formats.read_graph(path)
    known = {} if beside is None else sidecar.read_deviations(beside)
    return add_group(Opened(graph, known), path, Report(), silent, later)


def read(path):
    return json.loads(path.read_text())


def saved(run, layer, path):
    result = run("lines_to_spl", INPUT=layer, OUTPUT=str(path))
    return read(path), result["CHANGES"]


def row(layer, **wanted):
    """Give the feature with some attributes."""
    return next(f for f in layer.getFeatures() if all(f[name] == value for name, value in wanted.items()))


def move(layer, feature, vertex, dx, dy):
    before = feature.geometry().vertexAt(vertex)
    point = QgsPoint(before.x() + dx, before.y() + dy, before.z())
    return layer.moveVertexV2(point, feature.id(), vertex)


def test_a_graph_is_a_group_of_four_layers(opened, spl):
    graph = read(spl)
    count = len(graph["segments"])
    assert [layer.name() for layer in opened.values()] == ["Up vectors", "Handles", "Splines", "Junctions"]
    assert opened["segments"].featureCount() == count
    assert opened["handles"].featureCount() == opened["ups"].featureCount() == 2 * count
    degrees = np.bincount([s[f"{side}_index"] for s in graph["segments"] for side in ("start", "end")])
    assert opened["junctions"].featureCount() == (degrees > 2).sum() > 0
    group = QgsProject.instance().layerTreeRoot().findGroup("town")
    assert [(node.name(), node.isVisible()) for node in group.findLayers()] == [
        ("Junctions", True),
        ("Splines", True),
        ("Handles", False),
        ("Up vectors", False),
    ]
    for layer in opened.values():
        assert layer.crs().authid() == "EPSG:32633" and layer.mapTipTemplate()


def test_splines_have_numbers_for_people(opened, spl):
    layer = opened["segments"]
    known = read(spl.with_name("town.spl.aux.json"))["report"]["deviations"]
    worst = dict(zip(known["fid"], known["curve deviation [m]"]))
    for feature in layer.getFeatures():
        assert feature["deviation"] == worst[feature["feature_id"]]
    assert min(f["radius"] for f in layer.getFeatures() if f["radius"]) > 0
    hidden = {c.name for c in layer.attributeTableConfig().columns() if c.hidden}
    assert {"written", "scene"} <= hidden and "length" not in hidden
    assert layer.editFormConfig().readOnly(layer.fields().indexOf("start_index"))


def test_up_vectors_rise_from_their_points(opened):
    for feature in opened["ups"].getFeatures():
        base, top = feature.geometry().vertices()
        assert top.z() - base.z() == pytest.approx(10 * feature["uz"], abs=0.02)
        assert feature["lean"] == pytest.approx(np.degrees(np.arccos(min(feature["uz"], 1))))


def test_named_styles_colour_by_what_there_is(opened):
    layer = opened["segments"]
    manager = layer.styleManager()
    assert set(manager.styles()) == {"Direction", "By class", "Joints", "Curvature", "Deviation"}
    assert manager.currentStyle() == "Direction" and layer.renderer().type() == "singleSymbol"
    for name, kind in (("By class", "categorizedSymbol"), ("Deviation", "graduatedSymbol")):
        assert manager.setCurrentStyle(name)
        assert layer.renderer().type() == kind and layer.mapTipTemplate()
    labels = [item.label() for item in layer.renderer().legendSymbolItems()]
    assert labels[0] == "below 0.01 m" and labels[-1] == "0.5 m and more"
    assert manager.setCurrentStyle("By class")
    values = {feature["class"] for feature in layer.getFeatures()}
    labels = [item.label() for item in layer.renderer().legendSymbolItems()]
    assert len(labels) == 9 and set(labels[:-1]) < values and labels[-1] == "all others"


def test_a_graph_without_sidecar_has_no_style_of_what_it_lacks(plugin, tmp_path):
    bare = tmp_path / "bridge.spl"
    shutil.copy(ROOT / "sample_data" / "bridge.spl", bare)
    layers = open_group(bare)
    assert set(layers["segments"].styleManager().styles()) == {"Direction", "Joints", "Curvature"}
    assert not layers["segments"].crs().isValid()
    QgsProject.instance().clear()


@pytest.mark.parametrize("kind", ["segments", "handles"])
def test_what_was_not_edited_comes_back_bit_for_bit(run, opened, spl, tmp_path, kind):
    again, _ = saved(run, opened[kind], tmp_path / "again.spl")
    assert again == read(spl)
    features = [read(tmp_path / f"{name}.spl.aux.json")["features"] for name in ("again", "town")]
    assert features[0] == features[1]


def test_a_handle_that_is_dragged_changes_only_its_segment(run, opened, spl, tmp_path):
    layer = opened["handles"]
    layer.startEditing()
    assert move(layer, row(layer, segment=7, side="end"), 1, 3.0, -2.0)
    after, said = saved(run, layer, tmp_path / "again.spl")  # not yet committed
    before = read(spl)
    moved = np.subtract(after["segments"][7]["end_tangent"], before["segments"][7]["end_tangent"])
    assert moved == pytest.approx([3, -2, 0], abs=1e-6)
    after["segments"][7]["end_tangent"] = before["segments"][7]["end_tangent"]
    assert after == before
    assert said == "handles changed: 1"
    assert layer.rollBack()


def test_a_point_that_is_dragged_with_its_handles_moves(run, opened, spl, tmp_path):
    layer, before = opened["handles"], read(spl)
    layer.startEditing()
    mine = [f for f in layer.getFeatures() if f["point"] == before["segments"][7]["end_index"]]
    assert len(mine) > 1
    for feature in mine:
        assert move(layer, feature, 0, 1.0, 1.0) and move(layer, feature, 1, 1.0, 1.0)
    assert layer.commitChanges()
    after, said = saved(run, layer, tmp_path / "again.spl")
    number = mine[0]["point"]
    moved = np.subtract(after["points"][number], before["points"][number])
    assert moved == pytest.approx([1, 1, 0], abs=1e-6)
    assert after["segments"] == before["segments"]
    del after["points"][number], before["points"][number]
    assert after["points"] == before["points"] and said == "points moved: 1"


def test_a_vertex_that_is_moved_has_its_segment_fitted_anew(run, opened, spl, tmp_path):
    layer, before = opened["segments"], read(spl)
    feature = max(layer.getFeatures(), key=lambda f: f["vertices"])
    layer.startEditing()
    assert move(layer, feature, feature["vertices"] // 2, 4.0, 4.0)
    after, said = saved(run, layer, tmp_path / "again.spl")
    number = feature["segment"]
    ends = ("start_index", "end_index")
    assert after["points"][: len(before["points"])] == before["points"]
    assert after["segments"][number]["start_index"] == before["segments"][number]["start_index"]
    assert after["segments"][number] != before["segments"][number]
    kept = [i for i in range(len(before["segments"])) if i != number]
    assert [after["segments"][i] for i in kept] == [before["segments"][i] for i in kept]
    assert said == f"segments fitted anew: 1, segments unchanged: {len(kept)}"
    assert all(after["segments"][i][end] < len(after["points"]) for i in range(len(kept)) for end in ends)
    assert layer.rollBack()


def test_deleted_and_drawn_lines_are_taken_over(run, opened, spl, tmp_path):
    layer, before = opened["segments"], read(spl)
    gone, joined = row(layer, segment=3), row(layer, segment=20)
    layer.startEditing()
    assert layer.deleteFeature(gone.id())
    start = joined.geometry().vertexAt(0)
    drawn = QgsFeature(layer.fields())
    line = [
        start,
        QgsPoint(start.x() + 30, start.y() + 5, start.z()),
        QgsPoint(start.x() + 60, start.y(), start.z()),
    ]
    drawn.setGeometry(QgsGeometry.fromPolyline(line))
    assert layer.addFeature(drawn)
    after, said = saved(run, layer, tmp_path / "again.spl")
    kept = [segment for number, segment in enumerate(before["segments"]) if number != 3]
    tangents = [[s["start_tangent"], s["end_tangent"], s["start_up"], s["end_up"]] for s in kept]
    assert tangents == [
        [s["start_tangent"], s["end_tangent"], s["start_up"], s["end_up"]]
        for s in after["segments"][: len(kept)]
    ]
    new = after["segments"][len(kept) :]
    assert new and after["points"][new[0]["start_index"]] in before["points"]
    assert said == f"segments deleted: 1, lines added: 1, segments unchanged: {len(kept)}"
    assert layer.rollBack()


def test_a_line_drawn_without_heights_gets_those_around_it(run, opened, tmp_path, feedback):
    layer = opened["segments"]
    start = row(layer, segment=20).geometry().vertexAt(0)
    layer.startEditing()
    drawn = QgsFeature(layer.fields())
    far = [QgsPoint(start.x() + x, start.y() + 5, 0.0) for x in (30, 60)]  # as QGIS draws where nothing is
    drawn.setGeometry(QgsGeometry.fromPolyline([start, *far]))
    assert layer.addFeature(drawn)
    before = layer.featureCount() - 1
    after, _ = saved(run, layer, tmp_path / "again.spl")
    new = after["segments"][before:]
    heights = [after["points"][segment["end_index"]][2] for segment in new]
    there = after["points"][new[0]["start_index"]][2]
    assert heights == pytest.approx([there] * len(new), abs=1e-6)
    assert any("2 vertices have the height 0" in sentence for sentence in feedback.infos)
    assert layer.rollBack()


def test_of_a_large_graph_what_is_hidden_waits(plugin, spl, monkeypatch):
    from spl_tools.opener import group

    monkeypatch.setattr(group, "LARGE", 10)
    waiting = {}
    layers = open_group(spl, lambda layer, make: waiting.update({layer.name(): make}))
    assert set(waiting) == {"Up vectors", "Handles"}
    assert layers["handles"].featureCount() == 0
    assert QgsWkbTypes.hasZ(layers["handles"].wkbType())
    group.fill(layers["handles"], waiting["Handles"]())
    whole = open_group(spl)["handles"]
    assert [f.attributes() for f in layers["handles"].getFeatures()] == [
        f.attributes() for f in whole.getFeatures()
    ]
    assert layers["handles"].wkbType() == whole.wkbType()
    QgsProject.instance().clear()


def test_the_curves_of_a_tolerance_are_coloured_by_their_deviation(run, town):
    layer = run("preview_fit", INPUT=town, TOLERANCE=0.5, OUTPUT="memory:")["OUTPUT"]
    assert layer.renderer().classAttribute() == "curve_deviation"
    used = {layer.renderer().rangeForValue(f["curve_deviation"]).label() for f in layer.getFeatures()}
    assert len(used) > 1
    layer = run("preview_fit", INPUT=town, FIT=3, OUTPUT="memory:")["OUTPUT"]
    known = any(f["curve_deviation"] for f in layer.getFeatures())
    assert (layer.renderer().type() == "graduatedSymbol") == known
