"""The three jobs: lines to graph, graph to lines, graph to another frame."""

from .merge import merge
from .to_frame import reproject
from .to_graph import lines_to_graph
from .to_lines import KINDS, graph_to_lines

__all__ = ["KINDS", "graph_to_lines", "lines_to_graph", "merge", "reproject"]
