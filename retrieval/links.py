"""What a record needs and what has taken its place, read from the edges at the cut, each record once."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.errors import CutExpired
from retrieval.record import Record
from retrieval.relations import BUILT_IN, NEEDED_BY_TARGET, Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Cut, Generation, Ref

_MANDATORY = frozenset({Role.MANDATORY})


@dataclass(frozen=True, slots=True)
class LinksOfRecord:
    """Record ids, ascending: those it needs and those that supersede it.

    `edges` counts edges looked at; `bounded` is True where it has more than were read; `lost` counts records that its
    present version needed when it was written and that were removed since.
    """

    needs: tuple[int, ...] = ()
    successors: tuple[int, ...] = ()
    edges: int = 0
    bounded: bool = False
    lost: int = 0


NO_LINKS = LinksOfRecord()


class Links:
    """Links by record id, remembered. Lives within one projection.

    Where no edge of the tenant has a mandatory or a succession role, as in most code, nothing is read of records that
    came from files.
    """

    def __init__(self, txn: Snapshot, cut: Cut, edges_per_node: int) -> None:
        self._txn = txn
        self._limit = edges_per_node
        self._roles: dict[str, Role | None] = dict(BUILT_IN)
        self._held: dict[int, LinksOfRecord] = {}
        live = {role for namespace in txn.namespaces() for _, role in txn.relations(namespace)}
        self._any_mandatory = Role.MANDATORY in live
        self._any = self._any_mandatory or Role.SUCCESSION in live
        self._generations = dict(cut.generations)

    def alone(self, record: Record) -> bool:
        """True where the record can have no links, so that none are read."""
        return not self._any and bool(record.source_digest)

    def held(self, record_id: int) -> bool:
        """True where the record's links have been read and cost nothing more."""
        return record_id in self._held

    def of(self, record_id: int, record: Record) -> LinksOfRecord:
        """The record's links."""
        if self.alone(record):
            return NO_LINKS
        held = self._held.get(record_id)
        if held is None:
            held = self._held[record_id] = self._read(record_id, record)
        return held

    def _read(self, record_id: int, record: Record) -> LinksOfRecord:
        neighbours = self._txn.neighbours(record_id, limit=self._limit + 1)
        if len(neighbours) > self._limit:
            return self._read_by_role(record)
        needs: set[int] = set()
        successors: set[int] = set()
        for other, relation, outgoing in neighbours:
            role = self._role(relation)
            if role is Role.MANDATORY and outgoing is (relation not in NEEDED_BY_TARGET):
                needs.add(other)
            elif role is Role.SUCCESSION and not outgoing:
                successors.add(other)
        needs.discard(record_id)
        successors.discard(record_id)
        lost = self._lost(record, needs)
        return LinksOfRecord(tuple(sorted(needs)), tuple(sorted(successors)), len(neighbours), lost=lost)

    def _read_by_role(self, record: Record) -> LinksOfRecord:
        """For records with many edges of other roles: ask by role, one past the limit."""
        needed = self._needed_refs(record, None)
        incoming = self._txn.edges_to(record.ref, roles=frozenset({Role.SUCCESSION}), limit=self._limit)
        replaced = {stored.edge.source for stored in incoming}
        ids = {ref: self._txn.record_id(ref) for ref in needed | replaced}
        needs = sorted(i for ref, i in ids.items() if ref in needed and i is not None)
        successors = sorted(i for ref, i in ids.items() if ref in replaced and i is not None)
        lost = self._lost(record, set(needs))
        bounded = len(needs) > self._limit
        return LinksOfRecord(
            tuple(needs[: self._limit]), tuple(successors), len(needs) + len(successors), bounded, lost
        )

    def _needed_refs(self, record: Record, at: Generation | None) -> set[Ref]:
        outgoing = self._txn.edges_from(record.ref, at, roles=_MANDATORY, limit=self._limit + 1)
        incoming = self._txn.edges_to(record.ref, at, roles=_MANDATORY, limit=self._limit + 1)
        needed = {s.edge.target for s in outgoing if s.edge.relation not in NEEDED_BY_TARGET}
        needed |= {s.edge.source for s in incoming if s.edge.relation in NEEDED_BY_TARGET}
        return needed - {record.ref}

    def _lost(self, record: Record, needs: set[int]) -> int:
        """How many records the version needed when it was written that are removed now: their edges ended with them.

        Ending an edge raises the generation of both its namespaces, so a record of the newest generation lost none.
        """
        if self._generations.get(record.namespace) == record.generation:
            return 0
        if not self._any_mandatory and record.source_digest:
            return 0
        try:
            once = self._needed_refs(record, record.generation)
        except CutExpired:
            return 0
        lost = 0
        for ref in sorted(once):
            record_id = self._txn.record_id(ref)
            if record_id is not None and record_id not in needs:
                other = self._txn.record(ref)
                lost += other is not None and other.removed
        return lost

    def _role(self, relation: str) -> Role | None:
        if relation not in self._roles:
            self._roles[relation] = self._txn.relation_role(relation)
        return self._roles[relation]
