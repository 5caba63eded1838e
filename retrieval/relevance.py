"""Relevance: one scale from 0 to 1 for all lanes, made from features of the match.

Features of a record: `coverage`, the share of the goal's weight that the terms of its text, title and path cover, each
term weighing by how rare it is and an unknown term fully; `title`, the same for title and path alone; `exact`, how
surely and how rarely a name of the goal is its own; `linked`, how strongly what was found leads to it; `cosine`;
`graph`, its damped share of PageRank mass; `hinted`, how strongly the host says that the work is there. The scale takes
the strongest of covered words, names, links, hints and likeness, and lets the second kind of evidence and the graph add
to it only at or above the floor, so that whether a record passes hangs on one kind of evidence alone.

All but links is the record's own and made without ranks. What a link says is the ranker's: words of the parts of one
file together, names shared with the best results, shares of the best window. One rank makes evidence: of the first
files by the ranker of code, those of which the text, the path, a symbol or a commit's message holds a word or a name of
the goal pass with their best part, by the least link.

The weights are settings, uncalibrated, and named with a version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, log, nextafter
from typing import NamedTuple

from retrieval.index.sensor import WeightedTerm
from retrieval.settings import RelevanceSettings
from workingset.vocabulary import Relevance


class Features(NamedTuple):
    """What speaks for a record. None means that the feature could not be measured."""

    coverage: float = 0.0
    title: float = 0.0
    exact: float = 0.0
    cosine: float | None = None
    graph: float = 0.0
    linked: float = 0.0
    hinted: float = 0.0

    def named(self) -> tuple[tuple[str, float], ...]:
        """The features as receipts show them; unmeasured ones, and hints where there are none, are left out."""
        values = zip(self._fields, (*self[:-1], self.hinted or None), strict=True)
        return tuple([(name, value) for name, value in values if value is not None])


@dataclass(frozen=True, slots=True)
class TermWeights:
    """What each term of the goal weighs in coverage: heaviest first, then by term.

    `frequencies` are upper bounds of how many records of the scope hold a term; empty where no index could say, and
    rarity then counts for nothing. `full` is the weight whose covering counts as covering all.
    """

    masses: tuple[tuple[str, float], ...]
    frequencies: Mapping[str, int]
    full: float
    terms: frozenset[str] = frozenset()
    """Those of `masses`."""

    @classmethod
    def of(
        cls, terms: Iterable[WeightedTerm], frequencies: Mapping[str, int], records: int, settings: RelevanceSettings
    ) -> TermWeights:
        """Weigh the terms by rarity among `records`."""
        masses = sorted(
            ((t.term, t.weight * _rarity(t.term, frequencies, records, settings)) for t in terms),
            key=lambda item: (-item[1], item[0]),
        )
        full = sum(mass for _, mass in masses[: settings.full_mass_terms])
        return cls(tuple(masses), frequencies, full, frozenset(term for term, _ in masses))

    def held_by(self, terms: frozenset[str]) -> frozenset[str]:
        """The goal's terms among `terms`, which is all of them that `mass` and `unseen` need."""
        return self.terms & terms

    def mass(self, terms: frozenset[str]) -> float:
        """The weight of the goal's terms among `terms`."""
        return sum([mass for term, mass in self.masses if term in terms])

    def coverage(self, terms: frozenset[str]) -> float:
        """The share of the goal that `terms` cover, 0 to 1."""
        return min(1.0, self.mass(terms) / self.full) if self.full > 0.0 else 0.0

    @property
    def least(self) -> float:
        """A coverage that every record with any term of the goal has."""
        return 0.5 * self.masses[-1][1] / self.full if self.masses else 0.0

    def unseen(self, seen: Iterable[frozenset[str]], coverage: float, changed: int = 0) -> int:
        """An upper bound of how many records cover at least `coverage` and are not among `seen`.

        Two bounds, the smaller taken. Every such record holds at least one of any set of terms whose complement weighs
        less than what is needed; and total covered weight over what is needed bounds their number (Markov). `changed`
        records may hold other terms than `frequencies` counted: as many of `seen` are not taken off, those that would
        take off most, and the changed that are not among `seen` are not bounded.
        """
        needed = coverage * self.full
        if needed <= 0.0:
            return 0
        complement, hitting = 0.0, []
        by_cost = sorted(self.masses, key=lambda item: (-self.frequencies.get(item[0], 0) / item[1], item[0]))
        for term, mass in by_cost:
            if complement + mass < needed:
                complement += mass
            else:
                hitting.append(term)
        held = list(seen)
        kept = max(0, len(held) - changed)
        hit = frozenset(hitting)
        counts = sorted([len(hit & terms) for terms in held])
        incidences = sum(self.frequencies.get(t, 0) for t in hitting) - sum(counts[:kept])
        weights = sorted(map(self.mass, held))
        weight = sum(self.frequencies.get(t, 0) * m for t, m in self.masses) - sum(weights[:kept])
        return max(0, min(incidences, int(weight / needed + 1e-9)))


def _rarity(term: str, frequencies: Mapping[str, int], records: int, settings: RelevanceSettings) -> float:
    """1 for a term that no record holds, falling to the settings' floor for one in all: BM25's idf over its maximum."""
    if not frequencies or records <= 0:
        return 1.0
    held = min(records, frequencies.get(term, 0))
    idf = log(1.0 + (records - held + 0.5) / (held + 0.5))
    return max(settings.term_weight_floor, idf / log(1.0 + (records + 0.5) / 0.5))


class RelevanceScale:
    """The scale of one set of settings."""

    def __init__(self, settings: RelevanceSettings) -> None:
        self._s = settings
        self.floor = Relevance(settings.floor)
        self.coverage_needed = self._coverage_needed()
        """The least coverage with which words alone, all in the title, reach the floor."""
        self.strong_cosine = self._strong_cosine()
        """The cosine with which likeness alone reaches the floor; above 1 where it never does."""
        self.strong_hint = self._strong(settings.hinted_weight)
        """The strength with which a hint alone reaches the floor; above 1 where it never does."""
        self.strong_link = self._strong(settings.linked_weight)
        """The same of a link."""

    def of(self, features: Features, *, grounded: bool) -> Relevance:
        """The record's relevance. `grounded` is False where no word or name of the goal occurs in the scope."""
        linked, hinted = self._s.linked_weight * features.linked, self._s.hinted_weight * features.hinted
        measured = (self._words(features), features.exact, self._likeness(features.cosine), linked, hinted)
        second, strongest = sorted(measured)[-2:]
        value = strongest
        if strongest >= self._s.floor:
            gap = 1.0 - strongest
            value += gap * min(1.0, self._s.agreement_weight * second + self._s.graph_weight * features.graph)
        if not grounded:
            # The host's word for where the work is needs no word of the goal beside it.
            value = min(value, max(self._s.ungrounded_cap, hinted))
        return Relevance(min(1.0, max(0.0, value)))

    def link(self, share: float) -> float:
        """The strength of a link that passes the floor by itself: the least for a share of 0, 1 for one of 1."""
        least = min(1.0, self.strong_link)
        return least + (1.0 - least) * share

    def link_of_words(self, coverage: float) -> float:
        """The strength of a link at which words that cover this much weigh as if they were the record's own, 0 to 1."""
        return min(1.0, self._covered(coverage) / self._s.linked_weight) if self._s.linked_weight > 0.0 else 0.0

    def _covered(self, coverage: float) -> float:
        return float(coverage**self._s.coverage_exponent)

    def _words(self, features: Features) -> float:
        covered = self._covered(features.coverage)
        return covered + self._s.title_share * features.title * (1.0 - covered)

    def _likeness(self, cosine: float | None) -> float:
        if cosine is None:
            return 0.0
        share = (cosine - self._s.cosine_floor) / (self._s.cosine_full - self._s.cosine_floor)
        return self._s.cosine_weight * min(1.0, max(0.0, share))

    def _coverage_needed(self) -> float:
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            if self._words(Features(coverage=middle, title=middle)) >= self._s.floor:
                high = middle
            else:
                low = middle
        return low

    def _strong(self, weight: float) -> float:
        if weight <= 0.0:
            return 2.0
        strength: float = self._s.floor / weight
        while weight * strength < self._s.floor:  # rounding may leave the quotient just below
            strength = nextafter(strength, inf)
        return strength

    def _strong_cosine(self) -> float:
        if self._s.cosine_weight <= self._s.floor:
            return 2.0
        share = self._s.floor / self._s.cosine_weight
        return self._s.cosine_floor + share * (self._s.cosine_full - self._s.cosine_floor)
