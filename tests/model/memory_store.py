"""A naive engine of the store interface, kept in memory: the model that real engines are compared with.

A write works on a deep copy of all there is (`memory_snapshot`). What must survive reopening is held by a `MemoryDisk`.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from retrieval.errors import BadField, ClaimLost, ReadOnlyStore, StoreUnavailable, UnknownRef
from retrieval.record import Edge, Record, RecordChange
from retrieval.relations import NEEDED_BY_TARGET, Role, role_of
from retrieval.store.interface import Claim, Collected, Forgotten, Purged, StoredSet, WriteTransaction
from tests.model.memory_snapshot import (
    FOREVER,
    Contents,
    MemorySnapshot,
    Span,
    Tenant,
    collected_from,
    space_of,
    spaces_of,
    vector_digest,
)
from workingset.vocabulary import AgentId, Digest, Epoch, Generation, Namespace, Ref, TenantId, Turn

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
_LONGEST_LOCAL_BYTES = 503
_LONGEST_AGENT_BYTES = 507


@dataclass
class MemoryDisk:
    """What a memory store keeps when it is closed."""

    contents: Contents = field(default_factory=Contents)
    open: bool = False


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
        mine.lost = {lost for lost in mine.lost if lost[0] != record.ref}
        self._write(record, replace(record, generation=self._touch(record.namespace)))
        for name in record.names:
            mine.names.add((record.namespace, name.kind, name.text, mine.ids[record.ref]))
        return self.generation(record.namespace)

    def put_records(self, given: Sequence[Record]) -> list[Generation]:
        return [self.put_record(record) for record in given]

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
                needing, needed = _need(span.edge)
                if span.edge.role is Role.MANDATORY and needed == ref != needing:
                    self._mine.lost.add((needing, needed, span.edge.relation))
        self._mine.lost = {lost for lost in self._mine.lost if lost[0] != ref}
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
        began = self._touch(space_of(edge.source)), self._touch(space_of(edge.target))
        mine.lost.discard((*_need(edge), edge.relation))
        mine.spans.append(Span(replace(edge, role=role), *began))
        return True

    def put_edges(self, given: Sequence[Edge]) -> tuple[int, int]:
        begun = unknown = 0
        for edge in given:
            try:
                begun += self.put_edge(edge)
            except UnknownRef:
                unknown += 1
        return begun, unknown

    def remove_edge(self, source: Ref, relation: str, target: Ref) -> bool:
        self._mine.lost.discard((*_need(Edge(source, relation, target, Role.MANDATORY)), relation))
        live = self._live_span(source, relation, target)
        if live is None:
            return False
        self._end(live)
        return True

    def put_vector(self, model: str, digest: Digest, vector: bytes) -> None:
        self._settled().vectors[_checked("model", model), Digest(_checked("digest", digest))] = vector

    def drop_vectors(self, model: str, digests: Iterable[Digest]) -> int:
        vectors = self._settled().vectors
        return sum(vectors.pop((model, digest), None) is not None for digest in digests)

    def drop_vectors_beside(self, model: str, limit: int) -> int:
        vectors = self._settled().vectors
        others = sorted(key for key in vectors if key[0] != model)[: max(limit, 0)]
        for key in others:
            del vectors[key]
        return len(others)

    def save_working_set(self, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
        _checked("agent", claim.agent, _LONGEST_AGENT_BYTES)
        stored = self.working_set(claim.agent)
        if claim.revision if stored is None else claim != stored.claim:
            raise ClaimLost(f"the working set of {claim.agent!r} is not at {claim}")
        before = self._mine.largest_forgotten if stored is None else claim.revision
        moved = Claim(claim.agent, epoch, turn, before + 1)
        self._settled().sets[claim.agent] = StoredSet(moved, encoded)
        return moved

    def put_receipt(self, agent: AgentId, turn: Turn, encoded: bytes) -> None:
        self._settled().receipts[AgentId(_checked("agent", agent)), turn] = encoded

    def put_retained(self, agent: AgentId, turn: Turn, encoded: bytes, keep: int) -> None:
        mine = self._settled()
        if keep > 0:
            mine.retained[AgentId(_checked("agent", agent)), turn] = encoded
        held = sorted(key for key in mine.retained if key[0] == agent)
        for key in held[: max(0, len(held) - max(keep, 0))]:
            del mine.retained[key]

    def put_answer(self, agent: AgentId, request_id: str, encoded: bytes, keep: int) -> None:
        kept = self._settled().answers.setdefault(AgentId(_checked("agent", agent)), {})
        kept.pop(_checked("request_id", request_id), None)
        kept[request_id] = encoded
        while len(kept) > max(keep, 0):
            del kept[next(iter(kept))]

    def put_mark(self, name: str, value: bytes, namespace: Namespace | None = None) -> bool:
        _checked("name", name)
        if namespace is not None and namespace not in self._mine.generations:
            return False
        self._settled().marks[namespace, name] = value
        return True

    def drop_working_set(self, claim: Claim) -> None:
        stored = self.working_set(claim.agent)
        if stored is None or stored.claim != claim:
            raise ClaimLost(f"the working set of {claim.agent!r} is not at {claim}")
        self._mine.largest_forgotten = max(self._mine.largest_forgotten, claim.revision)
        del self._mine.sets[claim.agent]

    def forget_agent(self, agent: AgentId) -> Forgotten:
        mine = self._mine
        stored = mine.sets.pop(agent, None)
        if stored is not None:
            mine.largest_forgotten = max(mine.largest_forgotten, stored.claim.revision)
        receipts = [key for key in mine.receipts if key[0] == agent]
        for key in receipts:
            del mine.receipts[key]
        retained = _drop(mine.retained, lambda key: key[0] == agent)
        return Forgotten(int(stored is not None), len(receipts), len(mine.answers.pop(agent, {})), retained)

    def purge_namespace(self, namespace: Namespace) -> Purged:
        mine = self._mine
        if namespace not in mine.generations:
            return Purged()
        spans = [span for span in mine.spans if namespace in spaces_of(span)]
        for span in spans:
            for other in spaces_of(span) if span.until_source == FOREVER else ():
                if other != namespace:
                    self._touch(other)
        mine.largest_purged = max(mine.largest_purged, mine.generations.pop(namespace))
        del mine.incarnations[namespace]
        mine.horizons.pop(namespace, None)
        mine.lost = {
            (one, other, by) for one, other, by in mine.lost if namespace not in (space_of(one), space_of(other))
        }
        self._touched.discard(namespace)
        mine.spans = [span for span in mine.spans if span not in spans]
        refs = [ref for ref in mine.ids if space_of(ref) == namespace]
        versions = [version for ref in refs for version in mine.versions.pop(ref)]
        texts = {vector_digest(version) for version in versions if not version.removed}
        for ref in refs:
            del mine.ids[ref]
        live = sum(span.until_source == FOREVER for span in spans)
        return Purged(
            records=len(refs),
            versions=len(versions),
            edges=live,
            past_edges=sum(span.from_source < span.until_source < FOREVER for span in spans),
            names=_drop(mine.names, lambda key: key[0] == namespace),
            changes=_drop(mine.changes, lambda key: key[0] == namespace),
            vectors=_drop(mine.vectors, lambda key: key[1] in texts),
            marks=_drop(mine.marks, lambda key: key[0] == namespace),
        )

    def purge_further(self) -> Purged:
        return Purged()

    def collect_history(self, namespace: Namespace, before: Generation) -> Collected:
        if namespace in self._mine.generations and before > self.generation(namespace):
            raise BadField("before_generation", "not reached yet")
        return collected_from(self._mine, namespace, before)

    def collect_further(self) -> Collected:
        return Collected()

    def _settled(self) -> Tenant:
        return self._contents.tenants.setdefault(self._tenant, Tenant())

    def _touch(self, namespace: Namespace) -> Generation:
        if namespace not in self._touched:
            self._touched.add(namespace)
            mine = self._mine
            if namespace not in mine.generations:
                self._contents.last_incarnation += 1
                mine.incarnations[namespace] = self._contents.last_incarnation
                mine.generations[namespace] = mine.largest_purged
            mine.generations[namespace] = Generation(mine.generations[namespace] + 1)
        return self.generation(namespace)

    def _write(self, before: Record, version: Record) -> None:
        versions = self._mine.versions.setdefault(before.ref, [])
        if versions and versions[-1].generation == version.generation:
            versions.pop()
        versions.append(version)
        record_id = self._mine.ids[version.ref]
        earlier = self._mine.changes.get((version.namespace, version.generation, record_id))
        reborn = earlier is not None and not version.removed and (earlier.removed or earlier.reborn)
        line = RecordChange(version.generation, version.ref, record_id, version.removed, version.digest, reborn)
        self._mine.changes[version.namespace, version.generation, record_id] = line

    def _live_span(self, source: Ref, relation: str, target: Ref) -> Span | None:
        for span in self._live_spans():
            if (span.edge.source, span.edge.relation, span.edge.target) == (source, relation, target):
                return span
        return None

    def _end(self, span: Span) -> None:
        span.until_source = self._touch(space_of(span.edge.source))
        span.until_target = self._touch(space_of(span.edge.target))


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


def _need(edge: Edge) -> tuple[Ref, Ref]:
    """Who needs whom by the edge, were it mandatory."""
    return (edge.target, edge.source) if edge.relation in NEEDED_BY_TARGET else (edge.source, edge.target)


def _drop(kept: set[K] | dict[K, V], unwanted: Callable[[K], bool]) -> int:
    """Take keys out; returns how many there were."""
    keys = [key for key in kept if unwanted(key)]
    for key in keys:
        if isinstance(kept, set):
            kept.discard(key)
        else:
            del kept[key]
    return len(keys)


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
