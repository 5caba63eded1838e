"""How many matches the lanes' caps kept from being ranked: an upper bound, by what each kind of evidence needs."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from retrieval.admission import Gate
from retrieval.evidence import Evidence
from retrieval.lanes.exact import EXACT
from retrieval.lanes.host import HOST
from retrieval.lanes.lane import LaneProposal, Scope
from retrieval.lanes.lexical import LEXICAL
from retrieval.lanes.vector import VECTOR
from retrieval.relevance import RelevanceScale, TermWeights


class Overflow:
    """Bounds one projection's overflow, once everything was weighed.

    `frequencies` is empty where no index could count; `unsearched` bounds the records that no search by words has seen.
    """

    def __init__(
        self,
        proposals: Mapping[str, LaneProposal],
        gate: Gate,
        evidence: Evidence,
        weights: TermWeights,
        scale: RelevanceScale,
        scope: Scope,
        unsearched: int,
    ) -> None:
        self._proposals = proposals
        self._gate = gate
        self._evidence = evidence
        self._weights = weights
        self._scale = scale
        self._scope = scope
        self._unsearched = unsearched

    def bound(self, ranked: frozenset[int]) -> int:
        """An upper bound of the records at or above the floor that the lanes' caps kept from being ranked.

        A record reaches the floor by its words, its names, its likeness or a hint alone, so each kind is bounded
        apart. A record below the floor counts too where a cap kept one of the kinds from being measured. 0 where no
        cap was reached; where nothing can be grounded, hints alone count. What an index has not taken in is no cap's
        doing: its lane's lag and `NOT_SEARCHED` tell of it. Nor does this count what only a link would lift, for a
        link matches nothing of the goal: that the ranker's bounds left some out, the outcome of `links` says.
        """
        if not self._may_be_grounded():
            return self._beyond_hints(ranked)
        unsettled = self._unsettled(ranked)
        settled = self._gate.records.keys() - unsettled
        beyond = sum(proposal.beyond for proposal in self._proposals.values()) + self._beyond_words()
        ids = {i for proposal in self._proposals.values() for i in proposal.beyond_ids} | unsettled
        beyond += len(ids - settled - self._gate.refused.keys())
        return min(beyond, max(0, self._scope.records - len(settled)))

    def _beyond_hints(self, ranked: frozenset[int]) -> int:
        """An upper bound of the records that the host lane's caps kept out, whatever words the scope has."""
        host = self._proposals.get(HOST)
        if host is None:
            return 0
        ids = host.beyond_ids - ranked - self._gate.refused.keys()
        return min(host.beyond + len(ids), max(0, self._scope.records - len(ranked)))

    def _may_be_grounded(self) -> bool:
        """True where a record in scope may carry a word or a name of the goal, seen or kept out by a cap."""
        outcomes = {lane: proposal.outcome for lane, proposal in self._proposals.items()}
        if self._evidence.grounded or not any(outcome.truncated for outcome in outcomes.values()):
            return self._evidence.grounded
        return outcomes[EXACT].truncated or outcomes[LEXICAL].truncated or self._unsearched > 0

    def _unsettled(self, ranked: frozenset[int]) -> set[int]:
        """Admitted records below the floor that what a cap kept from being measured may yet lift to it."""
        exact, vector, host = self._proposals[EXACT], self._proposals[VECTOR], self._proposals.get(HOST)
        lost = vector.beyond > 0 or bool(vector.beyond_ids) or self._proposals[LEXICAL].outcome.truncated
        # While vectors are missing, a record of equal text beyond a cap may be the one that brings the cosine.
        any_unlike = vector.beyond > 0 or (lost and self._without_likeness() > 0)
        unsettled: set[int] = set()
        for record_id in self._gate.records.keys() - ranked:
            unnamed = exact.beyond > 0 or record_id in exact.beyond_ids
            unlike = record_id not in self._evidence.cosines and (any_unlike or record_id in vector.beyond_ids)
            unhinted = host is not None and (host.beyond > 0 or record_id in host.beyond_ids)
            if unnamed or unlike or unhinted or self._evidence.passes_grounded(record_id):
                unsettled.add(record_id)
        return unsettled

    def _beyond_words(self) -> int:
        """An upper bound of the records beyond the lexical cap that reach the floor by words, or by a likeness that
        the vector lane could not see."""
        lexical = self._proposals[LEXICAL].outcome
        if not lexical.truncated:
            return 0
        if not self._weights.frequencies:
            return self._scope.records
        seen = self._evidence.terms_of_goal(self._gate.records.keys() | self._gate.refused.keys())
        by_words = self._weights.unseen(seen, self._scale.coverage_needed, lexical.lag)
        return by_words + min(self._without_likeness(), self._weights.unseen(seen, self._weights.least, lexical.lag))

    def _without_likeness(self) -> int:
        """An upper bound of the records in scope whose likeness the vector lane could not tell, but the store may."""
        if not self._evidence.goal_vector:
            return 0
        vector = self._proposals[VECTOR].outcome
        if vector.state not in {"ok", "partial"}:
            return self._scope.records
        return max(vector.lag, ceil((1.0 - vector.covered) * self._scope.records - 1e-6))
