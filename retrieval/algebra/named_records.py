"""The store's records as a side of a join, asked by one kind of exact name."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.algebra.domain import Domain
from retrieval.algebra.join import Page
from retrieval.record import NameKind, Record
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Namespace


@dataclass(frozen=True, slots=True)
class NamedRecords:
    """Live records of a namespace that have a name of the kind at the snapshot's cut, by record number."""

    txn: Snapshot
    namespace: Namespace
    kind: NameKind

    @property
    def domain(self) -> Domain:
        """Names of this kind in this namespace."""
        return Domain(f"{self.kind.value} of {self.namespace}")

    def rows(self, key: str, after: int, limit: int) -> Page[Record]:
        """One page, from the so many-th record on; names of the past that a record no longer has are left out."""
        ids = self.txn.find(self.namespace, self.kind, key, after + limit + 1)[after:]
        records = self.txn.records_by_id(ids[:limit], self.txn.cut((self.namespace,)))
        held = tuple(r for r in records if r is not None and not r.removed and self._has(r, key))
        return Page(held, after + limit if len(ids) > limit else None)

    def _has(self, record: Record, key: str) -> bool:
        return any(name.kind is self.kind and name.text == key for name in record.names)
