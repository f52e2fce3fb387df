"""The images of segments under a map: how far a segment is from one, and the best handles for it."""

from __future__ import annotations

from typing import Callable

import numpy as np

from .. import bezier
from ..model import Floats, Ints
from .bounded import bounds, inner_nodes

Move = Callable[[Floats], Floats]
"""Moves places, shape (K, 3)."""

_DEGREE = 16
_ROUNDS = 12
_MOST = 4.0
"""Factor by which a refitted handle may be longer or shorter than it was."""


def deviations(old: Floats, new: Floats, move: Move, enough: float) -> Floats:
    """Give how far segments can be from the images of others, shape (S,): a bound, see `bounded.bounds`.

    The image of a Bezier segment under a map is no Bezier segment. For the image ``G(t)`` of the old segment
    and the new segment ``N``, the size of ``G(t) - N(s(t))`` is bounded for all t, where ``s(t)`` is near
    the parameter of the nearest place: t itself, and a step of Newton's method. As s is continuous, 0 at
    0 and 1 at 1, each place of either curve has one of the other within the bound: it holds for the Hausdorff
    distance, in 3D. Assumed is what `bounds` says of sampled functions.

    Parameters
    ----------
    old : ndarray, shape (S, 4, 3)
        Control points before, in the units of the map's source.
    new : ndarray, shape (S, 4, 3)
        Control points of the segments that stand for their images, in m, with exactly the images' ends.
    move : callable
        The map.
    enough : float
        Uncertainty [m] that does not matter.
    """

    def sample(rows: Ints, t: Floats) -> Floats:
        image = _images(old[rows], t, move)
        curves = new[rows, None]
        return image - bezier.evaluate(curves, _feet(curves, image, t, 1))

    return bounds(sample, len(old), enough)


def refitted(old: Floats, new: Floats, move: Move) -> Floats:
    """Give segments other handles, in the same directions, that bring them nearer to the images of others.

    Both lengths at once by least squares of the distances across the curve, at the feet of 15 places of the
    image (Gauss-Newton: with the lengths the feet move). The directions are the true ones at the ends
    already, so joints that are smooth stay smooth.

    Parameters
    ----------
    old, new, move
        As in `deviations`.

    Returns
    -------
    ndarray, shape (S, 4, 3)
        Control points; no handle is more than four times longer or shorter than it was.
    """
    t = inner_nodes(_DEGREE)
    image = _images(old, t, move)
    handles = np.stack([new[:, 1] - new[:, 0], new[:, 2] - new[:, 3]], axis=1)
    factor, fitted = np.ones((len(new), 2)), new.copy()
    for _ in range(_ROUNDS):
        feet = _feet(fitted[:, None], image, t, 1)
        factor = np.clip(factor + _step(fitted, handles, image, feet), 1 / _MOST, _MOST)
        fitted[:, 1] = new[:, 0] + factor[:, :1] * handles[:, 0]
        fitted[:, 2] = new[:, 3] + factor[:, 1:] * handles[:, 1]
    return fitted


def _images(controls: Floats, t: Floats, move: Move) -> Floats:
    """Give the images, shape (S, T, 3), of the places at t."""
    places = bezier.evaluate(controls[:, None], t)
    return move(places.reshape(-1, 3)).reshape(places.shape)


def _feet(curves: Floats, places: Floats, t: Floats, steps: int) -> Floats:
    """Give the parameters, shape (S, T), near those of the curves' nearest places, starting from t."""
    for _ in range(steps):
        velocity = bezier.derivative(curves, t)
        along = (velocity * (places - bezier.evaluate(curves, t))).sum(-1)
        square = (velocity * velocity).sum(-1)
        t = np.clip(t + np.divide(along, square, out=np.zeros_like(along), where=square > 0), 0.0, 1.0)
    return t


def _step(curves: Floats, handles: Floats, places: Floats, feet: Floats) -> Floats:
    """Give by what, shape (S, 2), to change the factors of both handles."""
    velocity = bezier.derivative(curves[:, None], feet)
    size = np.sqrt((velocity * velocity).sum(-1, keepdims=True))
    axis = velocity / np.where(size == 0, 1.0, size)
    weights = np.stack([3 * feet * (1 - feet) ** 2, 3 * feet**2 * (1 - feet)], axis=2)
    sides = weights[..., None] * handles[:, None]
    sides -= (sides * axis[:, :, None]).sum(-1, keepdims=True) * axis[:, :, None]
    miss = places - bezier.evaluate(curves[:, None], feet)  # at a foot it has no part along the curve
    square = np.einsum("stic,stjc->sij", sides, sides)
    wanted = np.einsum("stic,stc->si", sides, miss)
    damped = square + 1e-9 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(2)
    straight = ~(np.abs(np.linalg.det(damped)) > 0)  # handles along the curve cannot bend it
    damped[straight] = np.eye(2)
    solved: Floats = np.linalg.solve(damped, wanted[..., None])[..., 0]
    solved[straight] = 0.0
    return solved
