"""What smooth functions along segments cannot exceed, from a few samples."""

from __future__ import annotations

import functools
from typing import Callable

import numpy as np

from ..model import Floats, Ints

Sample = Callable[[Ints, Floats], Floats]
"""Gives the values, shape (R, T, 3), of the functions (R,) at parameters between 0 and 1, shape (T,)."""

_LAST = 64
"""Highest degree of the polynomials that functions are taken for."""
_FINER = 4
_BETWEEN = 1 / np.cos(np.pi / (2 * _FINER))
_SHARE = 0.1
_BATCH = 1 << 14


def bounds(sample: Sample, count: int, enough: float, degree: int = 8) -> Floats:
    """Give the largest size that each function has between 0 and 1, shape (count,), as an upper bound.

    Each function is sampled at the n + 1 extremes of a Chebyshev polynomial (n = `degree`), and taken for the
    polynomial through these samples. The bound is the sum of

    - the largest size of that polynomial, which is proved: a polynomial of degree n that is known at 4 n + 1
      such places exceeds the largest of these values by at most a factor of 1 / cos(pi/8) = 1.083
      (H. Ehlich and K. Zeller, Schwankung von Polynomen zwischen Gitterpunkten, Math. Z. 86, 1964; for
      vectors, take the component in the direction of the largest one);
    - twice the greater of its last two coefficients, for what the polynomial misses: at most twice the sum
      of all later coefficients. That is an estimate. It assumes that from one coefficient to the next the
      function's own at least halve, which analytic functions do that are sampled finely enough.

    Where the second part is more than a tenth of the first, and more than `enough`, n is doubled, up to 64.
    So a function with a kink or a step (at the seam of a datum grid) has a wide bound rather than a false
    one, unless all that is unsmooth falls between two samples.

    Parameters
    ----------
    sample : callable
        Gives values of some functions. They must be 0 at both ends, where they are not sampled.
    count : int
        How many functions there are.
    enough : float
        Uncertainty that does not matter.
    degree : int
        What to begin with: 4, 8, 16 or 32; two more than the functions have, but for what is small.

    Returns
    -------
    ndarray, shape (count,)
        Bounds; infinite where a value is not finite.
    """
    bound = np.empty(count)
    for start in range(0, count, _BATCH):
        rows, n = np.arange(start, min(start + _BATCH, count)), degree
        while len(rows) and n <= _LAST:
            peak, rest = _peaks(sample(rows, inner_nodes(n)), n)
            bound[rows] = peak + rest
            rows = rows[rest > np.maximum(_SHARE * peak, enough)]
            n *= 2
    return np.where(np.isnan(bound), np.inf, bound)


def inner_nodes(degree: int) -> Floats:
    """Give where functions are sampled, shape (degree - 1,): without the ends."""
    return (1 - np.cos(np.pi * np.arange(1, degree) / degree)) / 2


def _peaks(values: Floats, degree: int) -> tuple[Floats, Floats]:
    """Give the largest size of the polynomials through inner values (R, n - 1, 3), and what they may miss."""
    fine, last = _matrices(degree)
    sizes, tails = (np.square(matrix @ values).sum(-1).max(-1) for matrix in (fine, last))
    return _BETWEEN * np.sqrt(sizes), 2 * np.sqrt(tails)


@functools.cache
def _matrices(degree: int) -> tuple[Floats, Floats]:
    """Give what turns values at the inner nodes into those at finer places, and into the last coefficients.

    The coefficients are the discrete cosine transform of the values; those at the ends are 0.
    """
    node, order = np.arange(1, degree), np.arange(degree + 1)[:, None]
    coefficients = 2 / degree * np.cos(np.pi * order * node / degree)
    coefficients[[0, degree]] /= 2
    place = np.pi * np.arange(1, _FINER * degree)[:, None] / (_FINER * degree)
    return np.cos(place * order.T) @ coefficients, coefficients[-2:]
