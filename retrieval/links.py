"""What a record needs, what has taken its place, and what speaks against it: read from the edges at the cut, once
each."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.record import StoredEdge
from retrieval.relations import BUILT_IN, LIMITING, MUTUAL, NEEDED_BY_TARGET, Role
from retrieval.store.interface import Snapshot
from workingset.vocabulary import Ref

_FOLLOWED = frozenset({Role.MANDATORY, Role.SUCCESSION, Role.OPPOSING})


@dataclass(frozen=True, slots=True)
class LinksOfRecord:
    """Record ids, ascending: those it needs, those of them that limit it (guards and rules), those that supersede it
    and those that oppose it.

    `edges` counts edges looked at; `bounded` is True where it needs more than were read, `opposers_bounded` where more
    oppose it; `lost` counts records that its present version needed, when it was written or by edges of later, and that
    were removed since.
    """

    needs: tuple[int, ...] = ()
    limiting: tuple[int, ...] = ()
    successors: tuple[int, ...] = ()
    opposers: tuple[int, ...] = ()
    edges: int = 0
    bounded: bool = False
    opposers_bounded: bool = False
    lost: int = 0


NO_LINKS = LinksOfRecord()


class Links:
    """Links by record id, remembered. Lives within one projection.

    Where no live edge of the tenant has one of these roles and no need was lost, as in most code, nothing is read.
    """

    def __init__(self, txn: Snapshot, roles: frozenset[Role], edges_per_node: int) -> None:
        """`roles` are those that live relations of the tenant have."""
        self._txn = txn
        self._limit = edges_per_node
        self._roles: dict[str, Role | None] = dict(BUILT_IN)
        self._held: dict[int, LinksOfRecord] = {}
        self._any_lost = txn.has_lost_needs()
        self.none = not self._any_lost and not roles & _FOLLOWED

    def held(self, record_id: int) -> bool:
        """True where the record's links have been read and cost nothing more."""
        return record_id in self._held

    def of(self, record_id: int) -> LinksOfRecord:
        """The record's links."""
        if self.none:
            return NO_LINKS
        held = self._held.get(record_id)
        if held is None:
            held = self._held[record_id] = self._read(record_id)
        return held

    def _read(self, record_id: int) -> LinksOfRecord:
        neighbours = self._txn.neighbours(record_id, limit=self._limit + 1)
        if len(neighbours) > self._limit:
            return self._read_by_role(record_id)
        found = _Found(record_id)
        for other, relation, outgoing in neighbours:
            found.add(other, relation, self._role(relation), outgoing=outgoing)
        return found.links(len(neighbours), self._lost(record_id, found.needs))

    def _read_by_role(self, record_id: int) -> LinksOfRecord:
        """For records with many edges of other roles: ask by role, one past the limit in each direction."""
        ref = self._txn.ref_of(record_id)
        if ref is None:
            return NO_LINKS
        found, edges, bounded = _Found(record_id), 0, dict.fromkeys(_FOLLOWED, False)
        for role in _FOLLOWED:
            for outgoing in (True, False):
                stored = self._edges(ref, role, outgoing=outgoing)
                bounded[role] |= len(stored) > self._limit
                edges += len(stored)
                for each in stored[: self._limit]:
                    other = self._txn.record_id(each.edge.target if outgoing else each.edge.source)
                    if other is not None:
                        found.add(other, each.edge.relation, role, outgoing=outgoing)
        needs_bounded = len(found.needs) > self._limit or bounded[Role.MANDATORY]
        opposers_bounded = len(found.opposers) > self._limit or bounded[Role.OPPOSING]
        lost = self._lost(record_id, found.needs)
        return found.links(edges, lost, self._limit, bounded=needs_bounded, opposers_bounded=opposers_bounded)

    def _edges(self, ref: Ref, role: Role, *, outgoing: bool) -> list[StoredEdge]:
        read = self._txn.edges_from if outgoing else self._txn.edges_to
        return read(ref, roles=frozenset({role}), limit=self._limit + 1)

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


class _Found:
    """The links of one record while its edges are read."""

    def __init__(self, record_id: int) -> None:
        self._record_id = record_id
        self.needs: set[int] = set()
        self._limiting: set[int] = set()
        self._successors: set[int] = set()
        self.opposers: set[int] = set()

    def add(self, other: int, relation: str, role: Role | None, *, outgoing: bool) -> None:
        """Take in one edge."""
        if other == self._record_id:
            return
        if role is Role.MANDATORY and outgoing is (relation not in NEEDED_BY_TARGET):
            self.needs.add(other)
            if relation in LIMITING:
                self._limiting.add(other)
        elif role is Role.SUCCESSION and not outgoing:
            self._successors.add(other)
        elif role is Role.OPPOSING and (not outgoing or relation in MUTUAL):
            self.opposers.add(other)

    def links(
        self,
        edges: int,
        lost: int,
        limit: int | None = None,
        *,
        bounded: bool = False,
        opposers_bounded: bool = False,
    ) -> LinksOfRecord:
        """What was found, of each kind at most `limit`."""
        return LinksOfRecord(
            tuple(sorted(self.needs)[:limit]),
            tuple(sorted(self._limiting)[:limit]),
            tuple(sorted(self._successors)[:limit]),
            tuple(sorted(self.opposers)[:limit]),
            edges,
            bounded,
            opposers_bounded,
            lost,
        )
