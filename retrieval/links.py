"""What a record needs and what has taken its place, read from the edges at the cut, each record once."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.record import Record
from retrieval.relations import BUILT_IN, NEEDED_BY_TARGET, Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Ref

_MANDATORY = frozenset({Role.MANDATORY})


@dataclass(frozen=True, slots=True)
class LinksOfRecord:
    """Record ids, ascending: those it needs and those that supersede it.

    `edges` counts edges looked at; `bounded` is True where it has more than were read; `lost` counts records that its
    present version needed, when it was written or by edges of later, and that were removed since.
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

    def __init__(self, txn: Snapshot, edges_per_node: int) -> None:
        self._txn = txn
        self._limit = edges_per_node
        self._roles: dict[str, Role | None] = dict(BUILT_IN)
        self._held: dict[int, LinksOfRecord] = {}
        live = {role for namespace in txn.namespaces() for _, role in txn.relations(namespace)}
        self._any_lost = txn.has_lost_needs()
        self._any = self._any_lost or bool(live & {Role.MANDATORY, Role.SUCCESSION})

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
            return self._read_by_role(record_id, record)
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
        lost = self._lost(record_id, needs)
        return LinksOfRecord(tuple(sorted(needs)), tuple(sorted(successors)), len(neighbours), lost=lost)

    def _read_by_role(self, record_id: int, record: Record) -> LinksOfRecord:
        """For records with many edges of other roles: ask by role, one past the limit."""
        needed = self._needed_refs(record)
        incoming = self._txn.edges_to(record.ref, roles=frozenset({Role.SUCCESSION}), limit=self._limit)
        replaced = {stored.edge.source for stored in incoming}
        ids = {ref: self._txn.record_id(ref) for ref in needed | replaced}
        needs = sorted(i for ref, i in ids.items() if ref in needed and i is not None)
        successors = sorted(i for ref, i in ids.items() if ref in replaced and i is not None)
        lost = self._lost(record_id, set(needs))
        bounded = len(needs) > self._limit
        return LinksOfRecord(
            tuple(needs[: self._limit]), tuple(successors), len(needs) + len(successors), bounded, lost
        )

    def _needed_refs(self, record: Record) -> set[Ref]:
        outgoing = self._txn.edges_from(record.ref, roles=_MANDATORY, limit=self._limit + 1)
        incoming = self._txn.edges_to(record.ref, roles=_MANDATORY, limit=self._limit + 1)
        needed = {s.edge.target for s in outgoing if s.edge.relation not in NEEDED_BY_TARGET}
        needed |= {s.edge.source for s in incoming if s.edge.relation in NEEDED_BY_TARGET}
        return needed - {record.ref}

    def _lost(self, record_id: int, needs: set[int]) -> int:
        """How many records the version needed that are removed now: their edges ended with them."""
        lost = 0
        for other in self._txn.lost_needs(record_id, limit=self._limit) if self._any_lost else ():
            ref = self._txn.ref_of(other) if other not in needs else None
            needed = None if ref is None else self._txn.record(ref)
            lost += needed is not None and needed.removed
        return lost

    def _role(self, relation: str) -> Role | None:
        if relation not in self._roles:
            self._roles[relation] = self._txn.relation_role(relation)
        return self._roles[relation]
