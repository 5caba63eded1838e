"""Counts of live records by kind and of live edges by relation, kept as they change."""

from __future__ import annotations

from retrieval.store.interface import NamespaceCounts
from retrieval.store.lmdb.codec import Head
from retrieval.store.lmdb.keys import text_key
from retrieval.store.lmdb.layout import KIND_COUNT, RELATION_COUNT, U32, U64
from retrieval.store.lmdb.view import Space, TenantView


def records(space: Space, old: Head | None, new: Head | None) -> None:
    """Count a record's change from one live head to another; None where it is not live."""
    space.records += (new is not None) - (old is not None)
    before, after = None if old is None else old.kind, None if new is None else new.kind
    if before != after:
        if before is not None:
            space.kinds[before] = space.kinds.get(before, 0) - 1
        if after is not None:
            space.kinds[after] = space.kinds.get(after, 0) + 1


def edges(space: Space, relation: int, change: int) -> None:
    """Count an edge that began (1) or ended (-1)."""
    space.edges += change
    space.relations[relation] = space.relations.get(relation, 0) + change


def read(view: TenantView, space: Space) -> NamespaceCounts:
    """The counts as this transaction sees them."""
    kinds = dict(space.kinds)
    for _, value in view.rows.scan(view.rows.tables.counts, view.key + space.key + KIND_COUNT):
        kind = value[8:].decode()
        kinds[kind] = kinds.get(kind, 0) + U64.unpack_from(value)[0]
    listed = tuple(sorted((kind, count) for kind, count in kinds.items() if count))
    return NamespaceCounts(space.generation, space.records, space.edges, listed)


def live_relations(view: TenantView, space: Space) -> list[int]:
    """Numbers of the relations of which the namespace has live edges."""
    found = dict(space.relations)
    for key, value in view.rows.scan(view.rows.tables.counts, view.key + space.key + RELATION_COUNT):
        relation = U32.unpack(key[-4:])[0]
        found[relation] = found.get(relation, 0) + U64.unpack(value)[0]
    return [relation for relation, count in found.items() if count]


def flush(view: TenantView, space: Space) -> None:
    """Write the changes that `space` holds; at the end of a transaction."""
    within = view.key + space.key
    for kind, change in space.kinds.items():
        _add(view, within + KIND_COUNT + text_key(kind.encode()), change, kind.encode())
    for relation, change in space.relations.items():
        _add(view, within + RELATION_COUNT + U32.pack(relation), change, b"")
    space.kinds.clear()
    space.relations.clear()


def _add(view: TenantView, key: bytes, change: int, kept: bytes) -> None:
    table = view.rows.tables.counts
    row = view.rows.get(table, key)
    count = (0 if row is None else U64.unpack_from(row)[0]) + change
    if count:
        view.rows.put(table, key, U64.pack(count) + kept)
    elif row is not None:
        view.rows.delete(table, key)
