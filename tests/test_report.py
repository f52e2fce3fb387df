"""What a job says."""

from __future__ import annotations

from spl_gis.report import Report, by_reason


def test_counts_add_up_and_sentences_are_said_once():
    report = Report()
    report.count("lines", 2)
    report.count("lines", 3)
    report.warn("look")
    report.warn("look")
    report.note("chose")
    report.note("chose")
    assert report.counts == {"lines": 5}
    assert report.warnings == ["look"]
    assert report.notes == ["chose"]


def test_remarks_are_summed_up_by_reason():
    report = Report()
    report.refuse(range(7), "empty")
    report.refuse([99], "null")
    assert by_reason(report.refused) == [
        "7 x empty (feature 0, 1, 2, 3, 4 and 2 more)",
        "1 x null (feature 99)",
    ]


def test_plain_data_for_json():
    report = Report()
    report.repair([4], "mended")
    assert report.to_dict()["repaired"] == [{"fid": 4, "reason": "mended", "layer": ""}]


def test_features_are_counted_once_whatever_is_said_of_them():
    report = Report()
    report.refuse([1, 2], "empty")
    report.refuse([2], "null")
    report.refuse([2], "null", "other layer")
    report.repair([], "mended")
    assert report.counts == {"features refused": 3}
    report.repair([5, 5], "mended")
    assert report.counts["features repaired"] == 1


def test_a_report_takes_over_what_another_says():
    report, other = Report(), Report()
    report.refuse([1], "empty", "roads")
    report.count("lines", 1)
    other.refuse([1], "empty")
    other.repair([2], "mended", "paths")
    other.count("lines", 2)
    other.note("chose")
    other.warn("look")
    other.measures["deviation [m]"] = 0.5
    report.add(other, "rails")
    assert [remark.layer for remark in report.refused + report.repaired] == ["roads", "rails", "paths"]
    assert report.counts == {"features refused": 2, "features repaired": 1, "lines": 3}
    assert (report.notes, report.warnings, report.measures) == (["chose"], ["look"], {"deviation [m]": 0.5})


def test_the_table_has_the_features_first_and_reasons_beside_them():
    report = Report()
    report.count("lines read", 1200)
    report.count("features read", 3)
    report.refuse([1, 2], "empty")
    report.measures["deviation [m]"] = 0.0123
    report.network = {
        **{"points": 3, "segments": 2, "junctions": 0, "components": 1},
        **{"points by degree": {1: 2, 2: 1}, "length [m]": 1234.56},
    }
    report.frame = {"kind": "map", "base": "WGS 84 / UTM zone 33N"}
    assert report.table() == [
        ("features read", "3"),
        ("features refused", "2: 2 x empty"),
        ("lines read", "1,200"),
        ("points", "3"),
        ("segments", "2"),
        ("junctions", "0"),
        ("components", "1"),
        ("points by degree", "2 of degree 1, 1 of degree 2"),
        ("length [m]", "1,234.6"),
        ("deviation [m]", "0.0123"),
        ("frame", "map over WGS 84 / UTM zone 33N"),
    ]
