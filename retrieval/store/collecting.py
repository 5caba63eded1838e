"""Collections of history to their end: the jobs that it takes, one after another, so that others write in between.

A process that dies in the middle leaves cuts that are expired for every reader, and rows that nobody can read: whoever
opens the store next goes on with `finish_collections`.
"""

from __future__ import annotations

from collections.abc import Callable

from retrieval.store.interface import Collected, Store, WriteTransaction
from workingset.vocabulary import Generation, Namespace, TenantId

_UNKNOWN = Collected(left=True)


def collect(
    store: Store,
    tenant: TenantId,
    namespace: Namespace,
    before: Generation,
    between: Callable[[], None] = lambda: None,
) -> Collected:
    """Collect a namespace's history up to a generation, and finish what else the tenant has under way.

    `between` is called after each step; what it raises leaves the rest for later. Returns what was deleted.
    """
    begun = store.write(tenant, lambda txn: txn.collect_history(namespace, before))
    return finish_collections(store, tenant, between, begun)


def finish_collections(
    store: Store, tenant: TenantId, between: Callable[[], None] = lambda: None, begun: Collected = _UNKNOWN
) -> Collected:
    """Delete what is left of a tenant's collections; returns what was deleted with what `begun` says was before."""
    while begun.left:
        between()
        begun = begun.plus(store.write(tenant, _further))
    return begun


def _further(txn: WriteTransaction) -> Collected:
    return txn.collect_further()
