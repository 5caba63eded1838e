"""What leads from one titled text to another, by look-ups in the lexical index: titles that it mentions, names shared.

The cost follows the seeds' own length, not the store: two searches a seed, one of titles alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import log

from retrieval.goal import Goal
from retrieval.index.sensor import FieldWeights, Sieve, WeightedTerm
from retrieval.lanes.lane import BRIDGE_KINDS
from retrieval.ranking.look import Look
from retrieval.ranking.prose.names import names
from retrieval.ranking.prose.seeds import Seed
from retrieval.ranking.prose.settings import ProseRankingSettings
from retrieval.ranking.prose.titles import Mentions, folded_title
from retrieval.ranking.shares import over_best
from retrieval.text.tokens import analyse

_SIEVE = Sieve(not_kinds=BRIDGE_KINDS)
_TITLES = FieldWeights(title=1.0)
_TEXTS = FieldWeights(title=1.0, body=1.0)


Shared = dict[int, Mapping[int, float]]
"""By seed, what `Links.sharing` found: the one search of it that more than one call of a ranking needs."""


def question_terms(goal: Goal) -> tuple[str, ...]:
    """The terms by which titles in a question are searched for, each once, in order of mention."""
    return tuple(dict.fromkeys(analyse(goal.read)))


class Links:
    """Links from seeds. Lives within one call of the ranking. Its methods raise IndexUnavailable, DeadlinePassed."""

    def __init__(self, look: Look, settings: ProseRankingSettings, shared: Shared) -> None:
        self._look = look
        self._shared = shared
        self._settings = settings
        self._question = Mentions(look.goal.read)
        self._answering: dict[frozenset[str], Mapping[int, float]] = {}
        self._titled_as: dict[int, str] = {}
        self._frequency = cache(self._counted)

    def named_in_question(self) -> tuple[int, ...]:
        """Records whose title the question holds."""
        letters = self._settings.title_letters
        found = self._titled(question_terms(self._look.goal)[: self._settings.question_terms])
        return tuple(i for i, title in found.items() if self._question.hold(title, letters))

    def named_in(self, seed: Seed) -> tuple[int, ...]:
        """Records whose title the seed's text holds and the question does not."""
        return tuple(self._mentioned(seed, self._titled(self._named_terms(seed))))

    def sharing(self, seed: Seed) -> Mapping[int, float]:
        """How much of what a seed names other records hold, over the best of them: BM25 of its names' terms, which
        weigh by how rare they are once more."""
        known = self._shared.get(seed.record_id)
        if known is None:
            weighted = [WeightedTerm(term, self._rarity(term)) for term in self._named_terms(seed)]
            found = self._search(weighted, _TEXTS, self._settings.seed_hits + 1)
            found.pop(seed.record_id, None)
            known = self._shared[seed.record_id] = over_best(found)
        return known

    def answering(self, left: frozenset[str]) -> Mapping[int, float]:
        """How much of the goal's terms that are `left` records hold, over the best of them, by BM25."""
        if left not in self._answering:
            self._answering[left] = self._answers(left)
        return self._answering[left]

    def _answers(self, left: frozenset[str]) -> Mapping[int, float]:
        weighted = [term for term in self._look.goal.terms if term.term in left]
        return over_best(self._search(weighted, _TEXTS, self._settings.seed_hits))

    def mentioned(self, seed: Seed, record_ids: Iterable[int]) -> Mapping[int, float]:
        """Which records' titles the seed's text mentions and the question does not: 1 / (1 + ln n) where n records hold
        the title's rarest word."""
        titles = {i: self._title_of(i) for i in record_ids}
        return {i: 1.0 / (1.0 + log(max(1, self._rarest(titles[i])))) for i in self._mentioned(seed, titles)}

    def _named_terms(self, seed: Seed) -> tuple[str, ...]:
        """Terms of what the seed names, its title too, each once, in order of mention."""
        text = f"{seed.record.title}\n{seed.record.text}"
        named = names(text, self._settings.name_words)
        return tuple(dict.fromkeys(analyse(" ".join(named))))[: self._settings.seed_terms]

    def _mentioned(self, seed: Seed, titles: Mapping[int, str]) -> list[int]:
        text, own = Mentions(seed.record.text), self._title_of(seed.record_id)
        letters = self._settings.title_letters
        return [
            record_id
            for record_id, title in titles.items()
            if title != own and text.hold(title, letters) and not self._question.hold(title, letters)
        ]

    def _titled(self, terms: Iterable[str]) -> dict[int, str]:
        """Folded titles of the records whose titles hold the terms best, by BM25 of titles alone."""
        weighted = [WeightedTerm(term, 1.0) for term in dict.fromkeys(terms)]
        ids = sorted(self._search(weighted, _TITLES, self._settings.title_hits))
        self._read([i for i in ids if i not in self._titled_as and i not in self._look.records])
        found = {i: self._title_of(i) for i in ids}
        return {i: title for i, title in found.items() if title}

    def _title_of(self, record_id: int) -> str:
        """The folded title, empty where there is none or the record is not live."""
        title = self._titled_as.get(record_id)
        if title is None:
            title = self._titled_as[record_id] = folded_title(self._look.records[record_id].title)
        return title

    def _read(self, record_ids: Sequence[int]) -> None:
        """Remember the titles of records that were not admitted yet."""
        records = self._look.txn.records_by_id(record_ids, self._look.scope.cut)
        for record_id, record in zip(record_ids, records, strict=True):
            live = record is not None and not record.removed
            self._titled_as[record_id] = folded_title(record.title) if record is not None and live else ""

    def _rarest(self, title: str) -> int:
        return min((self._frequency(term) for term in sorted(set(analyse(title)))), default=1)

    def _rarity(self, term: str) -> float:
        return log(1.0 + self._look.scope.records / max(1, self._frequency(term)))

    def _counted(self, term: str) -> int:
        return self._look.lexical.document_frequency(self._look.scope.tenant, self._look.scope.namespaces, term)

    def _search(self, terms: Sequence[WeightedTerm], fields: FieldWeights, limit: int) -> dict[int, float]:
        self._look.deadline.check()
        scope = self._look.scope
        hits = self._look.lexical.search(scope.tenant, scope.namespaces, terms, limit, fields=fields, sieve=_SIEVE)
        return {hit.record_id: hit.score for hit in hits}
