"""The roles that any live relation of a tenant has: where none has a role, nothing is read for it."""

from __future__ import annotations

from retrieval.relations import Role
from retrieval.store.interface import Snapshot


def live_roles(txn: Snapshot) -> frozenset[Role]:
    """Roles of all relations of all of the tenant's namespaces."""
    return frozenset(role for namespace in txn.namespaces() for _, role in txn.relations(namespace))
