"""A second, plain and slow judge of fits, which shares no code with the certificate.

It decides exactly whether parameters exist that the certificate's claim asks for. For each vertex it computes
all stretches of the curve within the tolerance of it, and for each edge all stretches within tolerance and
allowance of it: the distance is monotone between its local extrema, which are roots of polynomials, so that
each stretch ends at a crossing that bisection finds. Then it walks along the polyline with the set of all
parameters that can be reached.
"""

from __future__ import annotations

import numpy as np

SAMPLES = np.linspace(0.0, 1.0, 9)
PAIRS = 20_000


def admits(coords, offsets, controls, curve_offsets, allowance, tolerance, z_scale=1.0):
    """Tell for each polyline (C,) whether some assignment of parameters satisfies the claim of `certify`."""
    scale = np.array([1.0, 1.0, z_scale])
    coords, controls = coords * scale, controls * scale
    near = _stretches(coords, coords, offsets, controls, curve_offsets, np.full(len(coords), tolerance))
    after = np.append(coords[1:], coords[-1:], axis=0)
    beside = _stretches(coords, after, offsets, controls, curve_offsets, tolerance + allowance)
    runs = zip(offsets[:-1], offsets[1:], curve_offsets[:-1], curve_offsets[1:])
    return np.array([_walk(near[i:j], beside[i : j - 1], a, b) for i, j, a, b in runs], bool)


def least_tolerance(coords, controls, allowance, low=1e-6, high=1e4, steps=40):
    """Give the smallest tolerance that one polyline (n, 3) and its segments (m, 4, 3) satisfy."""
    runs = np.array([0, len(coords)]), controls, np.array([0, len(controls)])
    for _ in range(steps):
        middle = np.sqrt(low * high)
        fits = admits(coords, *runs, allowance, middle)[0]
        low, high = (low, middle) if fits else (middle, high)
    return high


def distance(place, a, b):
    """Give the distance (...) from places (..., 3) to the closed segments from `a` to `b`."""
    along = b - a
    square = (along * along).sum(-1)
    part = ((place - a) * along).sum(-1) / np.where(square > 0, square, 1.0)
    return np.linalg.norm(place - a - np.clip(part, 0.0, 1.0)[..., None] * along, axis=-1)


def evaluate(controls, t):
    """Give the places (..., 3) at `t` (...) on the segments `controls` (..., 4, 3)."""
    t = t[..., None]
    s = 1 - t
    p0, p1, p2, p3 = np.moveaxis(controls, -2, 0)
    return s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t * p3


def _walk(near, beside, start, stop):
    """Follow all parameters that can be reached, from the curve's start to its end."""
    reach = [(start, start)] if any(low <= start <= high for low, high in near[0]) else []
    for at_vertex, along_edge in zip(near[1:], beside):
        following = []
        for low, high in along_edge:
            first = min((max(a, low) for a, b in reach if b >= low and a <= high), default=None)
            if first is not None:
                following += [(max(a, first), min(b, high)) for a, b in at_vertex if b >= first and a <= high]
        reach = following
    return any(low <= stop <= high for low, high in reach)


def _stretches(a, b, offsets, controls, curve_offsets, limit):
    """Give for each edge from `a` to `b` (K, 3) the stretches of its curve within `limit` (K,) of it.

    A stretch is a pair of parameters (index of the segment over all polylines, plus t); it goes over joints.
    """
    found = [[] for _ in a]
    for edge, seg in _pairs(a, b, offsets, controls, curve_offsets, limit):
        for which, low, high in _within(a[edge], b[edge], controls[seg], limit[edge]):
            mine, shift = found[edge[which]], seg[which]
            if mine and low + shift <= mine[-1][1]:
                mine[-1] = (mine[-1][0], high + shift)
            else:
                mine.append((low + shift, high + shift))
    return found


def _pairs(a, b, offsets, controls, curve_offsets, limit):
    """Yield batches of edges and segments of one polyline whose boxes are near enough, in order."""
    low, high = controls.min(axis=1), controls.max(axis=1)
    below, above = np.minimum(a, b) - limit[:, None], np.maximum(a, b) + limit[:, None]
    edges, segs = [], []
    for i, j, s, e in zip(offsets[:-1], offsets[1:], curve_offsets[:-1], curve_offsets[1:]):
        touch = (below[i:j, None] <= high[None, s:e]) & (above[i:j, None] >= low[None, s:e])
        edge, seg = np.nonzero(touch.all(axis=2))
        edges.append(edge + i)
        segs.append(seg + s)
    edge, seg = np.concatenate(edges), np.concatenate(segs)
    for at in range(0, len(edge), PAIRS):
        yield edge[at : at + PAIRS], seg[at : at + PAIRS]


def _within(a, b, controls, limit):
    """Give for N pairs of edge and segment the rows (pair, low, high) where the segment is near, in order."""
    splits = _extrema(a, b, controls)
    curve, start, end = controls[:, None], a[:, None], b[:, None]
    inside = distance(evaluate(curve, splits), start, end) <= limit[:, None]
    left, right, in_left, in_right = splits[:, :-1], splits[:, 1:], inside[:, :-1], inside[:, 1:]
    row, col = np.nonzero(in_left != in_right)
    good = np.where(in_left, left, right)[row, col]
    bad = np.where(in_left, right, left)[row, col]
    for _ in range(50):
        middle = (good + bad) / 2
        ok = distance(evaluate(controls[row], middle), a[row], b[row]) <= limit[row]
        good, bad = np.where(ok, middle, good), np.where(ok, bad, middle)
    low, high = left.copy(), right.copy()
    ends = in_left[row, col]
    high[row[ends], col[ends]] = good[ends]
    low[row[~ends], col[~ends]] = good[~ends]
    row, col = np.nonzero(in_left | in_right)
    low, high = low[row, col], high[row, col]
    new = np.append(True, (row[1:] != row[:-1]) | (low[1:] > high[:-1]))
    starts = np.flatnonzero(new[: len(row)])
    ends = np.append(starts[1:], len(row))[: len(starts)] - 1
    return zip(row[starts].tolist(), low[starts].tolist(), high[ends].tolist())


def _extrema(a, b, controls):
    """Give parameters (N, Q), sorted, between which the distance from the edges is monotone.

    These are the extrema of the distances from both ends and from the line, and where the nearest place of
    the edge becomes one of its ends. More parameters than needed do no harm: some are samples, and of complex
    roots the real parts are taken.
    """
    p0, p1, p2, p3 = np.moveaxis(controls, 1, 0)
    powers = np.stack([p3 - 3 * p2 + 3 * p1 - p0, 3 * (p2 - 2 * p1 + p0), 3 * (p1 - p0), p0])
    found = [np.broadcast_to(SAMPLES, (len(a), len(SAMPLES))), _critical(_from(powers, a))]
    length = np.linalg.norm(b - a, axis=1)
    if length.any():
        along = (b - a) / np.where(length > 0, length, 1.0)[:, None]
        x = (_from(powers, a) * along).sum(axis=-1)
        across = _from(powers, a) - x[..., None] * along
        found += [_critical(_from(powers, b)), _critical(across), _roots(x)]
        x[3] -= length
        found.append(_roots(x))
    return np.sort(np.concatenate(found, axis=1), axis=1)


def _from(powers, origin):
    moved = powers.copy()
    moved[3] = moved[3] - origin
    return moved


def _critical(powers):
    """Give the extrema (N, 5) of the length of polynomials (4, N, 3), highest power first."""
    speed = powers[:3] * np.array([3.0, 2.0, 1.0])[:, None, None]
    quintic = np.zeros((6, powers.shape[1]))
    for i in range(4):
        for j in range(3):
            quintic[i + j] += (powers[i] * speed[j]).sum(axis=-1)
    return _roots(quintic)


def _roots(poly):
    """Give the real parts of all roots (N, degree) of polynomials (degree + 1, N), polished, in 0..1."""
    size = np.abs(poly).max(axis=0)
    scaled = poly / np.where(size > 0, size, 1.0)
    lead = scaled[0]
    lead = np.where(np.abs(lead) < 1e-7, np.where(lead < 0, -1e-7, 1e-7), lead)
    degree = len(poly) - 1
    companion = np.zeros((poly.shape[1], degree, degree))
    companion[:, 0] = -(scaled[1:] / lead).T
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    t = np.clip(np.linalg.eigvals(companion).real, 0.0, 1.0)
    for _ in range(4):
        value, slope = np.zeros_like(t), np.zeros_like(t)
        for c in scaled:
            slope = slope * t + value
            value = value * t + c[:, None]
        t = np.clip(t - value / np.where(slope != 0, slope, np.inf), 0.0, 1.0)
    return t
