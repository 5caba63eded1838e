"""How an ingest is cut into messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from hotset import BadRequest, ClientSettings, ConversationTurn, Document, EdgeInput, OverLimits, RecordInput
from hotset._wire import ingest
from hotset._wire.ingest import IngestStream
from hotset.v1 import corpus_pb2

SETTINGS = ClientSettings(batch_bytes=100, batch_entries=3, message_bytes=1000)
TICKET = ingest.ticket("n", "s", "i")


def sent(stream: IngestStream) -> tuple[Any, list[Any]]:
    messages = [corpus_pb2.IngestRequest.FromString(payload) for payload in stream.payloads()]
    assert messages[0].WhichOneof("step") == "header"
    return messages[0].header, [each.batch for each in messages[1:]]


def documents(sizes: list[int], **changes: Any) -> IngestStream:
    entries = [Document(f"{place}.md", b"x" * size) for place, size in enumerate(sizes)]
    return ingest.documents(TICKET, entries, **({"completes_source": False, "settings": SETTINGS} | changes))


def test_batches_are_bounded_by_count_and_by_bytes_and_numbered_from_0() -> None:
    _, batches = sent(documents([1, 1, 1, 1, 80, 80, 300, 1]))
    assert [len(batch.documents) for batch in batches] == [3, 2, 1, 1, 1]
    assert [batch.sequence for batch in batches] == [0, 1, 2, 3, 4]


def test_every_document_is_sent_once_in_order() -> None:
    _, batches = sent(documents([10] * 50))
    assert [each.path for batch in batches for each in batch.documents] == [f"{place}.md" for place in range(50)]


def test_only_the_last_batch_completes_the_source() -> None:
    _, batches = sent(documents([1] * 7, completes_source=True))
    assert [batch.completes_source for batch in batches] == [False, False, True]


def test_an_empty_sending_that_completes_its_source_says_so() -> None:
    assert sent(documents([]))[1] == []
    assert [batch.completes_source for batch in sent(documents([], completes_source=True))[1]] == [True]


def test_edges_come_after_all_records() -> None:
    records = [RecordInput("t", id=f"r{place}") for place in range(4)]
    edges = [EdgeInput("r0", "cites", "r3")]
    _, batches = sent(ingest.records(TICKET, records, edges, completes_source=False, settings=SETTINGS))
    assert [(len(batch.records), len(batch.edges)) for batch in batches] == [(3, 0), (1, 1)]
    assert getattr(batches[1].edges[0], "from") == "r0"


def test_what_no_message_can_carry_is_an_error_that_names_it() -> None:
    with pytest.raises(OverLimits, match=r"documents\[1\] \(1\.md\)"):
        sent(documents([1, 999]))


def test_a_tree_is_a_header_and_a_root() -> None:
    header, tree = [
        corpus_pb2.IngestRequest.FromString(each) for each in ingest.tree(TICKET, "/r", force=True).payloads()
    ]
    assert (header.header.namespace, header.header.source, header.header.request_id) == ("n", "s", "i")
    assert (tree.tree.root, tree.tree.force) == ("/r", True)


def test_turns_keep_their_order_over_batches() -> None:
    turns = [ConversationTurn("talk", f"t{place}", "Ann", "words", seconds=place) for place in range(5)]
    _, batches = sent(ingest.turns(TICKET, turns, settings=SETTINGS))
    assert [[each.turn for each in batch.turns] for batch in batches] == [["t0", "t1", "t2"], ["t3", "t4"]]
    with pytest.raises(BadRequest) as raised:
        sent(ingest.turns(TICKET, [ConversationTurn("talk", "t", "\ud800", "words")], settings=SETTINGS))
    assert raised.value.field == "turns[0].speaker"


def test_only_what_can_be_sent_again_with_an_id_is_repeatable() -> None:
    def lazily() -> Iterator[Document]:
        yield Document("a", b"")

    nameless = replace(TICKET, request_id="")
    assert documents([1]).repeatable
    assert ingest.tree(TICKET, "/r", force=False).repeatable
    assert not ingest.tree(nameless, "/r", force=False).repeatable
    once = {"completes_source": False, "settings": SETTINGS}
    assert not ingest.documents(TICKET, lazily(), **once).repeatable
    assert not ingest.documents(nameless, [Document("a", b"")], **once).repeatable
    assert not ingest.records(TICKET, [], iter([]), **once).repeatable


def test_an_id_is_made_where_none_is_given() -> None:
    first, second = ingest.ticket("n", "", None), ingest.ticket("n", "", None)
    assert len(first.request_id) == 32
    assert first.request_id != second.request_id


BAD_DOCUMENTS = [
    ("documents[0].path", Document("\ud800", b"")),
    ("documents[0].content", Document("a", "text")),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("field", "entry"), BAD_DOCUMENTS)
def test_a_bad_document_is_named(field: str, entry: Document) -> None:
    with pytest.raises(BadRequest) as raised:
        sent(ingest.documents(TICKET, [entry], completes_source=False, settings=SETTINGS))
    assert raised.value.field == field


def test_a_bad_record_and_a_bad_edge_are_named() -> None:
    once = {"completes_source": False, "settings": SETTINGS}
    with pytest.raises(BadRequest) as raised:
        sent(ingest.records(TICKET, [RecordInput("t"), RecordInput("\ud800")], [], **once))
    assert raised.value.field == "records[1].text"
    with pytest.raises(BadRequest) as raised:
        sent(ingest.records(TICKET, [RecordInput("t", attributes={"k": "\ud800"})], [], **once))
    assert raised.value.field == "records[0].attributes.k"
    with pytest.raises(BadRequest) as raised:
        sent(ingest.records(TICKET, [], [EdgeInput("\ud800", "r", "y")], **once))
    assert raised.value.field == "edges[0].from_ref"
