"""The longest segment that fits, again and again, over all polylines at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import FitError
from ..model import Bools, Floats, Ints
from .certificate import Verdict
from .chains import Chains, length, ranges, split
from .curves import Curves, FitOptions
from .edges import beside, edges_of, sound
from .spans import POOL, Patience, Pool, Samples, both, step
from .spans import start as begin
from .tracks import Spans, Track, curves, in_batches, joined, judge, judge_spans, lay, pick
from .windows import Windows, take

FIT = 1 - 1e-6
"""Part of the tolerance that fits use; the rest is for rounding."""
ROUNDS = 60
"""How often segments that are not proved are fitted again."""
STRICTER = 0.95
"""What the tolerance of the fit is multiplied with each time."""
PIECE = 1000
"""Longer chains are fitted in pieces of about so many vertices side by side."""
PATIENCE = Patience(
    passes=7, hopeless=((1, 2500.0), (2, 100.0), (3, 16.0), (4, 4.0)), stalled=((3, 0.0),), lawson=3
)
ROOM = 24
"""What is left of a run after its first segment is cut into runs of so many segments as long as that one."""
SHORT = 4
"""Vertices that a segment counts for at least there: the last one may be unusually short."""
GRAIN = 40
"""Lengths are taken to this power of 1/2 of their chain's."""
FIRST_GUESS = 8
"""Vertices of the first span tried."""


def fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Curves:
    """Fit each chain with the longest segments that keep within the tolerance, each of them proved.

    Segments start and end at vertices, with the direction of the circle through the vertex and its
    neighbours.

    Parameters
    ----------
    coords, offsets, closed, options, stops
        As in `spl_gis.fitting.fit`.

    Returns
    -------
    Curves
        With the deviations that the certificate found.
    """
    return in_batches(coords, offsets, closed, options, stops, _fit)


def _fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Curves:
    chains = split(coords, offsets, closed, options, stops)
    track, verdict = proved(chains, coords, options)
    return curves(track, chains, coords, verdict, options)


def proved(chains: Chains, coords: Floats, options: FitOptions) -> tuple[Track, Verdict]:
    """Fit chains; fit anew what the certificate does not pass, or shrink the handles of single edges."""
    tolerance = FIT * options.tolerance
    parameter = _along(chains)
    start, stop = chains.offsets[:-1][~chains.straight], chains.offsets[1:][~chains.straight] - 1
    spans = joined(_straight(chains), _longest(chains, tolerance, start, stop, parameter))
    track = lay(chains, parameter, spans)
    verdict = judge(track, chains, coords, options)
    if verdict.passed.all():
        return track, verdict
    kept, failed = pick(spans, verdict.passed), pick(spans, ~verdict.passed)
    for _ in range(ROUNDS):
        tolerance *= STRICTER
        single = failed.last == failed.first + 1
        long = pick(failed, ~single)
        again = _longest(chains, tolerance, long.first, long.last, parameter)
        failed = joined(_shrunk(pick(failed, single), chains, tolerance), again)
        passed = judge_spans(failed, parameter, chains, coords, options)
        kept, failed = joined(kept, pick(failed, passed)), pick(failed, ~passed)
        if passed.all():
            track = lay(chains, parameter, kept)
            return track, judge(track, chains, coords, options)
    raise FitError(
        f"a tolerance of {options.tolerance} m is too fine for these coordinates: "
        "raise it, or use a frame with its origin near the data"
    )


def _straight(chains: Chains) -> Spans:
    """Make straight chains single segments with their handles at the thirds."""
    first, last = chains.offsets[:-1][chains.straight], chains.offsets[1:][chains.straight] - 1
    start, end = chains.points[:, first], chains.points[:, last]
    return Spans(first, last, np.stack([start * 2 + end, start + 2 * end]) / 3)


def _along(chains: Chains) -> Floats:
    """Give the parameter of each vertex of straight chains; others have the part of the chord, too."""
    size = np.diff(chains.offsets)
    start, end = chains.points[:, chains.offsets[:-1]], chains.points[:, chains.offsets[1:] - 1]
    seen = chains.points - np.repeat(start, size, axis=1)
    unit = (end - start) / np.maximum(((end - start) ** 2).sum(axis=0), 1e-300)
    return np.asarray((seen * np.repeat(unit, size, axis=1)).sum(axis=0).clip(0.0, 1.0))


def _shrunk(spans: Spans, chains: Chains, tolerance: float) -> Spans:
    """Shorten handles of single edges to what there is room for beside the edge, or both by a third.

    A handle that stands off by ``d`` from its edge takes the curve 4/9 of that away from it.
    """
    ends = np.stack([chains.points[:, spans.first], chains.points[:, spans.last]])
    arms, edge = spans.handles - ends, ends[1] - ends[0]
    along = (arms * edge).sum(axis=1) / np.maximum((edge * edge).sum(axis=0), 1e-300)
    off = np.stack([length(arm - share * edge) for arm, share in zip(arms, along)])
    room = 9 / 4 * (chains.allowance[spans.first] + tolerance)
    share = np.minimum(room / np.maximum(off, 1e-300), 1.0)
    share = np.where((share < 0.9).any(axis=0), share, 2 / 3)  # the tolerance of later tries is less, too
    return spans._replace(handles=ends + arms * share[:, None])


class _Lanes(NamedTuple):
    """Runs of vertices that are fitted side by side, and how far each is.

    A lane ends at `stop` and stands at `at`, after a segment of `size` vertices; up to `reach` a segment
    fits, `bound` is the next end to try while the lane grows, and an end that does not fit afterwards.
    """

    stop: Ints
    size: Ints
    at: Ints
    reach: Ints
    bound: Ints
    growth: Ints
    grows: Bools

    def take(self, which: Ints) -> _Lanes:
        """Give some of the lanes."""
        stop, size, at, reach, bound, growth, grows = self
        return _Lanes(
            stop[which], size[which], at[which], reach[which], bound[which], growth[which], grows[which]
        )

    def end(self) -> Ints:
        """Give the end that each lane tries next."""
        return np.where(self.grows, self.bound, np.maximum((self.reach + self.bound) // 2, self.at + 1))


def _longest(chains: Chains, tolerance: float, start: Ints, stop: Ints, parameter: Floats) -> Spans:
    """Go from vertices `start` to `stop` with the longest segments that keep the directions where they meet.

    The parameters of the vertices inside the segments are put into `parameter`. All lanes take their steps
    together; one whose try has ended begins the next while others go on, so that arrays stay long.
    """
    arcs, lanes = _arcs(chains), _lanes(start, stop)
    dimension = len(chains.points)
    found = [Spans(start[:0], stop[:0], np.zeros((2, dimension, 0)))]
    handles = np.zeros((2, dimension, len(lanes.at)))
    ready, none = np.arange(len(lanes.at)), np.zeros(0, np.int64)
    pool = _begun(chains, arcs, lanes, none, tolerance)
    while len(ready) or len(pool.row):
        tried, edges, ready = _due(lanes, ready, POOL - len(pool.window))
        handles[..., edges] = _windows(chains, arcs, lanes.at[edges], lanes.at[edges] + 1).handles[0]
        if len(tried):
            pool = both(pool, _begun(chains, arcs, lanes, tried, tolerance))
        pool, ended, near = step(pool, PATIENCE)
        near = _checked(chains, lanes, ended, near, tolerance)
        handles[..., ended.row[near]] = ended.windows.handles[0][..., near]
        inside = near[ended.window]
        parameter[ended.sample[inside]] = ended.places[inside]
        which = np.concatenate([ended.row, edges])
        some, done = _turn(lanes.take(which), np.concatenate([near, edges >= 0]))
        if done.any():
            found.append(Spans(some.at[done], some.reach[done], handles[..., which[done]]))
            some, fresh = _next(some, done)
            if len(fresh.at):
                ready = np.concatenate([ready, len(lanes.at) + np.arange(len(fresh.at))])
                lanes = _Lanes(*(np.concatenate([own, more]) for own, more in zip(lanes, fresh)))
                handles = np.concatenate([handles, np.zeros((2, dimension, len(fresh.at)))], axis=2)
        for own, changed in zip(lanes, some):
            own[which] = changed
        ready = np.concatenate([ready, which[some.at < some.stop]])
    return joined(*found)


def _lanes(start: Ints, stop: Ints) -> _Lanes:
    """Cut long runs into pieces."""
    pieces = np.maximum((stop - start) // PIECE, 1)
    run = np.repeat(np.arange(len(start)), pieces)
    number = ranges(np.zeros_like(pieces), pieces)
    size = (stop - start)[run]
    at = start[run] + number * size // pieces[run]
    end = start[run] + (number + 1) * size // pieces[run]
    bound = np.minimum(at + FIRST_GUESS, end)
    none, growth = np.zeros_like(at), np.full(len(at), FIRST_GUESS // 2)
    return _Lanes(end, none, at, at.copy(), bound, growth, np.ones(len(at), bool))


def _due(lanes: _Lanes, ready: Ints, room: int) -> tuple[Ints, Ints, Ints]:
    """Say which lanes try next, there being room for so many vertices; which are at an edge; which wait."""
    inside = lanes.take(ready).end() - lanes.at[ready] - 1
    edge = inside == 0
    due = ~edge & (np.cumsum(inside) - inside < room)
    return ready[due], ready[edge], ready[~edge & ~due]


def _turn(lanes: _Lanes, fits: Bools) -> tuple[_Lanes, Bools]:
    """Take note of which ends fit; give the lanes whose longest segment is found, too."""
    end = lanes.end()
    reach = np.where(fits, end, lanes.reach)
    full = fits & (end == lanes.stop)
    grows = lanes.grows & fits & ~full
    bound = np.where(grows, np.minimum(end + lanes.growth, lanes.stop), np.where(fits, lanes.bound, end))
    growth = np.where(grows, 2 * lanes.growth, lanes.growth)
    fine = np.maximum((reach - lanes.at) >> 4, 1)
    done = full | (~grows & (bound - reach <= fine) & (reach > lanes.at))
    return lanes._replace(reach=reach, bound=bound, growth=growth, grows=grows), done


def _next(lanes: _Lanes, done: Bools) -> tuple[_Lanes, _Lanes]:
    """Let lanes start their next segment; after the first one, long ones leave parts to further lanes."""
    size = np.where(done, lanes.reach - lanes.at, lanes.size)
    at = np.where(done, lanes.reach, lanes.at)
    parts = np.where(done & (lanes.size == 0), (lanes.stop - at) // (ROOM * np.maximum(size, SHORT)), 1)
    parts = np.maximum(parts, 1)
    whole, number = np.repeat(np.arange(len(at)), parts - 1), ranges(np.ones_like(parts), parts - 1)
    rest = lanes.stop - at
    begin, stop = (
        (at + k * rest[whole] // parts[whole]) for at, k in ((at[whole], number), (at[whole], number + 1))
    )
    fresh = _started(begin, stop, size[whole])
    own = _started(at, at + rest // parts, size)
    return _Lanes(*(np.where(done, new, old) for new, old in zip(own, lanes))), fresh


def _started(at: Ints, stop: Ints, size: Ints) -> _Lanes:
    """Give lanes that begin at vertices, where segments have about so many vertices."""
    bound = np.minimum(at + np.maximum(size, 2), stop)
    return _Lanes(stop, size, at, at, bound, np.maximum(size // 3, 1), np.ones(len(at), bool))


def _begun(chains: Chains, arcs: _Arcs, lanes: _Lanes, which: Ints, tolerance: float) -> Pool:
    """Begin to fit segments up to the ends that lanes try; the pool knows lanes and vertices."""
    lane = lanes.take(which)
    first, last = lane.at, lane.end()
    counts = last - first - 1
    inner, window = ranges(first + 1, counts), np.repeat(np.arange(len(counts)), counts)
    total = arcs.at[last] - arcs.at[first]
    guess = (arcs.at[inner] - arcs.at[first][window]) / total[window]
    samples = Samples(chains.points[:, inner], window, guess, np.full(len(inner), tolerance))
    return begin(_windows(chains, arcs, first, last), which, samples, inner)


def _checked(chains: Chains, lanes: _Lanes, ended: Pool, near: Bools, tolerance: float) -> Bools:
    """Say which of the windows that are near their vertices stay beside their edges and have a good shape."""
    fits, good = near.copy(), np.flatnonzero(near)
    if len(good):
        windows = take(ended.windows, good)
        counts = np.bincount(ended.window, minlength=len(near))[good]
        places = ended.places[near[ended.window]]
        edges = edges_of(lanes.at[ended.row[good]], counts, places, 1.0)
        fits[good] = beside(windows, edges, chains, tolerance) & sound(windows)
    return fits


class _Arcs(NamedTuple):
    """Whole numbers `at` (n,) that grow with the length along chains, and their `unit` (n,), a length.

    Differences of whole numbers do not depend on what was summed before.
    """

    at: Ints
    unit: Floats


def _arcs(chains: Chains) -> _Arcs:
    counts = np.diff(chains.offsets)
    size = length(np.diff(chains.points, axis=1, append=0.0))
    size[chains.offsets[1:] - 1] = 0.0
    total = np.add.reduceat(size, chains.offsets[:-1])
    unit = np.repeat(np.ldexp(1.0, np.frexp(total)[1] - GRAIN), counts)
    steps = np.rint(size / unit).astype(np.int64) + 1
    return _Arcs(np.cumsum(steps) - steps, unit)


def _windows(chains: Chains, arcs: _Arcs, first: Ints, last: Ints) -> Windows:
    """Give a first guess of a segment from each vertex `first` to `last`: both handles a third of the way."""
    ends = np.stack([chains.points[:, first], chains.points[:, last]])
    directions = np.stack([chains.directions[:, first], chains.directions[:, last]])
    arms = (arcs.at[last] - arcs.at[first]) * arcs.unit[first] / 3 * directions
    return Windows(
        np.stack([ends[0] + arms[0], ends[1] - arms[1]])[None],
        np.zeros((0, len(first))),
        ends,
        directions,
        np.stack([chains.free[first], chains.free[last]]),
        np.zeros(len(first), bool),
    )
