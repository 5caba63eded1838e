"""Read your writes: a Focus waits a little for what happened before it to be in the store and in the index.

It waits for sources that are followed, then for an index that is nearly there, and not at all for one far behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hotsetd.config import JobSettings
from hotsetd.limits import AGENT_PREFIX
from hotsetd.source_reports import Unsettled
from retrieval.deadline import Deadline
from retrieval.errors import BadField, DeadlinePassed, UnknownNamespace
from retrieval.index.follower import IndexFollower
from retrieval.index.progress import LEXICAL
from retrieval.store.interface import Store
from workingset.vocabulary import Generation, Namespace, TenantId

SettleSources = Callable[[TenantId, Sequence[Namespace], Deadline], tuple[Unsettled, ...]]
"""Waits a bounded time for edits made before the call in the sources of a scope, and returns the sources of which some
may be missing; see `hotsetd.sources`."""


class Freshness:
    """Waits for sources and for the lexical index. Safe from any thread."""

    def __init__(
        self, store: Store, follower: IndexFollower, settings: JobSettings, settle_sources: SettleSources
    ) -> None:
        self._store = store
        self._follower = follower
        self._settings = settings
        self._settle_sources = settle_sources

    def settle(
        self,
        tenant: TenantId,
        scope: Sequence[Namespace],
        wanted: tuple[Namespace, Generation] | None,
        deadline: Deadline,
    ) -> tuple[Unsettled, ...]:
        """Wait until followed files of the scope are in the store and the index has its newest changes, if few miss.

        `wanted` is a generation that the caller insists on: raises DeadlinePassed where the index does not get there
        in time, and at once BadField where the store itself has not come so far. Returns the sources of which something
        may be missing in the store; what is missing in the index is said by the lanes' lag.
        """
        unsettled = self._settle_sources(tenant, scope, deadline)
        if wanted:
            self._insist(tenant, *wanted, deadline)
        for namespace, generation in self._nearly_there(tenant, scope):
            self._wait(tenant, namespace, generation, min(self._settings.settle_seconds, deadline.remaining()))
        return unsettled

    def _insist(self, tenant: TenantId, namespace: Namespace, wanted: Generation, deadline: Deadline) -> None:
        with self._store.snapshot(tenant) as txn:
            if namespace not in txn.namespaces():
                raise UnknownNamespace(namespace)
            newest = txn.generation(namespace)
        if wanted > newest:
            raise BadField("at_least_generation", f"{namespace!r} has come to {newest}, not to {wanted}")
        if not self._wait(tenant, namespace, wanted, deadline.remaining()):
            raise DeadlinePassed(f"{namespace!r} is not indexed up to generation {wanted} yet")

    def _nearly_there(self, tenant: TenantId, scope: Sequence[Namespace]) -> list[tuple[Namespace, Generation]]:
        behind: list[tuple[Namespace, Generation]] = []
        with self._store.snapshot(tenant) as txn:
            # What belongs to agents alone is not searched, so nobody waits for it.
            searched = scope or [name for name in txn.namespaces() if not name.startswith(AGENT_PREFIX)]
            for namespace in searched:
                reached = self._follower.generation(LEXICAL, tenant, namespace)
                newest = txn.generation(namespace)
                limit = self._settings.settle_changes
                if reached < newest and len(txn.changes_page(namespace, (reached, 0), limit + 1)) <= limit:
                    behind.append((namespace, newest))
        return behind

    def _wait(self, tenant: TenantId, namespace: Namespace, generation: Generation, seconds: float) -> bool:
        return self._follower.wait_until(tenant, namespace, generation, seconds)
