"""BM25 as everybody writes it, for a baseline: k1 1.2, b 0.75, a word of the query counting three times at the most."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import log

_WORD = re.compile(r"[A-Za-z0-9_]+")
_K1 = 1.2
_B = 0.75
_REPEATS = 3


class PlainBm25:
    """Texts by id, given as how often each holds each word, to be searched."""

    def __init__(self, counts: Mapping[str, Counter[str]]) -> None:
        self._lengths = {identifier: count.total() for identifier, count in counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(counts))
        self._holding: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for identifier, count in counts.items():
            for word, times in count.items():
                self._holding[word].append((identifier, times))

    def best(self, query: Iterable[str], limit: int) -> tuple[str, ...]:
        """Ids of the best texts for the words of a query, score falling, then id."""
        scores: dict[str, float] = defaultdict(float)
        for word, asked in Counter(query).items():
            holding = self._holding.get(word, ())
            rarity = log(1 + (len(self._lengths) - len(holding) + 0.5) / (len(holding) + 0.5))
            for identifier, times in holding:
                norm = _K1 * (1 - _B + _B * self._lengths[identifier] / self._mean)
                scores[identifier] += min(asked, _REPEATS) * rarity * times * (_K1 + 1) / (times + norm)
        return tuple(sorted(scores, key=lambda identifier: (-scores[identifier], identifier))[:limit])


def plain_words(text: str) -> list[str]:
    """Runs of letters, digits and underscores, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]
