"""Keeps the lexical index up with the store: reads the change log, commits, then marks how far it came.

A mark is written only after the index has committed what it covers, so a crash between the two repeats work and loses
none: taking a change in twice is the same as once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final

from retrieval.errors import IndexUnavailable
from retrieval.index.change_pages import lines_behind, live_records, read_page
from retrieval.index.lexical import LexicalIndex
from retrieval.index.positions import START, Mark, Position, mark_name, put_marks, read_mark
from retrieval.index.progress import LEXICAL, Advanced, FollowerSettings
from retrieval.store.interface import Snapshot, Store
from workingset.vocabulary import Generation, Namespace, TenantId


class LexicalFollower:
    """Follows the change log of every namespace. One `advance` runs at a time; the rest is safe from any thread."""

    def __init__(self, store: Store, index: LexicalIndex, settings: FollowerSettings) -> None:
        """Read the marks; an index that they do not know, or know to have been further, is emptied."""
        self._store: Final = store
        self._index: Final = index
        self._settings: Final = settings
        self._working: Final = threading.Lock()
        self._positions: dict[tuple[TenantId, Namespace], Position] = {}
        self._turn = 0
        self._adopt_marks()

    def advance(self, max_changes: int) -> Advanced:
        """Take in at most so many lines of the log; raises IndexUnavailable, StoreUnavailable."""
        if self._store.read_only:
            left = self._left()
            return Advanced(left=left, failed="the store is read-only: nothing is taken in" if left else "")
        with self._working:
            taken = 0
            moved: dict[tuple[TenantId, Namespace], Position] = {}
            try:
                for scope in self._scopes_in_turn():
                    if taken >= max_changes:
                        break
                    taken += self._take(scope, max_changes - taken, moved)
                if moved:
                    self._index.commit()
            except IndexUnavailable:
                self._recover()
                raise
            self._remember(moved)
            if not moved:
                self._index.reseal()
            return Advanced(taken=taken, left=self._left())

    def generation(self, tenant: TenantId, namespace: Namespace) -> Generation:
        """The newest generation whose changes are searchable completely."""
        return self._positions.get((tenant, namespace), START).complete

    def lag(self, txn: Snapshot, namespace: Namespace) -> int:
        """How many changes are missing, counted up to the settings' `lag_counted`."""
        position = self._positions.get((txn.tenant, namespace), START)
        return lines_behind(txn, namespace, position, self._settings.lag_counted)

    def _take(
        self, scope: tuple[TenantId, Namespace], limit: int, moved: dict[tuple[TenantId, Namespace], Position]
    ) -> int:
        tenant, namespace = scope
        after = self._positions.get(scope, START)
        with self._store.snapshot(tenant) as txn:
            if after.complete >= txn.generation(namespace):
                return 0
            page = read_page(txn, namespace, after, limit)
            ids = [record_id for record_id, _ in page.changed]
            for records in live_records(txn, namespace, ids, self._settings.slice_records):
                self._index.apply(tenant, records)
        moved[scope] = page.position
        return page.lines

    def _remember(self, moved: dict[tuple[TenantId, Namespace], Position]) -> None:
        for tenant in sorted({tenant for tenant, _ in moved}):
            marks = {
                mark_name(LEXICAL, namespace): Mark(self._index.incarnation, position, self._index.sequence)
                for (owner, namespace), position in moved.items()
                if owner == tenant
            }
            put_marks(self._store, tenant, marks)
        self._positions = {**self._positions, **moved}

    def _left(self) -> int:
        left = 0
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                left += sum(self.lag(txn, namespace) for namespace in txn.namespaces())
        return left

    def _scopes_in_turn(self) -> Iterator[tuple[TenantId, Namespace]]:
        """All scopes, beginning with another one each time, so that a busy namespace starves no other."""
        scopes: list[tuple[TenantId, Namespace]] = []
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                scopes += [(tenant, namespace) for namespace in txn.namespaces()]
        start = self._turn % len(scopes) if scopes else 0
        self._turn += 1
        yield from scopes[start:] + scopes[:start]

    def _adopt_marks(self) -> None:
        marks = dict(self._marks())
        ours = {scope: mark for scope, mark in marks.items() if mark.files == self._index.incarnation}
        if self._index.usable and not self._store.read_only:
            if self._index.documents() and not ours:
                self._index.reset("belonged to another store")
            elif any(mark.sequence > self._index.sequence for mark in ours.values()):
                self._index.reset("was older than the store knows it")
                ours = {}
            elif not marks:
                self._index.note = ""
        self._positions = {scope: mark.position for scope, mark in ours.items()}

    def _marks(self) -> Iterator[tuple[tuple[TenantId, Namespace], Mark]]:
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                for namespace in txn.namespaces():
                    mark = read_mark(txn, LEXICAL, namespace)
                    if mark is not None:
                        yield (tenant, namespace), mark

    def _recover(self) -> None:
        """Look at the files again after a failure; where they are damaged, start over from the store."""
        before = self._index.incarnation
        self._index.reopen()
        if self._index.incarnation != before:
            self._positions = {}
