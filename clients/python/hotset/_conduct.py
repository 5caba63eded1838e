"""How calls are made, without making them: deadlines, retries, autostart, pages.

Each use case is a generator that yields effects (`Attempt`, `Pause`, `Start`) and is sent their results. The sync and
the async client perform effects, each in its own way, and decide nothing; so both behave the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from hotset import types as t
from hotset._spawn import HOME_IS_TAKEN, Started
from hotset._wire.call import Call
from hotset._wire.health import health
from hotset.address import Endpoint
from hotset.errors import (
    AutostartFailed,
    BadRequest,
    DaemonNotRunning,
    DeadlineExceeded,
    HotsetError,
    OverLimits,
    Unavailable,
)
from hotset.settings import ClientSettings

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class Attempt(Generic[AnswerT]):
    """Send the call once; the result is its answer, or the error is thrown in."""

    call: Call[AnswerT]
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Start:
    """Start a daemon for the home; the result is a `Started`."""

    home: Path


Effect = Attempt[Any] | Pause | Start
Steps = Generator[Effect, Any, AnswerT]


@dataclass(slots=True)
class Patience:
    """The deadline and the retries that are left to one call."""

    settings: ClientSettings
    now: Callable[[], float]
    chance: Callable[[], float]
    deadline: float
    repeatable: bool
    failures: int = 0

    def remaining(self) -> float:
        """Return the seconds left; raise DeadlineExceeded where none are."""
        left = self.deadline - self.now()
        if left <= 0:
            raise DeadlineExceeded(
                "the deadline ran out before the call was done",
                reason="DEADLINE_EXCEEDED",
                what_to_do="allow more time with timeout_seconds, or ask for less",
            )
        return left

    def pause_after(self, error: HotsetError) -> float:
        """Return how long to wait before the next attempt; raise `error` where there shall be none."""
        retry = self.settings.retry
        self.failures += 1
        if not self.repeatable or error.status != "UNAVAILABLE" or self.failures >= retry.attempts:
            raise error
        longest = min(retry.first_pause_seconds * retry.growth ** (self.failures - 1), retry.longest_pause_seconds)
        pause = longest * (1 - retry.jitter_share * self.chance())
        if self.now() + pause >= self.deadline:
            raise error
        return pause


@dataclass(frozen=True, slots=True)
class Conduct:
    """The rules of one client. `now` counts seconds, `chance` is uniform in [0, 1)."""

    endpoint: Endpoint
    autostart: bool
    now: Callable[[], float]
    chance: Callable[[], float]
    settings: ClientSettings = field(default_factory=ClientSettings)

    def patience(self, timeout_seconds: float | None, *, repeatable: bool, longest: float | None = None) -> Patience:
        """Begin a deadline. None takes `longest`, else the default of the settings."""
        usual = self.settings.timeout_seconds if longest is None else longest
        seconds = usual if timeout_seconds is None else timeout_seconds
        if not math.isfinite(seconds):
            raise BadRequest(
                f"timeout_seconds: {seconds} is no length of time",
                reason="BAD_FIELD",
                field="timeout_seconds",
                what_to_do="give a number of seconds; a large one waits long",
            )
        return Patience(self.settings, self.now, self.chance, self.now() + seconds, repeatable)

    def run(self, call: Call[AnswerT], timeout_seconds: float | None) -> Steps[AnswerT]:
        """Make one call: again where that is safe, and after starting a daemon where that is wished."""
        return self._until(call, self.patience(timeout_seconds, repeatable=call.repeatable))

    def _until(self, call: Call[AnswerT], patience: Patience) -> Steps[AnswerT]:
        if len(call.payload) > self.settings.message_bytes:
            raise OverLimits(
                f"the request has {len(call.payload)} bytes and a message may have {self.settings.message_bytes}",
                reason="MESSAGE_TOO_LARGE",
                what_to_do="send less text in one call",
            )
        started = False
        while True:
            try:
                answer: AnswerT = yield Attempt(call, patience.remaining())
            except DaemonNotRunning as error:
                if self.autostart and not started:
                    started = True
                    yield from self._start(error, patience)
                else:
                    yield Pause(patience.pause_after(error))
            except Unavailable as error:
                yield Pause(patience.pause_after(error))
            else:
                return answer

    def ensure_running(self, patience: Patience) -> Steps[None]:
        """Start a daemon where none answers and autostart is wished. For streams, which cannot do it half-way."""
        if not self.autostart:
            return
        try:
            yield Attempt(health(""), min(patience.remaining(), self.settings.start.health_timeout_seconds))
        except DaemonNotRunning as error:
            yield from self._start(error, patience)
        except HotsetError:
            # Something answers: the stream itself will say what is wrong with it.
            return

    def _start(self, why: DaemonNotRunning, patience: Patience) -> Steps[None]:
        home = self.endpoint.home
        if home is None:
            raise DaemonNotRunning(
                f"{why.message}, and a daemon is started only for an address of the form unix:<home>/run/hotsetd.sock",
                reason=why.reason,
                what_to_do="start the daemon that listens there, or unset $HOTSET_ADDRESS",
                status=why.status,
            )
        started: Started = yield Start(home)
        exited_at: float | None = None
        pause = self.settings.start.first_poll_seconds
        while (yield from self._refusal(patience)) is not None:
            status = started.exit_status()
            if status is not None:
                exited_at = self.now() if exited_at is None else exited_at
                # The loser of two clients' race exits at once, while the winner's daemon is still coming up.
                grace = self.settings.start.grace_seconds if status == HOME_IS_TAKEN else 0.0
                if self.now() - exited_at >= grace:
                    raise self._not_started(started, f"exited with status {status}")
            if self.now() + pause >= patience.deadline:
                raise self._not_started(started, "was not ready before the deadline")
            yield Pause(pause)
            pause = min(pause * 2, self.settings.start.longest_poll_seconds)

    def _refusal(self, patience: Patience) -> Steps[HotsetError | None]:
        """Ask for health; the result is None where the daemon serves, else why it does not."""
        timeout = min(patience.remaining(), self.settings.start.health_timeout_seconds)
        try:
            answer: t.Health = yield Attempt(health(""), timeout)
        except (Unavailable, DeadlineExceeded) as error:
            return error
        if answer is t.Health.SERVING:
            return None
        return Unavailable(
            f"the daemon at {self.endpoint.target} is {answer.value}",
            reason="NOT_READY",
            what_to_do="allow more time with timeout_seconds; if it stays so, look at the daemon's log",
        )

    def _not_started(self, started: Started, what: str) -> AutostartFailed:
        said = started.last_words(self.settings.start.log_tail_lines)
        return AutostartFailed(
            f"the daemon started for {self.endpoint.target} {what}" + (f"; it said: {said}" if said else ""),
            reason="DAEMON_NOT_STARTED",
            what_to_do=f"look at {started.log}, or run `hotset serve` to see it start",
        )

    def wait_ready(self, timeout_seconds: float | None) -> Steps[None]:
        """Wait until the daemon serves, starting it first where that is wished; then raise why it does not."""
        patience = self.patience(timeout_seconds, repeatable=True)
        yield from self.ensure_running(patience)
        pause = self.settings.start.first_poll_seconds
        while (refusal := (yield from self._refusal(patience))) is not None:
            if self.now() + pause >= patience.deadline:
                raise refusal
            yield Pause(pause)
            pause = min(pause * 2, self.settings.start.longest_poll_seconds)

    def in_turn(self, call: Call[AnswerT], patience: Patience) -> Steps[AnswerT]:
        """Make one call of several that share a deadline."""
        patience.failures = 0
        return self._until(call, patience)
