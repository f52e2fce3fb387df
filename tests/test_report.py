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
