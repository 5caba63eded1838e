"""The thread that keeps history in bounds: it notes times, finishes what was stopped, and collects by age.

It writes nothing but marks, and collects nothing of age unless that is asked for by `collection.keep_seconds`.
"""

from __future__ import annotations

import threading

from hotsetd import telemetry, time_marks
from hotsetd.calls import Caller
from hotsetd.clock import Clock
from hotsetd.collection import CollectCall, Collection
from hotsetd.config import CollectionSettings
from hotsetd.errors import Stopping
from hotsetd.telemetry import Log
from retrieval.deadline import Deadline
from retrieval.errors import RetrievalError
from retrieval.store.interface import Store
from workingset.vocabulary import TenantId


class CollectingJob:
    """One thread; `step` is all it does, over and over."""

    def __init__(
        self, store: Store, collection: Collection, settings: CollectionSettings, clock: Clock, log: Log
    ) -> None:
        self._store = store
        self._collection = collection
        self._settings = settings
        self._clock = clock
        self._log = log
        self._stop = threading.Event()
        self._collected_at: float | None = None
        self._thread = threading.Thread(target=self._work, name="history", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the transaction under way and wait for it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def step(self) -> None:
        """Finish what was stopped, note times, and collect by age where it is time; raises what the store raises."""
        for tenant in self._store.tenants():
            self._collection.finish(tenant, self._check)
            self._note(tenant)
        now = self._clock.monotonic()
        due = self._collected_at is None or now - self._collected_at >= self._settings.every_seconds
        if self._settings.keep_seconds and due:
            self._collected_at = now
            for tenant in self._store.tenants():
                self._collect(tenant)

    def _note(self, tenant: TenantId) -> None:
        with self._store.snapshot(tenant) as txn:
            moved = time_marks.moved(txn)
        if moved:
            now, keep = self._clock.now_seconds(), self._settings.marks
            self._store.write(tenant, lambda txn: time_marks.note(txn, moved, now, keep))

    def _collect(self, tenant: TenantId) -> None:
        unbounded = Deadline(float("inf"), self._clock.monotonic, self._stop.is_set)
        call = CollectCall(older_than_seconds=self._settings.keep_seconds)
        for done in self._collection.collect(Caller(tenant), call, unbounded):
            if done.horizon != done.horizon_before:
                counts = done.collected
                self._log.info(
                    telemetry.COLLECTED,
                    namespace=done.namespace,
                    horizon=done.horizon,
                    versions=counts.versions,
                    edges=counts.edges,
                )

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopping("the daemon is shutting down")

    def _work(self) -> None:
        said = ""
        while not self._stop.is_set():
            failed = ""
            try:
                self.step()
            except Stopping:
                return
            except RetrievalError as error:
                failed = str(error)
            except Exception as error:
                # A thread that ended here would let history grow for good, and nobody would be told.
                self._log.error(telemetry.DEFECT, job="history", exc_info=error)
                failed = f"unexpected {type(error).__name__}"
            if failed and failed != said and not self._stop.is_set():
                self._log.warning(telemetry.JOB_FAILED, job="history", because=failed)
            said = failed
            self._stop.wait(self._settings.mark_seconds)
