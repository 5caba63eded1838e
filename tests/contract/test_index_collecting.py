"""Indexes over collected history: what lags catches up, what is rebuilt finds all, and nothing old is found."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.store.collecting import collect
from retrieval.store.interface import Collected
from tests.contract.indexes_room import NAMESPACE, TENANT, Room, open_room, record
from workingset.vocabulary import Generation

REFS = ["n:apple", "n:pear", "n:plum"]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = open_room(tmp_path)
    yield room
    room.close()


def gathered(room: Room, back: int = 0) -> Collected:
    with room.store.snapshot(TENANT) as txn:
        before = Generation(txn.generation(NAMESPACE) - back)
    return collect(room.store, TENANT, NAMESPACE, before)


def some_history(room: Room) -> None:
    room.put(*[record(ref.partition(":")[2], "an orchard in winter") for ref in REFS])
    room.put(record("apple", "an orchard in spring"))
    room.put(record("apple", "an orchard in summer"), record("quince", "an orchard in summer"))
    room.remove("n:quince")


def check(room: Room) -> None:
    assert sorted(room.words("orchard")) == REFS
    assert room.words("summer") == ["n:apple"]
    assert room.words("spring") == []
    assert sorted(room.nearest("an orchard in winter")[:2]) == ["n:pear", "n:plum"]
    with room.store.snapshot(TENANT) as txn:
        assert [state.lag for state in room.follower.states(txn, NAMESPACE)] == [0, 0]
        assert [state.covered for state in room.follower.states(txn, NAMESPACE)] == [1.0, 1.0]


@pytest.mark.parametrize("back", [0, 1, 2])
def test_an_index_that_lags_catches_up_over_a_collected_log(room: Room, back: int) -> None:
    room.put(record("apple", "before all"))
    room.catch_up()
    some_history(room)
    assert gathered(room, back).changes
    room.catch_up()
    check(room)


def test_a_removal_that_was_not_taken_in_yet_is_taken_in(room: Room) -> None:
    room.put(record("apple", "an orchard"), record("pear", "an orchard"))
    room.catch_up()
    room.put(record("pear", "an orchard in autumn"))
    room.remove("n:pear")
    gathered(room)
    room.catch_up()
    assert room.words("orchard") == ["n:apple"]


def test_indexes_that_were_deleted_are_rebuilt_from_a_collected_log(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    some_history(room)
    room.catch_up()
    gathered(room)
    room.close()
    for index in ("lexical", "vectors"):
        shutil.rmtree(tmp_path / index)
    room = open_room(tmp_path)
    room.catch_up()
    check(room)
    room.close()


def test_texts_are_embedded_on_demand_whose_version_was_collected_meanwhile(room: Room) -> None:
    room.put(record("apple", "an orchard in winter"))
    with room.store.snapshot(TENANT) as txn:
        read = txn.record(record("apple", "").ref)
    assert read is not None
    room.put(record("apple", "an orchard in spring"))
    gathered(room)
    assert room.follower.embed_now(TENANT, [read]).missing == 0
    room.catch_up()
    assert room.nearest("an orchard in spring")[0] == "n:apple"
