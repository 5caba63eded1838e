"""Calls that take several requests: Resolve until every text is whole, List until the last page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest

import hotset
from hotset import Cut, NamespaceGeneration
from hotset.v1 import attention_pb2, common_pb2
from tests.rpc.client_fakes import CUT, UNAVAILABLE, Caller, Failure, FakeDaemon, calling, page, record


@pytest.fixture
def daemon() -> Iterator[FakeDaemon]:
    with FakeDaemon() as daemon:
        yield daemon


@pytest.fixture(params=["sync", "async"])
async def call(request: pytest.FixtureRequest, daemon: FakeDaemon) -> AsyncIterator[Caller]:
    async with calling(request.param, daemon) as caller:
        yield caller


async def test_resolve_returns_everything_at_one_cut(call: Caller, daemon: FakeDaemon) -> None:
    daemon.script["Resolve"] += [
        attention_pb2.ResolveReply(
            records=[record("shop:a", "one"), record("shop:b", "tw", 2)], remaining=["shop:c"], cut=CUT
        ),
        attention_pb2.ResolveReply(records=[record("shop:b", "o", 3)], cut=CUT),
        attention_pb2.ResolveReply(records=[record("shop:b", "!")], cut=CUT),
        attention_pb2.ResolveReply(records=[record("shop:c", "three")], cut=CUT),
    ]
    answer = await call("resolve", ["shop:a", "shop:b", "shop:c"])
    assert [(each.ref, each.text, each.next_offset_bytes) for each in answer.records] == [
        ("shop:a", "one", 0),
        ("shop:b", "two!", 0),
        ("shop:c", "three", 0),
    ]
    sent = [(list(each.refs), each.offset_bytes, each.HasField("cut")) for each in daemon.requests["Resolve"]]
    assert sent == [
        (["shop:a", "shop:b", "shop:c"], 0, False),
        (["shop:b"], 2, True),
        (["shop:b"], 3, True),
        (["shop:c"], 0, True),
    ]
    assert answer.cut == Cut((NamespaceGeneration("shop", 118),))
    assert answer.cut.at("shop") == 118


async def test_resolve_asks_for_many_refs_in_several_calls(call: Caller, daemon: FakeDaemon) -> None:
    refs = [f"shop:{place}" for place in range(450)]

    def some(request: Any, _: object) -> attention_pb2.ResolveReply:
        return attention_pb2.ResolveReply(
            records=[record(each, "t") for each in request.refs[:150]], remaining=request.refs[150:], cut=CUT
        )

    daemon.script["Resolve"] += [some] * 4
    answer = await call("resolve", refs)
    assert [each.ref for each in answer.records] == refs
    assert [len(each.refs) for each in daemon.requests["Resolve"]] == [200, 200, 150]
    assert [each.HasField("cut") for each in daemon.requests["Resolve"]] == [False, True, True]


async def test_resolve_sends_a_cut_only_where_it_reads_the_namespace(call: Caller, daemon: FakeDaemon) -> None:
    def at(namespace: str, generation: int) -> common_pb2.Cut:
        one = common_pb2.NamespaceGeneration(namespace=namespace, generation=generation)
        return common_pb2.Cut(generations=[one])

    daemon.script["Resolve"] += [
        attention_pb2.ResolveReply(records=[record("shop:a", "x")], remaining=["lib:b", "shop:c"], cut=CUT),
        attention_pb2.ResolveReply(records=[record("lib:b", "x")], cut=at("lib", 7)),
        attention_pb2.ResolveReply(records=[record("shop:c", "x")], cut=CUT),
    ]
    answer = await call("resolve", ["shop:a", "lib:b", "shop:c"])
    assert [each.ref for each in answer.records] == ["shop:a", "lib:b", "shop:c"]
    assert answer.cut == Cut((NamespaceGeneration("lib", 7), NamespaceGeneration("shop", 118)))
    assert [each.HasField("cut") for each in daemon.requests["Resolve"]] == [False, False, True]


@pytest.mark.parametrize(
    "replies",
    [
        [attention_pb2.ResolveReply(remaining=["s:a"])],
        [
            attention_pb2.ResolveReply(records=[record("s:a", "x", 1)]),
            attention_pb2.ResolveReply(records=[record("s:a", "x", 1)]),
        ],
        [attention_pb2.ResolveReply(records=[record("s:a", "x", 1)]), attention_pb2.ResolveReply()],
    ],
)
async def test_resolve_does_not_go_round_in_circles(call: Caller, daemon: FakeDaemon, replies: list[Any]) -> None:
    daemon.script["Resolve"] += replies
    with pytest.raises(hotset.DaemonFault, match="no progress"):
        await call("resolve", ["s:a"])


async def test_list_records_follows_cursors_to_the_end(call: Caller, daemon: FakeDaemon) -> None:
    daemon.script["List"] += [page(["a", "b"], "1"), page([], "2"), UNAVAILABLE, page(["c"], "")]
    assert [each.ref for each in await call("list_records", "shop", kind="function", page_size=2)] == ["a", "b", "c"]
    assert [each.cursor for each in daemon.requests["List"]] == ["", "1", "2", "2"]
    assert {(each.kind, each.page_size) for each in daemon.requests["List"]} == {("function", 2)}


async def test_a_stale_cursor_is_a_conflict(call: Caller, daemon: FakeDaemon) -> None:
    stale = Failure(grpc.StatusCode.ABORTED, "the list changed", common_pb2.ErrorReason(reason="STALE_CURSOR"))
    daemon.script["List"] += [page(["a"], "1"), stale]
    with pytest.raises(hotset.StaleCursor):
        await call("list_records", "shop")
