"""Road networks from GIS to UNIGINE spline graphs (`.spl`) and back."""

from .checks import Finding, Limits, check, repair
from .convert import graph_to_lines, lines_to_graph, reproject
from .formats import read, write
from .formats.checked import check_file
from .frames import scene_frame
from .model import Column, Features, LineStrings, SplineGraph, control_points, spline_graph
from .preview import view
from .report import Report
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
    "write",
]
