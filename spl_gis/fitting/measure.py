"""How far curves with one segment for each edge are from their polylines."""

from __future__ import annotations

import numpy as np

from .curves import Curves
from .proof import ROUNDING, Ledger, Pieces
from .witness import in_metric


def measured(curves: Curves) -> Curves:
    """State the deviations of the curves of a method that makes one segment of each edge.

    The bounds are those of the certificate (`proof.bounds`), with its precision. Which edge a segment belongs
    to is known here, and one greatest value a piece is wanted: so only what may be the greatest of its piece
    is looked at closely.

    Parameters
    ----------
    curves : Curves
        What the method made: segments whose joints are the vertices.
    """
    rows = 3 if curves.controls[..., 2].any() else 2
    ends = [in_metric(curves.controls[:, place], rows, 1.0) for place in range(4)]
    along = ends[3] - ends[0]
    length = np.sqrt((along * along).sum(axis=0))
    along /= np.where(length > 0, length, 1.0)
    frame = np.zeros((4, 1 + rows, len(length)))
    frame[3, 0] = length
    for place in (1, 2):
        away = ends[place] - ends[0]
        (away * along).sum(axis=0, out=frame[place, 0])
        np.subtract(away, frame[place, 0] * along, out=frame[place, 1:])
    slack = ROUNDING * (np.abs(frame).max(axis=(0, 1)) + length)
    everywhere = np.ones(len(length), bool)
    owner = np.repeat(np.arange(len(curves.offsets) - 1), np.diff(curves.offsets))
    ledger = Ledger(len(curves.offsets) - 1, np.inf, tight=True)
    ledger.enter(Pieces(owner, frame, length, np.zeros(len(length)), slack), everywhere, everywhere)
    ledger.close()
    return curves._replace(vertex_deviation=ledger.vertex, curve_deviation=ledger.deviation)
