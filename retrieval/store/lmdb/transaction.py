"""A write transaction of one tenant: `retrieval.store.interface.WriteTransaction` over the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from retrieval.errors import BadField
from retrieval.record import Edge, Record
from retrieval.store.interface import Claim, Collected, Forgotten, Purged
from retrieval.store.lmdb import (
    collecting,
    counts,
    edges,
    fresh_records,
    marks,
    purge,
    records,
    retained,
    vectors,
    working_sets,
)
from retrieval.store.lmdb.codec import RecordCodec
from retrieval.store.lmdb.snapshot import LmdbSnapshot
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import AgentId, Digest, Epoch, Generation, Namespace, Ref, Turn


class LmdbTransaction(LmdbSnapshot):
    """See `WriteTransaction`. Raises BadField for what cannot be a key or is not Unicode, before it writes anything."""

    def __init__(self, view: TenantView, codec: RecordCodec, purge_rows: int) -> None:
        """`purge_rows` bounds what one step of a purge or of a collection deletes or looks at."""
        super().__init__(view)
        self._codec = codec
        self._purge_rows = purge_rows

    def put_record(self, record: Record) -> Generation:
        return records.put(self._view, self._codec, record)

    def put_records(self, given: Sequence[Record]) -> list[Generation]:
        return fresh_records.put_many(self._view, self._codec, given)

    def remove_record(self, ref: Ref) -> bool:
        return records.remove(self._view, ref)

    def put_edge(self, edge: Edge) -> bool:
        return edges.put(self._view, edge)

    def put_edges(self, given: Sequence[Edge]) -> tuple[int, int]:
        return edges.put_many(self._view, given)

    def remove_edge(self, source: Ref, relation: str, target: Ref) -> bool:
        return edges.remove(self._view, source, relation, target)

    def put_vector(self, model: str, digest: Digest, vector: bytes) -> None:
        vectors.put(self._view, model, digest, vector)

    def drop_vectors(self, model: str, digests: Iterable[Digest]) -> int:
        return vectors.drop(self._view, model, digests)

    def drop_vectors_beside(self, model: str, limit: int) -> int:
        return vectors.drop_beside(self._view, model, limit)

    def save_working_set(self, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
        return working_sets.save(self._view, claim, epoch, turn, encoded)

    def put_receipt(self, agent: AgentId, turn: Turn, encoded: bytes) -> None:
        working_sets.put_receipt(self._view, agent, turn, encoded)

    def put_retained(self, agent: AgentId, turn: Turn, encoded: bytes, keep: int) -> None:
        retained.put(self._view, agent, turn, encoded, keep)

    def put_answer(self, agent: AgentId, request_id: str, encoded: bytes, keep: int) -> None:
        working_sets.put_answer(self._view, agent, request_id, encoded, keep)

    def put_mark(self, name: str, value: bytes, namespace: Namespace | None = None) -> bool:
        return marks.put(self._view, name, value, namespace)

    def drop_working_set(self, claim: Claim) -> None:
        working_sets.drop(self._view, claim)

    def forget_agent(self, agent: AgentId) -> Forgotten:
        return working_sets.forget(self._view, agent)

    def purge_namespace(self, namespace: Namespace) -> Purged:
        space = self._view.space(namespace)
        if space is not None:
            purge.hide(self._view, space)
        return self.purge_further()

    def purge_further(self) -> Purged:
        return purge.Purge(self._view, self._purge_rows).run()

    def collect_history(self, namespace: Namespace, before: Generation) -> Collected:
        space = self._view.space(namespace)
        if space is not None:
            if before > space.generation:
                raise BadField("before_generation", f"{namespace!r} has come to {space.generation}, not to {before}")
            collecting.raise_horizon(self._view, space, before)
        return self.collect_further()

    def collect_further(self) -> Collected:
        return collecting.further(self._view, self._purge_rows)

    def finish(self) -> None:
        """Write what was kept back: generations, counts and counters. Called once, when the job has returned."""
        for space in self._view.touched():
            counts.flush(self._view, space)
        self._view.flush()
