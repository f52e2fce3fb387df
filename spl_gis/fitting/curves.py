"""What every fit method takes and gives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import FitError
from ..model import Bools, Floats, Ints
from ..report import Progress, silent


@dataclass(frozen=True)
class FitOptions:
    """What a fit may do; all lengths in metres of the scene.

    Attributes
    ----------
    tolerance : float
        Greatest distance from a vertex to the curve, and from the curve to the polyline beyond its stated
        bulge.
    z_tolerance : float, optional
        The same for heights; default `tolerance`.
    bulge : float
        How much further the curve may leave the polyline between vertices that imply an arc; 0 = none.
    corner : float, optional
        Vertices that turn by more than so many degrees are corners, and no others; default: by turn and bulge
        (`spl_gis.fitting.corners`).
    max_length : float, optional
        Segments longer than this are cut into equally long parts, without a change of the curve.
    seconds : float, optional
        After this time no more segments are saved.
    progress : Progress
        Told how far the fit is; may raise to cancel it.
    """

    tolerance: float = 0.1
    z_tolerance: float | None = None
    bulge: float = 1.0
    corner: float | None = None
    max_length: float | None = None
    seconds: float | None = None
    progress: Progress = silent

    def __post_init__(self) -> None:
        for name in ("tolerance", "z_tolerance", "max_length"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise FitError(f"{name} must be a length above 0 m, not {value!r}")
        if not 0 <= self.bulge < math.inf:
            raise FitError(f"bulge must be a length of 0 m or more, not {self.bulge!r}")
        if self.corner is not None and not 0 <= self.corner <= 180:
            raise FitError(f"corner must be an angle from 0 to 180 degrees, not {self.corner!r}")

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
        Piece ``i`` became the segments ``controls[offsets[i]:offsets[i + 1]]``; a polyline without stops is
        one piece.
    places : ndarray, shape (K,)
        Where on the curve each vertex is: segment + parameter.
    vertex_deviation, curve_deviation : ndarray, shape (C,), optional
        Of each piece, from methods that prove it: no vertex is further from the curve, and no place of the
        curve further from its edge, in metres, heights scaled to the tolerance.
    height_deviation : ndarray, shape (C,), optional
        Of each piece that was laid on the ground: how far it is from its profile [m] at most.
    """

    controls: Floats
    offsets: Ints
    places: Floats
    vertex_deviation: Floats | None = None
    curve_deviation: Floats | None = None
    height_deviation: Floats | None = None


def batches(offsets: Ints, size: int) -> Iterator[tuple[slice, Ints, slice]]:
    """Cut polylines into batches of some `size` vertices; without any there is one empty batch.

    Yields
    ------
    tuple
        The vertices of a batch, the offsets of its polylines among them, and its polylines.
    """
    cuts = np.unique(np.searchsorted(offsets, np.arange(0, max(offsets[-1], 1), size)))
    for first, last in zip(cuts, np.append(cuts[1:], len(offsets) - 1)):
        low, high = offsets[first], offsets[last]
        yield slice(low, high), offsets[first : last + 1] - low, slice(first, last)


def joined(parts: Sequence[Curves]) -> Curves:
    """Put the curves of batches one after the other."""
    if len(parts) == 1:
        return parts[0]
    before = np.cumsum([0, *(part.offsets[-1] for part in parts)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, before)]
    return Curves(
        np.concatenate([part.controls for part in parts]),
        np.append(np.concatenate(offsets), before[-1]),
        np.concatenate([part.places + start for part, start in zip(parts, before)]),
        _stated([part.vertex_deviation for part in parts]),
        _stated([part.curve_deviation for part in parts]),
        _stated([part.height_deviation for part in parts]),
    )


def _stated(deviations: Sequence[Floats | None]) -> Floats | None:
    known = [deviation for deviation in deviations if deviation is not None]
    return np.concatenate(known) if len(known) == len(deviations) else None


def piece_starts(offsets: Ints, stops: Bools) -> Bools:
    """Say which vertices, shape (K,), begin a piece: the first of each polyline, and the stops inside."""
    starts = stops.copy()
    starts[offsets[:-1]] = True
    starts[offsets[1:] - 1] = False
    return starts


def one_for_each_edge(controls: Floats, offsets: Ints, stops: Bools) -> Curves:
    """Give the curves of a method that makes one segment of each edge."""
    edge = np.ones(len(stops), np.int64)
    edge[offsets[1:] - 1] = 0
    starts = np.flatnonzero(piece_starts(offsets, stops))
    before = np.append(0, np.cumsum(edge))
    return Curves(controls, before[np.append(starts, len(stops))], before[:-1].astype(np.float64))
