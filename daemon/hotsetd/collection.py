"""Use case Collect: history up to a generation, or older than so long, is deleted, of one namespace or of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hotsetd import time_marks
from hotsetd.calls import Caller
from hotsetd.clock import Clock
from retrieval.deadline import Deadline
from retrieval.errors import BadField, ReadOnlyStore, UnknownNamespace
from retrieval.store.collecting import collect, finish_collections
from retrieval.store.interface import Collected, Snapshot, Store
from workingset.vocabulary import Generation, Namespace, TenantId

UNMARKED = "it is not known which generation is so old"
HELD = "it was collected so far before"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectCall:
    """What to collect: one of `before_generation` and `older_than_seconds`; an empty namespace means all."""

    namespace: str = ""
    before_generation: int | None = None
    older_than_seconds: int | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class CollectedIn:
    """What was, or would be, collected of one namespace; `note` says why nothing was.

    Cuts from `horizon` on can be read; `horizon_before` is what it was. `generation` is the newest.
    """

    namespace: Namespace
    generation: Generation
    horizon_before: Generation
    horizon: Generation
    collected: Collected = Collected()
    note: str = ""


class Collection:
    """Collects history. Safe from any thread."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def collect(self, caller: Caller, call: CollectCall, deadline: Deadline) -> tuple[CollectedIn, ...]:
        """Collect, and say what was; raises BadField, UnknownNamespace, or DeadlinePassed.

        Where the deadline passes the cuts are expired all the same, and what is left is deleted in the background.
        """
        if (call.before_generation is None) == (call.older_than_seconds is None):
            raise BadField("until", "name one: before_generation or older_than_seconds")
        if call.before_generation is not None and not call.namespace:
            raise BadField("namespace", "is needed with before_generation: each namespace counts its own generations")
        if self._store.read_only and not call.dry_run:
            raise ReadOnlyStore("the store was opened for reading only: only a dry run collects nothing")
        with self._store.snapshot(caller.tenant) as txn:
            wanted = _wanted(txn, call.namespace)
            planned = [(namespace, self._until(txn, namespace, call)) for namespace in wanted]
        return tuple(self._one(caller.tenant, *plan, call, deadline) for plan in planned)

    def finish(self, tenant: TenantId, between: Callable[[], None]) -> Collected:
        """Delete what is left of collections that were stopped; `between` is called after each step."""
        return finish_collections(self._store, tenant, between)

    def _until(self, txn: Snapshot, namespace: Namespace, call: CollectCall) -> Generation:
        if call.before_generation is not None:
            newest = txn.generation(namespace)
            if call.before_generation > newest:
                raise BadField("before_generation", f"{namespace!r} has come to {newest}: name that or less")
            return Generation(call.before_generation)
        age = call.older_than_seconds or 0
        if age == 0:
            return txn.generation(namespace)
        return time_marks.generation_at(txn, namespace, self._clock.now_seconds() - age)

    def _one(
        self, tenant: TenantId, namespace: Namespace, until: Generation, call: CollectCall, deadline: Deadline
    ) -> CollectedIn:
        with self._store.snapshot(tenant) as txn:
            newest, horizon = txn.generation(namespace), txn.horizon(namespace)
            if until <= horizon and not call.dry_run:
                note = UNMARKED if call.older_than_seconds and not until else HELD
                return CollectedIn(namespace, newest, horizon, horizon, note=note)
            would = txn.would_collect(namespace, until) if call.dry_run else Collected()
        if call.dry_run:
            note = UNMARKED if call.older_than_seconds and not until else HELD if until <= horizon else ""
            return CollectedIn(namespace, newest, horizon, Generation(max(until, horizon)), would, note)
        deadline.check()
        done = collect(self._store, tenant, namespace, until, deadline.check)
        return CollectedIn(namespace, newest, horizon, until, done)


def _wanted(txn: Snapshot, named: str) -> tuple[Namespace, ...]:
    if not named:
        return txn.namespaces()
    if named not in txn.namespaces():
        raise UnknownNamespace(named)
    return (Namespace(named),)
