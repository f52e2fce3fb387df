"""Nothing is dropped silently: every feature that GDAL counts in a real file is read or refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyogrio
import pytest

from spl_gis.formats import _faults_osm, _pbf, vector
from spl_gis.report import Report

SUFFIXES = (
    *(".shp", ".gpkg", ".geojson", ".json", ".fgb", ".gml", ".kml", ".gpx", ".dxf"),
    *(".osm", ".osm.gz", ".pbf", ".parquet"),
)
SETS = (
    *("alaska-trails-usfeet", "apalachicola-geoparquet", "arizona-streets-usfeet", "breaklines-z"),
    *("cape-roads-dem", "dutch-hydamo-dem", "dxf-axial-and-polylines", "fgb-small", "frida-osnabrueck"),
    *("geojson-z-and-multi", "geoparquet-wkb-null", "geotools-small-shapes", "gml-curves-small"),
    *("gpkg-curve-zm", "ign-sarthe-lambert93-z-dem", "momepy-krovak", "natural-earth-lines"),
    *("osm-andorra-mountain-dem", "osm-bautzen-motorway", "osm-frederiksted", "osm-helsinki-pbf"),
    *("osm-interchange-i5", "osm-kotka-pbf", "osm-moscow-cyrillic", "osm-roundabout-seattle"),
    *("rail-france-z", "rivers-gpkg-two-layers", "sdna-tiny-z", "spearfish-roads-dem"),
    *("stockholm-osmnx-shp", "storms-xyzm", "tartu-geojson-crs-utm", "tiger-knox-geojson", "tracks-kml-gpx"),
)

HIDDEN = {"Helsinki.osm.pbf": 98, "test.osm.pbf": 12}
"""Ways with fewer than two nodes in the file, which GDAL does not count."""


def gdal_name(path: Path) -> str:
    return f"/vsigzip/{path}" if path.suffix == ".gz" else str(path)


def line_layers(path: Path) -> list[str]:
    found = [(str(name), str(kind or "")) for name, kind in pyogrio.list_layers(gdal_name(path))]
    names = [name for name, kind in found if vector.may_hold_lines(vector.LayerInfo(name, kind, -1))]
    return names[:1] if "other_relations" in [name for name, _ in found] else names  # OpenStreetMap


def test_no_set_is_left_out(shared: Path) -> None:
    found = {path.parent.name for path in shared.rglob("*") if path.name.lower().endswith(SUFFIXES)}
    assert found == set(SETS)


@pytest.fixture
def any_order() -> Iterator[None]:
    """Let GDAL count OpenStreetMap nodes in any order."""
    pyogrio.set_gdal_config_options({"OSM_USE_CUSTOM_INDEXING": "NO"})
    yield
    pyogrio.set_gdal_config_options({"OSM_USE_CUSTOM_INDEXING": None})


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@pytest.mark.usefixtures("any_order")
@pytest.mark.parametrize("name", SETS)
def test_read_and_refused_are_what_the_file_has(shared: Path, name: str) -> None:
    files = [path for path in sorted((shared / name).iterdir()) if path.name.lower().endswith(SUFFIXES)]
    if files[0].suffix == ".parquet" and "Parquet" not in pyogrio.list_drivers():
        pytest.skip("this GDAL has no Parquet driver")
    looked = 0
    for path in files:
        for layer in line_layers(path):
            info = pyogrio.read_info(gdal_name(path), layer=layer, force_feature_count=True)
            report = Report()
            place = None if info["crs"] and "Undefined" not in info["crs"] else "none"
            lines = vector.read(path, layer=layer, source_crs=place, encoding=None, report=report)
            refused = {remark.fid for remark in report.refused}
            hidden = HIDDEN.get(path.name, 0) if layer == "lines" else 0
            assert info["features"] + hidden == len(lines.features) + len(refused), (path.name, layer)
            assert report.counts["features read"] == info["features"] + hidden
            assert report.counts["features refused"] == len(refused)
            assert refused.isdisjoint(lines.features.fid.tolist())
            looked += 1
    assert looked


@pytest.mark.parametrize("name", ["osm-helsinki-pbf/Helsinki.osm.pbf", "osm-kotka-pbf/test.osm.pbf"])
def test_lines_of_pbf_have_the_nodes_that_are_in_the_file(shared: Path, name: str) -> None:
    """Our reading of PBF agrees with GDAL's, way by way."""
    ways = _faults_osm.Ways(*_pbf.ways((shared / name).read_bytes()))
    present = np.append(0, np.cumsum(np.isin(ways.refs, ways.nodes)))[ways.offsets]
    expected = dict(zip(ways.fid.tolist(), np.diff(present).tolist()))
    lines = vector.read(shared / name)
    sizes = np.diff(lines.offsets).tolist()
    assert [expected[fid] for fid in lines.features.fid[lines.feature].tolist()] == sizes
