"""A store of benchmark texts in a folder of its own, filled by the product's ingest and asked by its retrieval."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.kept_vectors import KeptEmbedder
from benchmarks.memory_rows import Passage, QuestionSet, Turn
from retrieval.deadline import Deadline
from retrieval.index.follower import IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.progress import Advanced
from retrieval.index.vector import VectorIndex
from retrieval.ingest.conversations import put_turns
from retrieval.ingest.turn_records import TurnInput
from retrieval.ingest.typed_records import RecordInput, put_records
from retrieval.project import Query, Retrieval
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranker
from retrieval.settings import RetrievalSettings
from retrieval.store.interface import Store
from retrieval.store.lmdb import open_store
from workingset.candidate import Projection
from workingset.vocabulary import Namespace, TenantId

TENANT = TenantId("bench")
_SOURCE = "benchmark"
_PATIENCE_SECONDS = 60.0


class MemoryStore:
    """An open store with caught-up indexes."""

    def __init__(self, folder: Path, embedder: KeptEmbedder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.store: Store = open_store(folder / "store")
        self.ids: dict[str, str] = {}
        """Ids of the rows by ref."""
        self._embedder = embedder
        self._lexical = LexicalIndex(folder / "lexical")
        self._vector = VectorIndex(folder / "vector", embedder.fingerprint, embedder.dimensions)
        self._follower = IndexFollower(self.store, self._lexical, self._vector, embedder)

    def fill(self, questions: QuestionSet) -> None:
        """Take in all that the questions are asked of, and index it: a namespace for each pool."""
        for pool, passages in questions.passages.items():
            self._put_passages(Namespace(pool), passages)
        for pool, turns in questions.conversations.items():
            self._put_turns(Namespace(pool), turns)
        for advance in (self._follower.advance_lexical, self._follower.advance_vectors):
            _finish(advance)
        self._embedder.save()

    def retrieval(self, settings: RetrievalSettings, ranked_by: Mapping[QueryClass, Ranker]) -> Retrieval:
        """The product's retrieval over this store."""
        return Retrieval(
            self._lexical,
            self._vector,
            self._embedder,
            self._follower,
            self._follower.embed_now,
            settings,
            ranked_by=ranked_by,
        )

    def ask(self, retrieval: Retrieval, pool: str, question: str) -> tuple[Projection, float]:
        """One projection and how many milliseconds it took."""
        query = Query(question, (Namespace(pool),), now_seconds=int(time.time()))
        with self.store.snapshot(TENANT) as txn:
            began = time.perf_counter()
            projection = retrieval.project(txn, query, Deadline(time.monotonic() + _PATIENCE_SECONDS, time.monotonic))
            return projection, (time.perf_counter() - began) * 1e3

    def close(self) -> None:
        """Let go of the files."""
        self._follower.close()
        self.store.close()

    def _put_passages(self, namespace: Namespace, passages: Sequence[Passage]) -> None:
        inputs = [RecordInput(p.pid, "passage", p.title, p.text) for p in passages]
        for start in range(0, len(inputs), 500):
            batch = inputs[start : start + 500]
            job = partial(put_records, namespace=namespace, inputs=batch, edges=(), source=_SOURCE)
            _, refs = self.store.write(TENANT, job)
            self.ids.update(zip(refs, (given.id for given in batch), strict=True))

    def _put_turns(self, namespace: Namespace, turns: Sequence[Turn]) -> None:
        inputs = [TurnInput(namespace, t.dia_id, t.speaker, t.seconds, t.words, t.session) for t in turns]
        _, refs = self.store.write(TENANT, partial(put_turns, namespace=namespace, turns=inputs, source=_SOURCE))
        self.ids.update(zip(refs, (turn.dia_id for turn in turns), strict=True))


@contextmanager
def opened(folder: Path, embedder: KeptEmbedder) -> Generator[MemoryStore]:
    """An open store, closed on leaving."""
    store = MemoryStore(folder, embedder)
    try:
        yield store
    finally:
        store.close()


def _finish(advance: Callable[[int], Advanced]) -> None:
    step = advance(10_000)
    while step.left:
        if step.failed:
            raise RuntimeError(f"an index cannot follow the store: {step.failed}")
        step = advance(10_000)
