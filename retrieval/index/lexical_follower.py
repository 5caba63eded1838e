"""Keeps the lexical index up with the store: reads the change log, commits, then marks how far it came.

A mark is written only after the index has committed what it covers, so a crash between the two repeats work and loses
none: taking a change in twice is the same as once. A purge leaves no line in any log: what is in the index is compared
with what namespaces there are, each by the filling it is of, and a mark goes with its namespace; so a purge is noticed
however late, and over any crash.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final

from retrieval.errors import IndexUnavailable
from retrieval.index.change_pages import lines_behind, live_records, read_page
from retrieval.index.lexical import LexicalIndex
from retrieval.index.lexical_fields import scope as scope_of
from retrieval.index.positions import START, Mark, Position, Reached, put_marks, read_mark
from retrieval.index.progress import LEXICAL, Advanced, FollowerSettings
from retrieval.store.interface import Snapshot, Store
from workingset.vocabulary import Generation, Namespace, TenantId

Scope = tuple[TenantId, Namespace]


class LexicalFollower:
    """Follows the change log of every namespace. One `advance` runs at a time; the rest is safe from any thread."""

    def __init__(self, store: Store, index: LexicalIndex, settings: FollowerSettings) -> None:
        """Read the marks; an index that they do not know, or know to have been further, is emptied."""
        self._store: Final = store
        self._index: Final = index
        self._settings: Final = settings
        self._working: Final = threading.Lock()
        self._reached: dict[Scope, Reached] = {}
        self._emptied: set[str] = set()
        self._turn = 0
        self._adopt_marks()

    def advance(self, max_changes: int) -> Advanced:
        """Take in at most so many lines of the log; raises IndexUnavailable, StoreUnavailable."""
        if self._store.read_only:
            left = self._left()
            return Advanced(left=left, failed="the store is read-only: nothing is taken in" if left else "")
        with self._working:
            taken = 0
            moved: dict[Scope, Reached] = {}
            try:
                scopes = self._scopes_in_turn()
                dropped = self._drop_purged(scopes)
                for scope, _ in scopes:
                    if taken >= max_changes:
                        break
                    taken += self._take(scope, max_changes - taken, moved)
                if moved or dropped:
                    self._index.commit()
            except IndexUnavailable:
                self._recover()
                raise
            self._remember(moved)
            if not moved:
                self._index.reseal()
            return Advanced(taken=taken, left=self._left())

    def drop_purged(self) -> None:
        """Lose the documents of purged namespaces now; `advance` does too. Raises IndexUnavailable."""
        with self._working:
            if self._store.read_only:
                return
            try:
                if self._drop_purged(self._scopes()):
                    self._index.commit()
            except IndexUnavailable:
                self._recover()
                raise

    def generation(self, tenant: TenantId, namespace: Namespace) -> Generation:
        """The newest generation whose changes are searchable completely."""
        reached = self._reached.get((tenant, namespace))
        return START.complete if reached is None else reached.position.complete

    def lag(self, txn: Snapshot, namespace: Namespace) -> int:
        """How many changes are missing, counted up to the settings' `lag_counted`."""
        return lines_behind(txn, namespace, self._position(txn, namespace), self._settings.lag_counted)

    def follows(self, txn: Snapshot, namespace: Namespace) -> bool:
        """True where what the index holds is of the namespace that the snapshot sees, not of a purged one."""
        reached = self._reached.get((txn.tenant, namespace))
        return reached is not None and reached.incarnation == txn.incarnation(namespace)

    def _position(self, txn: Snapshot, namespace: Namespace) -> Position:
        """Where to go on in the namespace as the snapshot sees it."""
        reached = self._reached.get((txn.tenant, namespace))
        return START if reached is None or reached.incarnation != txn.incarnation(namespace) else reached.position

    def _drop_purged(self, scopes: list[tuple[Scope, int]]) -> bool:
        """Remove documents of scopes that the store does not have, or not in the filling that they are of."""
        known: set[str] = set()
        for scope, incarnation in scopes:
            reached = self._reached.get(scope)
            if reached is not None and reached.incarnation == incarnation:
                known.add(scope_of(*scope))
        stale = self._index.scopes() - known - self._emptied
        removed = [name for name in sorted(stale) if self._index.documents_of(name)]
        for name in removed:
            self._index.remove_scope(name)
        self._emptied |= stale
        return bool(removed)

    def _take(self, scope: Scope, limit: int, moved: dict[Scope, Reached]) -> int:
        tenant, namespace = scope
        with self._store.snapshot(tenant) as txn:
            incarnation, after = txn.incarnation(namespace), self._position(txn, namespace)
            if after.complete >= txn.generation(namespace):
                return 0
            page = read_page(txn, namespace, after, limit)
            ids = [record_id for record_id, _ in page.changed]
            for records in live_records(txn, namespace, ids, self._settings.slice_records):
                self._index.apply(tenant, records)
        self._emptied.discard(scope_of(tenant, namespace))
        moved[scope] = Reached(incarnation, page.position)
        return page.lines

    def _remember(self, moved: dict[Scope, Reached]) -> None:
        for tenant in sorted({tenant for tenant, _ in moved}):
            marks = {
                namespace: (
                    reached.incarnation,
                    Mark(self._index.incarnation, reached.position, self._index.sequence),
                )
                for (owner, namespace), reached in moved.items()
                if owner == tenant
            }
            put_marks(self._store, tenant, LEXICAL, marks)
        self._reached = {**self._reached, **moved}

    def _left(self) -> int:
        left = 0
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                left += sum(self.lag(txn, namespace) for namespace in txn.namespaces())
        return left

    def _scopes(self) -> list[tuple[Scope, int]]:
        """All scopes with their incarnations."""
        scopes: list[tuple[Scope, int]] = []
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                scopes += [((tenant, namespace), txn.incarnation(namespace)) for namespace in txn.namespaces()]
        return scopes

    def _scopes_in_turn(self) -> list[tuple[Scope, int]]:
        """The same, beginning with another one each time, so that a busy namespace starves no other."""
        scopes = self._scopes()
        start = self._turn % len(scopes) if scopes else 0
        self._turn += 1
        return scopes[start:] + scopes[:start]

    def _adopt_marks(self) -> None:
        marks = dict(self._marks())
        ours = {scope: held for scope, held in marks.items() if held[1].files == self._index.incarnation}
        if self._index.usable and not self._store.read_only:
            if self._index.documents() and not ours:
                self._index.reset("belonged to another store, or to namespaces that were purged")
            elif any(mark.sequence > self._index.sequence for _, mark in ours.values()):
                self._index.reset("was older than the store knows it")
                ours = {}
            elif not marks:
                self._index.note = ""
        self._reached = {scope: Reached(incarnation, mark.position) for scope, (incarnation, mark) in ours.items()}

    def _marks(self) -> Iterator[tuple[Scope, tuple[int, Mark]]]:
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                for namespace in txn.namespaces():
                    mark = read_mark(txn, LEXICAL, namespace)
                    if mark is not None:
                        yield (tenant, namespace), (txn.incarnation(namespace), mark)

    def _recover(self) -> None:
        """Look at the files again after a failure; where they are damaged, start over from the store."""
        before = self._index.incarnation
        self._emptied = set()
        self._index.reopen()
        if self._index.incarnation != before:
            self._reached = {}
