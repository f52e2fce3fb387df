"""Road networks from GIS to UNIGINE spline graphs (`.spl`) and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checks import Finding, Limits
    from .checks.check import check
    from .checks.repair import repair
    from .convert import graph_to_lines, lines_to_graph, reproject
    from .formats import read, write
    from .formats.checked import check_file
    from .frames import scene_frame
    from .model import Column, Features, LineStrings, SplineGraph, control_points, spline_graph
    from .preview import view
    from .report import Report
    from .roll import UpOptions, with_ups
    from .terrain import HeightOptions, read_terrain

__version__ = "0.1.0"

__all__ = [
    "Column",
    "Features",
    "Finding",
    "HeightOptions",
    "Limits",
    "LineStrings",
    "Report",
    "SplineGraph",
    "UpOptions",
    "check",
    "check_file",
    "control_points",
    "graph_to_lines",
    "lines_to_graph",
    "read",
    "read_terrain",
    "repair",
    "reproject",
    "scene_frame",
    "spline_graph",
    "view",
    "with_ups",
    "write",
]

_ROOMS = {
    ".checks": ("Finding", "Limits", "check", "repair"),
    ".convert": ("graph_to_lines", "lines_to_graph", "reproject"),
    ".formats": ("read", "write"),
    ".formats.checked": ("check_file",),
    ".frames": ("scene_frame",),
    ".model": ("Column", "Features", "LineStrings", "SplineGraph", "control_points", "spline_graph"),
    ".preview": ("view",),
    ".report": ("Report",),
    ".roll": ("UpOptions", "with_ups"),
    ".terrain": ("HeightOptions", "read_terrain"),
}
"""Where the public names are; a room is loaded when one of its names is used."""


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            import importlib

            return getattr(importlib.import_module(room, __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
