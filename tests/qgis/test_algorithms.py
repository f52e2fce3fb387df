"""Each algorithm with real inputs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT, Feedback
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsGeometry,
    QgsProcessingException,
    QgsVectorLayer,
    QgsWkbTypes,
)

SAMPLES = ROOT / "sample_data"


@pytest.fixture()
def spl(run, town, tmp_path):
    path = tmp_path / "town.spl"
    run("lines_to_spl", INPUT=town, OUTPUT=str(path))
    return path


def read(path):
    return json.loads(Path(path).read_text())


def test_lines_become_a_graph_with_its_sidecar(run, town, tmp_path, feedback):
    result = run("lines_to_spl", INPUT=town, OUTPUT=str(tmp_path / "a.spl"))
    graph = read(tmp_path / "a.spl")
    assert (len(graph["points"]), len(graph["segments"])) == (result["POINT_COUNT"], result["SEGMENT_COUNT"])
    assert result["JUNCTION_COUNT"] > 0
    beside = read(tmp_path / "a.spl.aux.json")
    assert len(beside["features"]["fid"]) == town.featureCount()
    names = [column["name"] for column in beside["features"]["columns"]]
    assert names == [field.name() for field in town.fields() if field.name() != "fid"]
    assert any("origin lat=" in info for info in feedback.infos)
    assert feedback.steps == sorted(feedback.steps)


def test_the_way_back_gives_attributes_and_places(run, town, spl):
    layer = run("spl_to_lines", INPUT=str(spl), FEATURES="memory:")["FEATURES"]
    assert layer.crs() == town.crs()
    assert layer.featureCount() == town.featureCount()
    name = "name" if "name" in [field.name() for field in town.fields()] else town.fields()[1].name()
    assert Counter(map(str, (f[name] for f in layer.getFeatures()))) == Counter(
        map(str, (f[name] for f in town.getFeatures()))
    )
    lengths = [sum(f.geometry().length() for f in each.getFeatures()) for each in (town, layer)]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.01)


def test_all_kinds_of_layers(run, spl):
    names = ("FEATURES", "CHAINS", "SEGMENTS", "HANDLES", "POINTS")
    result = run("spl_to_lines", INPUT=str(spl), **dict.fromkeys(names, "memory:"))
    graph = read(spl)
    assert result["SEGMENTS"].featureCount() == len(graph["segments"])
    assert result["HANDLES"].featureCount() == 2 * len(graph["segments"])
    assert result["POINTS"].featureCount() == len(graph["points"])
    assert QgsWkbTypes.geometryDisplayString(result["POINTS"].geometryType()) == "Point"
    assert 0 < result["CHAINS"].featureCount() < len(graph["segments"])


def test_segments_that_were_not_edited_come_back_bit_for_bit(run, spl, tmp_path):
    layer = run("spl_to_lines", INPUT=str(spl), SEGMENTS=str(tmp_path / "s.gpkg"))["SEGMENTS"]
    again = tmp_path / "again.spl"
    run("lines_to_spl", INPUT=layer, OUTPUT=str(again))
    assert read(again) == read(spl)


def test_an_edited_handle_is_taken_over_and_the_rest_is_left(run, spl, tmp_path):
    layer = run("spl_to_lines", INPUT=str(spl), SEGMENTS="memory:")["SEGMENTS"]
    with_edit = next(layer.getFeatures())
    layer.startEditing()
    layer.changeAttributeValue(
        with_edit.id(), layer.fields().indexOf("start_tx"), with_edit["start_tx"] + 1.5
    )
    assert layer.commitChanges()
    again = tmp_path / "again.spl"
    run("lines_to_spl", INPUT=layer, OUTPUT=str(again))
    before, after = read(spl), read(again)
    number = with_edit["segment"]
    moved = after["segments"][number]["start_tangent"][0] - before["segments"][number]["start_tangent"][0]
    assert moved == pytest.approx(1.5)
    del before["segments"][number], after["segments"][number]
    assert before == after


def test_the_frame_that_is_asked_for(run, town, tmp_path, feedback):
    run(
        "lines_to_spl",
        INPUT=town,
        CRS="EPSG:32633",
        ORIGIN="14.425,49.315 [EPSG:4326]",
        ROTATION=10,
        OUTPUT=str(tmp_path / "a.spl"),
    )
    assert any(
        "lat=49.315" in info and "lon=14.425" in info and "10 degrees" in info for info in feedback.infos
    )


def test_reproject_keeps_order_and_places(run, spl, tmp_path):
    moved = tmp_path / "moved.spl"
    run(
        "reproject_spl",
        INPUT=str(spl),
        CRS="EPSG:3035",
        ORIGIN="14.425,49.315 [EPSG:4326]",
        OUTPUT=str(moved),
    )
    before, after = read(spl), read(moved)
    assert before["points"] != after["points"]
    assert [(s["start_index"], s["end_index"]) for s in before["segments"]] == [
        (s["start_index"], s["end_index"]) for s in after["segments"]
    ]
    places = [
        [
            f.geometry().asPoint()
            for f in run("spl_to_lines", INPUT=str(p), POINTS="memory:", TARGET_CRS="EPSG:32633")[
                "POINTS"
            ].getFeatures()
        ]
        for p in (spl, moved)
    ]
    assert max(a.distance(b) for a, b in zip(*places)) < 1e-4


def test_findings_are_at_their_places(run, spl):
    result = run("check_spl", INPUT=str(spl), MIN_RADIUS=200.0, OUTPUT="memory:")
    layer = result["OUTPUT"]
    counts = Counter(f["severity"] for f in layer.getFeatures())
    assert counts["warning"] == result["WARNING_COUNT"] > 0
    tight = [f for f in layer.getFeatures() if f["code"] == "tight-curve"]
    town = run("spl_to_lines", INPUT=str(spl), FEATURES="memory:", TARGET_CRS=layer.crs())[
        "FEATURES"
    ].extent()
    assert tight and all(town.buffered(1).contains(f.geometry().asPoint()) for f in tight)


def test_a_graph_without_a_place_is_checked_and_opened(run, tmp_path, feedback):
    bare = tmp_path / "bridge.spl"
    bare.write_bytes((SAMPLES / "bridge.spl").read_bytes())
    layer = run("check_spl", INPUT=str(bare), OUTPUT="memory:")["OUTPUT"]
    assert layer.crs().description() == "scene without a place"
    chains = run("spl_to_lines", INPUT=str(bare), CHAINS="memory:")["CHAINS"]
    assert chains.crs() == layer.crs() and chains.featureCount() > 0
    assert any("no known place" in sentence for sentence in feedback.warned)
    again = run("lines_to_spl", INPUT=chains, FIT=2, OUTPUT=str(tmp_path / "again.spl"))
    assert again["SEGMENT_COUNT"] > 0
    placed = run(
        "spl_to_lines",
        INPUT=str(bare),
        CRS="EPSG:32633",
        ORIGIN="14.425,49.315 [EPSG:4326]",
        TARGET_CRS="EPSG:4326",
        CHAINS="memory:",
    )["CHAINS"]
    assert placed.extent().center().x() == pytest.approx(14.425, abs=0.1)


def test_what_can_be_mended_is_written_to_another_file(run, tmp_path):
    graph = read(SAMPLES / "bridge.spl")
    graph["segments"][0]["start_up"] = [0, 0, 3]
    (tmp_path / "bad.spl").write_text(json.dumps(graph))
    asked = {"INPUT": str(tmp_path / "bad.spl"), "OUTPUT": "memory:"}
    before = run("check_spl", **asked)
    after = run("check_spl", **asked, REPAIRED=str(tmp_path / "good.spl"))
    assert "REPAIRED" not in before and after["REPAIRED"] == str(tmp_path / "good.spl")
    found = [{f["code"] for f in one["OUTPUT"].getFeatures()} for one in (before, after)]
    assert found[1] < found[0]
    assert read(tmp_path / "good.spl")["segments"][0]["start_up"] == [0, 0, 1]
    assert (
        run("check_spl", INPUT=str(tmp_path / "good.spl"), OUTPUT="memory:")["WARNING_COUNT"]
        == after["WARNING_COUNT"]
    )


def test_a_graph_is_brought_up_to_date(run, town, spl, feedback):
    from qgis.core import QgsFeatureRequest

    before = read(spl)
    grown = town.materialize(QgsFeatureRequest())
    road = QgsFeature(grown.fields())
    road.setGeometry(QgsGeometry.fromWkt("LineString(458000 5463000,458100 5463000)"))
    assert grown.dataProvider().addFeatures([road])[0]
    run("lines_to_spl", INPUT=grown, UPDATE=str(spl), OUTPUT=str(spl))
    after = read(spl)
    assert after["segments"][: len(before["segments"])] == before["segments"]
    assert len(after["segments"]) == len(before["segments"]) + 1
    assert not [sentence for sentence in feedback.warned if "other options" in sentence]
    run("lines_to_spl", INPUT=grown, UPDATE=str(spl), OUTPUT=str(spl), MIN_DANGLE=0, TOLERANCE=0.1, WELD=0.02)
    assert any(
        "other options" in sentence and "“Weld distance” 0.01" in sentence for sentence in feedback.warned
    )


def test_a_graph_that_lost_segments_is_not_renumbered_unasked(run, town, spl):
    from qgis.core import QgsFeatureRequest

    less = town.materialize(
        QgsFeatureRequest().setFilterFids([feature.id() for feature in town.getFeatures()][1:])
    )
    with pytest.raises(QgsProcessingException, match="Allow later numbers to move up"):
        run("lines_to_spl", INPUT=less, UPDATE=str(spl), OUTPUT=str(spl))
    count = len(read(spl)["segments"])
    run("lines_to_spl", INPUT=less, UPDATE=str(spl), OUTPUT=str(spl), ALLOW_RENUMBER=True)
    assert len(read(spl)["segments"]) < count


def test_lines_are_merged_by_the_fields_that_are_chosen(run, tmp_path):
    layer = QgsVectorLayer("LineString?crs=EPSG:32633&field=name:string&field=lanes:int", "roads", "memory")
    for number in range(3):
        feature = QgsFeature(layer.fields())
        feature.setAttributes(["Ring", number])
        feature.setGeometry(QgsGeometry.fromWkt(f"LineString({100 * number} 0,{100 * number + 100} 0)"))
        layer.dataProvider().addFeatures([feature])
    apart, one = (
        run("lines_to_spl", INPUT=layer, MERGE=True, MERGE_BY=by, OUTPUT=str(tmp_path / "a.spl"))
        for by in ([], ["name"])
    )
    assert (apart["SEGMENT_COUNT"], one["SEGMENT_COUNT"]) == (3, 1)


def test_a_node_of_a_world_is_chosen_by_its_name(run, town, tmp_path, feedback):
    world = {"FRAME_FILE": str(SAMPLES / "town.world")}
    first = {}
    for name in ("roads", "footbridge"):
        path = tmp_path / f"{name}.spl"
        run("lines_to_spl", INPUT=town, OUTPUT=str(path), FIT=2, NODE_NAME=name, **world)
        first[name] = read(path)["points"][0]
    assert first["roads"] != first["footbridge"]
    assert any("relative to node 'footbridge'" in info for info in feedback.infos)
    with pytest.raises(QgsProcessingException, match="spline graphs are 'roads', 'footbridge'"):
        run("lines_to_spl", INPUT=town, OUTPUT=str(tmp_path / "no.spl"), NODE_NAME="no", **world)


def test_preview_tells_what_a_tolerance_does(run, town):
    fine, coarse = (
        run("preview_fit", INPUT=town, TOLERANCE=tolerance, OUTPUT="memory:") for tolerance in (0.05, 2.0)
    )
    assert fine["SEGMENT_COUNT"] > coarse["SEGMENT_COUNT"]
    features = list(coarse["OUTPUT"].getFeatures())
    assert sum(f["segments"] for f in features) == coarse["SEGMENT_COUNT"]
    assert 0 < max(f["vertex_deviation"] for f in features) <= 2.0
    assert coarse["OUTPUT"].crs() == town.crs()


def test_refused_features_become_a_layer_with_reasons(run, tmp_path, feedback):
    layer = QgsVectorLayer("LineString?crs=EPSG:32633&field=name:string", "roads", "memory")
    for name, wkt in (
        ("good", "LineString(0 0,100 0,200 50)"),
        ("none", ""),
        ("short", "LineString(5 5,5 5)"),
    ):
        feature = QgsFeature(layer.fields())
        feature.setAttributes([name])
        if wkt:
            feature.setGeometry(QgsGeometry.fromWkt(wkt))
        layer.dataProvider().addFeatures([feature])
    result = run("lines_to_spl", INPUT=layer, OUTPUT=str(tmp_path / "a.spl"), REJECTS="memory:")
    rows = {f["name"]: f["reject_reason"] for f in result["REJECTS"].getFeatures()}
    assert rows == {"none": "no geometry", "short": "no length: all vertices of each part are equal"}
    assert sum(sentence.startswith("refused") for sentence in feedback.warned) == 2


def test_a_datum_shift_that_the_user_chose_is_used_there_and_back(plugin, town, tmp_path):
    import processing
    from qgis.core import QgsProcessingContext, QgsProject

    project = QgsProject.instance()
    layer = QgsVectorLayer("LineString?crs=EPSG:4314", "roads", "memory")
    feature = QgsFeature()
    feature.setGeometry(QgsGeometry.fromWkt("LineString(8 50,8.001 50,8.002 50.001)"))
    layer.dataProvider().addFeatures([feature])
    found = []
    for operation in (
        "",
        "+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step +proj=push +v_3 "
        "+step +proj=cart +ellps=bessel +step +proj=helmert +x=1000 +y=0 +z=0 +step +inv +proj=cart "
        "+ellps=GRS80 +step +proj=pop +v_3 +step +proj=utm +zone=32 +ellps=GRS80",
    ):
        context = QgsProcessingContext()
        context.setProject(project)
        shifts = project.transformContext()
        if operation:
            shifts.addCoordinateOperation(layer.crs(), QgsCoordinateReferenceSystem("EPSG:25832"), operation)
        context.setTransformContext(shifts)
        path = tmp_path / f"{len(found)}.spl"
        parameters = {
            "INPUT": layer,
            "CRS": "EPSG:25832",
            "ORIGIN": "428000,5539000 [EPSG:25832]",
            "KEEP_SOURCE": True,
            "OUTPUT": str(path),
        }
        processing.run("spl:lines_to_spl", parameters, context=context, feedback=Feedback())
        found.append(read(path)["points"][0])
    apart = sum((a - b) ** 2 for a, b in zip(*found)) ** 0.5
    assert 100 < apart < 1500
    result = processing.run(
        "spl:spl_to_lines",
        {"INPUT": str(path), "FEATURES": "memory:", "EXACT": True},
        context=context,
        feedback=Feedback(),
    )
    [back] = [came.geometry().asPolyline() for came in result["FEATURES"].getFeatures()]
    there = feature.geometry().asPolyline()
    assert len(back) == len(
        there
    )  # the layer's own vertices; this shift of 1 km is undone within millimetres
    assert max(a.distance(b) for a, b in zip(back, there)) < 1e-7
    assert result["FEATURES"].crs() == layer.crs()


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("lines_to_spl", {"TOLERANCE": 0}, "tolerance"),
        ("lines_to_spl", {"CRS": "EPSG:32633", "FRAME_FILE": "other.spl"}, "“Scene CRS”"),
        ("lines_to_spl", {"ORIGIN_HEIGHT": 5}, "“Origin”"),
        ("lines_to_spl", {"NODE_NAME": "roads"}, "“Name of the node”"),
        ("lines_to_spl", {"MERGE_BY": ["name"]}, "unless lines are merged"),
        ("lines_to_spl", {"UPDATE": "none.spl"}, "no file"),
        (
            "lines_to_spl",
            {"UPDATE": str(SAMPLES / "bridge.spl"), "CRS": "EPSG:32633"},
            "“Bring up to date” keeps the frame",
        ),
        ("spl_to_lines", {"INPUT": "none.spl", "CHAINS": "memory:"}, "no file"),
        ("spl_to_lines", {"INPUT": str(SAMPLES / "bridge.spl")}, "at least one"),
        (
            "reproject_spl",
            {"INPUT": str(SAMPLES / "bridge.spl"), "OUTPUT": "x.spl"},
            "where the graph shall go",
        ),
        ("check_spl", {"INPUT": str(SAMPLES / "town.gpkg"), "OUTPUT": "memory:"}, "not a .spl"),
    ],
)
def test_what_makes_no_sense_is_said_before_the_run(run, town, tmp_path, name, parameters, sentence):
    if name == "lines_to_spl":
        parameters = {"INPUT": town, "OUTPUT": str(tmp_path / "a.spl"), **parameters}
    algorithm = QgsApplication.processingRegistry().createAlgorithmById(f"spl:{name}")
    from qgis.core import QgsProcessingContext

    good, said = algorithm.checkParameterValues(parameters, QgsProcessingContext())
    assert not good and sentence in said
    assert "--" not in said


def test_files_that_are_no_graphs_are_declined_with_a_sentence(run, tmp_path):
    other = tmp_path / "en.utf-8.spl"
    other.write_bytes(b"VIMspell2\x00\xff")
    with pytest.raises(QgsProcessingException, match=r"en\.utf-8\.spl"):
        run("spl_to_lines", INPUT=str(other), CHAINS="memory:")


def test_a_graph_without_a_place_is_not_reprojected(run, tmp_path):
    bare = tmp_path / "bridge.spl"
    bare.write_bytes((SAMPLES / "bridge.spl").read_bytes())
    with pytest.raises(QgsProcessingException, match="Scene CRS of the input"):
        run(
            "reproject_spl",
            INPUT=str(bare),
            CRS="EPSG:3035",
            ORIGIN="14,49 [EPSG:4326]",
            OUTPUT=str(tmp_path / "o.spl"),
        )


def test_cancelling_leaves_no_file(plugin, town, tmp_path):
    import processing

    feedback = Feedback()
    feedback.cancel()
    result = processing.run(
        "spl:lines_to_spl", {"INPUT": town, "OUTPUT": str(tmp_path / "a.spl")}, feedback=feedback
    )
    assert not result.get("POINT_COUNT") and not list(tmp_path.iterdir())
