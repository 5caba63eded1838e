"""What reads and writes much at once does what the single calls do."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from retrieval.errors import BadField
from retrieval.record import Edge, Name, NameKind, Record
from retrieval.relations import Role
from retrieval.store.interface import Store, WriteTransaction
from tests.contract.store_room import CODE, NOTES, TENANT, a_record, generation, link, put
from workingset.vocabulary import Digest, Generation, Ref, TenantId


def edge(source: str, target: str, relation: str = "calls", *, best_effort: bool = False) -> Edge:
    return Edge(Ref(source), relation, Ref(target), Role.ASSOCIATIVE, best_effort)


def put_edges(store: Store, *edges: Edge) -> tuple[int, int]:
    return store.write(TENANT, lambda txn: txn.put_edges(edges))


def live(store: Store) -> list[Edge]:
    with store.snapshot(TENANT) as snapshot:
        refs = [record.ref for space in (CODE, NOTES) for record in snapshot.list_records(space, 0, 100).records]
        return [found.edge for ref in refs for found in snapshot.edges_from(ref)]


def test_many_edges_are_written_as_one_by_one(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"), a_record("notes:c"))
    before = generation(store), generation(store, NOTES)
    wanted = [edge("code:a", "code:b"), edge("code:a", "notes:c", "imports"), edge("notes:c", "code:a")]
    assert put_edges(store, *wanted) == (3, 0)
    assert live(store) == wanted
    assert (generation(store), generation(store, NOTES)) == (before[0] + 1, before[1] + 1)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.counts(CODE).edges == 2
        assert snapshot.relations(CODE) == (("calls", Role.ASSOCIATIVE), ("imports", Role.ASSOCIATIVE))
        assert [found.edge for found in snapshot.edges_to(Ref("code:a"))] == [wanted[2]]


def test_edges_that_are_there_are_not_written_again_and_unknown_ends_are_counted(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"))
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    given = [
        edge("code:a", "code:b"),
        edge("code:a", "code:nobody"),
        edge("code:b", "code:a"),
        edge("code:b", "code:a"),
    ]
    assert put_edges(store, *given) == (1, 1)
    assert put_edges(store, *given) == (0, 1)
    assert put_edges(store) == (0, 0)


def test_an_edge_given_twice_in_different_ways_stays_as_given_last(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"))
    assert put_edges(store, edge("code:b", "code:a"), edge("code:b", "code:a", best_effort=True)) == (2, 0)
    assert live(store) == [edge("code:b", "code:a", best_effort=True)]


def test_a_relation_cannot_get_another_role_among_many(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"))
    with pytest.raises(BadField, match="role"):
        put_edges(store, edge("code:a", "code:b"), Edge(Ref("code:b"), "calls", Ref("code:a"), Role.MANDATORY))
    assert live(store) == []


@pytest.mark.parametrize("seed", range(4))
def test_any_mixture_of_edges_leaves_what_single_calls_leave(store: Store, seed: int) -> None:
    chance = random.Random(seed)
    names = [f"code:{letter}" for letter in "abcdef"]
    put(store, *[a_record(name) for name in names])
    kept: dict[tuple[str, str, str], Edge] = {}
    for _ in range(6):
        given: list[Edge] = []
        for _ in range(chance.randint(1, 12)):
            source, target = chance.sample(names, 2)
            relation = chance.choice(("calls", "imports", "mine"))
            given.append(edge(source, target, relation, best_effort=chance.random() < 0.3))
        begun = 0
        for each in given:
            key = (each.source, each.relation, each.target)
            begun += kept.get(key) != each
            kept[key] = each
        assert put_edges(store, *given) == (begun, 0)
        gone = chance.choice(given)
        store.write(TENANT, lambda txn, gone=gone: txn.remove_edge(gone.source, gone.relation, gone.target))
        del kept[gone.source, gone.relation, gone.target]
        assert live(store) == [kept[key] for key in sorted(kept)]


def test_records_without_texts_are_the_records_without_texts(store: Store) -> None:
    whole = a_record("code:a", "x" * 2_000, path="a.py")
    put(store, whole)
    with store.snapshot(TENANT) as snapshot:
        number = snapshot.record_id(Ref("code:a"))
        assert number is not None
        cut = snapshot.cut([CODE])
        for found in (
            snapshot.path_records(CODE, "a.py", texts=False)[0],
            snapshot.records_by_id([number], cut, texts=False)[0],
        ):
            assert found is not None
            assert (found.text, found.outline, found.gist) == ("", "", "")
            assert (found.title, found.digest, found.names) == (whole.title, whole.digest, whole.names)
        assert snapshot.path_records(CODE, "a.py")[0].text == whole.text


def test_paths_of_part_of_a_source(store: Store) -> None:
    long = "d/" * 300
    paths = ["a", "a.py", "a/b", "a/b/c", "a/bc", "ab", long + "y", long + "z/1", long.rstrip("/") + "e"]
    put(store, *[a_record(f"code:{at}", path=path, source_digest=Digest(path)) for at, path in enumerate(paths)])
    put(store, a_record("code:other", path="a/other", source="elsewhere"))
    with store.snapshot(TENANT) as snapshot:
        for under in ("a", "a/b", "ab", "b", "a/", long.rstrip("/"), long + "z", long + "y", ""):
            inside = [path for path in sorted(paths) if not under or path == under or path.startswith(under + "/")]
            assert list(snapshot.paths(CODE, "tree", under)) == [(path, path) for path in inside], under


def test_all_paths_are_of_all_sources_and_once_each(store: Store) -> None:
    long = "e/" * 300
    put(store, a_record("code:1", path="b"), a_record("code:2", path="b", source="s"), a_record("code:3", path="a"))
    put(store, a_record("code:4", path=long + "b"), a_record("code:5", path=long + "a", source="s"), a_record("code:6"))
    put(store, a_record("notes:1", path="z"), a_record("code:7", path="gone"))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:7")))
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.all_paths(CODE) == ["a", "b", long + "a", long + "b"]
        assert snapshot.all_paths(NOTES) == ["z"]


OTHER = TenantId("other")


def seen(store: Store, tenant: TenantId) -> list[object]:
    """All that can be read of two namespaces, but for the numbers of records."""
    with store.snapshot(tenant) as snapshot:
        told: list[object] = []
        for space in (CODE, NOTES):
            records = snapshot.list_records(space, 0, 100).records
            lines = snapshot.changes_page(space, (Generation(0), 0), 100)
            told.extend((snapshot.counts(space), records, sorted(snapshot.paths(space, "tree"))))
            told.extend((line.generation, line.ref, line.removed, line.digest, line.reborn) for line in lines)
            told.extend(snapshot.path_records(space, record.path) for record in records)
            found = (snapshot.find(space, name.kind, name.text, 9) for record in records for name in record.names)
            told.extend([record.ref for record in records if snapshot.record_id(record.ref) in ids] for ids in found)
        return told


def put_each(store: Store, tenant: TenantId, given: Sequence[Record]) -> list[Generation]:
    return store.write(tenant, lambda txn: [txn.put_record(record) for record in given])


def put_all(store: Store, tenant: TenantId, given: Sequence[Record]) -> list[Generation]:
    return store.write(tenant, lambda txn: txn.put_records(given))


def remove(store: Store, tenant: TenantId, ref: Ref) -> None:
    store.write(tenant, lambda txn: txn.remove_record(ref))


@pytest.mark.parametrize("seed", range(4))
def test_any_mixture_of_records_leaves_what_single_calls_leave(store: Store, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(5):
        given: list[Record] = []
        for _ in range(chance.randint(0, 12)):
            names = (Name(NameKind.SYMBOL, chance.choice("xyz") * chance.choice((1, 600))), Name(NameKind.USES, "a\0b"))
            ref, path = (
                chance.choice(("code:", "notes:")) + chance.choice("abcdef"),
                chance.choice(("", "a.py", "b/c.py")),
            )
            text = "text " * chance.choice((1, 300))
            given.append(a_record(ref, text, path=path, title=chance.choice("st"), names=names[: chance.randint(0, 2)]))
        assert put_all(store, TENANT, given) == put_each(store, OTHER, given)
        assert seen(store, TENANT) == seen(store, OTHER)
        for gone in {record.ref for record in given[:2]}:
            for tenant in (TENANT, OTHER):
                remove(store, tenant, gone)


def test_a_record_that_cannot_be_written_leaves_those_before_it(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        with pytest.raises(BadField):
            txn.put_records([a_record("code:a", path="a.py"), a_record("elsewhere"), a_record("code:z")])

    store.write(TENANT, job)
    store.write(OTHER, lambda txn: txn.put_record(a_record("code:a", path="a.py")))
    assert seen(store, TENANT) == seen(store, OTHER)
