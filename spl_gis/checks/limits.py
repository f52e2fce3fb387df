"""From where on something is worth a finding."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import OptionError


@dataclass(frozen=True)
class Limits:
    """From where on something is worth a finding.

    Attributes
    ----------
    coincident : float
        Points this near are in one place, and what is no longer has no length [m]. A millimetre is what the
        engine's float32 can tell apart at 10 km.
    near : float
        An end this near to a segment was perhaps meant to meet it [m].
    clearance : float
        Height above another road from which on it is a bridge [m].
    kink : float
        Smallest angle at which two segments meet that is seen [degrees].
    backward : float
        Greatest angle between a handle and the chord of its segment [degrees].
    overshoot : float
        How far a curve may leave its chord, in lengths of the chord.
    short, long : float
        Shortest and longest ordinary segment [m].
    grade : float
        Greatest ordinary grade [%].
    radius : float
        Least ordinary radius of curvature [m].
    up_angle : float
        Least angle between an up vector and the road [degrees].
    flip : float
        Angle between neighbouring up vectors from which on they flip [degrees].
    rounding : float
        How far float32 may move a point [m].
    far : float
        Distance from the origin from which on a scene is far [m].
    """

    coincident: float = 0.001
    near: float = 0.5
    clearance: float = 3.0
    kink: float = 1.0
    backward: float = 120.0
    overshoot: float = 1.0
    short: float = 0.1
    long: float = 1000.0
    grade: float = 30.0
    radius: float = 1.0
    up_angle: float = 1.0
    flip: float = 90.0
    rounding: float = 0.001
    far: float = 10_000.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0):
                raise OptionError(f"the limit {field.name!r} must be a positive number, not {value!r}")
