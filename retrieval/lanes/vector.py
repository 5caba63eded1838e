"""The vector lane: cosine to the embedded goal, and a re-rank of chosen records while the index is still filling.

Searching all vectors and re-ranking only the lexical top 50 are nearly as good as one another on code (.776 / .773
recall@10), so missing vectors are made on demand for the best lexical hits, within a count and a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Protocol, TypeAlias

from retrieval.ahead import Ahead
from retrieval.deadline import Deadline
from retrieval.errors import IndexUnavailable
from retrieval.goal import Goal
from retrieval.index.embed_ahead import EmbedderAhead
from retrieval.index.sensor import Embedder, Hit, IndexProgress, VectorSearch
from retrieval.lanes.contract import Cosine, HardFilter, LaneContract, Reads
from retrieval.lanes.lag import lag_of
from retrieval.lanes.lane import LaneHit, LaneProposal, Scope, nothing
from retrieval.record import Record
from retrieval.settings import LaneSettings
from retrieval.store.interface import Snapshot
from retrieval.text.embedding import embeddable
from workingset.candidate import LaneOutcome
from workingset.vocabulary import SearchCoverage, TenantId

VECTOR = "vector"

_COSINE_NOISE = 1e-4
"""More than the index's rounding and half floats move a cosine: what lies so close to strong counts as strong."""


class Demanded(Protocol):
    """Unit vectors of records in the order asked, None where there is none, and how many texts were embedded."""

    @property
    def vectors(self) -> Sequence[Sequence[float] | None]: ...

    @property
    def computed(self) -> int: ...


class Demand(Protocol):
    """Vectors of records, missing ones made now: `retrieval.index.follower.IndexFollower.embed_now`."""

    def __call__(
        self, tenant: TenantId, records: Sequence[Record], limit: int | None, cancelled: Callable[[], bool], /
    ) -> Demanded:
        """Embed at most `limit` texts, until `cancelled()`; raises IndexUnavailable."""
        ...


Prefer: TypeAlias = Callable[[TenantId, Sequence[int]], None]
"""Asks for vectors of these records before all others, some time: `IndexFollower.prefer`."""


class VectorLane:
    """Embeds the goal once and asks the vector index of each namespace for its nearest.

    Where every vector of the namespaces asked was compared, the records at least as near as `strong_cosine` are all
    there are, and the lane says so, unless its cap keeps some of them out.
    """

    name = VECTOR
    contract = LaneContract(VECTOR, 2, SearchCoverage.EXHAUSTIVE, HardFilter.NATIVE, Reads.FOLLOWER, Cosine)

    def __init__(
        self,
        index: VectorSearch,
        embedder: Embedder,
        progress: IndexProgress,
        settings: LaneSettings,
        strong_cosine: float,
    ) -> None:
        self._index = index
        self._embedder: Embedder = embedder
        self._progress = progress
        self._settings = settings
        self._strong_cosine = strong_cosine - _COSINE_NOISE

    def begun(self, goal: Goal, ahead: Ahead) -> VectorLane:
        """The same lane with the goal's embedding under way."""
        lane = copy(self)
        lane._embedder = EmbedderAhead(self._embedder, goal.embedded, ahead)
        return lane

    def propose(self, txn: Snapshot, goal: Goal, scope: Scope, deadline: Deadline) -> LaneProposal:
        """The nearest records by cosine; raises IndexUnavailable and DeadlinePassed.

        Where the nearest are all at least `strong_cosine`, more are looked at and named in `beyond_ids`.
        """
        if not goal.embedded:
            return nothing(VECTOR, "skipped", "the goal has no text to embed", covered=1.0)
        deadline.check()
        vector = self._embedder.embed([goal.embedded])[0]
        deadline.check()
        cap = self._settings.vector_hits
        try:
            hits, compared = self._nearest(scope, vector, cap + 1)
            strong_beyond: frozenset[int] = frozenset()
            beyond = 0
            if len(hits) > cap and hits[cap].score >= self._strong_cosine:
                strong_beyond, beyond = self._strong_beyond(scope, vector, cap)
        except IndexUnavailable as unavailable:
            down = nothing(VECTOR, "unavailable", str(unavailable))
            return replace(down, embedding_calls=1, vector=vector)
        claim = SearchCoverage.EXHAUSTIVE if compared and not (strong_beyond or beyond) else SearchCoverage.APPROXIMATE
        outcome = self._outcome(txn, scope, min(len(hits), cap), claim, truncated=len(hits) > cap)
        ranked = tuple(LaneHit(hit.record_id, Cosine(hit.score, self._embedder.fingerprint)) for hit in hits[:cap])
        return LaneProposal(ranked, outcome, strong_beyond, beyond, embedding_calls=1, vector=vector)

    def _nearest(self, scope: Scope, vector: Sequence[float], limit: int) -> tuple[list[Hit], bool]:
        """The nearest of all namespaces, and whether every vector was compared."""
        answers = [self._index.answer(scope.tenant, namespace, vector, limit) for namespace in scope.namespaces]
        hits = sorted((hit for each in answers for hit in each.hits), key=lambda hit: (-hit.score, hit.record_id))
        return hits[:limit], all(each.exhaustive for each in answers)

    def _strong_beyond(self, scope: Scope, vector: Sequence[float], cap: int) -> tuple[frozenset[int], int]:
        """Strong hits behind the cap by id, and a bound of those that even the probe does not reach."""
        probe = self._settings.vector_probe
        wide, _ = self._nearest(scope, vector, probe + 1)
        strong = frozenset(hit.record_id for hit in wide[cap:] if hit.score >= self._strong_cosine)
        endless = len(wide) > probe and wide[-1].score >= self._strong_cosine
        return strong, scope.records if endless else 0

    def _outcome(
        self, txn: Snapshot, scope: Scope, hits: int, claim: SearchCoverage, *, truncated: bool
    ) -> LaneOutcome:
        counts = {ns: txn.counts(ns) for ns in scope.namespaces}
        wanted = {ns: embeddable(counts[ns].kinds) for ns in scope.namespaces}
        held = {ns: min(self._index.count(scope.tenant, ns), wanted[ns]) for ns in scope.namespaces}
        settled = {ns: held[ns] + counts[ns].records - wanted[ns] for ns in scope.namespaces}
        behind = lag_of(txn, self._progress, VECTOR, scope, self._settings.lag_probe, settled)
        records = sum(wanted.values())
        covered = sum(held.values()) / records if records else behind.covered
        if behind.changes and records:
            covered = min(covered, (records - 1) / records)
        partial = behind.changes > 0 or covered < 1.0
        return LaneOutcome(
            VECTOR,
            "partial" if partial else "ok",
            hits=hits,
            covered=covered,
            lag=behind.changes,
            coverage=SearchCoverage.PARTIAL_BACKEND if partial else claim,
            note=behind.note,
            truncated=truncated,
        )


def rerank(
    proposal: LaneProposal,
    records: Sequence[tuple[int, Record]],
    tenant: TenantId,
    demand: Demand,
    model: str,
    settings: LaneSettings,
    deadline: Deadline,
) -> LaneProposal:
    """Add the cosines of records that the vector lane has not seen to its proposal, embedding them now.

    `records` are (record id, record) in the order they matter. Stops at the settings' count, at their time or at the
    deadline, and says in the outcome's note how far it came. A failing embedder is noted and costs nothing else.
    """
    wanted = records[: settings.demand_hits]
    bound = deadline.within(settings.demand_seconds)
    if bound.over():
        return _noted(proposal, f"no time to embed {len(wanted)} lexical hits on demand")
    try:
        made = demand(tenant, [record for _, record in wanted], settings.demand_hits, bound.over)
    except IndexUnavailable as unavailable:
        return _noted(proposal, f"no lexical hits embedded on demand: {unavailable}")
    added = [
        LaneHit(record_id, Cosine(cosine(proposal.vector, vector), model))
        for (record_id, _), vector in zip(wanted, made.vectors, strict=True)
        if vector is not None
    ]
    noted = _noted(proposal, f"{len(added)} of {len(records)} lexical hits without a vector looked at on demand")
    outcome = replace(noted.outcome, hits=noted.outcome.hits + len(added))
    calls = noted.embedding_calls + made.computed
    return replace(noted, hits=(*noted.hits, *added), outcome=outcome, embedding_calls=calls)


def _noted(proposal: LaneProposal, note: str) -> LaneProposal:
    whole = "; ".join(part for part in (proposal.outcome.note, note) if part)
    return replace(proposal, outcome=replace(proposal.outcome, note=whole))


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """The cosine of two unit vectors, within [-1, 1]."""
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(left, right, strict=True))))
