"""What a projection owed its query, and how results stand to the manifests of their trees."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.shared import ReasonCount
from hotset.types.words import ObligationKind, ObligationStatus


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that was owed and is not there, and what would fill it; `ref` where it is a record."""

    what: str
    fill: str
    ref: str


@dataclass(frozen=True, slots=True)
class Obligation:
    """One obligation of the attention profile and what became of it. `gaps` are the first of `gap_count`."""

    kind: ObligationKind
    status: ObligationStatus
    required: bool
    subject: str
    lanes: tuple[str, ...]
    spent: int
    budget: int
    note: str
    gaps: tuple[Gap, ...]
    gap_count: int

    @property
    def open(self) -> bool:
        """True for a required obligation that was not met."""
        met = {ObligationStatus.SATISFIED, ObligationStatus.EXHAUSTED_NO_HIT}
        return self.required and self.status not in met


@dataclass(frozen=True, slots=True)
class Opposed:
    """The live records that relations set against a ranked record, or against what it needs."""

    ref: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Erosion:
    """A ranked record whose file breaks rules of its tree's manifest, and which."""

    ref: str
    because: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """Ranked records by verdict, files that must be there and are not, unusable manifests, the first that break
    rules."""

    counts: tuple[ReasonCount, ...]
    missing: tuple[str, ...]
    errors: tuple[str, ...]
    eroded: tuple[Erosion, ...]
