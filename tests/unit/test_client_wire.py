"""Every field and every word of the protocol reaches the caller."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from google.protobuf.message import Message

import hotset
from hotset import as_plain, types
from hotset._wire import (
    attention_calls,
    corpus,
    corpus_calls,
    evaluation,
    health,
    ingest,
    operator,
    receipts,
    shared,
    sources,
    succession,
    turns,
    words,
    working_set,
)
from hotset.v1 import attention_pb2, common_pb2, corpus_pb2, operator_pb2
from tests.rpc.client_fakes import filled, plain_of

REPLIES = [
    (attention_pb2.FocusReply, working_set.focus),
    (attention_pb2.CheckReply, evaluation.check),
    (attention_pb2.StatusReply, working_set.status),
    (attention_pb2.TouchReply, turns.touch),
    (attention_pb2.ResolveReply, turns.resolve),
    (attention_pb2.PinReply, turns.pinned),
    (attention_pb2.UnpinReply, turns.unpin),
    (attention_pb2.EvictReply, turns.evict),
    (attention_pb2.ResetContextReply, turns.reset),
    (attention_pb2.UndoRefocusReply, turns.undo),
    (attention_pb2.CloseRequestReply, turns.close),
    (attention_pb2.ForkReply, succession.forked),
    (attention_pb2.HandoffReply, succession.handed),
    (attention_pb2.ForgetReply, succession.forgotten),
    (attention_pb2.ExplainReply, receipts.explained),
    (attention_pb2.ReplayReply, receipts.replayed),
    (operator_pb2.CollectReply, operator.collected),
    (corpus_pb2.RemoveReply, corpus.remove),
    (corpus_pb2.GetReply, corpus.get),
    (corpus_pb2.ListReply, corpus.list_page),
    (corpus_pb2.DescribeNamespaceReply, corpus.namespace),
    (corpus_pb2.AddSourceReply, sources.added),
    (corpus_pb2.RemoveSourceReply, sources.removed),
    (corpus_pb2.ListSourcesReply, sources.listed),
]


@pytest.mark.parametrize(("reply", "read"), REPLIES, ids=lambda each: getattr(each, "__name__", ""))
def test_each_field_of_a_reply_is_read(reply: type[Message], read: Any) -> None:
    message = filled(reply)
    assert as_plain(read(message)) == plain_of(message)


def test_each_reply_of_the_services_is_covered() -> None:
    methods = [
        method
        for file in (attention_pb2, corpus_pb2, operator_pb2)
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]
    covered = {reply.DESCRIPTOR.name for reply, _ in REPLIES} | {"IngestReply"}
    assert {method.output_type.name for method in methods} == covered


@pytest.mark.parametrize("event", ["progress", "acknowledged", "summary"])
def test_each_field_of_an_ingest_event_is_read(event: str) -> None:
    kind = {
        "progress": corpus_pb2.IngestProgress,
        "acknowledged": corpus_pb2.IngestAcknowledged,
        "summary": corpus_pb2.IngestSummary,
    }[event]
    inner = filled(kind)
    reply = corpus_pb2.IngestReply(**{event: inner})
    assert as_plain(ingest.read_event(reply.SerializeToString())) == plain_of(inner)


def test_an_empty_reply_reads_as_unspecified_and_none() -> None:
    answer = working_set.focus(attention_pb2.FocusReply())
    assert (answer.answer, answer.over_budget, answer.filtering_reason) == (types.Answer.UNSPECIFIED, None, None)
    assert (answer.check, answer.status, answer.items, answer.block) == (None, None, (), "")


def test_each_word_of_the_protocol_has_its_word_here() -> None:
    wire = {
        name: [value.name.removeprefix(each.values[0].name.removesuffix("UNSPECIFIED")) for value in each.values]
        for file in (attention_pb2, common_pb2, corpus_pb2)
        for name, each in file.DESCRIPTOR.enum_types_by_name.items()
    }
    ours = {name: [word.name for word in getattr(types, name)] for name in wire}
    assert ours == wire


def test_words_are_their_names_in_lower_case() -> None:
    enums = [each for each in vars(types).values() if isinstance(each, type) and issubclass(each, Enum)]
    assert all(word.value == word.name.lower() for each in enums for word in each)


def test_a_number_of_a_newer_daemon_reads_as_unspecified() -> None:
    assert words.TIER.read(99) is types.Tier.UNSPECIFIED


def _set_fields(message: Message) -> set[str]:
    return {each.name for each, _ in message.ListFields()}


def _parsed(kind: type[Message], payload: bytes) -> Any:
    message = kind()
    message.ParseFromString(payload)
    return message


USE = types.Use("r", "n", "p", types.Lines(1, 2), types.UseAction.EDIT)
SEEN = types.Observation(types.ObservationKind.TOOL_CALL, "cat shop/refund.py", "shell")
CUT = types.Cut((types.NamespaceGeneration("n", 1),))
HINTS = types.Hints(["c"], ["o"], ["r"], "d", [types.BranchCommit("m", ["p"])])
REQUESTS = [
    (
        attention_pb2.FocusRequest,
        lambda: attention_calls.focus(
            "a", "g", budget_tokens=1, namespaces=["n"], mode=types.FocusMode.SET, top_k=1, delta_only=True,
            profile="p", at_least_generation=1, received_turn=1, user_request="u", page_in=types.PageIn.OFF,
            hints=HINTS, repeat_id="i",
        ),
    ),
    (
        attention_pb2.CheckRequest,
        lambda: attention_calls.check("a", "g", namespaces=["n"], budget_tokens=1, top_k=1, profile="p"),
    ),
    (attention_pb2.StatusRequest, lambda: attention_calls.status("a")),
    (
        attention_pb2.TouchRequest,
        lambda: attention_calls.touch("a", [USE], observed=[SEEN], keep_history=True, repeat_id="i"),
    ),
    (
        attention_pb2.ResolveRequest,
        lambda: attention_calls.resolve(["r"], agent="a", cut=CUT, offset_bytes=1, max_bytes=1),
    ),
    (
        attention_pb2.PinRequest,
        lambda: attention_calls.pin(
            "a", ref="r", words_to_pin="t", reason="w", expires_turns=1, expires_with_epoch=True, expires_seconds=1,
            follow_successor=True, owner=types.PinOwner.HOST, repeat_id="i",
        ),
    ),
    (attention_pb2.UnpinRequest, lambda: attention_calls.unpin("a", "r", "i")),
    (attention_pb2.EvictRequest, lambda: attention_calls.evict("a", ["r"], "w", "i")),
    (attention_pb2.ResetContextRequest, lambda: attention_calls.reset_context("a", "w", "i")),
    (attention_pb2.UndoRefocusRequest, lambda: attention_calls.undo_refocus("a", "i")),
    (attention_pb2.CloseRequestRequest, lambda: attention_calls.close_request("a", "i")),
    (attention_pb2.ForkRequest, lambda: succession.fork("a", "b", "i")),
    (attention_pb2.HandoffRequest, lambda: succession.handoff("a", "b", "i")),
    (attention_pb2.ForgetRequest, lambda: succession.forget("a")),
    (attention_pb2.ExplainRequest, lambda: receipts.explain("a", 1, "a/1")),
    (attention_pb2.ReplayRequest, lambda: receipts.replay("a", 1, "a/1")),
    (corpus_pb2.RemoveRequest, lambda: corpus_calls.remove("n", refs=["r"], source="s", path="p", repeat_id="i")),
    (corpus_pb2.GetRequest, lambda: corpus_calls.get("r", CUT)),
    (
        corpus_pb2.ListRequest,
        lambda: corpus_calls.list_page("n", kind="k", path_prefix="p", page_size=1, cursor="c"),
    ),
    (corpus_pb2.DescribeNamespaceRequest, lambda: corpus_calls.describe_namespace("n")),
    (corpus_pb2.AddSourceRequest, lambda: sources.add("n", "/src")),
    (corpus_pb2.RemoveSourceRequest, lambda: sources.remove("n", "/src", keep_records=True)),
    (corpus_pb2.ListSourcesRequest, lambda: sources.list_sources("n")),
]  # fmt: skip


@pytest.mark.parametrize(("request_kind", "make"), REQUESTS, ids=lambda each: getattr(each, "__name__", ""))
def test_each_field_of_a_request_can_be_set_and_goes_to_an_existing_method(request_kind: Any, make: Any) -> None:
    call = make()
    sent = _parsed(request_kind, call.payload)
    assert _set_fields(sent) == {each.name for each in request_kind.DESCRIPTOR.fields}
    _, service, method = call.path.split("/")
    file = attention_pb2 if service.endswith("Attention") else corpus_pb2
    described = file.DESCRIPTOR.services_by_name[service.removeprefix("hotset.v1.")].methods_by_name[method]
    assert described.input_type.name == request_kind.DESCRIPTOR.name


def test_each_request_of_the_attention_service_is_covered() -> None:
    methods = attention_pb2.DESCRIPTOR.services_by_name["Attention"].methods
    made = {kind.DESCRIPTOR.name for kind, _ in REQUESTS}
    assert {method.input_type.name for method in methods} <= made


def test_each_field_of_a_use_an_observation_an_edge_and_a_record_is_sent() -> None:
    touch = attention_calls.touch("a", [USE], observed=[SEEN], keep_history=False, repeat_id="i")
    sent = _parsed(attention_pb2.TouchRequest, touch.payload)
    assert _set_fields(sent.uses[0]) == {each.name for each in attention_pb2.Use.DESCRIPTOR.fields}
    assert _set_fields(sent.observed[0]) == {each.name for each in attention_pb2.Observation.DESCRIPTOR.fields}
    record = types.RecordInput("text", "id", "kind", "title", {"key": "value"}, "origin", 1, 2, 3, 4, "v1")
    edge = types.EdgeInput("x", "relation", "y", types.RelationRole.OPPOSING)
    ticket = ingest.ticket("n", "s", "i")
    settings = hotset.ClientSettings()
    header, batch = ingest.records(ticket, [record], [edge], completes_source=True, settings=settings).payloads()
    head = _parsed(corpus_pb2.IngestRequest, header).header
    assert (head.namespace, head.source, head.request_id) == ("n", "s", "i")
    sent = _parsed(corpus_pb2.IngestRequest, batch).batch
    assert sent.completes_source
    assert _set_fields(sent.records[0]) == {each.name for each in corpus_pb2.RecordInput.DESCRIPTOR.fields}
    assert _set_fields(sent.edges[0]) == {each.name for each in corpus_pb2.EdgeInput.DESCRIPTOR.fields}


@pytest.mark.parametrize("until", ["before_generation", "older_than_seconds"])
@pytest.mark.parametrize("value", [0, 7])
def test_a_collection_says_until_where_in_one_way(until: str, value: int) -> None:
    named = {"before_generation": None, "older_than_seconds": None, until: value}
    call = operator.collect("n", dry_run=True, **named)
    sent = _parsed(operator_pb2.CollectRequest, call.payload)
    assert (sent.namespace, sent.WhichOneof("until"), getattr(sent, until), sent.dry_run) == ("n", until, value, True)
    assert call.path == "/hotset.v1.Operator/Collect"


def test_the_health_call_is_the_standard_one() -> None:
    from grpc_health.v1 import health_pb2

    for service in ("", "hotset.v1.Attention"):
        assert health.health(service).payload == health_pb2.HealthCheckRequest(service=service).SerializeToString()
    for name, number in health_pb2.HealthCheckResponse.ServingStatus.items():
        payload = health_pb2.HealthCheckResponse(status=number).SerializeToString()
        assert health.health("").decode(payload) is types.Health[name]
    with pytest.raises(hotset.DaemonFault):
        health.health("").decode(b"\x12\x00")


@pytest.mark.parametrize("spoken", ["", "hotset.v1", "v1", "1", "1.7", "hotset.v1.2", "unheard-of"])
def test_a_protocol_of_the_same_major_version_is_understood(spoken: str) -> None:
    shared.require_protocol(spoken, "0.1.0")


@pytest.mark.parametrize("spoken", ["hotset.v2", "2", "2.0", "v10"])
def test_another_major_version_is_a_mismatch(spoken: str) -> None:
    with pytest.raises(hotset.VersionMismatch, match="upgrade"):
        shared.require_protocol(spoken, "9.0")


def test_a_reply_that_is_not_one_is_the_daemons_fault() -> None:
    with pytest.raises(hotset.DaemonFault, match="StatusReply"):
        attention_calls.status("a").decode(b"\xff\xff\xff")
