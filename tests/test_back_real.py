"""The way back, on real files that nobody here wrote."""

from __future__ import annotations

import numpy as np
import pytest

from spl_gis import convert, formats, frames
from spl_gis.formats import vector
from spl_gis.model import Points
from spl_gis.report import Report

ROADS = {
    "seattle": ("osm-roundabout-seattle/montlake_roundabout.osm", {}),
    "i5": ("osm-interchange-i5/i5_exit_ramp.osm", {}),
    "cape": ("cape-roads-dem/roads_33S.shp", {}),
    "sarthe": ("ign-sarthe-lambert93-z-dem/ROUTE.shp", {}),
    "alaska": ("alaska-trails-usfeet/trails.shp", {}),
}
ARRAYS = ("points", "ends", "tangents", "ups", "line", "line_feature", "line_part")


@pytest.fixture(params=ROADS)
def made(request, shared):
    """Give the lines of a file, and the graph made of them."""
    name, options = ROADS[request.param]
    lines = vector.read(shared / name, **options)
    return lines, convert.lines_to_graph(lines, frames.scene_frame(lines.coords, lines.crs), fit="vertices")


def assert_same_features(first, second) -> None:
    assert first.fid.tolist() == second.fid.tolist()
    assert list(first.columns) == list(second.columns)
    for name, column in first.columns.items():
        other = second.columns[name]
        assert column.null.tolist() == other.null.tolist(), name
        assert column.values[~column.null].tolist() == other.values[~other.null].tolist(), name


def test_exact_lines_are_the_source(made, tmp_path):
    lines, graph = made
    formats.write(convert.keep_source(graph, lines), tmp_path / "a.spl")
    back = convert.graph_to_lines(formats.read(tmp_path / "a.spl"), exact=True)
    kept = np.isin(lines.features.fid[lines.feature], graph.features.fid)
    coords = lines.coords[np.repeat(kept, np.diff(lines.offsets))]
    assert np.array_equal(back.coords[:, :2], coords[:, :2])
    assert np.array_equal(back.coords, coords, equal_nan=True)
    again = convert.lines_to_graph(back, graph.crs, fit="vertices")
    for name in ARRAYS:
        assert np.array_equal(getattr(again, name), getattr(graph, name)), name


@pytest.mark.parametrize("kinds", [("segments",), ("points", "handles")])
def test_layers_for_editing_make_the_same_graph(made, tmp_path, kinds):
    _, graph = made
    layers = [
        convert.graph_to_points(graph) if kind == "points" else convert.graph_to_lines(graph, kind=kind)
        for kind in kinds
    ]
    vector.write(layers, tmp_path / "a.gpkg")
    lines = vector.read(tmp_path / "a.gpkg", layer=kinds[-1])
    points: Points | None = vector.read_points(tmp_path / "a.gpkg", "points") if len(kinds) > 1 else None
    report = Report()
    got = convert.edited_to_graph(lines, points, report=report)
    for name in ARRAYS:
        assert np.array_equal(getattr(got, name), getattr(graph, name)), name
    assert got.crs == graph.crs
    assert report.refused == []
    assert report.warnings == []
    assert_same_features(got.features, graph.features)
