"""Real files that nobody here wrote, there and back."""

from __future__ import annotations

import dataclasses
from itertools import groupby

import numpy as np
import pytest
import shapely
from scipy.spatial import cKDTree

from spl_gis import convert, formats, frames
from spl_gis.bezier import length
from spl_gis.fitting import FitOptions, fit
from spl_gis.formats import vector
from spl_gis.model import LineStrings, SplineGraph, control_points
from spl_gis.report import Report
from spl_gis.terrain import fill_heights, shared_heights
from spl_gis.topology import NetworkOptions

ROADS = {
    "andorra": ("osm-andorra-mountain-dem/andorra.osm.gz", {}),
    "frida": (
        "frida-osnabrueck/strassen-joined.shp",
        {"source_crs": "EPSG:31467", "encoding": "ISO-8859-1"},
    ),
    "sarthe": ("ign-sarthe-lambert93-z-dem/ROUTE.shp", {}),
    "spearfish": ("spearfish-roads-dem/roads.shp", {}),
    "tartu": ("tartu-geojson-crs-utm/network_tartu_32635_.geojson", {}),
    "krovak": ("momepy-krovak/tests.gpkg", {"layer": "network"}),
    "cape": ("cape-roads-dem/roads_33S.shp", {}),
    "arizona": ("arizona-streets-usfeet/streets.shp", {}),
    "helsinki": ("osm-helsinki-pbf/Helsinki.osm.pbf", {}),
    "moscow": ("osm-moscow-cyrillic/moscow.osm.gz", {}),
    "seattle": ("osm-roundabout-seattle/montlake_roundabout.osm", {}),
    "alaska": ("alaska-trails-usfeet/trails.shp", {}),
}

MILLIMETRE = 1e-3


@pytest.fixture(params=ROADS)
def there_and_back(request, shared, tmp_path):
    """Give the lines of a file, its graph, and the lines read from a GeoPackage made of the written graph."""
    name, options = ROADS[request.param]
    report = Report()
    lines = vector.read(shared / name, report=report, **options)
    frame = frames.scene_frame(lines.coords, lines.crs)
    equal_only = NetworkOptions(weld=0.0, weld_z=0.0, snap_ends=False)
    graph = convert.lines_to_graph(lines, frame, network=equal_only, report=report, fit="vertices")
    formats.write(graph, tmp_path / "a.spl", report=report)
    read = formats.read(tmp_path / "a.spl")
    assert isinstance(read, SplineGraph)
    formats.write(convert.graph_to_lines(read, tolerance=0.01), tmp_path / "a.gpkg")
    return lines, graph, vector.read(tmp_path / "a.gpkg"), report


def in_scene(lines: LineStrings, graph: SplineGraph) -> np.ndarray:
    return np.nan_to_num(frames.transform(lines.coords, lines.crs, graph.crs))


def without_sentinels(lines: LineStrings) -> LineStrings:
    """Give lines with their neighbours' heights where the source has -99 for "no height"."""
    none = lines.coords[:, 2] == -99
    if not none.any():
        return lines
    known = np.column_stack([lines.coords[:, :2], np.where(none, np.nan, lines.coords[:, 2])])
    coords, _ = fill_heights(shared_heights(known), lines.offsets)
    return dataclasses.replace(lines, coords=coords)


def rows_of(lines: LineStrings) -> np.ndarray:
    """Give the row of each vertex's feature among the features that have lines."""
    return np.repeat(lines.feature, np.diff(lines.offsets))


def test_real_roads_there_and_back(there_and_back):
    lines, graph, back, report = there_and_back
    lines = without_sentinels(lines)
    refused = {remark.fid for remark in report.refused}
    expected = np.array([fid for fid in lines.features.fid if fid not in refused])
    assert np.array_equal(back.features.fid, expected)
    assert report.counts["features read"] >= len(back.features)

    # every vertex of the input is a vertex of the output of the same feature, within a millimetre
    far = 1e4  # metres between features in a fourth dimension, so that only vertices of one feature meet
    there = np.column_stack([in_scene(lines, graph), lines.features.fid[rows_of(lines)] * far])
    here = np.column_stack([in_scene(back, graph), back.features.fid[rows_of(back)] * far])
    kept = ~np.isin(lines.features.fid[rows_of(lines)], list(refused))
    assert cKDTree(here).query(there[kept])[0].max() < MILLIMETRE
    assert back.planar == lines.planar

    # shared vertices share one point: there are as many points as different vertices
    welded = np.unique(np.nan_to_num(lines.coords[kept]), axis=0)
    assert len(graph.points) == len(welded)

    rows = np.flatnonzero(np.isin(lines.features.fid, expected))
    for name, column in lines.features.columns.items():
        got = back.features.columns[name]
        assert (got.type, got.subtype) == (column.type, column.subtype)
        assert np.array_equal(got.null, column.null[rows])
        assert got.values[~got.null].tolist() == column.values[rows][~got.null].tolist()


@pytest.fixture(scope="module")
def engine_files(shared):
    files = sorted((shared / "spl-real").glob("*.spl"))
    assert len(files) == 10
    return files


def test_engine_files_are_written_with_the_same_doubles(engine_files, tmp_path):
    for path in engine_files:
        graph = formats.spl.read(path)
        formats.spl.write(graph, tmp_path / path.name)
        again = formats.spl.read(tmp_path / path.name)
        for name in ("points", "ends", "tangents", "ups"):
            assert getattr(again, name).tobytes() == getattr(graph, name).tobytes()


def test_the_engines_sample_opens_at_its_place(shared, tmp_path):
    graph = formats.spl.read(shared / "spl-real" / "unigine_sample_roads.spl")
    base = frames.parse_crs("EPSG:32637")
    frame = frames.map_frame(base, frames.parse_origin("lat=55.75,lon=37.61"))
    placed = SplineGraph(**{**vars(graph), "crs": frame, "source_crs": base})
    for kind in ("chains", "segments"):
        formats.write(convert.graph_to_lines(placed, kind=kind), tmp_path / f"{kind}.gpkg")
    lines = vector.read(tmp_path / "segments.gpkg")
    origin = frames.transform(np.array([[37.61, 55.75, 0]]), frames.WGS84, base)[0]
    ends = lines.coords[np.column_stack([lines.offsets[:-1], lines.offsets[1:] - 1])]
    assert np.abs(ends - graph.points[graph.ends] - [*origin[:2], 0]).max() < MILLIMETRE
    lengths = lines.features.columns["length"].values
    assert np.allclose(lengths, length(control_points(graph)), rtol=0, atol=1e-6)
    chains = vector.read(tmp_path / "chains.gpkg")
    assert len(chains) == 118
    assert chains.features.columns["length"].values.sum() == pytest.approx(lengths.sum(), abs=1e-6)


def test_the_unigine_method_is_the_engines_own(shared):
    graph = formats.spl.read(shared / "spl-real" / "unigine_sample_roads.spl")
    starts = np.flatnonzero(np.append(True, graph.ends[1:, 0] != graph.ends[:-1, 1]))
    bounds = np.append(starts, len(graph))
    rows = [np.append(graph.ends[a:b, 0], graph.ends[b - 1, 1]) for a, b in zip(bounds, bounds[1:])]
    offsets = np.cumsum([0, *map(len, rows)])
    closed = np.zeros(len(rows), bool)
    coords = graph.points[np.concatenate(rows)]
    controls = fit(coords, offsets, closed, "unigine", FitOptions()).controls
    tangents = np.stack([controls[:, 1] - controls[:, 0], controls[:, 2] - controls[:, 3]], axis=1)
    assert np.allclose(tangents, graph.tangents, rtol=3e-7, atol=1e-4)


@pytest.mark.parametrize("name", ["sarthe", "cape", "seattle", "arizona"])
def test_no_vertex_is_further_from_its_curve_than_the_tolerance(shared, name):
    path, options = ROADS[name]
    lines = vector.read(shared / path, **options)
    report = Report()
    frame = frames.scene_frame(lines.coords, lines.crs)
    graph = convert.lines_to_graph(
        lines, frame, fit="best", options=FitOptions(tolerance=0.25), report=report
    )
    assert len(graph) < len(lines.coords) - len(lines)
    assert report.measures["vertex deviation [m]"] <= 0.25
    back = convert.graph_to_lines(graph, tolerance=0.01, to_crs=frame)
    rows = {fid: row for row, fid in enumerate(back.features.fid.tolist())}
    roads = [
        shapely.MultiLineString([back.coords[a:b, :2] for a, b, f in each])
        for _, each in groupby(zip(back.offsets, back.offsets[1:], back.feature), key=lambda line: line[2])
    ]
    fids = lines.features.fid[rows_of(lines)].tolist()
    at = np.array([rows.get(fid, -1) for fid in fids])
    places = shapely.points(in_scene(lines, graph)[at >= 0, :2])
    assert shapely.distance(places, np.array(roads)[at[at >= 0]]).max() < 0.25 + 0.01 + 0.02
