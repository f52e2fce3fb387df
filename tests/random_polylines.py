"""Polylines of all the kinds that break fits, and the laws that each smooth fit of them obeys."""

from __future__ import annotations

import brute_force
import numpy as np

from spl_gis.fitting import fit
from spl_gis.fitting.allowance import allowance
from spl_gis.fitting.corners import corners


def packed(lines):
    """Give coords, offsets and closed of pairs (coords, closed)."""
    offsets = np.cumsum([0] + [len(coords) for coords, _ in lines])
    return np.concatenate([coords for coords, _ in lines]), offsets, np.array([ring for _, ring in lines])


def random_polylines(rng, number, heights=False, sizes=(40,)):
    """Make smooth, noisy, jagged, tiny, huge, straight, closed, doubled and spiky polylines.

    Each has from two vertices to one of `sizes`, some kinds twice as many.
    """
    lines = []
    while len(lines) < number:
        size = sizes[len(lines) // len(KINDS) % len(sizes)]
        plan, closed = KINDS[len(lines) % len(KINDS)](rng, int(rng.integers(2, size)))
        z = np.cumsum(rng.normal(0, 0.3, len(plan))) * rng.choice([0.1, 1.0, 10.0]) * heights
        coords = np.column_stack([plan + rng.choice([0.0, 1e3, 5e6]), z])
        coords = coords[np.append(True, (np.diff(coords, axis=0) != 0).any(axis=1))]
        if closed:
            coords[-1] = coords[0]
        if len(coords) > 1:
            lines.append((coords, closed))
    return packed(lines)


def winding(rng, n, step=5.0):
    heading = np.cumsum(rng.normal(0, 0.2, n))
    return np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]) * step, axis=0)


def circle(rng, n):
    angle = np.linspace(0, 2 * np.pi, max(n, 4))
    radius = rng.uniform(1, 50)
    plan = np.column_stack([np.cos(angle), np.sin(angle)]) * radius + rng.normal(0, 0.02, (len(angle), 2))
    return np.append(plan[:-1], plan[:1], axis=0), True


def hairpin(rng, n):
    angle, radius = np.linspace(0, np.pi, n + 2), rng.uniform(0.5, 8)
    bend = np.column_stack([np.sin(angle), np.cos(angle)]) * radius
    return np.concatenate([[[-50, radius]], bend, [[-50, -radius]]]), False


def spike(rng, n):
    there = winding(rng, n)
    return np.concatenate([there, there[-2::-1]]), False


def near_duplicates(rng, n):
    plan = np.repeat(winding(rng, n), 2, axis=0)
    return plan + rng.normal(0, 1e-7, plan.shape), False


KINDS = [
    lambda rng, n: (rng.normal(0, rng.choice([0.1, 1, 10, 100]), (n, 2)), False),
    lambda rng, n: (winding(rng, n), False),
    lambda rng, n: (winding(rng, n) + rng.normal(0, rng.choice([0.01, 0.1, 0.5]), (n, 2)), False),
    circle,
    lambda rng, n: (np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * rng.uniform(0.01, 100), True),
    lambda rng, n: (np.outer(np.linspace(0, rng.choice([1e-3, 1, 1e6]), n), [0.6, 0.8]), False),
    spike,
    near_duplicates,
    hairpin,
    lambda rng, n: (winding(rng, n) * rng.choice([1e-4, 1e-3, 1e3, 1e4]), False),
    lambda rng, n: (rng.integers(0, 4, (n, 2)).astype(float), False),
]


def check_fit(method, lines, options, judged=40):
    """Fit, and check all that holds for smooth fits; some polylines by brute force."""
    coords, offsets, closed = lines
    curves = fit(coords, offsets, closed, method, options)
    controls, runs = curves.controls, curves.offsets
    assert np.isfinite(controls).all()
    assert (np.diff(runs) > 0).all()
    assert np.array_equal(controls[runs[:-1], 0], coords[offsets[:-1]])
    assert np.array_equal(controls[runs[1:] - 1, 3], coords[offsets[1:] - 1])
    inner = np.delete(np.arange(len(controls)), runs[1:] - 1)
    assert np.array_equal(controls[inner, 3], controls[inner + 1, 0])
    assert (controls[:, [1, 2]] != controls[:, [0, 3]]).any(axis=2).all(), "a handle is zero"
    assert curves.vertex_deviation.max() <= options.tolerance
    sharp = corners(coords, offsets, closed)
    check_smooth(controls, inner, inner + 1, coords[sharp])
    ring = np.flatnonzero(closed & ~sharp[offsets[:-1]])
    check_smooth(controls, runs[ring + 1] - 1, runs[ring], coords[sharp])
    check_by_brute_force(lines, curves, np.arange(min(judged, len(closed))), sharp, options)
    return curves


def check_smooth(controls, before, after, sharp):
    """Check that segments `after` go on in the direction in which segments `before` arrive."""
    place = controls[after, 0]
    arriving, leaving = place - controls[before, 2], controls[after, 1] - place
    sizes = [np.linalg.norm(arm, axis=1) for arm in (arriving, leaving)]
    across = np.linalg.norm(np.cross(arriving, leaving), axis=1) / (sizes[0] * sizes[1])
    angle = np.degrees(np.arctan2(across, (arriving * leaving).sum(axis=1) / (sizes[0] * sizes[1])))
    # shorter handles and farther places have more rounding than that
    clear = (np.minimum(*sizes) > 0.1) & (np.abs(place).max(axis=1) < 1e4)
    smooth = ~np.isin(_whole(place), _whole(sharp))
    assert (angle[clear & smooth] < 1e-9).all()


def _whole(places):
    """Give places (n, 3) as one value each."""
    return np.ascontiguousarray(places + 0.0).view("V24").ravel()


def check_by_brute_force(lines, curves, which, sharp, options):
    """Let the second judge look at some polylines, each seen from its start."""
    coords, offsets, closed = lines
    vertices = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in which])
    segments = np.concatenate([np.arange(curves.offsets[i], curves.offsets[i + 1]) for i in which])
    counts, parts = np.diff(offsets)[which], np.diff(curves.offsets)[which]
    own, runs = np.append(0, np.cumsum(counts)), np.append(0, np.cumsum(parts))
    origin = coords[offsets[which]]
    admitted = brute_force.admits(
        coords[vertices] - np.repeat(origin, counts, axis=0),
        own,
        curves.controls[segments] - np.repeat(origin, parts, axis=0)[:, None],
        runs,
        allowed_between_corners(coords[vertices], own, closed[which], sharp[vertices], options.bulge),
        options.tolerance * (1 + 1e-6) + 1e-8,
        options.z_scale,
    )
    assert admitted.all(), which[~admitted]


def allowed_between_corners(coords, offsets, closed, sharp, bulge):
    """Give the allowance of each edge of polylines that end their arcs at corners."""
    cut = sharp.copy()
    cut[offsets[:-1]] = cut[offsets[1:] - 1] = False
    rows = np.repeat(np.arange(len(coords)), 1 + cut)
    first = np.append(True, rows[1:] == rows[:-1])
    first[np.searchsorted(rows, offsets[:-1])] = True
    runs = np.append(np.flatnonzero(first), len(rows))
    whole = np.isin(rows[runs[:-1]], offsets[:-1]) & np.isin(rows[runs[1:] - 1], offsets[1:] - 1)
    line = np.searchsorted(offsets, rows[runs[:-1]], side="right") - 1
    ring = whole & closed[line] & ~sharp[offsets[line]]
    allowed = np.zeros(len(coords))
    # a corner is there twice: as the last vertex of an arc, where nothing is allowed, and as a first one
    allowed[rows] = allowance(coords[rows], runs, ring, bulge)
    return allowed
