"""A client that starts its daemon: a stand-in for `hotsetd` that takes a lock and serves on its home's socket."""

from __future__ import annotations

import os
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import hotset
from hotset import AsyncHotsetClient, ClientSettings, HotsetClient, StartSettings
from hotset._spawn import find_daemon, start_daemon

SETTINGS = ClientSettings(timeout_seconds=30, start=StartSettings(grace_seconds=0.2, log_bytes=100))
ROOT = Path(__file__).parents[2]

STAND_IN = f"""#!{sys.executable}
import fcntl, os, signal, sys
from pathlib import Path
assert sys.argv[1] == "--home", sys.argv
home = Path(sys.argv[2])
home.mkdir(parents=True, exist_ok=True)
lock = open(home / "lock", "w")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.stderr.write("another daemon lives in this home\\n")
    sys.exit(3)
sys.path[:0] = [{str(ROOT)!r}]
from tests.rpc.client_fakes import FakeDaemon
with open(home / "pids", "a") as pids:
    pids.write(f"{{os.getpid()}}\\n")
FakeDaemon(home=home).__enter__()
signal.pause()
"""


@dataclass(frozen=True)
class Place:
    """A home for a daemon, and where its program is."""

    home: Path
    program: Path

    @property
    def pids(self) -> list[int]:
        file = self.home / "pids"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def install(self, script: str) -> None:
        self.program.write_text(script)
        self.program.chmod(0o755)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="hotset-", ignore_cleanup_errors=True) as directory:
        program = Path(directory) / "bin" / "hotsetd"
        program.parent.mkdir()
        monkeypatch.setattr(sys, "executable", str(program.parent / "python"))
        monkeypatch.setenv("PATH", "/nowhere")
        place = Place(Path(directory) / "new" / "home", program)
        place.install(STAND_IN)
        yield place
        for pid in place.pids:
            kill(pid)


def kill(pid: int) -> None:
    """Kill a stand-in; one that is gone already is fine."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def test_a_daemon_is_started_apart_from_its_client_and_outlives_it(place: Place) -> None:
    with HotsetClient(home=place.home, agent="a", autostart=True, settings=SETTINGS) as client:
        client.wait_ready()
        client.status()
    (pid,) = place.pids
    assert os.getsid(pid) == pid
    with HotsetClient(home=place.home, agent="a") as second:
        second.status()
    assert stat.S_IMODE(place.home.stat().st_mode) == 0o700
    assert stat.S_IMODE((place.home / "autostart.log").stat().st_mode) == 0o600


async def test_the_async_client_starts_it_too_even_for_a_write_without_an_id(place: Place) -> None:
    async with AsyncHotsetClient(home=place.home, agent="a", autostart=True, settings=SETTINGS) as client:
        await client.focus("goal", request_id="")
    assert len(place.pids) == 1


def test_an_ingest_starts_it(place: Place) -> None:
    with HotsetClient(home=place.home, autostart=True, settings=SETTINGS) as client:
        *_, summary = client.ingest_tree("shop", "/code")
    assert isinstance(summary, hotset.IngestSummary)


def test_two_clients_at_once_end_up_with_one_daemon(place: Place) -> None:
    answers: list[hotset.StatusAnswer] = []
    settings = ClientSettings(timeout_seconds=30)

    def ask() -> None:
        with HotsetClient(home=place.home, agent="a", autostart=True, settings=settings) as client:
            answers.append(client.status())

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 2
    assert len(place.pids) == 1


def test_after_kill_9_the_next_call_starts_it_again(place: Place) -> None:
    with HotsetClient(home=place.home, agent="a", autostart=True, settings=SETTINGS) as client:
        client.status()
        os.kill(place.pids[0], signal.SIGKILL)
        client.status()
    assert len(place.pids) == 2


def test_a_daemon_that_cannot_start_is_reported_with_its_last_words(place: Place) -> None:
    place.install("#!/bin/sh\necho the store is of a newer format >&2\nexit 7\n")
    with (
        HotsetClient(home=place.home, agent="a", autostart=True, settings=SETTINGS) as client,
        pytest.raises(hotset.AutostartFailed, match="status 7; it said: the store is of a newer format") as raised,
    ):
        client.status()
    assert str(place.home / "autostart.log") in raised.value.what_to_do


def test_the_words_of_an_earlier_start_are_not_quoted_and_nobody_waits_for_who_has_failed(place: Place) -> None:
    slow = ClientSettings(timeout_seconds=60, start=StartSettings(grace_seconds=50))
    for mistake in ("the first mistake", "the second mistake"):
        place.install(f"#!/bin/sh\necho {mistake} >&2\nexit 1\n")
        began = time.monotonic()
        with (
            HotsetClient(home=place.home, agent="a", autostart=True, settings=slow) as client,
            pytest.raises(hotset.AutostartFailed, match=f"it said: {mistake}$"),
        ):
            client.status()
        assert time.monotonic() - began < 25


def test_a_program_that_is_not_there_is_reported(place: Place) -> None:
    place.program.unlink()
    with (
        HotsetClient(home=place.home, agent="a", autostart=True, settings=SETTINGS) as client,
        pytest.raises(hotset.AutostartFailed, match="nor on PATH") as raised,
    ):
        client.status()
    assert "pip install ." in raised.value.what_to_do


def test_the_program_beside_the_interpreter_goes_before_the_one_on_path(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(place.program.parent))
    assert find_daemon() == place.program
    monkeypatch.setattr(sys, "executable", "/elsewhere/python")
    assert find_daemon() == place.program


def test_a_home_that_cannot_be_made_is_reported(place: Place) -> None:
    place.home.parent.write_text("a file where a directory should be")
    with pytest.raises(hotset.AutostartFailed, match="cannot start"):
        start_daemon(place.home, SETTINGS.start)


def test_a_log_that_grew_is_put_aside_once(place: Place) -> None:
    place.install("#!/bin/sh\necho new words\n")
    place.home.mkdir(parents=True)
    (place.home / "autostart.log").write_text("old words " * 100)
    started = start_daemon(place.home, SETTINGS.start)
    started.process.wait(10)
    assert started.exit_status() == 0
    assert started.last_words(5) == "new words"
    assert (place.home / "autostart.log.1").read_text().startswith("old words")
