"""The independent judge of a fit: is each vertex near the curve, in order, and the curve near each edge.

It proves and does not sample, and what it cannot prove it does not pass. See `certify` for the claim and
`proof.bounds` for the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..model import Bools, Floats, Ints
from .alignment import align
from .proof import Ledger, Pieces, beside
from .witness import Chains, cubics, find, in_metric, settled

BLOCK = 1 << 13
"""Edges looked at together: what numpy's temporaries need stays in the cache."""


class Verdict(NamedTuple):
    """What was proved of each segment; all lengths in metres, heights scaled.

    Attributes
    ----------
    passed : ndarray of bool, shape (S,)
        Whether all its vertices lie within the tolerance, and all its pieces within tolerance and allowance.
    vertex_deviation : ndarray, shape (S,)
        No vertex of the segment lies further than this from its place on the curve.
    curve_deviation : ndarray, shape (S,)
        No place of the segment lies further than this from the edge that it belongs to.
    curve_excess : ndarray, shape (S,)
        No place of the segment lies further than the allowance of its edge and this from that edge.
    """

    passed: Bools
    vertex_deviation: Floats
    curve_deviation: Floats
    curve_excess: Floats


def certify(
    coords: Floats,
    offsets: Ints,
    controls: Floats,
    curve_offsets: Ints,
    allowance: Floats,
    tolerance: float,
    *,
    parameters: Floats | None = None,
    z_scale: float = 1.0,
) -> Verdict:
    """Prove, segment by segment, that curves and polylines keep together.

    The claim: there are parameters for the vertices that never decrease along a polyline, from the start of
    its curve for its first vertex to the end of its curve for its last, such that each vertex lies within
    `tolerance` of the curve at its parameter, and the curve between the parameters of two neighbours lies
    within `tolerance` plus the allowance of the edge between them (a straight line with two ends, not an
    endless one). Neighbouring segments must share their joint bit for bit.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices of all polylines in metres; finite.
    offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` has the vertices ``coords[offsets[i]:offsets[i + 1]]``, at least two.
    controls : ndarray, shape (S, 4, 3)
        Control points of all segments.
    curve_offsets : ndarray of int, shape (C + 1,)
        Polyline ``i`` became the segments ``controls[curve_offsets[i]:curve_offsets[i + 1]]``, at least one.
    allowance : ndarray, shape (K,)
        How much further the curve may be from the edge that starts at each vertex.
    tolerance : float
        In metres; infinity to measure only.
    parameters : ndarray, shape (K,), optional
        For each vertex the index of a segment, counted over all polylines, plus the parameter on it. It is a
        hint, never trusted: it is put in order, moved where a vertex is out of tolerance, and then judged.
        Without it places are looked for along the curve, vertex by vertex, and where that does not prove a
        polyline, for all its vertices together: some 10 times slower, and slower still for a few very long
        polylines.
    z_scale : float
        Tolerance divided by the tolerance for heights.

    Returns
    -------
    Verdict
        Control points that are not finite and gaps at joints fail, with infinite deviations. Rounding errors
        count against the fit: 6e-14 of the size of the segment. Greatest deviations are at most 1 % and a
        thousandth of the tolerance (of a metre, where it is greater) above the truth at the parameters found.
    """
    rows = _rows(coords, controls)
    broken = _broken(controls, curve_offsets)
    curve = cubics(np.where(broken[:, None, None], 0.0, controls), rows, z_scale)
    start, stop = (np.repeat(ends, np.diff(offsets)) for ends in (curve_offsets[:-1], curve_offsets[1:]))
    chains = Chains(in_metric(coords, rows, z_scale), offsets, start, stop, curve)
    u = find(chains, parameters, tolerance)
    verdict = _judged(u, chains, allowance, tolerance, broken)
    if parameters is None and not verdict.passed.all():
        failed = ~np.logical_and.reduceat(verdict.passed, curve_offsets[:-1])
        some, index = chains.some(failed)
        u[index] = settled(align(u[index], some), some, tolerance, everywhere=False)
        other = _judged(u, chains, allowance, tolerance, broken)
        found = failed & np.logical_and.reduceat(other.passed, curve_offsets[:-1])
        better = np.repeat(found, np.diff(curve_offsets))
        verdict = Verdict(*(np.where(better, new, old) for new, old in zip(other, verdict)))
    return verdict


def _judged(u: Floats, chains: Chains, allowance: Floats, tolerance: float, broken: Bools) -> Verdict:
    """Judge segments by the parameters of the vertices; those `broken` fail."""
    ledger = Ledger(len(broken), tolerance, tight=True)
    for edge in _blocks(np.delete(np.arange(len(u)), chains.offsets[1:] - 1)):
        ledger.enter(*_cut(edge, u, chains, allowance))
    ledger.close()
    for values in (ledger.vertex, ledger.deviation, ledger.excess):
        values[broken] = np.inf
    return Verdict(ledger.passed(), ledger.vertex, ledger.deviation, ledger.excess)


def certify_spans(
    coords: Floats,
    first: Ints,
    last: Ints,
    controls: Floats,
    t: Floats,
    allowance: Floats,
    tolerance: float,
    *,
    z_scale: float = 1.0,
) -> Bools:
    """Prove single segments, each of which starts at one vertex and ends at another, with given parameters.

    Parameters
    ----------
    coords : ndarray, shape (K, 3)
        Vertices in metres.
    first, last : ndarray of int, shape (S,)
        Segment ``i`` goes from vertex ``first[i]`` to vertex ``last[i]``, of the same polyline.
    controls : ndarray, shape (S, 4, 3)
        Control points.
    t : ndarray, shape (N,)
        Parameters of the vertices between: ``first[0] + 1`` to ``last[0] - 1``, then of the next segment.
    allowance, tolerance, z_scale
        As for `certify`.

    Returns
    -------
    ndarray of bool, shape (S,)
        Whether the segment is proved; not where parameters decrease or leave 0 to 1.
    """
    seg, edge, t0, t1 = _span_pieces(first, last, t)
    ends = np.stack([coords.take(edge, axis=0), coords.take(edge + 1, axis=0)])
    rows = _rows(ends, controls)
    broken = ~_sound(controls)
    broken[seg[~((t0 >= 0) & (t0 <= t1) & (t1 <= 1))]] = True
    curve = cubics(np.where(broken[:, None, None], 0.0, controls), rows, z_scale)
    ledger = Ledger(len(controls), tolerance, tight=False)
    for part in _blocks(np.flatnonzero(~broken[seg])):
        start, stop = np.moveaxis(in_metric(ends[:, part], rows, z_scale), 1, 0)
        everywhere = np.ones(len(part), bool)
        pieces = beside(start, stop, curve, seg[part], t0[part], t1[part], allowance[edge[part]])
        ledger.enter(pieces, everywhere, everywhere)
    ledger.close()
    return ledger.passed()


def _sound(controls: Floats) -> Bools:
    """Find segments (S,) of finite numbers whose squares are finite too."""
    return np.asarray((np.abs(controls) < 1e100).all(axis=(1, 2)), bool)


def _rows(coords: Floats, controls: Floats) -> int:
    """Give how many coordinates count: where all heights are 0, a third of the work is spared."""
    return 3 if coords[..., 2].any() or controls[..., 2].any() else 2


def _broken(controls: Floats, curve_offsets: Ints) -> Bools:
    """Find segments (S,) that are not finite or do not meet their neighbour."""
    broken = ~_sound(controls)
    gap: Bools = np.asarray((controls[:-1, 3] != controls[1:, 0]).any(axis=1), bool)
    gap[curve_offsets[1:-1] - 1] = False
    broken[:-1] |= gap
    broken[1:] |= gap
    return np.asarray(broken)


def _blocks(index: Ints) -> Iterator[Ints]:
    for at in range(0, len(index), BLOCK):
        yield index[at : at + BLOCK]


def _cut(edge: Ints, u: Floats, chains: Chains, allowance: Floats) -> tuple[Pieces, Bools, Bools]:
    """Cut the curve beside edges at its joints, and tell which pieces start and which stop at a vertex."""
    low = np.minimum(np.floor(u[edge]).astype(np.int64), chains.stop[edge] - 1)
    high = np.maximum(np.ceil(u[edge + 1]).astype(np.int64) - 1, low)
    count = high - low + 1
    which = np.repeat(np.arange(len(edge)), count)
    nth = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    seg, starts, stops = low[which] + nth, nth == 0, nth == count[which] - 1
    t0 = np.where(starts, u[edge][which] - seg, 0.0)
    t1 = np.where(stops, u[edge + 1][which] - seg, 1.0)
    start, stop = (np.take(chains.vertices, (edge + after)[which], axis=1) for after in (0, 1))
    pieces = beside(start, stop, chains.curve, seg, t0, t1, allowance[edge[which]])
    return pieces, starts, stops


def _span_pieces(first: Ints, last: Ints, t: Floats) -> tuple[Ints, Ints, Floats, Floats]:
    """Give segment, edge and both parameters of the pieces beside each edge of each span."""
    count = last - first
    seg = np.repeat(np.arange(len(first)), count)
    nth = np.arange(len(seg)) - np.repeat(np.cumsum(count) - count, count)
    t0, t1 = np.zeros(len(seg)), np.ones(len(seg))
    t0[nth > 0] = t
    t1[nth < count[seg] - 1] = t
    return seg, first[seg] + nth, t0, t1
