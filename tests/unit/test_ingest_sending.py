"""Documents and typed records over the wire: one transaction a batch, checked field by field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.errors import BadField
from retrieval.ingest import Document, EdgeInput, RecordInput, ingest_documents, put_records
from retrieval.ingest.conversations import put_turns
from retrieval.ingest.turn_records import TurnInput
from retrieval.relations import Role
from retrieval.store.interface import Store, WriteTransaction
from retrieval.store.lmdb import LmdbSettings, open_store
from tests.ingest_room import CODE, TENANT, contents, live_edges, live_records, reasons, titled_edges


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store", LmdbSettings(map_bytes=2**24))
    yield opened
    opened.close()


A = Document("pkg/a.py", b"from . import b\n\n\ndef alpha():\n    beta()\n")
B = Document("pkg/b.py", b"import os\n\n\ndef beta():\n    pass\n")


def test_batches_are_linked_and_a_repeat_writes_nothing(store: Store) -> None:
    sent: set[str] = set()
    ingest_documents(store, TENANT, CODE, [A], source="host", sent=sent)
    summary = ingest_documents(store, TENANT, CODE, [B], source="host", sent=sent)
    assert (summary.files_taken, summary.records_written) == (1, 2)
    assert titled_edges(store, "calls") == {("pkg/a.py#alpha", "pkg/b.py#beta")}
    again = ingest_documents(store, TENANT, CODE, [A, B], source="host", sent=sent)
    assert (again.files_taken, again.files_unchanged, again.records_written) == (0, 2, 0)
    assert again.generation == summary.generation
    assert sent == {"pkg/a.py", "pkg/b.py"}


def test_what_a_full_sending_left_out_is_tombstoned(store: Store) -> None:
    ingest_documents(store, TENANT, CODE, [A, B], source="host")
    ingest_documents(store, TENANT, CODE, [A], source="other")
    store.write(TENANT, lambda txn: put_records(txn, CODE, [RecordInput("note", "note", "", "kept")], [], "host"))
    sent: set[str] = set()
    ingest_documents(store, TENANT, CODE, [Document("c.py", b"x = 1\n")], source="host", sent=sent)
    summary = ingest_documents(store, TENANT, CODE, [B], source="host", sent=sent, completes_source=True)
    assert summary.files_removed == 1
    assert {(record.source, record.path) for record in live_records(store)} == {
        ("host", ""),
        ("host", "c.py"),
        ("host", "pkg/b.py"),
        ("other", "pkg/a.py"),
    }


def test_a_bad_document_is_reported_and_the_rest_is_taken(store: Store) -> None:
    summary = ingest_documents(store, TENANT, CODE, [Document("a.bin", b"\x00"), B], source="host")
    assert (summary.files_taken, reasons(summary)) == (1, {"binary": 1})


def test_what_also_raises_undoes_the_batch(store: Store) -> None:
    def also(txn: WriteTransaction) -> None:
        put_records(txn, CODE, [RecordInput("n", "note", "", "")], [], "host")

    with pytest.raises(BadField, match=r"records\[0\]\.text"):
        ingest_documents(store, TENANT, CODE, [A], source="host", also=also)
    assert contents(store) == ([], [])


@pytest.mark.parametrize(
    "path", ["", "/a", "a//b", "../a", "a/../b", "./a", "a/", "a\0b", "a\nb", "\udcff", "x" * 1_025]
)
def test_a_path_that_names_no_file_below_a_root_is_refused(store: Store, path: str) -> None:
    with pytest.raises(BadField) as raised:
        ingest_documents(store, TENANT, CODE, [B, Document(path, b"x\n")], source="host")
    assert raised.value.field == "documents[1].path"


def test_a_path_twice_in_a_batch_is_refused(store: Store) -> None:
    with pytest.raises(BadField, match=r"documents\[1\]\.path.*twice"):
        ingest_documents(store, TENANT, CODE, [A, A], source="host")


def put(store: Store, records: list[RecordInput], edges: list[EdgeInput] | None = None) -> tuple[int, int]:
    written, _ = store.write(TENANT, lambda txn: put_records(txn, CODE, records, edges or [], source="host"))
    return written.records_written, written.edges_written


RULE = RecordInput("rule-1", "rule", "Be kind", "Always be kind. Even on Mondays.", (("owner", "ops"),), "wiki")
FACT = RecordInput("fact.1", "fact", "", "It is Monday.\nReally.", valid_from_seconds=5, valid_until_seconds=9)


def test_typed_records_and_edges_are_kept_as_given(store: Store) -> None:
    assert put(store, [RULE, FACT], [EdgeInput("rule-1", "rule_for", "code:fact.1")]) == (2, 1)
    records = {record.ref: record for record in live_records(store)}
    rule, fact = records["code:rule-1"], records["code:fact.1"]  # type: ignore[index]
    assert (rule.title, rule.text, rule.gist) == ("Be kind", RULE.text, "Always be kind.")
    assert (rule.attributes, rule.origin, rule.source) == ((("owner", "ops"),), "wiki", "host")
    assert (fact.title, fact.valid_from_seconds, fact.valid_until_seconds) == ("It is Monday.", 5, 9)
    assert [(e.source, e.relation, e.target, e.role) for e in live_edges(store)] == [
        ("code:rule-1", "rule_for", "code:fact.1", Role.MANDATORY)
    ]
    assert put(store, [RULE, FACT], [EdgeInput("rule-1", "rule_for", "fact.1")]) == (0, 0)


def test_an_empty_id_is_made_from_the_content(store: Store) -> None:
    note = RecordInput("", "note", "", "remember")
    assert put(store, [note]) == (1, 0)
    assert put(store, [note]) == (0, 0)
    assert len(live_records(store)) == 1


def test_a_new_relation_needs_a_role_and_keeps_it(store: Store) -> None:
    edge = EdgeInput("rule-1", "blames", "fact.1")
    with pytest.raises(BadField, match=r"edges\[0\]\.role.*declare"):
        put(store, [RULE, FACT], [edge])
    assert put(store, [RULE, FACT], [EdgeInput("rule-1", "blames", "fact.1", Role.OPPOSING)]) == (2, 1)
    assert put(store, [], [EdgeInput("fact.1", "blames", "rule-1")]) == (0, 1)
    with pytest.raises(BadField, match=r"edges\[0\]\.role.*cannot become"):
        put(store, [], [EdgeInput("fact.1", "blames", "rule-1", Role.MANDATORY)])


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (RecordInput("a b", "note", "", "x"), "id"),
        (RecordInput("x" * 129, "note", "", "x"), "id"),
        (RecordInput("ü", "note", "", "x"), "id"),
        (RecordInput("a", "", "", "x"), "kind"),
        (RecordInput("a", "No", "", "x"), "kind"),
        (RecordInput("a", "commit", "", "x"), "kind"),
        (RecordInput("a", "turn", "", "x"), "kind"),
        (RecordInput("a", "note", "two\nlines", "x"), "title"),
        (RecordInput("a", "note", "x" * 501, "x"), "title"),
        (RecordInput("a", "note", "", ""), "text"),
        (RecordInput("a", "note", "", " \n\t"), "text"),
        (RecordInput("a", "note", "", "x" * 1_000_001), "text"),
        (RecordInput("a", "note", "", "lone \ud800"), "text"),
        (RecordInput("a", "note", "\udfff", "x"), "title"),
        (RecordInput("a", "note", "", "x", (("k", "\ud800"),)), "attributes"),
        (RecordInput("a", "note", "", "x", (("k", "1"), ("k", "2"))), "attributes"),
        (RecordInput("a", "note", "", "x", (("k", "v" * 20_000),)), "attributes"),
        (RecordInput("a", "note", "", "x", tuple((f"k{n}", "") for n in range(65))), "attributes"),
        (RecordInput("a", "note", "", "x", origin="x" * 3_000), "origin"),
        (RecordInput("a", "note", "", "x", valid_from_seconds=-1), "valid_from_seconds"),
        (RecordInput("a", "note", "", "x", valid_until_seconds=2**63), "valid_until_seconds"),
        (RecordInput("a", "note", "", "x", valid_from_seconds=9, valid_until_seconds=9), "valid_until_seconds"),
        (RULE, "id"),
    ],
)
def test_a_malformed_record_is_named_and_nothing_is_written(store: Store, record: RecordInput, field: str) -> None:
    with pytest.raises(BadField) as raised:
        put(store, [RULE, record])
    assert raised.value.field == f"records[1].{field}"
    assert live_records(store) == []


@pytest.mark.parametrize(
    ("edge", "field"),
    [
        (EdgeInput("nobody", "depends_on", "rule-1"), "from"),
        (EdgeInput("rule-1", "depends_on", "other:missing"), "to"),
        (EdgeInput("rule-1", "depends_on", ""), "to"),
        (EdgeInput("rule-1", "depends_on", "rule-1"), "to"),
        (EdgeInput("rule-1", "Depends On", "fact.1"), "relation"),
        (EdgeInput("rule-1", "depends_on", "\ud800"), "to"),
        (EdgeInput("rule-1", "depends_on", "fact.1", Role.ORIGIN), "role"),
    ],
)
def test_a_malformed_edge_is_named_and_nothing_is_written(store: Store, edge: EdgeInput, field: str) -> None:
    with pytest.raises(BadField) as raised:
        put(store, [RULE, FACT], [EdgeInput("fact.1", "depends_on", "rule-1"), edge])
    assert raised.value.field == f"edges[1].{field}"
    assert live_records(store) == []


def test_turns_are_not_for_hosts_to_overwrite(store: Store) -> None:
    said = TurnInput("talk", "1", "Ann", 0, "hello")
    _, [ref] = store.write(TENANT, lambda txn: put_turns(txn, CODE, [said], "host"))
    with pytest.raises(BadField, match=r"records\[0\]\.id.*a turn of a conversation"):
        put(store, [RecordInput(ref.partition(":")[2], "note", "", "mine")])
    assert [record.text for record in live_records(store)] == ["hello"]


def test_records_of_files_are_not_for_hosts_to_overwrite_or_link_as_ingest_does(store: Store) -> None:
    ingest_documents(store, TENANT, CODE, [A], source="host")
    ref = live_records(store)[0].ref
    with pytest.raises(BadField, match=r"records\[0\]\.id.*pkg/a\.py"):
        put(store, [RecordInput(ref.partition(":")[2], "note", "", "mine")])
    with pytest.raises(BadField, match=r"edges\[0\]\.relation.*derived"):
        put(store, [RULE], [EdgeInput(ref, "calls", "rule-1")])
    assert put(store, [RULE], [EdgeInput(ref, "references", "rule-1")]) == (1, 1)
