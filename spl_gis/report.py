"""What a job did: counts, choices, warnings, and the features that were refused or repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Callable

Progress = Callable[[float, str], None]
"""Called with the fraction done (0 to 1) and what is being done. It may raise to cancel the job."""


def silent(fraction: float, what: str) -> None:
    """Report no progress."""


def part_of(progress: Progress, start: float, stop: float) -> Progress:
    """Give a progress that fills a part of another."""
    return lambda fraction, what: progress(start + fraction * (stop - start), what)


FORMAT = "spl-gis report"
VERSION = 1

FEATURES = ("features read", "features converted", "features repaired", "features refused")
"""Names of counts that are shown first."""


@dataclass(frozen=True)
class Remark:
    """One feature that was refused or repaired, and why; `layer` is "" when it is the only one."""

    fid: int
    reason: str
    layer: str = ""


@dataclass(frozen=True)
class Crossing:
    """Where two features cross without a shared vertex, and why they were not joined.

    Attributes
    ----------
    fids : tuple of int
        The two features.
    reason : str
        Why they stay apart.
    scene : tuple of float
        Where, in the scene [m]; the height is the mean of the two.
    lonlat : tuple of float, optional
        The same as WGS 84 longitude and latitude, when the scene has a place on Earth.
    """

    fids: tuple[int, int]
    reason: str
    scene: tuple[float, float, float]
    lonlat: tuple[float, float] | None = None


@dataclass
class Report:
    """Collects what a job has to say; rooms add to it, the command line and the sidecar show it.

    Attributes
    ----------
    counts : dict of str to int
        Named totals, such as ``features read`` or ``segments``, in the order they were first counted.
    notes : list of str
        What was chosen or assumed, once each.
    warnings : list of str
        What the user should look at, once each. ``--strict`` makes them errors.
    refused, repaired : list of Remark
        Features left out and features changed, with the reason.
    measures : dict of str to float
        Named measurements, such as ``vertex deviation [m]``.
    crossings : list of Crossing
        Places where lines cross and were not joined.
    network : dict
        What the graph is: its points, segments, junctions, components and length; empty when there is none.
    frame : dict or None
        Kind, base and origin of the scene's frame.
    transformation : dict or None
        The datum shift between the lines and the scene; None when both have the same datum.
    deviations : dict of str to list
        Of each converted feature: ``fid``, ``layer``, and how far vertices and curve are from each other.
    """

    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refused: list[Remark] = field(default_factory=list)
    repaired: list[Remark] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)
    crossings: list[Crossing] = field(default_factory=list)
    network: dict[str, Any] = field(default_factory=dict)
    frame: dict[str, Any] | None = None
    transformation: dict[str, Any] | None = None
    deviations: dict[str, list[Any]] = field(default_factory=dict)

    def count(self, name: str, number: int) -> None:
        """Add `number` to the total called `name`."""
        self.counts[name] = self.counts.get(name, 0) + int(number)

    def note(self, sentence: str) -> None:
        """Say once what was chosen or assumed."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def warn(self, sentence: str) -> None:
        """Say once what the user should look at."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def refuse(self, fids: Iterable[int], reason: str, layer: str = "") -> None:
        """Record features that were left out; each is counted once as ``features refused``."""
        self.refused.extend(Remark(int(fid), reason, layer) for fid in fids)
        self._count_features()

    def repair(self, fids: Iterable[int], reason: str, layer: str = "") -> None:
        """Record features that were changed; each is counted once as ``features repaired``."""
        self.repaired.extend(Remark(int(fid), reason, layer) for fid in fids)
        self._count_features()

    def _count_features(self) -> None:
        for name, remarks in (("features refused", self.refused), ("features repaired", self.repaired)):
            if remarks:
                self.counts[name] = len({(remark.layer, remark.fid) for remark in remarks})

    def add(self, other: Report, layer: str = "") -> None:
        """Take over what another report says; its remarks without a layer are about `layer`."""
        for name, number in other.counts.items():
            self.count(name, number)
        for sentence in other.notes:
            self.note(sentence)
        for sentence in other.warnings:
            self.warn(sentence)
        for mine, theirs in ((self.refused, other.refused), (self.repaired, other.repaired)):
            mine.extend(replace(remark, layer=remark.layer or layer) for remark in theirs)
        self._count_features()
        self.measures.update(other.measures)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain data for JSON; docs/report.md says what each key holds."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "counts": dict(self.counts),
            "refused_by_reason": dict(Counter(remark.reason for remark in self.refused)),
            "repaired_by_reason": dict(Counter(remark.reason for remark in self.repaired)),
            "network": dict(self.network) or None,
            "measures": dict(self.measures),
            "deviations": dict(self.deviations),
            "frame": self.frame,
            "transformation": self.transformation,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "crossings": [dict(vars(crossing)) for crossing in self.crossings],
            "refused": [dict(vars(remark)) for remark in self.refused],
            "repaired": [dict(vars(remark)) for remark in self.repaired],
        }

    def table(self) -> list[tuple[str, str]]:
        """Give what a person wants to see first, as names and values."""
        rows = {name: f"{self.counts[name]:,}" for name in FEATURES if name in self.counts}
        for name, remarks in (("features refused", self.refused), ("features repaired", self.repaired)):
            if remarks:
                reasons = Counter(remark.reason for remark in remarks).items()
                rows[name] += ": " + ", ".join(f"{number:,} x {reason}" for reason, number in reasons)
        rows.update((name, f"{number:,}") for name, number in self.counts.items() if name not in rows)
        if self.network:
            rows.update((name, f"{self.network[name]:,}") for name in ("points", "segments", "junctions"))
            rows["components"] = f"{self.network['components']:,}"
            degrees = self.network["points by degree"].items()
            rows["points by degree"] = ", ".join(
                f"{number:,} of degree {degree}" for degree, number in degrees
            )
            rows["length [m]"] = f"{self.network['length [m]']:,.1f}"
        rows.update((name, f"{value:.6g}") for name, value in self.measures.items())
        if self.frame is not None:
            rows["frame"] = " over ".join(filter(None, (self.frame["kind"], self.frame["base"])))
        return list(rows.items())


def by_reason(remarks: Iterable[Remark], named: int = 5) -> list[str]:
    """Summarise remarks as one sentence per reason that names the first few features.

    Parameters
    ----------
    remarks : iterable of Remark
        What was refused or repaired.
    named : int
        How many feature ids to name for each reason.
    """
    remarks = list(remarks)
    sentences = []
    for reason, number in Counter(remark.reason for remark in remarks).items():
        fids = [str(remark.fid) for remark in remarks if remark.reason == reason]
        more = f" and {number - named} more" if number > named else ""
        sentences.append(f"{number} x {reason} (feature {', '.join(fids[:named])}{more})")
    return sentences
