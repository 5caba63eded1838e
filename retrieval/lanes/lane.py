"""What every lane is: a source of hits for a goal within a scope. Lanes propose; the store at the cut decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from retrieval.deadline import Deadline
from retrieval.goal import Goal
from retrieval.lanes.contract import LaneContract, RankInfo
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome
from workingset.vocabulary import Cut, Namespace, SearchCoverage, TenantId

BRIDGE_KINDS = ("commit",)
"""Kinds of records that lead to others: searched by rankers, and results only where the goal names them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: the tenant's namespaces, sorted, at the cut, and how many live records they hold."""

    tenant: TenantId
    namespaces: tuple[Namespace, ...]
    cut: Cut
    records: int


@dataclass(frozen=True, slots=True)
class LaneHit:
    """One record that a lane proposes, with the lane's own typed rank. A record may be hit by several names."""

    record_id: int
    rank: RankInfo


@dataclass(frozen=True, slots=True)
class LaneProposal:
    """A lane's answer.

    What the lane's caps kept out is named by id where it is known (`beyond_ids`) and else counted (`beyond`, an upper
    bound). `vector` is the goal's own, where the lane embedded it.
    """

    hits: tuple[LaneHit, ...]
    outcome: LaneOutcome
    beyond_ids: frozenset[int] = frozenset()
    beyond: int = 0
    embedding_calls: int = 0
    vector: tuple[float, ...] = ()


class Lane(Protocol):
    """One way of finding. Stateless between calls; may be asked from several threads with snapshots of their own."""

    @property
    def name(self) -> str: ...

    @property
    def contract(self) -> LaneContract: ...

    def propose(self, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline) -> LaneProposal:
        """Hits for the goal, at most the lane's caps.

        Raises IndexUnavailable where its index is down and DeadlinePassed where time ran out.
        """
        ...


def nothing(
    lane: str, state: str, note: str, coverage: SearchCoverage = SearchCoverage.NOT_ATTEMPTED, covered: float = 0.0
) -> LaneProposal:
    """A proposal without hits that says why."""
    return LaneProposal((), LaneOutcome(lane, state, covered=covered, coverage=coverage, note=note))
