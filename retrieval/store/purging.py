"""Purges to their end: the jobs that it takes, one after another, so that others write in between.

A process that dies in the middle leaves a namespace that is gone for every reader, and rows of it that are not: whoever
opens the store next calls `finish_purges`.
"""

from __future__ import annotations

from retrieval.store.interface import Purged, Store, WriteTransaction
from workingset.vocabulary import Namespace, TenantId

_UNKNOWN = Purged(left=True)


def purge(store: Store, tenant: TenantId, namespace: Namespace) -> Purged:
    """Purge a namespace, and finish whatever other purges the tenant has; returns what was deleted, nothing left."""
    return finish_purges(store, tenant, store.write(tenant, lambda txn: txn.purge_namespace(namespace)))


def finish_purges(store: Store, tenant: TenantId, begun: Purged = _UNKNOWN) -> Purged:
    """Delete what is left of a tenant's purges; returns what was deleted with what `begun` says was before."""
    while begun.left:
        begun = begun.plus(store.write(tenant, _further))
    return begun


def finish_all_purges(store: Store) -> Purged:
    """Delete what is left of every tenant's purges: for the start of a process that may write."""
    done = Purged()
    for tenant in store.tenants():
        done = done.plus(finish_purges(store, tenant))
    return done


def _further(txn: WriteTransaction) -> Purged:
    return txn.purge_further()
