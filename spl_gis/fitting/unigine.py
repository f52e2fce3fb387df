"""The engine's own rule: how UNIGINE makes splines of imported vector lines."""

from __future__ import annotations

import numpy as np

from ..model import Bools, Floats, Ints
from .corners import joints, size, unit, with_handles
from .curves import Curves, FitOptions, one_for_each_edge

INNER_HANDLE = 0.25
"""Handle at an inner vertex, as a part of the segment's length in plan."""
END_HANDLE = 0.5
"""Handle at a free end, as a part of the segment's length in plan."""
VERTICAL = 1e-3
"""What moves in plan by less than this part of its rise counts as vertical."""


def fit(coords: Floats, offsets: Ints, closed: Bools, options: FitOptions, stops: Bools) -> Curves:
    """Make one segment of each edge, with the tangents that the engine's vector import would give it.

    The direction at an inner vertex is that of the chord from the vertex before to the vertex after, in plan;
    the handle is a quarter of the segment's length in plan. At a free end it runs along the chord of the
    segment, half its length. Tangents are level (z = 0). The rule was read off a road network that the
    engine imported, all of whose tangents it gives back to the precision of the file (float32).

    Three things that the engine was not seen to do. The seam of a closed polyline is an inner vertex (where
    the engine meets a ring it starts and ends it like an open line). A segment or chord that is vertical
    keeps its direction and length in space, since its tangent in plan would be zero. Where a line turns
    back onto itself, so that the chord has no direction, both handles run along their own edges.

    Parameters
    ----------
    coords, offsets, closed, options, stops
        As in `spl_gis.fitting.fit`; no option has an effect.

    Returns
    -------
    Curves
        One segment for each edge, in order.
    """
    joint = joints(coords, offsets, closed)
    first = np.flatnonzero(joint.edge)
    side = np.stack([first, first + 1], axis=1)
    chord = np.where(
        joint.inner[:, None],
        joint.vector[joint.before] + joint.vector[joint.after],
        joint.vector[joint.after],
    )
    direction = _level(chord)[side]
    own = _level(joint.vector)[first]
    nowhere = ~direction.any(-1, keepdims=True)
    direction = unit(np.where(nowhere, own[:, None], direction))
    length = size(own)
    share = np.where(joint.inner[side], INNER_HANDLE, END_HANDLE)
    handles = direction * (share * length[:, None] * (1.0, -1.0))[..., None]
    return one_for_each_edge(with_handles(coords[side], handles), offsets, stops)


def _level(vectors: Floats) -> Floats:
    """Give the vectors in plan (z = 0), but those that are vertical as they are."""
    plan = np.hypot(vectors[:, 0], vectors[:, 1])
    level = plan > VERTICAL * np.abs(vectors[:, 2])
    return np.where(level[:, None], vectors * (1.0, 1.0, 0.0), vectors)
