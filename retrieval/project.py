"""From a goal to a projection: the one entry point of retrieval.

Lanes propose, the store at the cut admits, one scale weighs, fusion orders, closure adds what results need. Every step
reads a record once; nothing here reads a clock (the deadline carries one), calls a generative model, or writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrieval.ahead import Ahead
from retrieval.deadline import Deadline
from retrieval.evidence import Evidence
from retrieval.execution import Order, as_given
from retrieval.freshness import freshness_check
from retrieval.gathering import Parts
from retrieval.history.reading import Histories
from retrieval.index.sensor import Embedder, IndexProgress, LexicalSearch, VectorSearch
from retrieval.lanes.exact import ExactLane
from retrieval.lanes.lane import Lane
from retrieval.lanes.lexical import LexicalLane
from retrieval.lanes.opposing import OPPOSING, OpposingLane
from retrieval.lanes.vector import Demand, Prefer, VectorLane
from retrieval.obligations.profiles import PLAIN
from retrieval.projecting import Projecting
from retrieval.query import Query, Reading
from retrieval.ranking.by_ranks import ByRanks
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranker
from retrieval.ranking.rankers import rankers
from retrieval.record import Record
from retrieval.record_terms import RecordTerms
from retrieval.relevance import RelevanceScale, TermWeights
from retrieval.scoping import scope_of
from retrieval.settings import RetrievalSettings
from retrieval.sources import SourceCheck, never_checked
from retrieval.stance.judge import StanceJudge
from retrieval.standing import Standings
from retrieval.store.interface import Snapshot
from workingset.candidate import Projection
from workingset.vocabulary import Ref

__all__ = ["Query", "Reading", "Retrieval"]


class Retrieval:
    """Answers queries over any snapshot. Built once; holds no state but analysed terms, and is safe from any thread."""

    def __init__(
        self,
        lexical: LexicalSearch,
        vector: VectorSearch,
        embedder: Embedder,
        progress: IndexProgress,
        demand: Demand | None,
        settings: RetrievalSettings,
        *,
        prefer: Prefer | None = None,
        sources: SourceCheck = never_checked,
        histories: Histories | None = None,
        judge: StanceJudge | None = None,
        extra_lanes: Sequence[Lane] = (),
        ranked_by: Mapping[QueryClass, Ranker] | None = None,
        order: Order = as_given,
    ) -> None:
        """`demand` embeds records whose vectors are missing, None where that cannot be done; `prefer` is told of them.
        `sources` looks at the files that records came from, `histories` at the trees' past.
        `judge` is a model of the user's own that tells text against a claim from text for it.

        `extra_lanes` run beside exact, lexical and vector, `ranked_by` replaces rankers of the registry; `order` says
        in which sequence lanes answer and changes nothing of the result.
        """
        scale = RelevanceScale(settings.relevance)
        self._parts = Parts(
            lanes=(
                ExactLane(settings.lanes),
                LexicalLane(lexical, progress, settings.lanes),
            ),
            vector=VectorLane(vector, embedder, progress, settings.lanes, scale.strong_cosine),
            extra_lanes=tuple(extra_lanes),
            owed_lanes={OPPOSING: OpposingLane(lexical, vector, embedder, progress, settings.opposing, judge)},
            ahead=Ahead(),
            lexical=lexical,
            model=embedder.fingerprint,
            demand=demand,
            prefer=prefer,
            terms=RecordTerms(settings.relevance.memo_records),
            scale=scale,
            rankers={**rankers(settings, histories or Histories()), **(ranked_by or {})},
            by_ranks=ByRanks(settings.fusion),
            order=order,
            settings=settings,
            sources=sources,
        )

    def project(self, txn: Snapshot, query: Query, deadline: Deadline) -> Projection:
        """Everything that can be said about the goal at the snapshot's newest cut.

        Lanes that fail or run out of time are outcomes; the store's own errors are raised.
        """
        return Projecting(self._parts, txn, query, deadline).project()

    def read(self, txn: Snapshot, refs: Sequence[Ref], now_seconds: int) -> Reading:
        """Records by ref, with their standing and what they need, over all of the tenant's namespaces; no goal."""
        parts, settings = self._parts, self._parts.settings
        scope = scope_of(txn, ())
        nothing_asked = TermWeights.of((), {}, scope.records, settings.relevance)
        evidence = Evidence(txn, parts.model, parts.terms, nothing_asked, parts.scale)
        fresh = freshness_check(parts.sources, now_seconds, PLAIN.fresh_seconds)
        standings = Standings(txn, scope, now_seconds, evidence, settings.closure, fresh)
        needed: dict[int, Record] = {}
        known, missing = standings.known(refs, {}, needed)
        support = [c for c in standings.support(needed, frozenset()) if c.ref not in {k.ref for k in known}]
        return Reading(tuple(known), tuple(support), tuple(missing))
