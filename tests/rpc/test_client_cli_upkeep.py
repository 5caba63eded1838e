"""The commands `hotset collect` and `hotset replay`: asking before history is deleted, and what the status says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hotset.cli import exits
from hotset.v1 import attention_pb2
from tests.rpc.client_fakes import FakeDaemon, filled
from tests.rpc.test_client_cli import Shell, command


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDaemon]:
    monkeypatch.setenv("COLUMNS", "80")
    with FakeDaemon() as daemon:
        yield daemon


@pytest.fixture
def shell(daemon: FakeDaemon, capsysbinary: pytest.CaptureFixture[bytes]) -> Shell:
    return Shell(daemon, capsysbinary)


def test_collect_asks_before_it_deletes_and_a_dry_run_does_not(daemon: FakeDaemon) -> None:
    process = command(daemon, "collect", "shop", "--before", "7")
    _, err = process.communicate(b"n\n", timeout=60)
    assert process.returncode == exits.ERROR
    assert b"no history was deleted" in err
    assert not daemon.requests["Collect"]

    process = command(daemon, "collect", "--older-than", "0", "--dry-run", "--json")
    process.communicate(timeout=60)
    assert process.returncode == exits.OK
    request = daemon.requests["Collect"][0]
    assert (request.namespace, request.WhichOneof("until"), request.dry_run) == ("", "older_than_seconds", True)


def test_a_replay_that_comes_out_otherwise_is_an_error(shell: Shell, daemon: FakeDaemon) -> None:
    message = filled(attention_pb2.ReplayReply)
    message.verdict = attention_pb2.REPLAY_VERDICT_DIFFERENT
    daemon.script["Replay"].append(message)
    ended = shell("replay", "--turn", "2")
    assert ended.status == exits.ERROR
    assert "decides otherwise now" in ended.out.decode()
    assert "report it" in ended.err


def test_resolve_and_get_read_at_a_generation(shell: Shell, daemon: FakeDaemon) -> None:
    reply = attention_pb2.ResolveReply(records=[attention_pb2.ResolvedRecord(ref="n:a", text="as it was")])
    daemon.script["Resolve"].append(reply)
    assert shell("resolve", "n:a", "m:b", "--at", "7").status == exits.OK
    assert shell("get", "n:a", "--at", "0").status == exits.OK
    cuts = [[(each.namespace, each.generation) for each in daemon.requests[call][0].cut.generations] for call in _CALLS]
    assert cuts == [[("m", 7), ("n", 7)], [("n", 0)]]


_CALLS = ("Resolve", "Get")
