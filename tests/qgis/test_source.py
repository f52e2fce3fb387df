"""One source for Qt 5 and Qt 6, as far as it can be told by reading it."""

from __future__ import annotations

import ast
import enum
import importlib

import pytest
from conftest import ROOT

PLUGIN = ROOT / "qgis_plugin" / "spl_tools"
FILES = sorted(PLUGIN.rglob("*.py"))


def imported(tree):
    """Give the classes that a module takes from QGIS, by the name they have there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.startswith("qgis."):
            module = importlib.import_module(node.module)
            found.update((alias.asname or alias.name, getattr(module, alias.name)) for alias in node.names)
    return found


def unscoped(tree):
    """Find values of enums that are written without their enum, which Qt 6 does not have."""
    classes = imported(tree)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        owner = classes.get(node.value.id)
        if not isinstance(owner, type) or not hasattr(owner, node.attr):
            continue
        kind = type(getattr(owner, node.attr))
        is_enum = issubclass(kind, enum.Enum) or type(kind).__name__ == "enumtype"
        if is_enum and kind is not owner:
            yield f"line {node.lineno}: {node.value.id}.{node.attr}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PLUGIN).as_posix())
def test_enums_are_scoped(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert list(unscoped(tree)) == []
    assert "exec_(" not in path.read_text(encoding="utf-8")


def test_an_unscoped_enum_is_found():
    tree = ast.parse("from qgis.PyQt.QtCore import Qt\nx = Qt.AlignLeft\ny = Qt.AlignmentFlag.AlignLeft")
    assert list(unscoped(tree)) == ["line 2: Qt.AlignLeft"]
