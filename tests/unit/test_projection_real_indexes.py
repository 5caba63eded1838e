"""A projection over the real store and indexes, with a stand-in for the model alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.canonical import projection_digest
from retrieval.deadline import Deadline
from retrieval.index.follower import IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.vector import VectorIndex
from retrieval.project import Query, Retrieval
from retrieval.record import Edge, Record
from retrieval.settings import RetrievalSettings
from retrieval.store.interface import WriteTransaction
from retrieval.store.lmdb import LmdbStore, open_store
from tests.fakes import FakeClock, FakeEmbedder
from tests.world import CODE, TENANT, edge, record
from workingset.candidate import Projection


class Stack:
    """Store, indexes, follower and retrieval, as the daemon puts them together."""

    def __init__(self, home: Path) -> None:
        embedder = FakeEmbedder()
        self.store: LmdbStore = open_store(home / "store")
        lexical = LexicalIndex(home / "lexical")
        vector = VectorIndex(home / "vector", embedder.fingerprint, embedder.dimensions)
        self.follower = IndexFollower(self.store, lexical, vector, embedder)
        self.retrieval = Retrieval(
            lexical, vector, embedder, self.follower, self.follower.embed_now, RetrievalSettings()
        )

    def put(self, *records: Record, edges: tuple[Edge, ...] = ()) -> None:
        def job(txn: WriteTransaction) -> None:
            for each in records:
                txn.put_record(each)
            for link in edges:
                txn.put_edge(link)

        self.store.write(TENANT, job)

    def follow(self, *, vectors: bool = True) -> None:
        while self.follower.advance_lexical(1000).left:
            continue
        while vectors and self.follower.advance_vectors(1000).left:
            continue

    def ask(self, goal: str) -> Projection:
        with self.store.snapshot(TENANT) as txn:
            return self.retrieval.project(txn, Query(goal, (CODE,)), Deadline(60.0, FakeClock()))

    def close(self) -> None:
        self.follower.close()
        self.store.close()


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    opened = Stack(tmp_path)
    yield opened
    opened.close()


_UPLOAD = record("upload", "retry the upload with backoff", title="retry_upload", symbols=["retry_upload"])
_BACKOFF = record("backoff", "wait twice as long after each failure", title="backoff", symbols=["backoff"])
_OTHER = record("other", "leases and budgets")


def test_all_lanes_answer_and_answer_the_same_again(stack: Stack) -> None:
    stack.put(_UPLOAD, _BACKOFF, _OTHER, edges=(edge(_UPLOAD, "calls", _BACKOFF),))
    stack.follow()

    projection = stack.ask("how does `retry_upload` wait")

    assert {lane.lane: lane.state for lane in projection.lanes} == dict.fromkeys(
        ("exact", "lexical", "vector", "links", "graph"), "ok"
    )
    assert projection.ranked[0].ref == _UPLOAD.ref
    assert projection_digest(projection) == projection_digest(stack.ask("how does `retry_upload` wait"))


def test_until_the_indexes_follow_the_exact_lane_answers_and_the_lag_is_told(stack: Stack) -> None:
    stack.put(_UPLOAD, _BACKOFF, _OTHER)

    projection = stack.ask("how does `retry_upload` work")

    assert [c.ref for c in projection.ranked] == [_UPLOAD.ref]
    lanes = {lane.lane: lane for lane in projection.lanes}
    assert (lanes["lexical"].state, lanes["lexical"].lag, lanes["lexical"].covered) == ("partial", 3, 0.0)
    assert (lanes["vector"].state, lanes["vector"].lag) == ("partial", 3)


def test_while_vectors_fill_in_the_best_lexical_hits_are_embedded_now(stack: Stack) -> None:
    stack.put(_UPLOAD, _BACKOFF, _OTHER)
    stack.follow(vectors=False)

    projection = stack.ask("upload with backoff")

    assert dict(projection.ranked[0].features)["cosine"] > 0.3
    assert projection.embedding_calls == 3
    assert "2 of 2 lexical hits" in next(lane.note for lane in projection.lanes if lane.lane == "vector")


def test_an_edit_and_a_removal_leave_no_ghosts(stack: Stack) -> None:
    stack.put(_UPLOAD, _BACKOFF)
    stack.follow()
    stack.put(record("upload", "never retry an upload", title="retry_upload", symbols=["retry_upload"]))
    stack.store.write(TENANT, lambda txn: txn.remove_record(_BACKOFF.ref))

    behind = stack.ask("upload with backoff")
    stack.follow()
    caught_up = stack.ask("upload with backoff")

    for projection in (behind, caught_up):
        assert {c.ref: c.renderings.full for c in projection.ranked} == {_UPLOAD.ref: "never retry an upload"}
    assert dict(behind.rejected) == {"removed": 1, "not_searched": 2}
    assert behind.degraded
    assert caught_up.rejected == ()
    assert not caught_up.degraded


def test_a_name_that_is_not_indexed_yet_is_not_said_to_occur_nowhere(stack: Stack) -> None:
    stack.put(_BACKOFF)
    stack.follow()
    stack.put(record("new", "settle_ledger_now closes the day", title="closing"))

    behind = stack.ask("call settle_ledger_now")
    stack.follow()
    caught_up = stack.ask("call settle_ledger_now")

    assert not [entity for entity in behind.entities if not entity.found]
    assert dict(behind.rejected)["not_searched"] >= 1
    assert [entity.found for entity in caught_up.entities if entity.name == "settle_ledger_now"] == [True]
    assert "not_searched" not in dict(caught_up.rejected)
