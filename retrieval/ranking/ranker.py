"""What orders the results of one class of query."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.ahead import Ahead
from retrieval.goal import Goal
from retrieval.lanes.lane import Scope
from retrieval.ranking.look import Look
from retrieval.store.interface import Snapshot

Features = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Scores by record id, higher is better, and the features behind them as receipts show them. A score orders the
    results of one query and means nothing else."""

    scores: Mapping[int, float]
    features: Mapping[int, Features] = field(default_factory=dict[int, Features])


class Ranking(ABC):
    """The ordering of one projection: asked in the order of the methods, by one thread, with looks at that projection
    alone. What it finds in one step it may keep for the next.

    `bring`, `strengths` and `rank` may raise IndexUnavailable or DeadlinePassed: nothing is then brought, or the order
    falls back to ranks, and the answer says so. `alike` never raises; `bring` may have.
    """

    left: int = 0
    """How many more than it brought `bring` was led to, at least, and left out by its bounds."""

    def set_out(self, look: Look, ahead: Ahead) -> None:
        """Begin what needs the goal alone, beside the lanes: `look` has no hits and no records yet.

        Need not be called.
        """
        del look, ahead

    def prepare(self, look: Look) -> None:
        """Ask what needs no likeness, while the goal is still being embedded: `look` has what the first lanes found.

        Need not be called, and does nothing that `bring` would not do; raises IndexUnavailable and DeadlinePassed.
        """
        del look

    @abstractmethod
    def bring(self, look: Look) -> Mapping[int, float]:
        """Further records that what was found leads to, each with the strength in (0, 1] of what leads there.

        They are admitted like a lane's hits. Asked once, after the lanes; bounded by the ranker's settings.
        """

    def strengths(self, look: Look, brought: Mapping[int, float]) -> Mapping[int, float]:
        """The strengths of what was `brought` once it is admitted and can be read; 0 for what leads nowhere."""
        del look
        return brought

    def alike(self, look: Look) -> Sequence[int]:
        """Records whose likeness would tell most, best first: those without a vector are embedded before others."""
        del look
        return ()

    @abstractmethod
    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Scores for all of `record_ids`, which are admitted records at or above the relevance floor."""


class Ranker(ABC):
    """One named, versioned way to order. Safe from any thread."""

    name: str
    """Name and version, as receipts show them."""

    def read(self, txn: Snapshot, scope: Scope, goal: Goal) -> Goal:
        """The goal as the lanes shall be asked for it in this class of query."""
        del txn, scope
        return goal

    @abstractmethod
    def begin(self) -> Ranking:
        """What orders one projection."""
