"""Deadlines, retries and autostart, driven step by step with a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotset import (
    AutostartFailed,
    ClientSettings,
    DaemonFault,
    DaemonNotRunning,
    DeadlineExceeded,
    Health,
    HotsetError,
    OverLimits,
    RetrySettings,
    StartSettings,
    Unavailable,
)
from hotset._conduct import Attempt, Conduct, Pause, Start, Steps
from hotset._spawn import HOME_IS_TAKEN
from hotset._wire.call import Call
from hotset.address import Endpoint

HOME = Path("/home/of/daemon")
SETTINGS = ClientSettings(timeout_seconds=10, retry=RetrySettings(4, 0.1, 2.0, 10.0, 0.5))
READ: Call[str] = Call("/read", b"", bytes.decode, repeatable=True)
WRITE: Call[str] = Call("/write", b"", bytes.decode, repeatable=False)


def down() -> HotsetError:
    return DaemonNotRunning("nobody there", status="UNAVAILABLE")


def lost() -> HotsetError:
    return Unavailable("the connection was lost", status="UNAVAILABLE")


class Process:
    """A started daemon that exits when told."""

    def __init__(self, log: Path = Path("/log")) -> None:
        self.exited: int | None = None
        self.log = log

    def exit_status(self) -> int | None:
        return self.exited

    def last_words(self, lines: int) -> str:
        return "the store is broken"


class World:
    """Performs effects: attempts take no time unless they say so, pauses move the clock."""

    def __init__(self, results: list[Any], *, autostart: bool = False, home: Path | None = HOME) -> None:
        self.time = 100.0
        self.results = results
        self.process = Process()
        self.seen: list[Any] = []
        endpoint = Endpoint("unix:/socket", home)
        self.conduct = Conduct(endpoint, autostart, lambda: self.time, lambda: 0.0, SETTINGS)

    def drive(self, steps: Steps[Any]) -> Any:
        try:
            effect = next(steps)
            while True:
                self.seen.append(effect)
                outcome = self.perform(effect)
                effect = steps.throw(outcome) if isinstance(outcome, Exception) else steps.send(outcome)
        except StopIteration as done:
            return done.value

    def perform(self, effect: Any) -> Any:
        match effect:
            case Pause():
                self.time += effect.seconds
                return None
            case Start():
                return self.process
            case Attempt():
                result = self.results.pop(0) if len(self.results) > 1 else self.results[0]
                return result(self) if isinstance(result, Callable) else result

    @property
    def pauses(self) -> list[float]:
        return [round(each.seconds, 6) for each in self.seen if isinstance(each, Pause)]

    @property
    def attempts(self) -> list[Attempt[Any]]:
        return [each for each in self.seen if isinstance(each, Attempt)]


def test_a_call_that_succeeds_is_made_once_with_the_whole_deadline() -> None:
    world = World(["answer"])
    assert world.drive(world.conduct.run(READ, None)) == "answer"
    assert world.seen == [Attempt(READ, 10.0)]


def test_a_repeatable_call_is_repeated_with_growing_pauses_and_what_is_left_of_the_deadline() -> None:
    world = World([lost(), lost(), lost(), "answer"])
    assert world.drive(world.conduct.run(READ, None)) == "answer"
    assert world.pauses == [0.1, 0.2, 0.4]
    assert [round(each.timeout_seconds, 6) for each in world.attempts] == [10.0, 9.9, 9.7, 9.3]


def test_attempts_are_bounded() -> None:
    error = lost()
    world = World([error])
    with pytest.raises(Unavailable) as raised:
        world.drive(world.conduct.run(READ, None))
    assert raised.value is error
    assert len(world.attempts) == SETTINGS.retry.attempts


def test_jitter_only_shortens_pauses() -> None:
    world = World([lost(), "answer"])
    unlucky = Conduct(world.conduct.endpoint, False, lambda: world.time, lambda: 0.999999, SETTINGS)
    world.drive(unlucky.run(READ, None))
    assert world.pauses == [pytest.approx(0.05, abs=1e-4)]


def test_a_pause_that_would_reach_the_deadline_is_not_taken() -> None:
    world = World([lost()])
    with pytest.raises(Unavailable):
        world.drive(world.conduct.run(READ, 0.15))
    assert world.pauses == [0.1]


@pytest.mark.parametrize("error", [lost(), down()])
def test_a_write_without_an_id_is_never_repeated(error: HotsetError) -> None:
    world = World([error, "answer"])
    with pytest.raises(Unavailable):
        world.drive(world.conduct.run(WRITE, None))
    assert len(world.attempts) == 1


@pytest.mark.parametrize(
    "error", [DeadlineExceeded("late", status="DEADLINE_EXCEEDED"), DaemonFault("broken", status="INTERNAL")]
)
def test_other_errors_are_never_repeated(error: HotsetError) -> None:
    world = World([error, "answer"])
    with pytest.raises(type(error)):
        world.drive(world.conduct.run(READ, None))
    assert len(world.attempts) == 1


def test_a_standing_condition_is_not_repeated() -> None:
    world = World([Unavailable("read-only", reason="READ_ONLY_STORE", status="FAILED_PRECONDITION"), "answer"])
    with pytest.raises(Unavailable):
        world.drive(world.conduct.run(READ, None))
    assert len(world.attempts) == 1


def test_a_deadline_that_ran_out_is_an_error_before_anything_is_sent() -> None:
    world = World(["answer"])
    with pytest.raises(DeadlineExceeded):
        world.drive(world.conduct.run(READ, 0))
    assert world.seen == []


def test_a_request_too_large_is_refused_before_anything_is_sent() -> None:
    world = World(["answer"])
    big: Call[str] = Call("/read", bytes(SETTINGS.message_bytes + 1), bytes.decode, repeatable=True)
    with pytest.raises(OverLimits) as raised:
        world.drive(world.conduct.run(big, None))
    assert "send less" in raised.value.what_to_do
    assert world.seen == []


def test_autostart_starts_once_waits_for_health_and_repeats_even_a_write() -> None:
    world = World([down(), down(), Health.NOT_SERVING, Health.SERVING, "answer"], autostart=True)
    assert world.drive(world.conduct.run(WRITE, None)) == "answer"
    assert [each for each in world.seen if isinstance(each, Start)] == [Start(HOME)]
    assert world.pauses == [0.02, 0.04]


def test_without_autostart_nothing_is_started() -> None:
    world = World([down()])
    with pytest.raises(DaemonNotRunning):
        world.drive(world.conduct.run(READ, None))
    assert not [each for each in world.seen if isinstance(each, Start)]


def test_the_loser_of_a_race_connects_to_the_winner() -> None:
    def lose(world: World) -> HotsetError:
        world.process.exited = HOME_IS_TAKEN
        return down()

    world = World([down(), lose, down(), Health.SERVING, "answer"], autostart=True)
    assert world.drive(world.conduct.run(READ, None)) == "answer"


@pytest.mark.parametrize(("status", "waited"), [(HOME_IS_TAKEN, StartSettings().grace_seconds), (1, 0.0), (-9, 0.0)])
def test_a_daemon_that_exits_and_leaves_nobody_is_reported_with_its_words(status: int, waited: float) -> None:
    world = World([down()], autostart=True)
    world.process.exited = status
    with pytest.raises(AutostartFailed, match=rf"exited with status {status}; it said: the store is broken"):
        world.drive(world.conduct.run(READ, None))
    assert world.time - 100 == pytest.approx(waited, abs=0.5)


def test_a_daemon_that_never_gets_ready_ends_with_the_deadline() -> None:
    world = World([down(), Health.NOT_SERVING], autostart=True)
    with pytest.raises(AutostartFailed, match="was not ready before the deadline"):
        world.drive(world.conduct.run(READ, 2))
    assert world.time <= 102


def test_autostart_needs_an_address_that_belongs_to_a_home() -> None:
    world = World([down()], autostart=True, home=None)
    with pytest.raises(DaemonNotRunning, match=r"run/hotsetd\.sock"):
        world.drive(world.conduct.run(READ, None))


def test_wait_ready_polls_until_the_daemon_serves() -> None:
    world = World([down(), Health.NOT_SERVING, Health.SERVING])
    world.drive(world.conduct.wait_ready(None))
    assert world.pauses == [0.02, 0.04]


@pytest.mark.parametrize(("refusal", "kind"), [(down(), DaemonNotRunning), (Health.NOT_SERVING, Unavailable)])
def test_wait_ready_says_why_at_the_deadline(refusal: Any, kind: type[HotsetError]) -> None:
    world = World([refusal])
    with pytest.raises(kind):
        world.drive(world.conduct.wait_ready(1))
    assert world.time <= 101
