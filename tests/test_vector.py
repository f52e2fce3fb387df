"""Reading and writing GIS lines, with both engines."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyproj import CRS

from spl_gis.errors import FileAccessError, FormatError, GeoreferenceError, OptionError
from spl_gis.formats import _geometry, _osm, vector
from spl_gis.model import Column, Features, LineStrings
from spl_gis.report import Report

ENGINES = list(vector.ENGINES)
UTM = CRS("EPSG:32635")


def objects(*values: Any) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def column(
    values: Any, type_: str, subtype: str = "None", width: int = 0, null: Any = (False, True, False)
) -> Column:
    return Column(np.asarray(values), np.array(null), type_, subtype, width)


COLUMNS = {
    "big": column(np.array([2**53 + 1, 0, -(2**62)]), "Integer64"),
    "small": column(np.array([1, 0, -3], np.int32), "Integer"),
    "short": column(np.array([1, 0, -3], np.int32), "Integer", "Int16"),
    "yes": column(np.array([True, False, False]), "Integer", "Boolean"),
    "real": column(np.array([0.1, 0, 1e300]), "Real"),
    "single": column(np.array([0.1, 0, 3], np.float32), "Real", "Float32"),
    "имя": column(objects("улица", "", '日本 "x"'), "String", width=20),
    "json": column(objects('{"a":1}', "", "[1,2]"), "String", "JSON"),
    "day": column(objects("2020-02-29", "", "1968-11-27"), "Date"),
    "when": column(objects("2020-01-02T03:04:05+05:30", "", "2020-01-02T03:04:05.125Z"), "DateTime"),
    "blob": column(objects(b"\0\xff", b"", b"a"), "Binary"),
}
FIONA = [name for name in COLUMNS if name not in ("single", "json")]


def town(columns: dict[str, Column], fid: Any = (5, 7, 9), crs: Any = UTM, deep: bool = True) -> LineStrings:
    """Three features: a line, a line of two parts, and a line of one part that is a multi-line."""
    coords = np.array(
        [[5e5, 6e6, 1], [5e5 + 1, 6e6, 2], [5e5, 6e6 + 9, 3.5], [5e5 + 0.1, 6e6 + 7, 4]] * 2 + [[5e5, 6e6, 0]]
    )
    if not deep:
        coords[:, 2] = np.nan
    features = Features(np.array(fid), columns, "roads")
    return LineStrings(coords, [0, 2, 4, 6, 9], [0, 1, 1, 2], [-1, 0, 1, 0], features, crs)


def assert_same_lines(first: LineStrings, second: LineStrings, within: float = 0.0) -> None:
    np.testing.assert_allclose(first.coords, second.coords, rtol=0, atol=within)
    for name in ("offsets", "feature", "part"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)


def assert_same_columns(first: Features, second: Features) -> None:
    assert list(first.columns) == list(second.columns)
    for name, one in first.columns.items():
        other = second.columns[name]
        assert (one.type, one.subtype, one.width) == (other.type, other.subtype, other.width), name
        np.testing.assert_array_equal(one.null, other.null, name)
        assert one.values[~one.null].tolist() == other.values[~other.null].tolist(), name
        assert one.values.dtype == other.values.dtype, name


def geojson(path: Path, *geometries: Any, crs: str = "", **members: Any) -> Path:
    features = [
        {"type": "Feature", "id": 10 + i, "properties": {"n": i}, "geometry": geometry}
        for i, geometry in enumerate(geometries)
    ]
    data = {"type": "FeatureCollection", "features": features, **members}
    if crs:
        data["crs"] = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{crs}"}}
    path.write_text(json.dumps(data))
    return path


def line(*coordinates: Any) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": list(coordinates)}


@pytest.mark.parametrize("engine", ENGINES)
def test_geopackage_keeps_types_nulls_parts_and_heights(tmp_path: Path, engine: str) -> None:
    names = COLUMNS if engine == "pyogrio" else FIONA
    lines = town({name: COLUMNS[name] for name in names})
    report = Report()
    vector.write(lines, tmp_path / "a.gpkg", engine=engine, report=report)
    back = vector.read(tmp_path / "a.gpkg", engine=engine)
    assert report.warnings == []
    assert back.crs == UTM
    assert back.features.layer == "roads"
    assert_same_columns(lines.features, back.features)
    assert_same_lines(lines, back)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", [".gpkg", ".geojson", ".shp", ".fgb", ".gml", ".kml", ".geojsonl"])
def test_lines_come_back_in_every_format(tmp_path: Path, engine: str, suffix: str) -> None:
    if engine == "fiona" and suffix == ".kml":
        pytest.skip("fiona cannot write KML")
    degrees = np.array([[24.1, 60.2, 1], [24.3, 60.4, 2], [24.123456789012, 60.5, 3.25]])
    features = Features(
        [1, 2], {"street": column(objects("Äyräs", "ул."), "String", null=[False, False])}, "roads"
    )
    lines = LineStrings(degrees[[0, 1, 0, 1, 2]], [0, 2, 5], [0, 1], [-1, -1], features, CRS("EPSG:4326"))
    path = tmp_path / f"a{suffix}"
    vector.write(lines, path, engine=engine)
    back = vector.read(path, engine=engine)
    if suffix == ".fgb":
        assert sorted(back.features.columns["street"].values) == ["Äyräs", "ул."]
    else:
        assert_same_lines(lines, back, within=1e-10)
        assert back.features.columns["street"].values.tolist() == ["Äyräs", "ул."]
    assert back.crs.is_geographic
    assert not back.planar


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("code", ["EPSG:4326", "EPSG:2193", "EPSG:31467", "EPSG:5513"])
@pytest.mark.parametrize("suffix", [".gpkg", ".gml", ".geojson", ".shp"])
def test_x_is_east_whatever_the_axis_order(tmp_path: Path, engine: str, code: str, suffix: str) -> None:
    """GDAL's own command line must agree about where the lines are."""
    coords = np.array([[10.5, 51.25, np.nan], [11.5, 51.5, np.nan]]) * (1 if code == "EPSG:4326" else 1000)
    lines = LineStrings(coords, [0, 2], [0], [-1], Features([1]), CRS(code))
    path = tmp_path / f"a{suffix}"
    vector.write(lines, path, engine=engine)
    back = vector.read(path, engine=engine)
    assert_same_lines(lines, back, within=1e-6)
    assert back.planar
    other = next(name for name in ENGINES if name != engine)
    assert_same_lines(lines, vector.read(path, engine=other), within=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_no_line_is_refused_by_id(tmp_path: Path, engine: str) -> None:
    path = geojson(
        tmp_path / "a.geojson",
        line([0, 0], [1, 1]),
        None,
        line(),
        line([0, 0]),
        line([2, 2], [2, 2]),
        {"type": "Point", "coordinates": [1, 1]},
        {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]},
        {"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[3, 3]], [[4, 4], [5, 5, 7]]]},
        {
            "type": "GeometryCollection",
            "geometries": [{"type": "Point", "coordinates": [1, 1]}, line([6, 6], [7, 7])],
        },
        {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 1]}]},
    )
    report = Report()
    lines = vector.read(path, engine=engine, report=report)
    assert {(remark.fid, remark.reason) for remark in report.refused} == {
        (11, "no geometry"),
        (12, "an empty geometry"),
        (13, "only one vertex"),
        (14, "no length: all vertices of each part are equal"),
        (15, "a Point, not a line"),
        (16, "a Polygon, not a line"),
        (19, "a GeometryCollection without lines"),
    }
    assert {remark.fid for remark in report.repaired} == {17, 18}
    assert lines.features.fid.tolist() == [10, 17, 18]
    assert lines.features.columns["n"].values.tolist() == [0, 7, 8]
    assert lines.feature.tolist() == [0, 1, 1, 2]
    assert lines.part.tolist() == [-1, 0, 1, 0]
    assert report.counts == {
        **{"features read": 10, "features refused": 7, "features repaired": 2, "lines read": 4}
    }


def test_numbers_that_are_not_finite_refuse_the_feature() -> None:
    shapes = _geometry.from_mappings(
        [line((0, 0), (np.nan, 1)), line((0, 0, 1), (1, 1, np.inf)), line((0, 0), (1, 1))]
    )
    report = Report()
    good, _ = _geometry.check(shapes, np.array([4, 5, 6]), report)
    assert [remark.fid for remark in report.refused] == [4, 5]
    assert good.row.tolist() == [2]


CURVES = """id,wkt
1,"CIRCULARSTRING (0 0,1 1,2 0)"
2,"COMPOUNDCURVE Z ((0 0 1,1 0 2),CIRCULARSTRING Z (1 0 2,2 1 3,3 0 4))"
3,"MULTICURVE ((0 0,1 1),CIRCULARSTRING(0 0,1 1,2 0))"
4,"LINESTRING M (0 0 5,1 1 6)"
5,"LINESTRING ZM (0 0 5 9,1 1 6 9)"
6,"CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))"
"""


@pytest.fixture(scope="session")
def curves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a layer of curves and measures, in a format that needs no other program to make."""
    folder = tmp_path_factory.mktemp("curves")
    (folder / "curves.csv").write_text(CURVES)
    (folder / "curves.vrt").write_text(
        '<OGRVRTDataSource><OGRVRTLayer name="curves">'
        '<SrcDataSource relativeToVRT="1">curves.csv</SrcDataSource>'
        '<GeometryField encoding="WKT" field="wkt"/><LayerSRS>EPSG:32635</LayerSRS>'
        "</OGRVRTLayer></OGRVRTDataSource>"
    )
    return folder / "curves.vrt"


def test_curves_are_made_straight_and_measures_are_no_heights(curves: Path) -> None:
    report = Report()
    lines = vector.read(curves, report=report)
    assert {remark.fid for remark in report.repaired} == {1, 2, 3}
    assert "0.25 degrees" in report.repaired[0].reason
    assert {remark.fid for remark in report.refused} == {6}
    circle = lines.coords[: lines.offsets[1], :2]
    assert len(circle) > 720
    np.testing.assert_allclose(np.hypot(*(circle - [1, 0]).T), 1, atol=1e-12)
    heights = [lines.coords[lines.offsets[i] : lines.offsets[i + 1], 2] for i in range(len(lines))]
    assert lines.part.tolist() == [-1, -1, 0, 1, -1, -1]
    assert heights[1][[0, 1, -1]].tolist() == [1, 2, 4]
    assert np.isnan(heights[4]).all()
    assert heights[5].tolist() == [5, 6]


@pytest.mark.parametrize("engine", ENGINES)
def test_crs_is_needed_and_can_be_overridden(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "a.gpkg"
    vector.write(town({}, crs=None), path, engine=engine)
    with pytest.raises(GeoreferenceError, match="--source-crs"):
        vector.read(path, engine=engine)
    assert vector.read(path, engine=engine, source_crs="none").crs is None
    assert vector.read(path, engine=engine, source_crs="EPSG:2154").crs == CRS("EPSG:2154")
    report = Report()
    other = geojson(tmp_path / "b.geojson", line([5e5, 6e6], [5.1e5, 6e6]), crs="EPSG::32635")
    assert vector.read(other, engine=engine).crs == UTM
    assert vector.read(other, engine=engine, source_crs="EPSG:2154", report=report).crs == CRS("EPSG:2154")
    assert "instead of the file's own" in report.warnings[0]
    report = Report()
    vector.read(other, engine=engine, source_crs="EPSG:32635", report=report)
    assert report.warnings == [] and "as well" in report.notes[0]


def test_a_crs_without_code_is_not_lost(tmp_path: Path) -> None:
    crs = CRS("+proj=tmerc +lat_0=51 +lon_0=10.123 +ellps=bessel +units=m")
    lines = town({}, crs=crs)
    vector.write(lines, tmp_path / "a.gpkg")
    assert "10.123" in vector.read(tmp_path / "a.gpkg").crs.to_wkt()
    with pytest.raises(GeoreferenceError, match="code"):
        vector.write(lines, tmp_path / "a.geojson")
    assert not (tmp_path / "a.geojson").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_layers_are_chosen_by_name_or_by_being_the_only_one(tmp_path: Path, engine: str) -> None:
    start, end = (
        '<trkpt lat="46" lon="14"><ele>3</ele></trkpt>',
        '<trkpt lat="46.5" lon="14.5"><ele>4</ele></trkpt>',
    )
    track = f"<trkseg>{start}{end}</trkseg>"
    route = '<rte><rtept lat="1" lon="2"/><rtept lat="3" lon="4"/></rte>'
    head = '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">'
    one, two = tmp_path / "one.gpx", tmp_path / "two.gpx"
    one.write_text(f"{head}<trk>{track}</trk></gpx>")
    two.write_text(f"{head}{route}<trk>{track}</trk></gpx>")
    report = Report()
    lines = vector.read(one, engine=engine, report=report)
    assert lines.coords.tolist() == [[14, 46, 3], [14.5, 46.5, 4]]
    assert "'tracks'" in report.notes[0]
    with pytest.raises(FormatError, match=r"--layer: 'routes' \(LineString Z, 1 features\), 'tracks'"):
        vector.read(two, engine=engine)
    assert len(vector.read(two, layer="routes", engine=engine)) == 1
    with pytest.raises(FormatError, match="no layer 'x'; there is 'waypoints'"):
        vector.read(two, layer="x", engine=engine)
    assert [info.name for info in vector.layers(two, engine=engine)][:3] == ["waypoints", "routes", "tracks"]


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_are_sentences(tmp_path: Path, engine: str) -> None:
    good = tmp_path / "good.gpkg"
    vector.write(town(COLUMNS | {}), good)
    (tmp_path / "text.gpkg").write_text("no GIS file")
    (tmp_path / "a.zip").write_text("no zip file")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("readme.txt", "")
    points = geojson(tmp_path / "points.geojson", {"type": "Point", "coordinates": [1, 1]})
    cases: list[tuple[type[Exception], str, Path, dict[str, Any]]] = [
        (FileAccessError, "No such file", tmp_path / "none.gpkg", {}),
        (FileAccessError, "folder", tmp_path, {}),
        (FormatError, "text.gpkg", tmp_path / "text.gpkg", {}),
        (FormatError, "zip", tmp_path / "a.zip", {}),
        (FormatError, "nothing", tmp_path / "b.zip", {}),
        (FormatError, r"no layer holds lines; there is 'points' \(Point", points, {}),
        (OptionError, "--where", good, {"where": "nonsense = 3"}),
        (OptionError, "bbox", good, {"bbox": (1, 2, 3)}),
        (OptionError, "bbox", good, {"bbox": (2, 2, 1, 3)}),
        (OptionError, "--encoding", good, {"encoding": "latin1"}),
    ]
    for error, message, path, options in cases:
        with pytest.raises(error, match=message):
            vector.read(path, engine=engine, **options)
    with pytest.raises(OptionError, match="engine"):
        vector.read(good, engine="ogr")
    with pytest.raises(FormatError, match=r"\.gpkg, \.geojson"):
        vector.write(town({}), tmp_path / "a.xyz", engine=engine)
    with pytest.raises(FileAccessError, match="--overwrite"):
        vector.write(town({}), good, engine=engine)
    vector.write(town({}), good, engine=engine, overwrite=True)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("good.gpkg", "text.gpkg", "a.zip", "b.zip", "points.geojson")
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_parquet_without_a_driver_says_what_to_do(tmp_path: Path, engine: str) -> None:
    if "Parquet" in vector.ENGINES[engine].drivers():
        pytest.skip("this GDAL has the driver")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(FormatError, match="no Parquet driver: install"):
        vector.read(tmp_path / "a.parquet", engine=engine)
    with pytest.raises(FormatError, match="choose another suffix"):
        vector.write(town({}), tmp_path / "b.parquet", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_zipped_files(tmp_path: Path, engine: str) -> None:
    lines = town({"name": COLUMNS["имя"]})
    for name in ("a.gpkg", "a.shp", "a.geojson"):
        vector.write(lines, tmp_path / name)
    for name in ("a.gpkg", "a.geojson"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(tmp_path / name, name)
            archive.writestr("readme.txt", "")
    with zipfile.ZipFile(tmp_path / "a.shp.zip", "w") as archive:
        for part in tmp_path.glob("a.*"):
            if part.suffix in (".shp", ".shx", ".dbf", ".prj", ".cpg"):
                archive.write(part, f"folder/{part.name}")
    (tmp_path / "a.geojson.gz").write_bytes(gzip.compress((tmp_path / "a.geojson").read_bytes()))
    for name in ("a.gpkg.zip", "a.geojson.zip", "a.shp.zip", "a.geojson.gz"):
        back = vector.read(tmp_path / name, engine=engine)
        assert len(back) == 4, name
        assert "улица" in back.features.columns["name"].values.tolist(), name


@pytest.mark.parametrize("engine", ENGINES)
def test_shapefile_text_without_cpg(tmp_path: Path, engine: str) -> None:
    def shapefile(name: str, text: bytes) -> Path:
        features = Features([0], {"name": Column(objects("x" * len(text)), [False], "String", width=9)})
        one = LineStrings([[5e5, 6e6, 0], [5.1e5, 6e6, 1]], [0, 2], [0], [-1], features, UTM)
        vector.write(one, tmp_path / name)
        table = (tmp_path / name).with_suffix(".dbf")
        raw = bytearray(table.read_bytes().replace(b"x" * len(text), text))
        raw[29] = 0
        table.write_bytes(raw)
        table.with_suffix(".cpg").unlink()
        return tmp_path / name

    def name(path: Path, report: Report, **options: Any) -> str:
        return str(
            vector.read(path, engine=engine, report=report, **options).features.columns["name"].values[0]
        )

    report = Report()
    assert name(shapefile("a.shp", b"S\xfcd"), report) == "Süd"
    assert "ISO-8859-1 is assumed" in report.warnings[0]
    assert name(tmp_path / "a.shp", Report(), encoding="CP1251") == "Sьd"
    with pytest.raises(FormatError, match="--encoding"):
        name(tmp_path / "a.shp", Report(), encoding="UTF-8")
    report = Report()
    assert name(shapefile("b.shp", "Süd".encode()), report) == "Süd"
    assert report.warnings == [] and "could be UTF-8" in report.notes[0]
    report = Report()
    assert name(shapefile("c.shp", b"Sud"), report) == "Sud"
    assert report.notes == [] and report.warnings == []


def test_text_cut_in_the_middle_of_a_character_is_mended(tmp_path: Path) -> None:
    features = Features([0], {"name": Column(objects("xxx"), [False], "String", width=3)})
    vector.write(LineStrings([[0, 0, 0], [1, 1, 1]], [0, 2], [0], [-1], features, UTM), tmp_path / "a.shp")
    table = tmp_path / "a.dbf"
    table.write_bytes(table.read_bytes().replace(b"xxx", b"a\xd0\xd0"))
    report = Report()
    with pytest.raises(FormatError, match=r"feature 0.*'name'"):
        vector.read(tmp_path / "a.shp", report=report)
    table.write_bytes(table.read_bytes().replace(b"a\xd0\xd0", b"ab\xd0"))
    assert vector.read(tmp_path / "a.shp", report=report).features.columns["name"].values.tolist() == ["ab"]
    assert "middle of a character" in report.repaired[0].reason


@pytest.mark.parametrize("engine", ENGINES)
def test_names_and_types_that_a_shapefile_cannot_hold_are_said(tmp_path: Path, engine: str) -> None:
    big = column(np.array([2**53 + 1, 0, -(10**16)]), "Integer64")
    long = {"a very long name": big, "when": COLUMNS["when"]}
    report = Report()
    vector.write(town(long), tmp_path / "a.shp", engine=engine, report=report)
    said = " ".join(report.warnings)
    assert "a very long name -> a very lon" in said
    assert "when (DateTime -> String)" in said or "types of when" in said
    back = vector.read(tmp_path / "a.shp", engine=engine)
    assert back.features.columns["a very lon"].values[[0, 2]].tolist() == [2**53 + 1, -(10**16)]


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_that_clash_with_the_id_get_another_name(tmp_path: Path, engine: str) -> None:
    taken = {
        "FID": COLUMNS["small"],
        "fid_1": COLUMNS["yes"],
        "geom": COLUMNS["имя"],
        "OGC_FID": COLUMNS["small"],
    }
    for suffix in (".gpkg", ".shp", ".geojson"):
        report = Report()
        path = tmp_path / f"a{suffix}"
        vector.write(town(taken), path, engine=engine, report=report)
        back = vector.read(path, engine=engine)
        names = list(back.features.columns)
        assert len(names) == 4
        if suffix == ".gpkg":
            assert names[:3] == ["FID_2", "fid_1", "geom_1"]
            assert "'FID' is written as 'FID_2'" in report.warnings[0]
        for got, sent in zip(back.features.columns.values(), taken.values()):
            assert got.values[~got.null].tolist() == sent.values[~sent.null].tolist()


def test_feature_ids_are_written_unless_they_clash(tmp_path: Path) -> None:
    for suffix in (".gpkg", ".geojson"):
        vector.write(town({}, fid=(5, 7, 9)), tmp_path / f"a{suffix}")
        assert vector.read(tmp_path / f"a{suffix}").features.fid.tolist() == [5, 7, 9]
    for fid in ((5, 5, 6), (-1, 3, 4)):
        report = Report()
        vector.write(town({}, fid=fid), tmp_path / "b.gpkg", report=report, overwrite=True)
        assert vector.read(tmp_path / "b.gpkg").features.fid.tolist() == [1, 2, 3]
        assert "numbers its features anew" in report.notes[0]


@pytest.mark.parametrize("suffix", [".gpkg", ".fgb", ".geojson", ".shp"])
def test_missing_heights_among_others(tmp_path: Path, suffix: str) -> None:
    coords = np.array([[0, 0, 1.5], [1, 1, np.nan]])
    report = Report()
    path = tmp_path / f"a{suffix}"
    vector.write(LineStrings(coords, [0, 2], [0], [-1], Features([1]), UTM), path, report=report)
    height = vector.read(path).coords[1, 2]
    if suffix in (".gpkg", ".fgb"):
        assert np.isnan(height) and report.warnings == []
    else:
        assert height == 0 and "1 vertices have no height" in report.warnings[0]


def test_lines_of_a_feature_are_written_as_one_in_the_order_of_features(tmp_path: Path) -> None:
    coords = np.arange(18.0).reshape(6, 3)
    features = Features([1, 2, 3], {"n": column(np.array([1, 2, 3], np.int32), "Integer", null=[False] * 3)})
    lines = LineStrings(coords, [0, 2, 4, 6], [2, 0, 2], [1, -1, 0], features, UTM)
    vector.write(lines, tmp_path / "a.gpkg")
    back = vector.read(tmp_path / "a.gpkg")
    assert back.features.columns["n"].values.tolist() == [1, 3]
    assert back.coords[:, 0].tolist() == [6, 9, 12, 15, 0, 3]
    assert back.part.tolist() == [-1, 0, 1]


def test_no_lines_make_an_empty_file(tmp_path: Path) -> None:
    none = Features([], {"n": Column(np.zeros(0), [], "Real")})
    nothing = LineStrings(np.zeros((0, 3)), [0], [], [], none, UTM)
    for suffix in (".gpkg", ".shp", ".fgb"):
        vector.write(nothing, tmp_path / f"a{suffix}")
        report = Report()
        back = vector.read(tmp_path / f"a{suffix}", report=report)
        assert len(back) == 0 and list(back.features.columns) == ["n"]
        assert "no lines were read" in report.warnings[0]


OSM = """<osm version="0.6">
<node id="1" lat="42.5" lon="1.5"/><node id="2" lat="42.6" lon="1.6"/><node id="3" lat="42.7" lon="1.7"/>
<way id="7"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/><tag k="bridge" v="yes"/>
<tag k="layer" v="1"/>
<tag k="lit" v="a &quot;b&quot;, c"/></way>
<way id="8"><nd ref="2"/><nd ref="3"/><tag k="highway" v="service"/><tag k="oneway" v="-1"/>
<tag k="maxspeed" v="30 mph"/></way>
</osm>"""


@pytest.mark.parametrize("engine", ENGINES)
def test_openstreetmap_lines_and_tags(tmp_path: Path, engine: str) -> None:
    (tmp_path / "a.osm").write_text(OSM)
    (tmp_path / "a.osm.gz").write_bytes(gzip.compress(OSM.encode()))
    for name in ("a.osm", "a.osm.gz"):
        lines = vector.read(tmp_path / name, engine=engine)
        assert lines.coords[:, :2].tolist() == [[1.5, 42.5], [1.6, 42.6], [1.6, 42.6], [1.7, 42.7]]
        tags = {tag: lines.features.columns[tag] for tag in (*_osm.TAGS, "other_tags")}
        assert tags["bridge"].values.tolist() == ["yes", ""] and tags["bridge"].null.tolist() == [False, True]
        assert tags["layer"].values[0] == "1" and tags["oneway"].values[1] == "-1"
        assert tags["maxspeed"].values[1] == "30 mph"
        assert tags["tunnel"].null.all()
        assert tags["other_tags"].values[0] == '"lit"=>"a \\"b\\", c"'
        assert tags["other_tags"].null.tolist() == [False, True]


KEYS = (*_osm.TAGS, "a", 'say "bridge"=>"no"', "note")


@given(st.dictionaries(st.sampled_from(KEYS), st.text(max_size=9), max_size=6))
def test_tags_are_found_whatever_the_text(tags: dict[str, str]) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def bag(pairs: Any) -> str:
        return ",".join(f"{quoted(key)}=>{quoted(value)}" for key, value in pairs)

    source = {_osm.BAG: Column(objects(bag(tags.items())), [not tags], "String")}
    columns = _osm.own_columns(source)
    for tag in _osm.TAGS:
        assert columns[tag].null[0] == (tag not in tags)
        assert columns[tag].values[0] == tags.get(tag, "")
    rest = [(key, value) for key, value in tags.items() if key not in _osm.TAGS]
    assert columns[_osm.BAG].values[0] == bag(rest)


@pytest.mark.parametrize("engine", ENGINES)
def test_where_and_bbox(tmp_path: Path, engine: str) -> None:
    path = geojson(tmp_path / "a.geojson", line([0, 0], [1, 1]), line([5, 5], [6, 6]), line([8, 8], [9, 9]))
    assert vector.read(path, engine=engine, where="n > 0").features.fid.tolist() == [11, 12]
    assert vector.read(path, engine=engine, bbox=(4, 4, 7, 7)).features.fid.tolist() == [11]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    bad = {"day": column(objects("not a day", "", ""), "Date")}
    with pytest.raises(FormatError, match="'day'"):
        vector.write(town(bad), tmp_path / "a.gpkg")
    assert list(tmp_path.iterdir()) == []


coordinate = st.floats(-1e7, 1e7, allow_nan=False)
vertex = st.tuples(coordinate, coordinate, coordinate)
feature = st.lists(st.lists(vertex, min_size=2, max_size=4), min_size=1, max_size=3)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(feature, st.booleans()), min_size=1, max_size=4))
def test_read_of_write_is_equal(tmp_path: Path, rows: Any) -> None:
    pieces = [np.array(piece) for parts, _ in rows for piece in parts]
    if any((piece == piece[0]).all() for piece in pieces):
        return
    part = [-1 if len(parts) == 1 and single else i for parts, single in rows for i in range(len(parts))]
    lines = LineStrings(
        np.concatenate(pieces),
        np.append(0, np.cumsum([len(piece) for piece in pieces])),
        np.repeat(np.arange(len(rows)), [len(parts) for parts, _ in rows]),
        part,
        Features(np.arange(len(rows)) + 1),
        UTM,
    )
    vector.write(lines, tmp_path / "a.gpkg", overwrite=True)
    assert_same_lines(lines, vector.read(tmp_path / "a.gpkg"))


# what fiona cannot do: docs/vector-formats.md


def test_gaps_of_fiona(tmp_path: Path) -> None:
    lists = {
        "ints": column(objects([1, 2], (), [3]), "IntegerList"),
        "texts": column(objects(["a"], (), ["b", "c"]), "StringList"),
        "single": COLUMNS["single"],
    }
    vector.write(town(lists), tmp_path / "a.geojson")
    back = vector.read(tmp_path / "a.geojson")
    assert back.features.columns["ints"].values[0] == [1, 2] and back.features.columns["ints"].null[1]
    report = Report()
    by_fiona = vector.read(tmp_path / "a.geojson", engine="fiona", report=report)
    assert "ints" not in by_fiona.features.columns and "ints" in report.warnings[0]
    assert by_fiona.features.columns["texts"].values[2] == ["b", "c"]
    report = Report()
    vector.write(town(lists), tmp_path / "b.gpkg", engine="fiona", report=report)
    assert "ints" in report.warnings[0]
    assert vector.read(tmp_path / "b.gpkg").features.fid.tolist() == [1, 2, 3]
    mixed = {"small": COLUMNS["small"], "big": COLUMNS["big"]}
    with pytest.raises(FormatError, match="--engine pyogrio"):
        vector.write(town(mixed), tmp_path / "c.gpkg", engine="fiona")
    assert not (tmp_path / "c.gpkg").exists()
