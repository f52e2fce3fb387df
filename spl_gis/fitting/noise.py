"""How noisy the vertices of a layer are: fits follow what is above the tolerance, segment by segment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .chains import length

SHARE = 1 / 3
"""Noise above this part of the tolerance is worth a warning: the number of segments explodes."""
FEWEST = 50
"""Fewer vertices than this tell nothing."""
_MEDIAN = 0.322
"""Median of the negative product of neighbouring residuals of unit noise (from 4 million random ones).

In plan, too: noise along the line moves the length with it and leaves no residual.
"""


class Noise(NamedTuple):
    """Standard deviations of what is random in the vertices, in metres; 0 where too few vertices tell.

    Attributes
    ----------
    plan : float
        Of x and of y.
    height : float
        Of z.
    """

    plan: float
    height: float


def noise(coords: Floats, offsets: Ints) -> Noise:
    """Estimate the noise of a layer from how its vertices leave the cubics through their neighbours.

    A vertex is compared with the cubic through the two before and the two after it, over the length in
    plan. Noise makes the residuals of neighbouring vertices opposite, while bends that are sampled too
    coarsely do not: so the median of their negative product is taken, which a few corners do not disturb
    either.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices in metres.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``.

    Returns
    -------
    Noise
    """
    residuals, alone = _residuals(coords, offsets)
    pair = ~alone[1:] & ~alone[:-1]
    if pair.sum() < FEWEST:
        return Noise(0.0, 0.0)
    product = -(residuals[:, 1:] * residuals[:, :-1])[:, pair]
    square = np.array([np.median(product[:2].sum(axis=0)), np.median(product[2])]) / _MEDIAN
    plan, height = np.sqrt(np.maximum(square, 0.0)).tolist()
    return Noise(plan, height)


def advice(found: Noise, tolerance: float, z_tolerance: float | None) -> str | None:
    """Say which tolerances would suit when the noise is above a third of them, or nothing."""
    words = []
    for name, sigma, limit in (
        ("tolerance", found.plan, tolerance),
        ("z-tolerance", found.height, tolerance if z_tolerance is None else z_tolerance),
    ):
        if sigma > SHARE * limit:
            words.append(
                f"{sigma:.2g} m for a {name} of {limit:g} m (a {name} of {3 * sigma:.2g} m would suit)"
            )
    if not words:
        return None
    return f"the vertices are noisy, which costs many segments: about {' and '.join(words)}"


def _residuals(coords: Floats, offsets: Ints) -> tuple[Floats, Bools]:
    """Give residuals of unit variance, shape (3, K - 4), of inner vertices; and which of them are none."""
    points = (coords - np.repeat(coords[offsets[:-1]], np.diff(offsets), axis=0)).T
    step = length(np.diff(points[:2], axis=1))
    arc = np.append(0.0, np.cumsum(step))
    count = max(len(coords) - 4, 0)
    at = np.stack([arc[k : k + count] for k in (0, 1, 3, 4)]) - arc[2 : 2 + count]
    polyline = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    still = np.stack([step[k : k + count] for k in range(4)]).min(axis=0) <= 0
    alone = (polyline[:count] != polyline[4 : 4 + count]) | still
    residual, power = points[:, 2 : 2 + count].copy(), np.ones(count)
    for row, k in enumerate((0, 1, 3, 4)):
        others = [at[other] for other in range(4) if other != row]
        weight = np.ones(count)
        for other in others:
            weight *= -other / np.where(alone, 1.0, at[row] - other)
        residual -= weight * points[:, k : k + count]
        power += weight * weight
    return np.where(alone, 0.0, residual / np.sqrt(power)), alone
