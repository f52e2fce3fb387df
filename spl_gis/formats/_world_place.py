"""Where on Earth a UNIGINE world is: by its GeodeticPivot, or by the variables of its terrain."""

from __future__ import annotations

from pathlib import Path

from pyproj import CRS

from .. import frames
from ..errors import FormatError, GeoreferenceError, OptionError
from ..frames import Node, Origin
from ._world_nodes import WorldNode, numbers, place_of_node

TERRAINS = ("ObjectLandscapeTerrain", "ObjectTerrainGlobal")
_ELSEWHERE = ("NodeReference", "NodeLayer")
_BY_HAND = "pass --crs and --origin instead of --frame"


def scene_of_world(nodes: list[WorldNode], path: Path) -> tuple[CRS, Node]:
    """Give the CRS that a world lies in, and where the world's own (0, 0, 0) stands in it.

    As the engine's converter does, a GeodeticPivot goes before the variables of a terrain.

    Raises
    ------
    FormatError, GeoreferenceError
        As `world.read`.
    """
    for node in nodes:
        if node.type == "GeodeticPivot" and node.element.get("enabled") != "0":
            return _of_pivot(node, nodes, path)
    placed = {_place_said(node): node for node in nodes if node.type in TERRAINS}
    placed.pop(("", "", "", ""), None)
    if len(placed) > 1:
        named = ", ".join(repr(node.name) for node in placed.values())
        raise GeoreferenceError(f"{path}: the terrains {named} say different places: {_BY_HAND}")
    if not placed:
        elsewhere = sum(node.type in _ELSEWHERE for node in nodes)
        hint = f" ({elsewhere} references to other files were not followed)" if elsewhere else ""
        raise GeoreferenceError(
            f"{path} does not say where on Earth it is: no terrain with sandworm_epsg or "
            f"sandworm_projection, and no GeodeticPivot{hint}: {_BY_HAND}"
        )
    (said, terrain), *_ = placed.items()
    return _of_terrain(said, terrain, path), Node()


def _place_said(terrain: WorldNode) -> tuple[str, str, str, str]:
    """Give what a terrain says of its place: code, WKT, origin, and how its axes are aligned."""
    code, wkt, origin, axes = (
        terrain.variable(name) or ""
        for name in ("sandworm_epsg", "sandworm_projection", "sandworm_origin", "coordinate_system")
    )
    return ("" if code in ("-1", "0") else code), wkt, origin, axes


def _of_terrain(said: tuple[str, str, str, str], terrain: WorldNode, path: Path) -> CRS:
    """Build the map frame of a terrain: the world's (0, 0, 0) is its origin, in the projection."""
    code, wkt, origin, axes = said
    where = f"{path}, terrain {terrain.name!r}"
    if code and not code.isdecimal():
        raise FormatError(f"sandworm_epsg should be a number, it is {code[:60]!r}", path=path)
    if not code and not wkt:
        raise GeoreferenceError(f"{where}: neither sandworm_epsg nor sandworm_projection is set: {_BY_HAND}")
    if not origin:
        raise GeoreferenceError(f"{where}: it has no sandworm_origin: {_BY_HAND}")
    base = frames.parse_crs(f"EPSG:{code}" if code else wkt)
    _require_published(base, axes, where)
    return frames.map_frame(base, _origin(origin, "sandworm_origin", path))


def _origin(text: str, what: str, path: Path) -> Origin:
    """Read latitude, longitude and altitude."""
    lat, lon, alt = numbers(text, 3, what, path)
    try:
        return Origin(lat=lat, lon=lon, h=alt)
    except OptionError as error:
        raise FormatError(f"{what}: {error}", path=path) from error


def _require_published(base: CRS, axes: str, where: str) -> None:
    """Refuse projections of which it is not known how the engine lays them into its world."""
    if not base.is_projected or base.is_compound:
        raise GeoreferenceError(f"{where}: {base.name} is not a projected CRS: {_BY_HAND}")
    if any(axis.unit_name != "metre" for axis in base.axis_info):
        raise GeoreferenceError(
            f"{where}: {base.name} is not in metres, and what the engine makes of that is not published: "
            f"{_BY_HAND}"
        )
    along = [axis.direction for axis in base.axis_info] == ["east", "north"]
    if not along and axes.lower() != "world":
        raise GeoreferenceError(
            f"{where}: the axes of {base.name} are not east and north, and coordinate_system "
            f"({axes[:60] or 'not set'!r}) does not say 'world'; how the engine lays out such a world is not "
            f"published: generate the terrain with Coordinate System = World, or {_BY_HAND}"
        )


def _of_pivot(pivot: WorldNode, nodes: list[WorldNode], path: Path) -> tuple[CRS, Node]:
    """Build the plane of a pivot whose terrain is curved; a flat one's formula is not published."""
    where = f"{path}, GeodeticPivot {pivot.name!r}"
    curved = any(node.type == "ObjectTerrainGlobal" and pivot in list(node.line())[1:] for node in nodes)
    if not curved or pivot.variable("flat") not in (None, "", "0"):
        raise GeoreferenceError(
            f"{where}: the engine maps latitude and longitude to this flat world by a formula that is not "
            f"published: {_BY_HAND}, of which one you have measured there"
        )
    axis = pivot.variable("semimajor_axis")
    if axis and numbers(axis, 1, "semimajor_axis", path) != [6378137.0]:
        raise GeoreferenceError(f"{where}: its ellipsoid is not that of WGS 84: {_BY_HAND}")
    origin = pivot.variable("origin")
    if origin is None:
        raise GeoreferenceError(f"{where}: it has no origin: {_BY_HAND}")
    plane = _plane(_origin(origin, "the origin of the GeodeticPivot", path))
    return plane, place_of_node(pivot, path).inverse()


def _plane(origin: Origin) -> CRS:
    """Give the tangent plane as UNIGINE has it, with up away from the Earth's centre."""
    return frames.topocentric_frame(origin, frames.UNIGINE)
