"""What PROJ does to positions between two CRSs: by which datum shift, how accurate, and how far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pyproj import CRS, Geod
from pyproj.transformer import TransformerGroup

from .crs import horizontal, lowered, place_of, type_of
from .operations import operation, pairs, ranked, transform
from .places import Floats, datum_of, own_lonlat, place_between


class Missing(NamedTuple):
    """A more accurate way that PROJ knows, but not without files: its name, accuracy [m], and the files."""

    name: str
    accuracy: float
    grids: tuple[str, ...]


class Account(NamedTuple):
    """What happens to positions between two CRSs with different datums.

    Attributes
    ----------
    source, target : str
        Names of the two datums.
    name : str
        PROJ's names of the datum shifts that are done, joined by " + ".
    accuracy : float or None
        Stated accuracy [m]; None = it is not known.
    ballpark : bool
        Whether PROJ knows no datum shift and leaves latitude and longitude as they are.
    shift : float or None
        Distance [m] between the positions with and without the datum shift; None = it cannot be computed.
    missing : Missing or None
        The best way that PROJ knows, when it is not the one that is used.
    """

    source: str
    target: str
    name: str
    accuracy: float | None
    ballpark: bool
    shift: float | None
    missing: Missing | None

    def as_dict(self) -> dict[str, object]:
        """Give it as plain data for the report; docs/report.md says what each key holds."""
        lacks = self.missing
        return {
            "from": self.source,
            "to": self.target,
            "name": self.name,
            "accuracy [m]": self.accuracy,
            "best": lacks is None,
            "ballpark": self.ballpark,
            "datum shift [m]": self.shift,
            "missing": lacks
            and {"name": lacks.name, "accuracy [m]": lacks.accuracy, "grids": list(lacks.grids)},
        }


def account(source: CRS | None, target: CRS | None, middle: Floats) -> Account | None:
    """Tell what `transform` does to the datum.

    Parameters
    ----------
    source, target : pyproj.CRS or None
        As for `transform`.
    middle : ndarray of float64, shape (1, 3)
        A coordinate in `source`, for which the shift is computed.

    Returns
    -------
    Account or None
        None when both have the same datum, or no place on Earth.
    """
    source, target = lowered(place_of(source))[0], lowered(place_of(target))[0]
    if source is None or target is None or _datum(source) == _datum(target):
        return None
    lon, lat = own_lonlat(middle, source)[0].tolist()
    here = (lon, lat) if np.isfinite([lon, lat]).all() and not _scene(source, target) else None
    place = here or place_between(source, target)
    names: list[str] = []
    accuracies, missing = [], None
    for first, second, _ in pairs(source, target):
        used = operation(first, second, place)
        found = _shifts(used.description)
        names += found
        accuracies += [float(used.accuracy)] if found else []
        missing = missing or _better(ranked(first, second, place), float(used.accuracy))
    name = " + ".join(names)
    accuracy = None if not accuracies or min(accuracies) < 0 else round(sum(accuracies), 3)
    ballpark = "ballpark geographic" in name.lower()
    shift = _shift(source, target, middle)
    return Account(_datum(source), _datum(target), name, accuracy, ballpark, shift, missing)


def _datum(crs: CRS) -> str:
    geographic = datum_of(crs)
    name = geographic.datum.name if geographic is not None and geographic.datum is not None else ""
    return name.replace(" ensemble", "")


def _scene(*pair: CRS) -> bool:
    return any(type_of(horizontal(crs)).startswith("Derived") for crs in pair)


def _shifts(description: str) -> list[str]:
    """Give the names of the datum shifts out of PROJ's description of a whole operation."""
    steps = [step.removeprefix("Inverse of ") for step in description.split(" + ")]
    idle = ("Null geographic offset", "Conversion from", "axis order")
    return [step for step in steps if " to " in step and not step.startswith(idle)]


def _better(group: TransformerGroup | None, accuracy: float) -> Missing | None:
    """Give PROJ's first choice among the more accurate operations that lack a grid."""
    if group is None or group.best_available:
        return None
    for known in group.unavailable_operations:
        grids = tuple(grid.short_name for grid in known.grids if not grid.available)
        if grids and known.accuracy >= 0 and (accuracy < 0 or known.accuracy < accuracy):
            return Missing(" + ".join(_shifts(known.name)), float(known.accuracy), grids)
    return None


def _shift(source: CRS, target: CRS, middle: Floats) -> float | None:
    """Give the distance [m] between a place on one datum and the place on the other with the same numbers."""
    before, after = own_lonlat(middle, source), own_lonlat(transform(middle, source, target), target)
    if not np.isfinite([before, after]).all():
        return None
    return round(float(Geod(ellps="WGS84").inv(*before[0], *after[0])[2]), 3)
