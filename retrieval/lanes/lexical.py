"""The lexical lane: BM25 over identifier-aware terms, through an index that follows the store."""

from __future__ import annotations

from retrieval.deadline import Deadline
from retrieval.goal import Goal
from retrieval.index.sensor import IndexProgress, LexicalSearch, Sieve
from retrieval.lanes.contract import Bm25, HardFilter, LaneContract, Reads
from retrieval.lanes.lag import lag_of
from retrieval.lanes.lane import BRIDGE_KINDS, LaneHit, LaneProposal, Scope, nothing
from retrieval.settings import LaneSettings
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome
from workingset.vocabulary import SearchCoverage

LEXICAL = "lexical"
_SIEVE = Sieve(not_kinds=BRIDGE_KINDS)


class LexicalLane:
    """Asks the lexical index for one hit more than its cap, so that it knows whether more matched."""

    name = LEXICAL
    contract = LaneContract(LEXICAL, 1, SearchCoverage.HEURISTIC, HardFilter.NATIVE, Reads.FOLLOWER, Bm25)

    def __init__(self, index: LexicalSearch, progress: IndexProgress, settings: LaneSettings) -> None:
        self._index = index
        self._progress = progress
        self._settings = settings

    def propose(self, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline) -> LaneProposal:
        """The best hits by BM25; raises IndexUnavailable.

        How many matches lie beyond the cap is not known here: `truncated` says that there are some, and
        `retrieval.relevance` bounds those that could matter.
        """
        if not goal.terms:
            return nothing(LEXICAL, "skipped", "the goal has no searchable words", covered=1.0)
        deadline.check()
        cap = self._settings.lexical_hits
        hits = self._index.search(scope.tenant, scope.namespaces, goal.terms, cap + 1, sieve=_SIEVE)
        behind = lag_of(txn, self._progress, LEXICAL, scope, self._settings.lag_probe, {})
        truncated = len(hits) > cap
        coverage = SearchCoverage.BOUNDED if truncated else SearchCoverage.HEURISTIC
        outcome = LaneOutcome(
            LEXICAL,
            "partial" if behind.changes else "ok",
            hits=min(len(hits), cap),
            covered=behind.covered,
            lag=behind.changes,
            coverage=SearchCoverage.PARTIAL_BACKEND if behind.changes else coverage,
            note="; ".join(part for part in (goal.caps, behind.note) if part),
            truncated=truncated,
        )
        return LaneProposal(tuple(LaneHit(hit.record_id, Bm25(hit.score)) for hit in hits[:cap]), outcome)
