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
from hotsetd.errors import Stopping
from hotsetd.filling import Filling
from hotsetd.kept_sources import KeptSource, keep_sources, kept_sources, with_identity
from hotsetd.listening import Listen
from hotsetd.source_reports import Identity, SourceReport, SourceState
from hotsetd.source_roots import absolute_root, check_apart, readable_root
from hotsetd.telemetry import Log
from hotsetd.tree_scans import TreeScans
from hotsetd.watching import Following
from retrieval.deadline import Deadline
from retrieval.errors import NotThere
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
        """Follow a tree from now on; returns how it stands and whether it was followed before. Raises BadField."""
        namespace = limits.namespace_name("namespace", call.namespace, self._settings.limits)
        root = readable_root(call.root, self._home.path)
        with self._changing:
            if self._stopping:
                raise Stopping("the daemon is shutting down")
            key = (caller.tenant, namespace, str(root))
            if key in self._following:
                return self._following[key].report, True
            source = KeptSource(namespace, str(root))

            def job(txn: WriteTransaction) -> None:
                others = kept_sources(txn)
                check_apart(root, [Path(each.root) for each in others if each.namespace == namespace])
                keep_sources(txn, [*others, source])

            self._store.write(caller.tenant, job)
            return self._follow(caller.tenant, source).report, False

    def remove(self, caller: Caller, call: SourceCall) -> SourceRemoved:
        """Follow a tree no longer, and tombstone what it brought unless that is to be kept. Raises NotThere."""
        namespace = limits.namespace_name("namespace", call.namespace, self._settings.limits)
        root = str(absolute_root(call.root))
        with self._changing:
            with self._store.snapshot(caller.tenant) as txn:
                if not any((each.namespace, each.root) == (namespace, root) for each in kept_sources(txn)):
                    raise NotThere(f"{root!r} is no source of {namespace!r}: ListSources names those there are")
            following = self._following.pop((caller.tenant, namespace, root), None)
            if following is not None:
                following.stop_soon()
                following.join()
            records = 0 if call.keep_records else self._scans(caller.tenant, namespace, root).take_out()

            def job(txn: WriteTransaction) -> Generation:
                keep_sources(
                    txn, [each for each in kept_sources(txn) if (each.namespace, each.root) != (namespace, root)]
                )
                return txn.generation(namespace)

            return SourceRemoved(records, self._store.write(caller.tenant, job))

    def list_sources(self, caller: Caller, namespace: str) -> tuple[SourceReport, ...]:
        """All sources, or those of one namespace, by namespace and root."""
        if namespace:
            limits.namespace_name("namespace", namespace, self._settings.limits)
        with self._store.snapshot(caller.tenant) as txn:
            kept = [each for each in kept_sources(txn) if namespace in ("", each.namespace)]
            idle = [_unfollowed(txn, each) for each in kept]
        running = self._following
        found = [
            following.report if (following := running.get((caller.tenant, each.namespace, each.root))) else each
            for each in idle
        ]
        return tuple(sorted(found, key=lambda each: (each.namespace, each.root)))

    def settle(self, tenant: TenantId, scope: Sequence[Namespace], deadline: Deadline) -> None:
        """Wait a little until what happened before this call in the sources of the scope (none: all) is in the store.

        What takes longer is not waited for: delivered records of changed files are marked stale, and `list_sources`
        says how much is pending.
        """
        asked = [
            (following, following.ask())
            for (owner, namespace, _), following in sorted(self._following.copy().items(), key=lambda each: each[0])
            if owner == tenant and (not scope or namespace in scope)
        ]
        bounded = deadline.within(self._settings.watch.settle_seconds)
        for following, number in asked:
            if number:
                following.wait(number, bounded.remaining())

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


def _unfollowed(txn: Snapshot, source: KeptSource) -> SourceReport:
    """What is to be said of a source that no thread follows: the daemon only reads, or is stopping."""
    namespace = Namespace(source.namespace)
    because = "this daemon does not follow sources: it only reads, or is stopping"
    report = SourceReport(namespace, source.root, SourceState.DEGRADED, because)
    return replace(report, generation=txn.generation(namespace))
