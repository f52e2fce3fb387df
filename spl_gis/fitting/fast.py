"""The longest segment that fits, again and again, over all polylines at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import FitError
from ..model import Bools, Floats, Ints
from .certificate import Verdict
from .chains import Chains, length, ranges, split
from .curves import Curves, FitOptions
from .edges import beside, sound
from .spans import Patience, Samples, Windows, refine, take
from .tracks import Spans, Track, curves, in_batches, joined, judge, judge_spans, lay, pick

FIT = 1 - 1e-6
"""Part of the tolerance that fits use; the rest is for rounding."""
ROUNDS = 60
"""How often segments that are not proved are fitted again."""
STRICTER = 0.95
"""What the tolerance of the fit is multiplied with each time."""
PIECE = 1000
"""Longer chains are fitted in pieces of about so many vertices side by side."""
PATIENCE = Patience(passes=7, hopeless=((1, 2500.0), (2, 100.0), (3, 16.0), (4, 4.0)), stall=2, lawson=2)
FIRST_GUESS = 8
"""Vertices of the first span tried."""


def fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions) -> Curves:
    """Fit each chain with the longest segments that keep within the tolerance, each of them proved.

    Segments start and end at vertices, with the direction of the circle through the vertex and its neighbours.

    Parameters
    ----------
    coords, offsets, closed, options
        As in `spl_gis.fitting.fit`.

    Returns
    -------
    Curves
        With the deviations that the certificate found.
    """
    return in_batches(coords, offsets, closed, options, _fit)


def _fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions) -> Curves:
    chains = split(coords, offsets, closed, options)
    track, verdict = proved(chains, coords, options)
    return curves(track, chains, coords, verdict, options)


def proved(chains: Chains, coords: Floats, options: FitOptions) -> tuple[Track, Verdict]:
    """Fit chains; fit anew, more strictly, what the certificate does not pass, and shrink handles of single edges."""
    tolerance = FIT * options.tolerance
    parameter = np.zeros(len(chains.vertex))
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


def _shrunk(spans: Spans, chains: Chains) -> Spans:
    """Shorten both handles of segments by a third."""
    ends = np.stack([chains.points[:, spans.first], chains.points[:, spans.last]])
    return spans._replace(handles=ends + (spans.handles - ends) * (2 / 3))


class _Lanes(NamedTuple):
    """Runs of vertices that are fitted side by side, and how far each is.

    A lane stands at `at`; up to `reach` a segment fits, `bound` is the next end to try while the lane grows, and
    an end that does not fit afterwards.
    """

    stop: Ints
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
        end = np.where(lanes.grows, lanes.bound, np.maximum((lanes.reach + lanes.bound) // 2, lanes.at + 1))
        fits, tried, t = _try(chains, arc, lanes.at, end, tolerance)
        handles[:, :, fits] = tried[:, :, fits]
        inner = ranges(lanes.at[fits] + 1, (end - lanes.at - 1)[fits])
        parameter[inner] = t[np.repeat(fits, end - lanes.at - 1)]
        lanes, done = _turn(lanes, end, fits)
        if done.any():
            found.append(Spans(lanes.at[done], lanes.reach[done], handles[:, :, done]))
            lanes, keep = _next(lanes, done)
            lanes, handles = _Lanes(*(field[keep] for field in lanes)), handles[:, :, keep]
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
    return _Lanes(end, at, at.copy(), bound, np.full(len(at), FIRST_GUESS // 2), np.ones(len(at), bool))


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
    ends = np.stack([chains.points[:, first], chains.points[:, last]])
    directions = np.stack([chains.directions[:, first], chains.directions[:, last]])
    third = (arc[last] - arc[first]) / 3
    handles = np.stack([ends[0] + third * directions[0], ends[1] - third * directions[1]])
    counts = last - first - 1
    some = counts > 0
    inner = ranges(first[some] + 1, counts[some])
    window = np.repeat(np.arange(some.sum()), counts[some])
    guess = (arc[inner] - arc[first[some]][window]) / (3 * third[some])[window]
    windows = Windows(
        handles[None][..., some],
        np.zeros((0, some.sum())),
        ends[..., some],
        directions[..., some],
        np.stack([chains.free[first], chains.free[last]])[:, some],
    )
    limits = np.full(len(inner), tolerance)
    fits, windows, t = refine(windows, Samples(chains.points[:, inner], window, guess, limits), PATIENCE)
    handles[..., some] = windows.handles[0]
    good = np.flatnonzero(fits)
    near = _beside(
        chains, take(windows, good), first[some][good], counts[some][good], t[fits[window]], tolerance
    )
    fits[good] = near & sound(take(windows, good))
    result = ~some
    result[some] = fits
    return result, handles, t


def _beside(
    chains: Chains, windows: Windows, first: Ints, counts: Ints, t: Floats, tolerance: float
) -> Bools:
    edge = ranges(first, counts + 1)
    window = np.repeat(np.arange(len(first)), counts + 1)
    start = np.cumsum(counts + 1) - counts - 1
    places = np.zeros((2, len(edge)))
    inside = np.ones(len(edge), bool)
    inside[start] = False
    places[0, inside] = t
    places[1, :-1] = places[0, 1:]
    places[1, start + counts] = 1.0
    points = np.stack([chains.points[:, edge], chains.points[:, edge + 1]])
    return beside(windows, window, places, points, chains.allowance[edge], tolerance)
