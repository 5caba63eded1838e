"""Embedding a goal beside everything else that can be done before its vector is needed.

The model takes most of a search's time and none of Python's, so on two cores a goal's likeness costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from retrieval.index.sensor import Embedder

_THREADS: Final = 2
"""Guess: more goals at once than cores wait for one another anyway; what finds none free is embedded where asked."""


class EmbedAhead:
    """Begins texts on threads of its own. Safe from any thread."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder: Final = embedder
        self._threads: Final = ThreadPoolExecutor(_THREADS, thread_name_prefix="hotset-embed")

    def begin(self, text: str) -> Embedder:
        """Begin a text; the embedder returned waits for it, and answers others as usual."""
        return _Begun(self._embedder, text, self._threads.submit(self._embedder.embed, [text]))


class _Begun:
    """An embedder with one text under way."""

    def __init__(self, embedder: Embedder, text: str, vectors: Future[list[tuple[float, ...]]]) -> None:
        self._embedder: Final = embedder
        self._text: Final = text
        self._vectors: Final = vectors

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Unit vectors, one a text, in order; raises IndexUnavailable."""
        if list(texts) != [self._text] or self._vectors.cancel():
            return self._embedder.embed(texts)
        return self._vectors.result()
