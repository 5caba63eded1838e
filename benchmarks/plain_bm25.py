"""BM25 as everybody writes it, for a baseline: lower-cased runs of letters, digits and underscores, k1 1.2, b 0.75."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import log

_WORD = re.compile(r"[A-Za-z0-9_]+")
_K1 = 1.2
_B = 0.75
_REPEATS = 3
"""A word of the query counts so often at the most."""


class PlainBm25:
    """Texts by id, to be searched."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._ids = list(texts)
        counts = [Counter(_words(text)) for text in texts.values()]
        self._lengths = [count.total() for count in counts]
        self._mean = sum(self._lengths) / max(1, len(counts))
        self._holding: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, count in enumerate(counts):
            for word, times in count.items():
                self._holding[word].append((at, times))

    def best(self, query: str, limit: int) -> list[str]:
        """Ids of the best texts, score falling, then id."""
        scores: dict[int, float] = defaultdict(float)
        for word, asked in Counter(_words(query)).items():
            holding = self._holding.get(word, ())
            rarity = log(1 + (len(self._ids) - len(holding) + 0.5) / (len(holding) + 0.5))
            for at, times in holding:
                share = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * self._lengths[at] / self._mean))
                scores[at] += min(asked, _REPEATS) * rarity * share
        found = [(-score, self._ids[at]) for at, score in scores.items()]
        return [identifier for _, identifier in sorted(found)[:limit]]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
