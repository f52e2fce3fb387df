"""Large jobs go in batches: what comes out is the same."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spl_gis import convert, fitting, topology
from spl_gis.convert import through
from spl_gis.fitting.allowance import allowance
from spl_gis.fitting.certificate import certify
from spl_gis.fitting.curves import FitOptions, batches
from spl_gis.formats import vector
from spl_gis.frames import scene_frame
from spl_gis.report import Report


@pytest.fixture(scope="module")
def town(sample_data):
    return vector.read(sample_data / "town.gpkg")


def graph_of(lines, fit, report=None):
    return convert.lines_to_graph(lines, scene_frame(lines.coords, lines.crs), fit=fit, report=report)


@pytest.mark.parametrize("fit", ["vertices", "unigine", "fast"])
def test_a_graph_does_not_depend_on_the_batches(town, fit, monkeypatch):
    whole = graph_of(town, fit)
    monkeypatch.setattr(through, "BATCH", 50)
    monkeypatch.setattr(fitting, "BLOCK", 20)
    parts = graph_of(town, fit)
    assert np.array_equal(whole.ends, parts.ends)
    assert np.array_equal(whole.line, parts.line)
    for name in ("points", "tangents"):
        assert np.allclose(getattr(whole, name), getattr(parts, name), rtol=0, atol=1e-9)


def test_best_is_as_good_in_batches(town, monkeypatch):
    # it goes on until all of a batch is settled, so some curves are settled a little more
    whole = graph_of(town, "best")
    monkeypatch.setattr(through, "BATCH", 50)
    report = Report()
    parts = graph_of(town, "best", report)
    assert abs(len(parts) - len(whole)) <= 0.02 * len(whole)
    assert report.measures["vertex deviation [m]"] <= 0.1


@pytest.mark.parametrize("fit", ["vertices", "unigine"])
@given(seed=st.integers(0, 10_000))
def test_measured_deviations_are_those_of_the_certificate(fit, seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 9, 6)
    coords, offsets = random.normal(0, 50, (sizes.sum(), 3)), np.append(0, np.cumsum(sizes))
    closed = np.zeros(len(sizes), bool)
    curves = fitting.fit(coords, offsets, closed, fit, FitOptions())
    verdict = certify(
        coords,
        offsets,
        curves.controls,
        curves.offsets,
        allowance(coords, offsets, closed, 0.0),
        np.inf,
        parameters=curves.places,
    )
    wanted = np.maximum.reduceat(verdict.curve_deviation, curves.offsets[:-1])
    assert curves.curve_deviation == pytest.approx(wanted, rel=0.01, abs=1e-3)
    assert curves.vertex_deviation.max() < 1e-9


@given(st.lists(st.integers(2, 30), max_size=12), st.integers(1, 40))
def test_batches_hold_all_polylines_once(sizes, size):
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int64)
    found = list(batches(offsets, size))
    assert np.array_equal(
        np.concatenate([np.arange(len(sizes))[some] for _, _, some in found]), range(len(sizes))
    )
    assert sum(rows.stop - rows.start for rows, _, _ in found) == offsets[-1]
    for rows, runs, some in found:
        assert np.array_equal(runs + rows.start, offsets[some.start : some.stop + 1])


@given(st.lists(st.integers(0, 9), max_size=30))
def test_labels_are_numbered_as_they_appear(labels):
    order = list(dict.fromkeys(labels))
    assert topology.renumber(np.array(labels, np.int64)).tolist() == [order.index(label) for label in labels]


def test_the_report_tells_the_peak_of_memory_and_the_sidecar_does_not(sample_data, tmp_path):
    pytest.importorskip("resource")
    report, scene = tmp_path / "report.json", tmp_path / "t.spl"
    command = [sys.executable, "-m", "spl_gis", "convert", str(sample_data / "town.gpkg"), str(scene)]
    subprocess.run([*command, "--fit", "vertices", "--quiet", "--report", str(report)], check=True)
    assert json.loads(report.read_text(encoding="utf-8"))["measures"]["peak memory [MB]"] > 20
    sidecar = json.loads((tmp_path / "t.spl.aux.json").read_text(encoding="utf-8"))
    assert "peak memory [MB]" not in sidecar["report"]["measures"]
    assert "row" not in sidecar["segments"]
