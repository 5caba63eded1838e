"""What a record needs, what has taken its place, and what speaks against it: read from the edges at the cut, once
each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.relations import LIMITING, MUTUAL, NEEDED_BY_TARGET, Role
from retrieval.store.interface import Snapshot

Ways = frozenset[tuple[str, bool]]
"""Relations with the direction in which they are followed: True from source to target."""


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

    def __init__(self, txn: Snapshot, relations: Mapping[str, Role], edges_per_node: int) -> None:
        """`relations` are the tenant's live ones; of each kind of link at most `edges_per_node` are read."""
        self._txn = txn
        self._limit = edges_per_node
        self._held: dict[int, LinksOfRecord] = {}
        self._any_lost = txn.has_lost_needs()
        self._needs = _ways(relations, Role.MANDATORY)
        self._successors = _ways(relations, Role.SUCCESSION)
        self._opposers = _ways(relations, Role.OPPOSING)
        self.none = not (self._any_lost or self._needs or self._successors or self._opposers)

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
        needs, needs_bounded = self._along(record_id, self._needs)
        successors, _ = self._along(record_id, self._successors)
        opposers, opposers_bounded = self._along(record_id, self._opposers)
        return LinksOfRecord(
            _ids(needs),
            _ids({other: relation for other, relation in needs.items() if relation in LIMITING}),
            _ids(successors),
            _ids(opposers),
            len(needs) + len(successors) + len(opposers),
            needs_bounded,
            opposers_bounded,
            self._lost(record_id, needs),
        )

    def _along(self, record_id: int, ways: Ways) -> tuple[dict[int, str], bool]:
        """Other records along the ways, each with one of its relations, a limiting one first; and whether there are
        more."""
        if not ways:
            return {}, False
        neighbours = self._txn.neighbours(record_id, limit=self._limit + 1, ways=ways)
        found: dict[int, str] = {}
        for other, relation, _ in neighbours[: self._limit]:
            if other != record_id and found.get(other) not in LIMITING:
                found[other] = relation
        return found, len(neighbours) > self._limit

    def _lost(self, record_id: int, needs: Mapping[int, str]) -> int:
        """How many records the version needed that are removed now: their edges ended with them."""
        lost = 0
        for other in self._txn.lost_needs(record_id, limit=self._limit) if self._any_lost else ():
            ref = self._txn.ref_of(other) if other not in needs else None
            needed = None if ref is None else self._txn.record(ref)
            lost += needed is not None and needed.removed
        return lost


def _ways(relations: Mapping[str, Role], role: Role) -> Ways:
    """How the relations of a role are followed: to what is needed, from what supersedes and opposes."""
    names = [name for name, of in relations.items() if of is role]
    if role is Role.MANDATORY:
        return frozenset((name, name not in NEEDED_BY_TARGET) for name in names)
    return frozenset((name, outgoing) for name in names for outgoing in (False, *([True] if name in MUTUAL else [])))


def _ids(found: Mapping[int, str]) -> tuple[int, ...]:
    return tuple(sorted(found))
