"""One projection as the obligations see it, once lanes, ranking and closure are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.goal import Goal
from retrieval.lanes.lane import Scope
from workingset.candidate import Candidate, Entity, LaneOutcome
from workingset.vocabulary import Ref


@dataclass(frozen=True, slots=True)
class Opposed:
    """What relations say against one result: live records, those that could not be brought, and how many were unread.

    `barred` names opposers that are no longer valid, or out of the scope: they oppose nothing now, and are counted.
    """

    by: tuple[Ref, ...] = ()
    unread: int = 0
    barred: int = 0


@dataclass(frozen=True, slots=True)
class Identities:
    """Which results are one thing, by relations: groups of refs, best first; pairs that a relation keeps apart though
    others would join them; pairs so alike that they may be one, which nothing merges. `bounded`: not all was read."""

    groups: tuple[tuple[Ref, ...], ...] = ()
    apart: tuple[tuple[Ref, Ref], ...] = ()
    proposed: tuple[tuple[Ref, Ref], ...] = ()
    bounded: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """Everything an obligation may look at. `ranked` is best first; `origin` of a candidate is its component's name.

    `guarded` holds, by result, the guards and rules among what it needs. `unsearched` bounds the records that no search
    has seen.
    """

    goal: Goal
    scope: Scope
    ranked: tuple[Candidate, ...]
    lanes: Mapping[str, LaneOutcome]
    rejected: Mapping[str, int]
    unsearched: int
    entities: tuple[Entity, ...]
    opposed: Mapping[Ref, Opposed]
    identities: Identities
    guarded: Mapping[Ref, tuple[Ref, ...]]

    def best(self, results: int) -> tuple[Candidate, ...]:
        """The best results."""
        return self.ranked[:results]
