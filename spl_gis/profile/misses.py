"""How far fitted heights are from those that are wanted, and how steep they are, everywhere."""

from __future__ import annotations

import numpy as np

from .. import bezier
from ..model import Floats
from .pieces import Pieces, Steps, speeds
from .track import Track


def misses(track: Track, steps: Steps, pieces: Pieces, z: Floats, enough: float) -> Floats:
    """Give a bound of how far pieces are from the profile on each step, shape (I,).

    Between two stations the profile is the cubic of the parameter that has the heights and slopes there. So
    what is between piece and profile is a cubic, too. It is nowhere beyond its control values, which do
    where they are small; else its extremes are computed.

    Parameters
    ----------
    track, steps, pieces
        The roads.
    z : ndarray, shape (4, P)
        Heights of the control points of the pieces.
    enough : float
        Misses up to this need not be known better.
    """
    cubic = _differences(track, steps, pieces, z)
    bound = np.abs(cubic).max(axis=0)
    large = np.flatnonzero(bound > enough)
    curve = cubic[:, large].T[..., None]
    bound[large] = np.abs(bezier.bounds(curve)[..., 0]).max(axis=-1)
    return np.asarray(bound)


def _differences(track: Track, steps: Steps, pieces: Pieces, z: Floats) -> Floats:
    """Give the control values, shape (4, I), of piece minus profile on each step."""
    part = _parts(steps, pieces, z)
    low, high = track.z[steps.row], track.z[steps.row + 1]
    third = np.stack([track.slope[steps.row], track.slope[steps.row + 1]]) * steps.speed
    third *= (steps.t1 - steps.t0) / 3
    part -= np.stack([low, low + third[0], high - third[1], high])
    return part


def _parts(steps: Steps, pieces: Pieces, z: Floats) -> Floats:
    """Give the control values, shape (4, I), of the heights on each step."""
    t0, t1 = pieces.t0[steps.piece], pieces.t1[steps.piece]
    u, v = (steps.t0 - t0) / (t1 - t0), (steps.t1 - t0) / (t1 - t0)
    v = np.where(steps.t1 == t1, 1.0, v)
    values = z.T[steps.piece][..., None]
    return np.ascontiguousarray(bezier.subsegment(values, u, v)[..., 0].T)


def grades(track: Track, steps: Steps, pieces: Pieces, z: Floats, plan: Floats) -> Floats:
    """Give the steepest rise over run on each step, shape (I,), without a sign.

    It is taken at both ends, in the middle, and where the rise over the parameter is steepest; on a straight
    segment with equal handles that is the steepest place.

    Parameters
    ----------
    track, steps, pieces
        The roads.
    z : ndarray, shape (4, P)
        Heights of the control points of the pieces.
    plan : ndarray, shape (S, 4, 2)
        Control points of the segments.
    """
    rise = 3 * np.diff(_parts(steps, pieces, z), axis=0)
    bend = rise[0] - 2 * rise[1] + rise[2]
    turn = np.divide(rise[0] - rise[1], bend, out=np.zeros(len(bend)), where=bend != 0).clip(0.0, 1.0)
    segment, extent = track.segment[steps.row], steps.t1 - steps.t0
    steepest = np.zeros(len(extent))
    for w in (0.0, 0.5, 1.0, turn):
        v = 1 - w
        climb = np.abs(v * v * rise[0] + 2 * v * w * rise[1] + w * w * rise[2])
        run = speeds(plan, segment, steps.t0 + w * extent) * extent
        steepest = np.maximum(steepest, np.divide(climb, run, out=np.zeros(len(run)), where=run > 0))
    return steepest
