"""Vectors that nothing needs: those of a replaced model go when the switch is complete, spare ones when many."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.index.follower import FollowerSettings
from retrieval.index.vector_collector import CollectorSettings
from retrieval.store.interface import NamespaceCounts
from retrieval.store.lmdb import open_store
from retrieval.store.lmdb.snapshot import LmdbSnapshot
from retrieval.text.embedding import embedding_digest
from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import NAMESPACE, TENANT, Room, open_room, record
from workingset.vocabulary import Digest, Namespace, TenantId

SMALL = FollowerSettings(collector=CollectorSettings(step_rows=3, spare_vectors=4, spare_share=0.0))


def idle(room: Room) -> int:
    """Take steps until there is nothing left to do; returns how many rows were looked at to collect."""
    room.catch_up()
    looked = 0
    for _ in range(1_000):
        step = room.follower.advance_vectors(100)
        assert not step.failed
        if not step.collected and not step.taken:
            return looked
        looked += step.collected
    raise AssertionError("it never ends")


def kept(room: Room, model: str, tenant: TenantId = TENANT) -> set[Digest]:
    with room.store.snapshot(tenant) as txn:
        return set(txn.vector_digests(model, None, 1_000))


def texts(*names: str) -> set[Digest]:
    return {embedding_digest(f"words {name}") for name in names}


def test_while_a_model_is_replaced_its_successor_answers_for_the_share_it_covers(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(*(record(f"{at}", f"words {at}") for at in range(8)))
    room.catch_up()
    old = room.embedder.fingerprint
    room.close()

    room = open_room(tmp_path, embedder=HashingEmbedder(16, "other"))
    new = room.embedder.fingerprint
    for done in range(1, 8):
        room.follower.advance_vectors(1)
        with room.store.snapshot(TENANT) as txn:
            vector = room.follower.states(txn, NAMESPACE)[1]
        assert (vector.covered, vector.lag) == (done / 8, 8 - done)
        assert "another model" in vector.note
        assert len(room.nearest("words 0")) == done
        assert (len(kept(room, old)), len(kept(room, new))) == (8, done)
    room.follower.advance_vectors(1)
    assert len(kept(room, old)) == 8
    idle(room)
    assert (len(kept(room, old)), len(kept(room, new))) == (0, 8)
    assert room.nearest("words 0")[0] == "n:0"
    room.close()


def test_going_back_before_the_switch_is_complete_costs_nothing(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(*(record(f"{at}", f"words {at}") for at in range(4)))
    room.catch_up()
    expected = room.nearest("words 2")
    room.close()
    room = open_room(tmp_path, embedder=HashingEmbedder(16, "other"))
    room.follower.advance_vectors(2)
    room.close()

    room = open_room(tmp_path)
    idle(room)

    assert isinstance(room.embedder, HashingEmbedder)
    assert room.embedder.asked == []
    assert room.nearest("words 2") == expected
    assert kept(room, "other:16") == set()
    room.close()


def test_one_tenant_behind_keeps_no_other_from_being_cleaned(tmp_path: Path) -> None:
    stranger = TenantId("u")
    room = open_room(tmp_path)
    room.put(record("a", "words a"))
    room.put(record("a", "words a"), tenant=stranger)
    room.catch_up()
    room.close()
    room = open_room(tmp_path, embedder=HashingEmbedder(16, "other"))
    room.follower.advance_vectors(1)
    room.follower.advance_vectors(0)
    behind = [tenant for tenant in (TENANT, stranger) if not kept(room, "other:16", tenant)]
    assert len(behind) == 1
    for tenant in (TENANT, stranger):
        assert len(kept(room, "hashing:32", tenant)) == (tenant in behind)
    idle(room)
    assert not kept(room, "hashing:32") | kept(room, "hashing:32", stranger)
    room.close()


def test_vectors_of_changed_texts_stay_while_they_are_few_and_go_when_they_are_many(tmp_path: Path) -> None:
    room = open_room(tmp_path, settings=SMALL)
    room.put(record("a", "words first"), record("b", "words other"), record("c", "words removed"))
    room.catch_up()
    room.put(record("a", "words second"))
    room.remove("n:c")
    assert idle(room) == 0
    assert kept(room, room.embedder.fingerprint) == texts("first", "second", "other", "removed")

    for at in range(5):
        room.put(record("a", f"words {at}"))
        room.catch_up()
    assert idle(room) > 0

    assert kept(room, room.embedder.fingerprint) == texts("other", "4")
    assert idle(room) == 0
    room.close()


def test_where_nothing_moved_nothing_is_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = open_room(tmp_path, settings=SMALL)
    room.put(record("a", "words a"), record("b", "words b"))
    idle(room)
    counted: list[Namespace] = []
    counts = LmdbSnapshot.counts

    def seen(txn: LmdbSnapshot, namespace: Namespace) -> NamespaceCounts:
        counted.append(namespace)
        return counts(txn, namespace)

    monkeypatch.setattr(LmdbSnapshot, "counts", seen)
    for _ in range(5):
        room.follower.advance_vectors(10)
    assert counted == []
    room.remove("n:b")
    idle(room)
    assert counted == [NAMESPACE]
    room.close()


def test_what_is_too_much_only_after_a_purge_is_collected(tmp_path: Path) -> None:
    by_share = CollectorSettings(step_rows=3, spare_vectors=0, spare_share=1.0)
    room = open_room(tmp_path, settings=FollowerSettings(collector=by_share))
    other = Namespace("m")
    room.put(*(record(f"{at}", f"words {at}", namespace=other) for at in range(8)))
    for name in ("old", "older", "oldest", "a"):
        room.put(record("a", f"words {name}"))
        idle(room)
    assert texts("old", "older", "oldest", "a") <= kept(room, room.embedder.fingerprint)

    room.store.write(TENANT, lambda txn: txn.purge_namespace(other))
    idle(room)

    assert kept(room, room.embedder.fingerprint) == texts("a")
    room.close()


def test_a_text_that_comes_back_during_a_sweep_keeps_or_regains_its_vector(tmp_path: Path) -> None:
    for steps in (0, 1, 3, 4, 5, 7):
        room = open_room(tmp_path / str(steps), settings=SMALL)
        room.put(*(record(f"{at}", f"words {at}") for at in range(7)))
        room.catch_up()
        for at in range(7):
            room.put(record(f"{at}", f"words new{at}"))
        room.catch_up()
        for _ in range(steps):
            room.follower.advance_vectors(100)
        room.put(record("3", "words 3"), record("x", "words 5", namespace=Namespace("m")))
        idle(room)
        assert texts("3", "5") <= kept(room, room.embedder.fingerprint), steps
        assert room.nearest("words 3", limit=1) == ["n:3"]
        room.close()


def test_a_read_only_store_is_not_collected(tmp_path: Path) -> None:
    room = open_room(tmp_path, settings=SMALL)
    for at in range(9):
        room.put(record("a", f"words {at}"))
        room.catch_up()
    held = kept(room, room.embedder.fingerprint)
    room.close()
    reader = open_room(tmp_path, settings=SMALL, store=open_store(tmp_path / "store", read_only=True))
    for _ in range(5):
        reader.follower.advance_vectors(10)
    assert kept(reader, reader.embedder.fingerprint) == held
    reader.close()
