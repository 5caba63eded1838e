"""Background work: one owner, two threads, a fixed order to stop in.

The lexical thread follows the store's change log as soon as something is written. The vector thread embeds what has no
vector yet, at low priority, deletes vectors that nothing needs, and writes the vector index to its file now and then.
Neither touches a working set.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hotsetd import telemetry
from hotsetd.allocator import release_free_memory
from hotsetd.clock import Clock
from hotsetd.config import JobSettings
from hotsetd.telemetry import Log
from retrieval.errors import RetrievalError
from retrieval.index.follower import Advanced, IndexFollower


class Jobs:
    """The daemon's threads. `wake` after every write to the corpus."""

    def __init__(self, follower: IndexFollower, settings: JobSettings, clock: Clock, log: Log) -> None:
        self._follower = follower
        self._settings = settings
        self._clock = clock
        self._log = log
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._holding = 0
        self._calm_seconds = sys.getswitchinterval()
        self._ingest_seconds = settings.ingest_switch_interval_seconds
        self._written = {"lexical": threading.Event(), "vector": threading.Event()}
        self._threads = [
            threading.Thread(target=self._follow_lexical, name="lexical", daemon=True),
            threading.Thread(target=self._follow_vectors, name="vector", daemon=True),
        ]

    def start(self) -> None:
        """Start both threads; they take in what was written while no daemon ran."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Say that the corpus was written to."""
        for event in self._written.values():
            event.set()

    @contextmanager
    def holding(self) -> Generator[None]:
        """Embed nothing meanwhile and switch threads less often: an ingest needs the interpreter's lock for long."""
        self._hold(1)
        try:
            yield
        finally:
            self._hold(-1)
            self.wake()

    def _hold(self, change: int) -> None:
        with self._guard:
            if not self._holding:
                self._calm_seconds = sys.getswitchinterval()
            self._holding += change
            sys.setswitchinterval(self._ingest_seconds if self._holding else self._calm_seconds)

    def stop(self) -> None:
        """Stop both threads and wait for the step each is in."""
        self._stop.set()
        self.wake()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _follow_lexical(self) -> None:
        self._follow("lexical", lambda: self._follower.advance_lexical(self._settings.lexical_changes))

    def _follow_vectors(self) -> None:
        _be_nice(self._settings.embed_nice)
        texts = self._settings.embedded_texts if self._settings.embed_in_background else 0
        saved = self._clock.monotonic()

        def step() -> Advanced:
            nonlocal saved
            advanced = self._follower.advance_vectors(0 if self._holding else texts)
            if self._clock.monotonic() - saved >= self._settings.save_seconds:
                self._follower.save()
                saved = self._clock.monotonic()
            return advanced

        self._follow("vector", step)

    def _follow(self, name: str, step: Callable[[], Advanced]) -> None:
        written = self._written[name]
        said, said_busy = "", False
        while not self._stop.is_set():
            written.clear()
            try:
                advanced = step()
            except RetrievalError as error:
                advanced = Advanced(failed=str(error))
            except Exception as error:
                # A thread that ended here would leave its index behind for good, and nobody would be told.
                self._log.error(telemetry.DEFECT, job=name, exc_info=error)
                advanced = Advanced(failed=f"unexpected {type(error).__name__}")
            if advanced.failed and advanced.failed != said:
                self._log.warning(telemetry.JOB_FAILED, job=name, because=advanced.failed)
            if said_busy and not advanced.left:
                release_free_memory()
            said_busy = bool(advanced.left)
            said = advanced.failed
            moved = advanced.collected or (advanced.left and (advanced.taken or advanced.embedded))
            idle = advanced.failed or not moved
            if idle and not self._stop.is_set():
                written.wait(self._settings.idle_seconds)


def _be_nice(nice: int) -> None:
    """Lower this thread's priority, unless it is lower already: raising it takes a privilege."""
    thread = threading.get_native_id()
    os.setpriority(os.PRIO_PROCESS, thread, max(nice, os.getpriority(os.PRIO_PROCESS, thread)))
