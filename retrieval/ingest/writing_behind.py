"""Writing a batch while the next one is made: the disk and the store's writer are waited for beside parsing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from retrieval.store.interface import Store, WriteTransaction
from workingset.vocabulary import TenantId

T = TypeVar("T")


class WritingBehind(Generic[T]):
    """At most one batch is under way, so that what waits in memory is bounded. Used by one thread; close it at the
    end."""

    def __init__(self, store: Store, tenant: TenantId) -> None:
        self._store = store
        self._tenant = tenant
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hotset-ingest-write")
        self._under_way: Future[T] | None = None

    def write(self, job: Callable[[WriteTransaction], T]) -> T | None:
        """Begin to write; returns what the batch before gave, None where there was none, and raises what it raised."""
        before = self.settle()
        self._under_way = self._thread.submit(self._store.write, self._tenant, job)
        return before

    def settle(self) -> T | None:
        """Wait for what is under way; returns what it gave, None where nothing is, and raises what it raised."""
        under_way, self._under_way = self._under_way, None
        return None if under_way is None else under_way.result()

    def close(self) -> None:
        """Wait for what is under way, whatever becomes of it."""
        self._thread.shutdown(wait=True)
