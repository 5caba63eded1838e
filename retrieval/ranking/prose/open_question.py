"""What of a question a text leaves open, and which other texts have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log

from retrieval.ranking.look import Look
from retrieval.ranking.shares import over_best


class OpenQuestion:
    """The goal's terms, weighed by how rare they are, against the terms of records."""

    def __init__(self, look: Look) -> None:
        self._look = look
        frequencies = look.weights.frequencies
        self._rarity = {
            term.term: log(1.0 + look.scope.records / max(1, frequencies.get(term.term, 1))) for term in look.goal.terms
        }

    def after(self, record_id: int) -> frozenset[str]:
        """The goal's terms that the record does not hold."""
        return frozenset(self._rarity).difference(self._terms(record_id))

    def answering(self, left: frozenset[str], record_ids: Iterable[int]) -> Mapping[int, float]:
        """How much of what is `left` each record holds, over the best of them; none where all hold none."""
        return over_best({i: sum(self._rarity[term] for term in sorted(left & self._terms(i))) for i in record_ids})

    def _terms(self, record_id: int) -> frozenset[str]:
        return self._look.terms.of(self._look.records[record_id]).terms
