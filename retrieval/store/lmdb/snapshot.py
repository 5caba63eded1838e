"""A read transaction of one tenant: `retrieval.store.interface.Snapshot` over the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from retrieval.record import NameKind, Record, RecordChange, StoredEdge
from retrieval.relations import BUILT_IN, Role
from retrieval.store.interface import Collected, NamespaceCounts, RecordPage, StoredSet, Traces
from retrieval.store.lmdb import (
    changes,
    collecting,
    counts,
    edges,
    lost_needs,
    marks,
    names,
    paths,
    records,
    relations,
    retained,
    traces,
    vectors,
    working_sets,
)
from retrieval.store.lmdb.layout import INCOMING, OUTGOING, U32
from retrieval.store.lmdb.versions import record_at
from retrieval.store.lmdb.view import TenantView
from workingset.vocabulary import AgentId, Cut, Digest, Generation, Namespace, Ref, TenantId, Turn

_NOTHING = NamespaceCounts(Generation(0), 0, 0, ())


class LmdbSnapshot:
    """See `Snapshot`. Raises Conflict where it is closed or was invalidated, StoreCorrupt for what does not decode."""

    def __init__(self, view: TenantView) -> None:
        self._view = view

    @property
    def tenant(self) -> TenantId:
        return self._view.tenant

    def namespaces(self) -> tuple[Namespace, ...]:
        return self._view.spaces()

    def incarnation(self, namespace: Namespace) -> int:
        space = self._view.space(namespace)
        return 0 if space is None else U32.unpack(space.key)[0]

    def generation(self, namespace: Namespace) -> Generation:
        space = self._view.space(namespace)
        return Generation(0) if space is None else space.generation

    def horizon(self, namespace: Namespace) -> Generation:
        space = self._view.space(namespace)
        return Generation(0) if space is None else space.horizon

    def would_collect(self, namespace: Namespace, before: Generation) -> Collected:
        space = self._view.space(namespace)
        return Collected() if space is None else collecting.would_collect(self._view, space, before)

    def cut(self, namespaces: Iterable[Namespace]) -> Cut:
        return Cut.of({namespace: self.generation(namespace) for namespace in namespaces})

    def counts(self, namespace: Namespace) -> NamespaceCounts:
        space = self._view.space(namespace)
        return _NOTHING if space is None else counts.read(self._view, space)

    def record(self, ref: Ref, at: Generation | None = None) -> Record | None:
        record_id = self._view.record_id(ref)
        located = None if record_id is None else self._view.located(record_id)
        if record_id is None or located is None:
            return None
        located[0].check_held(at)
        return record_at(self._view, located[0], record_id, at)

    def record_id(self, ref: Ref) -> int | None:
        return self._view.record_id(ref)

    def ref_of(self, record_id: int) -> Ref | None:
        located = self._view.located(record_id)
        return None if located is None else located[1]

    def records_by_id(self, record_ids: Sequence[int], cut: Cut, *, texts: bool = True) -> list[Record | None]:
        return records.by_ids(self._view, record_ids, cut, texts=texts)

    def find(self, namespace: Namespace, kind: NameKind, text: str, limit: int) -> list[int]:
        space = self._view.space(namespace)
        return [] if space is None else names.find(self._view, space, kind, text, limit)

    def find_prefix(self, namespace: Namespace, kind: NameKind, prefix: str, limit: int) -> list[tuple[str, int]]:
        space = self._view.space(namespace)
        return [] if space is None else names.find_prefix(self._view, space, kind, prefix, limit)

    def edges_from(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        return edges.touching(self._view, ref, at, roles, limit, OUTGOING)

    def edges_to(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        return edges.touching(self._view, ref, at, roles, limit, INCOMING)

    def neighbours(
        self, record_id: int, *, limit: int, ways: frozenset[tuple[str, bool]] | None = None
    ) -> list[tuple[int, str, bool]]:
        return edges.neighbours(self._view, record_id, limit, ways)

    def lost_needs(self, record_id: int, *, limit: int) -> list[int]:
        return lost_needs.of(self._view, record_id, limit)

    def has_lost_needs(self) -> bool:
        return lost_needs.any_of(self._view)

    def relation_role(self, relation: str) -> Role | None:
        known = None if relation in BUILT_IN else relations.by_name(self._view, relation)
        return None if known is None else known.role

    def relations(self, namespace: Namespace) -> tuple[tuple[str, Role], ...]:
        """Relations of the live edges that start in the namespace, by name."""
        space = self._view.space(namespace)
        numbers = [] if space is None else counts.live_relations(self._view, space)
        known = (relations.by_number(self._view, number) for number in numbers)
        return tuple(sorted(((known.name, known.role) for known in known if known is not None), key=_first))

    def changes(self, namespace: Namespace, after: Generation, limit: int) -> list[RecordChange]:
        space = self._view.space(namespace)
        return [] if space is None else changes.whole_generations(self._view, space, after, limit)

    def changes_page(self, namespace: Namespace, after: tuple[Generation, int], limit: int) -> list[RecordChange]:
        space = self._view.space(namespace)
        return [] if space is None else changes.page(self._view, space, after, limit)

    def list_records(
        self, namespace: Namespace, after: int, limit: int, *, kind: str = "", path_prefix: str = "", source: str = ""
    ) -> RecordPage:
        return records.listing(self._view, namespace, after, limit, kind=kind, path_prefix=path_prefix, source=source)

    def path_records(self, namespace: Namespace, path: str, *, texts: bool = True) -> list[Record]:
        space = self._view.space(namespace)
        ids = [] if space is None else paths.ids_at(self._view, space, path)
        found = (record_at(self._view, space, record_id, None, texts=texts) for record_id in ids if space is not None)
        return sorted((record for record in found if record is not None), key=_by_line)

    def paths(self, namespace: Namespace, source: str, under: str = "") -> Iterator[tuple[str, Digest]]:
        """(path, source digest); the digest is empty where the path's records disagree about it."""
        space = self._view.space(namespace)
        return iter([] if space is None else paths.of_source(self._view, space, source, under))

    def all_paths(self, namespace: Namespace) -> list[str]:
        space = self._view.space(namespace)
        return [] if space is None else paths.all_of(self._view, space)

    def vector(self, model: str, digest: Digest) -> bytes | None:
        return vectors.get(self._view, model, (digest,))[0]

    def vectors(self, model: str, digests: Sequence[Digest]) -> list[bytes | None]:
        return vectors.get(self._view, model, digests)

    def vector_digests(self, model: str, after: Digest | None, limit: int) -> list[Digest]:
        return vectors.digests(self._view, model, after, limit)

    def has_vectors_beside(self, model: str) -> bool:
        return vectors.beside(self._view, model)

    def vectors_in_store(self) -> int:
        return vectors.count_of_all(self._view)

    def working_set(self, agent: AgentId) -> StoredSet | None:
        return working_sets.get(self._view, agent)

    def agents(self, after: AgentId | None, limit: int) -> list[AgentId]:
        return working_sets.agents(self._view, after, limit)

    def receipt(self, agent: AgentId, turn: Turn) -> bytes | None:
        return working_sets.receipt(self._view, agent, turn)

    def retained(self, agent: AgentId, turn: Turn) -> bytes | None:
        return retained.get(self._view, agent, turn)

    def retained_turns(self, agent: AgentId) -> tuple[Turn, ...]:
        return retained.turns(self._view, agent)

    def answered(self, agent: AgentId, request_id: str) -> bytes | None:
        return working_sets.answered(self._view, agent, request_id)

    def mark(self, name: str, namespace: Namespace | None = None) -> bytes | None:
        return marks.get(self._view, name, namespace)

    def traces_of_agent(self, agent: AgentId) -> Traces:
        return traces.of_agent(self._view, agent)

    def traces_of_namespace(self, namespace: Namespace) -> Traces:
        return traces.of_namespace(self._view, namespace)


def _first(pair: tuple[str, Role]) -> str:
    return pair[0]


def _by_line(record: Record) -> tuple[int, Ref]:
    return (0 if record.lines is None else record.lines.start, record.ref)
