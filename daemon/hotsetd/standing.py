"""How one record stands at a generation, outside a Focus: removed, superseded and by what, or current."""

from __future__ import annotations

from retrieval.record import Record
from retrieval.relations import Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Generation, Ref, Standing

_SUCCESSION = frozenset({Role.SUCCESSION})


def standing_of(txn: Snapshot, record: Record, at: Generation | None) -> tuple[Standing, Ref | None]:
    """Return the record's standing and what supersedes it; of several successors the first by relation and ref."""
    if record.removed:
        return Standing.REMOVED, None
    edges = txn.edges_to(record.ref, at, roles=_SUCCESSION, limit=1)
    return (Standing.SUPERSEDED, edges[0].edge.source) if edges else (Standing.CURRENT, None)
