"""Check of numbers that are too large for the engine."""

from __future__ import annotations

import numpy as np

from ..model import SplineGraph
from .codes import Finding, finding
from .segments import ENDS

LARGEST = float(np.finfo(np.float32).max)
"""What is greater is infinite in the engine's float32."""


def infinite(graph: SplineGraph) -> list[Finding]:
    """Find numbers that are infinite in float32; nothing can be computed with them."""
    rows, axes = np.nonzero(np.abs(graph.points) > LARGEST)
    found = [
        _infinite(f"$.points[{row}][{axis}]", graph.points[row, axis])
        for row, axis in zip(rows.tolist(), axes.tolist())
    ]
    for key, vectors in (("tangent", graph.tangents), ("up", graph.ups)):
        for row, end, axis in np.argwhere(np.abs(vectors) > LARGEST).tolist():
            path = f"$.segments[{row}].{ENDS[end]}_{key}[{axis}]"
            found.append(_infinite(path, vectors[row, end, axis]))
    return found


def _infinite(path: str, value: float) -> Finding:
    return finding("non-finite", path, f"{value:.3g} is infinite in the engine's float32", value=value)
