"""What every storage engine must do: history collected up to a horizon, and every cut from there on as it was."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from retrieval.errors import BadField, CutExpired
from retrieval.record import Edge, Name, NameKind
from retrieval.relations import Role
from retrieval.store.collecting import collect
from retrieval.store.interface import Collected, Snapshot, Store, WriteTransaction
from retrieval.store.purging import purge
from retrieval.text.embedding import embedding_digest, embedding_text
from tests.contract.store_invariants import check_invariants
from tests.contract.store_room import CODE, NOTES, OTHER_TENANT, TENANT, Open, a_record, generation, link, put
from workingset.vocabulary import AgentId, Cut, Digest, Generation, Namespace, Ref, TenantId, Turn

F, G = Ref("code:f"), Ref("code:g")
READS: list[Callable[[Snapshot, Generation], object]] = [
    lambda snapshot, at: snapshot.record(F, at),
    lambda snapshot, at: snapshot.edges_from(F, at),
    lambda snapshot, at: snapshot.edges_to(F, at),
    lambda snapshot, at: snapshot.records_by_id([snapshot.record_id(F) or 0], Cut.of({CODE: at})),
]


def versions(store: Store, *texts: str, ref: str = "code:f") -> None:
    for text in texts:
        put(store, a_record(ref, text))


def gathered(store: Store, before: int, namespace: Namespace = CODE, tenant: TenantId = TENANT) -> Collected:
    return collect(store, tenant, namespace, Generation(before))


def remove(store: Store, ref: Ref) -> None:
    store.write(TENANT, lambda txn: txn.remove_record(ref))


def text_at(store: Store, at: int, ref: Ref = F) -> str | None:
    with store.snapshot(TENANT) as snapshot:
        record = snapshot.record(ref, Generation(at))
    return None if record is None else record.text


@pytest.mark.parametrize("read", READS)
def test_a_cut_below_the_horizon_is_expired_and_says_where_to_ask(
    store: Store, read: Callable[[Snapshot, Generation], object]
) -> None:
    versions(store, "one", "two", "three")
    with store.snapshot(TENANT) as snapshot:
        before = [read(snapshot, Generation(at)) for at in (2, 3)]
    gathered(store, 2)
    with store.snapshot(TENANT) as snapshot:
        assert [read(snapshot, Generation(at)) for at in (2, 3)] == before
        for at in (0, 1):
            with pytest.raises(CutExpired, match=r"'code'.* 2"):
                read(snapshot, Generation(at))
        assert snapshot.horizon(CODE) == 2


def test_what_stands_at_the_horizon_stays_and_what_was_before_goes(store: Store) -> None:
    versions(store, "one", "two", "three", "four")
    versions(store, "other", ref="code:g")
    assert gathered(store, 3) == Collected(versions=2, changes=2)
    assert [text_at(store, at) for at in (3, 4, 5)] == ["three", "four", "four"]
    assert text_at(store, 5, G) == "other"
    with store.snapshot(TENANT) as snapshot:
        assert [change.generation for change in snapshot.changes(CODE, Generation(0), 9)] == [3, 4, 5]
    check_invariants(store)
    assert gathered(store, 3) == gathered(store, 1) == Collected()
    assert gathered(store, 5) == Collected(versions=1, changes=1)
    assert generation(store) == 5


def test_other_namespaces_and_tenants_keep_all(store: Store) -> None:
    versions(store, "one", "two")
    versions(store, "one", "two", ref="notes:f")
    put(store, a_record("code:f", "theirs"), tenant=OTHER_TENANT)
    put(store, a_record("code:f", "theirs now"), tenant=OTHER_TENANT)
    gathered(store, 2)
    assert text_at(store, 1, Ref("notes:f")) == "one"
    with store.snapshot(OTHER_TENANT) as snapshot:
        theirs = snapshot.record(F, Generation(1))
        assert theirs is not None
        assert (theirs.text, snapshot.horizon(CODE)) == ("theirs", 0)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.records_by_id([1], Cut.of({NOTES: Generation(1), CODE: Generation(2)})) != [None]


def test_a_tombstone_stays_and_its_texts_and_names_go(store: Store) -> None:
    put(store, a_record("code:f", "one", names=(Name(NameKind.SYMBOL, "f"),)))
    put(store, a_record("code:f", "two", names=(Name(NameKind.SYMBOL, "f2"),)))
    with store.snapshot(TENANT) as snapshot:
        assert len(snapshot.find(CODE, NameKind.SYMBOL, "f", 9)) == 1
    remove(store, F)
    assert gathered(store, 3) == Collected(versions=2, changes=2, names=2)
    with store.snapshot(TENANT) as snapshot:
        record = snapshot.record(F)
        assert record is not None
        assert (record.removed, record.text) == (True, "")
        assert snapshot.find_prefix(CODE, NameKind.SYMBOL, "", 9) == []
    put(store, a_record("code:f", "again", names=(Name(NameKind.SYMBOL, "f"),)))
    with store.snapshot(TENANT) as snapshot:
        assert len(snapshot.find(CODE, NameKind.SYMBOL, "f", 9)) == 1
    check_invariants(store)


def test_names_that_a_held_version_has_can_still_be_found(store: Store) -> None:
    for name in ("a", "b", "c"):
        put(store, a_record("code:f", name, names=(Name(NameKind.SYMBOL, name),)))
    assert gathered(store, 2).names == 1
    with store.snapshot(TENANT) as snapshot:
        assert [name for name, _ in snapshot.find_prefix(CODE, NameKind.SYMBOL, "", 9)] == ["b", "c"]


def test_edges_that_ended_below_the_horizon_go_and_others_are_as_they_were(store: Store) -> None:
    put(store, a_record("code:f"), a_record("code:g"))
    link(store, "code:f", "calls", "code:g", Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.remove_edge(F, "calls", G))
    link(store, "code:f", "calls", "code:g", Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.remove_edge(F, "calls", G))
    with store.snapshot(TENANT) as snapshot:
        before = [[snapshot.edges_from(F, Generation(at)), snapshot.edges_to(G, Generation(at))] for at in range(3, 6)]
    assert [len(edges[0]) for edges in before] == [0, 1, 0]
    assert gathered(store, 3).edges == 1
    with store.snapshot(TENANT) as snapshot:
        after = [[snapshot.edges_from(F, Generation(at)), snapshot.edges_to(G, Generation(at))] for at in range(3, 6)]
    assert after == before
    assert gathered(store, 5).edges == 1


def test_an_edge_between_namespaces_goes_once_it_is_past_at_both_ends(store: Store) -> None:
    put(store, a_record("code:f"), a_record("notes:n"))
    link(store, "code:f", "mentions", "notes:n", Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.remove_edge(F, "mentions", Ref("notes:n")))
    assert gathered(store, 3).edges == 0
    with store.snapshot(TENANT) as snapshot:
        assert len(snapshot.edges_to(Ref("notes:n"), Generation(2))) == 1
    assert gathered(store, 3, NOTES).edges == 1
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.edges_to(Ref("notes:n"), Generation(3)) == []


def test_a_purge_after_a_collection_leaves_nothing(store: Store) -> None:
    put(store, a_record("code:f"), a_record("notes:n"))
    link(store, "code:f", "mentions", "notes:n", Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.remove_edge(F, "mentions", Ref("notes:n")))
    versions(store, "one", "two")
    store.write(TENANT, lambda txn: txn.put_vector("m", text_digest("one"), b"v"))
    gathered(store, generation(store))
    purge(store, TENANT, CODE)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.traces_of_namespace(CODE).total == 0
        assert snapshot.edges_to(Ref("notes:n"), Generation(2)) == []
        assert snapshot.horizon(CODE) == 0


def text_digest(text: str) -> Digest:
    return embedding_digest(embedding_text(a_record("code:f", text)))


def test_vectors_of_texts_that_no_held_version_has_go(store: Store) -> None:
    versions(store, "one", "two", "one", "three")
    for text in ("one", "two", "three"):
        store.write(TENANT, lambda txn, text=text: txn.put_vector("m", text_digest(text), b"v"))  # type: ignore[misc]
    gathered(store, 3)
    with store.snapshot(TENANT) as snapshot:
        held = snapshot.vectors("m", [text_digest(text) for text in ("one", "two", "three")])
    assert held == [b"v", None, b"v"]


def test_a_snapshot_from_before_sees_what_was_there(store: Store) -> None:
    versions(store, "one", "two", "three")
    with store.snapshot(TENANT) as snapshot:
        with ThreadPoolExecutor(1) as other:
            other.submit(gathered, store, 3).result()
        record = snapshot.record(F, Generation(1))
        assert record is not None
        assert (record.text, snapshot.horizon(CODE)) == ("one", 0)
    with store.snapshot(TENANT) as snapshot, pytest.raises(CutExpired):
        snapshot.record(F, Generation(1))


def test_what_was_collected_stays_so_after_reopening(open_engine: Open) -> None:
    store = open_engine(False)
    versions(store, "one", "two")
    gathered(store, 2)
    store.close()
    store = open_engine(False)
    with store.snapshot(TENANT) as snapshot, pytest.raises(CutExpired):
        snapshot.record(F, Generation(1))
    versions(store, "three")
    assert [text_at(store, at) for at in (2, 3)] == ["two", "three"]
    check_invariants(store)
    store.close()


def test_what_would_be_collected_is_what_is(store: Store) -> None:
    versions(store, "one", "two", "three")
    versions(store, "one", "two", ref="code:g")
    remove(store, F)
    with store.snapshot(TENANT) as snapshot:
        said = snapshot.would_collect(CODE, Generation(6))
        assert snapshot.horizon(CODE) == 0
    assert said == gathered(store, 6) == Collected(versions=4, changes=4)


def test_a_generation_that_is_not_reached_is_refused_and_nothing_moves(store: Store) -> None:
    versions(store, "one")
    with pytest.raises(BadField, match="before_generation"):
        gathered(store, 2)
    assert text_at(store, 0) is None
    assert gathered(store, 9, Namespace("never")) == Collected()


# --- needs that were lost


def lost(store: Store, ref: str) -> list[int]:
    with store.snapshot(TENANT) as snapshot:
        return snapshot.lost_needs(snapshot.record_id(Ref(ref)) or 0, limit=9)


def needing(store: Store) -> int:
    """`code:f` needs `code:g`, by an edge written later than both; returns the id of `code:g`."""
    put(store, a_record("code:f"))
    put(store, a_record("code:g"))
    link(store, "code:g", "premise_of", "code:f", Role.MANDATORY)
    with store.snapshot(TENANT) as snapshot:
        return snapshot.record_id(G) or 0


def test_a_need_that_was_removed_is_known_without_history(store: Store) -> None:
    premise = needing(store)
    assert lost(store, "code:f") == []
    remove(store, G)
    gathered(store, generation(store))
    assert (lost(store, "code:f"), lost(store, "code:g")) == ([premise], [])
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.has_lost_needs()
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert not snapshot.has_lost_needs()


def again(txn: WriteTransaction) -> None:
    txn.put_record(a_record("code:g", "again"))
    txn.put_edge(Edge(G, "premise_of", F, Role.MANDATORY))


def again_in_bulk(txn: WriteTransaction) -> None:
    txn.put_record(a_record("code:g", "again"))
    txn.put_edges([Edge(G, "premise_of", F, Role.MANDATORY)])


ENDS: list[Callable[[WriteTransaction], object]] = [
    again,
    again_in_bulk,
    lambda txn: txn.remove_edge(G, "premise_of", F),
    lambda txn: txn.put_record(a_record("code:f", "says something else")),
    lambda txn: txn.remove_record(F),
    lambda txn: txn.purge_namespace(CODE),
]


@pytest.mark.parametrize("end", ENDS)
def test_a_lost_need_ends_with_its_edge_or_its_version(store: Store, end: Callable[[WriteTransaction], object]) -> None:
    needing(store)
    remove(store, G)
    store.write(TENANT, end)
    with store.snapshot(TENANT) as snapshot:
        assert not snapshot.has_lost_needs()


def test_a_need_of_what_is_still_there_is_not_lost_with_other_edges(store: Store) -> None:
    needing(store)
    put(store, a_record("code:h"))
    link(store, "code:f", "calls", "code:h", Role.ASSOCIATIVE)
    link(store, "code:h", "depends_on", "code:f", Role.MANDATORY)
    remove(store, Ref("code:h"))
    store.write(TENANT, lambda txn: txn.remove_edge(G, "premise_of", F))
    assert lost(store, "code:f") == []


# --- what turns were decided from


def test_what_turns_were_decided_from_is_kept_for_the_newest(store: Store) -> None:
    agent = AgentId("a")
    for turn in (1, 2, 5, 6):
        store.write(TENANT, lambda txn, turn=turn: txn.put_retained(agent, Turn(turn), b"of %d" % turn, 2))  # type: ignore[misc]
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.retained_turns(agent) == (5, 6)
        assert [snapshot.retained(agent, Turn(turn)) for turn in (2, 5, 6, 7)] == [None, b"of 5", b"of 6", None]
        assert snapshot.retained_turns(AgentId("b")) == ()
    store.write(TENANT, lambda txn: txn.put_retained(agent, Turn(7), b"of 7", 0))
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.retained_turns(agent) == ()
