"""How one record stands at a generation, outside a Focus: removed, superseded and by what, or current."""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.record import Record
from retrieval.relations import Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Generation, Ref, Standing

_SUCCESSION = frozenset({Role.SUCCESSION})
_STEPS = 16


def standing_of(txn: Snapshot, record: Record, at: Generation | None) -> tuple[Standing, Ref | None]:
    """Return the record's standing and what supersedes it; of several successors the first by relation and ref."""
    if record.removed:
        return Standing.REMOVED, None
    edges = txn.edges_to(record.ref, at, roles=_SUCCESSION, limit=1)
    return (Standing.SUPERSEDED, edges[0].edge.source) if edges else (Standing.CURRENT, None)


def successors(txn: Snapshot, refs: Iterable[Ref]) -> tuple[Ref, ...]:
    """Return what supersedes the refs at the newest generation, over all steps, without repeats."""
    found: dict[Ref, None] = {}
    for ref in refs:
        for _ in range(_STEPS):
            record = txn.record(ref)
            by = standing_of(txn, record, None)[1] if record is not None else None
            if by is None or by in found:
                break
            found[by] = None
            ref = by
    return tuple(found)
