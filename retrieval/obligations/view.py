"""One projection as the obligations see it, once lanes, ranking and closure are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.goal import Goal
from retrieval.identities import Identities
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
class View:
    """Everything an obligation may look at. `ranked` is best first; `origin` of a candidate is its component's name.

    `proposed` are pairs so alike that they may be one thing, which no relation settles. `guarded` holds, by result, the
    guards and rules among what it needs, `support` what results need and is no result itself. `unsearched` bounds the
    records that no search has seen. `origins_bounded` says that not all relations of origin were read.
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
    proposed: tuple[tuple[Ref, Ref], ...]
    guarded: Mapping[Ref, tuple[Ref, ...]]
    support: Mapping[Ref, Candidate] = field(default_factory=dict[Ref, Candidate])
    origins_bounded: bool = False

    def best(self, results: int) -> tuple[Candidate, ...]:
        """The best results."""
        return self.ranked[:results]

    def needed(self, results: int) -> tuple[Candidate, ...]:
        """What the best results need and is not among them, by ref; what opposes them is no need."""
        best = self.best(results)
        needs = {ref for c in best for ref in c.requires if ref not in c.opposed_by}
        known = {**self.support, **{c.ref: c for c in self.ranked}}
        return tuple(known[ref] for ref in sorted(needs.difference(c.ref for c in best)) if ref in known)
