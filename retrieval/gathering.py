"""What is gathered for one goal: every lane asked, every hit admitted and weighed, and what the ranker leads to.

The steps are methods, in the order they run. Nothing is decided here about what is a result, or in which order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from retrieval.admission import Gate, verified
from retrieval.ahead import Ahead
from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed, IndexUnavailable
from retrieval.evidence import Evidence
from retrieval.execution import DISCARDED, LaneRun, Order, run_lanes, stopped
from retrieval.fusion import fuse
from retrieval.goal import parse_goal
from retrieval.index.sensor import LexicalSearch
from retrieval.lanes.contract import Cosine, Linked
from retrieval.lanes.exact import EXACT
from retrieval.lanes.graph import GRAPH, GraphLane
from retrieval.lanes.host import HOST, HostLane
from retrieval.lanes.lane import Lane, LaneHit, LaneProposal, nothing
from retrieval.lanes.lexical import LEXICAL
from retrieval.lanes.opposing import OPPOSING, best_first
from retrieval.lanes.vector import VECTOR, Demand, Prefer, VectorLane, rerank
from retrieval.notes import joined
from retrieval.query import Query
from retrieval.ranking.look import Look
from retrieval.ranking.query_class import QueryClass, query_class
from retrieval.ranking.ranker import Ranker
from retrieval.record_terms import RecordTerms
from retrieval.relevance import RelevanceScale, TermWeights
from retrieval.scoping import scope_of
from retrieval.settings import RetrievalSettings
from retrieval.sources import SourceCheck
from retrieval.steps import Steps
from retrieval.store.interface import Snapshot
from workingset.candidate import LaneOutcome

LINKS = "links"
"""The lane of what the ranker brings: records that what was found leads to."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What every projection of one daemon shares. `owed_lanes` are asked where the query's profile owes them."""

    lanes: tuple[Lane, ...]
    vector: VectorLane
    extra_lanes: tuple[Lane, ...]
    owed_lanes: Mapping[str, Lane]
    ahead: Ahead
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


class Gathering:
    """Gathers for one projection; used once, by one thread.

    `proposals` are the lanes' answers by lane, `exact_hits` the exact lane's whose name holds at the cut, `discarded`
    counts answers that came too late.
    """

    def __init__(self, parts: Parts, txn: Snapshot, query: Query, deadline: Deadline, steps: Steps) -> None:
        self._parts = parts
        self._settings = parts.settings
        self._txn = txn
        self._query = query
        self._deadline = deadline
        self._steps = steps
        with steps.step("goal"):
            self.scope = scope_of(txn, query.namespaces)
            self.query_class = query_class(txn, self.scope)
            self.ranker = parts.rankers[self.query_class]
            self.ranking = self.ranker.begin()
            self.goal = self.ranker.read(txn, self.scope, parse_goal(query.goal, self._settings.goal))
            self.frequencies = self._term_frequencies()
            self.weights = TermWeights.of(
                self.goal.terms, self.frequencies, self.scope.records, self._settings.relevance
            )
        self.gate = Gate(txn, self.scope, query.now_seconds)
        self.evidence = Evidence(txn, parts.model, parts.terms, self.weights, parts.scale)
        self.evidence.grounded = bool(self.goal.speakers)
        self.proposals: dict[str, LaneProposal] = {}
        self.exact_hits: tuple[LaneHit, ...] = ()
        self.discarded: Counter[str] = Counter()

    def gather(self) -> None:
        """Run all steps."""
        self._ask_lanes()
        self._bring()
        self._embed_on_demand()
        self._walk_graph()

    def look(self) -> Look:
        """All that has been gathered so far, as a ranker sees it."""
        return Look(
            txn=self._txn,
            query=self._query,
            goal=self.goal,
            scope=self.scope,
            records=self.gate.records,
            hits=self._votes(),
            named=self.exact_hits,
            cosines=self.evidence.cosines,
            goal_vector=self.evidence.goal_vector,
            weights=self.weights,
            scale=self._parts.scale,
            terms=self._parts.terms,
            lexical=self._parts.lexical,
            model=self._parts.model,
            deadline=self._deadline,
        )

    def lanes_of(self) -> dict[int, tuple[str, ...]]:
        """The lanes that propose each admitted record, in the lanes' order."""
        found: dict[int, list[str]] = {}
        for lane, proposal in self.proposals.items():
            hits = self.exact_hits if lane == EXACT else proposal.hits
            for record_id in sorted({hit.record_id for hit in hits}):
                if record_id in self.gate.records:
                    found.setdefault(record_id, []).append(lane)
        return {record_id: tuple(lanes) for record_id, lanes in found.items()}

    def opposing(self, places: int) -> tuple[int, ...]:
        """The admitted records that the opposing lane proposes, best first, at most so many."""
        proposal = self.proposals.get(OPPOSING)
        ids = best_first(proposal.hits) if proposal is not None else ()
        return tuple(record_id for record_id in ids if record_id in self.gate.records)[:places]

    def _term_frequencies(self) -> dict[str, int]:
        """How many records hold each term of the goal; empty where the index cannot say."""
        try:
            return {
                term.term: self._parts.lexical.document_frequency(self.scope.tenant, self.scope.namespaces, term.term)
                for term in self.goal.terms
            }
        except IndexUnavailable:
            return {}

    def _ask_lanes(self) -> None:
        strong = self._parts.scale.strong_hint
        hinted = (HostLane(self._query.hints, self._settings.hints, strong),) if self._query.hints else ()
        vector = self._parts.vector
        if self.goal.embedded and not self._deadline.over():
            vector = vector.begun(self.goal, self._parts.ahead)
            self.ranking.set_out(self.look(), self._parts.ahead)
        self._run(self._parts.lanes)
        self._meanwhile()
        self._run((vector, *self._parts.extra_lanes, *hinted, *self._owed_lanes()))
        with self._steps.step("admission"):
            self.gate.admit(hit.record_id for proposal in self.proposals.values() for hit in proposal.hits)
            self._check_names()
        if hinted:
            self.evidence.hint(self.proposals[HOST].hits)
        self.evidence.goal_vector = self.proposals[VECTOR].vector
        with self._steps.step("relevance"):
            self.evidence.weigh(self.gate.records, self._proposed_cosines())

    def _owed_lanes(self) -> tuple[Lane, ...]:
        owed = self._parts.owed_lanes
        return tuple(owed[name] for name in self._query.profile.lanes if name in owed)

    def _meanwhile(self) -> None:
        """What the first lanes' hits allow while the goal is being embedded; nothing that is not done otherwise."""
        with self._steps.step("admission"):
            self.gate.admit(hit.record_id for proposal in self.proposals.values() for hit in proposal.hits)
            self.exact_hits, _ = verified(self.proposals[EXACT].hits, self.gate, self._settings.lanes)
        with self._steps.step("relevance"):
            self.evidence.read(self.gate.records)
        with self._steps.step(LINKS), suppress(IndexUnavailable, DeadlinePassed):  # `bring` meets and tells them again
            self.ranking.prepare(self.look())

    def _check_names(self) -> None:
        """Keep the exact hits whose name holds at the cut; the lane's note counts those that only once had it."""
        exact = self.proposals[EXACT]
        self.exact_hits, gone = verified(exact.hits, self.gate, self._settings.lanes)
        others = {hit.record_id for lane, p in self.proposals.items() if lane != EXACT for hit in p.hits}
        gone |= self.gate.former((hit.record_id for hit in exact.hits), others)
        hits = len({hit.record_id for hit in self.exact_hits})
        note = f"{len(gone)} records had such a name once" if gone else ""
        outcome = replace(exact.outcome, hits=hits, note=joined(exact.outcome.note, note))
        self.proposals[EXACT] = replace(exact, outcome=outcome)
        self.evidence.name(self.exact_hits)

    def _run(self, lanes: Sequence[Lane]) -> tuple[LaneRun, ...]:
        order = self._parts.order
        seconds = self._settings.lanes.lane_seconds
        runs = run_lanes(lanes, self._txn, self.goal, self.scope, self._deadline, seconds, order)
        for run in runs:
            self.proposals[run.lane] = run.proposal
            self._steps.add(run.lane, run.milliseconds)
            if run.discarded:
                self.discarded[DISCARDED] += run.discarded
        return runs

    def _proposed_cosines(self) -> dict[int, float]:
        vector = self.proposals.get(VECTOR)
        hits = vector.hits if vector else ()
        return {
            hit.record_id: hit.rank.score
            for hit in hits
            if isinstance(hit.rank, Cosine) and hit.record_id in self.gate.records
        }

    def _bring(self) -> None:
        """Admit what the ranker says that the lanes' hits lead to; where it cannot say, that is an outcome."""
        try:
            hits = self._brought()
        except IndexUnavailable as failure:
            self.proposals[LINKS] = nothing(LINKS, "unavailable", str(failure))
            return
        except DeadlinePassed as failure:
            self.proposals[LINKS] = nothing(LINKS, stopped(self._deadline), str(failure))
            return
        left = self.ranking.left
        if hits or left:
            note = f"{left} more not followed" if left else ""
            outcome = LaneOutcome(LINKS, "ok", hits=len(hits), note=note, truncated=left > 0)
            self.proposals[LINKS] = LaneProposal(hits, outcome)
            self.evidence.link({hit.record_id: hit.rank.order_value for hit in hits})

    def _brought(self) -> tuple[LaneHit, ...]:
        with self._steps.step(LINKS):
            brought = self.ranking.bring(self.look())
        with self._steps.step("admission"):
            self.gate.admit(brought)
        with self._steps.step("relevance"):
            self.evidence.weigh(self.gate.records, {})
        with self._steps.step(LINKS):
            strengths = self.ranking.strengths(self.look(), brought)
            return tuple(LaneHit(i, Linked(strength)) for i, strength in sorted(strengths.items()) if strength > 0.0)

    def _worth_comparing(self, lexical: LaneProposal) -> list[int]:
        """Admitted records whose likeness would tell most: the ranker's choice where it has one, then by words."""
        by_words = sorted(lexical.hits, key=lambda hit: (-hit.rank.order_value, hit.record_id))
        every = dict.fromkeys([*self.ranking.alike(self.look()), *(hit.record_id for hit in by_words)])
        return [record_id for record_id in every if record_id in self.gate.records]

    def _embed_on_demand(self) -> None:
        """Give the best lexical hits that have no vector one, while the vector index is still filling."""
        vector, lexical = self.proposals.get(VECTOR), self.proposals.get(LEXICAL)
        if self._parts.demand is None or not vector or not lexical or vector.outcome.state != "partial":
            return
        records = self.gate.records
        lanes = self._settings.lanes
        best = self._worth_comparing(lexical)[: lanes.demand_hits]
        missing = [record_id for record_id in best if record_id not in self.evidence.cosines]
        if not missing or not vector.vector:
            return
        if self._parts.prefer is not None:
            self._parts.prefer(self.scope.tenant, missing)
        with self._steps.step(VECTOR):
            wanted = [(record_id, records[record_id]) for record_id in missing]
            self.proposals[VECTOR] = rerank(
                vector, wanted, self.scope.tenant, self._parts.demand, self._parts.model, lanes, self._deadline
            )
        with self._steps.step("relevance"):
            self.evidence.weigh(records, self._proposed_cosines())

    def _walk_graph(self) -> None:
        runs = self._run((GraphLane(self._seeds(), self._settings.graph),))
        with self._steps.step("admission"):
            self.gate.admit(hit.record_id for run in runs for hit in run.proposal.hits)
        with self._steps.step("relevance"):
            self.evidence.weigh(self.gate.records, {})
            self.evidence.near({hit.record_id: hit.rank.order_value for hit in self.proposals[GRAPH].hits})

    def _seeds(self) -> dict[int, float]:
        """The best of the other lanes by relevance and, where there are any, the caller's warm refs."""
        records, settings = self.gate.records, self._settings.graph
        strong = {
            record_id: relevance
            for record_id in self.lanes_of()
            if (relevance := self.evidence.relevance(record_id)) >= self._parts.scale.floor
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

    def _votes(self) -> dict[str, dict[int, float]]:
        """Each lane's scores of admitted records. Every record whose cosine is known has the vector lane's vote, so
        that its cap does not tell equal texts apart. The opposing lane has none: its places are kept by a quota."""
        votes: dict[str, dict[int, float]] = {}
        for lane, proposal in self.proposals.items():
            scores = votes.setdefault(lane, {})
            for hit in proposal.hits if lane not in {EXACT, VECTOR, OPPOSING} else ():
                if hit.record_id in self.gate.records:
                    scores[hit.record_id] = max(scores.get(hit.record_id, 0.0), hit.rank.order_value)
        admitted = self.gate.records
        votes[EXACT] = {i: score for i, score in self.evidence.names.items() if i in admitted}
        votes[VECTOR] = {i: score for i, score in self.evidence.cosines.items() if i in admitted}
        return votes
