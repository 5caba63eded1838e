"""An embedder with one text under way, for a goal whose vector is needed a little later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from retrieval.ahead import Ahead
from retrieval.index.sensor import Embedder


class EmbedderAhead:
    """Waits for the text it has begun, and answers others as the embedder it stands for."""

    def __init__(self, embedder: Embedder, text: str, ahead: Ahead) -> None:
        self._embedder: Final = embedder
        self._text: Final = text
        self._begun: Final = ahead.begin(partial(embedder.embed, [text]))

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Unit vectors, one a text, in order; raises IndexUnavailable."""
        return self._begun.result() if list(texts) == [self._text] else self._embedder.embed(texts)
