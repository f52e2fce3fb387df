"""Which coordinates are one place, where lines meet, and which segments are one road."""

from .boxes import box_tree, meeting_boxes
from .chains import Chains, Runs, degrees, distinct, graph_chains, split_at_nodes
from .cleanup import duplicates, lengths, short_dangles, small_components
from .crossings import JOINED, REASONS, Crossings
from .levels import TAGS as LEVEL_TAGS
from .levels import Levels, line_levels
from .links import Paths, follow_links, link, link_pieces
from .network import CROSSINGS, Joined, Network, NetworkOptions, join
from .places import components, ranges, renumber, weld
from .weld import cluster

__all__ = [
    "CROSSINGS",
    "JOINED",
    "LEVEL_TAGS",
    "REASONS",
    "Chains",
    "Crossings",
    "Joined",
    "Levels",
    "Network",
    "NetworkOptions",
    "Paths",
    "Runs",
    "box_tree",
    "cluster",
    "components",
    "degrees",
    "distinct",
    "duplicates",
    "follow_links",
    "graph_chains",
    "join",
    "lengths",
    "line_levels",
    "link",
    "link_pieces",
    "meeting_boxes",
    "ranges",
    "renumber",
    "short_dangles",
    "small_components",
    "split_at_nodes",
    "weld",
]
