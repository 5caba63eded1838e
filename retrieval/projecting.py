"""One projection while it is being made: the steps from lanes to candidates, each a method, in the order they run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from retrieval.admission import SUPERSEDED, Gate, verified
from retrieval.architecture.judging import Judgement, judgement
from retrieval.candidates import Stands, candidate
from retrieval.deadline import Deadline
from retrieval.entities import ground
from retrieval.errors import DeadlinePassed, IndexUnavailable
from retrieval.evidence import Evidence
from retrieval.execution import DISCARDED, LaneRun, Order, run_lanes, stopped
from retrieval.fusion import fuse
from retrieval.goal import parse_goal
from retrieval.identities import identities_of
from retrieval.index.ahead import EmbedAhead
from retrieval.index.sensor import LexicalSearch, WeightedTerm
from retrieval.lanes.contract import Cosine, ExactMatch, Linked
from retrieval.lanes.exact import EXACT
from retrieval.lanes.graph import GRAPH, GraphLane
from retrieval.lanes.host import HOST, HostLane
from retrieval.lanes.lane import BRIDGE_KINDS, Lane, LaneHit, LaneProposal, Scope, nothing
from retrieval.lanes.lexical import LEXICAL
from retrieval.lanes.vector import VECTOR, Demand, Prefer, VectorLane, rerank
from retrieval.obligations.coverage import opposition_coverage
from retrieval.obligations.registry import discharged
from retrieval.obligations.view import View
from retrieval.ordering import Ordered, ordered
from retrieval.origins import Origins, origins_of
from retrieval.overflow import Overflow
from retrieval.query import Query
from retrieval.ranking.diversity import Kin
from retrieval.ranking.look import Look
from retrieval.ranking.query_class import QueryClass, query_class
from retrieval.ranking.ranker import Ranker
from retrieval.record import Record
from retrieval.record_terms import RecordTerms
from retrieval.relevance import RelevanceScale, TermWeights
from retrieval.settings import RetrievalSettings
from retrieval.sources import SourceCheck
from retrieval.standing import Standings
from retrieval.steps import Steps
from retrieval.store.interface import Snapshot
from workingset.candidate import Candidate, Entity, GoalView, LaneOutcome, Projection
from workingset.vocabulary import Namespace

NOT_SEARCHED = "not_searched"
"""Reason in `Projection.rejected`: records that the lexical lane could not see, an upper bound."""
LINKS = "links"
"""The lane of what the ranker brings: records that what was found leads to."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What every projection of one daemon shares."""

    lanes: tuple[Lane, ...]
    vector: VectorLane
    extra_lanes: tuple[Lane, ...]
    ahead: EmbedAhead
    lexical: LexicalSearch
    model: str
    demand: Demand | None
    prefer: Prefer | None
    terms: RecordTerms
    scale: RelevanceScale
    rankers: Mapping[QueryClass, Ranker]
    by_ranks: Ranker
    order: Order
    settings: RetrievalSettings
    sources: SourceCheck


class Projecting:
    """Makes one projection; used once, by one thread."""

    def __init__(self, parts: Parts, txn: Snapshot, query: Query, deadline: Deadline) -> None:
        self._parts = parts
        self._settings = parts.settings
        self._txn = txn
        self._query = query
        self._deadline = deadline
        self._steps = Steps(deadline.now)
        with self._steps.step("goal"):
            self._scope = scope_of(txn, query.namespaces)
            self._class = query_class(txn, self._scope)
            self._ranker = parts.rankers[self._class]
            self._ranking = self._ranker.begin()
            self._goal = self._ranker.read(txn, self._scope, parse_goal(query.goal, self._settings.goal))
            self._frequencies = self._term_frequencies()
            self._weights = TermWeights.of(
                self._goal.terms, self._frequencies, self._scope.records, self._settings.relevance
            )
        self._gate = Gate(txn, self._scope, query.now_seconds)
        self._evidence = Evidence(txn, parts.model, parts.terms, self._weights, parts.scale)
        self._evidence.grounded = bool(self._goal.speakers)
        self._standings = Standings(
            txn, self._scope, query.now_seconds, self._evidence, self._settings.closure, parts.sources
        )
        self._origins = Origins({})
        self._proposals: dict[str, LaneProposal] = {}
        self._exact_hits: tuple[LaneHit, ...] = ()
        self._rejected: Counter[str] = Counter()

    def project(self) -> Projection:
        """Run all steps."""
        self._ask_lanes()
        self._bring()
        self._embed_on_demand()
        self._walk_graph()
        with self._steps.step("relevance"):
            lanes = self._lanes_of()
            ranked_ids, near_misses = self._above_floor(lanes)
        with self._steps.step("relations"):
            kin, judged = self._kin(ranked_ids), self._judged(ranked_ids)
        with self._steps.step("ranking"):
            order = ordered(
                self._look(),
                ranked_ids,
                self._evidence.hints,
                self._ranking,
                self._parts.by_ranks,
                self._settings,
                kin,
                judged.verdicts,
            )
        with self._steps.step("closure"):
            ranked, needed = self._ranked(order, lanes)
        with self._steps.step("known"):
            known, missing = self._standings.known(self._query.known, {c.ref: c for c in ranked}, needed)
            support = self._standings.support(needed, frozenset(ranked_ids))
        with self._steps.step("entities"):
            entities, unchecked = self._entities()
        unsearched = self._unsearched()
        if unsearched:
            self._rejected[NOT_SEARCHED] += unsearched
        overflow = Overflow(
            self._proposals, self._gate, self._evidence, self._weights, self._parts.scale, self._scope, unsearched
        )
        outcomes, rejected = self._outcomes(unchecked), self._rejections()
        with self._steps.step("obligations"):
            view = self._view(ranked, outcomes, rejected, unsearched, entities, kin, order)
            obligations = discharged(self._query.profile, view)
        return Projection(
            goal=GoalView(self._query.goal, frozenset(t.term for t in self._goal.terms), self._evidence.goal_vector),
            cut=self._scope.cut,
            ranked=tuple(ranked),
            support=tuple(support),
            known=tuple(known),
            missing=tuple(missing),
            lanes=outcomes,
            rejected=rejected,
            entities=entities,
            near_misses=near_misses,
            overflow=overflow.bound(frozenset(ranked_ids)),
            records_in_scope=self._scope.records,
            embedding_calls=sum(proposal.embedding_calls for proposal in self._proposals.values()),
            fusion=_joined(self._class.value, self._ranker.name, self._settings.relevance.name, order.note),
            profile=self._query.profile.label,
            obligations=obligations,
            opposition=opposition_coverage(obligations),
            architecture=judged.summary,
            timings_ms=self._steps.taken(),
        )

    def _kin(self, ranked_ids: Sequence[int]) -> Kin:
        """Which of the ranked records are one thing, and which speak with one voice."""
        records = [self._gate.records[i] for i in ranked_ids]
        self._origins = origins_of(self._txn, records, self._settings.origins)
        return Kin(identities_of(self._txn, (r.ref for r in records), self._settings.identities), self._origins)

    def _judged(self, ranked_ids: Sequence[int]) -> Judgement:
        """How the ranked records stand to the manifests of their trees."""
        records = {i: self._gate.records[i] for i in ranked_ids}
        return judgement(self._txn, self._scope.namespaces, records, self._settings.architecture)

    def _rejections(self) -> tuple[tuple[str, int], ...]:
        return tuple(sorted((+(self._rejected + self._gate.reasons() + self._standings.missing)).items()))

    def _view(
        self,
        ranked: Sequence[Candidate],
        outcomes: Sequence[LaneOutcome],
        rejected: Sequence[tuple[str, int]],
        unsearched: int,
        entities: tuple[Entity, ...],
        kin: Kin,
        order: Ordered,
    ) -> View:
        """The projection as its obligations see it."""
        records = self._gate.records
        return View(
            goal=self._goal,
            scope=self._scope,
            ranked=tuple(ranked),
            lanes={outcome.lane: outcome for outcome in outcomes},
            rejected=dict(rejected),
            unsearched=unsearched,
            entities=entities,
            opposed=self._standings.opposed,
            identities=kin.identities,
            proposed=tuple((records[one].ref, records[other].ref) for one, other in order.alike),
            guarded=self._standings.guarded,
        )

    def _term_frequencies(self) -> dict[str, int]:
        """How many records hold each term of the goal; empty where the index cannot say."""
        try:
            return {
                term.term: self._parts.lexical.document_frequency(self._scope.tenant, self._scope.namespaces, term.term)
                for term in self._goal.terms
            }
        except IndexUnavailable:
            return {}

    def _ask_lanes(self) -> None:
        strong = self._parts.scale.strong_hint
        hinted = (HostLane(self._query.hints, self._settings.hints, strong),) if self._query.hints else ()
        vector = self._parts.vector
        if self._goal.embedded and not self._deadline.over():
            vector = vector.asking(self._parts.ahead.begin(self._goal.embedded))
        self._run(self._parts.lanes)
        self._meanwhile()
        self._run((vector, *self._parts.extra_lanes, *hinted))
        with self._steps.step("admission"):
            self._gate.admit(hit.record_id for proposal in self._proposals.values() for hit in proposal.hits)
            self._check_names()
        if hinted:
            self._evidence.hint(self._proposals[HOST].hits)
        self._evidence.goal_vector = self._proposals[VECTOR].vector
        with self._steps.step("relevance"):
            self._evidence.weigh(self._gate.records, self._proposed_cosines())

    def _meanwhile(self) -> None:
        """What the first lanes' hits allow while the goal is being embedded; nothing that is not done otherwise."""
        with self._steps.step("admission"):
            self._gate.admit(hit.record_id for proposal in self._proposals.values() for hit in proposal.hits)
            self._exact_hits, _ = verified(self._proposals[EXACT].hits, self._gate, self._settings.lanes)
        with self._steps.step("relevance"):
            self._evidence.read(self._gate.records)
        with self._steps.step(LINKS), suppress(IndexUnavailable, DeadlinePassed):  # `bring` meets and tells them again
            self._ranking.prepare(self._look())

    def _check_names(self) -> None:
        """Keep the exact hits whose name holds at the cut; the lane's note counts those that only once had it."""
        exact = self._proposals[EXACT]
        self._exact_hits, gone = verified(exact.hits, self._gate, self._settings.lanes)
        others = {hit.record_id for lane, p in self._proposals.items() if lane != EXACT for hit in p.hits}
        gone |= self._gate.former((hit.record_id for hit in exact.hits), others)
        hits = len({hit.record_id for hit in self._exact_hits})
        note = f"{len(gone)} records had such a name once" if gone else ""
        outcome = replace(exact.outcome, hits=hits, note=_joined(exact.outcome.note, note))
        self._proposals[EXACT] = replace(exact, outcome=outcome)
        self._evidence.name(self._exact_hits)

    def _run(self, lanes: Sequence[Lane]) -> tuple[LaneRun, ...]:
        order = self._parts.order
        seconds = self._settings.lanes.lane_seconds
        runs = run_lanes(lanes, self._txn, self._goal, self._scope, self._deadline, seconds, order)
        for run in runs:
            self._proposals[run.lane] = run.proposal
            self._steps.add(run.lane, run.milliseconds)
            if run.discarded:
                self._rejected[DISCARDED] += run.discarded
        return runs

    def _proposed_cosines(self) -> dict[int, float]:
        vector = self._proposals.get(VECTOR)
        hits = vector.hits if vector else ()
        return {
            hit.record_id: hit.rank.score
            for hit in hits
            if isinstance(hit.rank, Cosine) and hit.record_id in self._gate.records
        }

    def _look(self) -> Look:
        return Look(
            txn=self._txn,
            query=self._query,
            goal=self._goal,
            scope=self._scope,
            records=self._gate.records,
            hits=self._votes(),
            named=self._exact_hits,
            cosines=self._evidence.cosines,
            goal_vector=self._evidence.goal_vector,
            weights=self._weights,
            scale=self._parts.scale,
            terms=self._parts.terms,
            lexical=self._parts.lexical,
            model=self._parts.model,
            deadline=self._deadline,
        )

    def _bring(self) -> None:
        """Admit what the ranker says that the lanes' hits lead to; where it cannot say, that is an outcome."""
        try:
            hits = self._brought()
        except IndexUnavailable as failure:
            self._proposals[LINKS] = nothing(LINKS, "unavailable", str(failure))
            return
        except DeadlinePassed as failure:
            self._proposals[LINKS] = nothing(LINKS, stopped(self._deadline), str(failure))
            return
        left = self._ranking.left
        if hits or left:
            note = f"{left} more not followed" if left else ""
            outcome = LaneOutcome(LINKS, "ok", hits=len(hits), note=note, truncated=left > 0)
            self._proposals[LINKS] = LaneProposal(hits, outcome)
            self._evidence.link({hit.record_id: hit.rank.order_value for hit in hits})

    def _brought(self) -> tuple[LaneHit, ...]:
        with self._steps.step(LINKS):
            brought = self._ranking.bring(self._look())
        with self._steps.step("admission"):
            self._gate.admit(brought)
        with self._steps.step("relevance"):
            self._evidence.weigh(self._gate.records, {})
        with self._steps.step(LINKS):
            strengths = self._ranking.strengths(self._look(), brought)
            return tuple(LaneHit(i, Linked(strength)) for i, strength in sorted(strengths.items()) if strength > 0.0)

    def _worth_comparing(self, lexical: LaneProposal) -> list[int]:
        """Admitted records whose likeness would tell most: the ranker's choice where it has one, then by words."""
        by_words = sorted(lexical.hits, key=lambda hit: (-hit.rank.order_value, hit.record_id))
        every = dict.fromkeys([*self._ranking.alike(self._look()), *(hit.record_id for hit in by_words)])
        return [record_id for record_id in every if record_id in self._gate.records]

    def _embed_on_demand(self) -> None:
        """Give the best lexical hits that have no vector one, while the vector index is still filling."""
        vector, lexical = self._proposals.get(VECTOR), self._proposals.get(LEXICAL)
        if self._parts.demand is None or not vector or not lexical or vector.outcome.state != "partial":
            return
        records = self._gate.records
        lanes = self._settings.lanes
        best = self._worth_comparing(lexical)[: lanes.demand_hits]
        missing = [record_id for record_id in best if record_id not in self._evidence.cosines]
        if not missing or not vector.vector:
            return
        if self._parts.prefer is not None:
            self._parts.prefer(self._scope.tenant, missing)
        with self._steps.step(VECTOR):
            wanted = [(record_id, records[record_id]) for record_id in missing]
            self._proposals[VECTOR] = rerank(
                vector, wanted, self._scope.tenant, self._parts.demand, self._parts.model, lanes, self._deadline
            )
        with self._steps.step("relevance"):
            self._evidence.weigh(records, self._proposed_cosines())

    def _walk_graph(self) -> None:
        runs = self._run((GraphLane(self._seeds(), self._settings.graph),))
        with self._steps.step("admission"):
            self._gate.admit(hit.record_id for run in runs for hit in run.proposal.hits)
        with self._steps.step("relevance"):
            self._evidence.weigh(self._gate.records, {})
            self._evidence.near({hit.record_id: hit.rank.order_value for hit in self._proposals[GRAPH].hits})

    def _seeds(self) -> dict[int, float]:
        """The best of the other lanes by relevance and, where there are any, the caller's warm refs."""
        records, settings = self._gate.records, self._settings.graph
        strong = {
            record_id: relevance
            for record_id in self._lanes_of()
            if (relevance := self._evidence.relevance(record_id)) >= self._parts.scale.floor
        }
        fused = fuse(self._votes(), self._settings.fusion)
        best = sorted(strong, key=lambda i: (-fused.get(i, 0.0), records[i].ref))[: settings.seeds]
        seeds = {record_id: float(strong[record_id]) for record_id in best}
        if not seeds:
            return {}
        for ref in self._query.warm[: settings.warm_seeds]:
            record_id = self._txn.record_id(ref)
            if record_id is not None:
                seeds[record_id] = max(seeds.get(record_id, 0.0), settings.warm_weight * max(seeds.values()))
        return seeds

    def _lanes_of(self) -> dict[int, tuple[str, ...]]:
        """The lanes that propose each admitted record, in the lanes' order."""
        found: dict[int, list[str]] = {}
        for lane, proposal in self._proposals.items():
            hits = self._exact_hits if lane == EXACT else proposal.hits
            for record_id in sorted({hit.record_id for hit in hits}):
                if record_id in self._gate.records:
                    found.setdefault(record_id, []).append(lane)
        return {record_id: tuple(lanes) for record_id, lanes in found.items()}

    def _above_floor(self, lanes: Iterable[int]) -> tuple[list[int], int]:
        """Record ids at or above the relevance floor that nothing supersedes, and how many lie below it."""
        passed: list[int] = []
        near_misses = 0
        for record_id in lanes:
            record = self._gate.records[record_id]
            if record.kind in BRIDGE_KINDS and record_id not in self._evidence.names:
                continue
            if self._evidence.relevance(record_id) < self._parts.scale.floor:
                near_misses += 1
            elif self._standings.successor(record_id, record) is not None:
                self._gate.refuse(record_id, SUPERSEDED)
            else:
                passed.append(record_id)
        return passed, near_misses

    def _votes(self) -> dict[str, dict[int, float]]:
        """Each lane's scores of admitted records. Every record whose cosine is known has the vector lane's vote, so
        that its cap does not tell equal texts apart."""
        votes: dict[str, dict[int, float]] = {}
        for lane, proposal in self._proposals.items():
            scores = votes.setdefault(lane, {})
            for hit in proposal.hits if lane not in {EXACT, VECTOR} else ():
                if hit.record_id in self._gate.records:
                    scores[hit.record_id] = max(scores.get(hit.record_id, 0.0), hit.rank.order_value)
        admitted = self._gate.records
        votes[EXACT] = {i: score for i, score in self._evidence.names.items() if i in admitted}
        votes[VECTOR] = {i: score for i, score in self._evidence.cosines.items() if i in admitted}
        return votes

    def _ranked(
        self, order: Ordered, lanes: Mapping[int, tuple[str, ...]]
    ) -> tuple[list[Candidate], dict[int, Record]]:
        """Candidates in order, the first of them closed over, and the records that they need.

        The scale says how much all of them matter, the ranker in which order: the n-th has the n-th relevance.
        """
        relevances = sorted(map(self._evidence.relevance, order.ids), reverse=True)
        ranked: list[Candidate] = []
        needed: dict[int, Record] = {}
        for position, record_id in enumerate(order.ids):
            record = self._gate.records[record_id]
            stands = Stands()
            if position < self._settings.closure.candidates:
                stands = self._standings.closed(record_id, record, needed)
            ranked.append(
                candidate(
                    record,
                    stands,
                    relevances[position],
                    self._evidence.features(record_id),
                    order.scores[record_id],
                    lanes.get(record_id, ()),
                    order.features.get(record_id, ()),
                    self._origins.of(record),
                )
            )
        return ranked, needed

    def _entities(self) -> tuple[tuple[Entity, ...], int]:
        """The goal's entities, found or not, and how many could not be checked."""
        names = frozenset(hit.rank.name for hit in self._exact_hits if isinstance(hit.rank, ExactMatch))
        grounding = ground(
            self._goal,
            names,
            self._evidence.terms(),
            self._frequencies,
            self._probe,
            0 if self._deadline.over() else self._settings.entity_probes,
            behind=self._unsearched() > 0,
        )
        return grounding.entities, grounding.unchecked

    def _probe(self, terms: Sequence[str]) -> list[frozenset[str]]:
        """Terms of the valid records that hold the given terms best."""
        weighted = [WeightedTerm(term, 1.0) for term in terms]
        hits = self._parts.lexical.search(
            self._scope.tenant, self._scope.namespaces, weighted, self._settings.entity_probe_hits
        )
        records = self._standings.usable([hit.record_id for hit in hits])
        return [self._parts.terms.of(record).terms for record in records if record is not None]

    def _outcomes(self, unchecked: int) -> tuple[LaneOutcome, ...]:
        """What every lane did; the lexical lane also tells how many named things were not looked for."""
        outcomes = {lane: proposal.outcome for lane, proposal in self._proposals.items()}
        lexical = outcomes.get(LEXICAL)
        if unchecked and lexical is not None:
            note = f"{unchecked} named things not looked for"
            outcomes[LEXICAL] = replace(lexical, note=_joined(lexical.note, note))
        return tuple(outcomes.values())

    def _unsearched(self) -> int:
        """An upper bound of the records that no search by words has seen: not indexed yet, or the lane is down."""
        lexical = self._proposals.get(LEXICAL)
        if lexical is None or lexical.outcome.state not in {"ok", "partial", "skipped"}:
            return max(0, self._scope.records - len(self._gate.records))
        return lexical.outcome.lag


def scope_of(txn: Snapshot, namespaces: Sequence[Namespace]) -> Scope:
    """The namespaces at the snapshot's newest cut; all of the tenant's where none are named."""
    within = tuple(sorted(set(namespaces or txn.namespaces())))
    return Scope(txn.tenant, within, txn.cut(within), sum(txn.counts(namespace).records for namespace in within))


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
