"""The gate that readers pass, so that the map is replaced only when none of them looks at it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class Gate:
    """Counts open snapshots by thread; one caller at a time can wait for them to close.

    Threads that `excused` names (those waiting for the very writer that waits here) are not waited for, and a thread
    that already reads may open more snapshots while others wait: neither can deadlock.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers: dict[int, int] = {}
        self._closed = False

    @contextmanager
    def reading(self) -> Generator[None]:
        """Hold the gate open for the current thread."""
        me = threading.get_ident()
        with self._changed:
            while self._closed and me not in self._readers:
                self._changed.wait()
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                self._changed.notify_all()

    def recheck(self) -> None:
        """Look again at who is excused; called after that has changed."""
        if self._closed:
            with self._changed:
                self._changed.notify_all()

    @contextmanager
    def closed(self, patience_seconds: float, excused: Callable[[], frozenset[int]]) -> Generator[bool]:
        """Keep new readers out and wait for the others; yields False where some are still reading after all."""
        me = threading.get_ident()
        with self._changed:
            while self._closed:
                self._changed.wait()
            self._closed = True
        try:
            with self._changed:
                alone = self._changed.wait_for(
                    lambda: not (self._readers.keys() - excused() - {me}), timeout=patience_seconds
                )
            yield alone
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()
