"""What any storage engine must do: snapshots to read at a cut, one serialised writer, claims on working sets.

Everything durable goes through here. Engines: `retrieval.store.lmdb`; later PostgreSQL behind the same contract tests
(`tests/contract/test_store.py`).

Rules that every engine keeps:

* A `Snapshot` sees one committed state for as long as it is open, and is closed soon: long readers stop space from
  being reused. Returned values are copies that outlive it. It is used by the thread that opened it.
* `Store.write(job)` runs `job(transaction)` alone, commits it durably, and only then returns the job's result. An
  exception from the job leaves no trace and is raised to the caller. Engines may commit several jobs together, and
  may run a job again from the start, so a job has no effects but those on its transaction.
* A job that changes records or edges of a namespace raises that namespace's generation by exactly one, however many
  it changes. An edge belongs to the namespaces of both its ends. Working sets, vectors, receipts and keys raise none.
* The tenant is part of every key. A transaction is opened for one tenant and cannot see another.
* A record is written as a new version; earlier versions stay readable at earlier generations until their history is
  collected: then reads at those generations raise CutExpired, and never find something else.
* `record_id` is an engine's 63-bit integer name of a ref, never reused within a store, shared by indexes.
* What was purged or forgotten is gone for every snapshot opened after that commit. Nothing that outlived it can be
  taken for what comes later under the same name: a namespace written again has a new incarnation, new record ids and
  generations above all that purged namespaces of the tenant had; a set saved again has revisions above all that
  forgotten ones had. Bytes that were deleted may stay in free pages of the engine's files until those are written over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from retrieval.record import Edge, NameKind, Record, RecordChange, StoredEdge
from retrieval.relations import Role
from workingset.vocabulary import AgentId, Cut, Digest, Epoch, Generation, Namespace, Ref, TenantId, Turn

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claim:
    """Names one state of one agent's working set: it may be saved over only by who has read it."""

    agent: AgentId
    epoch: Epoch
    turn: Turn
    revision: int
    """Counts every save, so that Touch or Pin within a turn also moves the claim on. 0 means there is no set yet."""


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A working set as stored: the claim it stands at and its encoded bytes."""

    claim: Claim
    encoded: bytes


@dataclass(frozen=True, slots=True)
class NamespaceCounts:
    """How much a namespace holds at the snapshot: live records by kind, and live edges."""

    generation: Generation
    records: int
    edges: int
    kinds: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RecordPage:
    """One page of a listing in the order of record ids; `next_after` continues it, None on the last page."""

    records: tuple[Record, ...]
    next_after: int | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting an agent deleted, by kind."""

    sets: int = 0
    receipts: int = 0
    answers: int = 0
    retained: int = 0


@dataclass(frozen=True, slots=True)
class Collected:
    """What collecting history deleted so far, by kind, and whether rows are `left` for another step.

    `versions` of records that only expired cuts could show, with their `changes`; `edges` that had ended; `names` that
    no version has any more.
    """

    versions: int = 0
    edges: int = 0
    changes: int = 0
    names: int = 0
    left: bool = False

    def plus(self, later: Collected) -> Collected:
        """This step and a later one together."""
        return Collected(
            self.versions + later.versions,
            self.edges + later.edges,
            self.changes + later.changes,
            self.names + later.names,
            later.left,
        )


@dataclass(frozen=True, slots=True)
class Purged:
    """What purging deleted so far, by kind, and whether rows of a purged namespace are `left` for another step.

    `records` counts refs with all their `versions`; `edges` those that were live, at either end, `past_edges` those
    that had ended; `vectors` those of any version's text, under every model.
    """

    records: int = 0
    versions: int = 0
    edges: int = 0
    past_edges: int = 0
    names: int = 0
    changes: int = 0
    vectors: int = 0
    marks: int = 0
    left: bool = False

    def plus(self, later: Purged) -> Purged:
        """This step and a later one together."""
        return Purged(
            self.records + later.records,
            self.versions + later.versions,
            self.edges + later.edges,
            self.past_edges + later.past_edges,
            self.names + later.names,
            self.changes + later.changes,
            self.vectors + later.vectors,
            self.marks + later.marks,
            later.left,
        )


@dataclass(frozen=True, slots=True)
class Traces:
    """How many rows still mention what was deleted, for every place that could; places are an engine's own words."""

    places: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """All of them; 0 where the deletion is complete."""
        return sum(rows for _, rows in self.places)

    @property
    def found(self) -> tuple[tuple[str, int], ...]:
        """The places that have any."""
        return tuple((place, rows) for place, rows in self.places if rows)


class Snapshot(Protocol):
    """A read transaction of one tenant. `at=None` means the newest generation of the snapshot."""

    @property
    def tenant(self) -> TenantId: ...

    def namespaces(self) -> tuple[Namespace, ...]:
        """All namespaces that have ever been written and not been purged since, sorted."""
        ...

    def incarnation(self, namespace: Namespace) -> int:
        """Names this filling of the namespace: another after a purge, never reused; 0 where it was never written."""
        ...

    def generation(self, namespace: Namespace) -> Generation:
        """The namespace's newest generation; 0 where it was never written."""
        ...

    def horizon(self, namespace: Namespace) -> Generation:
        """The oldest generation that can be read at; 0 where no history was collected."""
        ...

    def would_collect(self, namespace: Namespace, before: Generation) -> Collected:
        """What collecting up to the generation would delete now, what is left of earlier collections included.

        Reads all that changed since the last horizon: slow.
        """
        ...

    def cut(self, namespaces: Iterable[Namespace]) -> Cut: ...

    def counts(self, namespace: Namespace) -> NamespaceCounts: ...

    def record(self, ref: Ref, at: Generation | None = None) -> Record | None:
        """The record's version visible at the generation, tombstones included (`removed`), or None.

        Raises CutExpired where the history before the generation was collected.
        """
        ...

    def record_id(self, ref: Ref) -> int | None: ...

    def ref_of(self, record_id: int) -> Ref | None: ...

    def records_by_id(self, record_ids: Sequence[int], cut: Cut, *, texts: bool = True) -> list[Record | None]:
        """The versions visible at the cut, in the order asked; None for unknown ids and namespaces not in the cut.

        Raises CutExpired where history that the cut needs was collected. Without `texts`, text, outline and gist are
        empty: quicker for whoever does not need them.
        """
        ...

    def find(self, namespace: Namespace, kind: NameKind, text: str, limit: int) -> list[int]:
        """Record ids that have, or once had, this exact name, in ascending order; at most `limit`.

        A sensor: the caller re-checks the name on the record's version at its cut.
        """
        ...

    def find_prefix(self, namespace: Namespace, kind: NameKind, prefix: str, limit: int) -> list[tuple[str, int]]:
        """(name, record id) of names that begin with `prefix`, in name order; at most `limit`. A sensor."""
        ...

    def edges_from(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        """Edges that start at the record and are live at the generation of its namespace, ordered by (relation,
        target); at most `limit`. Raises CutExpired where history that it needs was collected."""
        ...

    def edges_to(
        self, ref: Ref, at: Generation | None = None, *, roles: frozenset[Role] | None = None, limit: int = 1000
    ) -> list[StoredEdge]:
        """Edges that end at the record and are live at the generation of its namespace, ordered by (relation,
        source); at most `limit`. Raises CutExpired where history that it needs was collected."""
        ...

    def neighbours(
        self, record_id: int, *, limit: int, ways: frozenset[tuple[str, bool]] | None = None
    ) -> list[tuple[int, str, bool]]:
        """(record id, relation, outgoing) of live edges at the newest generation, by id, cheap: for graph walks.

        Where `ways` are given, those of these (relation, outgoing) alone, of which `limit` are returned whatever other
        edges there are; a hub costs a pass over its adjacency then, and none of its records is read.
        """
        ...

    def lost_needs(self, record_id: int, *, limit: int) -> list[int]:
        """Ids of records that this version needed by mandatory edges which ended since they were removed, ascending.

        A lost need is met again by its edge, and is none any more once the edge is taken back or the record is written
        anew. The needed record may be live again meanwhile: the caller looks.
        """
        ...

    def has_lost_needs(self) -> bool:
        """True where any record of the tenant has lost what it needs."""
        ...

    def relation_role(self, relation: str) -> Role | None:
        """The role of a relation declared by an earlier edge; built-in relations are not listed here."""
        ...

    def relations(self, namespace: Namespace) -> tuple[tuple[str, Role], ...]:
        """Relations of the edges that start in the namespace and are live at the newest generation, by name."""
        ...

    def changes(self, namespace: Namespace, after: Generation, limit: int) -> list[RecordChange]:
        """The change log after a generation, in order of (generation, record id); whole generations are not split
        unless one holds more than `limit`."""
        ...

    def changes_page(self, namespace: Namespace, after: tuple[Generation, int], limit: int) -> list[RecordChange]:
        """The change log after a (generation, record id), at most `limit` lines: resumable at any line."""
        ...

    def list_records(
        self, namespace: Namespace, after: int, limit: int, *, kind: str = "", path_prefix: str = "", source: str = ""
    ) -> RecordPage:
        """Live records in the order of record ids, after the given id (0 to start)."""
        ...

    def path_records(self, namespace: Namespace, path: str, *, texts: bool = True) -> list[Record]:
        """Live records whose path is exactly this, ordered by (first line, ref); none for the empty path.

        Without `texts`, text, outline and gist are empty: quicker for whoever does not need them.
        """
        ...

    def paths(self, namespace: Namespace, source: str, under: str = "") -> Iterator[tuple[str, Digest]]:
        """(path, source digest) of every path that the source has live records of, in path order; only the path
        `under` and what lies in it as a folder, unless that is empty.

        The digest is empty where a path's records disagree about it, as after part of a file was replaced.
        """
        ...

    def all_paths(self, namespace: Namespace) -> list[str]:
        """The paths of all live records, of whatever source, sorted."""
        ...

    def vector(self, model: str, digest: Digest) -> bytes | None:
        """The canonical vector (little-endian f16) of the embedded text's digest under a model fingerprint."""
        ...

    def vectors(self, model: str, digests: Sequence[Digest]) -> list[bytes | None]: ...

    def vector_digests(self, model: str, after: Digest | None, limit: int) -> list[Digest]:
        """The next digests that have a vector under the model, in order, behind `after`; at most `limit`."""
        ...

    def has_vectors_beside(self, model: str) -> bool:
        """True where the tenant has vectors of another model than this."""
        ...

    def vectors_in_store(self) -> int:
        """How many vectors the whole store holds, of all tenants and models; costs nothing."""
        ...

    def working_set(self, agent: AgentId) -> StoredSet | None: ...

    def agents(self, after: AgentId | None, limit: int) -> list[AgentId]: ...

    def receipt(self, agent: AgentId, turn: Turn) -> bytes | None: ...

    def retained(self, agent: AgentId, turn: Turn) -> bytes | None:
        """What the turn was decided from, as the shell keeps it; None where it is not kept, or not any more."""
        ...

    def retained_turns(self, agent: AgentId) -> tuple[Turn, ...]:
        """The turns of which that is kept, ascending."""
        ...

    def answered(self, agent: AgentId, request_id: str) -> bytes | None:
        """The answer stored for an idempotency key, or None."""
        ...

    def mark(self, name: str, namespace: Namespace | None = None) -> bytes | None:
        """A small named value of the shell's own, such as how far an index has come: the tenant's or a namespace's."""
        ...

    def traces_of_agent(self, agent: AgentId) -> Traces:
        """Rows that mention the agent, by reading every row of the tenant: slow, and independent of what deletes."""
        ...

    def traces_of_namespace(self, namespace: Namespace) -> Traces:
        """Rows that mention the namespace or belong to no namespace at all, by reading every row of the tenant.

        Rows of a purge that is not finished belong to none, whichever namespace they came from; so do vectors of texts
        that no version of a record has. Slow, and independent of what deletes.
        """
        ...


class WriteTransaction(Snapshot, Protocol):
    """Reads its own writes. Everything or nothing becomes visible, at commit."""

    def put_record(self, record: Record) -> Generation:
        """Write a new version; returns the generation it will be visible at. Equal content (all fields but outline
        and gist; the digest stands for the text; not removed before) writes nothing and returns the generation it
        already has. Raises BadField for what is not Unicode and for a ref that is too long or of another namespace."""
        ...

    def put_records(self, given: Sequence[Record]) -> list[Generation]:
        """Write records as `put_record` does, quicker where they are new; returns what it returns for each. Where one
        raises, those before it are written."""
        ...

    def remove_record(self, ref: Ref) -> bool:
        """Write a tombstone and end the record's edges; False where there was no live record."""
        ...

    def put_edge(self, edge: Edge) -> bool:
        """Write an edge; False where an equal one is live. Raises UnknownRef where an end has no live record."""
        ...

    def put_edges(self, given: Sequence[Edge]) -> tuple[int, int]:
        """Write edges as `put_edge` does, quicker; returns how many were written, and how many were left out since an
        end has no live record."""
        ...

    def remove_edge(self, source: Ref, relation: str, target: Ref) -> bool: ...

    def put_vector(self, model: str, digest: Digest, vector: bytes) -> None: ...

    def drop_vectors(self, model: str, digests: Iterable[Digest]) -> int:
        """Delete the model's vectors of these digests and return how many there were."""
        ...

    def drop_vectors_beside(self, model: str, limit: int) -> int:
        """Delete at most so many vectors of other models than this and return how many."""
        ...

    def save_working_set(self, claim: Claim, epoch: Epoch, turn: Turn, encoded: bytes) -> Claim:
        """Save over the state that `claim` names and return the new claim; raises ClaimLost where it moved on."""
        ...

    def drop_working_set(self, claim: Claim) -> None:
        """Delete the set that `claim` names and nothing else of its agent; raises ClaimLost where it moved on."""
        ...

    def put_receipt(self, agent: AgentId, turn: Turn, encoded: bytes) -> None: ...

    def put_retained(self, agent: AgentId, turn: Turn, encoded: bytes, keep: int) -> None:
        """Store what a turn was decided from, keeping that of the agent's newest `keep` turns."""
        ...

    def put_answer(self, agent: AgentId, request_id: str, encoded: bytes, keep: int) -> None:
        """Store an answer under an idempotency key, keeping the agent's newest `keep` answers."""
        ...

    def put_mark(self, name: str, value: bytes, namespace: Namespace | None = None) -> bool:
        """Store a named value; a namespace's goes with it, and is not kept (False) where there is no such namespace."""
        ...

    def forget_agent(self, agent: AgentId) -> Forgotten:
        """Delete the agent's set, receipts, stored answers and what its turns were decided from.

        A claim on the set is lost, now and for ever.
        """
        ...

    def purge_namespace(self, namespace: Namespace) -> Purged:
        """Make the namespace as if it had never been written: its records, all versions of them, their names, edges at
        either end, changes, marks, and the vectors of their texts.

        All of it is gone for readers with this commit. What it takes is deleted here up to a bounded number of rows,
        the rest by `purge_further` in later jobs, in whatever process: `left` says so. Namespaces at the other ends of
        live edges move on by one generation. A vector goes even where another record has the same text: it can be made
        again. Relations keep the role that they were declared with.
        """
        ...

    def purge_further(self) -> Purged:
        """Delete another bounded number of rows of purged namespaces of the tenant; nothing that a reader can see."""
        ...

    def collect_history(self, namespace: Namespace, before: Generation) -> Collected:
        """Let no cut of the namespace below the generation be read again, and delete what only such cuts could show.

        Reads below it raise CutExpired with this commit; reads at it and later are as they were. A bounded number of
        rows is looked at here, the rest by `collect_further` in later jobs, in whatever process: `left` says so. Every
        record keeps the version that stands at the generation; a tombstone stays; of each record's lines in the change
        log those go that a later one stands for. An ended edge goes once it is past at both its ends. The generation
        does not move. Doing it again deletes nothing more. Raises BadField for a generation that is not reached yet.
        """
        ...

    def collect_further(self) -> Collected:
        """Go on with the collections of the tenant that are not finished; nothing that a reader can see."""
        ...


class Store(Protocol):
    """One durable store, open in one process."""

    @property
    def read_only(self) -> bool: ...

    def snapshot(self, tenant: TenantId) -> AbstractContextManager[Snapshot]: ...

    def write(self, tenant: TenantId, job: Callable[[WriteTransaction], T]) -> T:
        """Run the job alone, commit durably, return its result. Blocks; safe from any thread.

        Raises StorageFull, ReadOnlyStore, or what the job raises.
        """
        ...

    def tenants(self) -> tuple[TenantId, ...]: ...

    def bytes_used(self) -> int:
        """Size of the store on disk, in bytes."""
        ...

    def close(self) -> None:
        """Finish running jobs and close. Calls afterwards raise StoreUnavailable."""
        ...
