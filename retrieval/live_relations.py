"""The relations that live edges of a tenant have: where none has a role, nothing is read for it."""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.relations import Role
from retrieval.store.interface import Snapshot


def live_relations(txn: Snapshot) -> Mapping[str, Role]:
    """Relations of all of the tenant's namespaces, with their roles."""
    return {name: role for namespace in txn.namespaces() for name, role in txn.relations(namespace)}
