"""Read your writes: a Focus waits a little for an index that is nearly there, and not at all for one far behind."""

from __future__ import annotations

from collections.abc import Sequence

from hotsetd.config import JobSettings
from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed
from retrieval.index.follower import IndexFollower
from retrieval.index.progress import LEXICAL
from retrieval.store.interface import Store
from workingset.vocabulary import Generation, Namespace, TenantId


class Freshness:
    """Waits for the lexical index. Safe from any thread."""

    def __init__(self, store: Store, follower: IndexFollower, settings: JobSettings) -> None:
        self._store = store
        self._follower = follower
        self._settings = settings

    def settle(self, tenant: TenantId, scope: Sequence[Namespace], wanted: Generation, deadline: Deadline) -> None:
        """Wait until the index has the scope's newest changes, if few are missing.

        `wanted`, where it is not 0, is a generation of the first namespace that the caller insists on: raises
        DeadlinePassed where the index does not get there in time. What is missing is said by the lanes' lag.
        """
        if wanted and scope and not self._wait(tenant, scope[0], wanted, deadline.remaining()):
            raise DeadlinePassed(f"{scope[0]!r} is not indexed up to generation {wanted} yet")
        for namespace, generation in self._nearly_there(tenant, scope):
            self._wait(tenant, namespace, generation, min(self._settings.settle_seconds, deadline.remaining()))

    def _nearly_there(self, tenant: TenantId, scope: Sequence[Namespace]) -> list[tuple[Namespace, Generation]]:
        behind: list[tuple[Namespace, Generation]] = []
        with self._store.snapshot(tenant) as txn:
            for namespace in scope or txn.namespaces():
                reached = self._follower.generation(LEXICAL, tenant, namespace)
                newest = txn.generation(namespace)
                limit = self._settings.settle_changes
                if reached < newest and len(txn.changes_page(namespace, (reached, 0), limit + 1)) <= limit:
                    behind.append((namespace, newest))
        return behind

    def _wait(self, tenant: TenantId, namespace: Namespace, generation: Generation, seconds: float) -> bool:
        return self._follower.wait_until(tenant, namespace, generation, seconds)
