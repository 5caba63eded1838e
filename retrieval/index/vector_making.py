"""Makes vectors of records: takes what the store has, embeds what it lacks, each text once, and stores that first.

Vectors are kept by tenant, model and digest of the embedded text, so that equal text is embedded once over commits,
branches and namespaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.index.change_pages import live_records
from retrieval.index.sensor import Embedder
from retrieval.index.unstored import Unstored, UnstoredVectors
from retrieval.index.vector import encoded_vector
from retrieval.index.vector_queue import Scope
from retrieval.store.interface import Store, WriteTransaction
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import TenantId


@dataclass(frozen=True, slots=True)
class Made:
    """Canonical vectors of the live records among those asked for, by namespace, and how many texts were embedded."""

    vectors: dict[Scope, list[tuple[int, bytes]]]
    embedded: int


class VectorMaking:
    """Used by one thread at a time."""

    def __init__(self, store: Store, embedder: Embedder, unstored: UnstoredVectors, slice_records: int) -> None:
        """`slice_records` bounds how many records are read into memory at once."""
        self._store: Final = store
        self._embedder: Final = embedder
        self._unstored: Final = unstored
        self._slice_records: Final = slice_records

    def store_waiting(self) -> None:
        """Store what readers made on demand; raises StoreUnavailable."""
        waiting = self._unstored.waiting()
        for tenant in sorted({vector.tenant for vector in waiting}):
            self._put(tenant, [vector for vector in waiting if vector.tenant == tenant])
        self._unstored.stored(waiting)

    def make(self, tenant: TenantId, wanted: Sequence[tuple[Scope, int]]) -> Made:
        """The vectors of the tenant's records, those missing embedded and stored in one commit.

        Raises IndexUnavailable, StoreUnavailable.
        """
        texts = self._texts(tenant, wanted)
        digests = {at: embedding_digest(text) for at, text in texts.items()}
        with self._store.snapshot(tenant) as txn:
            distinct = list(dict.fromkeys(digests.values()))
            found = zip(distinct, txn.vectors(self._embedder.fingerprint, distinct), strict=True)
            vectors = {digest: vector for digest, vector in found if vector is not None}
        lacking = {digests[at]: text for at, text in texts.items() if digests[at] not in vectors}
        made = dict(zip(lacking, map(encoded_vector, self._embedder.embed(list(lacking.values()))), strict=True))
        if made:
            owners = {digest: record_id for (_, record_id), digest in digests.items()}
            self._put(tenant, [Unstored(tenant, digest, vector, owners[digest]) for digest, vector in made.items()])
        vectors |= made
        by_scope: dict[Scope, list[tuple[int, bytes]]] = {}
        for (scope, record_id), digest in digests.items():
            by_scope.setdefault(scope, []).append((record_id, vectors[digest]))
        return Made(by_scope, len(made))

    def _texts(self, tenant: TenantId, wanted: Sequence[tuple[Scope, int]]) -> dict[tuple[Scope, int], str]:
        by_scope: dict[Scope, list[int]] = {}
        for scope, record_id in wanted:
            by_scope.setdefault(scope, []).append(record_id)
        texts: dict[tuple[Scope, int], str] = {}
        with self._store.snapshot(tenant) as txn:
            for scope, record_ids in by_scope.items():
                for records in live_records(txn, scope[1], record_ids, self._slice_records):
                    texts.update(((scope, i), embedding_text(record)) for i, record in records if record is not None)
        return texts

    def _put(self, tenant: TenantId, vectors: Sequence[Unstored]) -> None:
        """Store vectors of records that are not purged yet: nothing would find the others again to delete them."""
        model = self._embedder.fingerprint

        def job(txn: WriteTransaction) -> None:
            for vector in vectors:
                if txn.ref_of(vector.record_id) is not None:
                    txn.put_vector(model, vector.digest, vector.vector)

        self._store.write(tenant, job)
