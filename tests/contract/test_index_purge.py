"""Indexes follow a purge: however late, over a crash at any moment, and whatever was under way when it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from retrieval.errors import IndexUnavailable
from retrieval.index.lexical import LexicalIndex
from retrieval.store.interface import Purged
from retrieval.store.lmdb import open_store
from retrieval.store.purging import purge
from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import NAMESPACE, TENANT, Room, open_room, record
from workingset.vocabulary import Namespace, TenantId

OTHER, THIRD = Namespace("m"), Namespace("third")
STRANGER = TenantId("u")


def purged(room: Room, namespace: Namespace = NAMESPACE) -> Purged:
    return purge(room.store, TENANT, namespace)


def fill(room: Room) -> None:
    room.put(record("a", "wolf and sheep"), record("b", "wolf alone"), record("c", "wolf elsewhere", namespace=OTHER))
    room.put(record("a", "wolf of a stranger"), tenant=STRANGER)


def traces(room: Room, namespace: Namespace = NAMESPACE) -> int:
    with room.store.snapshot(TENANT) as txn:
        stored = txn.traces_of_namespace(namespace)
    assert not stored.found
    return room.follower.traces_of_namespace(TENANT, namespace).total


def nothing_left(room: Room) -> None:
    """Of `n`; the others are whole."""
    assert traces(room) == 0
    assert room.words("wolf") == []
    assert room.nearest("wolf alone") == []
    assert room.words("wolf", namespaces=[NAMESPACE, OTHER]) == ["m:c"]
    assert room.nearest("wolf", namespace=OTHER) == ["m:c"]
    assert room.words("wolf", tenant=STRANGER) == ["n:a"]
    assert room.lexical.documents() == 2
    assert room.follower.caught_up(TENANT, OTHER)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    opened = open_room(tmp_path)
    fill(opened)
    yield opened
    opened.close()


def test_what_was_purged_is_lost_and_the_rest_is_kept(room: Room) -> None:
    room.catch_up()
    room.follower.save()
    assert room.follower.traces_of_namespace(TENANT, NAMESPACE).total == 2 + 2 + 1
    purged(room)
    room.catch_up()
    nothing_left(room)
    assert room.notes(OTHER) == {"lexical": "", "vector": ""}
    with room.store.snapshot(TENANT) as txn:
        assert [state.covered for state in room.follower.states(txn, NAMESPACE)] == [1.0, 1.0]


def test_it_can_be_lost_at_once(room: Room) -> None:
    room.catch_up()
    room.follower.save()
    purged(room)
    assert room.follower.drop_purged() == ""
    nothing_left(room)


def test_a_purge_that_came_before_anything_was_taken_in(room: Room) -> None:
    purged(room)
    room.catch_up()
    nothing_left(room)
    assert isinstance(room.embedder, HashingEmbedder)
    assert [text for text in room.embedder.asked if text == "wolf and sheep"] == []


@pytest.mark.parametrize("taken", [0, 1, 1000])
def test_a_namespace_written_again_is_indexed_anew(room: Room, taken: int) -> None:
    room.follower.advance_lexical(taken)
    room.follower.advance_vectors(taken)
    purged(room)
    room.put(record("a", "fox"), record("z", "sheep"))
    with room.store.snapshot(TENANT) as txn:
        lexical, vector = room.follower.states(txn, NAMESPACE)
        assert (lexical.lag, vector.lag, lexical.covered, vector.covered) == (2, 2, 0.0, 0.0)
    room.catch_up()
    assert room.words("wolf") == []
    assert room.words("fox") == ["n:a"]
    assert room.words("sheep") == ["n:z"]
    assert room.nearest("fox") == ["n:a", "n:z"]
    assert room.vector.count(TENANT, NAMESPACE) == 2
    assert room.lexical.documents_in(TENANT, NAMESPACE) == 2
    assert room.follower.caught_up(TENANT, NAMESPACE)
    assert room.follower.caught_up(TENANT, NAMESPACE, "vector")
    purged(room)
    room.catch_up()
    nothing_left(room)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("saved", [False, True])
def test_a_process_that_is_killed_before_it_noticed_notices_later(tmp_path: Path, again: bool, saved: bool) -> None:
    room = open_room(tmp_path)
    fill(room)
    room.catch_up()
    if saved:
        room.follower.save()
    purged(room)
    if again:
        room.put(record("a", "fox"))
    room.crash()

    later = open_room(tmp_path)
    assert later.nearest("wolf alone") == []
    later.catch_up()
    if again:
        assert later.words("fox") == ["n:a"]
        assert later.words("wolf") == []
        assert later.nearest("wolf alone") == ["n:a"]
        purged(later)
        later.catch_up()
    nothing_left(later)
    later.close()


def test_the_only_namespace_is_lost_too(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "wolf"))
    room.catch_up()
    room.follower.save()
    purged(room)
    room.crash()
    later = open_room(tmp_path)
    later.catch_up()
    assert (traces(later), later.lexical.documents()) == (0, 0)
    assert not list((tmp_path / "vectors").glob("*"))
    later.close()


def test_a_purge_between_reading_and_committing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = LexicalIndex.commit

    def late(index: LexicalIndex) -> None:
        monkeypatch.undo()
        purged(room)
        room.put(record("a", "fox"))
        commit(index)

    monkeypatch.setattr(LexicalIndex, "commit", late)
    room.follower.advance_lexical(1000)
    with room.store.snapshot(TENANT) as txn:
        assert txn.mark("index/lexical", NAMESPACE) is None
        assert txn.mark("index/lexical", OTHER) is not None
    room.catch_up()
    assert room.words("wolf") == []
    assert room.words("fox") == ["n:a"]
    assert room.lexical.documents_in(TENANT, NAMESPACE) == 1


class _Interrupted(HashingEmbedder):
    """Does something else while it embeds, once."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] = str

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        now, self.meanwhile = self.meanwhile, str
        now()
        return super().embed(texts)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("on_demand", [False, True])
def test_a_vector_that_was_being_made_is_not_stored(tmp_path: Path, on_demand: bool, again: bool) -> None:
    embedder = _Interrupted()
    room = open_room(tmp_path, embedder=embedder)
    fill(room)
    room.follower.advance_lexical(1000)
    with room.store.snapshot(TENANT) as txn:
        records = txn.list_records(NAMESPACE, 0, 9).records

    def meanwhile() -> None:
        purged(room)
        if again:
            room.put(record("a", "fox"), record("b", "hen"))

    embedder.meanwhile = meanwhile
    if on_demand:
        assert room.follower.embed_now(TENANT, records).computed == 2
        assert room.follower.embed_now(TENANT, records[:1]).computed == 0
    else:
        room.follower.advance_vectors(1000)
    room.catch_up()
    assert room.vector.count(TENANT, NAMESPACE) == (2 if again else 0)
    purged(room)
    room.catch_up()
    nothing_left(room)
    room.close()


def test_a_vector_on_demand_for_a_record_purged_before_is_used_and_not_stored(room: Room) -> None:
    with room.store.snapshot(TENANT) as txn:
        records = txn.list_records(NAMESPACE, 0, 9).records
    purged(room)
    room.put(record("a", "fox"))
    assert room.follower.embed_now(TENANT, records).missing == 0
    room.catch_up()
    purged(room)
    room.catch_up()
    nothing_left(room)


def test_files_of_nobody_are_swept_and_those_in_use_are_kept(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    fill(room)
    room.catch_up()
    room.close()
    files = set((tmp_path / "vectors").iterdir())
    assert len(files) == 3
    for name in ("0123.usearch", "0123.usearch.new"):
        (tmp_path / "vectors" / name).write_bytes(b"vectors of somebody")
    room = open_room(tmp_path)
    room.catch_up()
    assert set((tmp_path / "vectors").iterdir()) == files
    assert room.nearest("wolf", namespace=OTHER) == ["m:c"]
    room.close()


def test_a_file_that_cannot_be_deleted_is_said_and_tried_again(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.catch_up()
    room.follower.save()
    purged(room)

    def refused(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(1, "not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        assert "cannot delete" in room.follower.drop_purged()
        assert "cannot delete" in room.follower.advance_vectors(9).failed
        assert room.follower.traces_of_namespace(TENANT, NAMESPACE).found
    room.catch_up()
    nothing_left(room)


def test_a_commit_that_fails_is_made_up_for(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.catch_up()
    purged(room)

    def failing(index: LexicalIndex) -> None:
        raise IndexUnavailable("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(LexicalIndex, "commit", failing)
        assert "the disk is gone" in room.follower.drop_purged()
    room.catch_up()
    nothing_left(room)


def test_a_read_only_store_is_left_alone(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    fill(room)
    room.catch_up()
    room.follower.save()
    purged(room)
    room.crash()
    reader = open_room(tmp_path, store=open_store(tmp_path / "store", read_only=True))
    assert reader.follower.drop_purged() == ""
    assert reader.nearest("wolf") == []
    assert reader.words("wolf") == ["None", "None"]
    reader.close()
