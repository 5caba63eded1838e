"""Where a query looks: namespaces at a cut."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.lanes.lane import Scope
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Namespace


def scope_of(txn: Snapshot, namespaces: Sequence[Namespace]) -> Scope:
    """The namespaces at the snapshot's newest cut; all of the tenant's where none are named."""
    within = tuple(sorted(set(namespaces or txn.namespaces())))
    return Scope(txn.tenant, within, txn.cut(within), sum(txn.counts(namespace).records for namespace in within))
