"""The parts that the definition of a derived CRS is made of, as PROJJSON."""

from __future__ import annotations

from .crs import Json

_NAMES = {"east": "Easting", "north": "Northing", "west": "Westing", "south": "Southing", "up": "Height"}


def axes(directions: tuple[str, ...], abbreviations: str) -> Json:
    """Give a Cartesian coordinate system in metres, with one letter for each axis."""
    axis = [
        {"name": _NAMES[direction], "abbreviation": short, "direction": direction, "unit": "metre"}
        for direction, short in zip(directions, abbreviations)
    ]
    return {"subtype": "Cartesian", "axis": axis}


def conversion(method: str, code: int | None, parameters: list[Json]) -> Json:
    """Give the conversion from a base to a scene, with the EPSG code of its method, if that has one."""
    known = {} if code is None else {"id": {"authority": "EPSG", "code": code}}
    return {"name": "scene", "method": {"name": method, **known}, "parameters": parameters}


def parameter(name: str, code: int, value: float, unit: str) -> Json:
    """Give a number of a conversion, with the EPSG code of what it is."""
    return {"name": name, "value": value, "unit": unit, "id": {"authority": "EPSG", "code": code}}
