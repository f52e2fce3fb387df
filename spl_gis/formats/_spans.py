"""Where source lines run along segments, in a sidecar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..matching import Match
from ..model import Ints, Spans
from ..report import Report


def spans_to_json(spans: Spans) -> dict[str, Any]:
    """Give spans as plain data."""
    return {
        "line": spans.line.tolist(),
        "segment": spans.segment.tolist(),
        "parameters": spans.parameters.tolist(),
    }


def spans_from_json(data: Mapping[str, Any], found: Match, line: Ints, report: Report) -> Spans:
    """Undo `spans_to_json` for the segments that are left.

    A segment that was changed no longer says where a line begins on it: it goes to the line at its start.

    Parameters
    ----------
    data : mapping
        What the sidecar holds.
    found : Match
        Which segment of the sidecar each segment is.
    line : ndarray of int
        Line at the start of each segment of the sidecar.
    report : Report
        Told how many lines have lost a part.

    Raises
    ------
    KeyError, ValueError, IndexError, GraphError
        When the data is something else.
    """
    spans = Spans(data["line"], data["segment"], np.reshape(data["parameters"], (-1, 2)))
    segment, changed = np.full(len(line), -1), np.zeros(len(line), bool)
    there = found.row >= 0
    segment[found.row[there]] = np.flatnonzero(there)
    changed[found.row[there]] = found.changed[there]
    touched = changed[spans.segment]
    kept = (segment[spans.segment] >= 0) & (~touched | (spans.line == line[spans.segment]))
    lost = np.unique(spans.line[~kept])
    if len(lost):
        report.warn(f"{len(lost)} lines have lost parts on segments that were changed or are gone")
    whole = np.where(spans.parameters[:, :1] < spans.parameters[:, 1:], [0.0, 1.0], [1.0, 0.0])
    parameters = np.where(touched[:, None], whole, spans.parameters)
    return Spans(spans.line, spans.segment, parameters).take(kept, segment)
