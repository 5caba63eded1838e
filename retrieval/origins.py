"""Origins: which records speak with one voice, by relations of origin and by equal origin names.

Copies, derivations and what one publisher publishes are one component: ten mirrors of an article are ten records and
one origin. Relations are followed from a record to what it comes from, not back: that a review draws on two sources
does not make these one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrieval.components import Components
from retrieval.live_relations import live_relations
from retrieval.record import Record
from retrieval.relations import Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Ref

_ORIGIN = frozenset({Role.ORIGIN})
_NAME, _REF = "name", "ref"


@dataclass(frozen=True, slots=True)
class OriginSettings:
    """Bounds of looking for origins."""

    edge_visits: int = 2_048
    """Guess: ten for each record of the largest window."""
    edges_per_record: int = 16
    """Guess: a text with more sources is a collection."""


@dataclass(frozen=True, slots=True)
class Origins:
    """The component of each record that shares one, by ref; `bounded` where not all relations were read."""

    by_ref: Mapping[Ref, str]
    bounded: bool = False

    def of(self, record: Record) -> str:
        """The name of the record's component; its own origin, which may be empty, where it shares none."""
        return self.by_ref.get(record.ref, record.origin)


def origins_of(txn: Snapshot, records: Iterable[Record], settings: OriginSettings) -> Origins:
    """Components over the records and all that they come from; named by the least origin name in it, else least ref."""
    if Role.ORIGIN not in live_relations(txn).values():
        return Origins({})
    held = sorted(records, key=lambda record: record.ref)
    components: Components[tuple[str, str]] = Components()
    bounded = _follow(txn, held, components, settings)
    names = {root: _named(members) for root, members in components.groups().items()}
    shared = {record.ref: components.root((_REF, record.ref)) for record in held}
    return Origins({ref: names[root] for ref, root in shared.items() if root in names}, bounded)


def _named(members: Iterable[tuple[str, str]]) -> str:
    """An origin name where there is one; what is named by a ref is no ref, for it names all of the component."""
    kind, name = min(members)
    return name if kind == _NAME else f"component:{name}"


def _follow(
    txn: Snapshot, records: Iterable[Record], components: Components[tuple[str, str]], settings: OriginSettings
) -> bool:
    """Join each record with what it comes from; True where a bound was met."""
    waiting: deque[Ref] = deque()
    seen: set[Ref] = set()
    for record in records:
        if record.origin:
            components.union((_NAME, record.origin), (_REF, record.ref))
        waiting.append(record.ref)
        seen.add(record.ref)
    left, bounded = settings.edge_visits, False
    while waiting:
        ref = waiting.popleft()
        edges = txn.edges_from(ref, roles=_ORIGIN, limit=settings.edges_per_record + 1)
        bounded |= len(edges) > min(settings.edges_per_record, left)
        for stored in edges[: min(settings.edges_per_record, left)]:
            left -= 1
            components.union((_REF, ref), (_REF, stored.edge.target))
            if stored.edge.target not in seen:
                seen.add(stored.edge.target)
                waiting.append(stored.edge.target)
        if left <= 0:
            return bounded or bool(waiting)
    return bounded
