"""What is wrong with a graph, and mending it."""

from .check import check
from .codes import CODES, SEVERITIES, Code, Finding, finding, in_order
from .limits import Limits
from .numbers import infinite
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
    "infinite",
    "lonlat",
    "repair",
]
