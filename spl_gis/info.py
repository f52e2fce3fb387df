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


def network(graph: SplineGraph) -> dict[str, Any]:
    """Give the size of a graph: points, segments, junctions, components, and the arc length of all segments.

    Returns
    -------
    dict
        Values that JSON can hold; a junction is a point of more than two segment ends, and a component is
        what hangs together.
    """
    degree = topology.degrees(graph.ends, len(graph.points))
    return {
        "points": len(graph.points),
        "segments": len(graph),
        "junctions": int((degree > 2).sum()),
        "components": len(np.unique(topology.components(graph.ends, len(graph.points)))),
        "points by degree": {int(d): int((degree == d).sum()) for d in np.unique(degree)},
        "length [m]": _length(graph),
    }


def _length(graph: SplineGraph) -> float:
    """Give the arc length of all segments, quickly: Gauss-Legendre quadrature of the speed with 8 nodes.

    Without cusps it is within a part in a million of `bezier.length`, with some of them in ten thousand.
    """
    start, first, second, end = control_points(graph).transpose(1, 0, 2)
    legs = first - start, second - first, end - second
    total = 0.0
    for node, weight in zip(*np.polynomial.legendre.leggauss(8)):
        t = (node + 1) / 2
        velocity = (1 - t) ** 2 * legs[0] + 2 * t * (1 - t) * legs[1] + t**2 * legs[2]
        total += 1.5 * weight * np.sqrt((velocity**2).sum(axis=1)).sum()
    return float(total)


def _graph_facts(graph: SplineGraph) -> dict[str, Any]:
    return {
        "kind": "spline graph",
        **network(graph),
        "length [m]": float(bezier.length(control_points(graph)).sum()),
        "chains": len(topology.graph_chains(graph.ends).offsets) - 1,
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
