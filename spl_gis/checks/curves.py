"""Checks of the curve inside a segment."""

from __future__ import annotations

from typing import Callable

import numpy as np

from .. import bezier
from ..model import Bools, Floats, SplineGraph
from .codes import Finding
from .limits import Limits
from .measure import Measured
from .segments import of_segments

_STEPS = np.linspace(0.0, 1.0, 33)
_BATCH = 1 << 13
_STILL = 1e-3
"""A curve stops where it is slower than this part of its mean speed."""


def loops(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find curves that cross themselves in plan."""
    t, loop = self_crossings(measured.controls, limits)
    spots = bezier.evaluate(measured.controls[:, None], t)
    rise = np.abs(spots[:, 1, 2] - spots[:, 0, 2])
    message = "the curve crosses itself in plan, with {value:.2g} m of height between"
    return of_segments("loop", loop, spots[:, 0], rise, message)


def bends(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find cusps and tight curves; where a handle has no length, both are certain and nothing is said."""
    controls, length = measured.controls, measured.length
    firm = ~measured.void & (measured.handle > limits.coincident).all(axis=1)
    slow, speed = least(controls, _speed, length / 4)
    cusp = firm & (slow > 0.01) & (slow < 0.99) & (speed < _STILL * length)
    bent, radius = least(controls, _radius, 10 * limits.radius)
    tight = firm & ~cusp & (radius < limits.radius)
    stops = "the curve stops and turns round"
    return [
        *of_segments("cusp", cusp, bezier.evaluate(controls, slow), speed / np.maximum(length, 1e-9), stops),
        *of_segments(
            "tight-curve", tight, bezier.evaluate(controls, bent), radius, "the radius is {value:.2g} m"
        ),
    ]


def slopes(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find segments that climb steeply."""
    at, flatness = least(measured.controls, _flatness, 200 / limits.grade)
    grade = 100 / np.maximum(flatness, 1e-3)
    steep = ~measured.void & (grade > limits.grade)
    spots = bezier.evaluate(measured.controls, at)
    return of_segments("steep", steep, spots, grade, "the grade is {value:.0f} %")


def overshoots(graph: SplineGraph, measured: Measured, limits: Limits) -> list[Finding]:
    """Find curves that leave the neighbourhood of their chord."""
    controls = measured.controls
    chord = np.maximum(np.linalg.norm(controls[:, 3] - controls[:, 0], axis=1), limits.coincident)
    at, nearness = least(controls, _nearness, -limits.overshoot / 2 * chord)
    reach = -nearness / chord
    far = ~measured.void & (graph.ends[:, 0] != graph.ends[:, 1]) & (reach > limits.overshoot)
    message = "the curve leaves its chord by {value:.2g} times the chord's length"
    return of_segments("overshoot", far, bezier.evaluate(controls, at), reach, message)


def self_crossings(controls: Floats, limits: Limits) -> tuple[Floats, Bools]:
    """Find the two parameters at which each curve crosses itself in plan.

    With ``B(t) = a t**3 + b t**2 + c t + d``, two parameters of one place have the sum s and the product p
    for which ``a (s**2 - p) + b s + c = 0``: from its cross products with a and b follow s, and then p.

    Parameters
    ----------
    controls : ndarray, shape (M, 4, 3)
        Control points.
    limits : Limits
        Loops no longer than ``coincident`` are none.

    Returns
    -------
    t : ndarray, shape (M, 2)
        Parameters, the lower first; 0 where a curve does not cross itself.
    loop : ndarray of bool, shape (M,)
        Where it does. A closed curve that begins and ends in one place does not for that.
    """
    first, second, third = np.diff(controls[..., :2], axis=1).transpose(1, 0, 2)
    a, b, c = first - 2 * second + third, 3 * (second - first), 3 * first
    a_b, c_a, b_c = _cross(a, b), _cross(c, a), _cross(b, c)
    scale = np.abs(controls[:, 1:, :2] - controls[:, :1, :2]).max(axis=(1, 2), initial=0) ** 2
    bent = np.abs(a_b) > 1e-12 * scale
    total = np.divide(c_a, a_b, out=np.full(len(controls), np.nan), where=bent)
    product = total**2 - np.divide(b_c, a_b, out=np.zeros(len(controls)), where=bent)
    half = np.sqrt(np.maximum(total**2 / 4 - product, 0))
    both = np.stack([total / 2 - half, total / 2 + half], axis=1)
    whole = (both[:, 0] <= 1e-9) & (both[:, 1] >= 1 - 1e-9)
    inside = (both >= 0).all(axis=1) & (both <= 1).all(axis=1) & (half > 1e-6) & ~whole
    t = np.where(inside[:, None], both, 0.0)
    return t, inside & (bezier.length(bezier.subsegment(controls, *t.T)) > limits.coincident)


def _cross(u: Floats, v: Floats) -> Floats:
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def least(
    controls: Floats, measure: Callable[[Floats, Floats], Floats], worth: Floats | float
) -> tuple[Floats, Floats]:
    """Find where along each curve a measure is least, and how much it is there.

    It is looked at in 33 places, and where that is below `worth`, twice more in 33 places about the least:
    what is narrower than a 32nd of the parameter can be missed.

    Parameters
    ----------
    controls : ndarray, shape (M, 4, 3)
        Control points.
    measure : callable
        Gives the measure, shape (B, 33), of curves (B, 1, 4, 3) at parameters (B, 33).
    worth : ndarray, shape (M,), or float
        Measures above are not looked at closer.

    Returns
    -------
    t, value : ndarray, shape (M,)
        Parameters, and the measure there.
    """
    t, value = np.full(len(controls), 0.5), np.full(len(controls), np.inf)
    rows = np.arange(len(controls))
    for step in (1 / 2, 1 / 32, 1 / 512):
        for some in np.array_split(rows, len(rows) // _BATCH + 1):
            places = np.clip(t[some, None] + (2 * _STEPS - 1) * step, 0, 1)
            values = measure(controls[some, None], places)
            best = values.argmin(axis=1)[:, None]
            t[some] = np.take_along_axis(places, best, 1)[:, 0]
            value[some] = np.take_along_axis(values, best, 1)[:, 0]
        rows = np.flatnonzero(value < worth)
    return t, value


def _speed(curves: Floats, t: Floats) -> Floats:
    speed: Floats = np.linalg.norm(bezier.derivative(curves, t), axis=-1)
    return speed


def _radius(curves: Floats, t: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.minimum(1 / bezier.curvature(curves, t), 1e12)


def _flatness(curves: Floats, t: Floats) -> Floats:
    """Give plan length over height gained: the inverse of the grade."""
    way = np.abs(bezier.derivative(curves, t))
    plan = np.hypot(way[..., 0], way[..., 1])
    flatness: Floats = np.divide(
        plan, way[..., 2], out=np.full(plan.shape, 1e12), where=way[..., 2] > 1e-12 * plan
    )
    return flatness


def _nearness(curves: Floats, t: Floats) -> Floats:
    """Give the distance to the chord, taken negative."""
    start, chord = curves[..., 0, :], curves[..., 3, :] - curves[..., 0, :]
    offset = bezier.evaluate(curves, t) - start
    square = np.maximum((chord * chord).sum(axis=-1), np.finfo(float).tiny)
    share = np.clip((offset * chord).sum(axis=-1) / square, 0, 1)
    nearness: Floats = -np.linalg.norm(offset - share[..., None] * chord, axis=-1)
    return nearness
