"""Who fills a namespace now: runs that write a namespace's records and edges take turns.

The pass that derives edges reads what it later writes, so that two at once could leave edges of an older state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hotsetd.errors import Stopping
from retrieval.deadline import never
from workingset.vocabulary import Namespace, TenantId

_LOOK_SECONDS = 0.05
_Key = tuple[TenantId, Namespace]


class Filling:
    """A lock for each namespace that is being filled or waited for. Safe from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[_Key, threading.Lock] = {}
        self._inside: dict[_Key, int] = {}

    @contextmanager
    def turn(self, tenant: TenantId, namespace: Namespace, cancelled: Callable[[], bool] = never) -> Generator[None]:
        """Wait for the namespace's turn and hold it; raises Stopping where it was cancelled before."""
        key = (tenant, namespace)
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
            self._inside[key] = self._inside.get(key, 0) + 1
        try:
            while not lock.acquire(timeout=_LOOK_SECONDS):
                if cancelled():
                    raise Stopping(f"given up while {namespace!r} was being filled by another run")
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._guard:
                self._inside[key] -= 1
                if not self._inside[key]:
                    del self._inside[key], self._locks[key]
