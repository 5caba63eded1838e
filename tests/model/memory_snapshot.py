"""What the naive engine keeps, and its reads: plain dictionaries and lists that are searched from end to end."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from retrieval.errors import CutExpired
from retrieval.record import Edge, NameKind, Record, RecordChange, StoredEdge
from retrieval.relations import BUILT_IN, Role
from retrieval.store.interface import Collected, NamespaceCounts, RecordPage, StoredSet, Traces
from retrieval.text.embedding import embedding_digest, embedding_text
from workingset.vocabulary import AgentId, Cut, Digest, Generation, Namespace, Ref, TenantId, Turn

FOREVER = Generation(2**63)


@dataclass
class Span:
    """An edge with the generations, of each end's namespace, from which and until which it is valid."""

    edge: Edge
    from_source: Generation
    from_target: Generation
    until_source: Generation = FOREVER
    until_target: Generation = FOREVER


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
    retained: dict[tuple[AgentId, Turn], bytes] = field(default_factory=dict)
    horizons: dict[Namespace, Generation] = field(default_factory=dict)
    lost: set[tuple[Ref, Ref, str]] = field(default_factory=set)
    answers: dict[AgentId, dict[str, bytes]] = field(default_factory=dict)
    marks: dict[tuple[Namespace | None, str], bytes] = field(default_factory=dict)
    incarnations: dict[Namespace, int] = field(default_factory=dict)
    largest_purged: Generation = Generation(0)
    largest_forgotten: int = 0


@dataclass
class Contents:
    """A whole store. Record ids and incarnations are allotted from 1 over all tenants."""

    tenants: dict[TenantId, Tenant] = field(default_factory=dict)
    last_record_id: int = 0
    last_incarnation: int = 0


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

    def incarnation(self, namespace: Namespace) -> int:
        return self._mine.incarnations.get(namespace, 0)

    def generation(self, namespace: Namespace) -> Generation:
        return self._mine.generations.get(namespace, Generation(0))

    def horizon(self, namespace: Namespace) -> Generation:
        return self._mine.horizons.get(namespace, Generation(0))

    def would_collect(self, namespace: Namespace, before: Generation) -> Collected:
        return collected_from(copy.deepcopy(self._mine), namespace, before)

    def _check_held(self, namespace: Namespace, at: Generation | None) -> None:
        if at is not None and at < self.horizon(namespace):
            raise CutExpired(f"{namespace!r} before {self.horizon(namespace)}")

    def cut(self, namespaces: Iterable[Namespace]) -> Cut:
        return Cut.of({namespace: self.generation(namespace) for namespace in namespaces})

    def counts(self, namespace: Namespace) -> NamespaceCounts:
        kinds: dict[str, int] = {}
        for record in self._live(namespace):
            kinds[record.kind] = kinds.get(record.kind, 0) + 1
        edges = sum(space_of(span.edge.source) == namespace for span in self._live_spans())
        return NamespaceCounts(self.generation(namespace), sum(kinds.values()), edges, tuple(sorted(kinds.items())))

    def record(self, ref: Ref, at: Generation | None = None) -> Record | None:
        if ref in self._mine.ids:
            self._check_held(space_of(ref), at)
        visible = [v for v in self._mine.versions.get(ref, []) if at is None or v.generation <= at]
        return visible[-1] if visible else None

    def record_id(self, ref: Ref) -> int | None:
        return self._mine.ids.get(ref)

    def ref_of(self, record_id: int) -> Ref | None:
        return next((ref for ref, known in self._mine.ids.items() if known == record_id), None)

    def records_by_id(self, record_ids: Sequence[int], cut: Cut, *, texts: bool = True) -> list[Record | None]:
        found: list[Record | None] = []
        for namespace, generation in cut.generations:
            self._check_held(namespace, generation)
        for record_id in record_ids:
            ref = self.ref_of(record_id)
            at = None if ref is None else cut.at(space_of(ref))
            record = None if ref is None or at is None else self.record(ref, at)
            found.append(record if record is None or texts else _textless(record))
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
        if ref in self._mine.ids and limit > 0:
            self._check_held(space_of(ref), at)
        spans = [
            span
            for span in self._mine.spans
            if span.edge.source == ref and _valid(span.from_source, span.until_source, at)
        ]
        return _listed(spans, roles, limit, lambda edge: (edge.relation, edge.target))

    def edges_to(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        if ref in self._mine.ids and limit > 0:
            self._check_held(space_of(ref), at)
        spans = [
            span
            for span in self._mine.spans
            if span.edge.target == ref and _valid(span.from_target, span.until_target, at)
        ]
        return _listed(spans, roles, limit, lambda edge: (edge.relation, edge.source))

    def neighbours(
        self, record_id: int, *, limit: int, ways: frozenset[tuple[str, bool]] | None = None
    ) -> list[tuple[int, str, bool]]:
        ref, ids = self.ref_of(record_id), self._mine.ids
        edges = [span.edge for span in self._live_spans()]
        found = [(ids[edge.target], edge.relation, True) for edge in edges if edge.source == ref]
        found += [(ids[edge.source], edge.relation, False) for edge in edges if edge.target == ref]
        return sorted(one for one in found if ways is None or one[1:] in ways)[: max(limit, 0)]

    def lost_needs(self, record_id: int, *, limit: int) -> list[int]:
        ref, ids = self.ref_of(record_id), self._mine.ids
        return sorted({ids[needed] for needing, needed, _ in self._mine.lost if needing == ref})[: max(limit, 0)]

    def has_lost_needs(self) -> bool:
        return bool(self._mine.lost)

    def relation_role(self, relation: str) -> Role | None:
        return None if relation in BUILT_IN else self._mine.roles.get(relation)

    def relations(self, namespace: Namespace) -> tuple[tuple[str, Role], ...]:
        edges = [span.edge for span in self._live_spans() if space_of(span.edge.source) == namespace]
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

    def path_records(self, namespace: Namespace, path: str, *, texts: bool = True) -> list[Record]:
        found = [record for record in self._live(namespace) if path and record.path == path]
        found.sort(key=lambda record: (record.lines.start if record.lines else 0, record.ref))
        return found if texts else [_textless(record) for record in found]

    def paths(self, namespace: Namespace, source: str, under: str = "") -> Iterator[tuple[str, Digest]]:
        digests: dict[str, set[Digest]] = {}
        for record in self._live(namespace):
            inside = not under or record.path == under or record.path.startswith(under + "/")
            if record.path and record.source == source and inside:
                digests.setdefault(record.path, set()).add(record.source_digest)
        return iter([(path, found.pop() if len(found) == 1 else Digest("")) for path, found in sorted(digests.items())])

    def all_paths(self, namespace: Namespace) -> list[str]:
        return sorted({record.path for record in self._live(namespace) if record.path})

    def vector(self, model: str, digest: Digest) -> bytes | None:
        return self._mine.vectors.get((model, digest))

    def vectors(self, model: str, digests: Sequence[Digest]) -> list[bytes | None]:
        return [self.vector(model, digest) for digest in digests]

    def vector_digests(self, model: str, after: Digest | None, limit: int) -> list[Digest]:
        held = sorted(digest for of, digest in self._mine.vectors if of == model)
        return [digest for digest in held if after is None or digest > after][: max(limit, 0)]

    def has_vectors_beside(self, model: str) -> bool:
        return any(of != model for of, _ in self._mine.vectors)

    def vectors_in_store(self) -> int:
        return sum(len(each.vectors) for each in self._contents.tenants.values())

    def working_set(self, agent: AgentId) -> StoredSet | None:
        return self._mine.sets.get(agent)

    def agents(self, after: AgentId | None, limit: int) -> list[AgentId]:
        return [agent for agent in sorted(self._mine.sets) if after is None or agent > after][: max(limit, 0)]

    def receipt(self, agent: AgentId, turn: Turn) -> bytes | None:
        return self._mine.receipts.get((agent, turn))

    def retained(self, agent: AgentId, turn: Turn) -> bytes | None:
        return self._mine.retained.get((agent, turn))

    def retained_turns(self, agent: AgentId) -> tuple[Turn, ...]:
        return tuple(sorted(turn for owner, turn in self._mine.retained if owner == agent))

    def answered(self, agent: AgentId, request_id: str) -> bytes | None:
        return self._mine.answers.get(agent, {}).get(request_id)

    def mark(self, name: str, namespace: Namespace | None = None) -> bytes | None:
        return self._mine.marks.get((namespace, name))

    def traces_of_agent(self, agent: AgentId) -> Traces:
        mine = self._mine
        return Traces(
            (
                ("sets", int(agent in mine.sets)),
                ("receipts", sum(owner == agent for owner, _ in mine.receipts)),
                ("retained", sum(owner == agent for owner, _ in mine.retained)),
                ("answers", len(mine.answers.get(agent, {}))),
            )
        )

    def traces_of_namespace(self, namespace: Namespace) -> Traces:
        mine = self._mine
        every = [version for versions in mine.versions.values() for version in versions]
        texts = {vector_digest(version) for version in every if not version.removed}
        return Traces(
            (
                ("generations", int(namespace in mine.generations)),
                ("incarnations", int(namespace in mine.incarnations)),
                ("ids", sum(space_of(ref) == namespace for ref in mine.ids)),
                ("versions", sum(len(kept) for ref, kept in mine.versions.items() if space_of(ref) == namespace)),
                ("names", sum(of == namespace for of, *_ in mine.names)),
                ("changes", sum(of == namespace for of, *_ in mine.changes)),
                ("horizons", int(namespace in mine.horizons)),
                ("lost", sum(namespace in (space_of(one), space_of(other)) for one, other, _ in mine.lost)),
                ("spans", sum(namespace in spaces_of(span) for span in mine.spans)),
                ("vectors", sum(digest not in texts for _, digest in mine.vectors)),
                ("marks", sum(of == namespace for of, _ in mine.marks)),
            )
        )

    def _live(self, namespace: Namespace) -> list[Record]:
        """In the order of record ids."""
        newest = [self._mine.versions[ref][-1] for ref in sorted(self._mine.ids, key=self._mine.ids.__getitem__)]
        return [record for record in newest if record.namespace == namespace and not record.removed]

    def _live_spans(self) -> list[Span]:
        return [span for span in self._mine.spans if span.until_source == FOREVER]

    def _log(self, namespace: Namespace, after: tuple[int, int]) -> list[RecordChange]:
        log = self._mine.changes
        return [log[key] for key in sorted(log) if key[0] == namespace and (key[1], key[2]) > after]


def collected_from(mine: Tenant, namespace: Namespace, before: Generation) -> Collected:
    """Take out of a tenant what only cuts below the generation show, and count it."""
    if namespace not in mine.generations:
        return Collected()
    horizon = mine.horizons[namespace] = max(before, mine.horizons.get(namespace, Generation(0)))
    if not horizon:
        del mine.horizons[namespace]
    versions = changes = dropped = 0
    for ref, record_id in mine.ids.items():
        reached = [v for v in mine.versions[ref] if v.generation <= horizon] if space_of(ref) == namespace else []
        if not reached:
            continue
        gone, stands = reached[:-1], reached[-1]
        mine.versions[ref] = kept = mine.versions[ref][len(gone) :]
        versions += len(gone)
        changes += sum(
            mine.changes.pop((namespace, version.generation, record_id), None) is not None for version in gone
        )
        unnamed = {name for version in [*gone, *([stands] if stands.removed else [])] for name in version.names}
        unnamed -= {name for version in kept if not version.removed for name in version.names}
        rows = {(namespace, name.kind, name.text, record_id) for name in unnamed} & mine.names
        mine.names -= rows
        dropped += len(rows)
        texts = {vector_digest(version) for version in gone if not version.removed}
        texts -= {vector_digest(version) for version in kept if not version.removed}
        mine.vectors = {key: vector for key, vector in mine.vectors.items() if key[1] not in texts}
    past = [span for span in mine.spans if namespace in spaces_of(span) and _is_past(mine, span)]
    mine.spans = [span for span in mine.spans if span not in past]
    edges = sum(span.from_source < span.until_source for span in past)
    return Collected(versions, edges, changes, dropped)


def _is_past(mine: Tenant, span: Span) -> bool:
    ends = ((span.edge.source, span.until_source), (span.edge.target, span.until_target))
    return all(until <= mine.horizons.get(space_of(ref), 0) for ref, until in ends)


def space_of(ref: Ref) -> Namespace:
    """The namespace of a ref."""
    return Namespace(ref.partition(":")[0])


def spaces_of(span: Span) -> set[Namespace]:
    """The namespaces of an edge's ends."""
    return {space_of(span.edge.source), space_of(span.edge.target)}


def vector_digest(version: Record) -> Digest:
    """The digest under which the vector of a version's text is kept."""
    return embedding_digest(embedding_text(version))


def _valid(began: Generation, until: Generation, at: Generation | None) -> bool:
    return until == FOREVER if at is None else began <= at < until


def _listed(
    spans: list[Span], roles: frozenset[Role] | None, limit: int, key: Callable[[Edge], tuple[str, Ref]]
) -> list[StoredEdge]:
    chosen = [span for span in spans if roles is None or span.edge.role in roles]
    chosen.sort(key=lambda span: key(span.edge))
    return [StoredEdge(span.edge, span.from_source) for span in chosen[: max(limit, 0)]]


def _textless(record: Record) -> Record:
    return replace(record, text="", outline="", gist="")
