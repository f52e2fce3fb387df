"""Several layers as one network."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from spl_gis import convert
from spl_gis.errors import GeoreferenceError
from spl_gis.formats import vector
from spl_gis.frames import parse_crs
from spl_gis.report import Report


@pytest.fixture
def town(sample_data):
    return vector.read(sample_data / "town.gpkg")


def renamed(lines, layer, **columns):
    features = dataclasses.replace(lines.features, layer=layer, columns=columns or lines.features.columns)
    return dataclasses.replace(lines, features=features)


def test_one_layer_stays_what_it_is(town):
    assert convert.merge([town], Report()) is town


def test_lines_and_features_of_all_layers_are_there(town):
    both = convert.merge([town, renamed(town, "more")], Report())
    assert len(both) == 2 * len(town)
    assert np.array_equal(both.coords, np.tile(town.coords, (2, 1)))
    assert both.features.fid[both.feature].tolist() == 2 * town.features.fid[town.feature].tolist()
    assert both.features.columns["source_layer"].values.tolist() == ["town"] * 18 + ["more"] * 18


def test_a_column_that_a_layer_does_not_have_is_null_there(town):
    both = convert.merge([town, renamed(town, "more", lanes=town.features.columns["lanes"])], Report())
    name = both.features.columns["name"]
    assert name.null[18:].all()
    assert name.null[:18].tolist() == town.features.columns["name"].null.tolist()


def test_a_column_of_another_type_is_renamed_and_said(town):
    report = Report()
    both = convert.merge([town, renamed(town, "more", lanes=town.features.columns["speed"])], report)
    assert both.features.columns["more_lanes"].type == "Real"
    assert both.features.columns["lanes"].null[18:].all()
    assert "called more_lanes" in report.notes[0]


def test_layers_in_different_crss_are_refused(town):
    other = dataclasses.replace(renamed(town, "more"), crs=parse_crs("EPSG:32634"))
    with pytest.raises(GeoreferenceError, match="town and more are in different CRSs"):
        convert.merge([town, other], Report())
