"""The `unigine` fit: the engine's own import rule, against a road network that the engine imported."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spl_gis.fitting import fit
from spl_gis.fitting.curves import FitOptions


def tangents(coords, closed=False):
    coords = np.array(coords, float)
    curves = fit(coords, np.array([0, len(coords)]), np.array([closed]), "unigine", FitOptions())
    controls = curves.controls
    assert (controls[:, 0] == coords[:-1]).all()
    assert (controls[:, 3] == coords[1:]).all()
    return np.stack([controls[:, 1] - controls[:, 0], controls[:, 2] - controls[:, 3]], axis=1)


def test_the_rule():
    found = tangents([[0, 0, 0], [4, 0, 3], [4, 8, 0]])
    chord = np.array([4, 8, 0]) / np.sqrt(80)
    assert np.allclose(found[0], [[2, 0, 0], -chord], atol=1e-15)
    assert np.allclose(found[1], [2 * chord, [0, -4, 0]], atol=1e-15)


def test_it_gives_the_tangents_of_an_engine_file(shared: Path):
    """Each chain of the file as it is: in file order, not welded, not split."""
    graph = json.loads((shared / "spl-real" / "unigine_sample_roads.spl").read_text())
    points = np.array(graph["points"])
    ends = np.array([[one["start_index"], one["end_index"]] for one in graph["segments"]])
    expected = np.array([[one["start_tangent"], one["end_tangent"]] for one in graph["segments"]])
    first = np.flatnonzero(np.append(True, ends[1:, 0] != ends[:-1, 1]))
    chains = [np.append(chain[:, 0], chain[-1, 1]) for chain in np.split(ends, first[1:])]
    offsets = np.cumsum([0, *map(len, chains)])
    closed = np.zeros(len(chains), bool)
    controls = fit(points[np.concatenate(chains)], offsets, closed, "unigine", FitOptions()).controls
    found = np.stack([controls[:, 1] - controls[:, 0], controls[:, 2] - controls[:, 3]], axis=1)
    assert (len(chains), len(controls)) == (118, 727)
    # the engine worked in float32: a few roundings of the coordinates, and of the tangent itself
    rounding = np.spacing(np.abs(expected).max((1, 2), keepdims=True).astype(np.float32))
    assert (np.abs(found - expected)[..., :2] <= 4 * rounding).all()
    assert np.abs(expected[..., 2]).max() < 2e-5
    assert (found[..., 2] == 0).all()


def test_the_seam_of_a_ring_is_an_inner_vertex():
    ring = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0], [0, 0, 0]]
    found = tangents(ring, closed=True)
    assert np.allclose(found[0, 0], [np.sqrt(0.5), -np.sqrt(0.5), 0])
    assert np.allclose(found[-1, 1], -found[0, 0])
    assert np.allclose(tangents(ring)[0, 0], [2, 0, 0])


def test_a_vertical_edge_keeps_its_direction_and_length():
    assert np.allclose(tangents([[0, 0, 0], [0, 0, 8]]), [[[0, 0, 4], [0, 0, -4]]])
    found = tangents([[0, 0, 0], [0, 0, 8], [4, 0, 8]])
    assert np.allclose(found[0], [[0, 0, 4], [-2, 0, 0]])
    assert np.allclose(found[1], [[1, 0, 0], [-2, 0, 0]])


def test_where_a_line_turns_back_the_handles_run_along_their_edges():
    found = tangents([[0, 0, 0], [8, 0, 1], [0, 0, 0]])
    assert np.allclose(found, [[[4, 0, 0], [-2, 0, 0]], [[-2, 0, 0], [4, 0, 0]]])


numbers = st.integers(-100_000, 100_000).map(lambda number: number / 1000)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=12), st.booleans())
def test_no_tangent_is_zero_and_handles_keep_the_rule(line, closed):
    line = [vertex for vertex, before in zip(line, [None, *line]) if vertex != before]
    line = [*line, line[0]] if closed and line[0] != line[-1] else line
    if len(line) < 2:
        return
    found = tangents(line, closed and len(line) > 2)
    assert np.isfinite(found).all()
    assert found.any(-1).all()
    half = 0.5 * np.linalg.norm(np.diff(line, axis=0), axis=1)[:, None]
    assert (np.linalg.norm(found, axis=-1) <= half + 1e-9).all()
    inner = -found[:-1, 1], found[1:, 0]
    chord = np.array(line)[2:, :2] - np.array(line)[:-2, :2]
    level = np.linalg.norm(chord, axis=1) > 1
    into, out = (vectors[level] / np.linalg.norm(vectors[level], axis=1, keepdims=True) for vectors in inner)
    assert into == pytest.approx(out, abs=1e-6)
