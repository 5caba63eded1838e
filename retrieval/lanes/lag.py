"""How far an index is behind the snapshot, counted in changed records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.index.sensor import IndexProgress
from retrieval.lanes.lane import Scope
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Generation, Namespace


@dataclass(frozen=True, slots=True)
class Lag:
    """Changes that the index has not taken in, and the share of the scope's records that it has right.

    Where more changes are behind than were counted, `note` says so and `covered` is still an upper bound. It also says
    where the index was rebuilt, and why.
    """

    changes: int
    covered: float
    note: str = ""


def lag_of(
    txn: Snapshot, progress: IndexProgress, index: str, scope: Scope, probe: int, held: Mapping[Namespace, int]
) -> Lag:
    """Count the index's missing changes over the scope, at most `probe` a namespace.

    A namespace of which the index has completed no generation yet counts with its records less those `held`.
    """
    changes, at_least = 0, False
    for namespace, generation in scope.cut.generations:
        reached = progress.generation(index, scope.tenant, namespace)
        if reached >= generation:
            continue
        if reached == Generation(0):
            changes += max(1, txn.counts(namespace).records - held.get(namespace, 0))
            continue
        missing = len(txn.changes(namespace, reached, probe + 1))
        at_least = at_least or missing > probe
        changes += max(1, min(missing, probe))
    covered = 1.0 - min(1.0, changes / scope.records) if scope.records else float(changes == 0)
    said = [progress.note(index, scope.tenant, namespace) for namespace in scope.namespaces]
    notes = [*(note for note in said if note), *([f"at least {changes} changes behind"] if at_least else [])]
    return Lag(changes, covered, "; ".join(dict.fromkeys(notes)))
