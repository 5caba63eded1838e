"""The LMDB engine of `retrieval.store.interface.Store`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

from retrieval.errors import ReadOnlyStore
from retrieval.store.interface import Snapshot, WriteTransaction
from retrieval.store.lmdb.environment import Environment
from retrieval.store.lmdb.settings import LmdbSettings
from retrieval.store.lmdb.snapshot import LmdbSnapshot
from retrieval.store.lmdb.view import TenantView
from retrieval.store.lmdb.writer import Job, Writer
from workingset.vocabulary import TenantId

T = TypeVar("T")


class LmdbStore:
    """See `Store`. Made by `open_store`."""

    def __init__(self, environment: Environment, settings: LmdbSettings, *, read_only: bool) -> None:
        self._environment = environment
        self._writer = None if read_only else Writer(environment, settings)

    @property
    def read_only(self) -> bool:
        return self._writer is None

    def snapshot(self, tenant: TenantId) -> AbstractContextManager[Snapshot]:
        return self._snapshot(tenant)

    def write(self, tenant: TenantId, job: Callable[[WriteTransaction], T]) -> T:
        if self._writer is None:
            raise ReadOnlyStore("the store was opened for reading only: ask the process that owns it to write")
        queued = Job(tenant, job)
        self._writer.submit(queued)
        result: T = queued.future.result()
        return result

    def tenants(self) -> tuple[TenantId, ...]:
        with self._environment.reading() as rows:
            return tuple(TenantId(key.decode()) for key, _ in rows.scan(rows.tables.tenants, b""))

    def bytes_used(self) -> int:
        return self._environment.bytes_on_disk()

    def jobs_waiting(self) -> int:
        """How many jobs are queued behind those being written."""
        return 0 if self._writer is None else self._writer.waiting

    def close(self) -> None:
        """Finish the queued jobs, wait a little for open snapshots, and close. Closing again does nothing."""
        if self._writer is not None:
            self._writer.close()
        self._environment.close()

    @contextmanager
    def _snapshot(self, tenant: TenantId) -> Generator[Snapshot]:
        with self._environment.reading() as rows:
            yield LmdbSnapshot(TenantView(rows, tenant))


def open_store(home: Path, settings: LmdbSettings | None = None, *, read_only: bool = False) -> LmdbStore:
    """Open the store in the directory `home`, making it where it is missing and the store is not read-only.

    Raises StoreBusy where this process has it open already, ForeignStore for other files or a newer format,
    StorageFull and StoreUnavailable for what the file system refuses. A read-only store whose lock file cannot be
    written is opened without locks: then nobody may write to it at the same time.
    """
    chosen = LmdbSettings() if settings is None else settings
    return LmdbStore(Environment(home, chosen, read_only=read_only), chosen, read_only=read_only)
