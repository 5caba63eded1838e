"""Stores of any size with realistic text and edges, for measuring how calls grow.

The pieces of the standard library, as ingest cuts and links them, are repeated until there are enough: each copy has
paths of its own and a fifth of its words replaced by words of its own, so that vocabulary and postings grow as they
do in real trees. Edges stay within a copy. Vectors are those of some real pieces, shaken a little for each record.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from retrieval.index.sensor import Embedder
from retrieval.ingest.tree import ingest_tree
from retrieval.record import Edge, Name, NameKind, Record
from retrieval.store.interface import Store, WriteTransaction
from retrieval.store.lmdb import open_store
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import Digest, Namespace, Ref, TenantId

TENANT = TenantId("default")
NAMESPACE = Namespace("scale")
_BATCH = 2_000
_WORD = re.compile(r"[A-Za-z_]{4,}")
_OWN_SHARE = 5
_EMBEDDED = 2_000


class Material:
    """Real pieces and their edges by position, and vectors of the first of them."""

    def __init__(self, folder: Path, embedder: Embedder, seed: int) -> None:
        """Read the standard library, once for all sizes, into a store of its own under `folder`."""
        store = open_store(folder / "material")
        try:
            ingest_tree(store, TENANT, NAMESPACE, Path(sysconfig.get_path("stdlib")), source="material")
            self.records, self.edges = _read(store)
        finally:
            store.close()
        self._random = np.random.default_rng(seed)
        texts = [embedding_text(record) for record in self.records[:_EMBEDDED]]
        self.vectors = np.asarray(embedder.embed(texts), dtype=np.float32)

    def copies(self, count: int) -> Iterator[tuple[int, Record]]:
        """`count` records with their places."""
        for place in range(count):
            copy, at = divmod(place, len(self.records))
            yield place, _copied(self.records[at], copy, place)

    def targets(self, place: int) -> tuple[tuple[int, Edge], ...]:
        """Places that the record at a place has edges to, with the edges they copy."""
        copy, at = divmod(place, len(self.records))
        return tuple((copy * len(self.records) + target, edge) for target, edge in self.edges[at])

    def shaken(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.float16]:
        """A unit vector for each place, near one of the real ones."""
        real = self.vectors[places % len(self.vectors)]
        noise = self._random.normal(0.0, 0.5 / np.sqrt(real.shape[1]), real.shape)
        made = real + noise
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype("<f2")


def fill(store: Store, material: Material, count: int, model: str) -> None:
    """Write `count` records with their edges and vectors; does nothing in a store that has them."""
    with store.snapshot(TENANT) as txn:
        if txn.counts(NAMESPACE).records >= count:
            return
    batch: list[tuple[int, Record]] = []
    for one in material.copies(count):
        batch.append(one)
        if len(batch) == _BATCH or one[0] == count - 1:
            _write(store, material, batch, model)
            batch = []


def _read(store: Store) -> tuple[list[Record], list[list[tuple[int, Edge]]]]:
    with store.snapshot(TENANT) as txn:
        records: list[Record] = []
        after: int | None = 0
        while after is not None:
            page = txn.list_records(NAMESPACE, after, 1_000)
            records.extend(page.records)
            after = page.next_after
        places = {record.ref: at for at, record in enumerate(records)}
        edges = [
            [(places[e.edge.target], e.edge) for e in txn.edges_from(record.ref) if e.edge.target in places]
            for record in records
        ]
    return records, edges


def _copied(record: Record, copy: int, place: int) -> Record:
    suffix = f"x{copy}" if copy else ""

    def own(match: re.Match[str]) -> str:
        word = match.group()
        return word + suffix if xxhash.xxh32_intdigest(word.encode()) % _OWN_SHARE == 0 else word

    text = _WORD.sub(own, record.text) if copy else record.text
    path = f"copy{copy}/{record.path}"
    names = tuple(Name(n.kind, _WORD.sub(own, n.text) if copy else n.text) for n in record.names)
    names = (*(n for n in names if n.kind is not NameKind.PATH), Name(NameKind.PATH, path))
    return replace(
        record,
        ref=Ref(f"{NAMESPACE}:r{place}"),
        namespace=NAMESPACE,
        title=_WORD.sub(own, record.title) if copy else record.title,
        text=text,
        path=path,
        source="scale",
        names=names,
        digest=Digest(xxhash.xxh3_128_hexdigest(f"{path}\0{record.lines}\0{text}".encode())),
    )


def _write(store: Store, material: Material, batch: list[tuple[int, Record]], model: str) -> None:
    vectors = material.shaken(np.asarray([place for place, _ in batch], dtype=np.int64))

    def job(txn: WriteTransaction) -> None:
        for (_, record), vector in zip(batch, vectors, strict=True):
            txn.put_record(record)
            txn.put_vector(model, embedding_digest(embedding_text(record)), vector.tobytes())
        first, last = batch[0][0], batch[-1][0]
        for place, record in batch:
            for target, edge in material.targets(place):
                if first <= target <= last and target != place:
                    put = Edge(record.ref, edge.relation, Ref(f"{NAMESPACE}:r{target}"), edge.role, edge.best_effort)
                    txn.put_edge(put)

    store.write(TENANT, job)
