"""The only clock: everything else is given the time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Two clocks: one that only moves forward, for deadlines, and the calendar's, for validity."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never falling."""
        ...

    def now_seconds(self) -> int:
        """Whole seconds since 1970."""
        ...


class SystemClock:
    """The machine's clocks."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never falling."""
        return time.monotonic()

    def now_seconds(self) -> int:
        """Whole seconds since 1970."""
        return int(time.time())
