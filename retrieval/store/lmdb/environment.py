"""The LMDB environment: opening it, knowing it for ours, and growing its map.

LMDB 0.9's file format (`lib_version=0`): one data file and one lock file in a directory. Replacing the map
invalidates open read transactions, so growing passes the gate.
"""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import lmdb

from retrieval.errors import ForeignStore, RetrievalError, StorageFull, StoreBusy, StoreUnavailable
from retrieval.store.lmdb.gate import Gate
from retrieval.store.lmdb.layout import FORMAT_KEY, FORMAT_VERSION, MAGIC, MAGIC_KEY, MARKS_FORMAT, U32, Tables
from retrieval.store.lmdb.rows import Rows, named
from retrieval.store.lmdb.settings import LmdbSettings

if TYPE_CHECKING:
    from lmdb import _Database

_LMDB_0_9 = 0
_SPARE_TABLES = 9
"""So that a newer format with more tables can still be opened far enough to be named."""


class Environment:
    """One open environment and its tables. Raises StoreBusy, ForeignStore, StorageFull or StoreUnavailable."""

    def __init__(self, home: Path, settings: LmdbSettings, *, read_only: bool) -> None:
        self.home = home
        self.gate = Gate()
        self._settings = settings
        self._closed = False
        self._env = _open(home, settings, read_only=read_only)
        try:
            self._env.reader_check()
            self.tables = _tables(self._env, home, read_only=read_only)
        except lmdb.Error as error:
            self._env.close()
            raise named(error) from error
        except RetrievalError:
            self._env.close()
            raise

    @contextmanager
    def reading(self) -> Generator[Rows]:
        """A read transaction's rows; raises StoreUnavailable. Follows a map that another process grew."""
        while True:
            with self.gate.reading():
                txn = self._begin_read()
                if txn is not None:
                    try:
                        yield Rows(txn, self.tables)
                    finally:
                        txn.abort()
                    return
            self.follow(frozenset)

    def _begin_read(self) -> lmdb.Transaction[bytes] | None:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        try:
            return self._env.begin()
        except lmdb.MapResizedError:
            return None
        except lmdb.ReadersFullError as error:
            self._env.reader_check()
            raise StoreUnavailable(
                f"{self._settings.max_readers} snapshots are open: close some, then retry"
            ) from error
        except lmdb.Error as error:
            raise named(error) from error

    def begin_write(self, parent: lmdb.Transaction[bytes] | None = None) -> lmdb.Transaction[bytes]:
        """Start the one write transaction, or a child of it."""
        return self._env.begin(write=True, parent=parent)

    def grow_ahead(self, excused: Callable[[], frozenset[int]]) -> None:
        """Grow the map where it is nearly used up and may grow; no write transaction may be open."""
        size = self._map_bytes()
        if self._used_bytes() > size * self._settings.grow_ahead_share and size < self._settings.max_map_bytes:
            self.grow(excused)

    def grow(self, excused: Callable[[], frozenset[int]]) -> None:
        """Replace the map by a larger one; raises StorageFull where it may not or cannot be larger."""
        size = self._map_bytes()
        larger = min(size * self._settings.growth_factor, self._settings.max_map_bytes)
        if larger <= size or not _fits_address_space(larger):
            raise self.full()
        with self.gate.closed(self._settings.grow_patience_seconds, excused):
            self._env.set_mapsize(larger)

    def follow(self, excused: Callable[[], frozenset[int]]) -> None:
        """Take over the size to which another process has grown the map."""
        with self.gate.closed(self._settings.grow_patience_seconds, excused):
            self._env.set_mapsize(0)

    def failed(self, error: lmdb.Error) -> RetrievalError:
        """The error of a write that LMDB refused; LMDB calls a disk that fills up in the middle of it EIO."""
        said = named(error)
        if isinstance(error, lmdb.TxnFullError):
            return said
        if isinstance(said, StorageFull) or (
            error.code == errno.EIO and self._free_bytes() < self._settings.low_disk_bytes
        ):
            return self.full()
        return said

    def full(self) -> StorageFull:
        """The error of a write that found no space, with the figures an operator needs."""
        return StorageFull(
            f"the store needs more space than it may take: {self._used_bytes()} bytes used, map {self._map_bytes()} of "
            f"at most {self._settings.max_map_bytes}, {self._free_bytes()} bytes free at {self.home}; free disk space "
            "or raise max_map_bytes"
        )

    def bytes_on_disk(self) -> int:
        """Size of the data file; raises StoreUnavailable where the environment is closed."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return (self.home / "data.mdb").stat().st_size

    def close(self) -> None:
        """Wait a little for open snapshots, then close the files; transactions still open end."""
        with self.gate.closed(self._settings.grow_patience_seconds, frozenset):
            self._closed = True
            self._env.close()

    def _map_bytes(self) -> int:
        return self._env.info()["map_size"]

    def _free_bytes(self) -> int:
        disk = os.statvfs(self.home)
        return disk.f_bavail * disk.f_frsize

    def _used_bytes(self) -> int:
        return (self._env.info()["last_pgno"] + 1) * self._env.stat()["psize"]


def _fits_address_space(size: int) -> bool:
    """Try it out: LMDB gives its map up before it asks for the larger one, and does not survive being refused."""
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ).close()
    except OSError:
        return False
    return True


def _open(home: Path, settings: LmdbSettings, *, read_only: bool) -> lmdb.Environment:
    _prepare(home, read_only=read_only)
    map_bytes = min(settings.map_bytes, settings.max_map_bytes)
    while True:
        try:
            return lmdb.Environment(
                str(home),
                map_size=map_bytes,
                subdir=True,
                readonly=read_only,
                metasync=True,
                sync=True,
                mode=0o600,
                create=False,
                max_readers=settings.max_readers,
                max_dbs=len(Tables._fields) + _SPARE_TABLES,
                lock=not read_only or _may_lock(home),
                lib_version=_LMDB_0_9,
            )
        except lmdb.Error as error:
            if error.code == errno.ENOMEM and map_bytes > settings.least_map_bytes:
                map_bytes = max(map_bytes // 2, settings.least_map_bytes)
                continue
            raise _opening_failed(error, home) from error


def _prepare(home: Path, *, read_only: bool) -> None:
    if read_only:
        if not (home / "data.mdb").exists():
            raise StoreUnavailable(f"there is no store at {home}: open it once for writing to make one")
        return
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"the store's directory {home} cannot be made: {error.strerror}") from error


def _may_lock(home: Path) -> bool:
    lock = home / "lock.mdb"
    return os.access(lock if lock.exists() else home, os.W_OK)


def _opening_failed(error: lmdb.Error, home: Path) -> RetrievalError:
    if isinstance(error, lmdb.InvalidError | lmdb.VersionMismatchError):
        return ForeignStore(f"the files at {home} are not a store of ours ({error}): name another directory")
    if "already open in this process" in str(error):
        return StoreBusy(f"the store at {home} is already open in this process")
    if error.code == errno.EACCES:
        return StoreUnavailable(f"the store at {home} may not be opened: {error}; open it read_only or mend its mode")
    return named(error)


def _tables(env: lmdb.Environment, home: Path, *, read_only: bool) -> Tables:
    with env.begin() as txn:
        known = {bytes(name) for name in env.dbs(txn)}
        empty = not txn.stat()["entries"]
    found = FORMAT_VERSION if empty else _format(env, home, known)
    older = found < FORMAT_VERSION
    if older and read_only:
        raise ForeignStore(f"the store at {home} has an older format: open it once for writing to bring it up to date")
    if empty and read_only:
        raise ForeignStore(f"the files at {home} hold no store: open it once for writing to make one")
    if read_only:
        return Tables(*[_table(env, None, name) for name in Tables._fields])
    with env.begin(write=True) as txn:
        tables = Tables(*[_table(env, txn, name) for name in Tables._fields])
        if found < MARKS_FORMAT:
            # Marks of format 1 name namespaces, which no purge would find. All they say can be found out again.
            txn.drop(tables.marks, delete=False)
        if older:
            txn.put(FORMAT_KEY, U32.pack(FORMAT_VERSION), db=tables.meta)
        if empty:
            txn.put(MAGIC_KEY, MAGIC, db=tables.meta)
            txn.put(FORMAT_KEY, U32.pack(FORMAT_VERSION), db=tables.meta)
    return tables


def _table(env: lmdb.Environment, txn: lmdb.Transaction[bytes] | None, name: str) -> _Database:
    duplicates = name == "adjacent"
    return env.open_db(name.encode(), txn, create=txn is not None, dupsort=duplicates, dupfixed=duplicates)


def _format(env: lmdb.Environment, home: Path, known: set[bytes]) -> int:
    if b"meta" not in known:
        raise ForeignStore(f"the files at {home} are another program's LMDB store: name another directory")
    with env.begin() as txn:
        meta = env.open_db(b"meta", txn=txn, create=False)
        magic, version = txn.get(MAGIC_KEY, db=meta), txn.get(FORMAT_KEY, db=meta)
    if magic != MAGIC or version is None:
        raise ForeignStore(f"the files at {home} are another program's LMDB store: name another directory")
    number: int = U32.unpack(version)[0]
    if number > FORMAT_VERSION:
        raise ForeignStore(
            f"the store at {home} has format {number}; this version reads up to {FORMAT_VERSION}: install a newer one"
        )
    return number
