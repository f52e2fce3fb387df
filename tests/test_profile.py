"""Profiles: stations along plan curves, and what becomes of the heights there."""

from __future__ import annotations

import numpy as np

from spl_gis import bezier
from spl_gis.profile import take_stations


def straight(*places):
    """Give the control points, shape (n, 4, 2), of straight segments from place to place."""
    places = np.asarray(places, float)
    share = np.arange(4)[:, None] / 3
    return places[:-1, None] * (1 - share) + places[1:, None] * share


def bent(seed, count):
    """Give the control points of a chain of curves that meet end to end."""
    rng = np.random.default_rng(seed)
    heading = np.cumsum(rng.uniform(-0.5, 0.5, count + 1))
    way = np.column_stack([np.cos(heading), np.sin(heading)])
    size = rng.uniform(5, 200, count)
    joint = np.concatenate([[[0.0, 0.0]], np.cumsum(size[:, None] * way[:-1], axis=0)])
    handle = size[:, None] * rng.uniform(0.2, 0.5, (2, count, 1))
    return np.stack(
        [joint[:-1], joint[:-1] + handle[0] * way[:-1], joint[1:] - handle[1] * way[1:], joint[1:]], axis=1
    )


def stations_of(controls, offsets=None, node=None, step=5.0, **rest):
    """Give stations of chains; one chain of all segments with ends of its own unless said otherwise."""
    offsets = np.array([0, len(controls)]) if offsets is None else np.asarray(offsets)
    chains = len(offsets) - 1
    node = np.arange(2 * chains).reshape(-1, 2) if node is None else np.asarray(node)
    return take_stations(controls, offsets, node, np.arange(chains), step, **rest)


def test_stations_are_no_further_apart_than_asked_and_include_all_joints():
    controls = bent(1, 20)
    stations = stations_of(controls, [0, 7, 8, 20])
    for chain, (first, last) in enumerate(stations.ends):
        steps = np.diff(stations.station[first : last + 1])
        assert steps.min() > 0 and steps.max() <= 5.0
        assert stations.station[first] == 0 and stations.parameter[last] == 1
        assert (stations.chain[first : last + 1] == chain).all()
    at_joints = stations.parameter == 0
    assert stations.segment[at_joints].tolist() == list(range(20))
    assert (stations.xy[at_joints] == controls[:, 0]).all()
    assert (stations.xy == bezier.evaluate(controls[stations.segment], stations.parameter)).all()


def test_distances_along_a_chain_are_arc_lengths():
    controls = bent(2, 12)
    stations = stations_of(controls, [0, 5, 12], step=20.0)
    lengths = bezier.length(controls)
    expected = [lengths[:5].sum(), lengths[5:].sum()]
    np.testing.assert_allclose(stations.lengths, expected, rtol=1e-7)


def test_a_short_segment_has_a_station_inside():
    stations = stations_of(straight([0, 0], [0.5, 0]), step=100.0)
    assert stations.station.tolist() == [0, 0.25, 0.5]
