"""Every call of both clients against a daemon of generated code: what is sent, what comes back, and how errors look."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest

import hotset
from hotset import (
    AsyncHotsetClient,
    Document,
    EdgeInput,
    FocusMode,
    HotsetClient,
    Lines,
    Observation,
    ObservationKind,
    PageIn,
    PinOwner,
    RecordInput,
    Use,
    UseAction,
    as_plain,
)
from hotset.v1 import attention_pb2, common_pb2, corpus_pb2, operator_pb2
from tests.rpc.client_fakes import QUICK, UNAVAILABLE, Caller, Failure, FakeDaemon, calling, filled, plain_of


@pytest.fixture
def daemon() -> Iterator[FakeDaemon]:
    with FakeDaemon() as daemon:
        yield daemon


@pytest.fixture(params=["sync", "async"])
async def call(request: pytest.FixtureRequest, daemon: FakeDaemon) -> AsyncIterator[Caller]:
    async with calling(request.param, daemon) as caller:
        yield caller


CALLS: list[tuple[str, str, tuple[Any, ...], dict[str, Any], type]] = [
    ("focus", "Focus", ("fix refunds",), {"budget_tokens": 4000, "namespaces": ["shop"]}, attention_pb2.FocusReply),
    ("check", "Check", ("fix refunds",), {}, attention_pb2.CheckReply),
    ("status", "Status", (), {}, attention_pb2.StatusReply),
    ("touch", "Touch", ([Use(path="a.py", lines=Lines(1, 2))],), {}, attention_pb2.TouchReply),
    ("resolve_page", "Resolve", (["shop:a"],), {"offset_bytes": 3, "max_bytes": 9}, attention_pb2.ResolveReply),
    ("pin", "Pin", ("shop:a",), {"owner": PinOwner.HOST}, attention_pb2.PinReply),
    ("unpin", "Unpin", ("shop:a",), {}, attention_pb2.UnpinReply),
    ("evict", "Evict", (["shop:a"],), {}, attention_pb2.EvictReply),
    ("reset_context", "ResetContext", (), {"reason": "compacted"}, attention_pb2.ResetContextReply),
    ("undo_refocus", "UndoRefocus", (), {}, attention_pb2.UndoRefocusReply),
    ("close_request", "CloseRequest", (), {}, attention_pb2.CloseRequestReply),
    ("fork", "Fork", ("dev-8",), {}, attention_pb2.ForkReply),
    ("handoff", "Handoff", ("dev-8",), {}, attention_pb2.HandoffReply),
    ("forget", "Forget", (), {}, attention_pb2.ForgetReply),
    ("explain", "Explain", (3,), {}, attention_pb2.ExplainReply),
    ("replay", "Replay", (3,), {}, attention_pb2.ReplayReply),
    ("collect", "Collect", ("shop",), {"before_generation": 7}, operator_pb2.CollectReply),
    ("remove", "Remove", ("shop",), {"path": "a.py"}, corpus_pb2.RemoveReply),
    ("get", "Get", ("shop:a",), {}, corpus_pb2.GetReply),
    ("list_page", "List", ("shop",), {"page_size": 5}, corpus_pb2.ListReply),
    ("describe_namespace", "DescribeNamespace", ("shop",), {}, corpus_pb2.DescribeNamespaceReply),
    ("add_source", "AddSource", ("shop", "/src"), {}, corpus_pb2.AddSourceReply),
    ("remove_source", "RemoveSource", ("shop", "/src"), {"keep_records": True}, corpus_pb2.RemoveSourceReply),
    ("list_sources", "ListSources", (), {}, corpus_pb2.ListSourcesReply),
]
WRITES = {
    "focus", "touch", "pin", "unpin", "evict", "reset_context", "undo_refocus", "close_request", "fork", "handoff",
    "remove",
}  # fmt: skip
ONCE = {"forget", "remove_source"}
CASE = ("name", "method", "given", "named", "reply")
EACH = pytest.mark.parametrize(CASE, CALLS, ids=[each[0] for each in CALLS])
SAFE = pytest.mark.parametrize(CASE, [each for each in CALLS if each[0] not in ONCE])


@EACH
async def test_a_call_sends_its_request_and_returns_the_whole_answer(
    call: Caller, daemon: FakeDaemon, name: str, method: str, given: Any, named: Any, reply: type
) -> None:
    answer = await call(name, *given, **named)
    assert as_plain(answer) == plain_of(filled(reply))
    assert type(answer).__module__.startswith("hotset.types")
    (request,) = daemon.requests[method]
    if "agent" in request.DESCRIPTOR.fields_by_name:
        assert request.agent == "dev-7"
    if name in WRITES:
        assert len(request.request_id) == 32
    (metadata,) = daemon.metadata
    assert metadata["authorization"] == "Bearer secret"
    assert metadata["hotset-protocol"] == "hotset.v1"
    assert metadata["hotset-client"] == hotset.__version__


@SAFE
async def test_a_safe_call_is_repeated_with_the_same_request_while_the_daemon_is_unavailable(
    call: Caller, daemon: FakeDaemon, name: str, method: str, given: Any, named: Any, reply: type
) -> None:
    daemon.script[method] += [UNAVAILABLE, UNAVAILABLE]
    assert as_plain(await call(name, *given, **named)) == plain_of(filled(reply))
    first, second, third = daemon.requests[method]
    assert first == second == third


@EACH
async def test_a_write_without_an_id_is_sent_once(
    call: Caller, daemon: FakeDaemon, name: str, method: str, given: Any, named: Any, reply: type
) -> None:
    if name in WRITES:
        named = named | {"request_id": ""}
    expected = 1 if name in WRITES | ONCE else 2
    daemon.script[method].append(UNAVAILABLE)
    if expected == 1:
        with pytest.raises(hotset.Unavailable):
            await call(name, *given, **named)
    else:
        await call(name, *given, **named)
    assert len(daemon.requests[method]) == expected


@EACH
async def test_the_daemons_reason_becomes_a_typed_error(
    call: Caller, daemon: FakeDaemon, name: str, method: str, given: Any, named: Any, reply: type
) -> None:
    reason = common_pb2.ErrorReason(reason="UNKNOWN_REF", field="ref", what_to_do="list them", request_id="r")
    daemon.script[method].append(Failure(grpc.StatusCode.NOT_FOUND, "no record 'shop:a'", reason))
    with pytest.raises(hotset.UnknownRef, match="no record 'shop:a'") as raised:
        await call(name, *given, **named)
    error = raised.value
    assert (error.field, error.what_to_do, error.request_id, error.status) == ("ref", "list them", "r", "NOT_FOUND")
    assert len(daemon.requests[method]) == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, hotset.BadRequest),
        (grpc.StatusCode.NOT_FOUND, hotset.NotFound),
        (grpc.StatusCode.ABORTED, hotset.Conflict),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, hotset.OverLimits),
        (grpc.StatusCode.PERMISSION_DENIED, hotset.NotAuthorised),
        (grpc.StatusCode.UNAUTHENTICATED, hotset.NotAuthorised),
        (grpc.StatusCode.UNIMPLEMENTED, hotset.VersionMismatch),
        (grpc.StatusCode.CANCELLED, hotset.Cancelled),
        (grpc.StatusCode.INTERNAL, hotset.DaemonFault),
    ],
)
async def test_a_status_alone_is_an_error_of_its_group(
    call: Caller, daemon: FakeDaemon, code: grpc.StatusCode, kind: type[Exception]
) -> None:
    daemon.script["Status"].append(Failure(code))
    with pytest.raises(kind):
        await call("status")


async def test_a_call_that_names_an_agent_is_for_that_agent(call: Caller, daemon: FakeDaemon) -> None:
    await call("status", agent="other")
    assert daemon.requests["Status"][0].agent == "other"


async def test_the_callers_request_id_is_used(call: Caller, daemon: FakeDaemon) -> None:
    await call("focus", "goal", request_id="mine")
    assert daemon.requests["Focus"][0].request_id == "mine"


@pytest.mark.parametrize("mode", [FocusMode.CHECK, FocusMode.STATUS])
async def test_a_reading_mode_of_focus_needs_no_id(call: Caller, daemon: FakeDaemon, mode: FocusMode) -> None:
    daemon.script["Focus"].append(UNAVAILABLE)
    await call("focus", "goal", mode=mode)
    assert [each.request_id for each in daemon.requests["Focus"]] == ["", ""]


async def test_what_a_turn_brings_with_it_is_sent(call: Caller, daemon: FakeDaemon) -> None:
    await call("focus", "goal", user_request="mend the refunds", page_in=PageIn.OFF)
    await call("focus", "goal")
    first, second = daemon.requests["Focus"]
    assert (first.user_request, first.page_in) == ("mend the refunds", attention_pb2.PAGE_IN_OFF)
    assert (second.user_request, second.page_in) == ("", attention_pb2.PAGE_IN_ON)


async def test_observations_are_sent_in_order_and_whole(call: Caller, daemon: FakeDaemon) -> None:
    seen = [
        Observation(ObservationKind.TOOL_CALL, '{"path": "shop/refund.py"}', "read"),
        Observation(ObservationKind.TOOL_OUTPUT, "def issue_refund():\r\n\t…", "read"),
        Observation(ObservationKind.AGENT, "It retries twice."),
    ]
    await call("touch", observed=seen, keep_history=True)
    (request,) = daemon.requests["Touch"]
    assert [(each.kind, each.text, each.tool) for each in request.observed] == [
        (attention_pb2.OBSERVATION_KIND_TOOL_CALL, seen[0].text, "read"),
        (attention_pb2.OBSERVATION_KIND_TOOL_OUTPUT, seen[1].text, "read"),
        (attention_pb2.OBSERVATION_KIND_AGENT, seen[2].text, ""),
    ]
    assert (list(request.uses), request.keep_history) == ([], True)


async def test_the_ends_of_a_pin_are_sent(call: Caller, daemon: FakeDaemon) -> None:
    await call("pin", "shop:a", expires_turns=2, expires_seconds=3600, expires_with_epoch=True, follow_successor=True)
    (request,) = daemon.requests["Pin"]
    assert (request.expires_turns, request.expires_seconds) == (2, 3600)
    assert (request.expires_with_epoch, request.follow_successor) == (True, True)


@pytest.mark.parametrize(("name", "method", "field"), [("fork", "Fork", "child"), ("handoff", "Handoff", "to")])
async def test_who_gets_the_set_is_named(call: Caller, daemon: FakeDaemon, name: str, method: str, field: str) -> None:
    await call(name, "dev-8", agent="other")
    (request,) = daemon.requests[method]
    assert (request.agent, getattr(request, field)) == ("other", "dev-8")


async def test_over_budget_is_an_answer(call: Caller, daemon: FakeDaemon) -> None:
    over = attention_pb2.OverBudget(needed_tokens=9000)
    daemon.script["Focus"].append(attention_pb2.FocusReply(answer=attention_pb2.ANSWER_OVER_BUDGET, over_budget=over))
    answer = await call("focus", "goal")
    assert answer.answer is hotset.Answer.OVER_BUDGET
    assert answer.over_budget is not None
    assert answer.over_budget.needed_tokens == 9000


async def test_text_of_every_script_survives(call: Caller, daemon: FakeDaemon) -> None:
    goal = "修复退款 🧾 café\u0000\u202e"
    daemon.script["Focus"].append(attention_pb2.FocusReply(block=goal))
    assert (await call("focus", goal)).block == goal
    assert daemon.requests["Focus"][0].goal == goal


async def test_a_deadline_ends_a_call_and_cancels_it_in_the_daemon(call: Caller, daemon: FakeDaemon) -> None:
    daemon.script["Status"].append(daemon.hang)
    with pytest.raises(hotset.DeadlineExceeded, match="within the deadline"):
        await call("status", timeout_seconds=0.2)
    assert daemon.cancelled.wait(10)
    assert len(daemon.requests["Status"]) == 1


async def test_large_messages_pass_both_ways_and_larger_ones_are_typed_errors(call: Caller, daemon: FakeDaemon) -> None:
    ten = "x" * (10 << 20)
    daemon.script["Focus"].append(attention_pb2.FocusReply(block=ten))
    assert len((await call("focus", ten)).block) == len(ten)
    with pytest.raises(hotset.OverLimits, match="a message may have"):
        await call("focus", "x" * (17 << 20))
    daemon.script["Focus"].append(attention_pb2.FocusReply(block="x" * (17 << 20)))
    with pytest.raises(hotset.OverLimits):
        await call("focus", "goal")


async def test_another_protocol_is_told_apart(call: Caller, daemon: FakeDaemon) -> None:
    newer = common_pb2.Versions(daemon="9.0", protocol="hotset.v2")
    daemon.script["Status"].append(attention_pb2.StatusReply(versions=newer))
    with pytest.raises(hotset.VersionMismatch, match=r"9\.0"):
        await call("handshake")


async def test_the_handshake_names_the_daemon_whether_or_not_it_knows_the_agent(
    call: Caller, daemon: FakeDaemon
) -> None:
    versions = common_pb2.Versions(daemon="0.1.0", protocol="hotset.v1", tokenizer="o200k")
    daemon.script["Status"].append(attention_pb2.StatusReply(versions=versions))
    assert as_plain(await call("handshake"))["tokenizer"] == "o200k"
    daemon.script["Status"].append(Failure(grpc.StatusCode.NOT_FOUND))
    assert (await call("handshake")).protocol == "hotset.v1"


async def test_health_and_readiness(call: Caller, daemon: FakeDaemon) -> None:
    assert await call("health") is hotset.Health.SERVING
    await call("wait_ready")
    with pytest.raises(hotset.NotFound):
        await call("health", "no.such.Service")


async def test_ingest_tree_sends_an_absolute_root_and_yields_progress_and_the_summary(
    call: Caller, daemon: FakeDaemon
) -> None:
    progress, summary = await call("ingest_tree", "shop", "~/code", force=True, source="main")
    assert as_plain(progress) == plain_of(filled(corpus_pb2.IngestProgress))
    assert as_plain(summary) == plain_of(filled(corpus_pb2.IngestSummary))
    ((header, tree),) = daemon.requests["Ingest"]
    assert (header.header.namespace, header.header.source, len(header.header.request_id)) == ("shop", "main", 32)
    assert tree.tree.root.startswith("/")
    assert tree.tree.root.endswith("/code")


async def test_ingest_documents_yields_an_acknowledgement_for_each_batch(call: Caller, daemon: FakeDaemon) -> None:
    documents = (Document(f"{place}.md", b"\xff text") for place in range(5))
    *acknowledged, summary = await call("ingest_documents", "shop", documents, completes_source=True)
    assert [each.sequence for each in acknowledged] == [0, 1, 2]
    assert isinstance(summary, hotset.IngestSummary)
    (messages,) = daemon.requests["Ingest"]
    assert [each.batch.completes_source for each in messages[1:]] == [False, False, True]


async def test_ingest_records_sends_records_and_edges(call: Caller, daemon: FakeDaemon) -> None:
    await call("ingest_records", "shop", [RecordInput("text", id="a")], [EdgeInput("a", "cites", "b")])
    ((_, batch),) = daemon.requests["Ingest"]
    assert (batch.batch.records[0].id, batch.batch.edges[0].to) == ("a", "b")


async def test_an_ingest_of_a_sequence_is_sent_again_whole_under_the_same_id(call: Caller, daemon: FakeDaemon) -> None:
    daemon.script["Ingest"].append(UNAVAILABLE)
    events = await call("ingest_documents", "shop", [Document("a.md", b"")] * 3)
    assert isinstance(events[-1], hotset.IngestSummary)
    first, second = daemon.requests["Ingest"]
    assert first[0].header.request_id == second[0].header.request_id
    assert [each.WhichOneof("step") for each in second] == ["header", "batch", "batch"]


async def test_an_ingest_of_an_iterator_is_not_sent_again(call: Caller, daemon: FakeDaemon) -> None:
    daemon.script["Ingest"].append(UNAVAILABLE)
    with pytest.raises(hotset.Unavailable):
        await call("ingest_documents", "shop", iter([Document("a.md", b"")]))
    assert len(daemon.requests["Ingest"]) == 1


async def test_a_fault_of_the_callers_iterator_is_raised_as_it_is(call: Caller, daemon: FakeDaemon) -> None:
    def documents() -> Iterator[Document]:
        yield Document("a.md", b"")
        raise FileNotFoundError("b.md went away")

    with pytest.raises(FileNotFoundError, match=r"b\.md went away"):
        await call("ingest_documents", "shop", documents(), completes_source=True)
    assert not any(each.batch.completes_source for messages in daemon.requests["Ingest"] for each in messages)


async def test_a_bad_record_in_the_stream_is_a_typed_error(call: Caller, daemon: FakeDaemon) -> None:
    with pytest.raises(hotset.BadRequest) as raised:
        await call("ingest_records", "shop", [RecordInput("fine"), RecordInput("\ud800")])
    assert raised.value.field == "records[1].text"


async def test_an_error_of_an_ingest_is_typed(call: Caller, daemon: FakeDaemon) -> None:
    full = common_pb2.ErrorReason(reason="STORAGE_FULL", what_to_do="free space")
    daemon.script["Ingest"].append(Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", full))
    with pytest.raises(hotset.StorageFull):
        await call("ingest_tree", "shop", "/code")


async def test_where_nothing_listens_calls_say_so(call: Caller) -> None:
    missing = "unix:/nonexistent/run/hotsetd.sock"
    sync = isinstance(call.client, HotsetClient)
    other = Caller((HotsetClient if sync else AsyncHotsetClient)(missing, agent="a", settings=QUICK))
    for name, given in (("status", ()), ("focus", ("goal",)), ("ingest_tree", ("n", "/r"))):
        with pytest.raises(hotset.DaemonNotRunning) as raised:
            await other(name, *given)
        assert "hotset serve" in raised.value.what_to_do
    with pytest.raises(hotset.DaemonNotRunning):
        await other("wait_ready", timeout_seconds=0.1)
    await other("close")


async def test_a_closed_client_says_so(call: Caller) -> None:
    await call("status")
    await call("close")
    for name, given in (("status", ()), ("ingest_tree", ("n", "/r"))):
        with pytest.raises(hotset.Cancelled, match="closed"):
            await call(name, *given)


async def test_cancelling_the_task_cancels_the_call_in_the_daemon(daemon: FakeDaemon) -> None:
    daemon.script["Status"].append(daemon.hang)
    async with AsyncHotsetClient(daemon.address, agent="a") as client:
        task = asyncio.create_task(client.status())
        assert await asyncio.to_thread(daemon.entered.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(daemon.cancelled.wait, 10)


def test_closing_the_client_ends_a_call_of_another_thread(daemon: FakeDaemon) -> None:
    daemon.script["Status"].append(daemon.hang)
    client = HotsetClient(daemon.address, agent="a")
    seen: list[BaseException] = []

    def ask() -> None:
        try:
            client.status()
        except hotset.HotsetError as error:
            seen.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert daemon.entered.wait(10)
    client.close()
    thread.join(10)
    assert [type(each) for each in seen] == [hotset.Cancelled]
    assert daemon.cancelled.wait(10)


def test_threads_share_one_client(daemon: FakeDaemon) -> None:
    with HotsetClient(daemon.address, agent="a") as client:
        threads = [threading.Thread(target=lambda: [client.status() for _ in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(daemon.requests["Status"]) == 80


async def test_a_refusal_while_batches_are_on_their_way_keeps_its_reason(call: Caller, daemon: FakeDaemon) -> None:
    full = common_pb2.ErrorReason(reason="STORAGE_FULL", what_to_do="free space")
    documents = [Document(f"{place}.md", b"x" * 1000) for place in range(40)]
    for _ in range(20):
        daemon.script["Ingest"].append(Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", full))
        with pytest.raises(hotset.StorageFull):
            await call("ingest_documents", "shop", documents)


def endless() -> Iterator[Document]:
    return (Document(f"{place}.md", b"x" * 1000) for place in itertools.count())


def test_leaving_the_loop_ends_an_ingest(daemon: FakeDaemon) -> None:
    with HotsetClient(daemon.address, settings=QUICK) as client:
        for event in client.ingest_documents("shop", endless()):
            assert isinstance(event, hotset.IngestAcknowledged)
            break


async def test_leaving_the_loop_ends_an_async_ingest(daemon: FakeDaemon) -> None:
    async with AsyncHotsetClient(daemon.address, settings=QUICK) as client:
        async with contextlib.aclosing(client.ingest_documents("shop", endless())) as events:
            async for event in events:
                assert isinstance(event, hotset.IngestAcknowledged)
                break
        assert await client.health() is hotset.Health.SERVING


@pytest.mark.parametrize("by", ["task", "close"])
async def test_an_async_ingest_can_be_cancelled_and_closed(daemon: FakeDaemon, by: str) -> None:
    begun = asyncio.Event()
    async with AsyncHotsetClient(daemon.address, settings=QUICK) as client:

        async def follow() -> None:
            async for _ in client.ingest_documents("shop", endless()):
                begun.set()

        task = asyncio.create_task(follow())
        await begun.wait()
        if by == "task":
            task.cancel()
        else:
            await client.close()
        with pytest.raises(asyncio.CancelledError if by == "task" else hotset.Cancelled):
            await task


def test_use_actions_are_sent(daemon: FakeDaemon) -> None:
    with HotsetClient(daemon.address, agent="a") as client:
        client.touch([Use(ref="s:a", action=UseAction.EDIT), Use(namespace="s", path="p", lines=Lines(10, 48))])
    edit, read = daemon.requests["Touch"][0].uses
    assert (edit.ref, edit.action) == ("s:a", attention_pb2.USE_ACTION_EDIT)
    assert (read.path, read.lines.start, read.lines.end, read.action) == ("p", 10, 48, attention_pb2.USE_ACTION_READ)
