"""Curves that go on through junctions."""

from __future__ import annotations

import numpy as np

from .. import fitting, topology
from ..fitting.curves import Curves, FitOptions, piece_starts
from ..model import Floats, Ints, LineStrings
from ..topology import Chains, Paths
from .draping import Along, Draping, drape


def fit_chains(
    scene: LineStrings,
    place: Ints,
    chains: Chains,
    through: bool,
    fit: str,
    options: FitOptions,
    draping: Draping | None = None,
) -> Curves:
    """Fit the chains of a network, along whole roads.

    Chains whose ends belong together (`topology.link`) are fitted as one polyline with a stop at the node,
    where both sides share one direction.

    Parameters
    ----------
    scene : LineStrings
        The lines.
    place : ndarray of int, shape (K,)
        Place of each vertex.
    chains : Chains
        Pieces of the lines between nodes.
    through : bool
        Whether to link chains at all.
    fit, options
        As in `spl_gis.fitting.fit`.
    draping : Draping, optional
        How curves are laid on the ground.

    Returns
    -------
    Curves
        Those of each chain, in its own direction.
    """
    links = topology.link(scene, place, chains) if through else np.zeros((0, 2), np.int64)
    paths = topology.follow_links(place, chains, links)
    coords = scene.coords[paths.vertex]
    curves = fitting.fit(coords, paths.offsets, paths.closed, fit, options, paths.stops)
    if draping is not None and len(chains.line):
        curves = drape(curves, Along(scene, place, chains, paths), options, draping)
    return _of_chains(curves, paths)


def _of_chains(curves: Curves, paths: Paths) -> Curves:
    """Give the pieces of paths back to the chains, and drive those that were driven backwards forwards."""
    order = np.argsort(paths.chain)
    row, offsets = topology.ranges(curves.offsets[:-1][order], curves.offsets[1:][order])
    back = np.repeat(paths.reverse[order], np.diff(offsets))
    ends = np.repeat((curves.offsets[:-1] + curves.offsets[1:] - 1)[order], np.diff(offsets))
    controls = curves.controls[np.where(back, ends - row, row)]
    controls[back] = controls[back, ::-1]
    places = _places_of_chains(curves, paths, order, offsets)
    return Curves(
        controls,
        offsets,
        places,
        _sorted(curves.vertex_deviation, order),
        _sorted(curves.curve_deviation, order),
        _sorted(curves.height_deviation, order),
    )


def _places_of_chains(curves: Curves, paths: Paths, order: Ints, offsets: Ints) -> Floats:
    """Give where the vertices of chains are on their curves; `offsets` are those of the chains' segments."""
    first = np.flatnonzero(piece_starts(paths.offsets, paths.stops))
    last = np.append(first[1:], 0)
    last[paths.begin[1:] - 1] = paths.offsets[1:] - 1
    first, last = first[order], last[order]
    row, bounds = topology.ranges(first, last + 1)
    chain = np.repeat(np.arange(len(order)), np.diff(bounds))
    back = paths.reverse[order][chain]
    row = np.where(back, first[chain] + last[chain] - row, row)
    along = curves.places[row] - curves.offsets[:-1][order][chain]
    along = np.where(back, np.diff(offsets)[chain] - along, along)
    return np.asarray(along + offsets[:-1][chain])


def _sorted(deviation: Floats | None, order: Ints) -> Floats | None:
    return None if deviation is None else deviation[order]
