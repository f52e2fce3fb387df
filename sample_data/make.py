"""Make the sample data: an invented town with every kind of road that is hard to get right.

Run it from the project's folder: ``python sample_data/make.py``. It writes ``town.gpkg`` (EPSG:32633, with
heights), ``town.geojson`` (WGS 84), ``town.osm`` (as OpenStreetMap has it: no heights, other tags),
``town_dem.tif`` (the ground, in cells of 20 m), and ``town.world`` with ``bridge.spl.meta``, which place the
town and a bridge in the engine's way. It leaves ``bridge.spl``, which is written by hand, alone.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import rasterio
from pyproj import CRS

from spl_gis.formats import vector
from spl_gis.frames import WGS84, transform
from spl_gis.model import Column, Features, LineStrings

HERE = Path(__file__).parent
UTM = CRS("EPSG:32633")
CENTRE = (458_300.0, 5_462_700.0)  # the roundabout, in EPSG:32633


def drive(start: complex, heading: float, *pieces: tuple[float, float], step: float = 8.0) -> np.ndarray:
    """Drive pieces of (length [m], turn [degrees]) and drop a vertex about every `step` metres."""
    vertices = [start]
    heading = np.radians(heading)
    for length, turn in pieces:
        number = max(1, round(length / step))
        each = np.radians(turn) / number
        chord = length / number * np.sinc(each / 2 / np.pi)  # the chord of an arc of that length
        for _ in range(number):
            vertices.append(vertices[-1] + chord * np.exp(1j * (heading + each / 2)))
            heading += each
    return np.array(vertices)


def ring(centre: complex, radii: tuple[float, float], number: int) -> np.ndarray:
    """Give a closed ellipse."""
    angle = np.append(np.arange(number), 0) * 2 * np.pi / number
    return centre + radii[0] * np.cos(angle) + 1j * radii[1] * np.sin(angle)


def link(start: complex, heading: float, end: complex, arrival: float, reach: float) -> np.ndarray:
    """Join two places, with headings in degrees, by a cubic Bezier curve with handles of `reach` metres."""
    controls = [
        start,
        start + reach * np.exp(1j * np.radians(heading)),
        end - reach * np.exp(1j * np.radians(arrival)),
        end,
    ]
    t = np.linspace(0, 1, 19)
    powers = np.array([(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3])
    return np.append((np.array(controls) @ powers)[:-1], end)


def interchange(start: complex) -> dict[str, np.ndarray]:
    """Give a motorway over a road that begins at `start`, with a loop and two straight ramps."""
    road = drive(start, 2, (200, -4), (240, 2), (160, 0), step=20.0)
    middle = road[12]
    south = drive(middle + 12 + 420j, -92, (240, 2), (360, 0), (240, -3), step=30.0)
    north = drive(middle + 26 - 420j, 88, (240, 2), (360, 0), (240, -3), step=30.0)
    return {
        "road": road,
        "south": south,
        "north": north,
        "loop": link(north[17], 92, road[16], 182, 170.0),
        "off": link(south[4], -90, road[7], -150, 90.0),
        "on": link(road[19], 182, north[22], 92, 110.0),
    }


def ground(xy: np.ndarray) -> np.ndarray:
    """Give the height of the ground: a slope with a hill in the north."""
    hill = 55 * np.exp(-(np.abs(xy - (40 + 420j)) ** 2) / (2 * 170.0**2))
    return 212 + 0.015 * xy.real + hill


def roads() -> list[tuple[dict[str, object], list[np.ndarray]]]:
    """Give attributes and parts (x, y, height) of each road, in metres from the roundabout."""
    circle = ring(0j, (18, 18), 24)
    west = np.append(drive(-420 + 30j, -8, (160, 10), (120, -6), (80, 0)), circle[12])
    east = np.append(circle[0], drive(60 + 0j, 0, (90, 25), (110, -30), (120, 5)))
    north = np.append(circle[6], drive(0 + 50j, 92, (60, 0), (80, -20)))
    hairpins = drive(
        north[-1], 72, (60, -10), (40, 175), (110, 0), (42, -178), (120, 6), (40, 176), (90, -8), step=5.0
    )
    bank = drive(140 - 160j, 85, (120, 4), (120, -8), (100, 5))
    bridge = east[2:]
    cut = int(np.argmin(np.abs(west + 250)))
    detour = np.concatenate([[west[cut]], drive(west[cut] - 22j, -40, (40, 35), (40, 35)), [west[cut + 14]]])
    twin = np.concatenate([[west[cut]], drive(west[cut] + 26j, 35, (45, -35), (40, -30)), [west[cut + 14]]])
    park = ring(-180 - 150j, (70, 45), 36)
    motorway = interchange(east[-1])
    noise = np.random.default_rng(7).normal(scale=0.3, size=(2, 90))
    track = drive(-250 + 130j, 60, (120, -50), (160, 90), (120, -120), (120, 20), step=6.0)
    track[1:-1] += (noise[0] + 1j * noise[1])[: len(track) - 2]
    lanes = [drive(-330 - 60j, -60, (90, 0)), drive(-310 - 60j, -60, (90, 0))]
    table: list[tuple[dict[str, object], list[np.ndarray]]] = [
        ({"name": "Hauptstraße", "class": "primary", "lanes": 2, "node": 9_007_199_254_740_993}, [west]),
        ({"name": "Kreisel", "class": "primary", "lanes": 1, "oneway": True, "node": 4}, [circle]),
        ({"name": "Мост дружбы", "class": "secondary", "lanes": 2, "bridge": True}, [bridge]),
        ({"name": "Ostring", "class": "secondary", "lanes": 2, "speed": 50.0}, [east[:3]]),
        ({"name": "北通り", "class": "residential", "speed": 30.5, "opened": "1968-05-21"}, [north]),
        ({"name": "Serpentine à l'Été", "class": "tertiary", "opened": "1902-11-03"}, [hairpins]),
        ({"name": "طريق الضفة", "class": "residential", "lanes": 1}, [bank]),
        ({"name": None, "class": "service", "oneway": True}, [detour]),
        ({"name": "", "class": "service", "oneway": False}, [twin]),
        ({"name": "Parkrunde", "class": "footway", "surveyed": "2024-03-31T02:30:00+02:00"}, [park]),
        ({"name": "Zubringer", "class": "secondary", "lanes": 2, "speed": 70.0}, [motorway["road"]]),
        ({"name": "A 99", "class": "motorway", "oneway": True, "bridge": True}, [motorway["south"]]),
        ({"name": "A 99", "class": "motorway", "oneway": True, "bridge": True}, [motorway["north"]]),
        ({"name": "Auffahrt", "class": "motorway_link", "oneway": True}, [motorway["loop"]]),
        ({"name": "Ausfahrt", "class": "motorway_link", "oneway": True}, [motorway["off"]]),
        ({"name": "Auffahrt", "class": "motorway_link", "oneway": True}, [motorway["on"]]),
        ({"name": "GPS-Spur", "class": "track", "surveyed": "2023-08-01T17:05:00Z"}, [track]),
        ({"name": "Zwillingsgasse", "class": None, "lanes": 1, "node": 5}, lanes),
    ]
    known: dict[complex, float] = {}
    return [(row, [_with_height(part, row, known) for part in parts]) for row, parts in table]


def _with_height(xy: np.ndarray, row: dict[str, object], known: dict[complex, float]) -> np.ndarray:
    """Lay a road on the ground, a bridge above it, and a ramp between the roads that it joins."""
    z = ground(xy)
    along = np.linspace(0, 1, len(xy))
    if row.get("bridge"):  # it leaves the ground at both ends, and passes 6 m above the street below
        z = np.linspace(z[0], z[-1], len(xy)) + 8 * np.sin(np.pi * along) ** 0.7
    elif row["class"] == "motorway_link":
        z = known[xy[0]] + (known[xy[-1]] - known[xy[0]]) * along
    known.update(zip(xy.tolist(), z.tolist()))
    return np.round(np.column_stack([xy.real + CENTRE[0], xy.imag + CENTRE[1], z]), 3)


def _column(
    rows: list[dict[str, object]], name: str, kind: str, dtype: type, subtype: str = "None"
) -> Column:
    values = [row.get(name) for row in rows]
    blank = dtype() if dtype is not object else None
    array = np.empty(len(rows), dtype)
    array[:] = [blank if value is None else value for value in values]
    return Column(array, np.array([value is None for value in values]), kind, subtype)


def town() -> LineStrings:
    """Give the town as lines in EPSG:32633."""
    table = roads()
    rows = [row for row, _ in table]
    columns = {
        "name": _column(rows, "name", "String", object),
        "class": _column(rows, "class", "String", object),
        "lanes": _column(rows, "lanes", "Integer", np.int32),
        "speed": _column(rows, "speed", "Real", np.float64),
        "node": _column(rows, "node", "Integer64", np.int64),
        "bridge": _column(rows, "bridge", "Integer", np.bool_, "Boolean"),
        "oneway": _column(rows, "oneway", "Integer", np.bool_, "Boolean"),
        "opened": _column(rows, "opened", "Date", object),
        "surveyed": _column(rows, "surveyed", "DateTime", object),
    }
    parts = [part for _, road in table for part in road]
    feature = np.repeat(np.arange(len(table)), [len(road) for _, road in table])
    part = np.concatenate([[-1] if len(road) == 1 else np.arange(len(road)) for _, road in table])
    offsets = np.cumsum([0, *map(len, parts)])
    features = Features(np.arange(1, len(table) + 1), columns, "town")
    return LineStrings(np.concatenate(parts), offsets, feature, part, features, UTM)


def openstreetmap(lines: LineStrings) -> ET.Element:
    """Give lines in WGS 84 as OpenStreetMap does: nodes that ways share, and ways with tags."""
    places, node = np.unique(np.round(lines.coords[:, :2], 7), axis=0, return_inverse=True)
    osm = ET.Element("osm", version="0.6", generator="sample_data/make.py")
    for number, (lon, lat) in enumerate(places.tolist(), start=1):
        ET.SubElement(osm, "node", id=str(number), version="1", lat=f"{lat:.7f}", lon=f"{lon:.7f}")
    columns = lines.features.columns
    for row, (start, stop) in enumerate(zip(lines.offsets[:-1].tolist(), lines.offsets[1:].tolist())):
        way = ET.SubElement(osm, "way", id=str(1000 + row), version="1")
        for vertex in node.ravel()[start:stop].tolist():
            ET.SubElement(way, "nd", ref=str(vertex + 1))
        value = {name: columns[name].values[lines.feature[row]] for name in ("name", "class", "bridge")}
        tags = {"highway": value["class"] or "road", "name": value["name"]}
        if value["bridge"]:
            tags.update(bridge="yes", layer="1")
        for key, text in tags.items():
            if text:
                ET.SubElement(way, "tag", k=key, v=text)
    return osm


def terrain() -> tuple[np.ndarray, tuple[float, ...]]:
    """Give the ground in cells, from north to south, and where they are: the numbers of an affine."""
    west, north, cell, columns, rows = -560.0, 600.0, 20.0, 85, 57
    x = west + cell * (np.arange(columns) + 0.5)
    y = north - cell * (np.arange(rows) + 0.5)
    heights = ground(x[None] + 1j * y[:, None]).astype(np.float32)
    return heights, (cell, 0.0, CENTRE[0] + west, 0.0, -cell, CENTRE[1] + north)


def write_terrain(path: Path) -> None:
    """Write the ground as a GeoTIFF."""
    heights, affine = terrain()
    rows, columns = heights.shape
    head = {"width": columns, "height": rows, "count": 1, "dtype": "float32", "compress": "deflate"}
    with rasterio.open(
        path, "w", crs="EPSG:32633", transform=rasterio.Affine(*affine), predictor=3, **head
    ) as file:
        file.write(np.round(heights, 2), 1)


BRIDGE = "5b1d6e0c9a8f47d2b3e4f5061728394a5b6c7d8e"
"""The guid of ``bridge.spl``."""

WORLD = """<?xml version="1.0" encoding="utf-8"?>
<world version="2.19.0.0">
	<editor>
		<node type="ObjectLandscapeTerrain" id="1001" name="town_terrain">
			<variable name="sandworm_epsg" type="int">32633</variable>
			<variable name="sandworm_origin" type="dvec3">{origin}</variable>
			<variable name="coordinate_system" type="string">world</variable>
			<transform>1 0 0 0.0 0 1 0 0.0 0 0 1 0.0 0 0 0 1.0</transform>
		</node>
		<node type="NodeDummy" id="1002" name="traffic">
			<transform>1 0 0 0.0 0 1 0 0.0 0 0 1 0.0 {middle} 0 1.0</transform>
			<node type="WorldSplineGraph" id="1003" name="roads">
				<spline_name>guid://{roads}</spline_name>
				<transform>1 0 0 0.0 0 1 0 0.0 0 0 1 0.0 0 0 0 1.0</transform>
			</node>
			<node type="WorldSplineGraph" id="1004" name="footbridge">
				<spline_name>guid://{bridge}</spline_name>
				<transform>{turned} 0.0 -150 210 12.5 1.0</transform>
			</node>
		</node>
	</editor>
</world>
"""

META = """<?xml version="1.0" encoding="utf-8"?>
<asset version="2.19.0.0">
	<guid>{guid}</guid>
	<type>spline_graph</type>
</asset>
"""


def world() -> str:
    """Give a world of the engine with the town's terrain, and nodes for its roads and a bridge."""
    lon, lat, _ = transform(np.array([[*CENTRE, 0.0]]), UTM, WGS84)[0].tolist()
    roads = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"
    turned = "0.866025388 0.5 0 0.0 -0.5 0.866025388 0 0.0 0 0 1"
    origin = f"{lat:.9f} {lon:.9f} 200"
    return WORLD.format(origin=origin, middle="80 -40", turned=turned, roads=roads, bridge=BRIDGE)


def main() -> None:
    """Write the files."""
    lines = town()
    vector.write(lines, HERE / "town.gpkg", overwrite=True)
    degrees = transform(lines.coords, lines.crs, WGS84)
    geographic = LineStrings(degrees, lines.offsets, lines.feature, lines.part, lines.features, WGS84)
    vector.write(geographic, HERE / "town.geojson", overwrite=True)
    osm = openstreetmap(geographic)
    ET.indent(osm, " ")
    ET.ElementTree(osm).write(HERE / "town.osm", encoding="utf-8", xml_declaration=True)
    write_terrain(HERE / "town_dem.tif")
    (HERE / "town.world").write_text(world(), encoding="utf-8")
    (HERE / "bridge.spl.meta").write_text(META.format(guid=BRIDGE), encoding="utf-8")


if __name__ == "__main__":
    main()
