"""A room imports only from lower layers, and heavy libraries only where the design allows."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from spl_gis import fitting, formats

PACKAGE = Path(__file__).parent.parent / "spl_gis"

LAYERS = {
    "errors": 0, "gdal_driver": 0,
    "bezier": 1, "files": 1,
    "frames": 2,
    "model": 3, "report": 3,
    "topology": 4, "fitting": 4, "flatten": 4,
    "checks": 5, "cutting": 5, "doubts": 5, "matching": 5, "profile": 5, "terrain": 5,
    "roll": 6,
    "convert": 7, "formats": 7,
    "info": 8, "preview": 8, "tiles": 8,
    "__init__": 9,
    "cli": 10,
    "__main__": 11,
}  # fmt: skip

ALLOWED = {
    "numpy": None,
    "pyproj": None,
    "shapely": {"formats/_geometry", "formats/_fiona", "preview/measures"},
    "fiona": {"formats/_fiona"},
    "pyogrio": {"formats/_pyogrio"},
    "arro3": {"formats/_arrow", "formats/_pyogrio"},
    "msgspec": {"formats/spl", "formats/_json", "formats/_faults_geojson"},
    "rasterio": {"terrain/rasters"},
    "matplotlib": {"preview/picture"},
    "distributed": {"tiles/cluster"},
    "click": {"cli"},
    "rich": {"cli"},
    "gdal_python_driver": {"gdal_driver/ogr_spl"},  # GDAL makes it, and loads the script
}
"""Third-party packages, and the rooms that may import them (None: all)."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """Give the room of a module: a file of the package, or a folder in it."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.Module) -> list[tuple[ast.stmt, str, int]]:
    """Give each import of a module: the statement, the name, and how many dots stand before it."""
    found: list[tuple[ast.stmt, str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node, alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node, node.module, node.level))
        elif isinstance(node, ast.ImportFrom):
            found += [(node, alias.name, node.level) for alias in node.names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_from_lower_layers(path):
    depth = len(path.relative_to(PACKAGE).parts)
    for _, name, dots in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if dots == depth and name.split(".")[0] in LAYERS and name.split(".")[0] != room(path):
            assert LAYERS[name.split(".")[0]] < LAYERS[room(path)], f"{path.name} imports {name}"
        assert dots or name.split(".")[0] != "spl_gis", (
            f"{path.name}: imports inside the package are relative"
        )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_heavy_libraries_stay_in_their_rooms_and_inside_functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(statement)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for statement in ast.walk(function)
    }
    typing_only = {
        id(statement)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and getattr(test.test, "id", "") == "TYPE_CHECKING"
        for statement in ast.walk(test)
    }
    for statement, name, dots in imports(tree):
        library = name.split(".")[0]
        if dots or library in sys.stdlib_module_names or library == "__future__":
            continue
        assert library in ALLOWED, f"{path.name} imports {library}"
        rooms = ALLOWED[library]
        if rooms is not None:
            module = path.relative_to(PACKAGE).with_suffix("").as_posix()
            assert any(module.startswith(place) for place in rooms), f"{path.name} imports {library}"
            lazy = id(statement) in inside or id(statement) in typing_only
            assert lazy or room(path) in ("cli", "gdal_driver"), f"{path.name} imports {library} at its top"


def test_every_room_has_a_layer():
    assert {room(path) for path in MODULES} == set(LAYERS)


def test_no_fit_method_is_missing_from_its_table():
    folder = PACKAGE / "fitting"
    methods = {
        path.stem
        for path in folder.glob("[!_]*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == "fit"
    }
    assert methods == set(fitting.METHODS)
    assert all(method.__module__.endswith(name) for name, method in fitting.METHODS.items())


def test_no_format_is_left_out():
    files = {path.stem for path in (PACKAGE / "formats").glob("[!_]*.py")}
    assert files == {name for name in files if hasattr(formats, name)}
