"""The shell's small parts: queues, workers, the lock, configuration, logs that hold no text."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from hotsetd.config import Home, JobSettings, Settings, load, settings_from
from hotsetd.errors import AlreadyRunning, BadConfiguration, Overloaded, Stopping
from hotsetd.instance_lock import InstanceLock
from hotsetd.interceptors import clipped
from hotsetd.jobs import Jobs
from hotsetd.queues import AgentQueues
from hotsetd.server import prepare_home, tcp_address
from hotsetd.telemetry import configure
from hotsetd.work import Workers
from retrieval.deadline import Deadline
from retrieval.index.follower import Advanced
from tests.daemon_room import Silence, StillClock, note, opened

KEY = ("default", "dev")


async def test_calls_of_one_agent_take_turns_and_too_many_are_refused() -> None:
    queues = AgentQueues(waiting_calls=2)
    inside: list[str] = []
    go = asyncio.Event()

    async def call(name: str) -> None:
        async with queues.turn(KEY):
            inside.append(name)
            await go.wait()

    calls = [asyncio.create_task(call(name)) for name in "abc"]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        async with queues.turn(KEY):
            pass
    assert inside == ["a"]
    async with queues.turn(("default", "other")):
        assert queues.under_way == 4
    go.set()
    await asyncio.gather(*calls)

    assert inside == ["a", "b", "c"]
    assert queues.under_way == 0


async def test_a_cancelled_call_is_waited_for_before_the_next_may_begin() -> None:
    failures: list[BaseException] = []
    workers = Workers(1, "test", StillClock(), 60.0, failures.append)
    entered, leave = threading.Event(), threading.Event()
    seen: list[bool] = []

    def work(deadline: Deadline) -> None:
        entered.set()
        leave.wait(10)
        seen.append(deadline.over())

    task = asyncio.create_task(workers.run(None, work))
    await asyncio.to_thread(entered.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    leave.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert seen == [True]
    assert failures == []
    workers.stop()
    with pytest.raises(Stopping):
        await workers.run(None, work)


async def test_what_work_raises_after_its_caller_left_is_told_and_not_lost() -> None:
    failures: list[BaseException] = []
    workers = Workers(1, "test", StillClock(), 60.0, failures.append)
    entered, leave = threading.Event(), threading.Event()

    def work(deadline: Deadline) -> None:
        entered.set()
        leave.wait(10)
        raise ValueError("too late")

    task = asyncio.create_task(workers.run(None, work))
    await asyncio.to_thread(entered.wait, 10)
    task.cancel()
    leave.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [str(failure) for failure in failures] == ["too late"]
    workers.stop()


@pytest.mark.parametrize("limit", [3, 4, 10, 11, 1_024])
@pytest.mark.parametrize("text", ["", "short", "x" * 5_000, "退" * 5_000, "a\ud800b" * 2_000])
def test_a_message_is_cut_to_its_bytes_and_stays_text(text: str, limit: int) -> None:
    cut = clipped(text, limit)

    assert len(cut.encode()) <= limit
    assert cut == text or "…" in cut or "?" in cut


def test_a_lock_that_cannot_be_opened_is_the_operators_to_mend(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="home"), InstanceLock(tmp_path):
        pass


def test_a_job_that_fails_unexpectedly_is_logged_and_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path) as room:
        room.records([note("a", "first")])
        log, again = Silence(), threading.Event()
        steps: list[int] = []

        def advance(limit: int) -> Advanced:
            steps.append(limit)
            if len(steps) == 1:
                jobs.wake()
                raise ZeroDivisionError("not expected")
            again.set()
            return Advanced()

        follower = room.parts.follower
        setattr(follower, "advance_lexical", advance)  # noqa: B010 -- the follower is told to fail
        jobs = Jobs(follower, JobSettings(embed_in_background=False), StillClock(), log)
        jobs.start()
        try:
            assert again.wait(10)
        finally:
            jobs.stop()

        assert [values["job"] for event, values in log.events if event == "defect"] == ["lexical"]


def test_the_lock_is_held_by_one_and_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with InstanceLock(path), pytest.raises(AlreadyRunning, match=r"process \d+"), InstanceLock(path):
        pass
    with InstanceLock(path):
        pass


def test_a_home_too_deep_for_a_socket_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    home = Home(tmp_path / ("x" * 120))
    with pytest.raises(BadConfiguration, match="shorter"):
        prepare_home(home)
    assert not home.path.exists()


@pytest.mark.parametrize(
    ("toml", "key"),
    [
        ("[limits]\ngoal_byte = 1", "limits.goal_byte"),
        ("[limits]\ngoal_bytes = 'many'", "limits.goal_bytes"),
        ("limits = 3", "limits"),
        ("[working_set.heat]\nhalf_life_turns = []", "working_set.heat.half_life_turns"),
        ("[retrieval.relevance]\nfloor = 0.0", "retrieval.relevance"),
        ("tokenizer = ", ""),
        ("[server]\nworker_threads = 0", "server.worker_threads"),
        ("[server]\nswitch_interval_seconds = 0.0", "server.switch_interval_seconds"),
        ("[server]\ndefault_deadline_seconds = nan", "server.default_deadline_seconds"),
        ("[server]\ndrain_seconds = -1.0", "server.drain_seconds"),
        ('[server]\ntenant = ""', "server.tenant"),
        ('[server]\ntenant = "a\\u0000b"', "server.tenant"),
        ("[limits]\nmessage_bytes = -5", "limits.message_bytes"),
        ("[jobs]\nembed_nice = 20", "jobs.embed_nice"),
        ("[jobs]\nlexical_changes = 0", "jobs.lexical_changes"),
        ("[retrieval.fusion]\nrank_constant = inf", "retrieval.fusion"),
    ],
)
def test_a_bad_key_is_named(tmp_path: Path, toml: str, key: str) -> None:
    path = tmp_path / "hotsetd.toml"
    path.write_text(toml)
    with pytest.raises(BadConfiguration) as caught:
        load(path)
    assert key in str(caught.value)


def test_a_good_key_is_taken_and_the_rest_are_defaults() -> None:
    settings = settings_from(Settings, {"limits": {"goal_bytes": 10}, "tokenizer": "cl100k_base"}, "")

    assert settings.limits.goal_bytes == 10
    assert settings.tokenizer == "cl100k_base"
    assert settings.server == Settings().server


@pytest.mark.parametrize("address", ["0.0.0.0:1", "example.org:1", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999"])
def test_only_the_loopback_is_bound(address: str) -> None:
    with pytest.raises(BadConfiguration):
        tcp_address(settings_from(Settings, {"server": {"tcp_address": address}}, "").server)


def test_logs_hold_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    log = configure(settings_from(Settings, {"log": {"json_lines": True}}, "").log)
    log.info("call", goal="our secret plan", turn=3)

    written = capsys.readouterr().err
    assert "secret" not in written
    assert '"turn": 3' in written


def test_results_that_nothing_closes_over_are_not_asked_for(tmp_path: Path) -> None:
    settings = settings_from(Settings, {"retrieval": {"closure": {"candidates": 5}}}, "")
    with pytest.raises(BadConfiguration, match="top_k_limit_results"), opened(tmp_path, settings):
        pass
