"""What a job did: counts, choices, warnings, and the features that were refused or repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Callable

Progress = Callable[[float, str], None]
"""Called with the fraction done (0 to 1) and what is being done. It may raise to cancel the job."""


def silent(fraction: float, what: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Remark:
    """One feature that was refused or repaired, and why."""

    fid: int
    reason: str


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
    """

    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refused: list[Remark] = field(default_factory=list)
    repaired: list[Remark] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)
    crossings: list[Crossing] = field(default_factory=list)

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

    def refuse(self, fids: Iterable[int], reason: str) -> None:
        """Record features that were left out."""
        self.refused.extend(Remark(int(fid), reason) for fid in fids)

    def repair(self, fids: Iterable[int], reason: str) -> None:
        """Record features that were changed."""
        self.repaired.extend(Remark(int(fid), reason) for fid in fids)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain data for JSON."""
        return {
            "counts": dict(self.counts),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "refused": [{"fid": remark.fid, "reason": remark.reason} for remark in self.refused],
            "repaired": [{"fid": remark.fid, "reason": remark.reason} for remark in self.repaired],
            "measures": dict(self.measures),
            "crossings": [asdict(crossing) for crossing in self.crossings],
        }


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
