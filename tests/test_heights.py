"""Where the vertices of lines get their heights from."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from click.testing import CliRunner
from pyproj import CRS
from rasters import cells, tiff
from surfaces import Part, Plane
from test_convert import CENTRE, FRAME, UTM, network

from spl_gis import convert, frames, read, read_terrain, write
from spl_gis.cli.group import cli
from spl_gis.errors import FileAccessError, OptionError
from spl_gis.frames import Origin, map_frame, topocentric_frame
from spl_gis.model import Column, Features
from spl_gis.report import Report
from spl_gis.terrain import Affine, HeightOptions, sentinels
from spl_gis.topology import NetworkOptions

N = np.nan
GROUND = Plane(400.0, 0.1, -0.2)
SLOPED = [(0, 0), (50, 0), (100, 40)]
CROSS = network(SLOPED, [(50, 0), (50, -80)])


def with_column(lines, values, kind="Real"):
    null = np.array([value is None for value in values])
    plain = np.array([("" if kind == "String" else 0) if value is None else value for value in values])
    if kind == "String":
        plain = plain.astype(object)
    column = Column(plain, null, kind)
    features = Features(lines.features.fid, {"ele": column}, lines.features.layer)
    return dataclasses.replace(lines, features=features)


def heights(lines, frame=FRAME, report=None, **options):
    """Give the heights of the points of a graph, in the order of the lines' vertices."""
    graph = convert.lines_to_graph(
        lines, frame, fit="vertices", heights=HeightOptions(**options), report=report
    )
    return graph.points[:, 2].tolist()


def heights_at(graph, *places):
    """Give the heights of the points at some places; a curve may have been cut in between for its height."""
    found = np.concatenate([np.flatnonzero((graph.points[:, :2] == place).all(axis=1)) for place in places])
    return graph.points[found, 2].tolist()


def on(surface, *places):
    return [float(surface.heights(x, y)) for x, y in places]


def test_roads_lie_on_the_ground_and_meet_there():
    wanted = HeightOptions(surface=GROUND, smooth=0.0)
    graph = convert.lines_to_graph(CROSS, FRAME, heights=wanted, fit="vertices")
    assert heights_at(graph, *SLOPED, (50, -80)) == pytest.approx(on(GROUND, *SLOPED, (50, -80)))
    (node,) = np.flatnonzero((graph.points[:, :2] == (50, 0)).all(axis=1))
    assert (graph.ends == node).sum() == 3
    assert not graph.planar


def test_roads_on_the_ground_meet_in_plan_where_they_are_to_be_split():
    """Between their vertices the heights of both would differ by 25 m."""
    ridge = Plane(400.0, 0.0, 0.5)
    lines = network([(-50, 0), (50, 0)], [(0, -100), (0, 200)])
    graph = convert.lines_to_graph(
        lines,
        FRAME,
        network=NetworkOptions(crossings="split"),
        heights=HeightOptions(surface=ridge),
        fit="vertices",
    )
    middle = np.flatnonzero((graph.points[:, :2] == 0).all(axis=1))
    assert len(middle) == 1
    assert graph.points[middle[0], 2] == pytest.approx(400)


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [("replace", [400, 405, 410]), ("fill", [7, 405, 9]), ("add", [407, N, 419])],
)
def test_modes(mode, wanted):
    """Without a height of its own, a vertex has none above the ground either: its neighbours' are taken."""
    lines = network([(0, 0, 7), (50, 0), (100, 0, 9)])
    wanted = np.where(np.isnan(wanted), (407 + 419) / 2, wanted)
    assert heights(lines, surface=GROUND, mode=mode) == pytest.approx(wanted)


def test_filled_lines_keep_to_the_heights_of_lines_that_they_meet():
    lines = network([(0, 0, 450), (50, 0, 450)], [(50, 0), (100, 0)])
    wanted = HeightOptions(surface=GROUND, mode="fill")
    graph = convert.lines_to_graph(lines, FRAME, fit="vertices", heights=wanted)
    assert heights_at(graph, (0, 0), (50, 0), (100, 0)) == pytest.approx([450, 450, 410])


def test_offsets_are_added_last():
    raised = HeightOptions(surface=GROUND, offset=0.5, smooth=0.0)
    graph = convert.lines_to_graph(CROSS, FRAME, fit="vertices", heights=raised)
    assert heights_at(graph, *SLOPED, (50, -80)) == pytest.approx([400.5, 405.5, 402.5, 421.5])
    assert heights(network([(0, 0, 1), (9, 0, 2)]), offset=-3.0) == [-2, -1]


@pytest.mark.parametrize("kind", ["Real", "String"])
def test_heights_of_a_column(kind):
    values = [12.5, None] if kind == "Real" else ["12.5", None]
    lines = with_column(network([(0, 0), (50, 0)], [(50, 0), (90, 0)]), values, kind)
    assert heights(lines, source="ele") == [12.5, 12.5, 12.5]


def test_a_number_fills_what_is_missing_or_is_added():
    lines = network([(0, 0, 7), (50, 0)])
    assert heights(lines, source=3.0) == [3, 3]
    assert heights(lines, source=3.0, mode="fill") == [7, 3]
    assert heights(network([(0, 0, 7), (50, 0, 8)]), source=3.0, mode="add") == [10, 11]


def test_the_heights_of_a_column_are_over_what_those_of_the_lines_are():
    """The scene's z = 0 is at 400 m."""
    frame = map_frame(UTM, Origin(x=CENTRE[0], y=CENTRE[1], h=400.0))
    assert heights(with_column(network([(0, 0), (50, 0)]), [410.0]), frame, source="ele") == [10, 10]
    assert heights(network([(0, 0), (50, 0)]), frame, source=410.0) == [10, 10]
    assert heights(network([(0, 0), (50, 0)]), frame, surface=GROUND) == pytest.approx([400, 405])
    assert heights(network([(0, 0, 7), (50, 0, 7)]), frame, surface=Plane(10, 0, 0), mode="add") == [17, 17]


@pytest.mark.parametrize(
    ("column", "sentence"),
    [("none", "no column 'none'.*only ele"), ("ele", "'high' in the column 'ele' is no height")],
)
def test_a_column_that_is_none(column, sentence):
    with pytest.raises(OptionError, match=sentence):
        heights(with_column(network([(0, 0), (50, 0)]), ["high"], "String"), source=column)


@pytest.mark.parametrize(
    "options",
    [
        {"source": 1.0, "surface": GROUND},
        {"mode": "guess"},
        {"source": N},
        {"offset": np.inf},
        {"smooth": -1.0},
        {"max_grade": 0.0},
        {"clearance": N},
    ],
)
def test_options_that_make_no_sense(options):
    with pytest.raises(OptionError):
        HeightOptions(**options)


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([20, 94, 33, -99], {-99: 1}),
        ([20, 94, -9999, -9999, -32768, -3.4e38], {-9999: 2, -32768: 1, -3.4e38: 1}),
        ([-101.5, -97.0, -99, -80.2], {}),
        ([-900, -1000, -1100, -1200, 0], {}),
        ([-1000, 300, 310, 320], {-1000: 1}),
        ([-9999, -10_010, -9980, -9900], {}),
        ([0, 0, 1100, 1200], {}),
        ([-3, -8, -5000, -4000, -1000], {}),
        ([-9999, -9999], {-9999: 2}),
        ([-99, -99], {}),
        ([1e30, 5, 6], {1e30: 1}),
        ([], {}),
    ],
)  # fmt: skip
def test_numbers_that_stand_for_no_height(numbers, found):
    assert sentinels(np.array([*numbers, N], np.float64)) == found


def test_sentinels_are_missing_heights_and_counted():
    report = Report()
    lines = network([(0, 0, 20), (50, 0, -99), (100, 0, 30)], [(0, 9, -9999), (9, 9, 25)])
    assert heights(lines, report=report) == [20, 25, 30, 25, 25]
    assert report.counts["heights of -99 taken for none"] == 1
    assert report.counts["heights of -9999 taken for none"] == 1
    assert [remark.fid for remark in report.repaired] == [100, 101]


def test_sentinels_of_a_column():
    report = Report()
    lines = with_column(network([(0, 0), (50, 0)], [(50, 0), (90, 0)]), [-9999.0, 12.0])
    assert heights(lines, source="ele", report=report) == [12, 12, 12]
    assert report.counts["numbers in the column 'ele' of -9999 taken for none"] == 1


def test_vertices_off_the_terrain_are_named_and_take_their_neighbours_heights():
    report = Report()
    part = Part(GROUND, (-10, -10, 60, 60))
    lines = network([(0, 0), (50, 0), (100, 0)], [(100, 0), (200, 0)], [(0, 9), (9, 9)])
    found = convert.lines_to_graph(
        lines, FRAME, fit="vertices", heights=HeightOptions(surface=part), report=report
    )
    places = [(0, 0), (50, 0), (100, 0), (200, 0), (0, 9), (9, 9)]
    assert heights_at(found, *places) == pytest.approx([400, 405, 406, 406, 398.2, 399.1], abs=0.1)
    (warning,) = report.warnings
    assert "3 of 7 vertices lie outside the terrain" in warning
    assert "(feature 100, 101)" in warning
    assert {remark.fid for remark in report.repaired} == {100, 101}


def test_where_all_is_off_the_terrain_the_job_ends():
    with pytest.raises(OptionError, match="--dem-crs"):
        heights(CROSS, surface=Part(GROUND, (1e6, 1e6, 2e6, 2e6)))


def test_no_lines():
    lines = convert.lines_to_graph(network([(0, 0), (1, 0)]), FRAME, fit="vertices")
    empty = dataclasses.replace(CROSS, coords=np.zeros((0, 3)), offsets=[0], feature=[], part=[])
    assert len(lines) == 1
    assert heights(empty, surface=GROUND) == []


def test_on_a_tangent_plane_roads_stay_on_their_longitude_and_latitude(tmp_path):
    """10 km from the origin, 2,000 m of height are 3 m in plan."""
    affine = Affine(0.002, 0, 14.0, 0, -0.002, 49.7)
    data = np.fromfunction(lambda row, column: 2000.0 + 3.0 * column - 2.0 * row, (400, 400))
    path = tiff(tmp_path / "a.tif", data, affine, CRS("EPSG:4326"))
    frame = topocentric_frame(Origin(lat=49.315, lon=14.425))
    degrees = np.array([[14.30, 49.25, N], [14.31, 49.26, N], [14.52, 49.38, N], [14.53, 49.37, N]])
    lines = dataclasses.replace(
        network([(0, 0), (1, 0)], [(9, 0), (10, 0)], crs=CRS("EPSG:4326")), coords=degrees
    )
    ground = read_terrain(path, frame)
    graph = convert.lines_to_graph(lines, frame, heights=HeightOptions(surface=ground), fit="vertices")
    lon, lat, h = frames.transform(graph.points, frame, CRS("EPSG:4979")).T
    assert np.abs(np.column_stack([lon, lat]) - degrees[:, :2]).max() < 1e-9
    assert h == pytest.approx(
        2000 + 3 * ((lon - 14) / 0.002 - 0.5) - 2 * ((49.7 - lat) / 0.002 - 0.5), abs=1e-3
    )


def test_missing_heights_on_a_tangent_plane_are_filled_too():
    frame = topocentric_frame(Origin(lat=49.65, lon=15.0, h=300.0))
    got = heights(network([(0, 0, 300), (5000, 0), (9000, 0, 300)]), frame)
    assert got[1] == pytest.approx(np.interp(5, [0, 9], got[::2]), abs=1e-3)


@pytest.fixture
def job(tmp_path, sample_data):
    """Run the command line in a folder with a town and a raster of heights; give what it wrote."""
    lines = read(sample_data / "town.gpkg")
    values = np.arange(len(lines.features)) + 100.0
    columns = {**lines.features.columns, "ele": Column(values, np.zeros(len(values), bool), "Real")}
    write(
        dataclasses.replace(lines, features=Features(lines.features.fid, columns, "town")),
        tmp_path / "town.gpkg",
    )
    middle = lines.coords[:, :2].mean(axis=0)
    affine = Affine(20, 0, middle[0] - 2000, 0, -20, middle[1] + 2000)
    tiff(tmp_path / "dem.tif", cells(Plane(500, 0, 0), affine, (200, 200)), affine, lines.crs)

    def run(*words):
        out = tmp_path / "town.spl"
        files = [str(tmp_path / "town.gpkg"), str(out), "--overwrite", "--fit", "vertices"]
        result = CliRunner().invoke(cli, ["convert", *files, *map(str, words)])
        if result.exception is not None:
            raise result.exception
        return read(out).points[:, 2]

    run.folder = tmp_path
    return run


def test_words_of_the_command_line(job, monkeypatch):
    monkeypatch.chdir(job.folder)
    assert set(job()) == set(job("--z", "source"))
    assert set(job("--z", 12.5, "--z-offset", 1, "--clearance", 0)) == {13.5}
    assert set(job("--z", "dem.tif", "--clearance", 0)) == {500}
    assert set(job("--z", job.folder, "--z-mode", "replace", "--clearance", 0)) == {500}
    assert set(
        job("--z", "dem.tif", "--z", "./dem.tif", "--dem-interpolation", "cubic", "--clearance", 0)
    ) == {500}
    assert len(set(job("--z", "ele"))) > 10
    recorded = json.loads((job.folder / "town.spl.aux.json").read_text())["options"]
    assert recorded["z"] == ["ele"]


def test_a_name_that_is_a_file_and_a_column(job, monkeypatch):
    monkeypatch.chdir(job.folder)
    (job.folder / "ele").write_bytes((job.folder / "dem.tif").read_bytes())
    with pytest.raises(OptionError, match=r"write --z \./ele for the file, --z field:ele for the column"):
        job("--z", "ele")
    assert set(job("--z", "./ele", "--clearance", 0)) == {500}
    assert len(set(job("--z", "field:ele"))) > 10


@pytest.mark.parametrize(
    ("words", "error", "sentence"),
    [
        (["--z", "none.tif"], OptionError, "neither a file nor a column .there is .*ele. nor a number"),
        (["--z", "field:none"], OptionError, "--z field:none is neither"),
        (["--z", "ele", "--z", "3"], OptionError, "only files of heights"),
        (["--z-mode", "fill"], OptionError, "--z-mode does nothing without"),
        (["--z", "source", "--z-mode", "fill"], OptionError, "--z-mode does nothing without"),
        (["--z", "3", "--dem-nodata", "0"], OptionError, "--dem-nodata does nothing without"),
        (["--z", "."], FileAccessError, "no raster of heights in the folder"),
    ],
)  # fmt: skip
def test_words_that_make_no_sense(job, tmp_path, monkeypatch, words, error, sentence):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(error, match=sentence):
        job(*words)
