"""The words that every room shares: names, counts, fidelities and the cut.

Nothing here decides anything. Each word means one thing; `docs/glossary.md` lists them with the words
that are *not* used.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import NewType

TenantId = NewType("TenantId", str)
"""Whose data it is. Part of every storage key."""

AgentId = NewType("AgentId", str)
"""Owns exactly one working set within a tenant."""

Namespace = NewType("Namespace", str)
"""A corpus within a tenant, with a generation of its own."""

Ref = NewType("Ref", str)
"""Stable name of a record, `namespace:local`; it survives edits and moves."""

Turn = NewType("Turn", int)
"""The activity clock: how many Focus calls an agent has made. Starts at 0, before the first."""

Epoch = NewType("Epoch", int)
"""Counts how often the host reset its context."""

Tokens = NewType("Tokens", int)
"""A count of tokens by the configured tokenizer."""

Generation = NewType("Generation", int)
"""How many committed changes a namespace has had. 0 means never written."""

Digest = NewType("Digest", str)
"""Hexadecimal xxh3-128 of content. Equal digests are taken to be equal content."""

Heat = NewType("Heat", float)
"""How much recent use an entry has had, at a turn. Not negative."""

Relevance = NewType("Relevance", float)
"""How well a record answers the goal, 0 to 1, on one scale for all lanes. Never made from ranks."""


@unique
class Fidelity(Enum):
    """How much of a record's text is rendered; all renderings are extractive. Ordered by `rank`."""

    FULL = "full"
    OUTLINE = "outline"
    GIST = "gist"
    REFERENCE = "reference"

    @property
    def rank(self) -> int:
        """0 for FULL, rising as fidelity falls."""
        return _FIDELITY_RANK[self]


_FIDELITY_RANK = {fidelity: rank for rank, fidelity in enumerate(Fidelity)}


@unique
class Standing(Enum):
    """What the store says of a record at the cut."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    REMOVED = "removed"
    OUT_OF_SCOPE = "out_of_scope"


@unique
class Freshness(Enum):
    """Whether a record's text is known to be that of its source now. What was only retrieved is UNKNOWN."""

    CURRENT = "current"
    STALE = "stale"
    UNKNOWN = "unknown"


@unique
class SupportClosure(Enum):
    """How much of what a result needs by mandatory relations is there."""

    CLOSED = "closed"
    PARTIAL = "partial"
    RESOURCE_LIMITED = "resource_limited"
    NOT_REQUESTED = "not_requested"


@unique
class SearchCoverage(Enum):
    """What a search can claim to have looked at. Weaker claims come later."""

    EXHAUSTIVE = "exhaustive_for_declared_fragment"
    APPROXIMATE = "approximate"
    HEURISTIC = "heuristic"
    BOUNDED = "bounded"
    PARTIAL_BACKEND = "partial_backend"
    RESOURCE_LIMITED = "resource_limited"
    NOT_ATTEMPTED = "not_attempted"


@unique
class Translation(Enum):
    """What became of a hard constraint, such as the scope, in a lane.

    POST_FILTER: the lane found more and what lies outside was taken out afterwards. WEAKENED: so too, and its cap was
    reached before that, so that records within may be missing. UNSUPPORTED: the lane knows no such constraint at all.
    """

    PRESERVED = "preserved"
    POST_FILTER = "post_filter"
    WEAKENED = "weakened"
    UNSUPPORTED = "unsupported"


@unique
class OppositionCoverage(Enum):
    """How opposition was looked for. None of these says that there is none."""

    NOT_REQUESTED = "not_requested"
    RELATIONS = "relations"
    HEURISTIC = "heuristic"
    RESOURCE_LIMITED = "resource_limited"
    UNAVAILABLE = "unavailable"
    CANCELLED = "cancelled"


@unique
class Robustness(Enum):
    """How far results were checked against planted text: by counting origins, and by what speaks against them.

    RESOURCE_LIMITED is the most that can be said: within the bounds of the check nothing was amiss. DEGRADED: a lane
    did not take full part, or something that was owed for it is open.
    """

    NOT_REQUESTED = "not_requested"
    RESOURCE_LIMITED = "resource_limited"
    DEGRADED = "degraded"


@dataclass(frozen=True, slots=True)
class Lines:
    """An inclusive range of lines, counted from 1."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 1 or self.end < self.start:
            raise ValueError(f"lines {self.start}-{self.end}: start at 1 or later and end no earlier than start")

    def overlap(self, other: Lines) -> int:
        """How many lines both ranges hold."""
        return max(0, min(self.end, other.end) - max(self.start, other.start) + 1)

    @property
    def count(self) -> int:
        """How many lines the range holds."""
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class Cut:
    """The generation of each namespace a projection was computed at, sorted by namespace."""

    generations: tuple[tuple[Namespace, Generation], ...] = ()

    @classmethod
    def of(cls, generations: dict[Namespace, Generation]) -> Cut:
        """Make a cut from a mapping."""
        return cls(tuple(sorted(generations.items())))

    def at(self, namespace: Namespace) -> Generation | None:
        """Return the namespace's generation, or None where the cut does not read it."""
        return dict(self.generations).get(namespace)
