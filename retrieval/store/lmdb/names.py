"""The index of names: a sensor, since names of old versions stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from retrieval.record import NameKind
from retrieval.store.lmdb.keys import lookup_bytes, prefix_key, text_in_key, text_key
from retrieval.store.lmdb.layout import U64
from retrieval.store.lmdb.name_keys import KIND_BYTES, KIND_OF_VALUE
from retrieval.store.lmdb.rows import Row
from retrieval.store.lmdb.view import Space, TenantView


def put(view: TenantView, space: Space, record_id: int, names: Iterable[tuple[str, str]]) -> None:
    """Index a record under names, each (kind, text)."""
    rows = rows_of(view, space, record_id, names)
    if rows:
        view.rows.put_many(view.rows.tables.names, rows)


def rows_of(view: TenantView, space: Space, record_id: int, names: Iterable[tuple[str, str]]) -> list[Row]:
    """The rows that index a record under names, each (kind, text)."""
    within, suffix, known = view.key + space.key, U64.pack(record_id), view.name_keys
    return [(within + key + suffix, kept) for key, kept in map(known.__getitem__, names)]


def keys_of(view: TenantView, space: Space, record_id: int, names: Iterable[tuple[str, str]]) -> list[bytes]:
    """The keys of a record's rows under names, each (kind, text), whether or not there are such rows."""
    within, suffix = view.key + space.key, U64.pack(record_id)
    return [within + KIND_OF_VALUE[kind] + text_key(text.encode()) + suffix for kind, text in names]


def find(view: TenantView, space: Space, kind: NameKind, text: str, limit: int) -> list[int]:
    """Record ids under exactly this name, ascending."""
    raw = lookup_bytes(text)
    if raw is None or limit <= 0:
        return []
    prefix = view.key + space.key + KIND_BYTES[kind] + text_key(raw)
    found: list[int] = []
    for record_id in ids_under(view.rows.scan(view.rows.tables.names, prefix), prefix):
        found.append(record_id)
        if len(found) == limit:
            break
    return found


def find_prefix(view: TenantView, space: Space, kind: NameKind, prefix: str, limit: int) -> list[tuple[str, int]]:
    """(name, record id) of names that begin with the prefix, in the order of names, then ids."""
    raw = lookup_bytes(prefix)
    if raw is None or limit <= 0:
        return []
    within = view.key + space.key + KIND_BYTES[kind]
    found: list[tuple[str, int]] = []
    for name, record_id in in_order(view.rows.scan(view.rows.tables.names, within + prefix_key(raw)), len(within)):
        if name.startswith(prefix):
            found.append((name, record_id))
            if len(found) == limit:
                break
    return found


def ids_under(rows: Iterator[tuple[bytes, bytes]], prefix: bytes) -> Iterator[int]:
    """Ids of the rows whose key is the prefix, which ends with a complete text key, and an id.

    Longer keys are of texts that go on with a NUL, or are long with this stored prefix; they come after.
    """
    for key, _ in rows:
        if len(key) != len(prefix) + U64.size:
            return
        yield int.from_bytes(key[-8:], "big")


def in_order(rows: Iterator[tuple[bytes, bytes]], start: int) -> Iterator[tuple[str, int]]:
    """(text, id) of rows whose key holds a text key from `start` and then an id, in true text order.

    Only long texts that share their stored prefix are out of order in the table; they lie together and are sorted.
    """

    def parsed() -> Iterator[tuple[bytes, str, int]]:
        for key, value in rows:
            group = key[start:-26] if value else key[start:]
            yield group, text_in_key(key[start:-8], value), int.from_bytes(key[-8:], "big")

    for _, group in groupby(parsed(), key=itemgetter(0)):
        yield from sorted((text, record_id) for _, text, record_id in group)
