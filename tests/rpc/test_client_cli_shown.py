"""What the command line shows: refs whole, shares honest, fields by the names of its own arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from rich.cells import cell_len

from hotset.cli import exits
from hotset.v1 import attention_pb2, common_pb2, corpus_pb2
from tests.rpc.client_fakes import Failure, FakeDaemon
from tests.rpc.test_client_cli import Shell, focus_reply

LONG_REF = "shop:" + "long" * 10


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDaemon]:
    monkeypatch.setenv("COLUMNS", "80")
    with FakeDaemon() as daemon:
        yield daemon


@pytest.fixture
def shell(daemon: FakeDaemon, capsysbinary: pytest.CaptureFixture[bytes]) -> Shell:
    return Shell(daemon, capsysbinary)


@pytest.mark.parametrize("ref", ["shop:igc7c3asfjcc", LONG_REF])
@pytest.mark.parametrize("columns", ["40", "80", "160"])
def test_a_ref_is_never_cut(
    shell: Shell, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch, ref: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    item = attention_pb2.Item(ref=ref, title="a title that is long enough to be cut " * 3, path="a.py")
    omission = attention_pb2.Omission(ref=ref.replace("shop", "left"), title="a title " * 20, why="over budget " * 9)
    reply = focus_reply()
    del reply.items[:], reply.ignored.best[:]
    reply.items.append(item)
    reply.ignored.best.append(omission)
    daemon.script["Focus"].append(reply)
    pin = attention_pb2.Pin(ref=ref.replace("shop", "pin"), title="a title " * 20, reason="because " * 20)
    ghost = attention_pb2.Ghost(ref=ref.replace("shop", "gone"), title="a title " * 20, reason="cold")
    daemon.script["Status"].append(attention_pb2.StatusReply(items=[item], pins=[pin], ghosts=[ghost], ghost_count=1))
    daemon.script["List"].append(corpus_pb2.ListReply(records=[corpus_pb2.StoredRecord(ref=ref, title="t " * 99)]))
    turn, status = shell("focus", "g", "--refs").out.decode(), shell("status", "--refs").out.decode()
    assert {ref, ref.replace("shop", "left")} <= set(turn.split())
    assert {ref, ref.replace("shop", "pin"), ref.replace("shop", "gone")} <= set(status.split())
    assert ref in shell("list", "shop").out.decode().split()
    if columns == "80" and ref != LONG_REF:
        assert all(cell_len(line) <= 80 for line in turn.splitlines() + status.splitlines() if "gone:" not in line)


def test_a_lane_that_is_a_little_behind_is_not_said_to_see_all(shell: Shell, daemon: FakeDaemon) -> None:
    reply = focus_reply()
    del reply.coverage.lanes[:]
    for covered, lag in ((0.9999, 1), (1.0, 3), (0.0001, 0)):
        reply.coverage.lanes.add(lane=f"lane{lag}", state=attention_pb2.LANE_STATE_PARTIAL, covered=covered, lag=lag)
    daemon.script["Focus"].append(reply)
    shown = shell("focus", "the goal").out.decode()
    assert "lane lane1 partial, sees over 99%: 1 change behind" in shown
    assert "lane lane3 partial: 3 changes behind" in shown
    assert "lane lane0 partial, sees under 1%" in shown
    assert "100%" not in shown


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("budget_tokens", "mend --budget"),
        ("uses[0].path", "mend PLACE or --namespace"),
        ("new[1].field", "mend what it names"),
    ],
)
def test_a_field_is_called_what_the_command_line_calls_it(
    shell: Shell, daemon: FakeDaemon, field: str, said: str
) -> None:
    reason = common_pb2.ErrorReason(reason="BAD_FIELD", field=field, what_to_do="mend the named field")
    daemon.script["Focus"].append(Failure(grpc.StatusCode.INVALID_ARGUMENT, f"{field}: is wrong", reason))
    ended = shell("focus", "g")
    assert ended.status == exits.USAGE
    assert ended.err == f"hotset: {field}: is wrong\n  {said} and run it again\n"


def test_adding_a_source_ends_where_it_is_removed_meanwhile(shell: Shell, daemon: FakeDaemon, tmp_path: Path) -> None:
    scanning = corpus_pb2.Source(namespace="n", root=str(tmp_path), state=corpus_pb2.SOURCE_STATE_SCANNING)
    daemon.script["AddSource"].append(corpus_pb2.AddSourceReply(source=scanning))
    daemon.script["ListSources"] += [
        corpus_pb2.ListSourcesReply(sources=[scanning]),
        corpus_pb2.ListSourcesReply(),
    ]
    ended = shell("source", "add", str(tmp_path), "-n", "n")
    assert (ended.status, ended.out) == (exits.ERROR, b"")
    assert "followed no longer" in ended.err
