"""A deadline as a value: when work must stop, read from a clock that the caller injects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from retrieval.errors import DeadlinePassed


def never() -> bool:
    """Return False: the caller does not cancel."""
    return False


@dataclass(frozen=True, slots=True)
class Deadline:
    """The second `at_seconds` of the monotonic clock `now`; `cancelled` says whether the caller gave up before it."""

    at_seconds: float
    now: Callable[[], float]
    cancelled: Callable[[], bool] = never

    def remaining(self) -> float:
        """Seconds left; negative once it has passed."""
        return self.at_seconds - self.now()

    def over(self) -> bool:
        """True once it has passed or the caller has cancelled."""
        return self.cancelled() or self.remaining() <= 0.0

    def check(self) -> None:
        """Raise DeadlinePassed where the work must stop."""
        if self.cancelled():
            raise DeadlinePassed("the caller cancelled")
        if self.remaining() <= 0.0:
            raise DeadlinePassed("the deadline ran out")

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and one `seconds` from now."""
        return replace(self, at_seconds=min(self.at_seconds, self.now() + seconds))
