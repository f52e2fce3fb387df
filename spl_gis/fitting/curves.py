"""What every fit method takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..model import Floats, Ints
from ..report import Progress, silent


@dataclass(frozen=True)
class FitOptions:
    """What a fit may do; all lengths in metres of the scene.

    Attributes
    ----------
    tolerance : float
        Greatest distance from a vertex to the curve, and from the curve to the polyline beyond its stated bulge.
    progress : Progress
        Told how far the fit is; may raise to cancel it.
    """

    tolerance: float = 0.1
    progress: Progress = silent


class Curves(NamedTuple):
    """Fitted segments.

    Attributes
    ----------
    controls : ndarray, shape (S, 4, 3)
        Control points of all segments.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` became the segments ``controls[offsets[i]:offsets[i + 1]]``.
    """

    controls: Floats
    offsets: Ints
