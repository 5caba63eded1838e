"""Use cases on sources: trees of this machine whose records follow their files for as long as the daemon runs.

What is followed is kept as a mark of the tenant, so that a daemon that starts again goes on with a scan of what
happened meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from hotsetd import limits
from hotsetd.calls import Caller
from hotsetd.clock import Clock
from hotsetd.config import Home, Settings
from hotsetd.errors import Stopping, UnknownSource
from hotsetd.filling import Filling
from hotsetd.kept_sources import KeptSource, keep_sources, kept_sources, with_identity
from hotsetd.listening import Listen
from hotsetd.source_reports import Identity, SourceReport, SourceState, Unsettled
from hotsetd.source_roots import absolute_root, check_apart, readable_root
from hotsetd.telemetry import Log
from hotsetd.tree_scans import TreeScans
from hotsetd.watching import Following
from retrieval.deadline import Deadline
from retrieval.errors import Conflict
from retrieval.store.interface import Snapshot, Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, TenantId

_Key = tuple[TenantId, Namespace, str]


@dataclass(frozen=True, slots=True)
class SourceCall:
    """Which source; `keep_records` leaves what it brought where it is when it is no longer followed."""

    namespace: str
    root: str
    keep_records: bool = False


@dataclass(frozen=True, slots=True)
class SourceRemoved:
    """How many records went with the source, and the namespace's generation after."""

    records: int
    generation: Generation


class Sources:
    """Owns one thread for each source. Safe from any thread."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        log: Log,
        home: Home,
        listen: Listen,
        filling: Filling,
        written: Callable[[], None],
        alone: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`written` is told of every commit; `alone` holds other heavy work back while a whole tree is read."""
        self._store = store
        self._settings = settings
        self._clock = clock
        self._log = log
        self._home = home
        self._listen = listen
        self._filling = filling
        self._written = written
        self._alone = alone
        self._changing = Lock()
        self._following: dict[_Key, Following] = {}
        self._leaving: set[_Key] = set()
        self._numbered = 0
        self._stopping = False

    def start(self) -> None:
        """Go on with every source of every tenant."""
        for tenant in self._store.tenants():
            with self._store.snapshot(tenant) as txn:
                kept = kept_sources(txn)
            for source in kept:
                self._follow(tenant, source)

    def stop_soon(self) -> None:
        """Take no new source, and end all threads at their next file."""
        self._stopping = True
        for each in list(self._following.values()):
            each.stop_soon()

    def stop(self) -> None:
        """End all threads at their next file, and wait for them."""
        self.stop_soon()
        with self._changing:
            following = list(self._following.values())
            for each in following:
                each.join()
            self._following.clear()

    def add(self, caller: Caller, call: SourceCall) -> tuple[SourceReport, bool]:
        """Follow a tree from now on; returns how it stands and whether it was followed before.

        Raises BadField, and Conflict for one that is being removed.
        """
        namespace = limits.namespace_name("namespace", call.namespace, self._settings.limits)
        root = readable_root("root", call.root, self._home.path)
        key = (caller.tenant, namespace, str(root))
        with self._changing:
            if self._stopping:
                raise Stopping("the daemon is shutting down")
            if key in self._leaving:
                raise Conflict(f"{str(root)!r} is being removed from {namespace!r}: add it once that is done")
            if key in self._following:
                return self._following[key].report, True
            with self._store.snapshot(caller.tenant) as txn:
                beside = {each.root: each for each in kept_sources(txn) if each.namespace == namespace}
            source = beside.pop(str(root), KeptSource(namespace, str(root)))
            check_apart(root, [Path(other) for other in beside])
            self._keep(key, source)
            return self._follow(caller.tenant, source).report, False

    def remove(self, caller: Caller, call: SourceCall, deadline: Deadline) -> SourceRemoved:
        """Follow a tree no longer, and tombstone what it brought unless that is to be kept; where that fails or is
        given up, it is followed as before. Raises UnknownSource, and Conflict where it is being removed already."""
        namespace = limits.namespace_name("namespace", call.namespace, self._settings.limits)
        key = (caller.tenant, namespace, str(absolute_root("root", call.root)))
        source, following = self._leave(key)
        try:
            records = self._taken_out(key, following, deadline, keep=call.keep_records)
            removed = SourceRemoved(records, self._keep(key, None))
        except BaseException:
            with self._changing:
                self._leaving.discard(key)
                if following is not None and not self._stopping:
                    self._follow(caller.tenant, source)
            raise
        with self._changing:
            self._leaving.discard(key)
        return removed

    def list_sources(self, caller: Caller, namespace: str) -> tuple[SourceReport, ...]:
        """All sources, or those of one namespace, by namespace and root."""
        if namespace:
            limits.namespace_name("namespace", namespace, self._settings.limits)
        with self._store.snapshot(caller.tenant) as txn:
            kept = [each for each in kept_sources(txn) if namespace in ("", each.namespace)]
            idle = [self._unfollowed(txn, each) for each in kept]
        running = self._following
        found = [
            following.report if (following := running.get((caller.tenant, each.namespace, each.root))) else each
            for each in idle
        ]
        return tuple(sorted(found, key=lambda each: (each.namespace, each.root)))

    def settle(self, tenant: TenantId, scope: Sequence[Namespace], deadline: Deadline) -> tuple[Unsettled, ...]:
        """Wait a little until what happened before this call in the sources of the scope (none: all) is in the store.

        What takes longer is not waited for, and returned: the sources of which something may be missing, and why.
        """
        asked = [
            (following, following.ask())
            for (owner, namespace, _), following in sorted(self._following.copy().items(), key=lambda each: each[0])
            if owner == tenant and (not scope or namespace in scope)
        ]
        bounded = deadline.within(self._settings.watch.settle_seconds)
        found = [following.settled(number, bounded.remaining()) for following, number in asked]
        return tuple(each for each in found if each is not None)

    def _leave(self, key: _Key) -> tuple[KeptSource, Following | None]:
        """Mark a source as being removed and end its thread soon; what had been followed is to be followed again if
        that comes to nothing."""
        tenant, namespace, root = key
        with self._changing:
            with self._store.snapshot(tenant) as txn:
                found = next((each for each in kept_sources(txn) if (each.namespace, each.root) == key[1:]), None)
            if found is None:
                raise UnknownSource(f"{root!r} is no source of {namespace!r}")
            if key in self._leaving:
                raise Conflict(f"{root!r} is being removed from {namespace!r} already")
            self._leaving.add(key)
            following = self._following.pop(key, None)
        if following is not None:
            following.stop_soon()
        return found, following

    def _taken_out(self, key: _Key, following: Following | None, deadline: Deadline, *, keep: bool) -> int:
        """Wait for the source's thread, and tombstone what it brought unless that is kept."""

        def cancelled() -> bool:
            return self._stopping or deadline.over()

        if following is not None:
            following.join(deadline.remaining())
        deadline.check()
        try:
            return 0 if keep else self._scans(*key).take_out(cancelled)
        except Stopping:
            deadline.check()
            raise

    def _keep(self, key: _Key, source: KeptSource | None) -> Generation:
        """Keep the source in place of what is kept under its key; returns its namespace's generation."""
        tenant, namespace, root = key

        def job(txn: WriteTransaction) -> Generation:
            others = [each for each in kept_sources(txn) if (each.namespace, each.root) != (namespace, root)]
            keep_sources(txn, [*others, source] if source else others)
            return txn.generation(namespace)

        return self._store.write(tenant, job)

    def _follow(self, tenant: TenantId, source: KeptSource) -> Following:
        self._numbered += 1
        namespace = Namespace(source.namespace)
        following = Following(
            namespace,
            Path(source.root),
            source.identity,
            self._scans(tenant, namespace, source.root),
            self._listen,
            self._home.echoes / str(self._numbered),
            self._settings.watch,
            self._settings.ingest.guards,
            self._clock,
            self._log,
        )
        self._following[(tenant, namespace, source.root)] = following
        following.start()
        return following

    def _scans(self, tenant: TenantId, namespace: Namespace, root: str) -> TreeScans:
        def remember(identity: Identity) -> None:
            def job(txn: WriteTransaction) -> None:
                keep_sources(
                    txn, [with_identity(each, identity) if is_it(each) else each for each in kept_sources(txn)]
                )

            def is_it(each: KeptSource) -> bool:
                return (each.namespace, each.root) == (namespace, root)

            self._store.write(tenant, job)

        return TreeScans(
            self._store,
            tenant,
            namespace,
            Path(root),
            self._settings,
            self._clock,
            self._filling,
            self._written,
            self._alone,
            remember,
        )

    def _unfollowed(self, txn: Snapshot, source: KeptSource) -> SourceReport:
        """What is to be said of a source that no thread follows."""
        namespace = Namespace(source.namespace)
        if (txn.tenant, namespace, source.root) in self._leaving:
            because = "it is being removed"
        elif self._store.read_only:
            because = "this daemon only reads: it does not follow sources"
        else:
            because = "the daemon is starting or shutting down"
        report = SourceReport(namespace, source.root, SourceState.DEGRADED, because)
        return replace(report, generation=txn.generation(namespace))
