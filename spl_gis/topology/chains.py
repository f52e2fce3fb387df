"""Chains: what runs between nodes, of lines and of graphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Bools, Ints
from .places import ranges


class Chains(NamedTuple):
    """Polylines between nodes.

    Attributes
    ----------
    vertex : ndarray of int, shape (V,)
        Row in the coordinates of each chain's vertices, one chain after the other. The vertex at a node
        belongs to every chain that meets there.
    offsets : ndarray of int, shape (C + 1,)
        Chain ``i`` has the vertices ``vertex[offsets[i]:offsets[i + 1]]``, at least two.
    line : ndarray of int, shape (C,)
        The line that each chain is a piece of.
    closed : ndarray of bool, shape (C,)
        Rings that meet nothing: they go smoothly through their first vertex.
    """

    vertex: Ints
    offsets: Ints
    line: Ints
    closed: Bools


def distinct(place: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Leave out vertices that stand where the vertex before them stands.

    Parameters
    ----------
    place : ndarray of int, shape (K,)
        Place of each vertex.
    offsets : ndarray of int, shape (L + 1,)
        Where each line's vertices begin and end.

    Returns
    -------
    vertex : ndarray of int
        Rows of the vertices that stay.
    offsets : ndarray of int, shape (L + 1,)
        Where each line's vertices begin and end among those; a line without length keeps one vertex.
    """
    keep = np.ones(len(place), bool)
    keep[1:] = place[1:] != place[:-1]
    keep[offsets[:-1]] = True
    return np.flatnonzero(keep), np.concatenate([[0], np.cumsum(keep)])[offsets]


def split_at_nodes(place: Ints, offsets: Ints) -> Chains:
    """Cut lines where they meet: at shared vertices, and where a line touches itself.

    A closed line that is met elsewhere than at its first vertex is begun at a node instead, so that no chain
    ends where nothing meets. A closed line that is met nowhere is one closed chain.

    Parameters
    ----------
    place : ndarray of int, shape (K,)
        Place of each vertex; neighbours in a line differ.
    offsets : ndarray of int, shape (L + 1,)
        Where each line's vertices begin and end, at least two vertices each.

    Returns
    -------
    Chains
        In the order of the lines, and along each line.
    """
    first, last = offsets[:-1], offsets[1:] - 1
    ring = place[first] == place[last]
    uses = np.bincount(place)
    # The first and the last vertex of a ring are one use of their place.
    node = (uses - np.bincount(place[last[ring]], minlength=len(uses)) > 1)[place]
    vertex = _begin_at_node(node, offsets, ring & ~node[first])
    line_end = np.zeros(len(place), bool)
    line_end[first] = line_end[last] = True
    cut = node[vertex] | line_end
    starts = np.flatnonzero(cut & ~_marked(last, len(place)))
    stops = np.flatnonzero(cut & ~_marked(first, len(place)))
    line = np.searchsorted(offsets, starts, side="right") - 1
    whole = (starts == first[line]) & (stops == last[line])
    closed = whole & ring[line] & ~node[vertex[starts]]
    rows, chain_offsets = ranges(starts, stops + 1)
    return Chains(vertex[rows], chain_offsets, line, closed)


def _marked(rows: Ints, size: int) -> Bools:
    mark = np.zeros(size, bool)
    mark[rows] = True
    return mark


def _begin_at_node(node: Bools, offsets: Ints, free_ring: Bools) -> Ints:
    """Give vertex rows in which each ring of `free_ring` with a node begins and ends at its first node."""
    vertex = np.arange(len(node))
    first_node = np.flatnonzero(node)
    at = np.searchsorted(first_node, offsets[:-1])
    first_node = np.append(first_node, len(node))[at]
    turn = np.flatnonzero(free_ring & (first_node < offsets[1:]))
    rows, bounds = ranges(offsets[turn], offsets[turn + 1])
    sizes = np.diff(bounds)
    start = np.repeat(offsets[turn], sizes)
    around = rows - start + np.repeat(first_node[turn] - offsets[turn], sizes)
    vertex[rows] = start + around % np.repeat(sizes - 1, sizes)
    return vertex


class Runs(NamedTuple):
    """Segments in the order in which one can drive them.

    Attributes
    ----------
    segment : ndarray of int, shape (M,)
        Each segment of the graph once, one run after the other.
    reverse : ndarray of bool, shape (M,)
        Whether the segment is driven from its end to its start.
    offsets : ndarray of int, shape (R + 1,)
        Run ``i`` is ``segment[offsets[i]:offsets[i + 1]]``.
    """

    segment: Ints
    reverse: Bools
    offsets: Ints


def degrees(ends: Ints, points: int) -> Ints:
    """Give the number of segment ends at each point."""
    return np.bincount(ends.ravel(), minlength=points)


def graph_chains(ends: Ints) -> Runs:
    """Find the chains of a graph: maximal runs of segments through points that two segment ends share.

    A chain is driven in the direction of its segment of lowest index; chains are in the order of those
    segments, and a ring begins with it.

    Parameters
    ----------
    ends : ndarray of int, shape (M, 2)
        Start and end point of each segment.
    """
    return in_driving_order(_next_half(ends))


def in_driving_order(follow: Ints) -> Runs:
    """Put segments in the order in which one can drive them.

    Parameters
    ----------
    follow : ndarray of int, shape (2 M,)
        The half that follows each half, -1 = none; half ``2 s + 1`` is segment ``s`` driven backwards. Where
        ``b`` follows ``a``, ``a ^ 1`` follows ``b ^ 1``.

    Returns
    -------
    Runs
        As `graph_chains` says.
    """
    follow = _open_rings(follow)
    before = np.full(len(follow), -1)
    before[follow[follow >= 0]] = np.flatnonzero(follow >= 0)
    head, distance, _ = _walk(before)
    lowest = np.full(len(follow), len(follow))
    np.minimum.at(lowest, head, np.arange(len(follow)))
    lowest = lowest[head]
    # Each chain is found once in each direction: keep the one that drives its lowest segment forwards.
    kept = np.flatnonzero(lowest % 2 == 0)
    kept = kept[np.lexsort((distance[kept], lowest[kept]))]
    starts = np.flatnonzero(distance[kept] == 0)
    return Runs(kept // 2, kept % 2 == 1, np.append(starts, len(kept)))


def _next_half(ends: Ints) -> Ints:
    """Give the half that follows each half, -1 = none; half ``2 s + 1`` is segment ``s`` driven backwards."""
    leaves = ends.ravel()  # half h sets out from here; half h ^ 1 arrives here
    order = np.argsort(leaves, kind="stable")
    sizes = np.bincount(leaves)
    first = order[(np.cumsum(sizes) - sizes)[sizes == 2]]
    second = order[(np.cumsum(sizes) - 1)[sizes == 2]]
    follow = np.full(len(leaves), -1)
    follow[first ^ 1] = second
    follow[second ^ 1] = first
    return follow


def _open_rings(follow: Ints) -> Ints:
    """Cut each ring of halves before its lowest one, so that every way has an end."""
    end, _, lowest = _walk(follow)
    last = (follow[end] >= 0) & (follow == lowest)
    return np.where(last, -1, follow)


def _walk(follow: Ints) -> tuple[Ints, Ints, Ints]:
    """Follow all ways to their ends at once, by pointer doubling.

    Returns
    -------
    end, distance, lowest : ndarray of int
        From each half: where its way ends, how many steps that takes, and the lowest half on the way. On
        a ring `end` is any half of it, which `follow` leads on from.
    """
    here = np.arange(len(follow))
    end = np.where(follow >= 0, follow, here)
    distance = (follow >= 0).astype(np.int64)
    lowest = np.minimum(here, end)
    for _ in range(len(follow).bit_length()):
        if (follow[end] < 0).all():
            break
        distance += distance[end]
        lowest = np.minimum(lowest, lowest[end])
        end = end[end]
    return end, distance, lowest
