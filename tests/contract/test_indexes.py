"""What both index sensors promise: hits that follow the store, in a total order, within tenant and namespace."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import BadField, IndexUnavailable
from retrieval.index.follower import FollowerSettings, IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.sensor import IndexProgress, LexicalSearch, VectorSearch, WeightedTerm
from retrieval.index.vector import VectorIndex, VectorSettings, encoded_vector
from retrieval.record import Edge
from retrieval.relations import Role
from retrieval.store.lmdb import open_store
from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import NAMESPACE, TENANT, Room, open_room, record
from workingset.vocabulary import Generation, Namespace, Ref, TenantId

OTHER = Namespace("m")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = open_room(tmp_path)
    yield made
    made.close()


def test_the_parts_keep_the_protocols(room: Room) -> None:
    lexical: LexicalSearch = room.lexical
    vector: VectorSearch = room.vector
    progress: IndexProgress = room.follower
    assert lexical.documents() == 0
    assert vector.count(TENANT, NAMESPACE) == 0
    assert progress.generation("lexical", TENANT, NAMESPACE) == 0


def test_an_identifier_is_found_by_its_parts_and_as_a_whole(room: Room) -> None:
    room.put(record("a", "def getRemoteAddress(): ..."), record("b", "remote work"), record("c", "soup"))
    room.catch_up()
    assert room.words("remote address") == ["n:a", "n:b"]
    assert room.words("getremoteaddress") == ["n:a"]
    assert room.words("get_remote_address remote")[0] in {"n:a", "n:b"}


def test_chinese_japanese_and_korean_are_found_by_any_pair(room: Room) -> None:
    room.put(record("a", "東京都は日本の首都です"), record("b", "大阪の天気"), record("c", "한국어 문서"))
    room.catch_up()
    assert room.words("首都") == ["n:a"]
    assert room.words("天気") == ["n:b"]
    assert room.words("한국어") == ["n:c"]


def test_title_counts_more_than_body_and_path_is_searched(room: Room) -> None:
    room.put(
        record("a", "about socket and other things", title="x"),
        record("b", "about other and further things", title="socket"),
        record("c", "nothing", path="lib/socket.py"),
    )
    room.catch_up()
    assert room.words("socket")[0] == "n:b"
    assert set(room.words("socket")) == {"n:a", "n:b", "n:c"}


def test_a_heavier_term_decides(room: Room) -> None:
    room.put(record("a", "apple"), record("b", "pear"))
    room.catch_up()

    def best(apple: float, pear: float) -> list[str]:
        terms = [WeightedTerm("appl", apple), WeightedTerm("pear", pear)]
        return room.names(room.lexical.search(TENANT, [NAMESPACE], terms, 1))

    assert best(2.0, 1.0) == ["n:a"]
    assert best(1.0, 2.0) == ["n:b"]
    assert best(0.0, 1.0) == ["n:b"]


def test_ties_are_in_the_order_of_record_ids_at_any_limit(room: Room) -> None:
    for batch in range(4):
        room.put(*(record(f"{batch}-{i}", "the same text") for i in range(25)))
        room.catch_up()
    terms = [WeightedTerm("text", 1.0)]
    query = room.embedder.embed(["the same text"])[0]
    for limit in (1, 7, 50, 100):
        lexical = [hit.record_id for hit in room.lexical.search(TENANT, [NAMESPACE], terms, limit)]
        nearest = [hit.record_id for hit in room.vector.search(TENANT, NAMESPACE, query, limit)]
        assert lexical == sorted(lexical)
        assert lexical == nearest
        assert len(lexical) == limit


def test_tenants_and_namespaces_see_only_their_own(room: Room) -> None:
    stranger = TenantId("u")
    room.put(record("a", "shared word"), record("b", "shared word", namespace=OTHER))
    room.put(record("c", "shared word"), tenant=stranger)
    room.catch_up()
    assert room.words("shared") == ["n:a"]
    assert room.words("shared", namespaces=[OTHER]) == ["m:b"]
    assert set(room.words("shared", namespaces=[NAMESPACE, OTHER])) == {"n:a", "m:b"}
    assert room.words("shared", tenant=stranger) == ["n:c"]
    assert room.words("shared", tenant=TenantId("nobody")) == []
    assert room.nearest("shared word") == ["n:a"]
    assert room.nearest("shared word", namespace=OTHER) == ["m:b"]
    assert room.lexical.document_frequency(TENANT, [NAMESPACE], "share") == 1
    assert room.lexical.document_frequency(TENANT, [NAMESPACE, OTHER], "share") == 2
    assert room.lexical.document_frequency(TenantId("nobody"), [NAMESPACE], "share") == 0
    assert room.lexical.documents() == 3


def test_document_frequency_counts_live_documents_once(room: Room) -> None:
    room.put(record("a", "wolf wolf", title="wolf", path="wolf.md"), record("b", "wolf"), record("c", "sheep"))
    room.catch_up()
    assert room.lexical.document_frequency(TENANT, [NAMESPACE], "wolf") == 2
    room.remove("n:b")
    room.catch_up()
    assert room.lexical.document_frequency(TENANT, [NAMESPACE], "wolf") == 1
    assert room.lexical.document_frequency(TENANT, [NAMESPACE], "") == 0


def test_document_frequency_is_exact_whichever_fields_hold_a_term_most(room: Room) -> None:
    room.put(record("a", "wolf", title="elk"), record("b", "elk", title="wolf"), record("c", "hare", title="wolf"))
    room.put(record("d", "wolf elk", title="wolf", path="elk.md"), record("e", "hare", path="wolf.md"))
    room.catch_up()
    counted = {word: room.lexical.document_frequency(TENANT, [NAMESPACE], word) for word in ("wolf", "elk", "hare")}
    assert counted == {"wolf": 5, "elk": 3, "hare": 2}
    assert counted == {word: room.lexical.document_frequency(TENANT, [NAMESPACE, OTHER], word) for word in counted}


def test_edits_replace_and_removals_leave_no_ghost(room: Room) -> None:
    room.put(record("a", "old wording"), record("b", "to be removed"))
    room.catch_up()
    room.put(record("a", "new phrase"))
    room.remove("n:b")
    room.catch_up()
    assert room.words("old wording") == []
    assert room.words("phrase") == ["n:a"]
    assert room.words("removed") == []
    assert room.nearest("new phrase") == ["n:a"]
    assert room.lexical.documents() == 1
    assert room.vector.count(TENANT, NAMESPACE) == 1


def test_grown_by_edits_or_built_at_once_the_matches_are_the_same(tmp_path: Path) -> None:
    chance = random.Random(7)
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    grown = open_room(tmp_path / "grown")
    for _ in range(30):
        locals_ = [str(chance.randrange(40)) for _ in range(5)]
        grown.put(*(record(each, " ".join(chance.choices(words, k=6))) for each in dict.fromkeys(locals_)))
        if chance.random() < 0.4:
            grown.remove(f"n:{chance.randrange(40)}")
        if chance.random() < 0.6:
            grown.catch_up()
    grown.catch_up()
    fresh = open_room(tmp_path / "fresh", store=grown.store)
    fresh.catch_up()
    for word in words:
        assert set(grown.words(word, limit=100)) == set(fresh.words(word, limit=100))
        assert grown.nearest(word, limit=100) == fresh.nearest(word, limit=100)
    assert grown.lexical.documents() == fresh.lexical.documents()
    fresh.lexical.close()
    grown.close()


def test_steps_are_bounded_and_say_what_is_left(room: Room) -> None:
    room.put(*(record(f"{i:02}", f"word{i}") for i in range(10)))
    first = room.follower.advance_lexical(4)
    assert (first.taken, first.left) == (4, 6)
    assert room.follower.generation("lexical", TENANT, NAMESPACE) == 0
    assert not room.follower.caught_up(TENANT, NAMESPACE)
    second = room.follower.advance_lexical(100)
    assert (second.taken, second.left) == (6, 0)
    assert room.follower.caught_up(TENANT, NAMESPACE)
    assert room.follower.generation("lexical", TENANT, NAMESPACE) == 1
    assert room.follower.advance_lexical(100).taken == 0


def test_a_generation_without_records_is_taken_in_too(room: Room) -> None:
    room.put(record("a", "one"), record("b", "two"))
    room.catch_up()
    edge = Edge(Ref("n:a"), "references", Ref("n:b"), Role.ASSOCIATIVE)
    room.store.write(TENANT, lambda txn: txn.put_edge(edge))
    room.catch_up()
    assert room.follower.caught_up(TENANT, NAMESPACE)
    assert room.follower.caught_up(TENANT, NAMESPACE, "vector")


def test_no_namespace_starves_another(room: Room) -> None:
    room.put(*(record(f"{i:02}", f"word{i}") for i in range(40)))
    room.put(record("x", "needle", namespace=OTHER))
    for _ in range(2):
        room.follower.advance_lexical(5)
    assert room.words("needle", namespaces=[OTHER]) == ["m:x"]


def test_equal_text_is_embedded_once_in_a_tenant(room: Room) -> None:
    embedder = room.embedder
    assert isinstance(embedder, HashingEmbedder)
    room.put(record("a", "twin"), record("b", "twin"), record("c", "twin", namespace=OTHER))
    room.catch_up()
    assert embedder.asked == ["twin"]
    room.put(record("a", "changed"))
    room.catch_up()
    room.put(record("a", "twin"))
    room.catch_up()
    assert embedder.asked == ["twin", "changed"]
    assert room.vector.count(TENANT, NAMESPACE) == 2


def test_preferred_records_are_embedded_first_then_the_newest(room: Room) -> None:
    embedder = room.embedder
    assert isinstance(embedder, HashingEmbedder)
    for name in ("a", "b", "c", "d"):
        room.put(record(name, f"text {name}"))
    with room.store.snapshot(TENANT) as txn:
        wanted = [txn.record_id(Ref("n:b")), txn.record_id(Ref("n:a"))]
    room.follower.prefer(TENANT, [each for each in wanted if each is not None])
    step = room.follower.advance_vectors(1)
    assert (step.embedded, step.left) == (1, 3)
    room.follower.advance_vectors(10)
    assert embedder.asked == ["text b", "text a", "text d", "text c"]


def test_vectors_on_demand_are_used_again_and_stored(room: Room) -> None:
    embedder = room.embedder
    assert isinstance(embedder, HashingEmbedder)
    records = [record(name, f"text {name}") for name in ("a", "b", "c")]
    room.put(*records)
    first = room.follower.embed_now(TENANT, records, limit=2)
    assert (first.computed, first.missing) == (2, 1)
    assert first.vectors[2] is None
    again = room.follower.embed_now(TENANT, records)
    assert (again.computed, again.missing) == (1, 0)
    assert again.vectors[:2] == first.vectors[:2]
    room.catch_up()
    assert sorted(embedder.asked) == ["text a", "text b", "text c"]
    warm = room.follower.embed_now(TENANT, records)
    assert (warm.computed, warm.vectors) == (0, again.vectors)
    assert room.vector.count(TENANT, NAMESPACE) == 3


def test_demand_stops_when_cancelled(room: Room) -> None:
    records = [record(name, f"text {name}") for name in ("a", "b")]
    answers = iter([False, True])
    now = room.follower.embed_now(TENANT, records, cancelled=lambda: next(answers))
    assert (now.computed, now.missing) == (1, 1)


def test_a_restart_goes_on_where_it_stopped_and_embeds_nothing_twice(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(*(record(f"{i}", f"text number{i}") for i in range(6)))
    room.follower.advance_lexical(4)
    room.follower.advance_vectors(4)
    room.close()
    again = open_room(tmp_path)
    assert again.vector.count(TENANT, NAMESPACE) == 4
    assert again.follower.advance_lexical(100).taken == 2
    again.catch_up()
    assert isinstance(again.embedder, HashingEmbedder)
    assert len(again.embedder.asked) == 2
    assert len(again.words("text")) == 6
    assert again.notes() == {"lexical": "", "vector": ""}
    again.close()


def test_a_killed_process_loses_no_vector(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(*(record(f"{i}", f"text number{i}") for i in range(6)))
    room.catch_up()
    expected = room.nearest("number3")
    room.crash()
    again = open_room(tmp_path)
    again.catch_up()
    assert isinstance(again.embedder, HashingEmbedder)
    assert again.embedder.asked == []
    assert again.nearest("number3") == expected
    assert len(again.words("text")) == 6
    again.close()


def test_states_say_how_far_each_index_is(room: Room) -> None:
    room.put(*(record(f"{i}", f"text {i} word{i}") for i in range(4)))
    room.follower.advance_lexical(100)
    room.follower.advance_vectors(1)
    with room.store.snapshot(TENANT) as txn:
        lexical, vector = room.follower.states(txn, NAMESPACE)
    assert (lexical.name, lexical.generation, lexical.lag, lexical.covered, lexical.note) == ("lexical", 1, 0, 1.0, "")
    assert (vector.name, vector.generation, vector.lag, vector.covered) == ("vector", 0, 3, 0.25)
    assert vector.note == "1 of 4 records embedded"


def test_an_unmarked_change_is_never_reported_as_covered(room: Room) -> None:
    room.put(record("a", "one"))
    room.catch_up()
    room.put(record("a", "two"))
    with room.store.snapshot(TENANT) as txn:
        assert all(state.lag == 1 and state.covered < 1.0 for state in room.follower.states(txn, NAMESPACE))


def test_waiting_for_a_generation(room: Room) -> None:
    room.put(record("a", "one"))
    assert not room.follower.wait_until(TENANT, NAMESPACE, Generation(1), 0.0)
    worker = threading.Thread(target=room.follower.advance_lexical, args=(10,))
    worker.start()
    assert room.follower.wait_until(TENANT, NAMESPACE, Generation(1), 30.0)
    worker.join()
    assert room.words("one") == ["n:a"]
    with pytest.raises(BadField):
        room.follower.generation("graph", TENANT, NAMESPACE)


def test_searches_run_beside_both_writers(room: Room) -> None:
    room.put(*(record(f"{i}", f"text number{i % 7}") for i in range(300)))
    failures: list[BaseException] = []
    done = threading.Event()

    def search() -> None:
        try:
            while not done.is_set():
                room.words("number3")
                room.nearest("number3")
                room.notes()
        except BaseException as failure:
            failures.append(failure)

    searchers = [threading.Thread(target=search) for _ in range(2)]
    for thread in searchers:
        thread.start()
    for round_ in range(5):
        room.put(record(f"extra{round_}", "text number3"))
        while room.follower.advance_lexical(50).left:
            room.follower.advance_vectors(50)
    room.catch_up()
    done.set()
    for thread in searchers:
        thread.join()
    assert not failures
    assert len(room.words("number3", limit=1000)) == 43 + 5


def _unit(chance: np.random.Generator, count: int, dimensions: int) -> np.ndarray:
    rows = chance.normal(size=(count, dimensions))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def test_the_graph_and_the_scan_agree_and_claim_what_they_did(tmp_path: Path) -> None:
    rows = _unit(np.random.default_rng(3), 1500, 48)
    ids = [7 + 3 * at for at in range(len(rows))]
    vectors = [(record_id, encoded_vector(row.tolist())) for record_id, row in zip(ids, rows, strict=True)]
    few = VectorIndex(tmp_path, "m", 48)
    many = VectorIndex(tmp_path, "m", 48, VectorSettings(exact_vectors=100, scan_rows=64))
    for index in (few, many):
        for start in range(0, len(vectors), 100):
            assert index.replace(TENANT, NAMESPACE, vectors[start : start + 100]) == []
        index.remove(TENANT, NAMESPACE, ids[:500])
    found = 0
    for row in _unit(np.random.default_rng(4), 50, 48):
        exact = few.answer(TENANT, NAMESPACE, row.tolist(), 10)
        scanned = many.answer(TENANT, NAMESPACE, row.tolist(), 10, exact=True)
        graph = many.answer(TENANT, NAMESPACE, row.tolist(), 10)
        assert exact == scanned
        assert exact.exhaustive
        assert not graph.exhaustive
        assert min(hit.record_id for hit in exact.hits) >= ids[500]
        found += len({hit.record_id for hit in exact.hits} & {hit.record_id for hit in graph.hits})
    assert found >= 0.95 * 500


def test_vectors_that_are_none_are_refused_and_counted(room: Room) -> None:
    nan = [float("nan"), *[0.0] * 31]
    refused = room.vector.replace(
        TENANT,
        NAMESPACE,
        [
            (1, encoded_vector(nan)),
            (2, encoded_vector([1.0] * 32)),
            (3, encoded_vector([1.0, 0.0])),
            (4, b"odd"),
            (2**63, encoded_vector([1.0, *[0.0] * 31])),
            (5, encoded_vector([1.0, *[0.0] * 31])),
        ],
    )
    assert refused == [1, 2, 3, 4, 2**63]
    assert room.vector.count(TENANT, NAMESPACE) == 1
    for query in (nan, [1.0, 0.0], [0.0] * 32):
        with pytest.raises(IndexUnavailable):
            room.vector.search(TENANT, NAMESPACE, query, 5)


def test_vectors_of_another_model_are_never_mixed(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "one"))
    room.catch_up()
    room.close()
    other = HashingEmbedder(16, "other")
    again = open_room(tmp_path, embedder=other)
    assert again.vector.count(TENANT, NAMESPACE) == 0
    assert "another model" in again.notes()["vector"]
    again.catch_up()
    assert other.asked == ["one"]
    assert again.nearest("one") == ["n:a"]
    with pytest.raises(BadField):
        IndexFollower(again.store, again.lexical, again.vector, HashingEmbedder())
    again.close()


def test_a_read_only_store_is_searched_without_taking_a_lock(tmp_path: Path) -> None:
    room = open_room(tmp_path)
    room.put(record("a", "one"))
    room.catch_up()
    room.close()
    writer = LexicalIndex(tmp_path / "lexical")
    writer.apply(TENANT, [(99, record("zz", "uncommitted"))])
    reader = open_room(tmp_path, store=open_store(tmp_path / "store", read_only=True))
    assert reader.words("one") == ["n:a"]
    assert reader.follower.advance_lexical(10).failed == ""
    assert reader.follower.advance_vectors(10).failed == ""
    assert reader.nearest("one") == ["n:a"]
    reader.close()
    writer.close()


def test_a_closed_index_is_unavailable(tmp_path: Path) -> None:
    room = open_room(tmp_path, settings=FollowerSettings(lag_counted=5))
    room.put(record("a", "one"))
    room.close()
    with pytest.raises(IndexUnavailable):
        room.lexical.search(TENANT, [NAMESPACE], [WeightedTerm("one", 1.0)], 1)
    with pytest.raises(IndexUnavailable):
        room.lexical.documents()
