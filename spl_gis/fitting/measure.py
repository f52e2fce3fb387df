"""How far curves with one segment for each edge are from their polylines."""

from __future__ import annotations

import numpy as np

from ..model import Floats, Ints
from .curves import Curves
from .proof import Ledger, beside
from .witness import cubics, in_metric


def measured(curves: Curves, coords: Floats, offsets: Ints) -> Curves:
    """State the deviations of the curves of a method that makes one segment of each edge.

    The bounds are those of the certificate (`proof.bounds`), with its precision. Which edge a segment belongs
    to is known here, and one greatest value a piece is wanted: so only what may be the greatest of its piece
    is looked at closely.

    Parameters
    ----------
    curves : Curves
        What the method made: segments whose joints are the vertices.
    coords, offsets
        As in `spl_gis.fitting.fit`.
    """
    edge = np.ones(len(coords), bool)
    edge[offsets[1:] - 1] = False
    start = np.flatnonzero(edge)
    rows = 3 if coords[:, 2].any() or curves.controls[:, :, 2].any() else 2
    vertices, zero, one = in_metric(coords, rows, 1.0), np.zeros(len(start)), np.ones(len(start))
    curve, segment = cubics(curves.controls, rows, 1.0), np.arange(len(start))
    ends = np.take(vertices, start, axis=1), np.take(vertices, start + 1, axis=1)
    pieces = beside(*ends, curve, segment, zero, one, zero)
    owner = np.repeat(np.arange(len(curves.offsets) - 1), np.diff(curves.offsets))
    ledger = Ledger(len(curves.offsets) - 1, np.inf, tight=True)
    ledger.enter(pieces._replace(seg=owner), one > 0, one > 0)
    ledger.close()
    return curves._replace(vertex_deviation=ledger.vertex, curve_deviation=ledger.deviation)
