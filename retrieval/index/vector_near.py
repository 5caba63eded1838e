"""What lies near a working set: records of the same files as its entries, and their neighbours in the graph.

An agent that has a record before it asks next about what is beside it; so that is embedded before the rest.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from retrieval.record import NameKind
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Ref, TenantId


@dataclass(frozen=True, slots=True)
class NearSettings:
    """How far around a working set is looked."""

    sets: int = 64
    """Sets remembered until something waits; the oldest are forgotten. A guess."""

    entries: int = 256
    """Entries of a set that are looked around. A guess: more than a window's results."""

    file_records: int = 128
    """Records of one file: as many as a written path finds. A guess."""

    neighbours: int = 64
    """Edges of one entry: what has more is a hub, and says nothing. A guess."""

    records: int = 4_096
    """Record ids that wait to be near; the oldest calls' are forgotten, and embedded in their turn. A guess."""

    def __post_init__(self) -> None:
        if min(self.sets, self.entries, self.file_records, self.neighbours, self.records) < 0:
            raise ValueError("sets, entries, file_records, neighbours, records: must be at least 0")


class NearSets:
    """The entries of the sets that moved since the follower last looked. Safe from any thread; no call takes long."""

    def __init__(self, settings: NearSettings) -> None:
        self._settings: Final = settings
        self._lock: Final = threading.Lock()
        self._moved: OrderedDict[tuple[TenantId, str], tuple[Ref, ...]] = OrderedDict()

    def hold(self, tenant: TenantId, owner: str, refs: Sequence[Ref]) -> None:
        """The owner's set holds these now, what matters most first."""
        with self._lock:
            self._moved[tenant, owner] = tuple(refs[: self._settings.entries])
            self._moved.move_to_end((tenant, owner))
            while len(self._moved) > self._settings.sets:
                self._moved.popitem(last=False)

    def taken(self, tenants: Collection[TenantId]) -> list[tuple[TenantId, tuple[Ref, ...]]]:
        """The sets of these tenants that moved, the oldest move first; they are forgotten here."""
        with self._lock:
            moved = [(key, refs) for key, refs in self._moved.items() if key[0] in tenants]
            for key, _ in moved:
                del self._moved[key]
            return [(key[0], refs) for key, refs in moved]


def around(txn: Snapshot, refs: Sequence[Ref], settings: NearSettings) -> list[int]:
    """Record ids of the refs, then of their files' records, then of their neighbours, each once."""
    own: list[int] = []
    beside: list[int] = []
    linked: list[int] = []
    looked: set[str] = set()
    for ref in refs:
        record, record_id = txn.record(ref), txn.record_id(ref)
        if record is None or record_id is None or record.removed:
            continue
        own.append(record_id)
        place = f"{record.namespace}:{record.path}"
        if record.path and place not in looked:
            looked.add(place)
            beside += txn.find(record.namespace, NameKind.PATH, record.path, settings.file_records)
        neighbours = txn.neighbours(record_id, limit=settings.neighbours + 1)
        if len(neighbours) <= settings.neighbours:
            linked += [other for other, _, _ in neighbours]
    return list(dict.fromkeys(chain(own, beside, linked)))
