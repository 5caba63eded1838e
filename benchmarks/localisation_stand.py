"""A repository in the product: its own ingest, indexes and projection, in one namespace that is moved through time."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.kept_vectors import KeptEmbedder
from retrieval.deadline import Deadline
from retrieval.history.reading import Histories
from retrieval.index.follower import IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.vector import VectorIndex
from retrieval.ingest.tree import ingest_tree
from retrieval.project import Query, Retrieval
from retrieval.ranking.code.ranker import CodeRanker, CodeRanking, CodeTables
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.query_class import QueryClass
from retrieval.record import Record
from retrieval.settings import RetrievalSettings
from retrieval.store.lmdb import open_store
from retrieval.text.embedding import MiniLmEmbedder
from workingset.candidate import Projection
from workingset.vocabulary import Namespace, TenantId

TENANT = TenantId("bench")
SOURCE = "tree"
_PATIENCE_SECONDS = 600.0
"""Embedding on demand takes what it takes: the measure is of what is found, and vectors are there in a daemon that had
its time."""
_PAGE_CHANGES = 20_000


@dataclass(frozen=True, slots=True)
class Asked:
    """One projection and what its order was made of; `tables` is None where the product ordered by other means."""

    projection: Projection
    tables: CodeTables | None
    milliseconds: float


class Stand:
    """A store with its indexes in a folder. What was embedded is kept in the file `vectors`."""

    def __init__(self, folder: Path, repo: str, vectors: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.namespace = Namespace(repo.rpartition("/")[2].lower())
        self._store = open_store(folder / "store")
        self._embedder = KeptEmbedder(MiniLmEmbedder(), vectors)
        self._lexical = LexicalIndex(folder / "lexical")
        self._vector = VectorIndex(folder / "vector", self._embedder.fingerprint, self._embedder.dimensions)
        self._follower = IndexFollower(self._store, self._lexical, self._vector, self._embedder)
        settings = RetrievalSettings()
        patient = replace(settings.lanes, lane_seconds=_PATIENCE_SECONDS, demand_seconds=_PATIENCE_SECONDS)
        self.settings = replace(settings, lanes=patient)
        ranking = CodeRankingSettings()
        self._ranker = _Tapped(ranking, Histories())
        self._retrieval = Retrieval(
            self._lexical,
            self._vector,
            self._embedder,
            self._follower,
            self._follower.embed_now,
            self.settings,
            ranked_by={QueryClass.CODE: self._ranker},
        )

    def take(self, root: Path) -> int:
        """Bring the namespace and the lexical index up to the tree; returns how many records there are."""
        ingest_tree(self._store, TENANT, self.namespace, root, source=SOURCE)
        advanced = self._follower.advance_lexical(_PAGE_CHANGES)
        while advanced.left and not advanced.failed:
            advanced = self._follower.advance_lexical(_PAGE_CHANGES)
        if advanced.failed:
            raise RuntimeError(f"the lexical index cannot follow: {advanced.failed}")
        with self._store.snapshot(TENANT) as txn:
            return txn.counts(self.namespace).records

    def ask(self, goal: str) -> Asked:
        """One projection for the goal."""
        began = time.perf_counter()
        with self._store.snapshot(TENANT) as txn:
            deadline = Deadline(time.monotonic() + _PATIENCE_SECONDS, time.monotonic)
            projection = self._retrieval.project(txn, Query(goal, (self.namespace,)), deadline)
        ranking = self._ranker.latest
        return Asked(projection, ranking.made if ranking else None, (time.perf_counter() - began) * 1e3)

    def records_at(self, path: str) -> list[Record]:
        """The records of a file, by first line."""
        with self._store.snapshot(TENANT) as txn:
            return txn.path_records(self.namespace, path)

    def paths(self) -> tuple[str, ...]:
        """All files that were taken in, sorted."""
        with self._store.snapshot(TENANT) as txn:
            return tuple(path for path, _ in txn.paths(self.namespace, SOURCE) if path)

    def close(self) -> None:
        """Keep the vectors, let go of the files."""
        self._embedder.save()
        self._follower.close()
        self._store.close()


class _Tapped(CodeRanker):
    """The product's ranker, which also leaves its latest ordering."""

    latest: CodeRanking | None = None

    def begin(self) -> CodeRanking:
        self.latest = super().begin()
        return self.latest
