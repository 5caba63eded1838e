"""What a projection owes its query, as the core and the wire see it: each obligation's outcome, and what is missing.

An obligation protects what ranking cannot: a required dependency, a counter-text, a date. Its status never says more
than was looked at: "no hit" is not "there is none".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique


@unique
class ObligationKind(Enum):
    """What is owed."""

    SUPPORT = "support"
    OPPOSITION = "opposition"
    DEFEATER = "defeater"
    FRESHNESS = "freshness"
    IDENTITY = "identity"
    INDEPENDENT_ORIGIN = "independent_origin"
    SCOPE = "scope"
    TEMPORAL_VALIDITY = "temporal_validity"
    EXCEPTION = "exception"
    DEFINITION = "definition"


@unique
class ObligationStatus(Enum):
    """How far it was met. EXHAUSTED_NO_HIT: all that was to be searched was searched, and nothing was found."""

    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    PARTIAL = "partial"
    EXHAUSTED_NO_HIT = "exhausted_no_hit"
    UNAVAILABLE = "unavailable"
    DENIED = "denied"
    RESOURCE_LIMITED = "resource_limited"
    CANCELLED = "cancelled"

    @property
    def open(self) -> bool:
        """True where something that was owed may be there and was not brought."""
        return self not in {ObligationStatus.SATISFIED, ObligationStatus.EXHAUSTED_NO_HIT}


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that was owed and is not there, and what would fill it, both in words; `ref` where it is a record."""

    what: str
    fill: str
    ref: str = ""


@dataclass(frozen=True, slots=True)
class ObligationOutcome:
    """What became of one obligation of a projection.

    `subject` is what it is owed for: a ref, or empty for the goal itself. `lanes` are those that were asked for it.
    `spent` and `budget` are in the unit of the kind (records looked at, edges visited). Of many gaps the first are
    named; `gap_count` counts all.
    """

    kind: ObligationKind
    status: ObligationStatus
    required: bool
    subject: str = ""
    lanes: tuple[str, ...] = ()
    spent: int = 0
    budget: int = 0
    note: str = ""
    gaps: tuple[Gap, ...] = ()
    gap_count: int = 0

    @property
    def open(self) -> bool:
        """True for a required obligation that was not met."""
        return self.required and self.status.open
