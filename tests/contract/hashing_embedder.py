"""A tiny deterministic embedder for tests: each term is a signed coordinate, chosen by its digest. Counts its texts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import xxhash

from retrieval.text.tokens import analyse


class HashingEmbedder:
    """Texts that share terms are near one another; equal texts are equal. `asked` holds every text it was given."""

    def __init__(self, dimensions: int = 32, name: str = "hashing") -> None:
        self._dimensions = dimensions
        self._name = name
        self.asked: list[str] = []

    @property
    def fingerprint(self) -> str:
        return f"{self._name}:{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        self.asked.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> tuple[float, ...]:
        sums = [0.0] * self._dimensions
        for term in [*analyse(text), "\x00"]:
            digest = xxhash.xxh3_64_intdigest(term.encode("utf-8", "replace"))
            sums[digest % self._dimensions] += 1.0 if digest & (1 << 40) else -1.0
        length = math.sqrt(sum(x * x for x in sums)) or 1.0
        if length == 1.0 and not any(sums):
            sums[0] = 1.0
        return tuple(x / length for x in sums)
