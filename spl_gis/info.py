"""What a graph or a set of lines holds, as names and plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyproj import CRS

from . import bezier, doubts, frames, topology
from .convert.placing import to_scene
from .errors import GeoreferenceError
from .model import Features, Floats, LineStrings, SplineGraph, control_points
from .report import Report

_BLOCK = 1 << 13
"""Segments that are measured at a time: what that needs stays in the cache."""

PLACES = ("origin", "south-west", "south-east", "north-west", "north-east")
"""Where scale and convergence of a frame are given: at the origin and the corners of the scene."""


def facts(data: LineStrings | SplineGraph, report: Report) -> dict[str, Any]:
    """Give what `data` holds, and the frame of the scene; for lines the one that a conversion would choose.

    Parameters
    ----------
    data : LineStrings or SplineGraph
        What was read.
    report : Report
        Told what a conversion would say and warn of about the place.

    Returns
    -------
    dict
        What docs/info.md lists; values that JSON can hold.
    """
    return _graph_facts(data, report) if isinstance(data, SplineGraph) else _line_facts(data, report)


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
    total = 0.0
    nodes, weights = np.polynomial.legendre.leggauss(8)
    for at in range(0, len(graph), _BLOCK):
        rows = slice(at, at + _BLOCK)
        chord = (graph.points[graph.ends[rows, 1]] - graph.points[graph.ends[rows, 0]]).T
        first, back = graph.tangents[rows].transpose(1, 2, 0)
        middle = chord + back - first
        bend, cube = 2 * (middle - first), first - 2 * middle - back
        for node, weight in zip((nodes + 1) / 2, weights):
            velocity = (cube * node + bend) * node + first
            velocity *= velocity
            total += 1.5 * weight * np.sqrt(velocity.sum(axis=0)).sum()
    return float(total)


def _graph_facts(graph: SplineGraph, report: Report) -> dict[str, Any]:
    bounds = bezier.bounds(control_points(graph)).reshape(-1, 3)
    points = np.concatenate([graph.points, bounds])
    doubts.about_scene(points, graph.crs, report)
    if graph.crs is None:
        report.note("the scene has no known place on Earth: --crs and --origin, or --frame, give it one")
    return {
        "kind": "spline graph",
        **network(graph),
        "chains": len(topology.graph_chains(graph.ends).offsets) - 1,
        "bounds": _box(points),
        "source": _table(graph.features),
        "source crs": _named(graph.source_crs),
        "frame": frame_facts(points, graph.crs),
    }


def _line_facts(lines: LineStrings, report: Report) -> dict[str, Any]:
    heights = lines.coords[:, 2]
    return {
        "kind": "lines",
        "lines": len(lines),
        "vertices": len(lines.coords),
        "heights": "none" if lines.planar else "some" if np.isnan(heights).any() else "all",
        "bounds": _box(lines.coords),
        "source": _table(lines.features),
        "crs": _named(lines.crs),
        "frame": _chosen(lines, report),
    }


def _chosen(lines: LineStrings, report: Report) -> dict[str, Any] | None:
    """Give the frame that a conversion would choose; when it would fail, that is a warning here."""
    if not len(lines):
        return None
    try:
        frame = frames.scene_frame(lines.coords, lines.crs)
        points = to_scene(lines, frame, report).coords
    except GeoreferenceError as error:
        report.warn(str(error))
        return None
    doubts.about_scene(points, frame, report)
    return frame_facts(points, frame)


def _table(features: Features) -> dict[str, Any]:
    fields = [
        {
            "name": name,
            "type": column.type if column.subtype == "None" else f"{column.type} ({column.subtype})",
        }
        for name, column in features.columns.items()
    ]
    return {"layer": features.layer, "features": len(features), "fields": fields}


def _named(crs: CRS | None) -> dict[str, Any] | None:
    if crs is None:
        return None
    what = frames.describe(crs)
    return {
        "name": crs.name,
        "code": what.code if what.kind == "crs" else None,
        "unit": crs.axis_info[0].unit_name,
    }


def _box(coords: Floats) -> list[float | None] | None:
    """Give x0, y0, z0, x1, y1, z1; a height is None when there are none."""
    if len(coords) == 0:
        return None
    known = coords[~np.isnan(coords[:, 2])]
    low, high = (
        [*side(coords[:, :2], axis=0).tolist(), float(side(known[:, 2])) if len(known) else None]
        for side in (np.min, np.max)
    )
    return [*low, *high]


def place(frame: CRS | None) -> dict[str, Any] | None:
    """Give the kind of a frame, its base, and where its origin lies."""
    return None if frame is None else frames.describe(frame)._asdict()


def frame_facts(points: Floats, frame: CRS | None) -> dict[str, Any] | None:
    """Give all about a frame and the place of some points in it.

    Parameters
    ----------
    points : ndarray of float64, shape (K, 3)
        Points of the scene, in `frame` [m].
    frame : pyproj.CRS or None
        The frame; None = no place on Earth.

    Returns
    -------
    dict or None
        What docs/info.md lists under ``frame``.
    """
    if frame is None or frame.is_engineering:
        return None
    xy, base = frames.origin_in_base(frame), frames.base_of(frame)
    return {
        **frames.describe(frame)._asdict(),
        "origin in base": None
        if xy is None
        else {"x": xy[0], "y": xy[1], "unit": base.axis_info[0].unit_name},
        "extent [m]": _box(points),
        "extent [degrees]": _lonlat_box(points, frame),
        "places": _places(points, frame),
        "float32 step [m]": doubts.step(points),
        "options": frames.options_for(frame),
    }


def _places(points: Floats, frame: CRS) -> list[dict[str, Any]]:
    """Give scale and convergence at the origin and the corners of the scene."""
    found = doubts.profile(points, frame)
    if found is None:
        return []
    rows = zip(PLACES, doubts.origin_and_corners(points), found.smallest, found.largest, found.convergence)
    return [
        {
            "place": name,
            "x": float(x),
            "y": float(y),
            "scale": [_finite(least), _finite(most)],
            "convergence": _finite(turn),
        }
        for name, (x, y), least, most, turn in rows
    ]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _lonlat_box(points: Floats, frame: CRS) -> list[float] | None:
    """Give west, south, east, north (WGS 84); west > east across the antimeridian, as in GeoJSON."""
    lon, lat = frames.transform(points, frame, frames.WGS84)[:, :2].T
    known = np.isfinite(lon)
    if not known.any():
        return None
    middle = lon[known][0]
    around = (lon[known] - middle + 180) % 360 - 180
    west, east = ((middle + side + 180) % 360 - 180 for side in (around.min(), around.max()))
    return [float(west), float(lat[known].min()), float(east), float(lat[known].max())]
