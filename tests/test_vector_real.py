"""Real files of other people through both engines: they read, and GeoPackage gives back what was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spl_gis.errors import FormatError, GeoreferenceError
from spl_gis.formats import vector
from spl_gis.report import Report

ENGINES = list(vector.ENGINES)

NETWORKS: dict[str, tuple[dict[str, Any], int, int]] = {
    # options, lines, features refused
    "osm-andorra-mountain-dem/andorra.osm.gz": ({}, 2078, 0),
    "frida-osnabrueck/strassen-joined.shp": (
        {"source_crs": "EPSG:31467", "encoding": "ISO-8859-1"},
        12323,
        0,
    ),
    "ign-sarthe-lambert93-z-dem/ROUTE.shp": ({}, 1070, 0),
    "spearfish-roads-dem/roads.shp": ({}, 825, 0),
    "tartu-geojson-crs-utm/network_tartu_32635_.geojson": ({}, 2238, 0),
    "momepy-krovak/tests.gpkg": ({"layer": "network"}, 61, 0),
    "cape-roads-dem/roads_33S.shp": ({}, 350, 0),
    "arizona-streets-usfeet/streets.shp": ({}, 293, 0),
    "osm-helsinki-pbf/Helsinki.osm.pbf": ({}, 3817, 99),
    "osm-moscow-cyrillic/moscow.osm.gz": ({}, 721, 0),
    "osm-roundabout-seattle/montlake_roundabout.osm": ({}, 23, 0),
    "alaska-trails-usfeet/trails.shp": ({}, 73, 0),
}

OTHERS: dict[str, tuple[dict[str, Any], int, bool]] = {
    # options, lines, planar
    "alaska-trails-usfeet/pipelines.shp": ({}, 38, True),
    "breaklines-z/brklinz.shp": ({"source_crs": "none"}, 122, False),
    "dutch-hydamo-dem/Example_model.gpkg": ({"layer": "duikersifonhevel"}, 92, False),
    "dxf-axial-and-polylines/1_polylines.dxf": ({"source_crs": "none"}, 74, False),
    "dxf-axial-and-polylines/barnsbury_extended1.dxf": ({"source_crs": "EPSG:27700"}, 1100, False),
    "fgb-small/lines.fgb": ({"source_crs": "none"}, 2, True),
    "fgb-small/multilinestrings.fgb": ({"source_crs": "none"}, 4, True),
    "geojson-z-and-multi/linestringz.geojson": ({}, 2, False),
    "geojson-z-and-multi/multilinestring.geojson": ({}, 4, True),
    "geojson-z-and-multi/multilinestringz.geojson": ({}, 4, False),
    "geotools-small-shapes/dateline.shp": ({}, 1, True),
    "geotools-small-shapes/linesM.shp": ({}, 2, True),
    "geotools-small-shapes/zlines.shp": ({}, 4, False),
    "gml-curves-small/curve.gml": ({"source_crs": "EPSG:28992"}, 1, True),
    "gml-curves-small/multicurvez.gml": ({"source_crs": "none"}, 1, False),
    "gpkg-curve-zm/curve.gpkg": ({}, 1, True),
    "gpkg-curve-zm/line_zm.gpkg": ({}, 1, False),
    "ign-sarthe-lambert93-z-dem/TRONCON_COURS_EAU.shp": ({}, 97, False),
    "momepy-krovak/tests.gpkg": ({"layer": "test_rabs"}, 88, True),
    "natural-earth-lines/ne_110m_geographic_lines.json": ({}, 10, True),
    "natural-earth-lines/ne_50m_antarctic_ice_shelves_lines.json": ({}, 101, True),
    "osm-bautzen-motorway/bautzen.osm": ({}, 61, True),
    "osm-frederiksted/frederiksted.osm.pbf": ({}, 39, True),
    "osm-interchange-i5/i5_exit_ramp.osm": ({}, 157, True),
    "osm-kotka-pbf/test.osm.pbf": ({}, 339, True),
    "rail-france-z/RailTrack.shp": ({}, 20, False),
    "rivers-gpkg-two-layers/rivers_multi.gpkg": ({"layer": "preferred_rivers"}, 1, True),
    "rivers-gpkg-two-layers/rivers_small.geojson": ({}, 1, True),
    "sdna-tiny-z/tiny.shp": ({"source_crs": "EPSG:27700"}, 57, False),
    "spearfish-roads-dem/streams.shp": ({}, 116, True),
    "stockholm-osmnx-shp/edges.shp": ({}, 1308, True),
    "storms-xyzm/storms_xyzm_feature.shp": ({"source_crs": "EPSG:4326"}, 71, None),
    "tiger-knox-geojson/knox_roads.json": ({}, 53, True),
    "tracks-kml-gpx/KML_Samples.kml": ({"layer": "Paths"}, 6, False),
    "tracks-kml-gpx/Mojstrovka.gpx": ({}, 1, False),
    "tracks-kml-gpx/trek.geojson": ({}, 1, False),
    "tracks-kml-gpx/trek.gpx": ({}, 1, False),
}


SLOW = ("osm-andorra-mountain-dem", "frida-osnabrueck", "osm-helsinki-pbf", "tartu-geojson-crs-utm")


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        (name, engine)
        for name in NETWORKS
        for engine in ENGINES
        if engine != "fiona" or not name.startswith(SLOW)
    ],
)
def test_geopackage_gives_back_what_was_read(shared: Path, tmp_path: Path, name: str, engine: str) -> None:
    options, number, refused = NETWORKS[name]
    report = Report()
    lines = vector.read(shared / name, engine=engine, report=report, **options)
    assert (len(lines), len(report.refused)) == (number, refused)
    vector.write(lines, tmp_path / "back.gpkg", engine=engine, report=report)
    back = vector.read(tmp_path / "back.gpkg", engine=engine)
    assert [sentence for sentence in report.warnings if "columns" in sentence] == []
    np.testing.assert_array_equal(lines.coords, back.coords)
    for array in ("offsets", "feature", "part"):
        np.testing.assert_array_equal(getattr(lines, array), getattr(back, array))
    assert list(lines.features.columns) == list(back.features.columns)
    for column, other in zip(lines.features.columns.values(), back.features.columns.values()):
        assert (column.type, column.subtype, column.width) == (other.type, other.subtype, other.width)
        np.testing.assert_array_equal(column.null, other.null)
        np.testing.assert_array_equal(column.values[~column.null], other.values[~other.null])
    if engine == "pyogrio":
        np.testing.assert_array_equal(lines.features.fid, back.features.fid)
    assert lines.crs is not None and lines.crs.name == back.crs.name


@pytest.mark.parametrize("name", NETWORKS)
def test_both_engines_read_the_same(shared: Path, name: str) -> None:
    options = NETWORKS[name][0]
    first, second = (vector.read(shared / name, engine=engine, **options) for engine in ENGINES)
    np.testing.assert_array_equal(first.coords, second.coords)
    np.testing.assert_array_equal(first.part, second.part)
    np.testing.assert_array_equal(first.features.fid, second.features.fid)
    assert list(first.features.columns) == list(second.features.columns)
    for column, other in zip(first.features.columns.values(), second.features.columns.values()):
        assert (column.type, column.subtype, column.width) == (other.type, other.subtype, other.width)
        np.testing.assert_array_equal(column.null, other.null)
        np.testing.assert_array_equal(column.values[~column.null], other.values[~other.null])
    assert first.crs == second.crs or first.crs.name == second.crs.name


@pytest.mark.parametrize("name", OTHERS)
def test_other_real_files_read(shared: Path, name: str) -> None:
    options, number, planar = OTHERS[name]
    lines = vector.read(shared / name, **options)
    assert len(lines) == number
    if planar is not None:
        assert lines.planar == planar


def test_cyrillic_and_umlauts(shared: Path) -> None:
    moscow = vector.read(shared / "osm-moscow-cyrillic/moscow.osm.gz").features.columns["name"].values
    assert any("улица" in name for name in moscow)
    report = Report()
    frida = vector.read(shared / "frida-osnabrueck/strassen-joined.shp", report=report)
    assert "Süberweg 02-04" in frida.features.columns["strName"].values
    assert "ISO-8859-1 is assumed" in report.warnings[0]


def test_refusals_of_real_files_say_what_to_do(shared: Path) -> None:
    with pytest.raises(FormatError, match="choose one with --layer: 'network'"):
        vector.read(shared / "momepy-krovak/tests.gpkg")
    with pytest.raises(GeoreferenceError, match="--source-crs"):
        vector.read(shared / "dutch-hydamo-dem/Example_model.gpkg", layer="profiellijn")
    with pytest.raises(FormatError, match="not recognized"):
        vector.read(shared / "spl-real/two_segments.spl")
    with pytest.raises(FormatError, match="nothing that GDAL reads"):
        vector.read(shared / "osm-andorra-mountain-dem/N42E001.hgt.zip")
