"""Where on Earth findings are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pyproj import CRS

from .. import frames
from .codes import Finding


def lonlat(found: Sequence[Finding], crs: CRS | None) -> list[tuple[float, float] | None]:
    """Give WGS 84 longitude and latitude of findings, None where there is no place on Earth.

    Parameters
    ----------
    found : sequence of Finding
        With places in the scene.
    crs : pyproj.CRS or None
        The frame of the scene.

    Raises
    ------
    GeoreferenceError
        When PROJ knows no way from the frame to WGS 84.
    """
    if frames.place_of(crs) is None or not found:
        return [None] * len(found)
    scene = np.array([(0.0, 0.0, 0.0) if one.place is None else one.place for one in found])
    places = frames.transform(scene, crs, frames.WGS84)[:, :2]
    known = np.asarray(np.isfinite(places).all(axis=1))
    return [
        (lon, lat) if good and one.place is not None else None
        for one, (lon, lat), good in zip(found, places.tolist(), known.tolist())
    ]
