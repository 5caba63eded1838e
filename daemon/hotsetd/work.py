"""How a call's blocking work runs: in a thread, under its deadline, and never abandoned half-way.

Where the caller goes away, the work is told through its deadline and waited for, so that an agent's turn is given on
only once nothing works on it any more. What it raises then has nobody to be answered to, and goes to `unclaimed`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hotsetd.clock import Clock
from hotsetd.errors import Stopping
from retrieval.deadline import Deadline

T = TypeVar("T")


class Workers:
    """A bounded pool of threads with a clock. `limit_seconds` holds for callers without a deadline of their own."""

    def __init__(
        self, threads: int, name: str, clock: Clock, limit_seconds: float, unclaimed: Callable[[BaseException], None]
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._clock = clock
        self._limit_seconds = limit_seconds
        self._unclaimed = unclaimed
        self._stopping = False

    async def run(self, remaining_seconds: float | None, work: Callable[[Deadline], T]) -> T:
        """Run the work in a thread and return what it returns; raises what it raises, or Stopping."""
        if self._stopping:
            raise Stopping("the daemon is shutting down")
        gone = threading.Event()
        seconds = self._limit_seconds if remaining_seconds is None else remaining_seconds
        deadline = Deadline(self._clock.monotonic() + seconds, self._clock.monotonic, gone.is_set)
        future = asyncio.get_running_loop().run_in_executor(self._pool, _begun, work, deadline)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            gone.set()
            future.add_done_callback(self._claim)
            await asyncio.wait([future])
            raise

    def _claim(self, future: asyncio.Future[T]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._unclaimed(error)

    def stop(self) -> None:
        """Take nothing new and wait for what runs."""
        self._stopping = True
        self._pool.shutdown(wait=True)


def _begun(work: Callable[[Deadline], T], deadline: Deadline) -> T:
    # Work that waited for a thread until its caller had gone changes nothing.
    deadline.check()
    return work(deadline)
