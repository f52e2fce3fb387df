"""What is wrong with a graph, and mending it."""

from .check import check
from .codes import CODES, SEVERITIES, Code, Finding, finding, in_order
from .limits import Limits
from .places import lonlat
from .repair import TOLERANCE, repair

__all__ = [
    "CODES",
    "SEVERITIES",
    "TOLERANCE",
    "Code",
    "Finding",
    "Limits",
    "check",
    "finding",
    "in_order",
    "lonlat",
    "repair",
]
