"""What every storage engine must do, rule by rule of `retrieval.store.interface`; one suite for all engines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import BadField, ClaimLost, ReadOnlyStore, StoreUnavailable, UnknownRef
from retrieval.record import Edge, Name, NameKind, Record
from retrieval.relations import Role
from retrieval.store.interface import Claim, Store, WriteTransaction
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.contract.store_invariants import check_invariants
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.vocabulary import AgentId, Cut, Digest, Epoch, Generation, Lines, Namespace, Ref, TenantId, Turn

TENANT, OTHER_TENANT = TenantId("acme"), TenantId("zenith")
CODE, NOTES = Namespace("code"), Namespace("notes")
AGENT = AgentId("agent-1")
NO_SET = Claim(AGENT, Epoch(0), Turn(0), 0)

Open = Callable[[bool], Store]


@pytest.fixture(params=["lmdb", "memory"])
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens the engine under test on the same place each time; the argument asks for reading only."""
    if request.param == "memory":
        disk = MemoryDisk()
        return lambda read_only: MemoryStore(disk, read_only=read_only)
    settings = LmdbSettings(map_bytes=2**24)
    return lambda read_only: open_store(tmp_path / "store", settings, read_only=read_only)


@pytest.fixture
def store(open_engine: Open) -> Iterator[Store]:
    opened = open_engine(False)
    yield opened
    check_invariants(opened)
    opened.close()


def a_record(ref: str, text: str = "some text", **changes: Any) -> Record:
    digest = Digest("digest of " + text.encode(errors="replace").decode())
    namespace = Namespace(ref.partition(":")[0])
    record = Record(Ref(ref), namespace, "function", "a title", text, text[:20], text[:10], digest, source="tree")
    return replace(record, **changes)


def put(store: Store, *records: Record, tenant: TenantId = TENANT) -> Generation:
    return store.write(tenant, lambda txn: [txn.put_record(record) for record in records])[-1]


def link(store: Store, source: str, relation: str, target: str, role: Role, *, best_effort: bool = False) -> bool:
    edge = Edge(Ref(source), relation, Ref(target), role, best_effort)
    return store.write(TENANT, lambda txn: txn.put_edge(edge))


def save(store: Store, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
    return store.write(TENANT, lambda txn: txn.save_working_set(claim, epoch, turn, encoded))


def mark(store: Store, name: str, value: bytes) -> None:
    store.write(TENANT, lambda txn: txn.put_mark(name, value))


def generation(store: Store, namespace: Namespace = CODE) -> Generation:
    with store.snapshot(TENANT) as snapshot:
        return snapshot.generation(namespace)


# --- records and versions


def test_a_record_comes_back_whole_with_its_generation(store: Store) -> None:
    written = a_record(
        "code:f",
        "def f(): return 'ünïcode 漢字 🙂'\n" * 200,
        path="src/f.py",
        lines=Lines(3, 9),
        language="python",
        source_digest=Digest("whole file"),
        origin="upstream",
        names=(Name(NameKind.SYMBOL, "f"), Name(NameKind.PATH, "src/f.py"), Name(NameKind.IMPORTS, "os")),
        attributes=(("k", "v"), ("", "")),
        valid_from_seconds=-5,
        valid_until_seconds=2**40,
    )
    assert put(store, written) == 1
    with store.snapshot(TENANT) as snapshot:
        read = snapshot.record(Ref("code:f"))
    assert read == replace(written, generation=Generation(1))


def test_earlier_versions_and_tombstones_stay_readable_at_earlier_generations(store: Store) -> None:
    put(store, a_record("code:f", "one"))
    put(store, a_record("code:f", "two"))
    assert store.write(TENANT, lambda txn: txn.remove_record(Ref("code:f")))
    put(store, a_record("code:f", "two"))
    with store.snapshot(TENANT) as snapshot:
        versions = [snapshot.record(Ref("code:f"), Generation(at)) for at in range(6)]
        newest = snapshot.record(Ref("code:f"))
    assert versions[0] is None
    assert [(v.text, v.removed, v.generation) for v in versions[1:] if v] == [
        ("one", False, 1),
        ("two", False, 2),
        ("", True, 3),
        ("two", False, 4),
        ("two", False, 4),
    ]
    assert newest == versions[5]


def test_a_tombstone_says_what_was_removed(store: Store) -> None:
    put(store, a_record("code:f", path="f.py", lines=Lines(1, 2)))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:f")))
    with store.snapshot(TENANT) as snapshot:
        gone = snapshot.record(Ref("code:f"))
    written = a_record("code:f", path="f.py", lines=Lines(1, 2))
    assert gone == replace(written, text="", outline="", gist="", removed=True, generation=Generation(2))


def test_equal_content_writes_nothing(store: Store) -> None:
    put(store, a_record("code:f"), a_record("code:g"))
    put(store, a_record("code:g", "new"))
    assert put(store, a_record("code:f")) == 1
    assert generation(store) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"digest": Digest("x")},
        {"names": (Name(NameKind.SYMBOL, "f"),)},
        {"lines": Lines(1, 2)},
        {"attributes": (("a", "b"),)},
        {"valid_from_seconds": 1},
        {"valid_until_seconds": 1},
        {"source": "another tree"},
        {"source_digest": Digest("the file changed elsewhere")},
        {"origin": "mirror"},
    ],
)
def test_any_other_content_is_a_new_version(store: Store, change: dict[str, Any]) -> None:
    put(store, a_record("code:f"))
    assert put(store, a_record("code:f", **change)) == 2
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("code:f")) == a_record("code:f", generation=Generation(2), **change)


def test_several_writes_of_a_record_in_one_job_leave_one_version(store: Store) -> None:
    def job(txn: WriteTransaction) -> list[bool]:
        txn.put_record(a_record("code:f", "first"))
        removed = txn.remove_record(Ref("code:f"))
        txn.put_record(a_record("code:f", "last"))
        return [removed, txn.remove_record(Ref("code:nothing"))]

    assert store.write(TENANT, job) == [True, False]
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("code:f")) == a_record("code:f", "last", generation=Generation(1))
        assert [change.removed for change in snapshot.changes(CODE, Generation(0), 9)] == [False]
        assert snapshot.counts(CODE).records == 1


def test_record_ids_are_stable_and_never_reused(store: Store) -> None:
    put(store, a_record("code:f"))
    put(store, a_record("notes:f"), tenant=OTHER_TENANT)
    with store.snapshot(TENANT) as snapshot:
        first = snapshot.record_id(Ref("code:f"))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:f")))
    put(store, a_record("code:g"), a_record("code:f", "again"))
    with store.snapshot(TENANT) as snapshot:
        ids = [snapshot.record_id(Ref("code:f")), snapshot.record_id(Ref("code:g"))]
        assert ids[0] == first
        assert len({*ids, None}) == 3
        assert [snapshot.ref_of(known) for known in ids if known] == ["code:f", "code:g"]
        assert snapshot.record_id(Ref("code:unknown")) is None
        assert [snapshot.ref_of(unknown) for unknown in (0, -1, 99, 2**63 - 1, 2**64)] == [None] * 5


def test_records_by_id_reads_at_the_cut(store: Store) -> None:
    put(store, a_record("code:f", "one"), a_record("notes:n"))
    with store.snapshot(TENANT) as snapshot:
        old = snapshot.cut([CODE, NOTES])
        f, n = snapshot.record_id(Ref("code:f")) or 0, snapshot.record_id(Ref("notes:n")) or 0
    put(store, a_record("code:f", "two"), a_record("code:later"))
    with store.snapshot(TENANT) as snapshot:
        later = snapshot.record_id(Ref("code:later")) or 0
        both = snapshot.records_by_id([n, 77, f, later, -3], old)
        code_only = snapshot.records_by_id([n, f], Cut.of({CODE: Generation(2)}))
        assert snapshot.records_by_id([f], Cut.of({})) == [None]
        assert snapshot.records_by_id([f], Cut.of({Namespace("other"): Generation(9)})) == [None]
        assert snapshot.records_by_id([], old) == []
    assert [r and r.text for r in both] == ["some text", None, "one", None, None]
    assert [r and r.text for r in code_only] == [None, "two"]


@pytest.mark.parametrize("ref", ["code:" + "x" * 600, "code:" + "漢" * 200, "nocolon", "notes:f", "code:\ud800"])
def test_a_ref_that_cannot_be_stored_is_named(store: Store, ref: str) -> None:
    with pytest.raises(BadField) as caught:
        put(store, replace(a_record("code:f"), ref=Ref(ref)))
    assert caught.value.field == "ref"
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref(ref)) is None
        assert snapshot.edges_from(Ref(ref)) == []
        assert snapshot.namespaces() == ()


@pytest.mark.parametrize("local", ["", "a:b:c", "nul\x00in", "\x00", "ends\x00", "\x00\xff", "漢字 🙂", "x" * 503, " "])
def test_odd_refs_are_kept_apart(store: Store, local: str) -> None:
    others = ["a", "nul", "nul\x00", "nul\x00in\x00", "\x00\x00", "x" * 502]
    put(store, a_record(f"code:{local}", "mine"), *[a_record(f"code:{other}", "theirs") for other in others])
    with store.snapshot(TENANT) as snapshot:
        read = snapshot.record(Ref(f"code:{local}"))
        ids = {snapshot.record_id(Ref(f"code:{name}")) for name in [local, *others]}
    assert read is not None
    assert read.text == "mine"
    assert len(ids) == 7


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("text", {"text": "\ud800"}),
        ("gist", {"gist": "\udfff"}),
        ("title", {"title": "a\ud900"}),
        ("path", {"path": "\ud800"}),
        ("names", {"names": (Name(NameKind.SYMBOL, "\ud800"),)}),
        ("attributes", {"attributes": (("\ud800", ""),)}),
        ("removed", {"removed": True}),
    ],
)
def test_a_bad_field_is_named_and_leaves_no_trace(store: Store, field: str, change: dict[str, Any]) -> None:
    with pytest.raises(BadField) as caught:
        put(store, a_record("code:good"), a_record("code:f", **change))
    assert caught.value.field == field
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("code:good")) is None
    assert put(store, a_record("code:good")) == 1


# --- generations, cuts, counts, changes


def test_a_job_raises_each_changed_namespace_by_one(store: Store) -> None:
    put(store, *[a_record(f"code:{i}") for i in range(5)], a_record("notes:n"))

    def job(txn: WriteTransaction) -> list[int]:
        txn.put_record(a_record("code:0", "new"))
        txn.put_edge(Edge(Ref("code:0"), "calls", Ref("code:1"), Role.ASSOCIATIVE))
        txn.remove_record(Ref("code:2"))
        return [txn.generation(CODE), txn.generation(NOTES)]

    assert store.write(TENANT, job) == [2, 1]
    assert (generation(store), generation(store, NOTES), generation(store, Namespace("no"))) == (2, 1, 0)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.namespaces() == (CODE, NOTES)
        assert snapshot.cut([NOTES, CODE]).generations == ((CODE, 2), (NOTES, 1))


def test_working_sets_vectors_receipts_and_marks_raise_no_generation(store: Store) -> None:
    put(store, a_record("code:f"))

    def job(txn: WriteTransaction) -> None:
        txn.save_working_set(NO_SET, Epoch(0), Turn(1), b"set")
        txn.put_vector("model", Digest("d"), b"vector")
        txn.put_receipt(AGENT, Turn(1), b"receipt")
        txn.put_answer(AGENT, "request", b"answer", 3)
        txn.put_mark("mark", b"value")

    store.write(TENANT, job)
    assert generation(store) == 1


def test_an_edge_between_namespaces_raises_both(store: Store) -> None:
    put(store, a_record("code:f"), a_record("notes:n"))
    put(store, a_record("code:g"))
    link(store, "code:f", "mentions", "notes:n", Role.ASSOCIATIVE)
    assert (generation(store), generation(store, NOTES)) == (3, 2)
    with store.snapshot(TENANT) as snapshot:
        assert [edge.generation for edge in snapshot.edges_to(Ref("notes:n"))] == [3]
        assert snapshot.edges_to(Ref("notes:n"), Generation(1)) == []
        assert len(snapshot.edges_to(Ref("notes:n"), Generation(2))) == 1
        assert snapshot.edges_from(Ref("code:f"), Generation(2)) == []
        assert (snapshot.counts(CODE).edges, snapshot.counts(NOTES).edges) == (1, 0)
    store.write(TENANT, lambda txn: txn.remove_record(Ref("notes:n")))
    assert (generation(store), generation(store, NOTES)) == (4, 3)


def test_counts_follow_every_change(store: Store) -> None:
    put(store, a_record("code:f"), a_record("code:g"), a_record("code:c", kind="class"), a_record("notes:n"))
    link(store, "code:f", "calls", "code:g", Role.ASSOCIATIVE)
    link(store, "code:c", "contains", "code:g", Role.ASSOCIATIVE)
    put(store, a_record("code:f", "new", kind="method"))

    def job(txn: WriteTransaction) -> tuple[int, int]:
        txn.remove_record(Ref("code:c"))
        counts = txn.counts(CODE)
        return counts.records, counts.edges

    assert store.write(TENANT, job) == (2, 1)
    with store.snapshot(TENANT) as snapshot:
        counts = snapshot.counts(CODE)
        assert (counts.generation, counts.records, counts.edges) == (5, 2, 1)
        assert counts.kinds == (("function", 1), ("method", 1))
        assert snapshot.relations(CODE) == (("calls", Role.ASSOCIATIVE),)
        empty = snapshot.counts(Namespace("never"))
    assert (empty.generation, empty.records, empty.edges, empty.kinds) == (0, 0, 0, ())


def test_the_change_log_lists_each_records_last_change_in_a_generation(store: Store) -> None:
    put(store, a_record("code:f", "one"), a_record("code:g", "one"))
    put(store, a_record("code:g", "two"))
    store.write(TENANT, lambda txn: txn.remove_record(Ref("code:f")))
    link(store, "code:g", "calls", "code:g", Role.ASSOCIATIVE)
    with store.snapshot(TENANT) as snapshot:
        lines = snapshot.changes(CODE, Generation(0), 10)
        assert snapshot.changes(CODE, Generation(3), 10) == []
        assert snapshot.changes(NOTES, Generation(0), 10) == []
    assert [(c.generation, c.ref, c.removed, c.digest) for c in lines] == [
        (1, "code:f", False, "digest of one"),
        (1, "code:g", False, "digest of one"),
        (2, "code:g", False, "digest of two"),
        (3, "code:f", True, "digest of one"),
    ]


def test_changes_split_no_generation_unless_it_alone_is_too_large(store: Store) -> None:
    for size in (2, 3, 1):
        put(store, *[a_record(f"code:{i}", f"of {size}") for i in range(size)])
    with store.snapshot(TENANT) as snapshot:

        def taken(after: int, limit: int) -> list[int]:
            return [change.generation for change in snapshot.changes(CODE, Generation(after), limit)]

        assert taken(0, 6) == [1, 1, 2, 2, 2, 3]
        assert taken(0, 5) == [1, 1, 2, 2, 2]
        assert taken(0, 4) == [1, 1]
        assert taken(1, 2) == [2, 2]
        assert taken(0, 0) == []


def test_pages_of_changes_resume_at_any_line(store: Store) -> None:
    for text in ("a", "b", "c"):
        put(store, *[a_record(f"code:{i}", text) for i in range(4)])
    with store.snapshot(TENANT) as snapshot:
        everything = snapshot.changes(CODE, Generation(0), 100)
        paged, after = [], (Generation(0), 0)
        while page := snapshot.changes_page(CODE, after, 5):
            paged += page
            after = (page[-1].generation, page[-1].record_id)
    assert paged == everything
    assert len(everything) == 12


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
        assert snapshot.neighbours(12345, limit=9) == []
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert snapshot.neighbours(b or 0, limit=9) == []


# --- vectors, working sets, receipts, answers, marks


def test_vectors_are_kept_by_model_and_digest(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        txn.put_vector("m1", Digest("d"), b"\x00\x01")
        txn.put_vector("m2", Digest("d"), b"\x02\x03")
        txn.put_vector("m1", Digest("d"), b"\x04\x05")

    store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.vector("m1", Digest("d")) == b"\x04\x05"
        assert snapshot.vectors("m2", [Digest("e"), Digest("d")]) == [None, b"\x02\x03"]
    with store.snapshot(OTHER_TENANT) as snapshot:
        assert snapshot.vector("m1", Digest("d")) is None


def test_a_working_set_is_saved_under_the_claim_that_read_it(store: Store) -> None:
    first = save(store, NO_SET, Epoch(0), Turn(1), b"one")
    assert first == Claim(AGENT, Epoch(0), Turn(1), 1)
    second = save(store, first, Epoch(0), Turn(1), b"touched")
    assert second == Claim(AGENT, Epoch(0), Turn(1), 2)
    third = save(store, second, Epoch(1), Turn(2), b"")
    with store.snapshot(TENANT) as snapshot:
        stored = snapshot.working_set(AGENT)
        assert snapshot.working_set(AgentId("nobody")) is None
    assert stored is not None
    assert (stored.claim, stored.encoded) == (third, b"")


def test_a_claim_that_has_moved_on_is_lost(store: Store) -> None:
    first = save(store, NO_SET, Epoch(1), Turn(1), b"one")
    wrong = [
        NO_SET,
        replace(first, revision=2),
        replace(first, turn=Turn(2)),
        replace(first, epoch=Epoch(0)),
        Claim(AgentId("nobody"), Epoch(0), Turn(0), 1),
    ]
    for claim in wrong:
        with pytest.raises(ClaimLost):
            save(store, claim, Epoch(9), Turn(9), b"lost")
    with store.snapshot(TENANT) as snapshot:
        stored = snapshot.working_set(AGENT)
    assert stored is not None
    assert (stored.claim, stored.encoded) == (first, b"one")


def test_of_many_savers_of_one_claim_exactly_one_wins(store: Store) -> None:
    def won(saver: int) -> bool:
        try:
            save(store, NO_SET, Epoch(0), Turn(1), b"%d" % saver)
        except ClaimLost:
            return False
        return True

    with ThreadPoolExecutor(8) as savers:
        assert sum(savers.map(won, range(16))) == 1


def test_agents_are_listed_in_order(store: Store) -> None:
    for name in ("b", "a", "é", "a\x00"):
        save(store, Claim(AgentId(name), Epoch(0), Turn(0), 0), Epoch(0), Turn(0), b"")
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.agents(None, 9) == ["a", "a\x00", "b", "é"]
        assert snapshot.agents(AgentId("a"), 2) == ["a\x00", "b"]
        assert snapshot.agents(AgentId("a\x00\x00"), 1) == ["b"]
        assert snapshot.agents(AgentId("é"), 9) == []
        assert snapshot.agents(None, 0) == []


@pytest.mark.parametrize("agent", ["x" * 600, "\ud800"])
def test_an_agent_that_cannot_be_stored_is_named(store: Store, agent: str) -> None:
    claim = Claim(AgentId(agent), Epoch(0), Turn(0), 0)
    with pytest.raises(BadField) as caught:
        store.write(TENANT, lambda txn: txn.save_working_set(claim, Epoch(0), Turn(0), b""))
    assert caught.value.field == "agent"
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.working_set(AgentId(agent)) is None
        assert snapshot.receipt(AgentId(agent), Turn(1)) is None


def test_receipts_are_kept_by_agent_and_turn(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        txn.put_receipt(AGENT, Turn(1), b"one")
        txn.put_receipt(AGENT, Turn(2), b"two")
        txn.put_receipt(AgentId("b"), Turn(1), b"b's")
        txn.put_receipt(AGENT, Turn(2), b"two again")

    store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        receipts = [snapshot.receipt(AGENT, Turn(turn)) for turn in (-1, 0, 1, 2, 3)]
        assert receipts == [None, None, b"one", b"two again", None]
        assert snapshot.receipt(AgentId("b"), Turn(1)) == b"b's"


def test_only_the_newest_answers_of_an_agent_are_kept(store: Store) -> None:
    def answer(agent: str, request: str, encoded: bytes, keep: int) -> None:
        store.write(TENANT, lambda txn: txn.put_answer(AgentId(agent), request, encoded, keep))

    def kept(agent: str) -> list[bytes | None]:
        with store.snapshot(TENANT) as snapshot:
            return [snapshot.answered(AgentId(agent), f"r{i}") for i in range(5)]

    for i in range(3):
        answer("a", f"r{i}", b"%d" % i, 3)
    answer("b", "r0", b"b", 3)
    answer("a\x00", "r0", b"nul", 1)
    answer("a", "r0", b"again", 3)
    answer("a", "r3", b"3", 3)
    assert kept("a") == [b"again", None, b"2", b"3", None]
    answer("a", "r4", b"4", 1)
    assert kept("a") == [None, None, None, None, b"4"]
    assert (kept("b")[0], kept("a\x00")[0]) == (b"b", b"nul")
    answer("b", "r1", b"none is kept", 0)
    assert kept("b") == [None] * 5


def test_marks_are_named_values(store: Store) -> None:
    long = "m" * 1000
    for name, value in (("m", b"1"), ("m", b"2"), (long, b"")):
        mark(store, name, value)
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.mark("m"), snapshot.mark(long), snapshot.mark("no")) == (b"2", b"", None)


# --- snapshots, jobs, tenants, life cycle


def test_a_snapshot_sees_one_state_however_long_it_is_open(store: Store) -> None:
    put(store, a_record("code:a", "one"), a_record("code:b"))
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    with store.snapshot(TENANT) as snapshot:
        with ThreadPoolExecutor(1) as other:
            other.submit(put, store, a_record("code:a", "two"), a_record("code:c")).result()
            other.submit(store.write, TENANT, lambda txn: txn.remove_record(Ref("code:b"))).result()
        record = snapshot.record(Ref("code:a"))
        assert record is not None
        assert record.text == "one"
        assert snapshot.generation(CODE) == 2
        assert len(snapshot.edges_from(Ref("code:a"))) == 1
        assert snapshot.counts(CODE).records == 2
        assert snapshot.record_id(Ref("code:c")) is None
    assert generation(store) == 4


def test_a_job_reads_its_own_writes_and_others_do_not(store: Store) -> None:
    written, seen = threading.Event(), threading.Event()

    def job(txn: WriteTransaction) -> list[object]:
        txn.put_record(a_record("code:a", path="p", names=(Name(NameKind.SYMBOL, "a"),)))
        txn.put_record(a_record("code:b"))
        txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE))
        written.set()
        assert seen.wait(30)
        record_id = txn.record_id(Ref("code:a")) or 0
        return [
            txn.namespaces(),
            txn.find(CODE, NameKind.SYMBOL, "a", 9) == [record_id],
            len(txn.path_records(CODE, "p")),
            len(txn.neighbours(record_id, limit=9)),
            txn.counts(CODE).kinds,
            txn.relations(CODE),
            txn.generation(CODE),
            len(txn.changes(CODE, Generation(0), 9)),
        ]

    with ThreadPoolExecutor(1) as writer:
        running = writer.submit(store.write, TENANT, job)
        assert written.wait(30)
        with store.snapshot(TENANT) as snapshot:
            assert (snapshot.generation(CODE), snapshot.record(Ref("code:a"))) == (0, None)
        seen.set()
        calls = (("calls", Role.ASSOCIATIVE),)
        assert running.result() == [(CODE,), True, 1, 1, (("function", 2),), calls, 1, 2]


class _Regret(Exception):
    pass


def test_a_failing_job_leaves_no_trace_and_fails_alone(store: Store) -> None:
    def job(number: int) -> Callable[[WriteTransaction], int]:
        def run(txn: WriteTransaction) -> int:
            txn.put_record(a_record(f"code:{number}"))
            txn.put_mark(f"mark {number}", b"")
            if number % 3 == 0:
                raise _Regret(number)
            return number

        return run

    def attempt(number: int) -> int | str:
        try:
            return store.write(TENANT, job(number))
        except _Regret as regret:
            return f"regret {regret}"

    with ThreadPoolExecutor(16) as callers:
        outcomes = list(callers.map(attempt, range(60)))
    assert outcomes == [number if number % 3 else f"regret {number}" for number in range(60)]
    with store.snapshot(TENANT) as snapshot:
        for number in range(60):
            assert (snapshot.record(Ref(f"code:{number}")) is not None) == bool(number % 3)
            assert (snapshot.mark(f"mark {number}") is not None) == bool(number % 3)
        assert snapshot.generation(CODE) == 40
        assert snapshot.counts(CODE).records == 40
        assert len(snapshot.changes(CODE, Generation(0), 99)) == 40


def test_jobs_from_many_threads_each_raise_the_generation(store: Store) -> None:
    def write(number: int) -> Generation:
        return put(store, a_record(f"code:{number}"))

    with ThreadPoolExecutor(8) as callers:
        generations = list(callers.map(write, range(100)))
    assert sorted(generations) == list(range(1, 101))


def test_a_job_run_again_changes_nothing_more(store: Store) -> None:
    def job(txn: WriteTransaction) -> tuple[Generation, bool]:
        txn.put_record(a_record("code:a", names=(Name(NameKind.SYMBOL, "a"),), path="p"))
        at = txn.put_record(a_record("code:b"))
        return at, txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE))

    assert store.write(TENANT, job) == (1, True)
    assert store.write(TENANT, job) == (1, False)
    with store.snapshot(TENANT) as snapshot:
        assert (snapshot.generation(CODE), snapshot.counts(CODE).edges) == (1, 1)


def test_a_job_may_catch_a_refusal_and_go_on(store: Store) -> None:
    def job(txn: WriteTransaction) -> None:
        for bad in (a_record("code:\ud800"), a_record("late:x", text="\ud800"), a_record("code:" + "x" * 999)):
            with pytest.raises(BadField):
                txn.put_record(bad)
        with pytest.raises(UnknownRef):
            txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:no"), Role.ASSOCIATIVE))
        txn.put_record(a_record("code:a"))

    store.write(TENANT, job)
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.namespaces() == (CODE,)
        assert snapshot.counts(CODE).records == 1


def test_tenants_cannot_see_each_other(store: Store) -> None:
    mine = a_record("code:a", "mine", path="p", names=(Name(NameKind.SYMBOL, "a"),))
    put(store, mine, a_record("code:b"))
    link(store, "code:a", "calls", "code:b", Role.ASSOCIATIVE)
    save(store, NO_SET, Epoch(0), Turn(1), b"mine")
    mark(store, "m", b"")
    store.write(TENANT, lambda txn: txn.put_receipt(AGENT, Turn(1), b""))
    with store.snapshot(TENANT) as snapshot:
        cut, record_id = snapshot.cut([CODE]), snapshot.record_id(Ref("code:a")) or 0
    for tenant in (OTHER_TENANT, TenantId(""), TenantId("x" * 600), TenantId("\ud800"), TenantId("acm")):
        with store.snapshot(tenant) as snapshot:
            assert snapshot.tenant == tenant
            assert (snapshot.namespaces(), snapshot.generation(CODE)) == ((), 0)
            assert (snapshot.record(Ref("code:a")), snapshot.ref_of(record_id)) == (None, None)
            assert snapshot.records_by_id([record_id], cut) == [None]
            assert snapshot.find(CODE, NameKind.SYMBOL, "a", 9) == []
            assert snapshot.edges_from(Ref("code:a")) == []
            assert (snapshot.working_set(AGENT), snapshot.agents(None, 9)) == (None, [])
            assert (snapshot.mark("m"), snapshot.receipt(AGENT, Turn(1))) == (None, None)
    with pytest.raises(UnknownRef):
        store.write(
            OTHER_TENANT, lambda txn: txn.put_edge(Edge(Ref("code:a"), "calls", Ref("code:b"), Role.ASSOCIATIVE))
        )
    assert store.tenants() == (TENANT,)
    assert put(store, a_record("code:a", "theirs"), tenant=OTHER_TENANT) == 1
    assert store.tenants() == (TENANT, OTHER_TENANT)
    with store.snapshot(TENANT) as snapshot:
        record = snapshot.record(Ref("code:a"))
    assert record == replace(mine, generation=Generation(1))


def test_what_was_written_is_there_after_reopening(open_engine: Open) -> None:
    store = open_engine(False)
    put(store, a_record("code:a", path="p"), a_record("code:b"))
    link(store, "code:a", "refutes", "code:b", Role.OPPOSING)
    claim = save(store, NO_SET, Epoch(0), Turn(1), b"set")
    store.write(TENANT, lambda txn: txn.put_answer(AGENT, "r", b"answer", 1))
    assert store.bytes_used() > 0
    store.close()
    store = open_engine(False)
    assert put(store, a_record("code:c")) == 3
    with store.snapshot(TENANT) as snapshot:
        record = snapshot.record(Ref("code:a"))
        assert record == a_record("code:a", path="p", generation=Generation(1))
        assert [edge.edge.relation for edge in snapshot.edges_to(Ref("code:b"))] == ["refutes"]
        assert snapshot.relation_role("refutes") is Role.OPPOSING
        assert len({snapshot.record_id(Ref(f"code:{name}")) for name in "abc"}) == 3
        stored = snapshot.working_set(AGENT)
        assert stored is not None
        assert stored.claim == claim
        assert snapshot.answered(AGENT, "r") == b"answer"
        assert snapshot.counts(CODE).kinds == (("function", 3),)
    store.close()


def test_a_store_opened_for_reading_reads_and_refuses_to_write(open_engine: Open) -> None:
    writable = open_engine(False)
    assert not writable.read_only
    put(writable, a_record("code:a"))
    writable.close()
    store = open_engine(True)
    assert store.read_only
    with store.snapshot(TENANT) as snapshot:
        assert snapshot.counts(CODE).records == 1
    with pytest.raises(ReadOnlyStore):
        put(store, a_record("code:b"))
    store.close()


def test_closing_finishes_queued_jobs_and_then_refuses(open_engine: Open) -> None:
    store = open_engine(False)
    running, release = threading.Event(), threading.Event()

    def slow(txn: WriteTransaction) -> Generation:
        running.set()
        assert release.wait(30)
        return txn.put_record(a_record("code:slow"))

    with ThreadPoolExecutor(1) as writer:
        first = writer.submit(store.write, TENANT, slow)
        assert running.wait(30)
        release.set()
        first.result()
        store.close()
    with pytest.raises(StoreUnavailable):
        put(store, a_record("code:b"))
    with pytest.raises(StoreUnavailable), store.snapshot(TENANT):
        pass
    with pytest.raises(StoreUnavailable):
        store.tenants()
    with pytest.raises(StoreUnavailable):
        store.bytes_used()
    store.close()
    again = open_engine(False)
    with again.snapshot(TENANT) as snapshot:
        assert snapshot.record(Ref("code:slow")) is not None
    again.close()
