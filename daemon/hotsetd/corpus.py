"""Use cases on knowledge: look at it, list it, take it out. Putting it in is `hotsetd.ingesting`."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hotsetd import limits
from hotsetd.calls import Caller
from hotsetd.config import LimitSettings
from hotsetd.kept_sources import followed_trees
from hotsetd.repeats import answer_again, fingerprint, kept
from hotsetd.standing import standing_of
from retrieval.errors import BadField, StaleCursor, UnknownNamespace, UnknownRef
from retrieval.index.follower import IndexFollower
from retrieval.index.progress import IndexState
from retrieval.ingest.conversations import listen_again, turns_beside
from retrieval.ingest.forgetting import forget_tree
from retrieval.ingest.settings import ConversationSettings
from retrieval.record import Record, StoredEdge
from retrieval.relations import BUILT_IN, Role
from retrieval.store.interface import NamespaceCounts, Snapshot, Store, WriteTransaction
from workingset.vocabulary import AgentId, Cut, Generation, Namespace, Ref, Standing


@dataclass(frozen=True, slots=True)
class Got:
    """One record with its edges both ways; `truncated` says that there are more edges."""

    record: Record
    standing: Standing
    successor: Ref | None
    edges: tuple[StoredEdge, ...]
    truncated: bool
    cut: Cut


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of records with their standing and successor; `next_cursor` is empty on the last."""

    records: tuple[Record, ...]
    standings: tuple[tuple[Standing, Ref | None], ...]
    next_cursor: str
    cut: Cut


@dataclass(frozen=True, slots=True)
class Described:
    """A namespace's counts, relations and indexes."""

    namespace: Namespace
    counts: NamespaceCounts
    relations: tuple[tuple[str, Role], ...]
    indexes: tuple[IndexState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCall:
    """What to list; empty filters let everything through."""

    namespace: str
    kind: str = ""
    path_prefix: str = ""
    page_size: int = 0
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveCall:
    """What to take out: refs, or everything of a source, of a path, or of both."""

    namespace: str
    refs: tuple[str, ...] = ()
    source: str = ""
    path: str = ""
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class Removed:
    """How many records got tombstones, and the generation after; `replayed` where an earlier call did it."""

    count: int
    generation: Generation
    replayed: bool


class _Cursor(msgspec.Struct, frozen=True, array_like=True):
    namespace: str
    generation: int
    after: int
    kind: str
    path_prefix: str


class Corpus:
    """Reads and removals. Safe from any thread."""

    def __init__(
        self,
        store: Store,
        follower: IndexFollower,
        settings: LimitSettings,
        conversations: ConversationSettings,
        written: Callable[[], None],
    ) -> None:
        self._store = store
        self._follower = follower
        self._settings = settings
        self._conversations = conversations
        self._written = written

    def get(self, caller: Caller, ref_text: str, cut: tuple[tuple[str, int], ...]) -> Got:
        """Return a record and its edges; raises UnknownRef, CutExpired."""
        ref = limits.ref("ref", ref_text)
        namespace = Namespace(ref.partition(":")[0])
        with self._store.snapshot(caller.tenant) as txn:
            limits.reached(txn, cut)
            at = Generation(dict(cut)[namespace]) if namespace in dict(cut) else txn.generation(namespace)
            record = txn.record(ref, at)
            if record is None:
                raise UnknownRef(ref)
            limit = self._settings.edges_listed
            edges = [*txn.edges_from(ref, at, limit=limit + 1), *txn.edges_to(ref, at, limit=limit + 1)]
            standing, successor = standing_of(txn, record, at)
        return Got(record, standing, successor, tuple(edges[:limit]), len(edges) > limit, Cut.of({namespace: at}))

    def list_records(self, caller: Caller, call: ListCall) -> Listed:
        """Return one page in a stable order; raises StaleCursor where the namespace moved on since the page before."""
        namespace = _readable(call.namespace, self._settings)
        size = call.page_size or self._settings.page_records
        if size > self._settings.page_records_limit:
            raise BadField("page_size", f"is {size}: at most {self._settings.page_records_limit}")
        with self._store.snapshot(caller.tenant) as txn:
            generation = _generation(txn, namespace)
            after = self._after(call, namespace, generation)
            page = txn.list_records(namespace, after, size, kind=call.kind, path_prefix=call.path_prefix)
            standings = tuple(standing_of(txn, record, None) for record in page.records)
        following = "" if page.next_after is None else _encode(call, namespace, generation, page.next_after)
        return Listed(page.records, standings, following, Cut.of({namespace: generation}))

    def describe(self, caller: Caller, name: str) -> Described:
        """Return what a namespace holds; raises UnknownNamespace."""
        namespace = _readable(name, self._settings)
        with self._store.snapshot(caller.tenant) as txn:
            _generation(txn, namespace)
            return Described(
                namespace,
                txn.counts(namespace),
                tuple(sorted({**BUILT_IN, **dict(txn.relations(namespace))}.items())),
                self._follower.states(txn, namespace),
            )

    def remove(self, caller: Caller, call: RemoveCall) -> Removed:
        """Write tombstones, all or none. Raises UnknownRef where a named ref is not live, and BadField for records of a
        tree that is followed: they are those of its files, and the next scan would bring them back."""
        namespace = limits.namespace_name("namespace", call.namespace, self._settings)
        refs = limits.refs("refs", call.refs, self._settings) if call.refs else ()
        if not (refs or call.source or call.path):
            raise BadField("refs", "name refs, a source or a path: nothing is removed by default")

        agent = AgentId(f"!remove/{namespace}")
        key = limits.request_id("request_id", call.request_id, self._settings)
        mark = fingerprint(call) if key else b""

        def job(txn: WriteTransaction) -> Removed:
            _generation(txn, namespace)
            if key and (stored := txn.answered(agent, key)) is not None:
                done = msgspec.msgpack.decode(answer_again(stored, mark), type=tuple[int, int])
                return Removed(done[0], Generation(done[1]), replayed=True)
            followed = followed_trees(txn, namespace)
            if call.source in followed:
                raise BadField("source", _is_followed(call.source, followed[call.source]))
            selected = self._selected(txn, namespace, call)
            if followed:
                _check_free(txn, refs, "refs", followed)
                _check_free(txn, selected, "path", followed)
            near = turns_beside(txn, namespace, (*refs, *selected))
            for ref in refs:
                if not ref.startswith(f"{namespace}:"):
                    raise BadField("refs", f"{ref!r} is not in namespace {namespace!r}")
                if not txn.remove_record(ref):
                    raise UnknownRef(ref)
            count = len(refs) + sum(txn.remove_record(ref) for ref in selected)
            if call.source and not call.path:
                forget_tree(txn, namespace, call.source)
            listen_again(txn, near, self._conversations)
            generation = txn.generation(namespace)
            if key:
                answer = msgspec.msgpack.encode((count, int(generation)))
                txn.put_answer(agent, key, kept(mark, answer), self._settings.answers_kept)
            return Removed(count, generation, replayed=False)

        removed = self._store.write(caller.tenant, job)
        self._written()
        return removed

    def _selected(self, txn: Snapshot, namespace: Namespace, call: RemoveCall) -> list[Ref]:
        if call.path and not call.source:
            return [record.ref for record in txn.path_records(namespace, call.path)]
        if not call.source:
            return []
        found: list[Ref] = []
        after: int | None = 0
        while after is not None:
            page = txn.list_records(namespace, after, self._settings.page_records_limit, source=call.source)
            found.extend(record.ref for record in page.records if call.path in ("", record.path))
            after = page.next_after
        return found

    def _after(self, call: ListCall, namespace: Namespace, generation: Generation) -> int:
        if not call.cursor:
            return 0
        try:
            cursor = msgspec.json.decode(base64.urlsafe_b64decode(call.cursor), type=_Cursor)
        except (ValueError, msgspec.MsgspecError) as error:
            raise BadField("cursor", "is not one that List gave: send it as it came") from error
        if (cursor.namespace, cursor.kind, cursor.path_prefix) != (namespace, call.kind, call.path_prefix):
            raise BadField("cursor", "belongs to another listing: keep namespace and filters with their cursor")
        if cursor.generation != generation:
            raise StaleCursor(f"{namespace!r} moved on from generation {cursor.generation} to {generation}")
        return cursor.after


def _check_free(txn: Snapshot, refs: Sequence[Ref], field: str, followed: Mapping[str, str]) -> None:
    """Refuse records of trees that are followed."""
    for ref in refs:
        record = txn.record(ref)
        if record is not None and record.source in followed:
            raise BadField(field, _is_followed(ref, followed[record.source]))


def _is_followed(what: str, root: str) -> str:
    advice = "have its ignore rules leave the file out, or remove the source"
    return f"{what!r} is of {root!r}, which is followed, so that its records are those of its files: {advice}"


def _encode(call: ListCall, namespace: Namespace, generation: Generation, after: int) -> str:
    cursor = _Cursor(namespace, generation, after, call.kind, call.path_prefix)
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode()


def _readable(name: str, settings: LimitSettings) -> Namespace:
    """Namespaces of agents may be looked at, though not written to."""
    if name.startswith(limits.AGENT_PREFIX):
        return Namespace(f"{limits.AGENT_PREFIX}{limits.agent_id(name.removeprefix(limits.AGENT_PREFIX), settings)}")
    return limits.namespace_name("namespace", name, settings)


def _generation(txn: Snapshot, namespace: Namespace) -> Generation:
    if namespace not in txn.namespaces():
        raise UnknownNamespace(namespace)
    return txn.generation(namespace)
