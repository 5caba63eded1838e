"""The one writer: a thread that takes waiting jobs and commits them together (group commit).

Jobs of a batch run one after another, each in a child transaction of its own, so that one that fails leaves no trace
and disturbs no other. Nobody is answered before the batch is on disk. Where the map or the transaction was too small,
the whole batch is thrown away and run again: in a larger map, or one job at a time.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import lmdb

from retrieval.errors import RetrievalError, StorageFull, StoreUnavailable
from retrieval.store.interface import WriteTransaction
from retrieval.store.lmdb.codec import RecordCodec
from retrieval.store.lmdb.environment import Environment
from retrieval.store.lmdb.rows import Rows
from retrieval.store.lmdb.settings import LmdbSettings
from retrieval.store.lmdb.transaction import LmdbTransaction
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import TenantId


class Job:
    """One caller's job, and the future on which the caller waits."""

    __slots__ = ("caller", "future", "run", "tenant")

    def __init__(self, tenant: TenantId, run: Callable[[WriteTransaction], object]) -> None:
        self.tenant = tenant
        self.run = run
        self.caller = threading.get_ident()
        self.future: Future[Any] = Future()


class _Outcome:
    """What a job gave in a batch that is not committed yet."""

    __slots__ = ("error", "job", "result")

    def __init__(self, job: Job, result: object, error: BaseException | None) -> None:
        self.job = job
        self.result = result
        self.error = error

    def deliver(self) -> None:
        """Answer the caller."""
        if self.error is not None:
            self.job.future.set_exception(self.error)
        else:
            self.job.future.set_result(self.result)


class _Spoiled(Exception):
    """The batch's transaction cannot be committed, mostly since the map or the transaction was too small for it."""

    def __init__(self, cause: lmdb.Error) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Writer:
    """The writer's thread and its queue."""

    def __init__(self, environment: Environment, settings: LmdbSettings) -> None:
        self._environment = environment
        self._batch_jobs = settings.batch_jobs
        self._codec = RecordCodec(settings)
        self._purge_rows = settings.purge_rows
        self._changed = threading.Condition()
        self._queue: deque[Job] = deque()
        self._waiting: list[Job] = []
        self._closing = False
        self._broken: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="hotset-store-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many jobs are queued behind those being written."""
        return len(self._queue)

    def submit(self, job: Job) -> None:
        """Queue a job; raises StoreUnavailable where the writer is closed or has failed."""
        if threading.get_ident() == self._thread.ident:
            raise RuntimeError("a job must write through its transaction: writing through the store would never end")
        with self._changed:
            if self._broken is not None:
                raise self._failed()
            if self._closing:
                raise StoreUnavailable("the store is closed")
            self._queue.append(job)
            self._changed.notify()
        self._environment.gate.recheck()

    def close(self) -> None:
        """Finish the queued jobs and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        try:
            while batch := self._take():
                self._write(batch)
        except BaseException as error:  # whatever it was, nobody may wait for a thread that has ended
            self._fail(error)

    def _take(self) -> list[Job]:
        with self._changed:
            self._waiting = []
            while not self._queue and not self._closing:
                self._changed.wait()
            self._waiting = [self._queue.popleft() for _ in range(min(len(self._queue), self._batch_jobs))]
            return self._waiting

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._broken = error
            left = [*self._waiting, *self._queue]
            self._queue.clear()
        for job in left:
            if not job.future.done():
                job.future.set_exception(self._failed())

    def _failed(self) -> RetrievalError:
        failure = StoreUnavailable(f"the store's writer has failed ({self._broken}): restart the process")
        failure.__cause__ = self._broken
        return failure

    def _write(self, batch: list[Job]) -> None:
        with contextlib.suppress(StorageFull):  # what is left of the map may do; where it does not, the job is told
            self._environment.grow_ahead(self._callers)
        while True:
            try:
                outcomes = self._commit(batch)
            except _Spoiled as spoiled:
                if isinstance(spoiled.cause, lmdb.MapFullError) and self._grow():
                    continue
                self._write_apart(batch, spoiled.cause)
                return
            for outcome in outcomes:
                outcome.deliver()
            return

    def _write_apart(self, batch: list[Job], cause: lmdb.Error) -> None:
        if len(batch) > 1:
            for job in batch:
                self._write([job])
            return
        error = self._environment.failed(cause)
        error.__cause__ = cause
        batch[0].future.set_exception(error)

    def _grow(self) -> bool:
        try:
            self._environment.grow(self._callers)
        except StorageFull:
            return False
        return True

    def _callers(self) -> frozenset[int]:
        with self._changed:
            return frozenset(job.caller for job in (*self._waiting, *self._queue) if not job.future.done())

    def _commit(self, batch: list[Job]) -> list[_Outcome]:
        txn = self._begin()
        try:
            outcomes = [self._run(batch[0], txn)] if len(batch) == 1 else [self._run_child(job, txn) for job in batch]
            if all(outcome.error is not None for outcome in outcomes):
                txn.abort()
            else:
                txn.commit()
        except lmdb.Error as error:  # nothing of it was kept; an environment past saving refuses to begin the next
            raise _Spoiled(error) from error
        except BaseException:
            txn.abort()
            raise
        return outcomes

    def _begin(self) -> lmdb.Transaction[bytes]:
        try:
            return self._environment.begin_write()
        except lmdb.MapResizedError:
            self._environment.follow(self._callers)
            return self._environment.begin_write()

    def _run_child(self, job: Job, parent: lmdb.Transaction[bytes]) -> _Outcome:
        try:
            child = self._environment.begin_write(parent)
            outcome = self._run(job, child)
            if outcome.error is None:
                child.commit()
            else:
                child.abort()
        except lmdb.Error as error:
            raise _Spoiled(error) from error
        return outcome

    def _run(self, job: Job, txn: lmdb.Transaction[bytes]) -> _Outcome:
        rows = Rows(txn, self._environment.tables)
        result: object = None
        failure: BaseException | None = None
        try:
            transaction = LmdbTransaction(TenantView(rows, job.tenant), self._codec, self._purge_rows)
            result = job.run(transaction)
            transaction.finish()
        except BaseException as error:
            failure = error
        if rows.spoiled is not None:
            raise _Spoiled(rows.spoiled)
        return _Outcome(job, result, failure)
