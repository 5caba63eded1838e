"""The opposing lane: records that may speak against the goal, read as a claim. For profiles that owe opposition.

It searches by words and by likeness for what the claim is about, without the words of its verdict; then once more near
the best of what was found; and lets cues, and the user's judge of stance where there is one, settle the order. What it
proposes are candidates: a text for the claim fits its topic too. What is neither like the topic nor holds its words is
no candidate. That it found none says nothing of there being none.

Source: measured (design, recipes, 3): opposing text is less like a claim than supporting text, so that it is lost below
the cut, and a query by topic brings it back. We deviate in searching by words without the verdict's words too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from retrieval.deadline import Deadline
from retrieval.errors import IndexUnavailable
from retrieval.goal import Goal
from retrieval.index.sensor import Embedder, Hit, IndexProgress, LexicalSearch, Sieve, VectorSearch, WeightedTerm
from retrieval.lanes.contract import HardFilter, LaneContract, Opposing, Reads
from retrieval.lanes.lag import lag_of
from retrieval.lanes.lane import BRIDGE_KINDS, LaneHit, LaneProposal, Scope, nothing
from retrieval.lanes.lexical import LEXICAL
from retrieval.lanes.opposing_pool import Pool
from retrieval.lanes.vector import VECTOR
from retrieval.notes import joined
from retrieval.stance.judge import StanceJudge
from retrieval.stance.scoring import by_stance
from retrieval.stance.settings import OpposingSettings
from retrieval.stance.topic import topic_terms, topic_text
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome
from workingset.vocabulary import SearchCoverage

OPPOSING = "opposing"
NONE_FOUND = "searched, none found"
_SIEVE = Sieve(not_kinds=BRIDGE_KINDS)


class OpposingLane:
    """Searches both indexes; where one of them is down the other answers, and the outcome says so."""

    name = OPPOSING
    contract = LaneContract(OPPOSING, 1, SearchCoverage.HEURISTIC, HardFilter.NATIVE, Reads.FOLLOWER, Opposing)

    def __init__(
        self,
        lexical: LexicalSearch,
        vector: VectorSearch,
        embedder: Embedder,
        progress: IndexProgress,
        settings: OpposingSettings,
        judge: StanceJudge | None = None,
    ) -> None:
        """`judge` is a model of the user's own; without one, cues alone settle the order."""
        self._lexical = lexical
        self._vector = vector
        self._embedder = embedder
        self._progress = progress
        self._settings = settings
        self._judge = judge

    def propose(self, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline) -> LaneProposal:
        """Candidates, the likeliest first; raises IndexUnavailable where neither index answers, and DeadlinePassed."""
        if not goal.terms and not goal.embedded:
            return nothing(OPPOSING, "skipped", "the goal makes no claim in words", covered=1.0)
        deadline.check()
        topic = topic_text(goal.embedded)
        terms = topic_terms(goal.terms, topic)
        told = frozenset(term.term for term in terms)
        pool = Pool(txn, scope, self._embedder.fingerprint, told, self._settings)
        failures = self._search(terms, topic, pool, deadline)
        ordering = by_stance(goal.text, pool.fits(), pool.texts(), self._settings, self._judge, deadline)
        best = ordering.scored[: self._settings.hits]
        found = "" if best else NONE_FOUND
        outcome = LaneOutcome(
            OPPOSING,
            "partial" if failures else "ok",
            hits=len(best),
            coverage=SearchCoverage.HEURISTIC,
            note=joined(goal.caps, *failures, *ordering.notes, found),
            truncated=len(ordering.scored) > len(best),
        )
        hits = tuple(LaneHit(each.record_id, Opposing(each.score, each.cues)) for each in best)
        return LaneProposal(hits, self._claimed(txn, scope, outcome), embedding_calls=pool.embedding_calls)

    def _search(self, terms: Sequence[WeightedTerm], topic: str, pool: Pool, deadline: Deadline) -> list[str]:
        """Fill the pool, by words, then by likeness; what could not be asked, in words."""
        failures: list[str] = []
        searches = (partial(self._by_words, terms), partial(self._by_likeness, topic))
        for search in searches:
            try:
                search(pool)
            except IndexUnavailable as failure:
                failures.append(f"one of two searches could not be made: {failure}")
            deadline.check()
        if len(failures) == len(searches):
            raise IndexUnavailable("; ".join(failures))
        return failures

    def _by_words(self, terms: Sequence[WeightedTerm], pool: Pool) -> None:
        scope, limit = pool.scope, self._settings.lexical_hits
        if terms:
            pool.by_words(self._lexical.search(scope.tenant, scope.namespaces, terms, limit, sieve=_SIEVE))

    def _by_likeness(self, topic: str, pool: Pool) -> None:
        """Near the topic, then near the topic and the best of the pool together."""
        if not topic:
            return
        vector = self._embedder.embed([topic])[0]
        pool.embedding_calls += 1
        pool.by_likeness(vector, self._nearest(pool.scope, vector, self._settings.vector_hits))
        moved = pool.feedback()
        if moved:
            pool.by_feedback(self._nearest(pool.scope, moved, self._settings.feedback_hits))

    def _nearest(self, scope: Scope, vector: Sequence[float], limit: int) -> list[Hit]:
        answers = [self._vector.answer(scope.tenant, namespace, vector, limit) for namespace in scope.namespaces]
        hits = sorted((hit for each in answers for hit in each.hits), key=lambda hit: (-hit.score, hit.record_id))
        return hits[:limit]

    def _claimed(self, txn: Snapshot, scope: Scope, outcome: LaneOutcome) -> LaneOutcome:
        """The outcome with what both indexes lack: the search covers no more than the one that is further behind."""
        probe, held = self._settings.lag_probe, {ns: self._vector.count(scope.tenant, ns) for ns in scope.namespaces}
        lexical = lag_of(txn, self._progress, LEXICAL, scope, probe, {})
        vector = lag_of(txn, self._progress, VECTOR, scope, probe, held)
        partial = outcome.state == "partial" or lexical.changes > 0 or vector.changes > 0
        bounded = SearchCoverage.BOUNDED if outcome.truncated else SearchCoverage.HEURISTIC
        return replace(
            outcome,
            state="partial" if partial else "ok",
            covered=min(lexical.covered, vector.covered),
            lag=max(lexical.changes, vector.changes),
            coverage=SearchCoverage.PARTIAL_BACKEND if partial else bounded,
            note=joined(outcome.note, lexical.note, vector.note),
        )


def best_first(hits: Iterable[LaneHit]) -> tuple[int, ...]:
    """Record ids of the lane's hits in the lane's own order, each once; lanes are run with hits in the order of ids."""
    ordered = sorted(hits, key=lambda hit: (-hit.rank.order_value, hit.record_id))
    return tuple(dict.fromkeys(hit.record_id for hit in ordered))
