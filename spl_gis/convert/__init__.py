"""The three jobs: lines to graph, graph to lines, graph to another frame."""

from .edited import edited_kind, edited_to_graph
from .exact import keep_source
from .fields import keep_fields
from .merge import merge
from .to_frame import reproject
from .to_graph import lines_to_graph
from .to_lines import KINDS, graph_to_lines, graph_to_points
from .update import update

__all__ = [
    "KINDS",
    "edited_kind",
    "edited_to_graph",
    "graph_to_lines",
    "graph_to_points",
    "keep_fields",
    "keep_source",
    "lines_to_graph",
    "merge",
    "reproject",
    "update",
]
