"""A small store with indexes beside it, filled by hand: what tests of retrieval work in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import xxhash

from retrieval.deadline import Deadline, never
from retrieval.execution import Order, as_given
from retrieval.lanes.lane import Lane
from retrieval.lanes.vector import Demand
from retrieval.project import Query, Retrieval
from retrieval.ranking.query_class import QueryClass
from retrieval.ranking.ranker import Ranker
from retrieval.record import Edge, Name, NameKind, Record
from retrieval.relations import BUILT_IN, Role
from retrieval.settings import RetrievalSettings
from retrieval.store.interface import Store, WriteTransaction
from retrieval.text.embedding import embedding_text
from tests.fakes import FakeClock, FakeEmbedder, FakeLexical, FakeProgress, FakeVector
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.candidate import Projection
from workingset.vocabulary import Digest, Generation, Lines, Namespace, Ref, TenantId

TENANT = TenantId("t")
CODE = Namespace("code")


def record(
    local: str,
    text: str,
    *,
    title: str = "",
    path: str = "",
    namespace: Namespace = CODE,
    symbols: Sequence[str] = (),
    lines: Lines | None = None,
    valid_from: int = 0,
    valid_until: int = 0,
    from_file: bool = False,
) -> Record:
    """A record named `namespace:local`, with its path and symbols as exact names."""
    names = [Name(NameKind.SYMBOL, symbol) for symbol in symbols]
    if path:
        parts = path.split("/")
        names += [Name(NameKind.PATH, "/".join(parts[start:])) for start in range(len(parts))]
    digest = Digest(xxhash.xxh3_128_hexdigest(f"note\0{title}\0{path}\0{text}".encode()))
    return Record(
        ref=Ref(f"{namespace}:{local}"),
        namespace=namespace,
        kind="note",
        title=title,
        text=text,
        outline=text,
        gist=text.partition("\n")[0],
        digest=digest,
        path=path,
        lines=lines,
        source_digest=digest if from_file else Digest(""),
        names=tuple(names),
        valid_from_seconds=valid_from,
        valid_until_seconds=valid_until,
    )


def edge(source: Record, relation: str, target: Record, role: Role | None = None) -> Edge:
    """An edge between two records; a relation that is not built in needs a role."""
    return Edge(source.ref, relation, target.ref, role or BUILT_IN[relation])


class World:
    """A tenant's store with caught-up fake indexes."""

    def __init__(self, store: Store | None = None) -> None:
        self.store: Store = store or MemoryStore(MemoryDisk())
        self.lexical = FakeLexical()
        self.vector = FakeVector()
        self.embedder = FakeEmbedder()
        self.progress = FakeProgress()
        self.clock = FakeClock()

    def put(self, *records: Record, edges: Sequence[Edge] = (), vectors: bool = True) -> None:
        """Write records and edges in one transaction and index them; without `vectors` the vector index lags."""

        def job(txn: WriteTransaction) -> None:
            for each in records:
                txn.put_record(each)
            for link in edges:
                txn.put_edge(link)

        self.store.write(TENANT, job)
        with self.store.snapshot(TENANT) as txn:
            for each in records:
                record_id = txn.record_id(each.ref)
                assert record_id is not None
                self.lexical.put(TENANT, record_id, each)
                if vectors:
                    self.vector.put(TENANT, each.namespace, record_id, self.embedder.embed([embedding_text(each)])[0])
        self.embedder.calls = 0

    def link(self, *edges: Edge) -> None:
        """Write edges between records that are there."""

        def job(txn: WriteTransaction) -> None:
            for each in edges:
                assert txn.put_edge(each)

        self.store.write(TENANT, job)

    def unlink(self, *edges: Edge) -> None:
        """End edges that are there."""

        def job(txn: WriteTransaction) -> None:
            for each in edges:
                assert txn.remove_edge(each.source, each.relation, each.target)

        self.store.write(TENANT, job)

    def remove(self, *refs: Ref, from_indexes: bool = True) -> None:
        """Remove records; the indexes may be left behind."""
        ids = {ref: self.id_of(ref) for ref in refs}

        def job(txn: WriteTransaction) -> None:
            for ref in refs:
                assert txn.remove_record(ref)

        self.store.write(TENANT, job)
        for ref, record_id in ids.items():
            if from_indexes:
                namespace = Namespace(ref.partition(":")[0])
                self.lexical.drop(TENANT, namespace, record_id)
                self.vector.drop(TENANT, namespace, record_id)

    def id_of(self, ref: Ref) -> int:
        """The record's number in the store."""
        with self.store.snapshot(TENANT) as txn:
            record_id = txn.record_id(ref)
        assert record_id is not None
        return record_id

    def generation(self, namespace: Namespace = CODE) -> Generation:
        """The namespace's newest generation."""
        with self.store.snapshot(TENANT) as txn:
            return txn.generation(namespace)

    def retrieval(
        self,
        settings: RetrievalSettings | None = None,
        *,
        demand: Demand | None = None,
        extra_lanes: Sequence[Lane] = (),
        ranked_by: Mapping[QueryClass, Ranker] | None = None,
        order: Order = as_given,
    ) -> Retrieval:
        """Retrieval over this world's indexes."""
        return Retrieval(
            self.lexical,
            self.vector,
            self.embedder,
            self.progress,
            demand,
            settings or RetrievalSettings(),
            extra_lanes=extra_lanes,
            ranked_by=ranked_by,
            order=order,
        )

    def ask(
        self, query: Query | str, retrieval: Retrieval | None = None, deadline: Deadline | None = None
    ) -> Projection:
        """Project a query, over the namespace `code` where it names none."""
        asked = Query(query) if isinstance(query, str) else query
        if not asked.namespaces:
            asked = replace(asked, namespaces=(CODE,))
        with self.store.snapshot(TENANT) as txn:
            return (retrieval or self.retrieval()).project(txn, asked, deadline or self.within(60.0))

    def within(self, seconds: float) -> Deadline:
        """A deadline by this world's clock."""
        return Deadline(self.clock.seconds + seconds, self.clock, never)


def refs(projection: Projection) -> list[Ref]:
    """The ranked refs, best first."""
    return [candidate.ref for candidate in projection.ranked]
