"""Bad input: each gets a typed error or answer that names the field and says what to do; nothing else is harmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import grpc
import pytest

from hotset import (
    Answer,
    BadRequest,
    Document,
    EdgeInput,
    HotsetClient,
    HotsetError,
    NotFound,
    RecordInput,
    Use,
)
from hotset.types import Lines
from hotset.v1 import attention_pb2, attention_pb2_grpc, common_pb2, corpus_pb2, corpus_pb2_grpc
from tests.rpc.real_daemon import RealDaemon

Call = Callable[[HotsetClient], object]


def _records(*records: RecordInput, edges: tuple[EdgeInput, ...] = ()) -> Call:
    return lambda client: list(client.ingest_records("bad", records, edges))


def _record(**changed: str) -> RecordInput:
    return RecordInput(**{"id": "a", "kind": "note", "title": "a", "text": "text", **changed})


BAD: dict[str, tuple[Call, type[HotsetError], str]] = {
    "empty goal": (lambda c: c.focus(""), BadRequest, "goal"),
    "blank goal": (lambda c: c.focus(" \n\t"), BadRequest, "goal"),
    "goal of 10 MiB": (lambda c: c.focus("x" * (10 * 1024 * 1024)), BadRequest, "goal"),
    "negative budget": (lambda c: c.focus("refund", budget_tokens=-1), BadRequest, "budget_tokens"),
    "absurd budget": (lambda c: c.focus("refund", budget_tokens=10**12), BadRequest, "budget_tokens"),
    "negative top_k": (lambda c: c.focus("refund", top_k=-3), BadRequest, "top_k"),
    "absurd top_k": (lambda c: c.focus("refund", top_k=10**6), BadRequest, "top_k"),
    "unknown profile": (lambda c: c.focus("refund", profile="fancy"), BadRequest, "profile"),
    "unknown namespace": (lambda c: c.focus("refund", namespaces=["nowhere"]), NotFound, ""),
    "namespace of another kind": (lambda c: c.focus("refund", namespaces=["a b"]), BadRequest, "namespaces[0]"),
    "reserved namespace": (lambda c: c.focus("refund", namespaces=["goal"]), BadRequest, "namespaces[0]"),
    "agent without a name": (lambda c: c.focus("refund", agent=""), BadRequest, "agent"),
    "agent with odd characters": (lambda c: c.focus("refund", agent="a\nb"), BadRequest, "agent"),
    "status of an unknown agent": (lambda c: c.status(agent="nobody"), NotFound, ""),
    "touch of an unknown agent": (lambda c: c.touch([Use(ref="rules:r1")], agent="nobody"), NotFound, ""),
    "reset of an unknown agent": (lambda c: c.reset_context(agent="nobody"), NotFound, ""),
    "unknown ref": (lambda c: list(c.resolve(["rules:zzz"])), NotFound, ""),
    "ref without a namespace": (lambda c: list(c.resolve(["zzz"])), BadRequest, "refs[0]"),
    "ref of two megabytes": (lambda c: list(c.resolve(["rules:" + "x" * 2_000_000])), NotFound, ""),
    "no ref, of two megabytes": (lambda c: list(c.resolve(["x" * 2_000_000])), BadRequest, "refs[0]"),
    "profile of two megabytes": (lambda c: c.focus("refund", profile="x" * 2_000_000), BadRequest, "profile"),
    "reason of two megabytes": (lambda c: c.pin(text="hi", reason="x" * 2_000_000), BadRequest, "reason"),
    "no refs": (lambda c: list(c.resolve([])), BadRequest, "refs"),
    "pin of an unknown ref": (lambda c: c.pin("rules:zzz"), NotFound, ""),
    "evict of what is not there": (lambda c: (c.focus("refund"), c.evict(["rules:zzz"])), NotFound, ""),
    "unpin of what is not pinned": (lambda c: (c.focus("refund"), c.unpin("rules:r1")), NotFound, ""),
    "no uses": (lambda c: (c.focus("refund"), c.touch([])), BadRequest, "uses"),
    "use without ref and path": (lambda c: (c.focus("refund"), c.touch([Use()])), BadRequest, "uses[0]"),
    "get of an unknown ref": (lambda c: c.get("rules:zzz"), NotFound, ""),
    "list of an unknown namespace": (lambda c: list(c.list_records("nowhere")), NotFound, ""),
    "describe of an unknown namespace": (lambda c: c.describe_namespace("nowhere"), NotFound, ""),
    "remove of nothing": (lambda c: c.remove("rules"), BadRequest, "refs"),
    "record without text": (_records(_record(text="")), BadRequest, "records[0].text"),
    "record with a bad id": (_records(_record(), _record(id="a b")), BadRequest, "records[1].id"),
    "record without a kind": (_records(_record(kind="")), BadRequest, "records[0].kind"),
    "edge to a missing record": (
        _records(_record(), edges=(EdgeInput("a", "depends_on", "ghost"),)),
        BadRequest,
        "edges[0].to",
    ),
    "edge of an undeclared relation": (
        _records(_record(), _record(id="b"), edges=(EdgeInput("a", "befriends", "b"),)),
        BadRequest,
        "edges[0].role",
    ),
    "document outside a root": (
        lambda c: list(c.ingest_documents("bad", [Document("../x.py", b"x")], source="s")),
        BadRequest,
        "documents[0].path",
    ),
    "tree that is not there": (lambda c: list(c.ingest_tree("bad", "/no/such/folder")), BadRequest, "tree.root"),
    "tree with a name too long": (lambda c: list(c.ingest_tree("bad", "/" + "x" * 5_000)), BadRequest, "tree.root"),
    "wait for a generation without a namespace": (
        lambda c: c.focus("refund", at_least_generation=1),
        BadRequest,
        "at_least_generation",
    ),
    "wait for a generation to come": (
        lambda c: c.focus("refund", namespaces=["rules"], at_least_generation=10**9),
        BadRequest,
        "at_least_generation",
    ),
    "endless deadline": (lambda c: c.focus("refund", timeout_seconds=float("inf")), BadRequest, "timeout_seconds"),
    "ingest into a reserved namespace": (
        lambda c: list(c.ingest_records("agent.x", [_record()])),
        BadRequest,
        "header.namespace",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_the_field_and_says_what_to_do(client: HotsetClient, name: str) -> None:
    call, kind, field = BAD[name]

    with pytest.raises(kind) as caught:
        call(client)

    if field:
        assert caught.value.field == field
    assert caught.value.what_to_do
    assert len(str(caught.value)) > 10


@pytest.mark.parametrize("name", ["record without text", "edge to a missing record"])
def test_a_refused_batch_writes_nothing(client: HotsetClient, name: str) -> None:
    with pytest.raises(BadRequest):
        BAD[name][0](client)

    with pytest.raises(NotFound):
        client.get("bad:a")


def test_lone_surrogates_never_reach_the_daemon(client: HotsetClient) -> None:
    with pytest.raises(BadRequest) as caught:
        client.focus("refund \ud800")

    assert "goal" in str(caught.value)


def test_a_home_that_nobody_has_is_no_folder(daemon: RealDaemon) -> None:
    def tree() -> Iterator[corpus_pb2.IngestRequest]:
        yield corpus_pb2.IngestRequest(header=corpus_pb2.IngestHeader(namespace="bad"))
        yield corpus_pb2.IngestRequest(tree=corpus_pb2.IngestTree(root="~nobody-has-this-name/x"))

    with grpc.insecure_channel(daemon.address) as channel:
        with pytest.raises(grpc.RpcError, match=r"tree\.root") as caught:
            list(corpus_pb2_grpc.CorpusStub(channel).Ingest(tree(), timeout=10))
        assert isinstance(caught.value, grpc.Call)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_invalid_utf8_on_the_wire_is_refused(daemon: RealDaemon) -> None:
    with grpc.insecure_channel(daemon.address) as channel:
        focus = channel.unary_unary(
            "/hotset.v1.Attention/Focus",
            request_serializer=None,
            response_deserializer=attention_pb2.FocusReply.FromString,
        )
        raw = b"\x0a\x03dev\x12\x04\xff\xfe\xfd\xfc"
        with pytest.raises(grpc.RpcError) as caught:
            focus(raw, timeout=10)

    error = caught.value
    assert isinstance(error, grpc.Call)
    reason = common_pb2.ErrorReason.FromString(dict(error.trailing_metadata())["hotset-error-bin"])
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (reason.reason, reason.field) == ("BAD_FIELD", "request")
    assert "UTF-8" in (error.details() or "")


def test_every_error_carries_a_machine_readable_reason(daemon: RealDaemon) -> None:
    with grpc.insecure_channel(daemon.address) as channel:
        stub = attention_pb2_grpc.AttentionStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            stub.Focus(attention_pb2.FocusRequest(agent="dev", goal=""), timeout=10)

        error = caught.value
        assert isinstance(error, grpc.Call)
        detail = dict(error.trailing_metadata())["hotset-error-bin"]
        reason = common_pb2.ErrorReason.FromString(detail)
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert (reason.reason, reason.field) == ("BAD_FIELD", "goal")
        assert reason.what_to_do
        assert reason.request_id


def test_a_stream_without_a_header_is_refused(daemon: RealDaemon) -> None:
    def batch() -> Iterator[corpus_pb2.IngestRequest]:
        yield corpus_pb2.IngestRequest(batch=corpus_pb2.IngestBatch())

    with grpc.insecure_channel(daemon.address) as channel:
        stub = corpus_pb2_grpc.CorpusStub(channel)
        for requests in (batch(), iter(())):
            with pytest.raises(grpc.RpcError, match="header"):
                list(stub.Ingest(requests, timeout=10))


def test_budget_smaller_than_the_pins_is_a_typed_answer(client: HotsetClient) -> None:
    client.focus("refund", budget_tokens=2_000)
    client.pin(text="a rule of the house " * 40, reason="house")

    answer = client.focus("refund", budget_tokens=60)

    assert answer.answer is Answer.OVER_BUDGET
    assert answer.block == ""
    assert answer.over_budget is not None
    assert answer.over_budget.needed_tokens > 60
    assert sum(offender.tokens for offender in answer.over_budget.offenders) >= 60
    assert "house" in {pin.reason for pin in client.status().pins}
    assert "a rule of the house" in client.focus("refund", budget_tokens=2_000).block


def test_a_pin_that_can_never_fit_is_not_taken(client: HotsetClient) -> None:
    client.focus("refund", budget_tokens=100)

    answer = client.pin(text="far too long " * 200)

    assert answer.answer is Answer.OVER_BUDGET
    assert answer.over_budget is not None
    assert answer.over_budget.needed_tokens > 100
    assert len(client.status().pins) == 1  # the goal


def test_lines_past_the_end_of_a_file_match_nothing(client: HotsetClient) -> None:
    for _ in client.ingest_documents("files", [Document("a.py", b"def f():\n    return 1\n")], source="s"):
        pass
    client.focus("f")

    answer = client.touch([Use(namespace="files", path="a.py", lines=Lines(900, 901))])

    assert answer.unmatched == (0,)


def test_a_mode_that_is_not_known_moves_nothing(daemon: RealDaemon) -> None:
    with grpc.insecure_channel(daemon.address) as channel:
        stub = attention_pb2_grpc.AttentionStub(channel)
        with pytest.raises(grpc.RpcError, match="mode"):
            stub.Focus(attention_pb2.FocusRequest(agent="moded", goal="refund", mode=99), timeout=10)
        with pytest.raises(grpc.RpcError, match="no working set"):
            stub.Status(attention_pb2.StatusRequest(agent="moded"), timeout=10)
