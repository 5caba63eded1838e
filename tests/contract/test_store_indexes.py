"""What every storage engine must do: names, paths, listings and edges."""

from __future__ import annotations

import pytest

from retrieval.errors import BadField, UnknownRef
from retrieval.record import Edge, Name, NameKind
from retrieval.relations import Role
from retrieval.store.interface import Store, WriteTransaction
from tests.contract.store_room import (
    CODE,
    NOTES,
    OTHER_TENANT,
    TENANT,
    a_record,
    generation,
    link,
    put,
)
from workingset.vocabulary import Digest, Generation, Lines, Namespace, Ref

# --- names, paths, listings


def test_names_find_records_past_versions_included(store: Store) -> None:
    put(store, a_record("code:a", names=(Name(NameKind.SYMBOL, "old"), Name(NameKind.SYMBOL, "both"))))
    put(store, a_record("code:b", names=(Name(NameKind.SYMBOL, "both"), Name(NameKind.USES, "old"))))
    put(store, a_record("code:a", names=(Name(NameKind.SYMBOL, "new"), Name(NameKind.SYMBOL, "both"))))
    with store.snapshot(TENANT) as snapshot:
        a, b = snapshot.record_id(Ref("code:a")), snapshot.record_id(Ref("code:b"))
        assert snapshot.find(CODE, NameKind.SYMBOL, "old", 9) == [a]
        assert snapshot.find(CODE, NameKind.SYMBOL, "new", 9) == [a]
        assert snapshot.find(CODE, NameKind.USES, "old", 9) == [b]
        assert snapshot.find(CODE, NameKind.SYMBOL, "both", 9) == [a, b]
        assert snapshot.find(CODE, NameKind.SYMBOL, "both", 1) == [a]
        assert snapshot.find(CODE, NameKind.SYMBOL, "bot", 9) == []
        assert snapshot.find(NOTES, NameKind.SYMBOL, "both", 9) == []
        assert snapshot.find(CODE, NameKind.SYMBOL, "\ud800", 9) == []


def test_prefixes_find_names_in_name_order(store: Store) -> None:
    texts = ["pa", "pam", "pamela", "pa\x00m", "päm", "p", "q", "pam\x00"]
    put(store, *[a_record(f"code:{i}", names=(Name(NameKind.PATH, text),)) for i, text in enumerate(texts)])
    with store.snapshot(TENANT) as snapshot:
        found = snapshot.find_prefix(CODE, NameKind.PATH, "pa", 9)
        assert [name for name, _ in found] == ["pa", "pa\x00m", "pam", "pam\x00", "pamela"]
        assert snapshot.ref_of(found[0][1]) == "code:0"
        assert snapshot.find_prefix(CODE, NameKind.PATH, "pa", 2) == found[:2]
        assert len(snapshot.find_prefix(CODE, NameKind.PATH, "", 99)) == len(texts)
        assert snapshot.find_prefix(CODE, NameKind.SYMBOL, "pa", 9) == []


def test_long_names_are_found_exactly_and_in_order(store: Store) -> None:
    stem = "x" * 700
    texts = [stem, stem + "b", stem + "a", stem + "\x00", "x" * 400, "x" * 399, "x" * 399 + "\x00", "x" * 401]
    put(store, *[a_record(f"code:{i}", names=(Name(NameKind.SYMBOL, text),)) for i, text in enumerate(texts)])
    with store.snapshot(TENANT) as snapshot:
        for i, text in enumerate(texts):
            assert snapshot.find(CODE, NameKind.SYMBOL, text, 9) == [snapshot.record_id(Ref(f"code:{i}"))]
        assert [n for n, _ in snapshot.find_prefix(CODE, NameKind.SYMBOL, "x", 99)] == sorted(texts)
        assert [n for n, _ in snapshot.find_prefix(CODE, NameKind.SYMBOL, stem + "a", 9)] == [stem + "a"]
        assert [n for n, _ in snapshot.find_prefix(CODE, NameKind.SYMBOL, stem, 2)] == [stem, stem + "\x00"]


def test_path_records_are_the_live_ones_in_line_order(store: Store) -> None:
    put(
        store,
        a_record("code:late", path="a.py", lines=Lines(9, 10)),
        a_record("code:early", path="a.py", lines=Lines(2, 3)),
        a_record("code:whole", path="a.py"),
        a_record("code:twin", path="a.py", lines=Lines(2, 8)),
        a_record("code:moving", path="a.py"),
        a_record("code:gone", path="a.py"),
        a_record("code:other", path="a.py\x00b"),
        a_record("code:none"),
    )
    put(store, a_record("code:moving", path="b.py"))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:gone")))
    with store.snapshot(TENANT) as snapshot:
        found = [record.ref for record in snapshot.path_records(CODE, "a.py")]
        assert found == ["code:whole", "code:early", "code:twin", "code:late"]
        assert [record.ref for record in snapshot.path_records(CODE, "b.py")] == ["code:moving"]
        assert snapshot.path_records(CODE, "a") == []
        assert snapshot.path_records(CODE, "") == []


def test_paths_of_a_source_come_in_order_with_their_digest(store: Store) -> None:
    long = "d/" * 300
    put(
        store,
        a_record("code:1", path="b.py", source_digest=Digest("b")),
        a_record("code:2", path="b.py", source_digest=Digest("b"), title="second"),
        a_record("code:3", path="a.py", source_digest=Digest("a")),
        a_record("code:4", path="c.py", source_digest=Digest("c"), source="elsewhere"),
        a_record("code:5", path=long + "z", source_digest=Digest("z")),
        a_record("code:6", path=long + "y", source_digest=Digest("y")),
        a_record("code:7"),
    )
    with store.snapshot(TENANT) as snapshot:
        listed = list(snapshot.paths(CODE, "tree"))
        assert list(snapshot.paths(CODE, "elsewhere")) == [("c.py", "c")]
        assert list(snapshot.paths(CODE, "unknown")) == []
    assert listed == [("a.py", "a"), ("b.py", "b"), (long + "y", "y"), (long + "z", "z")]


def test_a_path_whose_records_disagree_has_no_digest(store: Store) -> None:
    put(store, a_record("code:1", path="b.py", source_digest=Digest("old")))
    put(store, a_record("code:2", path="b.py", source_digest=Digest("new")))
    with store.snapshot(TENANT) as snapshot:
        assert list(snapshot.paths(CODE, "tree")) == [("b.py", "")]
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:1")))
    with store.snapshot(TENANT) as snapshot:
        assert list(snapshot.paths(CODE, "tree")) == [("b.py", "new")]


def test_listings_page_through_live_records(store: Store) -> None:
    put(store, *[a_record(f"code:{i}", path=f"{i % 2}/{i}", kind="class" if i % 3 else "file") for i in range(9)])
    put(store, a_record("notes:n"), a_record("code:3", "new version", path="1/3", kind="file"))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:5")))
    with store.snapshot(TENANT) as snapshot:
        seen, after = [], 0
        while True:
            page = snapshot.list_records(CODE, after, 3)
            seen += [record.ref for record in page.records]
            if page.next_after is None:
                break
            after = page.next_after
        assert seen == [f"code:{i}" for i in (0, 1, 2, 3, 4, 6, 7, 8)]
        files = snapshot.list_records(CODE, 0, 3, kind="file")
        assert [record.ref for record in files.records] == ["code:0", "code:3", "code:6"]
        assert files.next_after is None
        odd = snapshot.list_records(CODE, 0, 2, path_prefix="1/", source="tree")
        assert [record.ref for record in odd.records] == ["code:1", "code:3"]
        assert odd.next_after == snapshot.record_id(Ref("code:3"))
        assert snapshot.list_records(CODE, 0, 2, source="elsewhere").records == ()
        assert snapshot.list_records(NOTES, 2**63, 2).records == ()
        assert snapshot.list_records(Namespace("no"), 0, 2).records == ()


# --- edges


def test_edges_are_listed_from_both_ends_in_order(store: Store) -> None:
    put(store, *[a_record(f"code:{name}") for name in "abcd"])
    link(store, "code:a", "imports", "code:b", Role.ASSOCIATIVE)
    link(store, "code:a", "calls", "code:d", Role.ASSOCIATIVE, best_effort=True)
    link(store, "code:a", "calls", "code:c", Role.ASSOCIATIVE)
    link(store, "code:d", "opposes", "code:a", Role.OPPOSING)
    link(store, "code:b", "calls", "code:d", Role.ASSOCIATIVE)
    with store.snapshot(TENANT) as snapshot:
        outgoing = [edge.edge for edge in snapshot.edges_from(Ref("code:a"))]
        assert outgoing == [
            Edge(Ref("code:a"), "calls", Ref("code:c"), Role.ASSOCIATIVE),
            Edge(Ref("code:a"), "calls", Ref("code:d"), Role.ASSOCIATIVE, best_effort=True),
            Edge(Ref("code:a"), "imports", Ref("code:b"), Role.ASSOCIATIVE),
        ]
        assert [edge.edge.source for edge in snapshot.edges_to(Ref("code:d"))] == ["code:a", "code:b"]
        assert [edge.edge for edge in snapshot.edges_from(Ref("code:a"), limit=2)] == outgoing[:2]
        opposing = frozenset({Role.OPPOSING, Role.MANDATORY})
        assert [edge.edge.relation for edge in snapshot.edges_to(Ref("code:a"), roles=opposing)] == ["opposes"]
        assert snapshot.edges_from(Ref("code:a"), roles=opposing) == []
        assert snapshot.edges_from(Ref("code:a"), limit=0) == []
        assert snapshot.edges_from(Ref("code:unknown")) == []


def test_edges_are_valid_by_generation(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"))
    assert link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    assert not link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    assert generation(store) == 2
    assert link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE, best_effort=True)
    assert store.write(TENANT, lambda txn: txn.remove_edge(Ref("code:a"), "calls", Ref("code:b")))
    assert not store.write(TENANT, lambda txn: txn.remove_edge(Ref("code:a"), "calls", Ref("code:b")))
    assert link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    with store.snapshot(TENANT) as snapshot:
        for end in (snapshot.edges_from, snapshot.edges_to):
            ref = Ref("code:a") if end == snapshot.edges_from else Ref("code:b")
            seen = [[(e.edge.best_effort, e.generation) for e in end(ref, Generation(at))] for at in range(7)]
            assert seen == [[], [], [(False, 2)], [(True, 3)], [], [(False, 5)], [(False, 5)]]


def test_an_edge_that_comes_and_goes_within_a_job_leaves_its_past_alone(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"))
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)

    def job(txn: WriteTransaction) -> list[bool]:
        edge = Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE)
        ends = edge.source, edge.relation, edge.target
        return [txn.remove_edge(*ends), txn.put_edge(edge), txn.remove_edge(*ends), txn.remove_edge(*ends)]

    assert store.write(TENANT, job) == [True, True, True, False]
    with store.snapshot(TENANT) as snapshot:
        seen = [snapshot.edges_from(Ref("code:a"), Generation(at)) for at in range(4)]
        assert [[edge.generation for edge in edges] for edges in seen] == [[], [], [2], []]
        assert len(snapshot.edges_to(Ref("code:b"), Generation(2))) == 1


def test_removing_a_record_ends_its_edges_and_leaves_their_past(store: Store) -> None:
    put(store, *[a_record(f"code:{name}") for name in "abc"])
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    link(store, "code:b", "calls", "code:c", Role.ASSOCIATIVE)
    link(store, "code:b", "calls", "code:b", Role.ASSOCIATIVE)
    link(store, "code:a", "calls", "code:c", Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:b")))
    put(store, a_record("code:b"))
    with store.snapshot(TENANT) as snapshot:
        assert [edge.edge.target for edge in snapshot.edges_from(Ref("code:a"))] == ["code:c"]
        assert snapshot.edges_from(Ref("code:b")) == snapshot.edges_to(Ref("code:b")) == []
        assert [e.edge.target for e in snapshot.edges_from(Ref("code:b"), Generation(5))] == ["code:b", "code:c"]
        assert [e.edge.source for e in snapshot.edges_to(Ref("code:b"), Generation(5))] == ["code:a", "code:b"]
        assert snapshot.counts(CODE).edges == 1


def test_an_edge_needs_both_its_records(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:gone"))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:gone")))
    for source, target in (("code:a", "code:no"), ("no:a", "code:a"), ("code:a", "code:gone"), ("nocolon", "code:a")):
        with pytest.raises(UnknownRef):
            link(store, source, "calls", target, Role.ASSOCIATIVE)
    assert generation(store) == 2


def test_a_relation_keeps_the_role_it_was_declared_with(store: Store) -> None:
    put(store, a_record("code:a"), a_record("code:b"))
    link(store, "code:a", "refutes", "code:b", Role.OPPOSING)
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    for relation, role in (("refutes", Role.MANDATORY), ("calls", Role.MANDATORY)):
        with pytest.raises(BadField) as caught:
            link(store, "code:b", relation, "code:a", role)
        assert caught.value.field == "role"
    with pytest.raises(BadField):
        link(store, "code:a", "\ud800", "code:b", Role.ASSOCIATIVE)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.relation_role("refutes") is Role.OPPOSING
        assert snapshot.relation_role("calls") is None
        assert snapshot.relation_role("never") is None
        assert snapshot.relations(CODE) == (("calls", Role.ASSOCIATIVE), ("refutes", Role.OPPOSING))
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert snapshot.relation_role("refutes") is None


def test_neighbours_are_the_live_edges_of_both_directions(store: Store) -> None:
    put(store, *[a_record(f"code:{name}") for name in "abcd"])
    link(store, "code:b", "imports", "code:a", Role.ASSOCIATIVE)
    link(store, "code:b", "calls", "code:a", Role.ASSOCIATIVE)
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    link(store, "code:d", "calls", "code:b", Role.ASSOCIATIVE)
    link(store, "code:b", "calls", "code:b", Role.ASSOCIATIVE)
    link(store, "code:b", "calls", "code:c", Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.remove_edge(Ref("code:b"), "calls", Ref("code:c")))
    with store.snapshot(TENANT) as snapshot:
        a, b, _, d = (snapshot.record_id(Ref(f"code:{name}")) for name in "abcd")
        found = snapshot.neighbours(b or 0, limit=99)
        assert found == [
            (a, "calls", False),
            (a, "calls", True),
            (a, "imports", True),
            (b, "calls", False),
            (b, "calls", True),
            (d, "calls", False),
        ]
        assert snapshot.neighbours(b or 0, limit=2) == found[:2]
        assert snapshot.neighbours(b or 0, limit=2, ways=frozenset({("calls", False), ("imports", True)})) == [
            (a, "calls", False),
            (a, "imports", True),
        ]
        assert snapshot.neighbours(b or 0, limit=9, ways=frozenset({("unheard", True)})) == []
        assert snapshot.neighbours(b or 0, limit=9, ways=frozenset()) == []
        assert snapshot.neighbours(12345, limit=9) == []
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert snapshot.neighbours(b or 0, limit=9) == []
