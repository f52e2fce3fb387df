"""Real road networks against an independent count with networkx on the source."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import networkx
import numpy as np
import pytest
import shapely

from spl_gis import convert, frames, topology
from spl_gis.formats import vector
from spl_gis.model import LineStrings, SplineGraph
from spl_gis.topology import NetworkOptions

FILES = {
    "helsinki": ("osm-helsinki-pbf/Helsinki.osm.pbf", {}),
    "andorra": ("osm-andorra-mountain-dem/andorra.osm.gz", {}),
    "i5 interchange": ("osm-interchange-i5/i5_exit_ramp.osm", {}),
    "seattle roundabout": ("osm-roundabout-seattle/montlake_roundabout.osm", {}),
    "frida": (
        "frida-osnabrueck/strassen-joined.shp",
        {"source_crs": "EPSG:31467", "encoding": "ISO-8859-1"},
    ),
}

CENTIMETRE = 0.01


@pytest.fixture(scope="module", params=FILES)
def lines(request, shared):
    name, options = FILES[request.param]
    return vector.read(shared / name, **options)


def graph_of(lines: LineStrings, **options: object) -> SplineGraph:
    frame = frames.scene_frame(lines.coords, lines.crs)
    return convert.lines_to_graph(lines, frame, network=NetworkOptions(**options), fit="vertices")


def histogram(degrees: list[int] | np.ndarray) -> list[int]:
    return np.bincount(np.asarray(degrees, int)).tolist()


def source_graph(lines: LineStrings) -> networkx.MultiGraph:
    """Join the vertices of the source by their coordinates, as the file has them."""
    graph = networkx.MultiGraph()
    for number, (a, b) in enumerate(zip(lines.offsets, lines.offsets[1:])):
        way = list(map(tuple, lines.coords[a:b, :2].tolist()))
        graph.add_edges_from((p, q, {"line": number}) for p, q in zip(way, way[1:]) if p != q)
    return graph


def levels_of(lines: LineStrings) -> list[int]:
    """Read the level of each line off the tags of its feature."""
    columns = lines.features.columns
    if "bridge" not in columns:
        return [0] * len(lines)
    levels = []
    for row in lines.feature:
        tags = {name: "" if columns[name].null[row] else columns[name].values[row] for name in columns}
        guess = 1 if tags["bridge"] not in ("", "no") else -(tags["tunnel"] not in ("", "no"))
        levels.append(int(tags["layer"]) if tags["layer"].lstrip("-").isdigit() else guess)
    return levels


def test_degrees_are_those_of_the_source(lines):
    graph = graph_of(lines, weld=0.0, snap_ends=False)
    expected = histogram([degree for _, degree in source_graph(lines).degree()])
    assert histogram(topology.degrees(graph.ends, len(graph.points))) == expected
    assert len(np.unique(topology.components(graph.ends, len(graph.points)))) == (
        networkx.number_connected_components(source_graph(lines))
    )


def test_degrees_with_ends_joined_to_edges(lines):
    source, level = source_graph(lines), levels_of(lines)
    crs = frames.scene_frame(lines.coords, lines.crs)
    nodes = list(source.nodes)
    flat = frames.transform(np.column_stack([nodes, np.zeros(len(nodes))]), lines.crs, crs)[:, :2]
    where = dict(zip(nodes, flat))
    edges = [(p, q, line) for p, q, line in source.edges(data="line")]
    tree = shapely.STRtree([shapely.LineString([where[p], where[q]]) for p, q, _ in edges])
    degree = dict(source.degree())
    at = defaultdict(set)
    for p, q, line in edges:
        at[p].add(level[line])
        at[q].add(level[line])
    tips = {tuple(p) for p in lines.coords[np.r_[lines.offsets[:-1], lines.offsets[1:] - 1], :2].tolist()}
    for tip in tips & set(degree):
        on = at[tip]
        for edge in tree.query(shapely.Point(where[tip]), "dwithin", CENTIMETRE):
            p, q, line = edges[edge]
            clear = all(np.hypot(*(where[tip] - where[end])) > CENTIMETRE for end in (p, q))
            if clear and min(on) <= level[line] <= max(on):
                degree[tip] += 2
    graph = graph_of(lines)
    assert histogram(topology.degrees(graph.ends, len(graph.points))) == histogram(list(degree.values()))


def test_no_bridge_or_tunnel_is_joined_that_shares_no_node(lines):
    columns = lines.features.columns
    if "bridge" not in columns:
        return  # frida has no bridges
    structure = np.zeros(len(lines.features), bool)
    for name in ("bridge", "tunnel"):
        structure |= ~columns[name].null & (columns[name].values != "no")
    graph = graph_of(lines, crossings="split")
    at = defaultdict(set)
    fid = graph.features.fid[graph.line_feature[graph.line]]
    for number, ends in zip(fid.tolist(), graph.ends.tolist()):
        for point in ends:
            at[point].add(number)
    source = defaultdict(set)
    owner = np.repeat(lines.feature, np.diff(lines.offsets))
    for number, place in zip(lines.features.fid[owner].tolist(), lines.coords[:, :2].tolist()):
        source[tuple(place)].add(number)
    shared = {pair for meeting in source.values() for pair in combinations(sorted(meeting), 2)}
    high = set(lines.features.fid[structure].tolist())
    assert high or len(lines) < 30  # the roundabout has none
    met = {pair for meeting in at.values() for pair in combinations(sorted(meeting), 2)}
    for pair in met - shared:
        for one, other in (pair, pair[::-1]):
            # It may begin where a road on the ground begins, and that road may touch another line there.
            ground = [m - high for m in at.values() if {one, other} <= m]
            assert one not in high or all(
                any(tuple(sorted((one, u))) in shared for u in m - {other}) for m in ground
            )
    assert shared <= met
