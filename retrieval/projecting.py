"""One projection while it is being made: from what was gathered to candidates, each step a method, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from retrieval.admission import SUPERSEDED
from retrieval.architecture.judging import Judgement, judgement
from retrieval.candidates import Stands, candidate
from retrieval.deadline import Deadline
from retrieval.disagreement import disagreement
from retrieval.entities import ground
from retrieval.freshness import freshness_check
from retrieval.gathering import Gathering, Parts
from retrieval.identities import identities_of
from retrieval.index.sensor import WeightedTerm
from retrieval.lanes.contract import ExactMatch
from retrieval.lanes.lane import BRIDGE_KINDS
from retrieval.lanes.lexical import LEXICAL
from retrieval.notes import joined
from retrieval.obligations.coverage import opposition_coverage, robustness
from retrieval.obligations.quota import WINDOW_PLACES, Quota
from retrieval.obligations.registry import discharged
from retrieval.obligations.view import View
from retrieval.ordering import Bearing, Ordered, ordered
from retrieval.origins import Origins, origins_of
from retrieval.overflow import Overflow
from retrieval.query import Query
from retrieval.ranking.diversity import Kin
from retrieval.record import Record
from retrieval.standing import Standings
from retrieval.steps import Steps
from retrieval.store.interface import Snapshot
from workingset.candidate import Candidate, Entity, GoalView, LaneOutcome, Projection
from workingset.obligation import ObligationKind
from workingset.vocabulary import Freshness

NOT_SEARCHED = "not_searched"
"""Reason in `Projection.rejected`: records that the lexical lane could not see, an upper bound."""


class Projecting:
    """Makes one projection; used once, by one thread."""

    def __init__(self, parts: Parts, txn: Snapshot, query: Query, deadline: Deadline) -> None:
        self._parts = parts
        self._settings = parts.settings
        self._txn = txn
        self._query = query
        self._deadline = deadline
        self._steps = Steps(deadline.now)
        self._found = Gathering(parts, txn, query, deadline, self._steps)
        self._fresh = freshness_check(parts.sources, query.now_seconds, query.profile.fresh_seconds)
        self._standings = Standings(
            txn, self._found.scope, query.now_seconds, self._found.evidence, self._settings.closure, self._fresh
        )
        self._origins = Origins({})

    def project(self) -> Projection:
        """Run all steps."""
        found, profile = self._found, self._query.profile
        found.gather()
        with self._steps.step("relevance"):
            lanes, opposing = found.lanes_of(), found.opposing(self._opposing_places())
            ranked_ids, near_misses = self._above_floor(lanes, frozenset(opposing))
        with self._steps.step("relations"):
            kin, judged = self._kin(ranked_ids), self._judged(ranked_ids)
        order = self._ordered(ranked_ids, kin, judged, opposing)
        with self._steps.step("closure"):
            ranked, needed = self._ranked(order, lanes)
        with self._steps.step("known"):
            known, missing = self._standings.known(self._query.known, {c.ref: c for c in ranked}, needed)
            support = self._standings.support(needed, frozenset(ranked_ids))
        with self._steps.step("entities"):
            entities, unchecked = self._entities()
        unsearched = self._unsearched()
        overflow = Overflow(
            found.proposals, found.gate, found.evidence, found.weights, self._parts.scale, found.scope, unsearched
        )
        outcomes, rejected = self._outcomes(unchecked), self._rejections(Counter({NOT_SEARCHED: unsearched}))
        with self._steps.step("obligations"):
            view = self._view(ranked, support, outcomes, rejected, unsearched, entities, kin, order)
            obligations = discharged(profile, view)
        return Projection(
            goal=GoalView(self._query.goal, frozenset(t.term for t in found.goal.terms), found.evidence.goal_vector),
            cut=found.scope.cut,
            ranked=tuple(ranked),
            support=tuple(support),
            known=tuple(known),
            missing=tuple(missing),
            lanes=outcomes,
            rejected=rejected,
            entities=entities,
            near_misses=near_misses,
            overflow=overflow.bound(frozenset(ranked_ids)),
            records_in_scope=found.scope.records,
            embedding_calls=sum(proposal.embedding_calls for proposal in found.proposals.values()),
            fusion=joined(found.query_class.value, found.ranker.name, self._settings.relevance.name, order.note),
            profile=profile.label,
            obligations=obligations,
            opposition=opposition_coverage(obligations),
            disagreement=disagreement(found.proposals),
            robustness=robustness(obligations, degraded=any(outcome.degraded for outcome in outcomes)),
            architecture=judged.summary,
            timings_ms=self._steps.taken(),
        )

    def _ordered(self, ranked_ids: Sequence[int], kin: Kin, judged: Judgement, opposing: tuple[int, ...]) -> Ordered:
        found, profile = self._found, self._query.profile
        with self._steps.step("ranking"):
            quota = Quota(profile.label, profile.opposing_places)
            stale = self._stale(ranked_ids)
            bearing = Bearing(found.evidence.hints, kin, judged.verdicts, quota, opposing, stale)
            return ordered(found.look(), ranked_ids, found.ranking, self._parts.by_ranks, bearing, self._settings)

    def _opposing_places(self) -> int:
        """Places of the opposing lane in as many windows as the obligation looks at."""
        owed = self._query.profile.owes(ObligationKind.OPPOSITION)
        windows = -(-owed.results // WINDOW_PLACES) if owed is not None else 0
        return windows * self._query.profile.opposing_places

    def _stale(self, ranked_ids: Sequence[int]) -> frozenset[int]:
        """The ranked records known to be stale, where the profile lets current ones alone count."""
        owed = self._query.profile.owes(ObligationKind.FRESHNESS)
        if owed is None or not owed.current_only:
            return frozenset()
        records = self._found.gate.records
        return frozenset(i for i in ranked_ids if self._fresh(records[i]) is Freshness.STALE)

    def _kin(self, ranked_ids: Sequence[int]) -> Kin:
        """Which of the ranked records are one thing, and which speak with one voice."""
        records = [self._found.gate.records[i] for i in ranked_ids]
        self._origins = origins_of(self._txn, records, self._settings.origins)
        return Kin(identities_of(self._txn, (r.ref for r in records), self._settings.identities), self._origins)

    def _judged(self, ranked_ids: Sequence[int]) -> Judgement:
        """How the ranked records stand to the manifests of their trees."""
        records = {i: self._found.gate.records[i] for i in ranked_ids}
        return judgement(self._txn, self._found.scope.namespaces, records, self._settings.architecture)

    def _rejections(self, unsearched: Counter[str]) -> tuple[tuple[str, int], ...]:
        found = self._found
        return tuple(sorted((+(found.discarded + found.gate.reasons() + self._standings.missing + unsearched)).items()))

    def _view(
        self,
        ranked: Sequence[Candidate],
        support: Sequence[Candidate],
        outcomes: Sequence[LaneOutcome],
        rejected: Sequence[tuple[str, int]],
        unsearched: int,
        entities: tuple[Entity, ...],
        kin: Kin,
        order: Ordered,
    ) -> View:
        """The projection as its obligations see it."""
        records = self._found.gate.records
        return View(
            goal=self._found.goal,
            scope=self._found.scope,
            ranked=tuple(ranked),
            lanes={outcome.lane: outcome for outcome in outcomes},
            rejected=dict(rejected),
            unsearched=unsearched,
            entities=entities,
            opposed=self._standings.opposed,
            identities=kin.identities,
            proposed=tuple((records[one].ref, records[other].ref) for one, other in order.alike),
            guarded=self._standings.guarded,
            support={c.ref: c for c in support},
            origins_bounded=kin.origins.bounded,
        )

    def _above_floor(self, lanes: Iterable[int], owed: frozenset[int]) -> tuple[list[int], int]:
        """Record ids at or above the relevance floor, or `owed` whatever it is, that nothing supersedes, and how many
        lie below it."""
        passed: list[int] = []
        near_misses = 0
        for record_id in lanes:
            record = self._found.gate.records[record_id]
            if record.kind in BRIDGE_KINDS and record_id not in self._found.evidence.names:
                continue
            if record_id not in owed and self._found.evidence.relevance(record_id) < self._parts.scale.floor:
                near_misses += 1
            elif self._standings.successor(record_id, record) is not None:
                self._found.gate.refuse(record_id, SUPERSEDED)
            else:
                passed.append(record_id)
        return passed, near_misses

    def _ranked(
        self, order: Ordered, lanes: Mapping[int, tuple[str, ...]]
    ) -> tuple[list[Candidate], dict[int, Record]]:
        """Candidates in order, the first of them closed over, and the records that they need.

        The scale says how much all of them matter, the ranker in which order: the n-th has the n-th relevance.
        """
        relevances = sorted(map(self._found.evidence.relevance, order.ids), reverse=True)
        ranked: list[Candidate] = []
        needed: dict[int, Record] = {}
        for position, record_id in enumerate(order.ids):
            record = self._found.gate.records[record_id]
            stands = Stands()
            if position < self._settings.closure.candidates:
                stands = self._standings.closed(record_id, record, needed, self._origins.of(record))
            ranked.append(
                candidate(
                    record,
                    stands,
                    relevances[position],
                    self._found.evidence.features(record_id),
                    order.scores[record_id],
                    lanes.get(record_id, ()),
                    order.features.get(record_id, ()),
                    self._origins.of(record),
                )
            )
        return ranked, needed

    def _entities(self) -> tuple[tuple[Entity, ...], int]:
        """The goal's entities, found or not, and how many could not be checked."""
        names = frozenset(hit.rank.name for hit in self._found.exact_hits if isinstance(hit.rank, ExactMatch))
        grounding = ground(
            self._found.goal,
            names,
            self._found.evidence.terms(),
            self._found.frequencies,
            self._probe,
            0 if self._deadline.over() else self._settings.entity_probes,
            behind=self._unsearched() > 0,
        )
        return grounding.entities, grounding.unchecked

    def _probe(self, terms: Sequence[str]) -> list[frozenset[str]]:
        """Terms of the valid records that hold the given terms best."""
        weighted = [WeightedTerm(term, 1.0) for term in terms]
        hits = self._parts.lexical.search(
            self._found.scope.tenant, self._found.scope.namespaces, weighted, self._settings.entity_probe_hits
        )
        records = self._standings.usable([hit.record_id for hit in hits])
        return [self._parts.terms.of(record).terms for record in records if record is not None]

    def _outcomes(self, unchecked: int) -> tuple[LaneOutcome, ...]:
        """What every lane did; the lexical lane also tells how many named things were not looked for."""
        outcomes = {lane: proposal.outcome for lane, proposal in self._found.proposals.items()}
        lexical = outcomes.get(LEXICAL)
        if unchecked and lexical is not None:
            note = f"{unchecked} named things not looked for"
            outcomes[LEXICAL] = replace(lexical, note=joined(lexical.note, note))
        return tuple(outcomes.values())

    def _unsearched(self) -> int:
        """An upper bound of the records that no search by words has seen: not indexed yet, or the lane is down."""
        lexical = self._found.proposals.get(LEXICAL)
        if lexical is None or lexical.outcome.state not in {"ok", "partial", "skipped"}:
            return max(0, self._found.scope.records - len(self._found.gate.records))
        return lexical.outcome.lag
