"""A small repository in a real store and a real lexical index, asked through the product with the ranker of code."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval.deadline import Deadline
from retrieval.history.reading import Histories
from retrieval.index.follower import IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.vector import VectorIndex
from retrieval.ingest.tree import ingest_tree
from retrieval.project import Query, Retrieval
from retrieval.ranking.code.ranker import CodeRanker, CodeRanking, CodeTables
from retrieval.ranking.code.scoring import FILE_FEATURES, RECORD_FEATURES
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.query_class import QueryClass
from retrieval.settings import RetrievalSettings
from retrieval.store.lmdb import open_store
from tests.contract.hashing_embedder import HashingEmbedder
from workingset.candidate import Projection
from workingset.vocabulary import Namespace, TenantId

SHOP = Namespace("shop")
TENANT = TenantId("local")


class Tapped(CodeRanker):
    """The ranker, which also leaves its latest ordering."""

    latest: CodeRanking | None = None

    def begin(self) -> CodeRanking:
        self.latest = super().begin()
        return self.latest


@dataclass
class CodeRoom:
    """One repository, ingested."""

    retrieval: Retrieval
    ranker: Tapped
    lexical: LexicalIndex
    projection: Projection | None = None

    def ask(self, goal: str) -> list[str]:
        """Titles of the results as `path:title`, best first."""
        self.projection = self.retrieval_of(goal)
        return [f"{candidate.path}:{candidate.title}" for candidate in self.projection.ranked]

    def files(self, goal: str) -> list[str]:
        """Paths of the results, each once, best first."""
        self.projection = self.retrieval_of(goal)
        return list(dict.fromkeys(candidate.path for candidate in self.projection.ranked))

    def of_file(self, path: str) -> dict[str, float]:
        """The features of a candidate file in the last answer."""
        tables = self._tables()
        at = [place[1] for place in tables.files.places].index(path)
        return dict(zip(FILE_FEATURES, tables.file_values[at].tolist(), strict=True))

    def of_part(self, title: str) -> dict[str, float]:
        """The features of a result in the last answer."""
        tables = self._tables()
        at = [record.title for _, record in tables.records].index(title)
        return dict(zip(RECORD_FEATURES, tables.record_values[at].tolist(), strict=True))

    def retrieval_of(self, goal: str, seconds: float = 60.0) -> Projection:
        raise NotImplementedError

    def _tables(self) -> CodeTables:
        assert self.ranker.latest is not None
        assert self.ranker.latest.made is not None
        return self.ranker.latest.made


@contextmanager
def code_room(
    folder: Path, files: Mapping[str, str], commits: Collection[tuple[str, Mapping[str, str]]] = ()
) -> Generator[CodeRoom]:
    """A room over these files. `commits` are (message, files) made after them, oldest first, in a git repository."""
    tree = folder / "tree"
    _write(tree, files)
    if commits:
        _commit(tree, "First", first=True)
        for message, changed in commits:
            _write(tree, changed)
            _commit(tree, message)
    embedder = HashingEmbedder()
    store = open_store(folder / "store")
    lexical = LexicalIndex(folder / "lexical")
    vector = VectorIndex(folder / "vector", embedder.fingerprint, embedder.dimensions)
    follower = IndexFollower(store, lexical, vector, embedder)
    try:
        ingest_tree(store, TENANT, SHOP, tree, source="tree")
        for advance in (follower.advance_lexical, follower.advance_vectors):
            while advance(10_000).left:
                pass
        settings = RetrievalSettings()
        settings = replace(settings, lanes=replace(settings.lanes, lane_seconds=60.0))
        ranker = Tapped(CodeRankingSettings(), Histories())
        retrieval = Retrieval(lexical, vector, embedder, follower, None, settings, ranked_by={QueryClass.CODE: ranker})

        class Room(CodeRoom):
            def retrieval_of(self, goal: str, seconds: float = 60.0) -> Projection:
                deadline = Deadline(time.monotonic() + seconds, time.monotonic)
                with store.snapshot(TENANT) as txn:
                    return retrieval.project(txn, Query(goal, (SHOP,)), deadline)

        yield Room(retrieval, ranker, lexical)
    finally:
        follower.close()
        store.close()


def _write(tree: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)


def _commit(tree: Path, message: str, *, first: bool = False) -> None:
    if first:
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(tree)], check=True)
    named = ("-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(tree), "add", "--all"], check=True)
    subprocess.run(["git", "-C", str(tree), *named, "commit", "--quiet", "--allow-empty", "-m", message], check=True)
