"""What a check can find: the codes, and one finding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..model import Floats

SEVERITIES = ("error", "warning", "note")
"""From worst to mildest."""

Place = tuple[float, float, float]


class Code(NamedTuple):
    """A kind of finding.

    Attributes
    ----------
    severity : str
        ``error``: the engine cannot use it as it is; ``warning``: it will look or behave wrong; ``note``: it
        may be as wanted.
    title : str
        What it is, in two or three words.
    meaning : str
        What it means in the engine.
    help : str
        What to do.
    least_is_worst : bool
        Whether the finding with the least value is the worst one, not that with the greatest.
    """

    severity: str
    title: str
    meaning: str
    help: str
    least_is_worst: bool = False


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong in one place.

    Attributes
    ----------
    code : str
        Key of `CODES`.
    severity : str
        ``error``, ``warning`` or ``note``.
    path : str
        Where in the file, as a JSON path: ``$.segments[12].start_up``; ``$`` is the whole file.
    place : tuple of float or None
        Where in the scene [m].
    value : float or None
        The number that was measured, in the unit that the message names.
    message : str
        What is wrong here.
    """

    code: str
    severity: str
    path: str
    place: Place | None
    value: float | None
    message: str


def finding(
    code: str, path: str, message: str, place: Iterable[float] | None = None, value: float | None = None
) -> Finding:
    """Make one finding with the severity of its code."""
    where = None if place is None else tuple(float(number) for number in place)
    number = None if value is None else float(value)
    return Finding(code, CODES[code].severity, path, where, number, message)  # type: ignore[arg-type]


def findings(
    code: str, paths: Iterable[str], messages: Iterable[str], places: Floats, values: Iterable[float]
) -> list[Finding]:
    """Make a finding of each path, with places of shape (Q, 3) [m]."""
    rows = zip(paths, messages, places.tolist(), values)
    return [finding(code, path, message, place, value) for path, message, place, value in rows]


def in_order(found: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity, then by path, with numbers in the path as numbers."""
    return sorted(found, key=_rank)


def _rank(found: Finding) -> tuple[int, str, int, str, str]:
    section, _, rest = found.path.partition("[")
    number = re.match(r"\d+", rest)
    row = int(number[0]) if number else -1
    return SEVERITIES.index(found.severity), section, row, found.path, found.code


CODES = {
    "broken-value": Code(
        "error",
        "broken value",
        "The engine refuses the file, or reads zeros.",
        "Mend the text at the path, or export it again.",
    ),
    "non-finite": Code(
        "error",
        "not a finite number",
        "NaN and infinity spread through every mesh and every box that touches the segment.",
        "Write a number at the path.",
    ),
    "bad-index": Code(
        "error",
        "point index out of range",
        "The segment has no point to begin or end at; the engine may crash.",
        "Give the number of a point, from 0 on; or take the segment out.",
    ),
    "unknown-key": Code(
        "warning",
        "key that a .spl does not have",
        "The engine ignores it, and leaves it out when it saves the file.",
        "Keep such data in a GIS layer, or in the sidecar.",
    ),
    "zero-handle": Code(
        "error",
        "handle without length",
        "The curve has no direction at that end: meshes twist or vanish there.",
        "--repair gives it a straight handle.",
        least_is_worst=True,
    ),
    "backward-handle": Code(
        "warning",
        "handle that points away",
        "The curve sets out away from its other end; most often a tangent with the wrong sign. "
        "An end tangent points back into its segment.",
        "Reverse the tangent if it was not meant so.",
    ),
    "zero-length": Code(
        "error",
        "segment without length",
        "Nothing can be laid along it, and it has no direction.",
        "--repair --allow-renumber drops it.",
        least_is_worst=True,
    ),
    "self-loop": Code(
        "error",
        "segment from a point to itself",
        "The engine's editor cannot make one, and junctions count it twice.",
        "Split it in two with a point in between.",
    ),
    "duplicate": Code(
        "warning",
        "segment over another",
        "Two meshes lie in one place and flicker; traffic counts the road twice.",
        "Delete one of them.",
    ),
    "loop": Code(
        "warning",
        "loop inside a segment",
        "The curve crosses itself: so does the mesh on it.",
        "Shorten the handles, or --repair splits the segment where it crosses itself.",
    ),
    "cusp": Code(
        "warning",
        "cusp inside a segment",
        "The curve stops and turns round: the mesh flips there.",
        "Shorten or turn the handles.",
        least_is_worst=True,
    ),
    "overshoot": Code(
        "warning",
        "curve far from its chord",
        "The curve leaves the neighbourhood of its two ends: handles are too long.",
        "Shorten the handles, or put a point in between.",
    ),
    "kink": Code(
        "warning",
        "kink where two segments meet",
        "Meshes of the two segments gape or overlap at the point. In files of the engine's editor, all such "
        "points are smooth.",
        "--repair smooths small kinks; at a real corner, put a junction.",
    ),
    "tight-curve": Code(
        "warning",
        "radius below the limit",
        "A mesh that reaches further to the side than the radius folds over itself on the inside.",
        "Lengthen the handles, or round the corner; --min-radius sets the limit.",
        least_is_worst=True,
    ),
    "unwelded": Code(
        "warning",
        "points in one place that are not one point",
        "The roads look joined but are not: no junction mesh, and traffic does not get through.",
        "--repair makes them one point.",
    ),
    "near-miss": Code(
        "warning",
        "end that nearly meets a segment",
        "The road ends just beside another one and is not joined to it.",
        "Join them in the editor; when converting, --weld and --snap-ends do it.",
        least_is_worst=True,
    ),
    "unreferenced-point": Code(
        "note",
        "point without a segment",
        "Nothing is drawn there; the point only takes a number.",
        "--repair --allow-renumber drops it.",
    ),
    "crossing": Code(
        "warning",
        "crossing without a point",
        "Two roads run through each other: meshes intersect and there is no junction.",
        "Join them (when converting: --crossings split), or move one of them up; --clearance sets the least "
        "height.",
        least_is_worst=True,
    ),
    "overpass": Code(
        "note",
        "one segment above another",
        "Most likely a bridge. Two roads pass over each other with room in between.",
        "Nothing, if it is a bridge.",
        least_is_worst=True,
    ),
    "zero-up": Code(
        "error",
        "up vector without length",
        "The engine cannot tell which side of the road is up: the mesh collapses.",
        "--repair makes it upright.",
        least_is_worst=True,
    ),
    "up-not-unit": Code(
        "warning",
        "up vector not of length 1",
        "The engine expects unit vectors; others scale or bend the mesh between the ends.",
        "--repair makes it a unit vector.",
    ),
    "parallel-up": Code(
        "error",
        "up vector along the road",
        "Up and forward are one direction, so that there is no sideways: the mesh collapses or spins.",
        "--repair turns it square to the road.",
        least_is_worst=True,
    ),
    "up-flip": Code(
        "warning",
        "up vectors that flip",
        "The road turns over on its way, or from one segment to the next.",
        "Turn one of the up vectors round.",
    ),
    "short-segment": Code(
        "note",
        "very short segment",
        "A mesh that is laid once for each segment is squeezed into it.",
        "Join it with its neighbour, if it is not a deliberate one.",
        least_is_worst=True,
    ),
    "long-segment": Code(
        "note",
        "very long segment",
        "Meshes have the same number of pieces on each segment, and look coarse on it.",
        "Split it (when converting: --max-length).",
    ),
    "steep": Code(
        "note",
        "grade above the limit",
        "The road climbs more steeply than roads do; often a wrong height.",
        "Look at the heights of its ends; --max-grade sets the limit.",
    ),
    "float32-loss": Code(
        "warning",
        "rounded by the engine",
        "The engine keeps float32 numbers: so far from the origin, points jump to coarser steps.",
        "Move the scene: spl-gis reproject --origin near it.",
    ),
    "far-from-origin": Code(
        "warning",
        "far from the origin",
        "More than 10 km away the engine's steps are above 1 mm: things shake and gaps open.",
        "Move the scene: spl-gis reproject --origin near it, or cut it into several.",
    ),
    "sidecar-unreadable": Code(
        "error",
        "sidecar that cannot be read",
        "None for the engine; but the place on Earth and the attributes are lost to spl-gis.",
        "Restore the .aux.json file, or move it away.",
    ),
    "sidecar-foreign": Code(
        "warning",
        "sidecar of another file",
        "None for the engine; but the place on Earth and the attributes are not those of this file.",
        "Restore the right .aux.json file, or move this one away.",
    ),
    "sidecar-changed": Code(
        "warning",
        "edited since the sidecar was written",
        "None for the engine; segments that are new have no attributes.",
        "Nothing, if the file was edited on purpose.",
    ),
}
"""All codes; they do not change once published."""
