"""Mathematics of cubic Bezier segments, given as control points ``(..., 4, D)``.

All functions take any leading dimensions, and parameters that broadcast with them: ``evaluate(controls,
0.5)`` gives the middles of all segments, ``evaluate(controls[:, None], np.linspace(0, 1, 9))`` nine places
on each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import OptionError

Floats = NDArray[np.float64]

LENGTH_ERROR = 1e-10
"""Relative error of arc lengths, see `length`."""
_PIECE_ERROR = 1e-12
"""Error allowed in each piece of an arc length, relative to the whole; there are some dozens of pieces."""
_BATCH = 1 << 15


def evaluate(controls: Floats, t: ArrayLike) -> Floats:
    """Give the places at the parameters `t`.

    Parameters
    ----------
    controls : ndarray, shape (..., 4, D)
        Control points.
    t : array-like, shape (...)
        Parameters, 0 at the start and 1 at the end; what lies outside extrapolates.

    Returns
    -------
    ndarray, shape (..., D)
        Places; exactly the first control point at 0 and the last at 1.
    """
    t = np.asarray(t, np.float64)[..., None]
    start, end = controls[..., 0, :], controls[..., 3, :]
    leg = np.diff(controls, axis=-2)
    bend = leg[..., 1, :] - leg[..., 0, :]
    cube = leg[..., 2, :] - leg[..., 1, :] - bend
    place: Floats = ((cube * t + 3 * bend) * t + 3 * leg[..., 0, :]) * t + start
    return np.where(t == 1, end, place)


def derivative(controls: Floats, t: ArrayLike, order: int = 1) -> Floats:
    """Give the derivative of that order, 1 to 3, with respect to the parameter, shape (..., D).

    The derivative of a Bezier curve is the Bezier curve of its differences, times its degree.
    """
    if order not in (1, 2, 3):
        raise OptionError(f"the derivative of a cubic has the order 1, 2 or 3, not {order!r}")
    points = (3.0, 6.0, 6.0)[order - 1] * np.diff(controls, order, axis=-2)
    return _blossom(points, *[np.asarray(t, np.float64)] * (3 - order)) + np.zeros((*np.shape(t), 1))


def split(controls: Floats, t: ArrayLike) -> tuple[Floats, Floats]:
    """Cut segments at `t` into two, each of shape (..., 4, D), that share their joint bit for bit."""
    return subsegment(controls, 0.0, t), subsegment(controls, t, 1.0)


def subsegment(controls: Floats, t0: ArrayLike, t1: ArrayLike) -> Floats:
    """Give the control points, shape (..., 4, D), of the part from `t0` to `t1`, backwards when t0 > t1.

    The control points of a part are the blossom of the curve at (t0, t0, t0), (t0, t0, t1), (t0, t1, t1) and
    (t1, t1, t1). (L. Ramshaw, Blossoms are polar forms, CAGD 6, 1989.) Ends at 0 and 1 stay bit for bit.
    """
    a, b = np.broadcast_arrays(np.asarray(t0, np.float64), np.asarray(t1, np.float64))
    corners = [_blossom(controls, *at) for at in ((a, a, a), (a, a, b), (a, b, b), (b, b, b))]
    return np.stack(np.broadcast_arrays(*corners), axis=-2)


def length(controls: Floats) -> Floats:
    """Give arc lengths, shape (...), with a relative error below `LENGTH_ERROR`.

    Gauss-Legendre quadrature of the speed with 16 nodes. A piece is halved, and its halves are judged anew,

    - when 10 nodes give a result that differs by more than 1e-12 of the whole segment, or
    - when its velocities spread over more than a right angle, so that a cusp may hide between two nodes,

    until even its greatest speed could not change the result by 1e-12 of the whole. A piece with a narrower
    spread is never slower than its slowest velocity control point over the root of 3. The first rule
    estimates the error (that of the 10 nodes, which is far above that of the 16), the last one proves it.

    Parameters
    ----------
    controls : ndarray, shape (..., 4, D)
        Control points in m.

    Returns
    -------
    ndarray, shape (...)
        Lengths in m.
    """
    legs = 3 * np.diff(controls, axis=-2)
    flat = legs.reshape(-1, *legs.shape[-2:])
    parts = [_arc(flat[i : i + _BATCH]) for i in range(0, len(flat), _BATCH)]
    return np.concatenate([np.zeros(0), *parts]).reshape(legs.shape[:-2])


def parameter_at(controls: Floats, fraction: ArrayLike) -> Floats:
    """Give the parameters at which that fraction, 0 to 1, of the arc length lies behind.

    Newton's method on the arc length, inside a bracket that is halved when a step leaves it (the speed is
    zero at a cusp); done when the length is met to 1e-12 of the whole. A segment without length gives the
    fraction.

    Parameters
    ----------
    controls : ndarray, shape (..., 4, D)
        Control points.
    fraction : array-like, shape (...)
        Fractions of the arc length; broadcasts with the segments.

    Returns
    -------
    ndarray, shape (...)
        Parameters.

    Raises
    ------
    OptionError
        When a fraction does not lie between 0 and 1.
    """
    fraction = np.asarray(fraction, np.float64)
    if not ((fraction >= 0) & (fraction <= 1)).all():
        raise OptionError("a fraction of a length lies between 0 and 1")
    legs = 3 * np.diff(controls, axis=-2)
    shape = np.broadcast_shapes(legs.shape[:-2], fraction.shape)
    whole = np.broadcast_to(length(controls), shape).ravel()
    wanted = np.broadcast_to(fraction, shape).ravel()
    legs = np.broadcast_to(legs, (*shape, *legs.shape[-2:])).reshape(-1, *legs.shape[-2:])
    return _invert(legs, whole, wanted).reshape(shape)


def bounds(controls: Floats) -> Floats:
    """Give the tight bounding boxes, shape (..., 2, D): least and greatest coordinates of the curves.

    The extremes of a coordinate are at the ends or where it turns back.
    """
    ends = np.broadcast_to([[0.0], [1.0]], (*controls.shape[:-2], 2, controls.shape[-1]))
    at = np.moveaxis(np.concatenate([ends, extremes(controls)], axis=-2), -2, -1)
    # one coordinate at a time: each has its own extremes
    places: Floats = evaluate(np.moveaxis(controls, -1, -2)[..., None, :, None], at)[..., 0]
    return np.stack([places.min(-1), places.max(-1)], axis=-2)


def extremes(controls: Floats) -> Floats:
    """Give the parameters, shape (..., 2, D), where each coordinate turns back; 0 or 1 where it does not.

    They are the roots between 0 and 1 of its derivative, a quadratic polynomial, in the form that loses no
    digits.
    """
    first, second, third = np.moveaxis(np.diff(controls, axis=-2), -2, 0)
    a, b, c = first - 2 * second + third, second - first, first  # a t**2 + 2 b t + c
    q = -(b + np.copysign(np.sqrt(np.maximum(b * b - a * c, 0)), b))
    one = np.divide(q, a, out=np.zeros_like(q), where=(np.abs(q) <= np.abs(a)) & (a != 0))
    other = np.divide(c, q, out=np.zeros_like(q), where=(np.abs(c) <= np.abs(q)) & (q != 0))
    both: Floats = np.clip(np.stack([one, other], axis=-2), 0, 1)
    return both


def curvature(controls: Floats, t: ArrayLike) -> Floats:
    """Give the curvature in space in 1/m, shape (...): ``|B' x B''| / |B'|**3``, without a sign.

    Where the derivative is zero (a handle without length at an end, a cusp) it is the limit: infinity, or 0
    where the curve is straight there.
    """
    first, second = derivative(controls, t), derivative(controls, t, 2)
    speed = np.sqrt((first * first).sum(-1))
    still = speed == 0
    # at rest the curve leaves as t**2 B''/2 + t**3 B'''/6, and its curvature grows as |B'' x B'''| / t
    turning: Floats = np.where(still, _across(second, derivative(controls, t, 3)), _across(first, second))
    bent: Floats = np.where(still & (turning > 0), np.inf, 0.0)
    np.divide(turning, speed**3, out=bent, where=~still)
    return bent


def least_radius(controls: Floats, places: int = 9) -> Floats:
    """Give the least radius of curvature in plan, shape (S,): at `places` even parameters, ends included.

    Infinity where a segment is straight in plan at all of them; those where it stands still are left out.
    """
    t = np.linspace(0.0, 1.0, places)
    one, two, three = 3 * (1 - t) ** 2, 6 * (1 - t) * t, 3 * t**2
    plan = np.diff(controls[..., :2], axis=1).transpose(2, 1, 0)  # legs, axis first: one product for all
    weights = np.stack([one, two, three])
    bends = np.stack([-6 * (1 - t), 6 - 12 * t, 6 * t])
    (vx, vy), (ax, ay) = (np.einsum("akm,kt->atm", plan, w, optimize=True) for w in (weights, bends))
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.hypot(vx, vy) ** 3 / np.abs(vx * ay - vy * ax)
    return np.asarray(np.where(np.isnan(radius), np.inf, radius).min(axis=0))


def up_between(ups: Floats, t: ArrayLike) -> Floats:
    """Give the up vectors between the ends of segments as the engine does.

    The start's vector is rotated into the end's about their cross product, by an angle that grows linearly
    with the raw parameter. Equal vectors stay; opposite ones have no cross product and turn about the
    coordinate axis (made perpendicular) that is farthest from them.

    Parameters
    ----------
    ups : ndarray, shape (..., 2, 3)
        Unit vectors at start and end.
    t : array-like, shape (...)
        Parameters, 0 to 1.

    Returns
    -------
    ndarray, shape (..., 3)
        Unit vectors; exactly those given at 0 and 1.
    """
    start, end = ups[..., 0, :], ups[..., 1, :]
    axis = np.cross(start, end)
    sine = np.sqrt((axis * axis).sum(-1, keepdims=True))
    cosine = (start * end).sum(-1, keepdims=True)
    farthest = np.eye(3)[np.abs(start).argmin(-1)]
    axis = np.where((sine == 0) & (cosine < 0), np.cross(start, farthest), axis)
    size = np.sqrt((axis * axis).sum(-1, keepdims=True))
    sideways = np.cross(axis, start) / np.where(size == 0, 1.0, size)
    t = np.asarray(t, np.float64)[..., None]
    angle = np.arctan2(sine, cosine) * t
    turned: Floats = np.cos(angle) * start + np.sin(angle) * sideways
    return np.where(t == 1, end, turned)


def _blossom(points: Floats, *parameters: Floats) -> Floats:
    """Give the blossom of a Bezier curve of any degree: de Casteljau's steps, each at its own parameter."""
    for t in parameters:
        a, b = points[..., :-1, :], points[..., 1:, :]
        s = t[..., None, None]
        # from the nearer end: exact at both, and the same for a curve and its reverse
        points = np.where(s < 0.5, a + (b - a) * s, b - (b - a) * (1 - s))
    return points[..., 0, :]


def _arc(legs: Floats) -> Floats:
    """Give arc lengths (S,) of curves whose derivatives have the control points (S, 3, D)."""
    total = np.zeros(len(legs))
    owner = np.arange(len(legs))
    whole = None
    while len(owner):
        inner = _inner_products(legs)
        coarse, fine = (np.sqrt(np.maximum(inner @ basis, 0)) @ weights for basis, weights in _RULES)
        whole = fine if whole is None else whole
        allowed = _PIECE_ERROR * whole[owner]
        smooth = (inner >= 0).all(-1) & ~(np.abs(fine - coarse) > allowed)
        done = smooth | ~(np.sqrt(inner[:, :3].max(-1)) > allowed)
        total += np.bincount(owner[done], fine[done], len(total))
        legs, owner = legs[~done], np.tile(owner[~done], 2)
        half = np.full(len(legs), 0.5)
        legs = np.concatenate([_first_part(legs, half), _first_part(legs[:, ::-1], half)])
    return total


def _first_part(legs: Floats, t: Floats) -> Floats:
    """Give the derivative (S, 3, D) of the part from 0 to `t` of curves, taken as curves from 0 to 1."""
    t = t[:, None]
    first, second, third = legs[:, 0], legs[:, 1], legs[:, 2]
    middle = first + (second - first) * t
    end = middle + (second + (third - second) * t - middle) * t
    return np.stack([first, middle, end], axis=1) * t[..., None]


def _inner_products(legs: Floats) -> Floats:
    """Give the inner products 00, 11, 22, 01, 02, 12 of the legs (S, 3, D) of each curve."""
    gram: Floats = legs @ np.swapaxes(legs, -1, -2)
    return gram[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def _rule(order: int) -> tuple[Floats, Floats]:
    """Give what turns inner products into squared speeds at the nodes, (6, order), and the weights."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    t = (nodes + 1) / 2
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
    return np.stack([a * a, b * b, c * c, 2 * a * b, 2 * a * c, 2 * b * c]), weights / 2


_RULES = (_rule(10), _rule(16))


def _invert(legs: Floats, whole: Floats, wanted: Floats) -> Floats:
    """Find the parameters (S,) where the arc length of curves is that part of the whole."""
    low, high, t = np.zeros(len(legs)), np.ones(len(legs)), wanted.copy()
    todo = np.flatnonzero((whole > 0) & (wanted > 0) & (wanted < 1))
    for step in range(70):  # twelve steps of Newton, then more halvings than a double has digits
        at = t[todo]
        part = _first_part(legs[todo], at)
        excess = _arc(part) - wanted[todo] * whole[todo]
        far = np.abs(excess) > _PIECE_ERROR * whole[todo]
        todo, at, excess, speed = todo[far], at[far], excess[far], part[far, 2] / at[far, None]
        if not len(todo):
            break
        low[todo] = np.where(excess < 0, at, low[todo])
        high[todo] = np.where(excess > 0, at, high[todo])
        t[todo] = _next(low[todo], high[todo], at, excess, speed if step < 12 else 0 * speed)
    return t


def _next(low: Floats, high: Floats, at: Floats, excess: Floats, velocity: Floats) -> Floats:
    """Give Newton's next parameters, or the middles of the brackets where Newton's lie outside."""
    speed = np.sqrt((velocity * velocity).sum(-1))
    newton = at - np.divide(excess, speed, out=np.full(len(at), np.inf), where=speed > np.abs(excess))
    return np.where((newton > low) & (newton < high), newton, (low + high) / 2)


def _across(a: Floats, b: Floats) -> Floats:
    """Give the area between vectors of any dimension: the size of their cross product."""
    i, j = np.triu_indices(a.shape[-1], 1)
    minors = a[..., i] * b[..., j] - a[..., j] * b[..., i]
    area: Floats = np.sqrt((minors * minors).sum(-1))
    return area
