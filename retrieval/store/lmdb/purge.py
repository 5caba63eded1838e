"""Purging a namespace: hidden at once, deleted row by row, in as many transactions as it takes.

Hiding takes the name away, so that no reader finds the namespace or a record of it, and settles what others see of it:
their counts of edges, and their generations. What is left to delete is found by the namespace's number alone, and each
row is deleted after those that need it to be found: so a purge resumes at whatever row it was stopped.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from retrieval.store.interface import Purged
from retrieval.store.lmdb import counts, edges, lost_needs, vectors
from retrieval.store.lmdb.codec import decode_record, is_removed
from retrieval.store.lmdb.layout import ID_KEY, INCOMING, OUTGOING, U64
from retrieval.store.lmdb.view import Space, TenantView
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import Generation, Namespace

if TYPE_CHECKING:
    from lmdb import _Database

_BOTH = (OUTGOING, INCOMING)
_NAMELESS = Namespace("")


def hide(view: TenantView, space: Space) -> None:
    """Take the namespace out of every reader's sight."""
    own = {U64.unpack(row)[0] for _, row in view.rows.scan(view.rows.tables.refs, view.key + space.key)}
    for record_id in sorted(own):
        for direction, other, relation in edges.adjacency(view, record_id, _BOTH):
            located = None if other in own else view.located(other)
            if located is None:
                continue
            located[0].touch()
            if direction == INCOMING:
                counts.edges(located[0], relation, -1)
    view.hide_space(space)


class Purge:
    """One step: deletes about so many rows of purged namespaces of the tenant."""

    def __init__(self, view: TenantView, rows: int) -> None:
        self._view = view
        self._room = rows
        self._models: tuple[bytes, ...] | None = None
        self._deleted: Counter[str] = Counter()

    def run(self) -> Purged:
        """Delete, and return what was deleted and whether there is more."""
        for space_key in sorted(self._view.purged):
            within = self._view.key + space_key
            if not self._delete_records(within) or not self._delete_rest(within):
                return self._so_far(left=True)
            self._view.end_purge(space_key)
        return self._so_far(left=False)

    def _so_far(self, *, left: bool) -> Purged:
        count = self._deleted
        return Purged(
            records=count["records"],
            versions=count["versions"],
            edges=count["edges"],
            past_edges=count["past_edges"],
            names=count["names"],
            changes=count["changes"],
            vectors=count["vectors"],
            marks=count["marks"],
            left=left,
        )

    def _delete_records(self, within: bytes) -> bool:
        tables = self._view.rows.tables
        while refs := self._view.rows.page(tables.refs, within, max(1, min(self._room, 256))):
            for key, row in refs:
                if self._room <= 0 or not self._delete_record(within, U64.unpack(row)[0]):
                    return False
                self._delete(tables.ids, ID_KEY.pack(self._view.key, U64.unpack(row)[0]))
                self._delete(tables.refs, key)
                self._deleted["records"] += 1
        return True

    def _delete_record(self, within: bytes, record_id: int) -> bool:
        for direction, other, relation in list(edges.adjacency(self._view, record_id, _BOTH)):
            ends = (record_id, other) if direction == OUTGOING else (other, record_id)
            edges.erase(self._view, ends[0], relation, ends[1])
            self._deleted["edges"] += 1
            self._room -= 3
            if self._room <= 0:
                return False
        past, rows = edges.erase_past(self._view, record_id, self._room)
        self._deleted["past_edges"] += past
        self._room -= rows + lost_needs.erase(self._view, record_id, max(1, self._room - rows))
        return self._room > 0 and self._delete_versions(within + U64.pack(record_id))

    def _delete_versions(self, of_record: bytes) -> bool:
        table = self._view.rows.tables.records
        for key, version in self._view.rows.page(table, of_record, self._room):
            if not is_removed(version):
                text = embedding_text(decode_record(version, _NAMELESS, Generation(0)))
                self._delete_vectors(embedding_digest(text))
            self._delete(table, key)
            self._deleted["versions"] += 1
        return self._room > 0

    def _delete_vectors(self, digest: str) -> None:
        if self._models is None:
            self._models = vectors.models(self._view)
        for model in self._models:
            key = vectors.key(self._view, model, digest)
            self._deleted["vectors"] += self._delete(self._view.rows.tables.vectors, key)

    def _delete_rest(self, within: bytes) -> bool:
        tables = self._view.rows.tables
        for table in (tables.paths, tables.sources, tables.counts):
            self._delete_page(table, within)
        self._deleted["names"] += self._delete_page(tables.names, within)
        self._deleted["changes"] += self._delete_page(tables.changes, within)
        self._deleted["marks"] += self._delete_page(tables.space_marks, within)
        return self._room > 0

    def _delete_page(self, table: _Database, within: bytes) -> int:
        return sum(self._delete(table, key) for key, _ in self._view.rows.page(table, within, self._room))

    def _delete(self, table: _Database, key: bytes) -> bool:
        self._room -= 1
        return self._view.rows.delete(table, key)
