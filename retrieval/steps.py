"""Times the steps of one projection by the clock of its deadline."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager


class Steps:
    """Milliseconds by step, in the order in which the steps first ended. Lives within one projection."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._milliseconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        """Charge what runs within to `name`."""
        started = self._now()
        try:
            yield
        finally:
            self.add(name, (self._now() - started) * 1000.0)

    def add(self, name: str, milliseconds: float) -> None:
        """Charge a time measured elsewhere."""
        self._milliseconds[name] = self._milliseconds.get(name, 0.0) + milliseconds

    def taken(self) -> tuple[tuple[str, float], ...]:
        """All steps so far."""
        return tuple(self._milliseconds.items())
