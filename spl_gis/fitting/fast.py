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
from .spans import Patience, Samples, refine
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
PATIENCE = Patience(passes=7, hopeless=((1, 2500.0), (2, 100.0), (3, 16.0), (4, 4.0)), stall=2, lawson=3)
LANES = 4096
"""So many runs of vertices are fitted side by side, where there are as many."""
ROOM = 16
"""Least room in a run cut from another, in segments."""
SHORT = 4
"""Vertices that a segment counts for at least there: the last one may be unusually short."""
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
        failed = joined(_shrunk(pick(failed, single), chains), again)
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


def _shrunk(spans: Spans, chains: Chains) -> Spans:
    """Shorten both handles of segments by a third."""
    ends = np.stack([chains.points[:, spans.first], chains.points[:, spans.last]])
    return spans._replace(handles=ends + (spans.handles - ends) * (2 / 3))


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


def _longest(chains: Chains, tolerance: float, start: Ints, stop: Ints, parameter: Floats) -> Spans:
    """Go from vertices `start` to `stop` with the longest segments that keep the directions where they meet.

    The parameters of the vertices inside the segments are put into `parameter`.
    """
    arc = np.r_[0.0, np.cumsum(length(np.diff(chains.points, axis=1)))]
    lanes = _lanes(start, stop)
    found = [Spans(start[:0], stop[:0], np.zeros((2, len(chains.points), 0)))]
    handles = np.zeros((2, len(chains.points), len(lanes.stop)))
    while len(lanes.at):
        if len(lanes.at) < LANES // 2:
            lanes, more = _spread(lanes)
            handles = np.concatenate([handles, np.zeros((*handles.shape[:2], more))], axis=2)
        end = np.where(lanes.grows, lanes.bound, np.maximum((lanes.reach + lanes.bound) // 2, lanes.at + 1))
        fits, tried, t = _try(chains, arc, lanes.at, end, tolerance)
        handles[:, :, fits] = tried[:, :, fits]
        inner = ranges(lanes.at[fits] + 1, (end - lanes.at - 1)[fits])
        parameter[inner] = t[np.repeat(fits, end - lanes.at - 1)]
        lanes, done = _turn(lanes, end, fits)
        if done.any():
            found.append(Spans(lanes.at[done], lanes.reach[done], handles[:, :, done]))
            lanes, keep = _next(lanes, done)
            lanes, handles = _kept(lanes, keep), handles[:, :, keep]
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


def _spread(lanes: _Lanes) -> tuple[_Lanes, int]:
    """Cut the rest of long runs into further lanes, since few lanes take as long as many; say how many.

    Each gets room for `ROOM` segments as long as the last one, so that the cuts cost few segments.
    """
    rest = lanes.stop - lanes.at
    pieces = np.where(lanes.size > 0, rest // (ROOM * np.maximum(lanes.size, SHORT)), 1)
    pieces = np.clip(pieces, 1, max(LANES // len(rest), 1))
    run = np.repeat(np.arange(len(rest)), pieces - 1)
    number = ranges(np.ones_like(pieces), pieces - 1)
    at = lanes.at[run] + number * rest[run] // pieces[run]
    stop = lanes.at[run] + (number + 1) * rest[run] // pieces[run]
    size = lanes.size[run]
    fresh = _Lanes(stop, size, at, at.copy(), np.minimum(at + size, stop), np.maximum(size // 3, 1), run >= 0)
    lanes = lanes._replace(stop=lanes.at + rest // pieces)
    lanes = lanes._replace(bound=np.minimum(lanes.bound, lanes.stop))
    return _Lanes(
        np.r_[lanes.stop, fresh.stop],
        np.r_[lanes.size, fresh.size],
        np.r_[lanes.at, fresh.at],
        np.r_[lanes.reach, fresh.reach],
        np.r_[lanes.bound, fresh.bound],
        np.r_[lanes.growth, fresh.growth],
        np.r_[lanes.grows, fresh.grows],
    ), len(run)


def _kept(lanes: _Lanes, keep: Bools) -> _Lanes:
    stop, size, at, reach, bound, growth, grows = lanes
    return _Lanes(stop[keep], size[keep], at[keep], reach[keep], bound[keep], growth[keep], grows[keep])


def _turn(lanes: _Lanes, end: Ints, fits: Bools) -> tuple[_Lanes, Bools]:
    """Take note of which ends fit; give the lanes whose longest segment is found, too."""
    reach = np.where(fits, end, lanes.reach)
    full = fits & (end == lanes.stop)
    grows = lanes.grows & fits & ~full
    bound = np.where(grows, np.minimum(end + lanes.growth, lanes.stop), np.where(fits, lanes.bound, end))
    growth = np.where(grows, 2 * lanes.growth, lanes.growth)
    fine = np.maximum((reach - lanes.at) >> 4, 1)
    done = full | (~grows & (bound - reach <= fine) & (reach > lanes.at))
    return lanes._replace(reach=reach, bound=bound, growth=growth, grows=grows), done


def _next(lanes: _Lanes, done: Bools) -> tuple[_Lanes, Bools]:
    """Let lanes start their next segment; give the ones that are not at their end."""
    size = lanes.reach - lanes.at
    at = np.where(done, lanes.reach, lanes.at)
    bound = np.where(done, np.minimum(at + np.maximum(size, 2), lanes.stop), lanes.bound)
    lanes = lanes._replace(
        size=np.where(done, size, lanes.size),
        at=at,
        bound=bound,
        growth=np.where(done, np.maximum(size // 3, 1), lanes.growth),
        grows=lanes.grows | done,
    )
    return lanes, at < lanes.stop


def _try(
    chains: Chains, arc: Floats, first: Ints, last: Ints, tolerance: float
) -> tuple[Bools, Floats, Floats]:
    """Fit one segment from each vertex `first` to `last`.

    Returns
    -------
    ndarray of bool, shape (W,)
        Which fit. A single edge always does.
    ndarray, shape (2, D, W)
        Handles.
    ndarray
        Parameters of all vertices between.
    """
    counts = last - first - 1
    some = counts > 0
    windows = _windows(chains, arc, first, last)
    handles, fits = windows.handles[0].copy(), ~some
    first, counts, windows = first[some], counts[some], take(windows, some)
    inner, window = ranges(first + 1, counts), np.repeat(np.arange(len(counts)), counts)
    guess = (arc[inner] - arc[first][window]) / (arc[last[some]] - arc[first])[window]
    samples = Samples(chains.points[:, inner], window, guess, np.full(len(inner), tolerance))
    near, windows, t = refine(windows, samples, PATIENCE)
    handles[..., some] = windows.handles[0]
    good, reached = np.flatnonzero(near), t[near[window]]
    windows = take(windows, good)
    edges = edges_of(first[good], counts[good], reached, 1.0)
    near[good] = beside(windows, edges, chains, tolerance) & sound(windows)
    fits[some] = near
    return fits, handles, t


def _windows(chains: Chains, arc: Floats, first: Ints, last: Ints) -> Windows:
    """Give a first guess of a segment from each vertex `first` to `last`: both handles a third of the way."""
    ends = np.stack([chains.points[:, first], chains.points[:, last]])
    directions = np.stack([chains.directions[:, first], chains.directions[:, last]])
    arms = (arc[last] - arc[first]) / 3 * directions
    return Windows(
        np.stack([ends[0] + arms[0], ends[1] - arms[1]])[None],
        np.zeros((0, len(first))),
        ends,
        directions,
        np.stack([chains.free[first], chains.free[last]]),
        np.zeros(len(first), bool),
    )
