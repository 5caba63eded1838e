"""What every storage engine must do: records, their versions, generations, counts and the change log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retrieval.errors import BadField
from retrieval.record import Edge, Name, NameKind
from retrieval.relations import Role
from retrieval.store.interface import Store, WriteTransaction
from tests.contract.store_room import (
    AGENT,
    CODE,
    NO_SET,
    NOTES,
    OTHER_TENANT,
    TENANT,
    a_record,
    generation,
    link,
    put,
)
from workingset.vocabulary import Cut, Digest, Epoch, Generation, Lines, Namespace, Ref, Turn

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
        retrieved_seconds=3,
        verified_seconds=2**40,
        validator='W/"é"',
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
        {"retrieved_seconds": 1},
        {"verified_seconds": 1},
        {"validator": "v1"},
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
