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
    z_tolerance : float, optional
        The same for heights; default `tolerance`.
    bulge : float
        How much further the curve may leave the polyline between vertices that imply an arc; 0 = none.
    progress : Progress
        Told how far the fit is; may raise to cancel it.
    """

    tolerance: float = 0.1
    z_tolerance: float | None = None
    bulge: float = 1.0
    progress: Progress = silent

    @property
    def z_scale(self) -> float:
        """What heights are multiplied by, so that one tolerance does for all axes."""
        return 1.0 if self.z_tolerance is None else self.tolerance / self.z_tolerance


class Curves(NamedTuple):
    """Fitted segments.

    Attributes
    ----------
    controls : ndarray, shape (S, 4, 3)
        Control points of all segments.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` became the segments ``controls[offsets[i]:offsets[i + 1]]``.
    vertex_deviation, curve_deviation : ndarray, shape (C,), optional
        Of each polyline, from methods that prove it: no vertex is further from the curve, and no place of the
        curve further from its edge, in metres, heights scaled to the tolerance.
    """

    controls: Floats
    offsets: Ints
    vertex_deviation: Floats | None = None
    curve_deviation: Floats | None = None
