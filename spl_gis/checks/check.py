"""All checks of a graph."""

from __future__ import annotations

from ..model import SplineGraph
from ..report import Progress, silent
from . import curves, meetings, points, segments, ups
from .codes import Finding, in_order
from .limits import Limits
from .measure import measure
from .numbers import infinite

CHECKS = (
    segments.handles,
    segments.sizes,
    segments.duplicates,
    curves.loops,
    curves.bends,
    curves.slopes,
    curves.overshoots,
    points.unreferenced,
    points.unwelded,
    points.kinks,
    points.far,
    ups.ups,
    ups.flips,
    meetings.meetings,
)


def check(graph: SplineGraph, limits: Limits | None = None, *, progress: Progress = silent) -> list[Finding]:
    """Find what is wrong with a graph.

    Parameters
    ----------
    graph : SplineGraph
        Any graph; it need not have a place on Earth.
    limits : Limits, optional
        From where on something is worth a finding.
    progress : Progress
        Told how far the checks are; may raise to cancel them.

    Returns
    -------
    list of Finding
        Errors first, then warnings, then notes; each in the order of the file. `CODES` says what each code
        means in the engine, and what to do. Numbers that are infinite in float32 are found alone: nothing can
        be computed with them.

    Raises
    ------
    OptionError
        When a limit is not a positive number.

    Examples
    --------
    >>> import spl_gis
    >>> graph = spl_gis.spline_graph([[0, 0, 0], [9, 0, 0]], [[0, 1]], [[[3, 0, 0], [0, 0, 0]]])
    >>> [(found.code, found.path) for found in spl_gis.check(graph)]
    [('zero-handle', '$.segments[0].end_tangent')]
    """
    limits = Limits() if limits is None else limits
    broken = infinite(graph)
    if broken:
        return in_order(broken)
    measured = measure(graph, limits)
    found: list[Finding] = []
    for number, one in enumerate(CHECKS):
        progress(number / len(CHECKS), "checking")
        found += one(graph, measured, limits)
    progress(1.0, "checking")
    return in_order(found)
