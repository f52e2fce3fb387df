"""What becomes of heights between two CRSs: what PROJ cannot turn into what, and what would help."""

from __future__ import annotations

from pyproj import CRS
from pyproj.transformer import TransformerGroup

from .crs import as_json, code_of, lowered, place_of, vertical
from .operations import known_operations, pairs
from .places import Place, place_between


def heights_left(source: CRS | None, target: CRS | None, place: Place | None = None) -> str | None:
    """Say which heights `transform` passes on unchanged although the CRSs mean different ones by them.

    Without the grid of a geoid PROJ would take heights over it for heights over the ellipsoid, without a
    word; they may be 100 m apart.

    Parameters
    ----------
    source, target, place
        As for `transform`.

    Returns
    -------
    str or None
        A sentence that says what is lacking and how to get it; None when heights become what they should.
    """
    source, target = lowered(place_of(source))[0], lowered(place_of(target))[0]
    if source is None or target is None:
        return None
    place = place or place_between(source, target)
    for first, second, forward in pairs(source, target):
        kinds = (_kind(first), _kind(second)) if forward else (_kind(second), _kind(first))
        if place is not None and kinds[0] != kinds[1]:
            known = known_operations(first, second, place)
            if not any(group.transformers for group in known):
                return _sentence(*kinds, [name for group in known for name in _lacking(group)])
    return None


def _kind(crs: CRS) -> str:
    """Say what the heights of a CRS are, whatever their unit and origin."""
    heights = vertical(crs)
    if heights is None:
        return "height over the ellipsoid"
    made = as_json(heights)
    return str(made.get("base_crs", made)["name"])


def _lacking(group: TransformerGroup) -> list[str]:
    """Name the grids that the best operation lacks."""
    for operation in group.unavailable_operations:
        return [grid.short_name for grid in operation.grids if not grid.available]
    return []


def _sentence(first: str, second: str, grids: list[str]) -> str:
    trouble = (
        f"heights stay as they are, up to 100 m off: {first} cannot be turned into {second}, because PROJ"
    )
    if not grids:
        return f"{trouble} knows no way between the two; choose another vertical CRS"
    names = sorted(set(grids))
    fetch = " ".join(f"--file {name}" for name in names)
    return (
        f"{trouble} lacks {', '.join(names)}: get it with 'pyproj sync {fetch}' (or projsync), or set "
        "PROJ_NETWORK=ON, and do this again"
    )


def heights_in_feet(crs: CRS | None) -> str | None:
    """Say that heights may be in feet: those of a 2D CRS in feet are not said to be, and taken for metres."""
    if crs is None or len(crs.axis_info) != 2 or "foot" not in crs.axis_info[0].unit_name:
        return None
    code = code_of(crs)
    example = f"--source-crs {code}+6360" if code else "--source-crs with a compound CRS"
    return (
        f"{crs.name} is in feet but does not say what its heights are: they are taken for metres; if they "
        f"are in feet, add their CRS, such as {example} (EPSG:6360 is NAVD88 height in US survey feet)"
    )
