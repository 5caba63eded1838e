"""A goal that was begun ahead has the same vector and the same failures, and is embedded once."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from retrieval.ahead import Ahead
from retrieval.errors import IndexUnavailable
from retrieval.index.embed_ahead import EmbedderAhead
from tests.fakes import FakeEmbedder


class _Held(FakeEmbedder):
    """Embeds `held` texts only once let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()
        self.threads: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        self.threads.append(threading.current_thread().name)
        if "held" in texts:
            assert self.let_go.wait(10)
        return super().embed(texts)


def test_a_begun_text_is_embedded_once_and_others_as_usual() -> None:
    embedder = FakeEmbedder()
    begun = EmbedderAhead(embedder, "leases expire", Ahead())

    assert begun.embed(["leases expire"]) == FakeEmbedder().embed(["leases expire"])
    assert embedder.calls == 1
    assert begun.embed(["another"]) == FakeEmbedder().embed(["another"])
    assert (begun.fingerprint, begun.dimensions) == (embedder.fingerprint, embedder.dimensions)


def test_a_failure_is_told_where_the_vector_is_asked_for() -> None:
    embedder = FakeEmbedder()
    embedder.down = True
    begun = EmbedderAhead(embedder, "leases", Ahead())

    with pytest.raises(IndexUnavailable):
        begun.embed(["leases"])


def test_where_no_thread_is_free_the_one_who_asks_embeds() -> None:
    embedder = _Held()
    ahead = Ahead()
    waiting = [EmbedderAhead(embedder, "held", ahead) for _ in range(2)]

    assert EmbedderAhead(embedder, "free", ahead).embed(["free"]) == FakeEmbedder().embed(["free"])
    assert threading.current_thread().name in embedder.threads
    embedder.let_go.set()
    assert [len(one.embed(["held"])) for one in waiting] == [1, 1]
