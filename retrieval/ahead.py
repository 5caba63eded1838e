"""Work begun before its result is needed, on threads beside its caller's.

The model and the indexes take most of a search's time and none of Python's, so on two cores they cost little more than
what else is to be done meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_THREADS: Final = 2
"""Guess: more at once than cores would only wait for one another."""


class Begun(Generic[T]):
    """One piece of work, under way or waiting for a thread."""

    def __init__(self, work: Callable[[], T], future: Future[T]) -> None:
        self._work: Final = work
        self._future: Final = future

    def result(self) -> T:
        """Wait for it, or do it here where no thread has taken it up; raises what it raises."""
        return self._work() if self._future.cancel() else self._future.result()


class Ahead:
    """The threads. Safe from any thread."""

    def __init__(self) -> None:
        self._threads: Final = ThreadPoolExecutor(_THREADS, thread_name_prefix="hotset-ahead")

    def begin(self, work: Callable[[], T]) -> Begun[T]:
        """Begin work that uses nothing but what is safe from any thread."""
        return Begun(work, self._threads.submit(work))
