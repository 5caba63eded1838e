"""What speaks for each record of one projection, gathered once and weighed on one scale."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from retrieval.lanes.contract import ExactMatch
from retrieval.lanes.lane import LaneHit
from retrieval.likeness import cosines
from retrieval.record import Record
from retrieval.record_terms import RecordTerms, TermsOfRecord
from retrieval.relevance import Features, RelevanceScale, TermWeights
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Relevance

_NONE = Features()


class Evidence:
    """Features by record id. Lives within one projection.

    `grounded` is True once any weighed record carries a word or a name of the goal.
    """

    def __init__(
        self, txn: Snapshot, model: str, terms: RecordTerms, weights: TermWeights, scale: RelevanceScale
    ) -> None:
        self._txn = txn
        self._model = model
        self._terms = terms
        self._weights = weights
        self._scale = scale
        self._features: dict[int, Features] = {}
        self._analysed: dict[int, TermsOfRecord] = {}
        self._of_goal: dict[int, frozenset[str]] = {}
        self.goal_vector: tuple[float, ...] = ()
        self.cosines: dict[int, float] = {}
        self.names: dict[int, float] = {}
        self.hints: dict[int, float] = {}
        self.grounded = False
        self._relevance: dict[int, Relevance] = {}

    def name(self, hits: Iterable[LaneHit]) -> None:
        """Take in the exact lane's verified hits: several names of one record add up as independent evidence."""
        for hit in hits:
            if isinstance(hit.rank, ExactMatch):
                before = self.names.get(hit.record_id, 0.0)
                self.names[hit.record_id] = before + (1.0 - before) * hit.rank.order_value

    def hint(self, hits: Iterable[LaneHit]) -> None:
        """Take in the host lane's hits, before the records are weighed."""
        for hit in hits:
            self.hints[hit.record_id] = max(self.hints.get(hit.record_id, 0.0), hit.rank.order_value)

    def read(self, records: Mapping[int, Record]) -> None:
        """Analyse records that will be weighed."""
        for record_id, record in records.items():
            if record_id not in self._analysed:
                self._analysed[record_id] = self._terms.of(record)

    def weigh(self, records: Mapping[int, Record], proposed: Mapping[int, float]) -> None:
        """Measure records that were not measured before, or that `proposed` may bring a cosine for.

        Cosines are shared by records of equal text, so all that still have none are looked at again.
        """
        if not self._weights.masses and not self.goal_vector and not self.names and not self.hints:
            return
        fresh = {
            i: record
            for i, record in records.items()
            if i not in self._features or i in proposed or (proposed and i not in self.cosines)
        }
        self.read(fresh)
        terms = {i: self._analysed[i] for i in fresh}
        digests = {i: held.embedding for i, held in terms.items()}
        self.cosines.update(cosines(self._txn, self._model, self.goal_vector, digests, proposed))
        grounded = self.grounded
        for record_id, held in terms.items():
            self._of_goal[record_id] = of_goal = self._weights.held_by(held.terms)
            coverage = self._weights.coverage(of_goal)
            named = self.names.get(record_id, 0.0)
            self.grounded = self.grounded or coverage > 0.0 or named > 0.0
            title = self._weights.coverage(held.head) if coverage > 0.0 else 0.0
            before = self._features.get(record_id, _NONE)
            self._features[record_id] = Features(
                coverage,
                title,
                named,
                self.cosines.get(record_id),
                before.graph,
                before.linked,
                self.hints.get(record_id, 0.0),
            )
        self._forget(self._relevance if self.grounded is not grounded else terms)

    def near(self, masses: Mapping[int, float]) -> None:
        """Take in the graph lane's shares of mass, by record id, for records that were measured."""
        for record_id, mass in masses.items():
            measured = self._features.get(record_id)
            if measured is not None:
                self._features[record_id] = measured._replace(graph=mass)
        self._forget(masses)

    def link(self, strengths: Mapping[int, float]) -> None:
        """Take in how strongly what was found leads to records that were measured."""
        for record_id, strength in strengths.items():
            measured = self._features.get(record_id)
            if measured is not None:
                self._features[record_id] = measured._replace(linked=strength)
        self._forget(strengths)

    def _forget(self, record_ids: Iterable[int]) -> None:
        """Weigh these anew when they are asked for."""
        for record_id in list(record_ids):
            self._relevance.pop(record_id, None)

    def terms(self) -> list[frozenset[str]]:
        """The terms of every record measured."""
        return [held.terms for held in self._analysed.values()]

    def terms_of_goal(self, among: Container[int]) -> list[frozenset[str]]:
        """The goal's terms in each record measured that is `among` these."""
        return [terms for record_id, terms in self._of_goal.items() if record_id in among]

    def features(self, record_id: int) -> Features:
        """The features of a measured record; none speak for one that was not measured."""
        return self._features.get(record_id, _NONE)

    def relevance(self, record_id: int) -> Relevance:
        """The record's relevance on the one scale, given all that was taken in so far."""
        known = self._relevance.get(record_id)
        if known is None:
            known = self._relevance[record_id] = self._scale.of(self.features(record_id), grounded=self.grounded)
        return known

    def passes_grounded(self, record_id: int) -> bool:
        """True where the record reaches the floor if any record of the scope carries a word or a name of the goal."""
        return self._scale.of(self.features(record_id), grounded=True) >= self._scale.floor
