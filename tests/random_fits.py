"""Random polylines with curves that nearly fit them, each brought to the brink of failing its certificate."""

from __future__ import annotations

from typing import NamedTuple

import brute_force
import numpy as np

from spl_gis.fitting.allowance import allowance
from spl_gis.fitting.certificate import certify


class Fits(NamedTuple):
    """Polylines, their curves, the parameters that the vertices were made from, and allowances."""

    coords: np.ndarray
    offsets: np.ndarray
    controls: np.ndarray
    curve_offsets: np.ndarray
    parameters: np.ndarray
    allowance: np.ndarray

    def scaled(self, factor):
        """Give the fits with each polyline and its curve and allowances enlarged by its factor (C,)."""
        vertices = np.repeat(factor, np.diff(self.offsets))
        segments = np.repeat(factor, np.diff(self.curve_offsets))
        return self._replace(
            coords=self.coords * vertices[:, None],
            controls=self.controls * segments[:, None, None],
            allowance=self.allowance * vertices,
        )

    def certified(self, tolerance, with_parameters):
        """Tell for each polyline (C,) whether all its segments pass."""
        verdict = certify(
            *self[:4],
            self.allowance,
            tolerance,
            parameters=self.parameters if with_parameters else None,
        )
        return np.logical_and.reduceat(verdict.passed, self.curve_offsets[:-1])

    def admitted(self, tolerance):
        """Tell for each polyline (C,) what brute force finds."""
        return brute_force.admits(*self[:4], self.allowance, tolerance)


def random_fits(rng, polylines, flat=True):
    """Make random fits of all kinds: smooth, noisy, coarse, and with spoilt handles, vertices and orders."""
    made = [_random_fit(rng, flat) for _ in range(polylines)]
    coords, controls, parameters = ([fit[i] for fit in made] for i in range(3))
    offsets = np.cumsum([0, *map(len, coords)])
    curve_offsets = np.cumsum([0, *map(len, controls)])
    u = np.concatenate([u + shift for u, shift in zip(parameters, curve_offsets)])
    vertices = np.concatenate(coords)
    extra = allowance(vertices, offsets, np.zeros(polylines, bool), rng.choice([0.0, 1.0, 5.0]))
    return Fits(vertices, offsets, np.concatenate(controls), curve_offsets, u, extra)


def on_the_brink(fits, with_parameters, steps=22):
    """Scale each polyline by the greatest factor with which it passes at tolerance 1, by bisection."""
    low, high = np.full(len(fits.offsets) - 1, 1e-4), np.full(len(fits.offsets) - 1, 1e4)
    for _ in range(steps):
        middle = np.sqrt(low * high)
        passes = fits.scaled(middle).certified(1.0, with_parameters)
        low, high = np.where(passes, middle, low), np.where(passes, high, middle)
    return fits.scaled(low)


def duel(seed, polylines, flat=True, with_parameters=True):
    """Let certificate and brute force judge random fits on the brink.

    Returns the number of segments, and of polylines that pass though brute force finds no witness.
    """
    fits = on_the_brink(random_fits(np.random.default_rng(seed), polylines, flat), with_parameters)
    wrong = fits.certified(1.0, with_parameters) & ~fits.admitted(1 + 1e-9)
    return len(fits.controls), int(wrong.sum())


def strictness(seed, polylines, flat=True, with_parameters=True):
    """Give the shares of fits for which the certificate needs 1 %, and 50 %, more than brute force.

    Only polylines wider than ten tolerances count: with less, almost everything is within tolerance of
    everything.
    """
    fits = on_the_brink(random_fits(np.random.default_rng(seed), polylines, flat), with_parameters)
    high, low = (way.reduceat(fits.coords, fits.offsets[:-1], axis=0) for way in (np.maximum, np.minimum))
    wide = (high - low).max(axis=1) > 10
    brink = wide & ~fits.certified(0.99, with_parameters)
    parts = 1 / 1.01, 1 / 1.5
    return [
        float((fits.admitted(part) & ~fits.certified(part, with_parameters))[brink].mean()) for part in parts
    ]


def chain(rng, segments, flat, spread):
    """Make a smooth chain (segments, 4, 3) of some hundred metres a segment."""
    heading, place, made = rng.uniform(0, 2 * np.pi), np.zeros(3), []
    for _ in range(segments):
        length, turned = rng.uniform(40, 300), heading + rng.normal(0, spread)
        chord = (heading + turned) / 2 + rng.normal(0, spread / 10)
        end = place + length * np.array([np.cos(chord), np.sin(chord), 0 if flat else rng.normal(0, 0.05)])
        a, b = rng.uniform(0.2, 0.5, (2, 1)) * length
        made.append([place, place + a * _unit(heading), end - b * _unit(turned), end])
        heading, place = turned, end
    return np.array(made)


def _unit(angle):
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def _random_fit(rng, flat):
    segments = int(rng.integers(1, 5))
    count = max(2, int(segments * rng.choice([0.6, 1, 2, 4, 7])) + 1)
    controls = chain(rng, segments, flat, rng.choice([0.0, 0.2, 0.7, 1.5]))
    u = np.linspace(0, segments, count)
    u[1:-1] += rng.uniform(-0.4, 0.4, count - 2) * segments / (count - 1)
    seg = np.minimum(u.astype(int), segments - 1)
    coords = brute_force.evaluate(controls[seg], u - seg)
    noise = rng.choice([0.0, 0.01, 0.3, 3.0, 30.0]) * rng.normal(0, 1, coords.shape)
    noise[[0, -1]] *= rng.random() < 0.5
    spoil = rng.random()
    if spoil < 0.1:
        controls[:, 1:3] += rng.normal(0, 20, (segments, 2, 3))
    elif spoil < 0.15:
        controls[:, 1:3] = rng.normal(0, 100, (segments, 2, 3))
    elif spoil < 0.2 and count > 3:
        coords[[1, 2]] = coords[[2, 1]]
    elif spoil < 0.25 and count > 2:
        coords[1] = coords[0]
    coords += noise
    if flat:
        coords[:, 2] = controls[:, :, 2] = 0.0
    return coords, controls, u
