"""What orders the results of one class of query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from retrieval.ranking.look import Look

Features = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Scores by record id, higher is better, and the features behind them as receipts show them. A score orders the
    results of one query and means nothing else."""

    scores: Mapping[int, float]
    features: Mapping[int, Features] = field(default_factory=dict[int, Features])


class Ranker(Protocol):
    """One named, versioned way to order. Stateless between calls; safe from any thread.

    May raise IndexUnavailable, after which the order falls back to ranks and says so.
    """

    @property
    def name(self) -> str:
        """Name and version, as receipts show them."""
        ...

    def bring(self, look: Look) -> Mapping[int, float]:
        """Further records that what was found leads to, each with the strength in (0, 1] of what leads there.

        They are admitted like a lane's hits. Asked once, after the lanes; bounded by the ranker's settings.
        """
        ...

    def rank(self, look: Look, record_ids: Collection[int]) -> Ranked:
        """Scores for all of `record_ids`, which are admitted records at or above the relevance floor."""
        ...


@runtime_checkable
class Following(Protocol):
    """A ranker that looks at what it brought once more when it is admitted, between `bring` and `rank`."""

    def strengths(self, look: Look) -> Mapping[int, float]:
        """How strongly what was found leads to the admitted ones, in place of what `bring` said; 0 for the others."""
        ...

    def alike(self, look: Look) -> Sequence[int]:
        """Records whose likeness would tell most, best first: those without a vector are embedded before others."""
        ...
