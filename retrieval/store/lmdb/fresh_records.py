"""Records that were never there before, many at once: no older version has to be looked at, and the rows of each table
are written together in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from retrieval.record import Record
from retrieval.store.lmdb import changes, counts, names, paths, records
from retrieval.store.lmdb.codec import RecordCodec, encode_head, head_of
from retrieval.store.lmdb.layout import record_key
from retrieval.store.lmdb.rows import Row
from retrieval.store.lmdb.view import TenantView, check_ref
from workingset.vocabulary import Generation

_KEY = itemgetter(0)


def put_many(view: TenantView, codec: RecordCodec, given: Sequence[Record]) -> list[Generation]:
    """Write a version of each record, in their order; returns the generation that each is visible at."""
    fresh = _FreshRecords(view, codec)
    generations: list[Generation] = []
    try:
        for record in given:
            generation = fresh.put(record)
            if generation is None:
                fresh.write()
                generation = records.put(view, codec, record)
            generations.append(generation)
    finally:
        fresh.write()
    return generations


class _FreshRecords:
    """Rows that are to be written; what reads the tables has to wait for `write`."""

    def __init__(self, view: TenantView, codec: RecordCodec) -> None:
        self._view = view
        self._codec = codec
        self._ids: list[Row] = []
        self._refs: list[Row] = []
        self._versions: list[Row] = []
        self._names: list[Row] = []
        self._paths: list[Row] = []
        self._sources: list[Row] = []
        self._changes: list[Row] = []

    def put(self, record: Record) -> Generation | None:
        """Keep the record for writing; None where its ref is known, so that it has to be put in the common way."""
        view = self._view
        if record.removed or view.record_id(record.ref) is not None:
            return None
        new = head_of(check_ref(record.ref, record.namespace), record)
        encoded = self._codec.encode(encode_head(new, record), record)
        space = view.settle_space(record.namespace)
        record_id, ref_row, id_row = view.allot(record.ref, space)
        view.live[record.ref] = (record_id, space)
        generation = space.touch()
        self._refs.append(ref_row)
        self._ids.append(id_row)
        self._versions.append((record_key(view.key, space.key, record_id, generation), encoded))
        self._names += names.rows_of(view, space, record_id, new.names)
        if new.path:
            by_path, by_source = paths.rows_of(view, space, record_id, (new.path, new.source, new.source_digest))
            self._paths.append(by_path)
            self._sources.append(by_source)
        self._changes.append(changes.row_of(view, space, generation, record_id, record.digest))
        counts.records(space, None, new)
        return generation

    def write(self) -> None:
        """Write what was kept."""
        rows, tables = self._view.rows, self._view.rows.tables
        for table, kept in (
            (tables.refs, self._refs),
            (tables.ids, self._ids),
            (tables.records, self._versions),
            (tables.names, self._names),
            (tables.paths, self._paths),
            (tables.sources, self._sources),
            (tables.changes, self._changes),
        ):
            if kept:
                kept.sort(key=_KEY)
                rows.put_many(table, kept)
                kept.clear()
