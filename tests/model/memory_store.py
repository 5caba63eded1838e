"""A naive engine of the store interface, kept in memory: the model that real engines are compared with.

Everything is a plain dictionary or list that is searched from end to end; a write works on a deep copy of all of it.
What must survive reopening is held by a `MemoryDisk`.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from retrieval.errors import BadField, ClaimLost, ReadOnlyStore, StoreUnavailable, UnknownRef
from retrieval.record import Edge, NameKind, Record, RecordChange, StoredEdge
from retrieval.relations import BUILT_IN, Role, role_of
from retrieval.store.interface import Claim, NamespaceCounts, RecordPage, StoredSet, WriteTransaction
from workingset.vocabulary import AgentId, Cut, Digest, Epoch, Generation, Namespace, Ref, TenantId, Turn

T = TypeVar("T")
_FOREVER = Generation(2**63)
_LONGEST_LOCAL_BYTES = 503
_LONGEST_AGENT_BYTES = 507


@dataclass
class Span:
    """An edge with the generations, of each end's namespace, from which and until which it is valid."""

    edge: Edge
    from_source: Generation
    from_target: Generation
    until_source: Generation = _FOREVER
    until_target: Generation = _FOREVER


@dataclass
class Tenant:
    """All that one tenant has stored."""

    generations: dict[Namespace, Generation] = field(default_factory=dict)
    ids: dict[Ref, int] = field(default_factory=dict)
    versions: dict[Ref, list[Record]] = field(default_factory=dict)
    names: set[tuple[Namespace, NameKind, str, int]] = field(default_factory=set)
    changes: dict[tuple[Namespace, Generation, int], RecordChange] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    roles: dict[str, Role] = field(default_factory=dict)
    vectors: dict[tuple[str, Digest], bytes] = field(default_factory=dict)
    sets: dict[AgentId, StoredSet] = field(default_factory=dict)
    receipts: dict[tuple[AgentId, Turn], bytes] = field(default_factory=dict)
    answers: dict[AgentId, dict[str, bytes]] = field(default_factory=dict)
    marks: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Contents:
    """A whole store. Record ids are allotted from 1 over all tenants."""

    tenants: dict[TenantId, Tenant] = field(default_factory=dict)
    last_record_id: int = 0


@dataclass
class MemoryDisk:
    """What a memory store keeps when it is closed."""

    contents: Contents = field(default_factory=Contents)
    open: bool = False


class MemorySnapshot:
    """Reads of one tenant in contents that nobody changes."""

    def __init__(self, contents: Contents, tenant: TenantId) -> None:
        self._contents = contents
        self._tenant = tenant

    @property
    def tenant(self) -> TenantId:
        return self._tenant

    @property
    def _mine(self) -> Tenant:
        return self._contents.tenants.get(self._tenant, Tenant())

    def namespaces(self) -> tuple[Namespace, ...]:
        return tuple(sorted(self._mine.generations))

    def generation(self, namespace: Namespace) -> Generation:
        return self._mine.generations.get(namespace, Generation(0))

    def cut(self, namespaces: Iterable[Namespace]) -> Cut:
        return Cut.of({namespace: self.generation(namespace) for namespace in namespaces})

    def counts(self, namespace: Namespace) -> NamespaceCounts:
        kinds: dict[str, int] = {}
        for record in self._live(namespace):
            kinds[record.kind] = kinds.get(record.kind, 0) + 1
        edges = sum(_space(span.edge.source) == namespace for span in self._live_spans())
        return NamespaceCounts(self.generation(namespace), sum(kinds.values()), edges, tuple(sorted(kinds.items())))

    def record(self, ref: Ref, at: Generation | None = None) -> Record | None:
        visible = [v for v in self._mine.versions.get(ref, []) if at is None or v.generation <= at]
        return visible[-1] if visible else None

    def record_id(self, ref: Ref) -> int | None:
        return self._mine.ids.get(ref)

    def ref_of(self, record_id: int) -> Ref | None:
        return next((ref for ref, known in self._mine.ids.items() if known == record_id), None)

    def records_by_id(self, record_ids: Sequence[int], cut: Cut) -> list[Record | None]:
        found: list[Record | None] = []
        for record_id in record_ids:
            ref = self.ref_of(record_id)
            at = None if ref is None else cut.at(_space(ref))
            found.append(None if ref is None or at is None else self.record(ref, at))
        return found

    def find(self, namespace: Namespace, kind: NameKind, text: str, limit: int) -> list[int]:
        named = sorted(i for n, k, name, i in self._mine.names if (n, k, name) == (namespace, kind, text))
        return named[: max(limit, 0)]

    def find_prefix(self, namespace: Namespace, kind: NameKind, prefix: str, limit: int) -> list[tuple[str, int]]:
        named = [(name, i) for n, k, name, i in self._mine.names if (n, k) == (namespace, kind)]
        return sorted(pair for pair in named if pair[0].startswith(prefix))[: max(limit, 0)]

    def edges_from(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        spans = [
            span
            for span in self._mine.spans
            if span.edge.source == ref and _valid(span.from_source, span.until_source, at)
        ]
        return _listed(spans, roles, limit, lambda edge: (edge.relation, edge.target))

    def edges_to(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        spans = [
            span
            for span in self._mine.spans
            if span.edge.target == ref and _valid(span.from_target, span.until_target, at)
        ]
        return _listed(spans, roles, limit, lambda edge: (edge.relation, edge.source))

    def neighbours(self, record_id: int, *, limit: int) -> list[tuple[int, str, bool]]:
        ref, ids = self.ref_of(record_id), self._mine.ids
        edges = [span.edge for span in self._live_spans()]
        found = [(ids[edge.target], edge.relation, True) for edge in edges if edge.source == ref]
        found += [(ids[edge.source], edge.relation, False) for edge in edges if edge.target == ref]
        return sorted(found)[: max(limit, 0)]

    def relation_role(self, relation: str) -> Role | None:
        return None if relation in BUILT_IN else self._mine.roles.get(relation)

    def relations(self, namespace: Namespace) -> tuple[tuple[str, Role], ...]:
        edges = [span.edge for span in self._live_spans() if _space(span.edge.source) == namespace]
        return tuple(sorted({edge.relation: edge.role for edge in edges}.items()))

    def changes(self, namespace: Namespace, after: Generation, limit: int) -> list[RecordChange]:
        lines = self._log(namespace, (after, 2**63))
        if len(lines) <= limit:
            return lines
        split = lines[limit].generation if limit > 0 else after
        return [line for line in lines[: max(limit, 0)] if line.generation != split] or lines[: max(limit, 0)]

    def changes_page(self, namespace: Namespace, after: tuple[Generation, int], limit: int) -> list[RecordChange]:
        return self._log(namespace, after)[: max(limit, 0)]

    def list_records(
        self, namespace: Namespace, after: int, limit: int, *, kind: str = "", path_prefix: str = "", source: str = ""
    ) -> RecordPage:
        ids = self._mine.ids
        matching = [
            record
            for record in self._live(namespace)
            if ids[record.ref] > after
            and (not kind or record.kind == kind)
            and record.path.startswith(path_prefix)
            and (not source or record.source == source)
        ]
        page = matching[: max(limit, 0)]
        return RecordPage(tuple(page), ids[page[-1].ref] if page and len(matching) > len(page) else None)

    def path_records(self, namespace: Namespace, path: str) -> list[Record]:
        found = [record for record in self._live(namespace) if path and record.path == path]
        return sorted(found, key=lambda record: (record.lines.start if record.lines else 0, record.ref))

    def paths(self, namespace: Namespace, source: str) -> Iterator[tuple[str, Digest]]:
        digests: dict[str, set[Digest]] = {}
        for record in self._live(namespace):
            if record.path and record.source == source:
                digests.setdefault(record.path, set()).add(record.source_digest)
        return iter([(path, found.pop() if len(found) == 1 else Digest("")) for path, found in sorted(digests.items())])

    def vector(self, model: str, digest: Digest) -> bytes | None:
        return self._mine.vectors.get((model, digest))

    def vectors(self, model: str, digests: Sequence[Digest]) -> list[bytes | None]:
        return [self.vector(model, digest) for digest in digests]

    def working_set(self, agent: AgentId) -> StoredSet | None:
        return self._mine.sets.get(agent)

    def agents(self, after: AgentId | None, limit: int) -> list[AgentId]:
        return [agent for agent in sorted(self._mine.sets) if after is None or agent > after][: max(limit, 0)]

    def receipt(self, agent: AgentId, turn: Turn) -> bytes | None:
        return self._mine.receipts.get((agent, turn))

    def answered(self, agent: AgentId, request_id: str) -> bytes | None:
        return self._mine.answers.get(agent, {}).get(request_id)

    def mark(self, name: str) -> bytes | None:
        return self._mine.marks.get(name)

    def _live(self, namespace: Namespace) -> list[Record]:
        """In the order of record ids."""
        newest = [self._mine.versions[ref][-1] for ref in sorted(self._mine.ids, key=self._mine.ids.__getitem__)]
        return [record for record in newest if record.namespace == namespace and not record.removed]

    def _live_spans(self) -> list[Span]:
        return [span for span in self._mine.spans if span.until_source == _FOREVER]

    def _log(self, namespace: Namespace, after: tuple[int, int]) -> list[RecordChange]:
        log = self._mine.changes
        return [log[key] for key in sorted(log) if key[0] == namespace and (key[1], key[2]) > after]


class MemoryTransaction(MemorySnapshot):
    """Writes of one tenant to contents that are thrown away or kept as a whole."""

    def __init__(self, contents: Contents, tenant: TenantId) -> None:
        super().__init__(contents, tenant)
        self._touched: set[Namespace] = set()

    def put_record(self, record: Record) -> Generation:
        _check_record(record)
        before = self.record(record.ref)
        if before is not None and not before.removed:
            same = replace(record, text=before.text, outline=before.outline, gist=before.gist)
            if replace(same, generation=before.generation) == before:
                return before.generation
        mine = self._settled()
        if record.ref not in mine.ids:
            self._contents.last_record_id += 1
            mine.ids[record.ref] = self._contents.last_record_id
        self._write(record, replace(record, generation=self._touch(record.namespace)))
        for name in record.names:
            mine.names.add((record.namespace, name.kind, name.text, mine.ids[record.ref]))
        return self.generation(record.namespace)

    def remove_record(self, ref: Ref) -> bool:
        before = self.record(ref)
        if before is None or before.removed:
            return False
        generation = self._touch(before.namespace)
        gone = replace(before, text="", outline="", gist="", removed=True, generation=generation)
        self._write(before, gone)
        for span in self._live_spans():
            if ref in (span.edge.source, span.edge.target):
                self._end(span)
        return True

    def put_edge(self, edge: Edge) -> bool:
        _checked("relation", edge.relation)
        for end in (edge.source, edge.target):
            record = self.record(end)
            if record is None or record.removed:
                raise UnknownRef(end)
        mine = self._settled()
        role = role_of(edge.relation, edge.role, mine.roles.get(edge.relation))
        live = self._live_span(edge.source, edge.relation, edge.target)
        if live is not None:
            if live.edge.best_effort == edge.best_effort:
                return False
            self._end(live)
        mine.roles[edge.relation] = role
        began = self._touch(_space(edge.source)), self._touch(_space(edge.target))
        mine.spans.append(Span(replace(edge, role=role), *began))
        return True

    def remove_edge(self, source: Ref, relation: str, target: Ref) -> bool:
        live = self._live_span(source, relation, target)
        if live is None:
            return False
        self._end(live)
        return True

    def put_vector(self, model: str, digest: Digest, vector: bytes) -> None:
        self._settled().vectors[_checked("model", model), Digest(_checked("digest", digest))] = vector

    def save_working_set(self, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
        _checked("agent", claim.agent, _LONGEST_AGENT_BYTES)
        stored = self.working_set(claim.agent)
        if claim.revision if stored is None else claim != stored.claim:
            raise ClaimLost(f"the working set of {claim.agent!r} is not at {claim}")
        moved = Claim(claim.agent, epoch, turn, claim.revision + 1)
        self._settled().sets[claim.agent] = StoredSet(moved, encoded)
        return moved

    def put_receipt(self, agent: AgentId, turn: Turn, encoded: bytes) -> None:
        self._settled().receipts[AgentId(_checked("agent", agent)), turn] = encoded

    def put_answer(self, agent: AgentId, request_id: str, encoded: bytes, keep: int) -> None:
        kept = self._settled().answers.setdefault(AgentId(_checked("agent", agent)), {})
        kept.pop(_checked("request_id", request_id), None)
        kept[request_id] = encoded
        while len(kept) > max(keep, 0):
            del kept[next(iter(kept))]

    def put_mark(self, name: str, value: bytes) -> None:
        self._settled().marks[_checked("name", name)] = value

    def _settled(self) -> Tenant:
        return self._contents.tenants.setdefault(self._tenant, Tenant())

    def _touch(self, namespace: Namespace) -> Generation:
        if namespace not in self._touched:
            self._touched.add(namespace)
            self._mine.generations[namespace] = Generation(self.generation(namespace) + 1)
        return self.generation(namespace)

    def _write(self, before: Record, version: Record) -> None:
        versions = self._mine.versions.setdefault(before.ref, [])
        if versions and versions[-1].generation == version.generation:
            versions.pop()
        versions.append(version)
        record_id = self._mine.ids[version.ref]
        line = RecordChange(version.generation, version.ref, record_id, version.removed, version.digest)
        self._mine.changes[version.namespace, version.generation, record_id] = line

    def _live_span(self, source: Ref, relation: str, target: Ref) -> Span | None:
        for span in self._live_spans():
            if (span.edge.source, span.edge.relation, span.edge.target) == (source, relation, target):
                return span
        return None

    def _end(self, span: Span) -> None:
        span.until_source = self._touch(_space(span.edge.source))
        span.until_target = self._touch(_space(span.edge.target))


class MemoryStore:
    """The engine: one lock, and contents that are replaced at every commit."""

    def __init__(self, disk: MemoryDisk, *, read_only: bool = False) -> None:
        self._disk = disk
        self._read_only = read_only
        self._writing = threading.Lock()
        self._closed = False

    @property
    def read_only(self) -> bool:
        return self._read_only

    @contextmanager
    def snapshot(self, tenant: TenantId) -> Generator[MemorySnapshot]:
        yield MemorySnapshot(self._opened(), tenant)

    def write(self, tenant: TenantId, job: Callable[[WriteTransaction], T]) -> T:
        if self._read_only:
            raise ReadOnlyStore("the store was opened for reading only")
        with self._writing:
            contents = copy.deepcopy(self._opened())
            result = job(MemoryTransaction(contents, tenant))
            self._disk.contents = contents
        return result

    def tenants(self) -> tuple[TenantId, ...]:
        return tuple(sorted(self._opened().tenants))

    def bytes_used(self) -> int:
        return len(repr(self._opened()).encode(errors="surrogatepass"))

    def close(self) -> None:
        self._closed = True

    def _opened(self) -> Contents:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return self._disk.contents


def _space(ref: Ref) -> Namespace:
    return Namespace(ref.partition(":")[0])


def _valid(began: Generation, until: Generation, at: Generation | None) -> bool:
    return until == _FOREVER if at is None else began <= at < until


def _listed(
    spans: list[Span], roles: frozenset[Role] | None, limit: int, key: Callable[[Edge], tuple[str, Ref]]
) -> list[StoredEdge]:
    chosen = [span for span in spans if roles is None or span.edge.role in roles]
    chosen.sort(key=lambda span: key(span.edge))
    return [StoredEdge(span.edge, span.from_source) for span in chosen[: max(limit, 0)]]


def _checked(name: str, text: str, longest: int | None = None) -> str:
    try:
        taken = len(text.encode())
    except UnicodeEncodeError as error:
        raise BadField(name, "not valid Unicode") from error
    if longest is not None and taken > longest:
        raise BadField(name, f"at most {longest} bytes")
    return text


def _check_record(record: Record) -> None:
    namespace, colon, local = record.ref.partition(":")
    if record.removed:
        raise BadField("removed", "remove the record instead")
    if not colon or namespace != record.namespace:
        raise BadField("ref", "not of the form namespace:name")
    _checked("ref", local, _LONGEST_LOCAL_BYTES)
    for name in ("kind", "title", "text", "outline", "gist", "digest", "path", "language", "source", "origin"):
        _checked(name, getattr(record, name))
    for known in record.names:
        _checked("names", known.text)
    for pair in record.attributes:
        _checked("attributes", pair[0])
        _checked("attributes", pair[1])
