"""Check the plugin's zip: `python qgis_plugin/check_zip.py ZIP`.

Against the rules of the QGIS plugin repository, as far as they need no network; and that nothing is
imported that QGIS may lack.
"""

from __future__ import annotations

import ast
import configparser
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

LARGEST = 25_000_000
NEEDED = ("name", "description", "about", "version", "qgisMinimumVersion", "author", "email", "tracker")
NEEDED += ("repository", "homepage", "icon", "license", "hasProcessingProvider", "tags")
THERE = {"numpy", "pyproj", "qgis", "processing", "osgeo", "gdal_python_driver", "__future__"}
"""What a QGIS (or GDAL, for its driver) has for sure, beside the standard library."""
SIGNS = (
    r"\.(pyc|pyo|so|dll|pyd|dylib|exe)$",
    r"(^|/)(__pycache__|__MACOSX|\.[^/]+)(/|$)",
    r"(^|/)RECORD$",
    r"\\",
)
"""What no name may hold."""


def check(path: Path) -> Iterator[str]:
    """Say what is wrong with a zip."""
    if path.stat().st_size > LARGEST:
        yield f"larger than {LARGEST} bytes"
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        tops = {name.partition("/")[0] for name in names}
        if len(tops) != 1:
            yield f"not one folder at the top but {sorted(tops)}"
            return
        top = tops.pop()
        if not top.isidentifier() or "plugin" in top.lower():
            yield f"the folder {top} is no Python name, or says that it is a plugin"
        yield from _names(archive)
        for name in ("__init__.py", "metadata.txt", "LICENSE"):
            if f"{top}/{name}" not in names:
                yield f"there is no {name}"
        if f"{top}/metadata.txt" in names:
            yield from _metadata(archive.read(f"{top}/metadata.txt").decode("utf-8"), names, top)
        for name in names:
            if name.endswith(".py"):
                yield from _imports(ast.parse(archive.read(name), name), name)


def _names(archive: zipfile.ZipFile) -> Iterator[str]:
    for entry in archive.infolist():
        if any(re.search(sign, entry.filename) for sign in SIGNS) or ".." in entry.filename.split("/"):
            yield f"{entry.filename} may not be in it"
        if (entry.external_attr >> 16) & 0o111 and not entry.is_dir():
            yield f"{entry.filename} can be executed"


def _metadata(text: str, names: list[str], top: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    data = dict(parser["general"])
    for key in NEEDED:
        if not data.get(key):
            yield f"metadata.txt lacks {key}"
    if float(data.get("qgisMaximumVersion", "3.99")) < 4:
        yield "qgisMaximumVersion below 4: QGIS 4 is not offered it"
    if "supportsQt6" in data:
        yield "supportsQt6 is no longer used"
    if "/" in data.get("author", ""):
        yield "a slash in the author's name"
    if f"{top}/{data.get('icon')}" not in names:
        yield "the icon is not in the zip"
    for key in ("tracker", "repository", "homepage"):
        if not re.match(r"https?://[^/\s]+", data.get(key, "")):
            yield f"{key} is no address"


def _imports(tree: ast.Module, name: str) -> Iterator[str]:
    """Find imports at the top of a module that QGIS may lack, and any of a core outside the plugin."""
    later = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, later)
        or (isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING")
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [node.module or ""]
        for module in modules:
            first = module.partition(".")[0]
            if first in ("spl_gis", "PyQt5", "PyQt6"):
                yield f"{name}: imports {module}, which may be another than this plugin's"
            elif id(node) not in inside and first not in THERE | set(sys.stdlib_module_names):
                yield f"{name}: imports {module} at its top"


if __name__ == "__main__":
    found = list(check(Path(sys.argv[1])))
    print("\n".join(found) or "nothing found")
    sys.exit(bool(found))
