"""Real networks on real terrain: no road at a number that means nothing, no cliff that is not there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from spl_gis import frames, lines_to_graph, read, read_terrain, scene_frame
from spl_gis.report import Report
from spl_gis.terrain import HeightOptions


class Pair(NamedTuple):
    """A network, its terrain, the lowest and highest ground there, and steep edges [%] that may be exceeded.

    `grades` are the 50th, 90th and 99th percentile of the length of all edges.
    """

    lines: str
    terrain: str
    low: float
    high: float
    grades: tuple[float, float, float]
    off: int
    layer: str | None = None
    nodata: float | None = None


PAIRS = {
    "andorra": Pair(
        "osm-andorra-mountain-dem/andorra.osm.gz",
        "osm-andorra-mountain-dem/N42E001.hgt.zip",
        *(500, 3100, (13, 36, 65), 403),
        layer="lines",
    ),
    "spearfish": Pair(
        "spearfish-roads-dem/roads.shp",
        "spearfish-roads-dem/spearfish_dem.asc.gz",
        *(1066, 1840, (4, 12, 25), 422),
    ),
    "sarthe": Pair(
        "ign-sarthe-lambert93-z-dem/ROUTE.shp",
        "ign-sarthe-lambert93-z-dem/MNT_25M_asc.asc",
        *(25, 103, (1, 5, 15), 319),
    ),
    "cape": Pair(
        "cape-roads-dem/roads_33S.shp",
        "cape-roads-dem/srtm_41_19.tif",
        *(1, 1699, (3, 11, 45), 37),
        nodata=0.0,
    ),
    "dutch": Pair(
        "dutch-hydamo-dem/Example_model.gpkg",
        "dutch-hydamo-dem/AHN25.tif",
        *(8.5, 47.8, (0.5, 2, 6), 0),
        layer="hydroobject",
    ),
}


def grades(graph, shares):
    """Give the grades [%] that so many percent of the length of all edges do not exceed."""
    dx, dy, dz = (graph.points[graph.ends[:, 1]] - graph.points[graph.ends[:, 0]]).T
    length = np.hypot(dx, dy)
    grade = 100 * np.abs(dz) / np.maximum(length, 0.01)
    order = np.argsort(grade)
    return np.interp(shares, 100 * np.cumsum(length[order]) / length.sum(), grade[order])


@pytest.mark.parametrize("name", PAIRS)
def test_real_roads_lie_on_real_ground(shared, name):
    pair, report = PAIRS[name], Report()
    more = {} if pair.layer is None else {"layer": pair.layer}
    lines = read(shared / pair.lines, **more)
    frame = scene_frame(lines.coords, lines.crs)
    ground = read_terrain(
        shared / pair.terrain, frame, default_crs=lines.crs, nodata=pair.nodata, report=report
    )
    graph = lines_to_graph(lines, frame, heights=HeightOptions(surface=ground), fit="vertices", report=report)
    z = graph.points[:, 2]
    assert pair.low <= z.min()
    assert z.max() <= pair.high
    assert (grades(graph, [50, 90, 99]) < pair.grades).all()
    x, y, _ = frames.transform(lines.coords, lines.crs, frame).T
    assert np.isnan(ground.heights(x, y)).sum() == pair.off
    told = [warning for warning in report.warnings if "vertices lie outside the terrain" in warning]
    assert [warning.split()[0] for warning in told] == [str(pair.off)] * (pair.off > 0)


def test_adjoining_tiles_have_no_seam(shared):
    """Both tiles share one column of cells; heights on it and across are those of one raster."""
    tiles = [shared / "dem-adjacent-tiles" / name for name in ("elevation1.tif", "elevation2.tif")]
    frame = scene_frame(np.array([[-122.403, 37.796, 0.0]]), frames.WGS84)
    ground = read_terrain(tiles, frame)
    assert len(ground.parts) == 1
    assert ground.parts[0].shape == (37, 46)
    across = np.linspace(-300, 300, 201)
    z = ground.heights(across, np.zeros(201))
    assert not np.isnan(z).any()
    assert np.abs(np.diff(z)).max() < 3


def test_a_terrain_without_a_word_on_zeros_is_doubted(shared):
    report = Report()
    lines = read(shared / "cape-roads-dem" / "roads_33S.shp")
    frame = scene_frame(lines.coords, lines.crs)
    ground = read_terrain(shared / "cape-roads-dem" / "srtm_41_19.tif", frame, report=report)
    x, y, _ = frames.transform(lines.coords, lines.crs, frame).T
    ground.heights(x, y)
    assert any("pass --dem-nodata 0" in warning for warning in report.warnings)
