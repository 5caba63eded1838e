"""Deletes vectors that nothing needs any more: of models that were replaced, and of texts that no live record has.

Another model's go once the tenant is covered by the one in use: until then, going back to it costs nothing. Vectors of
texts that were changed or removed are kept for a while, since branches are switched back and edits undone; when they
are many they go, by mark and sweep in small steps: the texts of all live records are marked by 64 bits of their digests
(two texts that share them keep one vector too many), then vectors whose text is not marked are deleted. A text that
comes back meanwhile is marked when the follower looks at it, or found to lack its vector and embedded again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import xxhash

from retrieval.store.interface import Store
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import Digest, Namespace, TenantId


@dataclass(frozen=True, slots=True)
class CollectorSettings:
    """When vectors are collected, and how many rows a step looks at."""

    step_rows: int = 512
    """Records or vectors looked at in a step; some 20 ms. A guess."""

    spare_vectors: int = 10_000
    """Vectors of texts that no live record has which are kept: 8 MB. A guess: a branch switch or two."""

    spare_share: float = 0.5
    """Where it is more: as many as this share of the live records. A guess."""

    def __post_init__(self) -> None:
        if self.step_rows < 1 or self.spare_vectors < 0 or not self.spare_share >= 0.0:
            raise ValueError("step_rows: must be at least 1; spare_vectors and spare_share: at least 0")


@dataclass(slots=True)
class _Sweep:
    """A mark and sweep of one tenant: where it is, and the texts that are marked."""

    tenant: TenantId
    namespaces: list[Namespace]
    record: int = 0
    digest: Digest | None = None
    marked: array[int] = field(default_factory=lambda: array("Q"))
    seen: set[int] = field(default_factory=set)
    known: npt.NDArray[np.uint64] | None = None


class VectorCollector:
    """Collects in steps that the follower takes when it has nothing better to do. Used by one thread at a time."""

    def __init__(self, store: Store, model: str, settings: CollectorSettings) -> None:
        """`model` is the fingerprint in use."""
        self._store: Final = store
        self._model: Final = model
        self._settings: Final = settings
        self._sweep: _Sweep | None = None
        self._waiting: list[TenantId] = []
        self._moved = True

    def saw(self, tenant: TenantId, digests: Iterable[Digest]) -> None:
        """Records changed or went, and live ones have these texts now."""
        self._moved = True
        if self._sweep is not None and self._sweep.tenant == tenant:
            self._sweep.seen.update(map(_bits, digests))

    def step(self, complete: Callable[[TenantId], bool]) -> int:
        """Look at a bounded number of rows and return how many; 0 where there is nothing to collect.

        `complete` says whether every live record of a tenant has its vector under the model in use. Raises
        StoreUnavailable.
        """
        for tenant in self._store.tenants():
            deleted = self._drop_replaced(tenant, complete)
            if deleted:
                return deleted
        if self._sweep is None:
            self._sweep = self._begun()
        if self._sweep is None:
            return 0
        return self._mark(self._sweep) if self._sweep.namespaces else self._delete(self._sweep)

    def _drop_replaced(self, tenant: TenantId, complete: Callable[[TenantId], bool]) -> int:
        with self._store.snapshot(tenant) as txn:
            replaced = txn.has_vectors_beside(self._model)
        if not replaced or not complete(tenant):
            return 0
        rows = self._settings.step_rows
        return self._store.write(tenant, lambda txn: txn.drop_vectors_beside(self._model, rows))

    def _begun(self) -> _Sweep | None:
        """A sweep of the next tenant whose turn it is; all tenants' turns come where too many vectors are spare."""
        if not self._waiting and self._moved:
            spare = self._spare_many()
            self._moved = spare is None
            self._waiting = list(self._store.tenants()) if spare else []
        if not self._waiting:
            return None
        tenant = self._waiting.pop(0)
        with self._store.snapshot(tenant) as txn:
            return _Sweep(tenant, list(txn.namespaces()))

    def _spare_many(self) -> bool | None:
        """Whether the vectors that no live record needs are too many; None while another model's are among them."""
        live = held = 0
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                if txn.has_vectors_beside(self._model):
                    return None
                live += sum(txn.counts(namespace).records for namespace in txn.namespaces())
                held = txn.vectors_in_store()
        return held > live + max(self._settings.spare_vectors, self._settings.spare_share * live)

    def _mark(self, sweep: _Sweep) -> int:
        namespace = sweep.namespaces[0]
        with self._store.snapshot(sweep.tenant) as txn:
            page = txn.list_records(namespace, sweep.record, self._settings.step_rows)
        sweep.marked.extend(_bits(embedding_digest(embedding_text(record))) for record in page.records)
        sweep.record = page.next_after or 0
        if page.next_after is None:
            del sweep.namespaces[0]
        return max(1, len(page.records))

    def _delete(self, sweep: _Sweep) -> int:
        if sweep.known is None:
            sweep.known = np.unique(np.frombuffer(sweep.marked, dtype=np.uint64))
        with self._store.snapshot(sweep.tenant) as txn:
            digests = txn.vector_digests(self._model, sweep.digest, self._settings.step_rows)
            unwanted = self._unwanted(sweep, digests)
        if unwanted:
            self._store.write(sweep.tenant, lambda txn: txn.drop_vectors(self._model, unwanted))
        if len(digests) < self._settings.step_rows:
            self._sweep = None
        else:
            sweep.digest = digests[-1]
        return max(1, len(digests))

    def _unwanted(self, sweep: _Sweep, digests: list[Digest]) -> list[Digest]:
        if sweep.known is None or not digests:
            return []
        bits = np.fromiter(map(_bits, digests), dtype=np.uint64, count=len(digests))
        first, behind = np.searchsorted(sweep.known, bits, "left"), np.searchsorted(sweep.known, bits, "right")
        free = np.flatnonzero(first == behind).tolist()
        return [digests[row] for row in free if int(bits[row]) not in sweep.seen]


def _bits(digest: Digest) -> int:
    return xxhash.xxh3_64_intdigest(digest.encode())
