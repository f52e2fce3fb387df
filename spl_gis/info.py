"""What a graph or a set of lines holds, as names and plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyproj import CRS

from . import bezier, frames, topology
from .model import Features, Floats, LineStrings, SplineGraph, control_points


def facts(data: LineStrings | SplineGraph) -> dict[str, Any]:
    """Give what `data` holds.

    Parameters
    ----------
    data : LineStrings or SplineGraph
        What was read.

    Returns
    -------
    dict
        Counts, lengths [m], bounds and place, by name; values that JSON can hold.
    """
    return _graph_facts(data) if isinstance(data, SplineGraph) else _line_facts(data)


def text(value: Any) -> str:
    """Write a value for people."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {text(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(text, value))
    return "none" if value is None else str(value)


def _graph_facts(graph: SplineGraph) -> dict[str, Any]:
    degree = topology.degrees(graph.ends, len(graph.points))
    chains = len(topology.graph_chains(graph.ends).offsets) - 1
    return {
        "kind": "spline graph",
        "points": len(graph.points),
        "segments": len(graph),
        "chains": chains,
        "points by degree": {int(d): int((degree == d).sum()) for d in np.unique(degree)},
        "length [m]": float(bezier.length(control_points(graph)).sum()),
        "bounds": _bounds(bezier.bounds(control_points(graph)).reshape(-1, 3)),
        "source": _table(graph.features),
        "source crs": graph.source_crs.name if graph.source_crs else None,
        "frame": place(graph.crs),
    }


def _line_facts(lines: LineStrings) -> dict[str, Any]:
    return {
        "kind": "lines",
        "lines": len(lines),
        "vertices": len(lines.coords),
        "heights": "none" if lines.planar else "some" if np.isnan(lines.coords[:, 2]).any() else "all",
        "bounds": _bounds(lines.coords),
        "source": _table(lines.features),
        "crs": lines.crs.name if lines.crs else None,
    }


def _table(features: Features) -> dict[str, Any]:
    columns = [f"{name} ({column.type})" for name, column in features.columns.items()]
    return {"layer": features.layer, "features": len(features), "columns": columns}


def _bounds(coords: Floats) -> list[float] | None:
    """Give x0, y0, x1, y1."""
    if len(coords) == 0:
        return None
    return [*coords[:, :2].min(axis=0).tolist(), *coords[:, :2].max(axis=0).tolist()]


def place(frame: CRS | None) -> dict[str, Any] | None:
    """Give the kind of a frame, its base, and where its origin lies."""
    return None if frame is None else frames.describe(frame)._asdict()
