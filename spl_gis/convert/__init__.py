"""The three jobs: lines to graph, graph to lines, graph to another frame."""

from .exact import keep_source
from .merge import merge
from .to_frame import reproject
from .to_graph import lines_to_graph
from .to_lines import KINDS, graph_to_lines, graph_to_points

__all__ = [
    "KINDS",
    "graph_to_lines",
    "graph_to_points",
    "keep_source",
    "lines_to_graph",
    "merge",
    "reproject",
]
