"""A store with both indexes over it, as the daemon wires them, for the tests of the indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import xxhash

from retrieval.index.follower import FollowerSettings, IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.sensor import Embedder, Hit, WeightedTerm
from retrieval.index.vector import VectorIndex, VectorSettings
from retrieval.record import Record
from retrieval.store.interface import Store, WriteTransaction
from retrieval.store.lmdb import open_store
from retrieval.text.tokens import analyse
from tests.contract.hashing_embedder import HashingEmbedder
from workingset.vocabulary import Digest, Namespace, Ref, TenantId

TENANT = TenantId("t")
NAMESPACE = Namespace("n")


def record(local: str, text: str, *, title: str = "", path: str = "", namespace: Namespace = NAMESPACE) -> Record:
    """A record as ingest would make it."""
    digest = Digest(xxhash.xxh3_128_hexdigest("\x1f".join((title, path, text)).encode()))
    return Record(Ref(f"{namespace}:{local}"), namespace, "note", title, text, text, text[:20], digest, path=path)


@dataclass
class Room:
    """The parts, and the few things that tests do with them."""

    home: Path
    store: Store
    lexical: LexicalIndex
    vector: VectorIndex
    embedder: Embedder
    follower: IndexFollower

    def put(self, *records: Record, tenant: TenantId = TENANT) -> None:
        def job(txn: WriteTransaction) -> None:
            for each in records:
                txn.put_record(each)

        self.store.write(tenant, job)

    def remove(self, *refs: str, tenant: TenantId = TENANT) -> None:
        def job(txn: WriteTransaction) -> None:
            for ref in refs:
                txn.remove_record(Ref(ref))

        self.store.write(tenant, job)

    def catch_up(self) -> None:
        while self.follower.advance_lexical(1000).left or self.follower.advance_vectors(1000).left:
            pass

    def names(self, hits: Sequence[Hit], tenant: TenantId = TENANT) -> list[str]:
        with self.store.snapshot(tenant) as txn:
            return [str(txn.ref_of(hit.record_id)) for hit in hits]

    def words(
        self, text: str, *, tenant: TenantId = TENANT, namespaces: Sequence[Namespace] = (NAMESPACE,), limit: int = 10
    ) -> list[str]:
        terms = [WeightedTerm(term, 1.0) for term in dict.fromkeys(analyse(text))]
        return self.names(self.lexical.search(tenant, namespaces, terms, limit), tenant)

    def nearest(
        self, text: str, *, tenant: TenantId = TENANT, namespace: Namespace = NAMESPACE, limit: int = 10
    ) -> list[str]:
        return self.names(self.vector.search(tenant, namespace, self.embedder.embed([text])[0], limit), tenant)

    def notes(self, namespace: Namespace = NAMESPACE) -> dict[str, str]:
        with self.store.snapshot(TENANT) as txn:
            return {state.name: state.note for state in self.follower.states(txn, namespace)}

    def close(self) -> None:
        self.follower.close()
        self.store.close()

    def crash(self) -> None:
        """Let go of everything without saving, as a killed process does."""
        self.lexical.close()
        self.store.close()


def open_room(
    home: Path,
    *,
    embedder: Embedder | None = None,
    vectors: VectorSettings | None = None,
    settings: FollowerSettings | None = None,
    store: Store | None = None,
) -> Room:
    """Open, or make, the store and the indexes in a directory."""
    embedder = embedder or HashingEmbedder()
    store = store or open_store(home / "store")
    lexical = LexicalIndex(home / "lexical", read_only=store.read_only)
    vector = VectorIndex(home / "vectors", embedder.fingerprint, embedder.dimensions, vectors)
    follower = IndexFollower(store, lexical, vector, embedder, settings)
    return Room(home, store, lexical, vector, embedder, follower)
