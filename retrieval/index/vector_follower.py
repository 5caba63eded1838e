"""Keeps the vector index up with the store, in two strides: scan the change log, then embed what has no vector.

The scan adds whatever has a canonical vector in the store already, keyed by the digest of the embedded text, so equal
text is embedded once in a tenant, and a lost index is rebuilt without the model. What has none waits in memory, and is
embedded: what current goals asked for first, then what lies near working sets, then the newest changes. Vectors are
stored before they are indexed.

Under a new model the index starts empty and answers with what it has, while everything is embedded again in that order:
vectors of two models are never compared, lanes say which share is covered, and what goals need first is there first.
The old model's vectors go when the new one covers all of a tenant.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from retrieval.index.change_pages import lines_behind, live_records, read_page
from retrieval.index.positions import START, Mark, put_marks, read_mark
from retrieval.index.progress import VECTOR, Advanced, FollowerSettings
from retrieval.index.sensor import Embedder
from retrieval.index.unstored import UnstoredVectors
from retrieval.index.vector import VectorIndex
from retrieval.index.vector_collector import VectorCollector
from retrieval.index.vector_making import VectorMaking
from retrieval.index.vector_near import NearSets, around
from retrieval.index.vector_queue import Scope, VectorQueue
from retrieval.store.interface import Snapshot, Store
from retrieval.text.embedding import UNEMBEDDED_KINDS, embedding_digest, embedding_text
from workingset.vocabulary import Generation, Namespace, Ref, TenantId


class VectorFollower:
    """Follows every namespace. `advance` and `save` run one at a time; the rest is safe from any thread."""

    def __init__(
        self,
        store: Store,
        index: VectorIndex,
        embedder: Embedder,
        unstored: UnstoredVectors,
        settings: FollowerSettings,
    ) -> None:
        """Load the saved files that the marks vouch for; whatever else there is, is scanned anew."""
        self._store: Final = store
        self._index: Final = index
        self._settings: Final = settings
        self._working: Final = threading.Lock()
        self._queue: Final = VectorQueue(settings.preferred_records, settings.near.records)
        self._near: Final = NearSets(settings.near)
        self._making: Final = VectorMaking(store, embedder, unstored, settings.slice_records)
        self._collector: Final = VectorCollector(store, index.model, settings.collector)
        self._notes: dict[Scope, str] = {}
        self._refused: dict[Scope, int] = {}
        self._incarnations: dict[Scope, int] = {}
        self._swept = False
        self._load()

    def advance(self, max_texts: int) -> Advanced:
        """Store, scan, then embed at most so many texts, or else collect; raises IndexUnavailable, StoreUnavailable.

        A read-only store is scanned only: what has no vector stays without, and `failed` says so.
        """
        with self._working:
            if not self._store.read_only:
                self._drop_purged()
                self._making.store_waiting()
            taken, refused = self._scan_all()
            if self._store.read_only:
                waits = any(self._queue.pending(scope) for scope in self._queue.scopes())
                failed = "the store is read-only: missing vectors are not made" if waits else ""
                return Advanced(taken, self._left(), 0, refused, failed)
            self._look_around()
            embedded, bad = self._embed_pending(max_texts)
            collected = 0 if taken or embedded else self._collector.step(self._complete)
            return Advanced(taken, self._left(), embedded, refused + bad, collected=collected)

    def drop_purged(self) -> None:
        """Lose the vectors of purged namespaces now, files too; `advance` does too. Raises IndexUnavailable."""
        with self._working:
            if not self._store.read_only:
                self._drop_purged()

    def prefer(self, tenant: TenantId, record_ids: Iterable[int]) -> None:
        """Embed these first, where they have no vector yet; the latest call's come before all."""
        self._queue.prefer(tenant, record_ids)

    def hold(self, tenant: TenantId, owner: str, refs: Sequence[Ref]) -> None:
        """The owner's working set holds these now: embed what lies near them after what is preferred."""
        self._near.hold(tenant, owner, refs)

    def generation(self, tenant: TenantId, namespace: Namespace) -> Generation:
        """The newest generation all of whose records have their vector in the index."""
        return self._queue.low((tenant, namespace)).complete

    def lag(self, txn: Snapshot, namespace: Namespace) -> int:
        """How many records wait for a vector or a look, counted up to the settings' `lag_counted`."""
        scope, most = (txn.tenant, namespace), self._settings.lag_counted
        if not self.follows(txn, namespace):
            return lines_behind(txn, namespace, START, most)
        return min(most, self._queue.pending(scope) + lines_behind(txn, namespace, self._queue.scanned(scope), most))

    def follows(self, txn: Snapshot, namespace: Namespace) -> bool:
        """True where what the index holds is of the namespace that the snapshot sees, not of a purged one."""
        return self._incarnations.get((txn.tenant, namespace)) == txn.incarnation(namespace)

    def note(self, tenant: TenantId, namespace: Namespace) -> str:
        """Why the namespace's vectors were rebuilt, and how many were refused, or ""."""
        refused = self._refused.get((tenant, namespace), 0)
        parts = (self._notes.get((tenant, namespace), ""), f"{refused} vectors refused" if refused else "")
        return "; ".join(part for part in parts if part)

    def save(self) -> None:
        """Write what changed to files, each whole, then mark it; raises IndexUnavailable, StoreUnavailable."""
        if self._store.read_only:
            return
        with self._working:
            self._drop_purged()
            for tenant, namespace in self._queue.scopes():
                if self._index.unsaved(tenant, namespace):
                    position = self._queue.low((tenant, namespace))
                    mark = Mark(self._index.save(tenant, namespace), position, model=self._index.model)
                    marks = {namespace: (self._incarnations[tenant, namespace], mark)}
                    put_marks(self._store, tenant, VECTOR, marks)

    def _drop_purged(self) -> None:
        living = dict(self._living())
        for scope, incarnation in list(self._incarnations.items()):
            if living.get(scope) != incarnation:
                self._drop(scope)
        if not self._swept:  # files that no mark vouched for may be of namespaces that nobody remembers
            self._index.sweep(self._incarnations)
            self._swept = True

    def _living(self) -> Iterator[tuple[Scope, int]]:
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                for namespace in txn.namespaces():
                    yield (tenant, namespace), txn.incarnation(namespace)

    def _drop(self, scope: Scope) -> None:
        self._index.drop(*scope)
        self._queue.forget(scope)
        self._collector.saw(scope[0], ())
        self._notes.pop(scope, None)
        self._refused.pop(scope, None)
        self._incarnations.pop(scope, None)

    def _look_around(self) -> None:
        """Let what lies near the sets that moved go before the rest, in the tenants in which anything waits: elsewhere
        sets are remembered for what comes in beside them later."""
        waiting = {scope[0] for scope in self._queue.scopes() if self._queue.pending(scope)}
        for tenant, refs in self._near.taken(waiting) if waiting else ():
            with self._store.snapshot(tenant) as txn:
                self._queue.near(tenant, around(txn, refs, self._settings.near))

    def _complete(self, tenant: TenantId) -> bool:
        """True where no live record of the tenant waits for its vector or a look."""
        with self._store.snapshot(tenant) as txn:
            return not any(self.lag(txn, namespace) for namespace in txn.namespaces())

    def _scan_all(self) -> tuple[int, int]:
        """(lines looked at, vectors refused); namespaces that are behind share the settings' `scan_changes`."""
        taken = refused = 0
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                behind = [ns for ns in txn.namespaces() if self._scanned(tenant, ns) < txn.generation(ns)]
                for namespace in behind:
                    lines, bad = self._scan(txn, namespace, max(1, self._settings.scan_changes // len(behind)))
                    taken, refused = taken + lines, refused + bad
        return taken, refused

    def _scan(self, txn: Snapshot, namespace: Namespace, limit: int) -> tuple[int, int]:
        scope, incarnation = (txn.tenant, namespace), txn.incarnation(namespace)
        if self._incarnations.setdefault(scope, incarnation) != incarnation:
            self._drop(scope)
            self._incarnations[scope] = incarnation
        if self._queue.pending(scope) >= self._settings.pending_records:
            return 0, 0
        page = read_page(txn, namespace, self._queue.scanned(scope), limit)
        ids = [record_id for record_id, _ in page.changed]
        missing: set[int] = set()
        refused = 0
        for records in live_records(txn, namespace, ids, self._settings.slice_records):
            digests = {
                i: embedding_digest(embedding_text(record))
                for i, record in records
                if record is not None and record.kind not in UNEMBEDDED_KINDS
            }
            self._collector.saw(txn.tenant, digests.values())
            stored = dict(zip(digests, txn.vectors(self._index.model, list(digests.values())), strict=True))
            self._index.remove(*scope, [i for i, _ in records if stored.get(i) is None])
            refused += self._add(scope, [(i, vector) for i, vector in stored.items() if vector is not None])
            missing.update(i for i, vector in stored.items() if vector is None)
        self._queue.looked_at(scope, page, missing)
        return page.lines, refused

    def _embed_pending(self, max_texts: int) -> tuple[int, int]:
        """(texts embedded, vectors refused)."""
        embedded = refused = 0
        chosen = self._queue.chosen(max_texts)
        for start in range(0, len(chosen), self._settings.embed_slice):
            slice_ = sorted(chosen[start : start + self._settings.embed_slice], key=_tenant_of)
            for tenant, wanted in groupby(slice_, key=_tenant_of):
                made, bad = self._embed(tenant, list(wanted))
                embedded, refused = embedded + made, refused + bad
        return embedded, refused

    def _embed(self, tenant: TenantId, wanted: list[tuple[Scope, int]]) -> tuple[int, int]:
        made = self._making.make(tenant, wanted)
        refused = sum(self._add(scope, vectors) for scope, vectors in made.vectors.items())
        for scope, record_id in wanted:
            self._queue.done(scope, [record_id])
        return made.embedded, refused

    def _add(self, scope: Scope, vectors: list[tuple[int, bytes]]) -> int:
        """Index the vectors; returns how many were refused, whose records are left without."""
        refused = self._index.replace(*scope, vectors)
        if refused:
            self._index.remove(*scope, refused)
            self._refused[scope] = self._refused.get(scope, 0) + len(refused)
        return len(refused)

    def _left(self) -> int:
        left = 0
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                left += sum(self.lag(txn, namespace) for namespace in txn.namespaces())
        return left

    def _scanned(self, tenant: TenantId, namespace: Namespace) -> Generation:
        return self._queue.scanned((tenant, namespace)).complete

    def _load(self) -> None:
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                marks = [
                    (namespace, txn.incarnation(namespace), mark)
                    for namespace in txn.namespaces()
                    if (mark := read_mark(txn, VECTOR, namespace)) is not None
                ]
            for namespace, incarnation, mark in marks:
                fault = "is of another model" if mark.model != self._index.model else ""
                fault = fault or self._index.load(tenant, namespace, mark.files)
                if fault:
                    self._notes[tenant, namespace] = f"rebuilt from the store: the vector index {fault}"
                else:
                    self._queue.resume((tenant, namespace), mark.position)
                    self._incarnations[tenant, namespace] = incarnation


def _tenant_of(waiting: tuple[Scope, int]) -> TenantId:
    return waiting[0][0]
