"""One LMDB transaction as rows: the only place that reads or writes a table, so that errors are named once."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, TypeAlias

import lmdb

from retrieval.errors import Conflict, RetrievalError, StorageFull, StoreCorrupt, StoreUnavailable
from retrieval.store.lmdb.layout import Tables

if TYPE_CHECKING:
    from lmdb import _Database

Row: TypeAlias = tuple[bytes, bytes]
"""A row's key and value."""

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_CORRUPT = (lmdb.CorruptedError, lmdb.PageNotFoundError)


class Rows:
    """The tables as one transaction sees them. Values returned are copies.

    `spoiled` is set once a write failed, mostly since the map or the transaction was too small: nothing of this
    transaction can be kept then, whatever the code above makes of the error.
    """

    __slots__ = ("_cursors", "spoiled", "tables", "txn")

    def __init__(self, txn: lmdb.Transaction[bytes], tables: Tables) -> None:
        self.txn = txn
        self.tables = tables
        self.spoiled: lmdb.Error | None = None
        self._cursors: dict[int, lmdb.Cursor[bytes]] = {}

    def get(self, table: _Database, key: bytes) -> bytes | None:
        """The row's value, or None."""
        try:
            return self.txn.get(key, db=table)
        except lmdb.Error as error:
            raise named(error) from error

    def put(self, table: _Database, key: bytes, value: bytes) -> None:
        """Write the row, over an older one."""
        try:
            self.txn.put(key, value, db=table)
        except lmdb.Error as error:
            raise self._spoil(error) from error

    def put_many(self, table: _Database, rows: Sequence[Row]) -> None:
        """Write rows, over older ones; in a table with duplicates, beside them. Rows in order of keys go quickest."""
        try:
            with self.txn.cursor(table) as cursor:
                cursor.putmulti(rows)
        except lmdb.Error as error:
            raise self._spoil(error) from error

    def has(self, table: _Database, key: bytes) -> bool:
        """True where the table has the key."""
        try:
            return self._cursor(table).set_key(key)
        except lmdb.Error as error:
            raise named(error) from error

    def delete(self, table: _Database, key: bytes, value: bytes = b"") -> bool:
        """Delete the row, or the one duplicate of it; False where there is none."""
        try:
            return self.txn.delete(key, value, db=table)
        except lmdb.Error as error:
            raise self._spoil(error) from error

    def first(self, table: _Database, key: bytes) -> tuple[bytes, bytes] | None:
        """The first row at or after the key."""
        try:
            cursor = self._cursor(table)
            return cursor.item() if cursor.set_range(key) else None
        except lmdb.Error as error:
            raise named(error) from error

    def scan(self, table: _Database, prefix: bytes, start: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """Rows whose key begins with the prefix, in key order, from `start` on where given."""
        try:
            with self.txn.cursor(table) as cursor:
                if not cursor.set_range(prefix if start is None else start):
                    return
                for key, value in cursor:
                    if not key.startswith(prefix):
                        return
                    yield key, value
        except lmdb.Error as error:
            raise named(error) from error

    def keys(self, table: _Database, prefix: bytes) -> Iterator[bytes]:
        """Keys that begin with the prefix, in order, once for each duplicate: values are not read."""
        try:
            with self.txn.cursor(table) as cursor:
                if cursor.set_range(prefix):
                    yield from takewhile(lambda key: key.startswith(prefix), cursor.iternext(keys=True, values=False))
        except lmdb.Error as error:
            raise named(error) from error

    def first_key(self, table: _Database, key: bytes) -> bytes | None:
        """The first key at or after the key."""
        row = self.first(table, key)
        return None if row is None else row[0]

    def page(self, table: _Database, prefix: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """The first rows whose key begins with the prefix, at most `limit`: safe to delete while going through them."""
        return list(islice(self.scan(table, prefix), max(limit, 0)))

    def count(self, table: _Database) -> int:
        """How many rows the table holds, of all tenants; costs nothing."""
        try:
            return self.txn.stat(table)["entries"]
        except lmdb.Error as error:
            raise named(error) from error

    def duplicates(self, table: _Database, keys: Sequence[bytes], width: int) -> memoryview:
        """All duplicates of the keys, each packed as key and value of `width` bytes, in one buffer."""
        try:
            return self._cursor(table).getmulti(keys, dupdata=True, dupfixed_bytes=width, keyfixed=True)
        except lmdb.Error as error:
            raise named(error) from error

    def _cursor(self, table: _Database) -> lmdb.Cursor[bytes]:
        cursor = self._cursors.get(id(table))
        if cursor is None:
            cursor = self._cursors[id(table)] = self.txn.cursor(table)
        return cursor

    def _spoil(self, error: lmdb.Error) -> RetrievalError:
        if self.spoiled is None:  # what follows the first error says only that the transaction is lost
            self.spoiled = error
        return named(error)


def named(error: lmdb.Error) -> RetrievalError:
    """Say an LMDB error in our words."""
    if isinstance(error, lmdb.MapFullError) or error.code in _NO_SPACE:
        return StorageFull("no space is left for the write: free disk space or raise max_map_bytes")
    if isinstance(error, lmdb.TxnFullError):
        return StorageFull("the job writes more than one transaction can hold: split it")
    if isinstance(error, _CORRUPT):
        return StoreCorrupt(f"the store's pages do not fit together ({error}): restore it from a backup")
    if isinstance(error, lmdb.BadTxnError) or "closed/deleted/dropped" in str(error) or error.code == errno.EINVAL:
        return Conflict("the snapshot is closed, or the store grew while it was open: read again")
    return StoreUnavailable(f"the store failed: {error}")
