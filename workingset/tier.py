"""The five tiers, and the table of moves between them that are legal.

A move that the table does not hold cannot be written down: `Move` refuses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from workingset.errors import IllegalMove
from workingset.vocabulary import Ref


@unique
class Tier(Enum):
    """How strong an entry's hold on its place is; see `docs/glossary.md` for each contract."""

    PINNED = "pinned"
    MANDATORY = "mandatory"
    RESIDENT = "resident"
    FRONTIER_ONLY = "frontier_only"
    EVICTED = "evicted"


@unique
class Cause(Enum):
    """Why an entry moved."""

    RESULT = "result of the goal"
    NEEDED = "needed by a result"
    RELEVANT = "relevant, not given a place"
    FAULT = "used while not in the set at full fidelity"
    PINNED = "pinned"
    GOAL = "goal of the turn"
    UNPINNED = "unpinned"
    EXPIRED = "pin expired"
    NEW_GOAL = "the goal was replaced"
    PRESSURE = "budget pressure"
    COOLED = "cooled"
    REFOCUS = "the subject moved"
    DEPENDENTS_LEFT = "nothing that needs it is left"
    REMOVED = "its record was removed"
    OUT_OF_SCOPE = "its record is out of scope"
    SUPERSEDED = "its record was superseded"
    ASKED = "the host asked"
    NEED_EVICTED = "what it needs was evicted"
    NEW_REQUEST = "the user asked something else"
    CLOSED = "the user's request was closed"
    KEPT = "kept as history"
    UNDONE = "the refocus was taken back"


_LEAVES_AT_WILL = frozenset(
    {
        Cause.PRESSURE,
        Cause.COOLED,
        Cause.REFOCUS,
        Cause.REMOVED,
        Cause.OUT_OF_SCOPE,
        Cause.SUPERSEDED,
        Cause.ASKED,
        Cause.NEED_EVICTED,
        Cause.UNDONE,
    }
)
_PIN = frozenset({Cause.PINNED, Cause.GOAL})
_UNPIN = frozenset({Cause.UNPINNED, Cause.EXPIRED})
_ENTRY: dict[Tier, frozenset[Cause]] = {
    Tier.PINNED: _PIN,
    Tier.MANDATORY: frozenset({Cause.NEEDED}),
    Tier.RESIDENT: frozenset({Cause.RESULT, Cause.FAULT, Cause.KEPT, Cause.UNDONE}),
    Tier.FRONTIER_ONLY: frozenset({Cause.RELEVANT, Cause.UNDONE}),
}

LEGAL: dict[tuple[Tier, Tier], frozenset[Cause]] = {
    **{(Tier.EVICTED, to): causes for to, causes in _ENTRY.items()},
    (Tier.FRONTIER_ONLY, Tier.PINNED): _PIN,
    (Tier.FRONTIER_ONLY, Tier.MANDATORY): frozenset({Cause.NEEDED}),
    (Tier.FRONTIER_ONLY, Tier.RESIDENT): frozenset({Cause.RESULT, Cause.FAULT, Cause.KEPT, Cause.UNDONE}),
    (Tier.FRONTIER_ONLY, Tier.EVICTED): _LEAVES_AT_WILL,
    (Tier.RESIDENT, Tier.PINNED): _PIN,
    (Tier.RESIDENT, Tier.MANDATORY): frozenset({Cause.NEEDED}),
    (Tier.RESIDENT, Tier.FRONTIER_ONLY): frozenset({Cause.PRESSURE, Cause.COOLED, Cause.REFOCUS, Cause.UNDONE}),
    (Tier.RESIDENT, Tier.EVICTED): _LEAVES_AT_WILL,
    (Tier.MANDATORY, Tier.PINNED): _PIN,
    (Tier.MANDATORY, Tier.RESIDENT): frozenset({Cause.DEPENDENTS_LEFT}),
    (Tier.MANDATORY, Tier.EVICTED): frozenset(
        {
            Cause.DEPENDENTS_LEFT,
            Cause.ASKED,
            Cause.NEED_EVICTED,
            Cause.REMOVED,
            Cause.OUT_OF_SCOPE,
            Cause.SUPERSEDED,
            Cause.NEW_GOAL,
            Cause.NEW_REQUEST,
            Cause.CLOSED,
            Cause.UNDONE,
        }
    ),
    (Tier.PINNED, Tier.MANDATORY): _UNPIN,
    (Tier.PINNED, Tier.RESIDENT): _UNPIN,
    (Tier.PINNED, Tier.EVICTED): _UNPIN | {Cause.NEW_GOAL, Cause.SUPERSEDED},
}
"""Every legal move and the causes that may bring it about. EVICTED as origin means "not in the set"."""


@dataclass(frozen=True, slots=True)
class Move:
    """One entry's change of tier; raises IllegalMove where the table does not hold it."""

    ref: Ref
    origin: Tier
    target: Tier
    cause: Cause
    title: str = ""
    detail: str = ""

    def __post_init__(self) -> None:
        if self.cause not in LEGAL.get((self.origin, self.target), frozenset()):
            raise IllegalMove(f"{self.ref}: {self.origin.value} -> {self.target.value} because {self.cause.value}")

    @property
    def reason(self) -> str:
        """The cause and its detail, for people."""
        return f"{self.cause.value}: {self.detail}" if self.detail else self.cause.value
